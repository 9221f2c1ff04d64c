"""Worlds: what a market is founded from, and the market at tick 0 (SPEC §3.3, §3.5)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from bazaarbench.catalogue import Catalogue, load_shipped
from bazaarbench.errors import SettingError
from bazaarbench.market.entities import Agent, Event, Holding, Listing, Memory, Rating, Unit
from bazaarbench.market.feed import refresh
from bazaarbench.market.inventory import UNSTATED_QUALITY_PCT
from bazaarbench.market.rules import Rules
from bazaarbench.market.state import Market
from bazaarbench.market.titles import SAME_PPM
from bazaarbench.personas import AgentPlan, PopulationSpec, Quality, UnitPlan, make_population
from bazaarbench.personas.rewriting import with_texts
from bazaarbench.personas.text_files import TextsFile

SHIPPED_CATALOGUE = "shipped"
#: The world whose values hold where no other is named.
DEFAULT_WORLD = "demo"
_MOST_UNITS = 12
_UNITS = re.compile(r"(\d{1,3})(?:\s*-\s*(\d{1,3}))?")


class WorldSpec(BaseModel):
    """What a base market grows from; equal specs give equal markets on every machine.

    ``units`` are the least and the most units of an agent, ``days`` how long the market is grown by
    the scripted ``policy`` under the preset ``rules``. ``quality`` is ``good`` (all starting units
    at 60–81 percent, as in the paper) or ``spread`` (over five conditions). ``catalogue`` is a
    registered name, ``NAME:FILE`` for one that is read from a file (``promptcloud:ebay.csv``), or
    the path of a catalogue's file, opened by ``catalogue.open_catalogue``. Specs with a file are
    equal only with the same file. ``personas`` names texts that a model has written for exactly
    this world; without it the templates write them.
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
    personas: TextsFile | None = None

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


def changed_world(name: str, changes: Mapping[str, Any]) -> WorldSpec:
    """A shipped world with other values.

    Args:
        name: of the shipped world.
        changes: values by the field of ``WorldSpec``; ``units`` may be a text such as "3-6".

    Raises:
        SettingError: there is no such world, or a value is not allowed.
    """
    if name not in SHIPPED:
        raise SettingError(
            f"world: no world is called {name!r:.100}; there are {', '.join(SHIPPED)}."
        )
    values = {**SHIPPED[name].model_dump(), **changes}
    values["units"] = units_of(values["units"])
    try:
        return WorldSpec.model_validate(values)
    except ValidationError as error:
        raise SettingError(" ".join(map(_sentence, error.errors(include_url=False)))) from error


def units_of(value: Any) -> Any:
    """``3-6`` and ``4`` as the least and the most; anything else as it is, to be refused."""
    if isinstance(value, int) and not isinstance(value, bool):
        return (value, value)
    if isinstance(value, str) and (found := _UNITS.fullmatch(value.strip())):
        return (int(found[1]), int(found[2] or found[1]))
    return value


def _sentence(fault: Any) -> str:
    where = str(fault["loc"][0]) if fault["loc"] else "units"
    if fault["type"] == "value_error":
        return str(fault["ctx"]["error"]) + "."
    if where == "units":
        return f"units: give the least and the most, such as 3-6; given: {fault['input']!r:.80}."
    return f"{where}: {fault['msg'][:1].lower()}{fault['msg'][1:]}; given: {fault['input']!r:.80}."


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
        PersonaTextsError: the written texts are missing, changed, or those of another world.
    """
    if catalogue is None:
        if spec.catalogue != SHIPPED_CATALOGUE:
            raise SettingError(
                f"The world {spec.name!r} needs the catalogue {spec.catalogue!r}, which was not "
                f"given. Pass it, or set the world's catalogue to {SHIPPED_CATALOGUE!r}."
            )
        catalogue = load_shipped()
    plans = make_population(catalogue, population_of(spec))
    if spec.personas is not None:
        plans = with_texts(plans, spec.personas.read(), catalogue)
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


def population_of(spec: WorldSpec) -> PopulationSpec:
    """What the facts of a world's agents depend on, besides its catalogue."""
    return PopulationSpec(
        seed=spec.seed, agents=spec.agents, units=spec.units, quality=spec.quality
    )


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
        market.add(first_holding(unit, market.new_id(Holding), event.event_id))
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


def _list_first(market: Market, plan: AgentPlan, unit: Unit) -> None:
    """Put the agent's first unit up for sale."""
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
    market.add(seeded_listing(event, unit, agent))


def seeded_listing(event: Event, unit: Unit, agent: Agent) -> Listing:
    """The listing of tick 0 that a ``platform_seed_listing`` event stands for.

    No band is claimed, and an inspection shows 70 percent.

    Args:
        event: the event.
        unit: the unit that it lists, as it was at tick 0.
        agent: its owner.
    """
    public = event.payload
    return Listing(
        listing_id=public["listing_id"],
        owner_id=agent.agent_id,
        category=public["category"],
        title=public["title"],
        description=public["description"],
        price_cents=public["price_cents"],
        condition=public["condition"],
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


def first_holding(unit: Unit, holding_id: int, event_id: int) -> Holding:
    """The holding of tick 0 of a unit, begun by its owner's registration ``event_id``."""
    if unit.owner_id is None:
        raise ValueError(f"unit {unit.unit_id} has no owner")
    return Holding(
        holding_id=holding_id,
        unit_id=unit.unit_id,
        agent_id=unit.owner_id,
        how="initial",
        from_tick=0,
        from_event=event_id,
        cost_cents=unit.entry_cost_cents,
        thread_id=None,
    )
