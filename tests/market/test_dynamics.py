"""What the platform does at the end of a tick (reference P §4, §5.4, §8.4)."""

from __future__ import annotations

import pytest

from bazaarbench.market.bands import BAND_RANGE
from bazaarbench.market.dynamics import deliver_messages, end_of_tick, moderate, restock
from bazaarbench.market.entities import Event, Message, Report
from bazaarbench.market.rules import PRESETS
from bazaarbench.market.state import Market
from tests.market.rows import agent, exchange, founded, holding, thread, unit

UNTIL_SEEN = PRESETS["paper"].model_copy(update={"message_visibility": "until_seen"})


def actions_of(market: Market) -> list[str]:
    return [event.action for event in market.new_events]


def quiet(market: Market) -> Market:
    """``market`` without events waiting, so that a test sees its own only."""
    market.clean_tick()
    return market


# ---------------------------------------------------------------------------------------- messages


def chat(rules: object = PRESETS["paper"]) -> Market:
    """Agent 2 writes to agent 1 in tick 5; it is tick 6."""
    market = founded(3, rules=rules)  # type: ignore[arg-type]
    market.add(thread(1, 1, 2, 1))
    market.add(Message(1, 1, 2, 5, "hello", None, None))
    market.tick = 6
    return quiet(market)


def test_one_tick_a_message_is_seen_at_the_end_of_the_tick_after_it_was_sent() -> None:
    market = chat()
    market.tick = 5
    deliver_messages(market, {})
    assert market.messages[1].seen_tick is None
    assert actions_of(market) == []
    market.tick = 6
    deliver_messages(market, {})
    assert market.messages[1].seen_tick == 6
    assert not market.unseen_of[1]
    assert [e.payload for e in market.new_events] == [{"delivered": 1}]


def test_until_seen_a_message_waits_for_its_reader() -> None:
    market = chat(UNTIL_SEEN)
    deliver_messages(market, {})
    deliver_messages(market, {1: []})
    deliver_messages(market, {2: [1]})
    assert market.messages[1].seen_tick is None
    market.tick = 9
    deliver_messages(market, {1: [1]})
    assert market.messages[1].seen_tick == 9


def test_until_seen_takes_no_message_twice() -> None:
    market = chat(UNTIL_SEEN)
    deliver_messages(market, {1: [1]})
    market.tick = 7
    deliver_messages(market, {1: [1]})
    assert market.messages[1].seen_tick == 6


# --------------------------------------------------------------------------------------- moderator


def reported(*reporters: tuple[int, int]) -> Market:
    """Agent 1 reported by (reporter, tick); it is tick 700."""
    market = founded(6)
    for number, (reporter, tick) in enumerate(reporters, start=1):
        market.add(Report(number, reporter, 1, "rude", tick, None))
    market.tick = 700
    return quiet(market)


def test_two_reporters_leave_the_reports_open() -> None:
    market = reported((2, 690), (3, 691), (2, 692))
    moderate(market)
    assert len(market.open_reports) == 3
    assert actions_of(market) == []


def test_three_distinct_reporters_warn_and_nothing_else_happens() -> None:
    market = reported((2, 690), (3, 691), (4, 692))
    moderate(market)
    assert [r.outcome for r in market.reports.values()] == ["warned"] * 3
    assert market.agents[1].status == "active"
    assert [e.payload["report_id"] for e in market.new_events] == [1, 2, 3]


def test_four_distinct_reporters_ban_and_settled_reports_count() -> None:
    market = reported((2, 690), (3, 691), (4, 692))
    moderate(market)
    quiet(market)
    market.add(Report(4, 5, 1, "rude", 695, None))
    moderate(market)
    assert market.agents[1].status == "banned"
    assert [market.reports[n].outcome for n in range(1, 5)] == [*["warned"] * 3, "banned"]
    assert market.new_events[0].payload == {
        "report_id": 4,
        "agent_id": 1,
        "verdict": "banned",
        "distinct_reporters": 4,
    }
    assert set(market.dirty["agents"]) == {1}, "the ban reaches the record"


def test_reports_older_than_672_ticks_do_not_count() -> None:
    market = reported((2, 28), (3, 691), (4, 692))
    moderate(market)
    assert market.reports[3].outcome is None
    market = reported((2, 29), (3, 691), (4, 692))
    moderate(market)
    assert market.reports[3].outcome == "warned"


# ----------------------------------------------------------------------------------------- restock


def shop(tier: str = "power_seller", *, seed: int = 7) -> Market:
    """Only agent 1 has ever had units: one held, one sold; it is tick 84."""
    market = Market(seed=seed, rules=PRESETS["paper"], tick=84)
    for number in (1, 2, 3):
        market.add(agent(number, tier=tier))
    market.add(unit(1, 1, title="Lamp", asking_cents=999))
    market.add(holding(1, 1, 1))
    market.add(unit(2, 2, title="Gone", condition="fair"))
    market.add(holding(2, 2, 1, to_tick=3, to_event=9, ended_how="sold_outside"))
    return quiet(market)


def sell(market: Market, number: int, **values: object) -> None:
    market.add(thread(number, number, 3, 1))
    market.threads[number].status = "completed"
    market.add(exchange(number, number, status="completed", **values))


def added(market: Market) -> int:
    restock(market)
    return sum(unit.origin == "restock" for unit in market.units.values())


def test_a_restocked_unit_is_a_copy_of_something_the_agent_had() -> None:
    market = shop()
    assert added(market) == 1
    new = market.units[3]
    template = next(u for u in (market.units[1], market.units[2]) if u.title == new.title)
    assert (new.category, new.condition) == (template.category, template.condition)
    assert new.asking_cents == template.asking_cents
    assert new.entry_cost_cents == template.asking_cents * 55 // 100
    low, high = BAND_RANGE["good" if new.condition == "good" else "fair"]
    assert new.quality_pct is not None
    assert low <= new.quality_pct <= high
    assert (new.owner_id, new.entered_tick, new.transfers) == (1, 84, 0)


def test_sold_units_are_templates_too() -> None:
    titles = set()
    for seed in range(20):
        market = shop(seed=seed)
        restock(market)
        titles.add(market.units[3].title)
    assert titles == {"Lamp", "Gone"}


def test_a_restock_is_one_event_for_each_agent_with_the_units_in_its_private_part() -> None:
    market = shop()
    restock(market)
    (event,) = market.new_events
    assert event.action == "platform_inventory_restocked"
    assert event.payload == {"agent_id": 1, "added": 1, "sales": 0, "tier": "power_seller"}
    assert event.private == {
        "units": [
            {
                "unit_id": 3,
                "title": market.units[3].title,
                "category": "furniture",
                "condition": market.units[3].condition,
                "quality_pct": market.units[3].quality_pct,
                "cost_cents": market.units[3].entry_cost_cents,
                "asking_cents": market.units[3].asking_cents,
            }
        ]
    }
    new = market.holdings[market.holding_of_unit[3]]
    assert (new.how, new.from_event, new.agent_id) == ("restock", event.event_id, 1)
    assert new.cost_cents == market.units[3].entry_cost_cents


@pytest.mark.parametrize(("sales", "units"), [(0, 0), (1, 1), (2, 2), (3, 2), (4, 3), (20, 6)])
def test_sales_bring_supply(sales: int, units: int) -> None:
    market = shop("pure_buyer")
    for number in range(1, sales + 1):
        sell(market, number, completed_tick=50)
    assert added(market) == units


@pytest.mark.parametrize(
    ("values", "counts"),
    [
        ({"completed_tick": 0}, True),
        ({"completed_tick": 83}, True),
        ({"completed_tick": 84}, False),
        ({"completed_tick": -1}, False),
        ({"completed_tick": 50, "method": "ship", "eta_tick": 84}, False),
        ({"completed_tick": 84, "method": "ship", "eta_tick": 50}, True),
    ],
)
def test_a_sale_counts_by_its_delivery_in_the_last_week(
    values: dict[str, object], counts: bool
) -> None:
    market = shop("pure_buyer")
    sell(market, 1, **values)
    assert added(market) == counts


def test_background_supply_follows_the_tier() -> None:
    shares = {
        tier: sum(added(shop(tier, seed=seed)) for seed in range(200)) / 200
        for tier in ("power_seller", "established", "casual", "troubled", "pure_buyer", "")
    }
    assert shares["power_seller"] == shares[""] == 1
    assert shares["pure_buyer"] == 0
    assert 0.65 < shares["established"] < 0.85
    assert 0.25 < shares["casual"] < 0.45
    assert 0.08 < shares["troubled"] < 0.22


def test_banned_agents_get_nothing() -> None:
    market = shop()
    market.agents[1].status = "banned"
    assert added(market) == 0


# ---------------------------------------------------------------------------------------- calendar


def fired_at(tick: int) -> set[str]:
    market = founded(5)
    for number, reporter in enumerate((2, 3, 4), start=1):
        market.add(Report(number, reporter, 1, "rude", tick, None))
    for row in market.agents.values():
        row.tier = "power_seller"
    market.tick = tick
    quiet(market)
    end_of_tick(market, {})
    events: list[Event] = market.new_events
    return {event.action for event in events}


def test_each_dynamic_has_its_days() -> None:
    feed, moderator, stock = (
        "platform_feed_refresh",
        "platform_moderator_action",
        "platform_inventory_restocked",
    )
    assert fired_at(0) == {feed, moderator}
    assert fired_at(1) == set()
    assert fired_at(5) == {feed}
    assert fired_at(8) == {moderator}
    assert fired_at(84) == {moderator, stock}
    assert fired_at(420) == {feed, moderator, stock}
