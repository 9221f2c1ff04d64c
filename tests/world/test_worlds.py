"""A market at tick 0 (SPEC §3.3, §3.5)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from bazaarbench.catalogue import Catalogue, load_shipped
from bazaarbench.errors import SettingError
from bazaarbench.market.inventory import interchangeable, match_listing
from bazaarbench.market.load import load, same_state
from bazaarbench.market.meta import RecordInfo
from bazaarbench.market.record import Record, read_only
from bazaarbench.market.rules import PRESETS
from bazaarbench.market.state import Market
from bazaarbench.personas import Persona, Quality
from bazaarbench.worlds import SHIPPED, WorldSpec, changed_world, found_market

ROOT = Path(__file__).parents[2]
BASE = PRESETS["paper-base"]


@pytest.fixture(scope="module")
def market() -> Market:
    return found_market(SHIPPED["demo"], BASE)


def test_a_market_is_founded_at_tick_0_and_ready_for_tick_1(market: Market) -> None:
    assert market.tick == 1
    assert {event.tick for event in market.new_events} == {0}
    assert {event.agent_id for event in market.new_events} == {None}
    assert [event.event_id for event in market.new_events] == list(
        range(1, len(market.new_events) + 1)
    )
    assert market.next_event_id == len(market.new_events) + 1
    assert list(market.agents) == list(range(1, 101))


def test_every_unit_is_held_by_its_owner_since_its_registration(market: Market) -> None:
    events = {event.event_id: event for event in market.new_events}
    assert len(market.holdings) == len(market.units)
    for holding in market.holdings.values():
        unit = market.units[holding.unit_id]
        event = events[holding.from_event]
        assert (holding.how, holding.from_tick, holding.to_event) == ("initial", 0, None)
        assert unit.owner_id == holding.agent_id == event.payload["agent_id"]
        assert unit.unit_id in market.units_of[holding.agent_id]
        assert holding.cost_cents == unit.entry_cost_cents
        assert (unit.origin, unit.transfers, unit.entered_tick) == ("initial", 0, 0)
        assert {
            "unit_id": unit.unit_id,
            "title": unit.title,
            "category": unit.category,
            "condition": unit.condition,
            "quality_pct": unit.quality_pct,
            "cost_cents": unit.entry_cost_cents,
            "asking_cents": unit.asking_cents,
        } in event.private["units"]


def test_nothing_private_is_in_the_public_part_of_a_registration(market: Market) -> None:
    public = {"agent_id", "user_name", "display_name", "zip", "joined_tick", "ratings"}
    registered = [e for e in market.new_events if e.action == "platform_register_agent"]
    assert [event.payload["agent_id"] for event in registered] == list(market.agents)
    for event in registered:
        assert event.payload.keys() == public
        json.dumps([event.payload, event.private])


def test_every_agent_starts_with_one_listing_of_a_unit_of_its_own(market: Market) -> None:
    events = {event.event_id: event for event in market.new_events}
    assert sorted(listing.owner_id or 0 for listing in market.listings.values()) == list(
        market.agents
    )
    for listing in market.active_listings.values():
        unit = market.units[listing.unit_id or 0]
        event = events[listing.created_event]
        assert (event.action, event.listing_id) == ("platform_seed_listing", listing.listing_id)
        assert event.private == {"unit_id": unit.unit_id}
        assert unit.owner_id == listing.owner_id
        assert (listing.title, listing.category) == (unit.title, unit.category)
        assert listing.price_cents == unit.asking_cents
        assert (listing.origin, listing.band, listing.shown_quality_pct) == ("initial", None, 70)
        assert (listing.match_ppm, listing.match_confidence) == (1_000_000, "exact")
        home = market.agents[listing.owner_id or 0]
        assert (listing.x_m, listing.y_m, listing.zip) == (home.x_m, home.y_m, home.zip)


def test_binding_by_title_finds_an_own_unit_of_the_same_kind(market: Market) -> None:
    """What the platform would bind an honest listing to is the unit or its exact twin."""
    for unit in market.units.values():
        owner_id = unit.owner_id or 0
        match = match_listing(market, owner_id, unit.title, unit.category)
        assert match.ppm == 1_000_000
        assert interchangeable(market.units[match.unit_id or 0], unit)


def test_ratings_from_before_count_in_reputation(market: Market) -> None:
    assert market.ratings
    ticks = [rating.tick for rating in market.ratings.values()]
    assert ticks == sorted(ticks)
    assert max(ticks) < 0
    stars: dict[int, int] = {}
    for event in market.new_events:
        for rating in event.payload.get("ratings", ()):
            stored = market.ratings[rating["rating_id"]]
            assert (stored.ratee_id, stored.stars) == (event.payload["agent_id"], rating["stars"])
            assert (stored.origin, stored.thread_id) == ("history", None)
            stars[stored.ratee_id] = stars.get(stored.ratee_id, 0) + stored.stars
    assert {a: r.stars for a, r in market.reputation.items() if r.count} == stars


def test_agents_have_memories_a_persona_and_a_feed_without_their_own_listing(
    market: Market,
) -> None:
    for agent_id, agent in market.agents.items():
        assert 5 <= len(market.memories_of[agent_id]) <= 9
        assert Persona.model_validate_json(agent.persona).agent_id == agent_id
        shown = json.loads(market.feeds[agent_id].listing_ids)
        assert len(shown) == 10
        assert agent_id not in {market.listings[number].owner_id for number in shown}


def test_a_founded_market_is_the_same_read_back_from_its_record(tmp_path: Path) -> None:
    founded = found_market(WorldSpec(name="x", seed=3, agents=12), BASE)
    info = RecordInfo(market_name="x", seed=3, rules=BASE, start_tick=0, end_tick=360)
    record = Record.create(tmp_path / "x.db", founded, info)
    try:
        assert same_state(load(record.connection), founded)
        assert record.last_tick == 0
    finally:
        record.close()
    founded.agents[1].zip = "00000"
    assert not same_state(load(read_only(tmp_path / "x.db")), founded)


@given(
    seed=st.integers(0, (1 << 31) - 1),
    agents=st.integers(2, 40),
    units=st.tuples(st.integers(1, 12), st.integers(1, 12)).map(sorted).map(tuple),
    quality=st.sampled_from(["good", "spread"]),
    half=st.booleans(),
)
@settings(max_examples=60)
def test_in_every_world_goals_are_wanted_and_limits_lie_in_their_ranges(
    seed: int, agents: int, units: tuple[int, int], quality: Quality, half: bool
) -> None:
    spec = WorldSpec(
        name="x", seed=seed, agents=agents, units=units, quality=quality, catalogue="any"
    )
    items = load_shipped().items
    catalogue = Catalogue.of(items[: len(items) // 2]) if half else load_shipped()
    market = found_market(spec, BASE, catalogue)
    prices = {item.title: item.price_cents for item in catalogue.items}
    for agent_id, agent in market.agents.items():
        persona = Persona.model_validate_json(agent.persona)
        own = [market.units[unit_id] for unit_id in market.units_of[agent_id]]
        assert units[0] <= len(own) <= units[1]
        buyer, seller = persona.buyer, persona.seller
        assert prices[buyer.title] == buyer.goal_price_cents
        assert buyer.title not in {unit.title for unit in own}
        assert 580 * buyer.goal_price_cents // 1000 <= buyer.ceiling_cents
        assert buyer.ceiling_cents <= 880 * buyer.goal_price_cents // 1000
        assert 860 <= seller.floor_permille <= 970
        for unit in own:
            assert unit.asking_cents == prices[unit.title]
            assert unit.entry_cost_cents is not None
            # From 0.35 to 0.72 of the asking price, in whole cents, and never nothing.
            assert unit.entry_cost_cents <= max(1, 720 * unit.asking_cents // 1000)
            assert unit.entry_cost_cents >= 350 * unit.asking_cents // 1000
            assert unit.quality_pct is not None
            if quality == "good":
                assert 60 <= unit.quality_pct <= 81


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"units": "3-8"}, {"units": (3, 8)}),
        ({"units": " 4 - 6 "}, {"units": (4, 6)}),
        ({"units": "5"}, {"units": (5, 5)}),
        ({"units": 5}, {"units": (5, 5)}),
        ({"units": [2, 3]}, {"units": (2, 3)}),
        ({"name": "mine", "agents": 7, "seed": 3}, {"name": "mine", "agents": 7, "seed": 3}),
    ],
)
def test_a_shipped_world_can_be_changed(
    changes: dict[str, object], expected: dict[str, object]
) -> None:
    assert changed_world("demo", changes) == SHIPPED["demo"].model_copy(update=expected)


@pytest.mark.parametrize(
    ("name", "changes", "says"),
    [
        ("nowhere", {}, "no world is called 'nowhere'; there are demo"),
        ("demo", {"units": "8-3"}, "units 8-3: the least must be"),
        ("demo", {"units": "3-13"}, "no more than 12"),
        ("demo", {"units": "three"}, "units: .*'three'"),
        ("demo", {"units": True}, "units: "),
        ("demo", {"agents": "many"}, "agents: .*given: 'many'"),
        ("demo", {"days": 0}, "days: "),
        ("demo", {"colour": 1}, "colour: "),
    ],
)
def test_a_change_that_is_not_allowed_is_refused_with_what_is(
    name: str, changes: dict[str, object], says: str
) -> None:
    with pytest.raises(SettingError, match=says):
        changed_world(name, changes)


def test_the_shipped_worlds_are_demo_and_three_of_the_study_s_shape() -> None:
    assert list(SHIPPED) == ["demo", "study-a", "study-b", "study-c"]
    assert [spec.units for spec in SHIPPED.values()] == [(3, 6), (3, 6), (3, 8), (3, 8)]
    assert {(s.agents, s.days, s.rules) for s in SHIPPED.values()} == {(100, 30, "paper-base")}
    assert len({spec.seed for spec in SHIPPED.values()}) == 4
    for name, spec in SHIPPED.items():
        assert spec.name == name
        assert WorldSpec.model_validate(spec.model_dump(mode="json")) == spec


@pytest.mark.parametrize(
    "wrong",
    [
        {"units": (0, 3)},
        {"units": (6, 3)},
        {"units": (3, 13)},
        {"agents": 1},
        {"agents": True},
        {"seed": -1},
        {"days": 0},
        {"quality": "mint"},
        {"name": ""},
        {"unit": (3, 6)},
    ],
)
def test_a_wrong_world_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        WorldSpec.model_validate({"name": "x", "seed": 0} | wrong)


def test_a_world_with_another_catalogue_needs_it_given() -> None:
    spec = WorldSpec(name="mine", seed=0, agents=5, catalogue="ebay")
    with pytest.raises(SettingError, match=r"'mine'.*'ebay'"):
        found_market(spec, BASE)
    shipped = load_shipped()
    given = found_market(spec, BASE, Catalogue.of(shipped.items[: len(shipped.items) // 2]))
    assert len(given.agents) == 5
    assert rows(given) != rows(found_market(WorldSpec(name="mine", seed=0, agents=5), BASE))


def rows(market: Market) -> list[object]:
    return [market.new_events, *market.dirty.values()]


SCRIPT = """
from hashlib import sha256
from bazaarbench.market.rules import PRESETS
from bazaarbench.worlds import WorldSpec, found_market
market = found_market(WorldSpec(name="x", seed=9, agents=40, quality="spread"), PRESETS["paper"])
print(sha256(repr([market.new_events, dict(market.dirty)]).encode()).hexdigest())
"""


def test_the_same_world_has_the_same_rows_whatever_the_hash_seed() -> None:
    digests = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1")
    }
    assert len(digests) == 1


def test_founding_takes_time_in_proportion_to_the_agents() -> None:
    """Around 1 ms an agent; the bounds leave room for a busy machine, not for quadratic work."""

    def seconds(agents: int) -> float:
        start = time.process_time()
        found_market(WorldSpec(name="x", seed=0, agents=agents), BASE)
        return time.process_time() - start

    seconds(10)
    small, large = seconds(150), seconds(1_500)
    assert large / 1_500 < 0.004
    assert large < 25 * small
