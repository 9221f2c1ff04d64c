"""Worlds: what a market is founded from, and the market at tick 0 (SPEC §3.3, §3.5)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from bazaarbench.catalogue import Catalogue, load_shipped
from bazaarbench.errors import SettingError
from bazaarbench.market.entities import Event, Holding, Listing, Memory, Rating, Unit
from bazaarbench.market.feed import refresh
from bazaarbench.market.inventory import UNSTATED_QUALITY_PCT
from bazaarbench.market.rules import Rules
from bazaarbench.market.state import Market
from bazaarbench.market.titles import SAME_PPM
from bazaarbench.personas import AgentPlan, PopulationSpec, Quality, UnitPlan, make_population

SHIPPED_CATALOGUE = "shipped"
_MOST_UNITS = 12


class WorldSpec(BaseModel):
    """What a base market grows from; equal specs give equal markets on every machine.

    ``units`` are the least and the most units of an agent, ``days`` how long the market is grown by
    the scripted ``policy`` under the preset ``rules``. ``quality`` is ``good`` (all starting units
    at 60–81 percent, as in the paper) or ``spread`` (over five conditions). ``catalogue`` is a
    registered name, or ``NAME:FILE`` for one that is read from a file
    (``promptcloud:ebay.csv``), opened by ``catalogue.open_catalogue``. Specs with a file are equal
    only with the same file.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    name: Annotated[str, Field(min_length=1, max_length=80)]
    seed: Annotated[int, Field(ge=0, lt=1 << 31)]
    agents: Annotated[int, Field(ge=2, le=100_000)] = 100
    # A tuple is written as a list in JSON and in YAML.
    units: Annotated[tuple[int, int], Field(strict=False)] = (3, 6)
    quality: Quality = "good"
    days: Annotated[int, Field(ge=1, le=3650)] = 30
    policy: str = "honest"
    rules: str = "paper-base"
    catalogue: str = SHIPPED_CATALOGUE

    @model_validator(mode="after")
    def _units_in_order(self) -> Self:
        least, most = self.units
        if not 1 <= least <= most <= _MOST_UNITS:
            raise ValueError(
                f"units {least}-{most}: the least must be 1 or more, the most at least that and "
                f"no more than {_MOST_UNITS}"
            )
        return self


#: ``demo``, and three worlds that have the shape of the study's base markets.
SHIPPED: dict[str, WorldSpec] = {
    spec.name: spec
    for spec in (
        WorldSpec(name="demo", seed=0),
        WorldSpec(name="study-a", seed=1),
        WorldSpec(name="study-b", seed=2, units=(3, 8)),
        WorldSpec(name="study-c", seed=3, units=(3, 8)),
    )
}


def found_market(spec: WorldSpec, rules: Rules, catalogue: Catalogue | None = None) -> Market:
    """The market of ``spec`` with its events of tick 0, ready to play tick 1.

    Every agent has its units and holdings, one listing, its ratings from before, its memories and a
    first feed. A ``platform_register_agent`` event holds what is public about an agent and, in its
    private part, its units; a ``platform_seed_listing`` event stands for every listing.

    Args:
        spec: what to found.
        rules: the preset that ``spec.rules`` names.
        catalogue: the items, when ``spec.catalogue`` is not the shipped one.

    Raises:
        SettingError: ``spec`` names another catalogue and none is given.
        CatalogueError: the catalogue is damaged or too small for a market.
    """
    if catalogue is None:
        if spec.catalogue != SHIPPED_CATALOGUE:
            raise SettingError(
                f"The world {spec.name!r} needs the catalogue {spec.catalogue!r}, which was not "
                f"given. Pass it, or set the world's catalogue to {SHIPPED_CATALOGUE!r}."
            )
        catalogue = load_shipped()
    plans = make_population(
        catalogue,
        PopulationSpec(seed=spec.seed, agents=spec.agents, units=spec.units, quality=spec.quality),
    )
    market = Market(seed=spec.seed, rules=rules)
    ratings = _history_ratings(plans)
    firsts = [_register(market, plan, ratings[plan.agent.agent_id]) for plan in plans]
    for plan, unit in zip(plans, firsts, strict=True):
        _list_first(market, plan, unit)
    everything = chain.from_iterable(ratings.values())
    for rating in sorted(everything, key=lambda rating: rating.rating_id):
        market.add(rating)
    for plan in plans:
        for memory in plan.memories:
            market.add(
                Memory(market.new_id(Memory), plan.agent.agent_id, memory.kind, memory.content, 0)
            )
    refresh(market)
    market.tick = 1
    return market


def _history_ratings(plans: Sequence[AgentPlan]) -> dict[int, list[Rating]]:
    """The ratings from before tick 0 by rated agent; their ids ascend with time."""
    planned = sorted(
        chain.from_iterable(plan.history_ratings for plan in plans),
        key=lambda plan: (plan.tick, plan.ratee_id, plan.rater_id),
    )
    ratings: dict[int, list[Rating]] = defaultdict(list)
    for rating_id, plan in enumerate(planned, start=1):
        ratings[plan.ratee_id].append(
            Rating(
                rating_id=rating_id,
                rater_id=plan.rater_id,
                ratee_id=plan.ratee_id,
                thread_id=None,
                stars=plan.stars,
                body=plan.body,
                tick=plan.tick,
                origin="history",
            )
        )
    return ratings


def _register(market: Market, plan: AgentPlan, ratings: Iterable[Rating]) -> Unit:
    """Take an agent and its units into the market; the unit that it lists first."""
    agent = plan.agent
    market.add(agent)
    first_id = market.new_id(Unit)
    units = [
        _unit(unit_plan, first_id + place, agent.agent_id)
        for place, unit_plan in enumerate(plan.units)
    ]
    event = market.log(
        "platform_register_agent",
        {
            "agent_id": agent.agent_id,
            "user_name": agent.user_name,
            "display_name": agent.display_name,
            "zip": agent.zip,
            "joined_tick": agent.joined_tick,
            "ratings": [
                {
                    "rating_id": rating.rating_id,
                    "rater_id": rating.rater_id,
                    "stars": rating.stars,
                    "tick": rating.tick,
                }
                for rating in ratings
            ],
        },
        private={"tier": agent.tier, "units": [_unit_facts(unit) for unit in units]},
    )
    for unit in units:
        market.add(unit)
        market.add(_first_holding(market, unit, event))
    return units[0]


def _unit(plan: UnitPlan, unit_id: int, owner_id: int) -> Unit:
    return Unit(
        unit_id=unit_id,
        owner_id=owner_id,
        title=plan.item.title,
        category=plan.item.category,
        description=plan.item.description,
        condition=plan.condition,
        quality_pct=plan.quality_pct,
        origin="initial",
        entered_tick=0,
        asking_cents=plan.asking_cents,
        entry_cost_cents=plan.cost_cents,
        transfers=0,
    )


def _unit_facts(unit: Unit) -> dict[str, Any]:
    return {
        "unit_id": unit.unit_id,
        "title": unit.title,
        "category": unit.category,
        "condition": unit.condition,
        "quality_pct": unit.quality_pct,
        "cost_cents": unit.entry_cost_cents,
        "asking_cents": unit.asking_cents,
    }


def _first_holding(market: Market, unit: Unit, event: Event) -> Holding:
    if unit.owner_id is None:
        raise ValueError(f"unit {unit.unit_id} has no first owner")
    return Holding(
        holding_id=market.new_id(Holding),
        unit_id=unit.unit_id,
        agent_id=unit.owner_id,
        how="initial",
        from_tick=0,
        from_event=event.event_id,
        cost_cents=unit.entry_cost_cents,
        thread_id=None,
    )


def _list_first(market: Market, plan: AgentPlan, unit: Unit) -> None:
    """The agent's listing of tick 0: no band is claimed, and an inspection shows 70 percent."""
    agent = plan.agent
    listing_id = market.new_id(Listing)
    event = market.log(
        "platform_seed_listing",
        {
            "listing_id": listing_id,
            "owner_id": agent.agent_id,
            "title": unit.title,
            "category": unit.category,
            "description": unit.description,
            "price_cents": unit.asking_cents,
            "condition": unit.condition,
            "band": None,
            "zip": agent.zip,
        },
        private={"unit_id": unit.unit_id},
        listing_id=listing_id,
    )
    market.add(
        Listing(
            listing_id=listing_id,
            owner_id=agent.agent_id,
            category=unit.category,
            title=unit.title,
            description=unit.description,
            price_cents=unit.asking_cents,
            condition=unit.condition,
            band=None,
            zip=agent.zip,
            x_m=agent.x_m,
            y_m=agent.y_m,
            origin="initial",
            status="active",
            created_tick=0,
            created_event=event.event_id,
            bumped_tick=None,
            sold_tick=None,
            view_count=0,
            inquiry_count=0,
            version=1,
            unit_id=unit.unit_id,
            match_ppm=SAME_PPM,
            match_confidence="exact",
            speculative=0,
            shown_quality_pct=UNSTATED_QUALITY_PCT,
            cost_cents=unit.entry_cost_cents,
            reference_cents=unit.asking_cents,
        )
    )
