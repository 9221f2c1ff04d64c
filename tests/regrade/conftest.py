"""A played log of two samples with a third party's scores in it, and copies of it to change."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from inspect_ai import score
from inspect_ai.log import write_eval_log
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import TaskState

from tests.evals.conftest import tiny  # noqa: F401 — the small saved state of the evals' tests
from tests.evals.runs import play


@scorer(metrics=[mean()])
def another() -> Scorer:
    """Somebody else's scorer, with everything that a score can hold."""

    async def judged(state: TaskState, target: Target) -> Score:
        return Score(
            value=0.1 + 0.2,
            answer="é\x1b",
            explanation="[E1] by hand",
            metadata={"b": [1], "a": {}},
        )

    return judged


@pytest.fixture(scope="session")
def original(tiny: str, tmp_path_factory: pytest.TempPathFactory) -> Path:  # noqa: F811
    """Crooked agents under L1 and L3 for two days, scored by our scorers and by another one."""
    folder = tmp_path_factory.mktemp("played")
    log = play(folder, "bazaarbench/crooked", market=tiny, days=2, condition="L1,L3")
    assert log.status == "success"
    scored = score(log, [another()], model="none", action="append", display="none")
    write_eval_log(scored, log.location)
    return Path(log.location)


@pytest.fixture
def played(original: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of the log with its records, on a machine that has not played it.

    The addresses in the log are those of the original, which is not there any more.
    """
    shutil.copytree(original.parent, tmp_path / "logs")
    monkeypatch.setenv("BAZAARBENCH_HOME", str(tmp_path / "home"))
    records, hidden = original.parent / "records", original.parent / "hidden"
    records.rename(hidden)
    yield tmp_path / "logs" / original.name
    hidden.rename(records)
