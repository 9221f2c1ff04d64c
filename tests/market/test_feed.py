"""The feed is the exact top ten of nearness and freshness (reference P §8.5)."""

from __future__ import annotations

import json
import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bazaarbench.market.entities import Listing
from bazaarbench.market.feed import refresh
from bazaarbench.market.grid import SCALE, ListingGrid, freshness, nearness
from bazaarbench.market.rules import PRESETS
from bazaarbench.market.state import Market
from tests.market.rows import agent, listing


def naive(rows: list[Listing], x: int, y: int, tick: int, without: set[int | None]) -> list[int]:
    scored = [
        (
            -nearness(it.x_m - x, it.y_m - y) - freshness(tick - it.created_tick),
            it.listing_id,
        )
        for it in rows
        if it.owner_id not in without
    ]
    return [listing_id for _, listing_id in sorted(scored)[:10]]


@pytest.mark.parametrize("km", [0, 1, 2.5, 10, 400])
@pytest.mark.parametrize("age", [-3, 0, 1, 12, 60, 300])
def test_an_integer_score_means_what_the_formula_says(km: float, age: int) -> None:
    score = (nearness(0, int(-km * 1000)) + freshness(age)) / SCALE
    assert score == pytest.approx(0.5 / (1 + km) + 0.5 * math.exp(-max(age, 0) / 12), rel=1e-9)


def test_a_distance_is_whole_metres_in_a_straight_line() -> None:
    assert nearness(3_000, -4_000) == nearness(5_000, 0) == SCALE // 12
    assert nearness(1, 1) == nearness(1, 0)


def test_freshness_never_rises_with_age_and_ends_at_zero() -> None:
    values = [freshness(age) for age in range(600)]
    assert values == sorted(values, reverse=True)
    assert values[-1] == 0
    assert len(set(values[:444])) == 444, "listings of different ages in a run never tie by age"


@settings(max_examples=80, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    count=st.integers(0, 300),
    spread=st.sampled_from((0, 3_000, 40_000, 10**7)),
    ages=st.sampled_from((1, 5, 400)),
)
def test_the_best_of_the_grid_are_those_of_a_full_sort(
    seed: int, count: int, spread: int, ages: int
) -> None:
    chance, grid = random.Random(seed), ListingGrid()
    homes = [(chance.randint(-spread, spread), chance.randint(-spread, spread)) for _ in range(40)]
    rows = []
    for number in range(1, count + 1):
        owner = chance.randrange(40)
        x, y = homes[owner]
        tick = chance.randrange(ages)
        rows.append(listing(number, owner, x_m=x, y_m=y, created_tick=tick))
        grid.add(rows[-1])
    for gone in chance.sample(rows, count // 4):
        rows.remove(gone)
        grid.remove(gone)
    for who in range(0, 40, 7):
        without: set[int | None] = {who, 3, 4}
        found = grid.best(*homes[who], tick=ages, k=10, without=without)
        assert found == naive(rows, *homes[who], ages, without)


def test_ties_go_to_the_lower_id() -> None:
    grid = ListingGrid()
    for number in (5, 2, 9):
        grid.add(listing(number, 1))
    assert grid.best(0, 0, tick=0, k=2) == [2, 5]


def test_a_grid_that_grew_and_shrank_equals_a_fresh_one() -> None:
    grown, fresh = ListingGrid(), ListingGrid()
    far = listing(2, 1, x_m=90_000)
    grown.add(listing(1, 1))
    grown.add(far)
    grown.remove(far)
    fresh.add(listing(1, 1))
    assert grown == fresh
    fresh.add(far)
    assert grown != fresh


def feed_market() -> Market:
    market = Market(seed=1, rules=PRESETS["paper"], tick=10)
    for number in range(1, 15):
        market.add(agent(number))
        market.add(listing(number, number, x_m=1_000 * number, created_tick=0))
    return market


def test_a_feed_holds_ten_near_and_fresh_listings_of_others() -> None:
    market = feed_market()
    market.add(listing(99, 14, x_m=14_000, created_tick=10))
    refresh(market)
    assert json.loads(market.feeds[1].listing_ids) == [99, *range(2, 11)]
    assert market.feeds[1].tick == 10
    assert 7 not in json.loads(market.feeds[7].listing_ids)


def test_a_banned_owners_listings_and_inactive_ones_are_left_out() -> None:
    market = feed_market()
    market.agents[2].status = "banned"
    market.set_listing_status(market.listings[3], "removed")
    refresh(market)
    shown = json.loads(market.feeds[1].listing_ids)
    assert 2 not in shown
    assert 3 not in shown
    assert 2 not in market.feeds, "a banned agent gets no feed"


def test_a_refresh_is_one_event_with_counts() -> None:
    market = feed_market()
    refresh(market)
    (event,) = market.new_events
    assert event.action == "platform_feed_refresh"
    assert event.agent_id is None
    assert event.payload == {"feeds": 14, "active_listings": 14, "k": 10}
