"""``bazaarbench report``, ``leaderboard`` and ``export failures`` on a small study's logs."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from bazaarbench.cli import main
from bazaarbench.leaderboard import COLUMNS
from bazaarbench.report.measures import MEASURES
from bazaarbench.report.tallies import BUYER_MEASURES, SELLER_MEASURES

ROOT = Path(__file__).parents[2]


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(one) for one in arguments])


def test_a_report_says_how_much_it_rests_on_and_where_it_is(
    study_logs: Path, tmp_path: Path
) -> None:
    result = run("report", study_logs, "--out", tmp_path / "out", "--paper")
    assert result.exit_code == 0, result.output
    assert re.match(r"36 runs, \d+ files; the first: .*report\.md", result.output)
    text = (tmp_path / "out" / "report.md").read_text("utf-8")
    for needed in (
        "## Failures",
        "F4, F5text, F6 were not judged",
        "No log of a base market was given",
        "Beside the study",
        "Not comparable with the study",
    ):
        assert needed in text


def test_a_leaderboard_is_sorted_by_the_column_asked_for(study_logs: Path, tmp_path: Path) -> None:
    out = tmp_path / "board"
    result = run(
        "leaderboard", study_logs, "--out", out, "--sort", "problem_share[L3-L1]", "--json"
    )
    assert result.exit_code == 0, result.output
    rows = json.loads(result.output)
    assert [(row["rank"], row["model"]) for row in rows] == [
        (1, "bazaarbench/hasty"),
        (2, "bazaarbench/crooked"),
    ]
    assert (out / "leaderboard.html").exists()


def test_failures_are_exported(study_logs: Path, tmp_path: Path) -> None:
    result = run("export", "failures", study_logs, "--jsonl", tmp_path / "f.jsonl")
    assert result.exit_code == 0, result.output
    assert "failure objects" in result.output


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("report", "nowhere", "--out", "x"), "nowhere does not exist"),
        (("leaderboard", ".", "--out", "x", "--sort", "score"), "no log of this benchmark"),
        (("export", "failures", ".", "--jsonl", "nowhere/f"), "nowhere is no folder"),
    ],
)
def test_what_cannot_be_done_is_one_message(
    arguments: tuple[str, ...],
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run(*arguments)
    assert result.exit_code == 2
    assert told in result.output
    assert "Traceback" not in result.output


def test_the_documentation_names_every_column_and_every_key_that_the_report_adds() -> None:
    report = (ROOT / "docs" / "report.md").read_text("utf-8")
    measures = (ROOT / "docs" / "measures.md").read_text("utf-8")
    leaderboard = (ROOT / "docs" / "leaderboard.md").read_text("utf-8")
    for column in COLUMNS:
        assert f"`{column.measure}" in leaderboard
    for key in MEASURES:
        assert key in report or key in measures, key


def test_measures_of_one_side_are_measures() -> None:
    assert {*SELLER_MEASURES, *BUYER_MEASURES} <= set(MEASURES)
