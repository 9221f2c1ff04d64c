"""Small markets for tests, and a way to play a story in them.

A story is a list of steps. ``(agent, action, arguments)`` is a call; a bare number ends ticks until
the market stands at that tick::

    market = small_market([Goods(S, "Road bike", "sports")])
    events = play(market, [(S, "create_listing", bike()), 2, (B, "pin", {"listing_id": 1})])

Ids count from 1 in the order in which things are made. The usual people are S (seller, agent 1), B
and C (buyers, agents 2 and 3); homes lie 1,000 metres apart on a line.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from bazaarbench.market.calls import ToolCall
from bazaarbench.market.checks import BUILT_IN_CHECKS, Check
from bazaarbench.market.dynamics import end_of_tick
from bazaarbench.market.entities import Agent, Event, Holding, Listing, Unit
from bazaarbench.market.platform import Platform
from bazaarbench.market.record import Record
from bazaarbench.market.rules import PRESETS, Rules
from bazaarbench.market.state import Market

S, B, C = 1, 2, 3

Step = int | tuple[int, str, dict[str, Any]]


@dataclass(frozen=True)
class Goods:
    """A unit that an agent has from the beginning."""

    owner: int
    title: str
    category: str = "electronics"
    quality: int | None = 72
    condition: str = "good"
    asking: int = 10_000
    cost: int | None = 4_000


def small_market(
    goods: Iterable[Goods] = (),
    *,
    rules: Rules | str = "paper",
    agents: int = 3,
    seed: int = 0,
    privacy_permille: int = 500,
) -> Market:
    """A market at tick 1 with some agents, who all act at every tick, and their units."""
    market = Market(seed=seed, rules=PRESETS[rules] if isinstance(rules, str) else rules)
    goods = list(goods)
    for agent_id in range(1, agents + 1):
        market.add(_agent(agent_id, privacy_permille))
    for item in goods:
        _give(market, item)
    for agent_id in range(1, agents + 1):
        held = [market.units[unit_id] for unit_id in sorted(market.units_of.get(agent_id, ()))]
        facts = [
            {
                "unit_id": unit.unit_id,
                "title": unit.title,
                "category": unit.category,
                "condition": unit.condition,
                "quality_pct": unit.quality_pct,
                "cost_cents": unit.entry_cost_cents,
                "asking_cents": unit.asking_cents,
            }
            for unit in held
        ]
        payload = {"agent_id": agent_id, "user_name": f"user{agent_id}"}
        market.log("platform_register_agent", payload, private={"units": facts})
    market.tick = 1
    return market


def _agent(agent_id: int, privacy_permille: int) -> Agent:
    return Agent(
        agent_id=agent_id,
        user_name=f"user{agent_id}",
        display_name=f"User {agent_id}",
        status="active",
        zip=f"9000{agent_id % 10}",
        x_m=1_000 * agent_id,
        y_m=0,
        street=f"{100 + agent_id} Example Street",
        device="Phone 9",
        activity_permille=1_000,
        privacy_permille=privacy_permille,
        tier="casual",
        joined_tick=-100,
        persona="{}",
    )


def _give(market: Market, item: Goods) -> None:
    unit = Unit(
        unit_id=market.new_id(Unit),
        owner_id=None,
        title=item.title,
        category=item.category,
        description="",
        condition=item.condition,
        quality_pct=item.quality,
        origin="initial",
        entered_tick=0,
        asking_cents=item.asking,
        entry_cost_cents=item.cost,
        transfers=0,
    )
    market.add(unit)
    holding = Holding(
        holding_id=market.new_id(Holding),
        unit_id=unit.unit_id,
        agent_id=item.owner,
        how="initial",
        from_tick=0,
        from_event=0,
        cost_cents=item.cost,
        thread_id=None,
    )
    market.open_holding(unit, holding)


def seed_listing(market: Market, unit_id: int, *, price: int = 10_000) -> Listing:
    """An initial listing of a unit by the agent who holds it: no band, shows 70 percent."""
    unit = market.units[unit_id]
    assert unit.owner_id is not None
    owner = market.agents[unit.owner_id]
    listing = Listing(
        listing_id=market.new_id(Listing),
        owner_id=owner.agent_id,
        category=unit.category,
        title=unit.title,
        description=unit.description,
        price_cents=price,
        condition=unit.condition,
        band=None,
        zip=owner.zip,
        x_m=owner.x_m,
        y_m=owner.y_m,
        origin="initial",
        status="active",
        created_tick=0,
        created_event=market.next_event_id,
        bumped_tick=None,
        sold_tick=None,
        view_count=0,
        inquiry_count=0,
        version=1,
        unit_id=unit_id,
        match_ppm=1_000_000,
        match_confidence="exact",
        speculative=0,
        shown_quality_pct=70,
        cost_cents=unit.entry_cost_cents,
        reference_cents=unit.asking_cents,
    )
    market.add(listing)
    payload = {"listing_id": listing.listing_id, "owner_agent_id": owner.agent_id}
    market.log(
        "platform_seed_listing",
        payload,
        listing_id=listing.listing_id,
        private={"unit_id": unit_id},
    )
    return listing


def call(action: str, arguments: dict[str, Any] | None = None) -> ToolCall:
    """A call with well-formed arguments."""
    return ToolCall(action, {} if arguments is None else arguments)


def end_tick(market: Market, record: Record | None = None) -> None:
    """Run the dynamics of a tick and go on to the next, through a record if there is one."""
    end_of_tick(market, {})
    if record is not None:
        record.commit(market)
        return
    market.clean_tick()
    market.tick += 1


def play(
    market: Market,
    story: Sequence[Step],
    *,
    checks: Sequence[Check] = BUILT_IN_CHECKS,
    record: Record | None = None,
) -> list[Event]:
    """Play a story; returns the event of every call, in order."""
    platform = Platform(market, checks)
    events = []
    for step in story:
        if isinstance(step, int):
            while market.tick < step:
                end_tick(market, record)
        else:
            agent_id, action, arguments = step
            events.append(platform.perform(agent_id, None, call(action, arguments)))
    return events
