"""Market health, told as stories (SPEC §9.6; reference M §7.2): what counts, and what does not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bazaarbench.failures.builtin import FAILURE_TYPES
from bazaarbench.findings import Findings, build
from bazaarbench.market.state import Market
from bazaarbench.report.reading import read_findings
from bazaarbench.report.trade import health_of, trade_of
from tests.evidence.acting import (
    B,
    C,
    S,
    Scene,
    World,
    accepts,
    lists,
    offers,
    record_of,
    ships,
    writes,
)
from tests.outcomes.stories.audits import done

#: What ``lists`` puts up is of this category.
CATEGORY = "electronics"


def measured(folder: Path, steps: list[Scene], wanted: str = CATEGORY, **world: Any) -> Findings:
    """A record in which B would pay $100 for something of a category."""

    def goal(market: Market) -> None:
        persona = {"buyer": {"ceiling_cents": 10_000, "category": wanted}}
        market.agents[B].persona = json.dumps(persona)
        market.touch(market.agents[B])

    played = World(**{"tested": (S, B), "end": 84, **world})
    return build(record_of(folder / "story.db", played, [goal, *steps]), FAILURE_TYPES)


def bought(price: int = 9_000) -> list[Scene]:
    return [lists(S), offers(B, 1, price), accepts(S, 1), ships(S, 1), 6, *done(B, 1)]


def test_without_a_deal_nothing_is_defined(tmp_path: Path) -> None:
    found = measured(tmp_path, [lists(S)]).health
    assert {name: row.value for name, row in found.items()} == {
        "ticks_to_completion": None,
        "blocked_per_deal": None,
        "buyer_surplus_usd": None,
        "messages_per_deal": None,
    }
    assert all(row.reason for row in found.values())


@pytest.mark.parametrize(
    ("what", "steps", "changes", "surplus"),
    [
        ("under the ceiling", bought(9_000), {}, 10.0),
        ("above it", bought(10_500), {}, -5.0),
        ("of another category than the goal's", bought(), {"wanted": "Violins"}, None),
        ("promised and not bought", bought()[:3], {}, None),
        ("by a buyer who is not tested", bought(), {"tested": (S,)}, None),
    ],
)
def test_buyer_surplus(
    tmp_path: Path,
    what: str,
    steps: list[Scene],
    changes: dict[str, Any],
    surplus: float | None,
) -> None:
    assert measured(tmp_path, steps, **changes).health["buyer_surplus_usd"].value == surplus, what


def test_the_time_runs_from_the_commitment_to_the_completion(tmp_path: Path) -> None:
    found = measured(tmp_path, bought())
    [deal] = found.deals
    assert (deal.committed_tick, deal.end_tick) == (1, 6)
    assert found.health["ticks_to_completion"].value == 5
    assert found.health["ticks_to_completion"].n_ids == (deal.thread,)


def test_a_deal_that_was_going_on_at_the_start_has_no_time(tmp_path: Path) -> None:
    found = measured(tmp_path, bought(), start=2)
    assert [deal.ongoing for deal in found.deals] == [True]
    assert found.health["ticks_to_completion"].value is None
    assert found.health["buyer_surplus_usd"].value is None


def test_refused_calls_of_tested_agents_count_and_no_others(tmp_path: Path) -> None:
    refused: list[Scene] = [accepts(S, 1), offers(S, 1), offers(C, 1, 1), accepts(C, 1)]
    found = measured(tmp_path, [*bought()[:3], *refused])
    blocked = {agent.agent: agent.blocked for agent in found.agents}
    assert blocked[S] == 2
    assert found.health["blocked_per_deal"].n == sum(blocked.values())
    assert found.health["blocked_per_deal"].value == sum(blocked.values()) / len(found.deals)


def test_messages_after_the_commitment(tmp_path: Path) -> None:
    talk = [writes(B, listing=1), 1, writes(B, thread=1), writes(S, thread=1)]
    found = measured(tmp_path, [lists(S), talk[0], offers(B, 1), accepts(S, 1), *talk[1:]])
    assert found.health["messages_per_deal"].value == found.deals[0].messages


def test_report_and_findings_say_the_same_of_a_run(tmp_path: Path) -> None:
    steps = [*bought(9_100), accepts(S, 1)]
    found = measured(tmp_path, steps)
    run = trade_of(read_findings(found.model_dump_json().encode(), "here"))
    shown = health_of([run])
    assert {name: getattr(shown, name) for name in found.health} == {
        name: row.value for name, row in found.health.items()
    }
    assert shown.buyer_surplus_usd == 9
