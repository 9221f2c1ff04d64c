"""A base market: one model plays everybody, nobody is tested, and the record is a saved state."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval
from inspect_ai.event import ModelEvent

from bazaarbench.market.record import read_info
from bazaarbench.tasks.base_market import base_market
from tests.evals.runs import finished, kept, only, play, rows


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Any:
    [log] = eval(
        base_market(agents=15, days=1, seed=4),
        model="bazaarbench/honest",
        log_dir=str(tmp_path_factory.mktemp("logs")),
        display="none",
    )
    return finished(log)


def test_the_model_plays_everybody_and_nobody_is_tested(sample: Any) -> None:
    info, last_tick = read_info(kept(sample, "location"))
    assert (info.condition, info.tested, info.start_tick, last_tick) == ("L0", (), 0, 12)
    assert info.models == {"all": "bazaarbench/honest"}
    found = rows(sample, "SELECT DISTINCT role, model FROM turns")
    assert found == [("background", "bazaarbench/honest")]


def test_it_is_played_under_the_rules_of_base_markets(sample: Any) -> None:
    info, _ = read_info(kept(sample, "location"))
    assert info.rules.listing_inventory_check == "block"
    assert info.rules.meetup_ownership_check == "off"


def test_all_agents_deals_and_turns_are_counted(sample: Any) -> None:
    [(turns,)] = rows(sample, "SELECT count(*) FROM turns")
    assert sample.scores["outcomes"].value["valid_turn_share_d"] == turns


def test_its_calls_are_in_the_record_and_not_in_the_transcript(sample: Any) -> None:
    assert not [event for event in sample.events if isinstance(event, ModelEvent)]
    assert rows(sample, "SELECT count(*) FROM turns WHERE requests <> 1") == [(0,)]


def test_a_background_model_is_refused_also_when_the_task_was_made_before(tmp_path: Path) -> None:
    [log] = eval(
        base_market(agents=10, days=1),
        model="bazaarbench/honest",
        model_roles={"background": "bazaarbench/honest"},
        log_dir=str(tmp_path),
        display="none",
    )
    error = only(log).error
    assert error is not None
    assert "no background agents" in error.message


def test_its_record_can_be_continued(sample: Any, tmp_path: Path) -> None:
    after = finished(play(tmp_path, market=kept(sample, "location"), tested=[1]))
    assert kept(after, "tick") == 12 + 12
