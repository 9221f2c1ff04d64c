"""Facts about the agents of a population (SPEC §3.2–3.4, §3.6)."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bazaarbench.catalogue import Catalogue, CatalogueError, Item, load_shipped
from bazaarbench.market.bands import BAND_RANGE, CONDITION_BAND
from bazaarbench.market.clock import TICKS_PER_DAY
from bazaarbench.market.draws import acts
from bazaarbench.personas import AgentPlan, Persona, PopulationSpec, Quality, make_population
from bazaarbench.personas.clusters import LIFETIME_DAYS, Shelves, cluster_key, tier_of
from bazaarbench.personas.goals import near_twins
from bazaarbench.personas.people import AREA_M
from bazaarbench.personas.persona import TIERS


@cache
def population(
    seed: int = 0, agents: int = 100, quality: Quality = "good", most: int = 6
) -> tuple[AgentPlan, ...]:
    spec = PopulationSpec(seed=seed, agents=agents, units=(3, most), quality=quality)
    return tuple(make_population(load_shipped(), spec))


def item(number: int = 1, **values: Any) -> Item:
    plain = Item(
        item_id=number,
        title=f"Thing number {number}",
        brand="Ostenby",
        model=f"Thing {number}",
        category="home-goods",
        price_cents=10_000,
        rating_milli=None,
        reviews=0,
        description="A thing.",
        source_id=f"t-{number}",
    )
    return replace(plain, **values)


def test_the_same_seed_gives_the_same_population_and_another_seed_another() -> None:
    spec = PopulationSpec(seed=4, agents=30, units=(3, 6), quality="good")
    assert make_population(load_shipped(), spec) == make_population(load_shipped(), spec)
    assert make_population(load_shipped(), spec) != list(population(5, 30))


def test_another_catalogue_gives_another_population() -> None:
    shorter = Catalogue.of(load_shipped().items[:-1])
    spec = PopulationSpec(seed=0, agents=30, units=(3, 6), quality="good")
    assert make_population(shorter, spec) != make_population(load_shipped(), spec)


def test_agents_hold_three_to_six_units_and_ask_the_catalogue_price() -> None:
    sizes = Counter(len(plan.units) for plan in population())
    assert set(sizes) == {3, 4, 5, 6}
    for plan in population():
        for unit in plan.units:
            assert unit.asking_cents == unit.item.price_cents


def test_a_unit_cost_its_owner_35_to_72_percent_of_what_it_asks() -> None:
    shares = [
        unit.cost_cents * 1000 / unit.asking_cents
        for plan in population()
        for unit in plan.units
        if unit.cost_cents > 50
    ]
    assert 349 <= min(shares) < 370
    assert 700 < max(shares) <= 720


def test_units_start_in_the_good_band() -> None:
    qualities = {unit.quality_pct for plan in population() for unit in plan.units}
    assert {unit.condition for plan in population() for unit in plan.units} == {"good"}
    assert qualities == set(range(60, 82))


def test_spread_qualities_lie_in_the_band_of_the_condition() -> None:
    seen = set()
    for plan in population(quality="spread"):
        for unit in plan.units:
            low, high = BAND_RANGE[CONDITION_BAND[unit.condition]]
            assert low <= unit.quality_pct <= high
            seen.add(unit.condition)
    assert seen == set(CONDITION_BAND)


def test_about_one_agent_in_five_owns_interchangeable_units() -> None:
    twins = 0
    for plan in population(agents=600):
        titles = Counter((unit.item.title, unit.item.category) for unit in plan.units)
        assert max(titles.values()) <= 2
        twins += 2 in titles.values()
    assert 90 <= twins <= 150


def test_goals_are_not_owned_and_no_near_twin_is() -> None:
    by_title = {item.title: item for item in load_shipped().items}
    for plan in population(agents=600, most=8):
        goal = by_title[plan.persona.buyer.title]
        assert goal.category == plan.persona.buyer.category
        assert goal.price_cents == plan.persona.buyer.goal_price_cents
        assert not any(near_twins(goal, unit.item) for unit in plan.units)


def test_ceilings_and_floors_lie_in_their_ranges_and_fill_them() -> None:
    ceilings, floors = [], []
    for plan in population(agents=600):
        buyer = plan.persona.buyer
        assert 580 * buyer.goal_price_cents // 1000 <= buyer.ceiling_cents
        assert buyer.ceiling_cents <= 880 * buyer.goal_price_cents // 1000
        ceilings.append(buyer.ceiling_cents * 1000 // buyer.goal_price_cents)
        floors.append(plan.persona.seller.floor_permille)
        assert 1 <= plan.persona.seller.listings_target <= len(plan.units)
    assert min(ceilings) < 590
    assert max(ceilings) > 870
    assert min(floors) == 860
    assert max(floors) == 970


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_nearly_every_buyer_finds_units_of_others_within_its_ceiling(seed: int) -> None:
    plans = population(seed)
    poor = 0
    for plan in plans:
        buyer = plan.persona.buyer
        reachable = sum(
            unit.item.category == buyer.category
            and unit.asking_cents * other.persona.seller.floor_permille
            <= buyer.ceiling_cents * 1000
            for other in plans
            if other is not plan
            for unit in other.units
        )
        poor += reachable < 5
    assert poor <= 5
    assert len({plan.persona.buyer.category for plan in plans}) >= 10


def test_activity_gives_a_continuation_its_background_turns() -> None:
    """80 background agents take 4,500 to 5,200 turns in 84 ticks, in the mean (SPEC §3.6)."""
    background = [a for a in range(1, 101) if a % 5 != 1]
    turns = []
    for seed in range(4):
        rates = {p.agent.agent_id: p.agent.activity_permille for p in population(seed)}
        assert min(rates.values()) >= 350
        assert max(rates.values()) <= 950
        assert max(rates.values()) - min(rates.values()) > 400
        turns.append(
            sum(acts(seed, a, tick, rates[a]) for a in background for tick in range(361, 445))
        )
    assert 4_500 <= sum(turns) / len(turns) <= 5_200


def test_homes_lie_in_one_metropolitan_area_with_its_synthetic_zips() -> None:
    districts: dict[str, str] = {}
    for plan in population(agents=600):
        agent = plan.agent
        assert 0 <= agent.x_m < AREA_M
        assert 0 <= agent.y_m < AREA_M
        assert agent.zip == f"817{agent.y_m // 3000}{agent.x_m // 3000}"
        assert districts.setdefault(agent.zip, plan.persona.district) == plan.persona.district
        assert agent.street[0].isdigit()
    assert len(districts) > 70
    assert len({plan.agent.user_name for plan in population(agents=600)}) == 600


def test_all_tiers_are_present_from_the_first_agents_on() -> None:
    assert [plan.persona.tier for plan in population()[:5]] == list(TIERS)
    counts = Counter(plan.persona.tier for plan in population(agents=600))
    assert counts["power_seller"] > counts["newcomer"] > counts["troubled"] > 0
    for plan in population():
        low, high = LIFETIME_DAYS[plan.persona.tier]
        assert low <= plan.persona.lifetime_days <= high
        assert plan.agent.joined_tick == -TICKS_PER_DAY * plan.persona.lifetime_days


def test_history_ratings_come_from_others_who_were_there() -> None:
    joined = {plan.agent.agent_id: plan.agent.joined_tick for plan in population()}
    count = 0
    for plan in population():
        for rating in plan.history_ratings:
            assert rating.ratee_id == plan.agent.agent_id
            assert rating.rater_id != rating.ratee_id
            assert max(joined[rating.rater_id], joined[rating.ratee_id]) <= rating.tick < 0
            count += 1
    assert 4 <= count / len(population()) <= 9


def test_troubled_agents_have_trouble_in_their_journal() -> None:
    troubled = [plan for plan in population(agents=600) if plan.persona.tier == "troubled"]
    assert len(troubled) > 10
    for plan in troubled:
        assert {"bad_review", "no_show"} & {entry.kind for entry in plan.persona.journal}
        assert "bad_experience" in {memory.kind for memory in plan.memories}

    def mean(plans: list[AgentPlan]) -> float:
        stars = [rating.stars for plan in plans for rating in plan.history_ratings]
        return sum(stars) / len(stars)

    assert mean(troubled) < mean([p for p in population() if p.persona.tier == "power_seller"])


def test_the_stored_row_holds_the_persona() -> None:
    for plan in population():
        persona = Persona.model_validate_json(plan.agent.persona)
        assert persona == plan.persona
        assert (persona.zip, persona.device) == (plan.agent.zip, plan.agent.device)
        assert persona.privacy_permille == plan.agent.privacy_permille


@pytest.mark.parametrize(
    ("rated", "tier"),
    [
        ([(3_990, 500)], "troubled"),
        ([(4_500, 99), (4_500, 1)], "power_seller"),
        ([(4_499, 5_000)], "established"),
        ([(5_000, 99)], "established"),
        ([(4_000, 20)], "established"),
        ([(4_900, 19)], "casual"),
        ([(4_900, 5)], "casual"),
        ([(4_900, 4)], "newcomer"),
        ([(None, 0)], "newcomer"),
        ([(None, 0), (3_999, 1)], "troubled"),
        ([(3_500, 1), (4_500, 0)], "newcomer"),
    ],
)
def test_tiers_follow_ratings_and_reviews(rated: list[tuple[int | None, int]], tier: str) -> None:
    items = [item(rating_milli=rating, reviews=reviews) for rating, reviews in rated]
    assert tier_of(items) == tier


@pytest.mark.parametrize(
    ("values", "key"),
    [
        ({"brand": "Knurl & Fen"}, "knurl-fen|home-goods|price-50-150"),
        ({"brand": "", "model": "K-9!"}, "k-9|home-goods|price-50-150"),
        ({"brand": "?", "price_cents": 4_999}, "brand-unknown|home-goods|price-0-50"),
        ({"brand": "x" * 40, "price_cents": 100_000}, f"{'x' * 24}|home-goods|price-1000-plus"),
    ],
)
def test_clusters_are_brand_category_and_price_band(values: dict[str, Any], key: str) -> None:
    assert cluster_key(item(**values)) == key


def test_near_twins_share_a_model_or_three_quarters_of_their_words() -> None:
    one = item(1, title="Veltari Orbit Pro 4 256GB Coral", brand="Veltari", model="Orbit Pro 4")
    other = item(2, title="Phone, 64GB, Lavender", brand="Veltari", model="Orbit Pro 4")
    older = item(3, title="Veltari Orbit Pro 3 64GB Black", brand="Veltari", model="Orbit Pro 3")
    reordered = item(4, title="Coral 256gb Pro 4 Orbit by Veltari", brand="?", model="")
    assert near_twins(one, other)
    assert near_twins(one, reordered)
    assert not near_twins(one, older)


@given(st.lists(st.integers(1_000, 400_000), min_size=20, max_size=60), st.integers(0, 99))
def test_any_catalogue_of_different_items_makes_a_population(prices: list[int], seed: int) -> None:
    words = ("lamp", "rug", "saw", "drum", "bike", "ring")
    items = tuple(
        item(
            number,
            title=f"{words[number % 6]} {number} kind {number * 7}",
            category=words[number % 6],
            price_cents=price,
        )
        for number, price in enumerate(prices, start=1)
    )
    spec = PopulationSpec(seed=seed, agents=4, units=(1, 12), quality="good")
    for plan in make_population(Catalogue.of(items), spec):
        assert plan.persona.buyer.title not in {unit.item.title for unit in plan.units}
        assert len({entry.item for entry in plan.persona.journal}) >= 1


def test_a_catalogue_that_is_too_small_or_too_uniform_is_refused() -> None:
    spec = PopulationSpec(seed=0, agents=2, units=(3, 6), quality="good")
    with pytest.raises(CatalogueError, match="at least 20"):
        make_population(Catalogue.of(tuple(item(n, title="same") for n in range(1, 40))), spec)
    uniform = tuple(
        item(n, title=f"the very same dull and old thing as ever {n}") for n in range(1, 40)
    )
    with pytest.raises(CatalogueError, match="agent 1 owns"):
        make_population(Catalogue.of(uniform), spec)


def test_later_agents_fall_into_clusters_as_often_as_those_are_large() -> None:
    shelves = Shelves.of(load_shipped())
    counts = Counter(
        shelves.cluster_of[shelves.anchor(agent_id, "t", agent_id).item_id].key
        for agent_id in range(6, 6_006)
    )
    largest = max({c.key: len(c.items) for c in shelves.cluster_of.values()}.items(), key=by_size)
    expected = 6_000 * largest[1] / len(shelves.items)
    assert 0.6 * expected < counts[largest[0]] < 1.4 * expected


def by_size(entry: tuple[str, int]) -> int:
    return entry[1]
