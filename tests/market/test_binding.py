"""What a listing is bound to, what it sells, and what a sale moves (SPEC §4.4, §4.6, P §5)."""

from __future__ import annotations

from dataclasses import asdict, replace

import pytest

from bazaarbench.market.bands import BAND_RANGE
from bazaarbench.market.entities import Holding, Listing, Unit
from bazaarbench.market.inventory import (
    Binding,
    Match,
    Transfer,
    bind,
    interchangeable,
    is_speculative,
    quality_in_band,
    transfer,
    unit_condition_pct,
    unit_for_sale,
)
from bazaarbench.market.rules import Rules
from bazaarbench.market.state import Market
from tests.builders import B, C, Goods, S, play, seed_listing, small_market
from tests.market.stages import COMMITTED, TITLE, create

UNCHECKED = Rules(listing_inventory_check="off")
NO_MATCH = Match(None, 0, "none")


def listed(market: Market, **changes: object) -> Listing:
    """A listing of S as the platform made it."""
    play(market, [(S, "create_listing", create(**changes))])
    return market.listings[max(market.listings)]


# ----------------------------------------------------------------------------------- binding


@pytest.mark.parametrize(
    ("goods", "changes", "expected"),
    [
        (
            [Goods(S, TITLE, quality=66, asking=12_000, cost=5_000)],
            {},
            Binding(1, 1_000_000, "exact", 0, "good", 66, 5_000, 12_000),
        ),
        (
            [Goods(S, TITLE, quality=66, asking=12_000, cost=None)],
            {"price_cents": 9_999, "stated_quality_band": "brand_new"},
            Binding(1, 1_000_000, "exact", 0, "brand_new", 66, 5_499, 12_000),
        ),
        (
            [],
            {"price_cents": 101, "stated_quality_band": "for_parts"},
            Binding(None, 0, "none", 1, "for_parts", 1, 55, None),
        ),
        (
            [Goods(S, TITLE, quality=None, asking=12_000)],
            {"condition": "poor"},
            Binding(1, 1_000_000, "exact", 0, "damaged", 13, 4_000, 12_000),
        ),
    ],
    ids=[
        "a known unit",
        "its cost is not known: 55 % of the price",
        "no unit",
        "a unit of unknown condition: what the listing says of it",
    ],
)
def test_creation_binds(goods: list[Goods], changes: dict[str, object], expected: Binding) -> None:
    market = small_market(goods, rules=UNCHECKED)
    listing = listed(market, **changes)
    found = {name: getattr(listing, name) for name in Binding._fields}
    assert found == expected._asdict()
    assert bind(market, listing) == expected, "nothing has changed since"


def test_what_was_bought_has_no_known_condition_for_its_new_seller() -> None:
    market = small_market([Goods(S, TITLE, quality=66)])
    market.units[1].transfers = 1
    listing = listed(market, condition="like_new")
    assert listing.band == "like_new"
    assert listing.shown_quality_pct == quality_in_band(market, "like_new", 1) != 66


def test_an_initial_listing_keeps_no_band_and_shows_seventy_percent() -> None:
    market = small_market([Goods(S, TITLE, quality=66)])
    binding = bind(market, seed_listing(market, 1))
    assert (binding.band, binding.shown_quality_pct) == (None, 70)


def test_the_platforms_own_listing_has_no_units() -> None:
    market = small_market([Goods(S, TITLE)])
    listing = seed_listing(market, 1)
    listing.owner_id = None
    with pytest.raises(ValueError, match=r"^listing 1 is the platform's and has no units$"):
        bind(market, listing)
    assert unit_for_sale(market, listing) is None


@pytest.mark.parametrize(
    ("held", "category", "title", "expected"),
    [
        ("abcdefghi", "electronics", "abcdefghi" + "x" * 22, False),
        ("abcdefghi", "electronics", "abcdefghi" + "x" * 23, True),
        ("abcdefghi", "tools", "abcdefghi" + "x" * 22, True),
        ("a" * 17 + "bcd", "tools", "a" * 17 + "xyz", False),
        ("a" * 17 + "bcd", "tools", "a" * 17 + "xyzz", True),
    ],
)
def test_a_listing_is_speculative_when_it_is_like_nothing_that_was_ever_held(
    held: str, category: str, title: str, expected: bool
) -> None:
    market = small_market([Goods(S, held, category), Goods(B, title)])
    market.close_holding(market.units[1], event_id=0, sold_cents=1, outside=True)
    assert is_speculative(market, S, title, "electronics", NO_MATCH) is expected


def test_one_thing_that_was_held_is_enough_and_a_match_is_never_speculative() -> None:
    market = small_market([Goods(S, "Grand piano"), Goods(S, TITLE)])
    for unit in market.units.values():
        market.close_holding(unit, event_id=0, sold_cents=1, outside=True)
    assert not is_speculative(market, S, TITLE, "electronics", NO_MATCH)
    assert is_speculative(market, B, TITLE, "electronics", NO_MATCH)
    assert not is_speculative(market, B, TITLE, "electronics", Match(1, 500_000, "clear"))


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        (Goods(S, f" {TITLE.upper()} "), True),
        (Goods(S, TITLE, "toys"), False),
        (Goods(S, TITLE + "x"), False),
    ],
)
def test_interchangeable_is_by_title_and_category(other: Goods, expected: bool) -> None:
    market = small_market([Goods(S, TITLE), other])
    assert interchangeable(market.units[1], market.units[2]) is expected


# ---------------------------------------------------------------------------- drawn conditions


@pytest.mark.parametrize("band", BAND_RANGE)
def test_a_shown_condition_is_anywhere_in_its_band(band: str) -> None:
    market, (low, high) = small_market(), BAND_RANGE[band]
    shown = {quality_in_band(market, band, listing_id) for listing_id in range(1, 400)}
    assert shown == set(range(low, high + 1))


@pytest.mark.parametrize(
    ("condition", "band"),
    [("new", "brand_new"), ("fair", "fair"), ("poor", "damaged"), ("as it was sold", "good")],
)
def test_a_conjured_unit_shows_a_condition_of_what_it_was_sold_as(
    condition: str, band: str
) -> None:
    market = small_market([Goods(S, TITLE, quality=None, condition=condition)])
    unit, (low, high) = market.units[1], BAND_RANGE[band]
    shown = {unit_condition_pct(market, replace(unit, unit_id=key)) for key in range(1, 400)}
    assert shown == set(range(low, high + 1))


def test_a_known_unit_shows_its_own_condition() -> None:
    market = small_market([Goods(S, TITLE, quality=3)])
    assert unit_condition_pct(market, market.units[1]) == 3


def test_what_is_drawn_stays_the_same_for_a_seed() -> None:
    """Other numbers would make another market of every seed that was ever published."""
    market, other = small_market(), small_market(seed=7)
    assert [quality_in_band(market, "good", key) for key in range(1, 7)] == [63, 65, 80, 64, 76, 64]
    assert [quality_in_band(other, "good", key) for key in range(1, 7)] == [77, 70, 79, 69, 62, 76]
    goods = [Goods(S, TITLE, quality=None), Goods(S, TITLE, quality=None, condition="fair")]
    drawn = [
        [unit_condition_pct(one, unit) for unit in one.units.values()]
        for one in (small_market(goods), small_market(goods, seed=7))
    ]
    assert drawn == [[79, 41], [76, 46]]


# ------------------------------------------------------------------------------------ the sale


def sellable(market: Market, listing_id: int = 1) -> int | None:
    unit = unit_for_sale(market, market.listings[listing_id])
    return unit and unit.unit_id


def test_the_bound_unit_is_sold_though_a_twin_is_in_no_listing() -> None:
    market = small_market([Goods(S, TITLE), Goods(S, TITLE)])
    listed(market)
    assert sellable(market) == 1


def test_when_it_is_gone_an_unlisted_twin_is_sold_first() -> None:
    market = small_market([Goods(S, TITLE)] * 3 + [Goods(S, TITLE + "x"), Goods(B, TITLE)])
    play(market, [(S, "create_listing", create())] * 2)
    assert [listing.unit_id for listing in market.listings.values()] == [1, 2]
    market.close_holding(market.units[1], event_id=0, sold_cents=1, outside=True)
    assert sellable(market) == 3
    market.close_holding(market.units[3], event_id=0, sold_cents=1, outside=True)
    assert sellable(market) == 2
    market.close_holding(market.units[2], event_id=0, sold_cents=1, outside=True)
    assert sellable(market) is None, "neither another thing nor another owner's"


def test_a_listing_without_a_unit_sells_what_was_obtained_meanwhile() -> None:
    market = small_market([Goods(B, TITLE)], rules=UNCHECKED)
    listing = listed(market)
    assert (listing.unit_id, sellable(market)) == (None, None)
    unit = market.units[1]
    market.close_holding(unit, event_id=0, sold_cents=1, outside=False)
    market.open_holding(unit, Holding(9, 1, S, "purchase", 1, 0, 1, None))
    assert sellable(market) == 1


def test_a_sale_moves_the_unit_and_its_price_becomes_its_holders_cost() -> None:
    market = small_market([Goods(S, TITLE, quality=66, asking=12_000)])
    play(market, [*COMMITTED, 4])
    market.units[1].transfers = 3
    before = asdict(market.units[1])
    moved = transfer(market, market.threads[1], market.units[1], price_cents=8_500, event_id=77)
    assert moved == Transfer(unit_id=1, holding_id=2, conjured=False)
    assert asdict(market.units[1]) == before | {
        "owner_id": B,
        "asking_cents": 8_500,
        "transfers": 4,
    }
    first, second = market.holdings[1], market.holdings[2]
    assert (first.to_tick, first.to_event, first.ended_how, first.sold_cents) == (
        *(4, 77),
        *("sold", 8_500),
    )
    assert second == Holding(2, 1, B, "purchase", 4, 77, 8_500, 1)


def test_a_sale_of_nothing_conjures_a_unit_from_the_listings_text() -> None:
    market = small_market([Goods(C, TITLE)], rules=UNCHECKED)
    play(market, [*COMMITTED, 4])
    made = transfer(market, market.threads[1], None, price_cents=8_500, event_id=77)
    assert made == Transfer(unit_id=2, holding_id=2, conjured=True)
    assert market.units[2] == Unit(
        unit_id=2,
        owner_id=B,
        title=TITLE,
        category="electronics",
        description="Works well.",
        condition="good",
        quality_pct=None,
        origin="conjured",
        entered_tick=4,
        asking_cents=8_500,
        entry_cost_cents=None,
        transfers=0,
    )
    assert market.holdings[2] == Holding(2, 2, B, "conjured", 4, 77, 8_500, 1)
    assert market.holdings[1].to_tick is None
