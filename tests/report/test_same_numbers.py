"""Markdown, CSV, HTML, JSON, the leaderboard's records and Inspect's metrics: one number."""

from __future__ import annotations

import csv
import html
import json
import math
import re
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import read_eval_log

from bazaarbench.effects import Contrast, Resampling
from bazaarbench.evals.logged import Collected
from bazaarbench.leaderboard import COLUMNS, leaderboard_of, write_leaderboard
from bazaarbench.report.build import build_report
from bazaarbench.report.document import Document, Table
from bazaarbench.report.numbers import Estimate, details, shown_estimate, shown_value
from bazaarbench.report.study import Study, studies_of
from bazaarbench.report.writing import csv_name, escaped, write_report
from tests.report.studies import CONDITIONS, MARKETS, MODELS

_METRIC = re.compile(r"(.+)\[(L\d)(?:-(L1))?\](_low|_high)?")


@pytest.fixture(scope="module")
def study(collected: Collected) -> Study:
    [study] = studies_of(collected.runs, Resampling())
    return study


@pytest.fixture(scope="module")
def document(collected: Collected) -> Document:
    return build_report(collected.runs, with_paper=True)


@pytest.fixture(scope="module")
def folder(document: Document, tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("report")
    write_report(document, target)
    return target


def test_the_study_is_whole(study: Study, collected: Collected) -> None:
    assert len(collected.runs) == 36
    assert not collected.left_out
    assert (study.models, study.markets, study.conditions) == (MODELS, MARKETS, CONDITIONS)
    assert not study.missing("paper")


@pytest.mark.parametrize("model", MODELS)
def test_inspects_metrics_are_the_reports_numbers(
    study: Study, study_logs: Path, model: str
) -> None:
    compared = 0
    for path in sorted(study_logs.glob("*.eval")):
        log = read_eval_log(str(path), header_only=True)
        if log.eval.model != model:
            continue
        assert log.results is not None
        for score in log.results.scores:
            for name, metric in score.metrics.items():
                compared += _compare(study, model, name, float(metric.value))
    assert compared > 150


def _compare(study: Study, model: str, name: str, theirs: float) -> bool:
    matched = _METRIC.fullmatch(name)
    assert matched is not None, name
    key, condition, low, end = matched.groups()
    part = next((one for one in ("_n", "_d", "_unscored") if key.endswith(one)), "")
    if key not in study.keys and not part:
        return False
    if low is None:
        found = study.level(
            key.removesuffix(part), lambda cell: (cell.model, cell.condition) == (model, condition)
        )
        ours = found.parts()[part]
    else:
        contrast = Contrast("condition", condition, low)
        found, _ = study.effect(key, contrast, lambda cell: cell.model == model)
        ours = found.parts()[end or ""]
    if ours is None:
        assert math.isnan(theirs), name
    else:
        assert theirs == pytest.approx(ours, rel=1e-9, abs=1e-12), name
    return True


def test_an_effect_has_its_interval_in_inspect(study_logs: Path) -> None:
    log = read_eval_log(str(next(iter(sorted(study_logs.glob("*.eval"))))), header_only=True)
    assert log.results is not None
    names = {name for score in log.results.scores for name in score.metrics}
    assert {"completion[L3-L1]_low", "completion[L3-L1]_high", "earnings_usd[L2-L1]_low"} <= names
    assert "F1_S5[L3-L1]" in names
    assert "F1_S5[L3-L1]_low" not in names
    assert "completion[L1]_low" not in names


def test_csv_json_markdown_and_html_have_every_number_of_the_document(
    document: Document, folder: Path
) -> None:
    markdown = (folder / "report.md").read_text("utf-8").splitlines()
    page = (folder / "report.html").read_text("utf-8")
    report = json.loads((folder / "report.json").read_text("utf-8"))
    as_json = {one["name"]: one for part in report["sections"] for one in part["tables"]}
    numbers = 0
    for table in document.tables():
        lines = list(csv.DictReader((folder / "tables" / csv_name(table)).open(encoding="utf-8")))
        assert len(lines) == len(table.rows)
        for row, line, plain in zip(table.rows, lines, as_json[table.name]["rows"], strict=True):
            texts = []
            for column, cell in zip(table.columns, row, strict=True):
                if isinstance(cell, Estimate):
                    numbers += 1
                    assert _number(line[column.key]) == cell.value == plain[column.key]["value"]
                    texts.append(shown_estimate(cell))
                    _in_page(page, cell)
                else:
                    texts.append(cell or "")
            assert "| " + " | ".join(map(escaped, texts)) + " |" in markdown
    assert numbers > 800


def _in_page(page: str, cell: Estimate) -> None:
    told = html.escape(shown_value(cell), quote=True).replace("&#x27;", "&#39;")
    small = "".join(f'<span class="detail">{one}</span>' for one in details(cell))
    assert f">{told}{small}<" in page


def _number(text: str) -> float | None:
    return float(text) if text else None


def test_csv_has_numerators_denominators_and_intervals(document: Document, folder: Path) -> None:
    table = _table(document, "figure-3d")
    rows = list(csv.DictReader((folder / "tables" / csv_name(table)).open(encoding="utf-8")))
    for row in rows:
        n, d = float(row["L3_n"]), float(row["L3_d"])
        assert float(row["L3"]) == pytest.approx(n / d)
        assert float(row["L3_low"]) <= float(row["L3"]) <= float(row["L3_high"])
        assert float(row["L3-L1_runs_low"]) <= float(row["L3-L1_runs_high"])


def test_leaderboard_records_csv_and_report_agree(
    collected: Collected, document: Document, tmp_path: Path
) -> None:
    board = leaderboard_of(collected.runs)
    _, _, *records = write_leaderboard(board, tmp_path)
    rows = list(csv.DictReader((tmp_path / "leaderboard.csv").open(encoding="utf-8")))
    assert [row["model"] for row in rows] == list(MODELS)
    for row, path in zip(rows, records, strict=True):
        record = json.loads(path.read_text("utf-8"))
        assert record["model_info"]["id"] == row["model"]
        scores = {
            one["evaluation_name"].removeprefix("bazaarbench."): one["score_details"]["score"]
            for one in record["evaluation_results"]
        }
        profile = _profile(document, row["model"])
        for column in COLUMNS:
            assert _number(row[column.key]) == scores.get(column.key)
            if column.condition or column.contrast:
                name = column.key.partition("[")[2].rstrip("]")
                assert profile[column.measure][name] == _number(row[column.key])


def _table(document: Document, name: str) -> Table:
    return next(table for table in document.tables() if table.name == name)


def _profile(document: Document, model: str) -> dict[str, dict[str, Any]]:
    table = next(one for one in document.tables() if one.title == f"Profile of {model}")
    return {
        str(row[1]): {
            column.key: cell.value
            for column, cell in zip(table.columns, row, strict=True)
            if isinstance(cell, Estimate)
        }
        for row in table.rows
    }
