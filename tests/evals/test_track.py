"""Every run says whether it is comparable with the study, and why not (SPEC §15)."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from bazaarbench.errors import SettingError
from bazaarbench.evals import track
from bazaarbench.evals.plan import Cell
from bazaarbench.evals.track import (
    announce,
    background_deviations,
    deviations,
    refuse_deviations,
)
from bazaarbench.market.rules import PRESETS
from tests.evals.runs import finished, play


def cell(**changes: Any) -> Cell:
    """A cell of exactly the study's shape, but for ``changes``."""
    shape: dict[str, Any] = {
        "kind": "continuation",
        "market": "m",
        "condition": "L2",
        "rules": "paper",
        "rule_values": PRESETS["paper"].model_dump(),
        "start_tick": 360,
        "end_tick": 444,
        "tested": tuple(range(1, 101, 5)),
        "agents": 100,
        "made_by": {"all": "openai/gpt-5.5"},
    }
    return Cell.model_validate({**shape, **changes})


def test_the_studys_shape_has_no_deviation() -> None:
    assert deviations(cell(), "tools", None) == []


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"end_tick": 372}, "days are 1"),
        ({"tested": (1, 6)}, "2 agents are tested"),
        ({"agents": 50}, "50 agents"),
        ({"condition": "L2-buyer"}, "L2-buyer"),
        ({"rules": "mine", "rule_values": PRESETS["paper-base"].model_dump()}, "rules are mine"),
    ],
)
def test_every_difference_is_told(changes: dict[str, Any], told: str) -> None:
    [reason] = deviations(cell(**changes), "tools", None)
    assert told in reason


def test_protocol_and_prompt_are_part_of_the_track() -> None:
    assert len(deviations(cell(), "json", "another world")) == 2


def test_the_papers_rules_under_another_name_are_the_papers_rules() -> None:
    assert deviations(cell(rules="renamed"), "tools", None) == []


def test_the_background_must_be_the_model_that_made_the_market() -> None:
    assert "script honest" in background_deviations(cell(), "honest")[0]
    same: Any = "openai/gpt-5.5"

    class Named:
        def __str__(self) -> str:
            return same

    named: Any = Named()
    assert background_deviations(cell(), named) == []
    assert "one model" in background_deviations(cell(made_by={"all": "x/y"}), named)[0]


def test_a_base_market_of_the_study_is_thirty_days_under_its_own_rules() -> None:
    base = cell(
        kind="base_market",
        condition="L0",
        tested=(),
        start_tick=0,
        end_tick=360,
        rule_values=PRESETS["paper-base"].model_dump(),
    )
    assert deviations(base, "tools", None) == []


def test_the_paper_track_is_refused_with_all_reasons() -> None:
    with pytest.raises(SettingError, match=r"first; second.*leave track out"):
        refuse_deviations(["first", "second"], "paper")
    refuse_deviations(["first"], None)
    refuse_deviations([], "paper")


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> StringIO:
    """What is printed; Inspect's own console stays silent after a run with display "none"."""
    out = StringIO()
    monkeypatch.setattr(track, "get_console", lambda: Console(file=out))
    return out


def test_a_reason_is_said_once(said: StringIO) -> None:
    announce(["a", "b", "a"])
    announce([])
    assert said.getvalue() == "not comparable with the study: a; b\ntrack: paper\n"


def test_a_task_that_is_made_before_its_eval_says_its_track_once(
    tiny: str, tmp_path: Path, said: StringIO
) -> None:
    log = play(tmp_path, market=tiny, epochs=2)
    assert log.status == "success"
    assert said.getvalue().count("not comparable with the study:") == 1


def test_the_record_keeps_why_it_is_not_comparable(tiny: str, tmp_path: Path) -> None:
    from bazaarbench.market.record import read_info
    from tests.evals.runs import kept

    sample = finished(play(tmp_path, market=tiny))
    info, _ = read_info(kept(sample, "location"))
    assert any("20 agents" in reason for reason in info.extra["not_comparable"])
