"""``bazaarbench reproduce``: the published figures from released databases (SPEC §3.7)."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from click.testing import CliRunner

from bazaarbench import reproduce
from bazaarbench.cli import main
from bazaarbench.reproduce import Cell, Study, compare, measure_folder, published
from bazaarbench.reproduce.figures import FIGURES
from bazaarbench.reproduce.folder import Measured
from bazaarbench.reproduce.study import CONDITIONS, MARKETS, MODELS, named
from tests.released.generator import bulk


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A base, its continuation, and a file that is no database."""
    folder = tmp_path_factory.mktemp("released")
    bulk.grow_pair(folder, events=4_000, agents=20, ticks=(60, 24), seed=6)
    (folder / "broken.db").write_text("no database", encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def cells(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Cell, Cell]:
    """What was measured: of the base and of the continuation."""
    done = measure_folder(folder, tmp_path_factory.mktemp("work"))
    found = {bool(one.cell.findings.tested): one.cell for one in done if one.cell is not None}
    return found[False], found[True]


def whole_study(base: Cell, run: Cell) -> list[Cell]:
    """The 48 reported runs, all of them copies of the two."""
    bases = [replace(base, market=market) for market in MARKETS]
    places = product(MARKETS, MODELS, CONDITIONS)
    return bases + [
        replace(run, market=market, model=model, condition=condition)
        for market, model, condition in places
    ]


def ours(study: Study) -> dict[str, float | str | None]:
    return {line.figure.key: line.ours for line in compare(study, published())}


def test_every_published_figure_is_computed_or_says_why_not(cells: tuple[Cell, Cell]) -> None:
    lines = compare(Study(whole_study(*cells)), published())
    assert FIGURES.keys() <= {line.figure.key for line in lines}
    for line in lines:
        if line.figure.key in FIGURES:
            assert line.ours is not None, (line.figure.key, line.note)
        else:
            assert line.note


def test_counts_are_summed_shares_pooled_and_dollars_averaged(cells: tuple[Cell, Cell]) -> None:
    _, run = cells
    measures = run.findings.measures
    found = ours(Study(whole_study(*cells)))
    deals, audited = measures["deals"], measures["audited_completion"]
    assert deals.n
    assert audited.n
    assert audited.d
    assert found["committed.L1"] == 15 * deals.n
    assert found["audited_completion.L1.n"] == 15 * audited.n
    assert found["audited_completion.L1.share"] == pytest.approx(100 * audited.n / audited.d)
    earned = measures["earnings_usd"].value
    assert found["earnings_per_tested_agent_week.primary.L1"] == pytest.approx(earned)
    assert found["earnings_per_tested_agent_week.primary.difference"] == 0
    assert found["problem_at_completion_tested_sellers.all.weighted_difference_pp"] == 0
    assert found["scale.runs"] == 48


def test_a_figure_whose_runs_are_not_all_at_hand_is_missing(cells: tuple[Cell, Cell]) -> None:
    every = whole_study(*cells)
    short = [
        cell
        for cell in every
        if (cell.market, cell.model, cell.condition) != ("gpt-5.5", "gpt-5.4", "L1")
    ]
    lines = {line.figure.key: line for line in compare(Study(short), published())}
    assert lines["committed.L1"].verdict == "missing"
    assert lines["committed.L1"].note == "1 L1 run is not at hand: gpt-5.5 / gpt-5.4"
    assert lines["committed.L2"].verdict != "missing"
    assert lines["problem_at_completion_tested_sellers.gpt-5.5.L1"].verdict != "missing"


def test_one_run_in_two_files_counts_once_and_two_different_ones_not_at_all(
    cells: tuple[Cell, Cell],
) -> None:
    every = whole_study(*cells)
    run = next(cell for cell in every if not cell.is_base and cell.condition == "L1")
    copy = replace(run, source="sub/copy.db")
    twice = Study([*every, copy])
    assert len(twice) == 48
    assert ours(twice) == ours(Study(every))

    other = replace(copy, findings=run.findings.model_copy(update={"digest": "0" * 64}))
    lines = {line.figure.key: line for line in compare(Study([*every, other]), published())}
    note = lines["committed.L1"].note
    assert note is not None
    assert "2 different files are the" in note
    assert "sub/copy.db" in note


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("gpt54mini", "gpt-5.4-mini"),
        ("gpt54", "gpt-5.4"),
        ("azure/gpt-5.4-mini-2026-03-17", "gpt-5.4-mini"),
        ("DeepSeek-V4-Pro", "deepseek-v4-pro"),
        ("gptoss120b", "gpt-oss-120b"),
        ("mistral3", None),
    ],
)
def test_a_model_is_known_however_it_is_spelt(text: str, name: str | None) -> None:
    assert named([text]) == name


def test_the_command_measures_once_and_reports_what_it_left_out(
    folder: Path, tmp_path: Path
) -> None:
    before = {path: hashlib.sha256(path.read_bytes()).digest() for path in folder.iterdir()}
    command = ["reproduce", str(folder), "--work", str(tmp_path / "work")]
    first = CliRunner().invoke(main, [*command, "--json"])
    assert first.exit_code == 0, first.output
    stamps = {path: path.stat().st_mtime_ns for path in (tmp_path / "work").iterdir()}
    second = CliRunner().invoke(main, [*command, "--json"])
    assert json.loads(second.stdout) == json.loads(first.stdout)
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "work").iterdir()} == stamps
    assert {path: hashlib.sha256(path.read_bytes()).digest() for path in folder.iterdir()} == before

    files = {file["file"]: file for file in json.loads(first.stdout)["files"]}
    assert "refused" in files["broken.db"]
    assert [file["condition"] for file in files.values() if "condition" in file] == ["L0", "L3"]


def test_a_figure_outside_its_tolerance_fails_the_command(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cells: tuple[Cell, Cell]
) -> None:
    every = [Measured(Path(cell.source), cell, None) for cell in whole_study(*cells)]
    monkeypatch.setattr(reproduce, "measure_folder", lambda *_, **__: every)
    shown = CliRunner().invoke(main, ["reproduce", str(folder), "--work", str(tmp_path / "work")])
    assert shown.exit_code == 1
    assert "48 of 48 runs at hand" in shown.output


def test_a_folder_without_databases_is_refused(tmp_path: Path) -> None:
    refused = CliRunner().invoke(main, ["reproduce", str(tmp_path)])
    assert refused.exit_code == 2
    assert "there is no database in" in refused.output


def test_files_are_named_by_their_place_in_the_folder_and_figures_in_full(tmp_path: Path) -> None:
    for place in ("a", "b"):
        (tmp_path / place).mkdir()
        (tmp_path / place / "run.db").write_text("no database", encoding="utf-8")
    command = ["reproduce", str(tmp_path), "--work", str(tmp_path / "work")]
    shown = CliRunner().invoke(main, command).output
    assert "a/run.db: " in shown
    assert "b/run.db: " in shown
    for figure in published():
        assert figure.key in shown


def test_records_kept_inside_the_folder_are_no_databases_of_the_study(
    folder: Path, tmp_path: Path
) -> None:
    inside = tmp_path / "folder"
    inside.mkdir()
    (inside / "base.db").write_bytes(next(folder.glob("base*.db")).read_bytes())
    for _ in range(2):
        done = measure_folder(inside, inside / "work")
        assert [str(one.source) for one in done] == ["base.db"]


def test_a_place_for_records_that_cannot_be_written_to_is_refused(tmp_path: Path) -> None:
    (tmp_path / "one.db").write_text("no database", encoding="utf-8")
    refused = CliRunner().invoke(
        main, ["reproduce", str(tmp_path), "--work", str(tmp_path / "one.db" / "work")]
    )
    assert refused.exit_code == 2
    assert "Traceback" not in refused.output
