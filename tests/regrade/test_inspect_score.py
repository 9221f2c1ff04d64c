"""``inspect score`` with one of our scorers alone: from the record, or not at all."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import score
from inspect_ai.log import EvalLog, read_eval_log

from bazaarbench.evals.compat import PrerequisiteError
from bazaarbench.scorers.outcomes import outcomes
from bazaarbench.scorers.record_checks import record_checks
from tests.regrade.test_logs import records_of

SCORERS: dict[str, Any] = {"record_checks": record_checks, "outcomes": outcomes}
ROOT = Path(__file__).parents[2]


def scored(path: Path, name: str, folder: Path | None = None) -> EvalLog:
    scorer = SCORERS[name](records=None if folder is None else str(folder))
    log = read_eval_log(str(path))
    return score(log, [scorer], model="none", action="append", display="none")


def refusal(path: Path, name: str) -> str:
    with pytest.raises(PrerequisiteError) as caught:
        scored(path, name, path.parent)
    return str(caught.value.message)  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", SCORERS)
def test_each_scorer_alone_scores_from_the_record(played: Path, name: str) -> None:
    again = scored(played, name, played.parent)
    for sample in again.samples or []:
        assert sample.scores is not None
        assert str(sample.scores[f"{name}1"].value) == str(sample.scores[name].value)


@pytest.mark.parametrize("name", SCORERS)
def test_a_record_that_moved_is_told_and_found_where_it_is_named(
    played: Path, name: str, tmp_path: Path
) -> None:
    (played.parent / "records").rename(tmp_path / "elsewhere")
    assert "is gone" in refusal(played, name)
    again = scored(played, name, tmp_path / "elsewhere")
    assert f"{name}1" in ((again.samples or [])[0].scores or {})


@pytest.mark.parametrize("name", SCORERS)
@pytest.mark.parametrize("harm", ["missing", "of another version", "cut off", "rotten"])
def test_a_record_that_cannot_be_read_is_told_and_nothing_is_scored(
    played: Path, name: str, harm: str
) -> None:
    record = records_of(played)[0]
    data = bytearray(record.read_bytes())
    said = {
        "missing": "is gone",
        "of another version": "has record schema 99",
        "cut off": "cut off",
    }
    if harm == "of another version":
        data[60:64] = (99).to_bytes(4, "big")
    elif harm == "rotten":
        data[4096:] = b"\xff" * (len(data) - 4096)
    record.write_bytes(data[:5000] if harm == "cut off" else data)
    if harm == "missing":
        record.unlink()
    assert said.get(harm, "damaged") in refusal(played, name)


def inspect_score(log: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    command = ["score", str(log), "--scorer", str(ROOT / "scorers" / "outcomes.py")]
    options = ["--action", "append", "--model", "none", "--overwrite", "-S", f"records={folder}"]
    return subprocess.run(
        [sys.executable, "-m", "inspect_ai", *command, *options],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "INSPECT_DISPLAY": "plain"},
    )


def test_the_command_scores_with_a_file_and_regrading_takes_its_score_in(played: Path) -> None:
    done = inspect_score(played, played.parent)
    assert done.returncode == 0, done.stderr
    assert "outcomes1" in ((read_eval_log(str(played)).samples or [])[0].scores or {})
    from bazaarbench.evals.regrading import regrade

    (one,) = regrade([str(played)], workers=1)
    assert one.refused is None
    names = list((read_eval_log(str(played)).samples or [])[0].scores or {})
    assert names == ["record_checks", "outcomes", "another"]


def test_the_command_changes_nothing_without_the_record(played: Path) -> None:
    for record in records_of(played):
        record.unlink()
    old = played.read_bytes()
    done = inspect_score(played, played.parent)
    assert done.returncode != 0
    assert "is gone" in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    assert played.read_bytes() == old
