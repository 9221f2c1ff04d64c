"""An imported base runs under ``continuation``; an imported continuation is measured."""

from __future__ import annotations

from pathlib import Path

import pytest

import bazaarbench._registry  # noqa: F401 — as Inspect does through the entry point
from bazaarbench import plugins
from bazaarbench.evidence import read
from bazaarbench.findings import build
from bazaarbench.released import import_released
from tests.evals.runs import finished, kept, play, rows
from tests.released.generator import bulk


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A base of 20 agents and two bots, and its continuation."""
    folder = tmp_path_factory.mktemp("measured")
    return bulk.grow_pair(folder, events=4_000, agents=20, ticks=(60, 24), seed=6)


def test_an_imported_continuation_has_every_score(files: tuple[Path, Path]) -> None:
    state, _ = import_released(files[1], name="measured continuation", base=files[0])
    findings = build(state.path, plugins.load().failure_types.values())

    assert findings.faults == ()
    assert findings.condition == "L3"
    assert findings.tested == (1, 6, 11, 16)
    scores = findings.scores["record_checks"] | findings.scores["outcomes"]
    assert scores["deals"]
    assert scores["valid_turn_share_d"]
    # Two days are shorter than the deadlines of L2, so that nobody can have met or missed them.
    targets = {"sellers_on_target", "buyers_on_target", "both_on_target"}
    assert {name for name, value in scores.items() if value is None} == targets


def test_an_imported_base_runs_under_continuation(files: tuple[Path, Path], tmp_path: Path) -> None:
    state, imported = import_released(files[0], name="measured base")
    sample = finished(play(tmp_path, market="measured base", condition="L2"))

    evidence = read(kept(sample, "location"))
    assert (evidence.window.start, evidence.window.end) == (60, 72)
    # The bots of the file have ids that the study's rule would take for tested ones.
    assert evidence.tested == {1, 6, 11, 16}
    acting = {a for (a,) in rows(sample, "SELECT DISTINCT agent_id FROM turns WHERE tick > 60")}
    assert acting <= set(range(1, 21))
    assert imported.agents == 20
    assert evidence.turns.valid > 0
    # What went on when the base ended goes on, and is dealt with.
    assert any(deal.ongoing for deal in evidence.deals)
    assert evidence.info.parent_digest == state.manifest.digest
