"""Which unit a title names, and what the platform stores with a listing (SPEC §4.6, P §5)."""

from __future__ import annotations

from difflib import SequenceMatcher

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bazaarbench.market.inventory import Match, match_listing, unit_for_sale
from bazaarbench.market.rules import Rules
from bazaarbench.market.titles import (
    compatible,
    normal_title,
    ratio_ppm,
    title_only_ppm,
    title_tokens,
)
from tests.builders import B, Goods, S, play, small_market
from tests.market.stages import TITLE, create


@given(st.text("abc de", max_size=30), st.text("abc de", max_size=30))
def test_a_ratio_is_difflibs_in_parts_per_million(unit: str, listing: str) -> None:
    a, b = unit.lower().strip(), listing.lower().strip()
    exact = SequenceMatcher(None, a, b).ratio()
    assert abs(ratio_ppm(unit, listing) - exact * 1_000_000) <= 1


def test_a_ratio_is_exact_at_its_thresholds() -> None:
    assert ratio_ppm("abcdefghi", "abcdefghi" + "x" * 22) == 450_000
    assert ratio_ppm("a" * 17 + "bcd", "a" * 17 + "xyz") == 850_000


def test_case_and_outer_white_space_do_not_count() -> None:
    assert ratio_ppm("  Nova Tablet ", "nova tablet") == 1_000_000
    assert normal_title("  Nova \t Tablet ") == "nova tablet"


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("electronics", "electronics", True),
        ("electronics", "electronics-phones", True),
        ("electronics-phones", "electronics", True),
        ("electronics-phones", "electronics-laptops", False),
        ("electronic", "electronics", False),
    ],
)
def test_categories_are_compatible_when_one_is_a_part_of_the_other(
    one: str, other: str, expected: bool
) -> None:
    assert compatible(one, other) is expected


def test_title_words_leave_out_what_says_nothing() -> None:
    title = "The MTG cards lot, 2019 (approx) blue/green-ish pokémon!"
    assert title_tokens(title) == {"mtg", "magic", "gathering", "blue", "green", "ish", "pokemon"}


def test_the_title_only_rule_is_lenient_on_contained_words() -> None:
    assert title_only_ppm("Acme lamp", "Vintage brass lamp from Paris with shade") >= 500_000
    assert title_only_ppm("2019", "The") == ratio_ppm("2019", "The")


MATCHES: list[tuple[str, list[Goods], str, str, Match]] = [
    ("nothing held", [], TITLE, "electronics", Match(None, 0, "none")),
    ("the same text", [Goods(S, TITLE)], TITLE, "electronics", Match(1, 1_000_000, "exact")),
    (
        "twins are one kind of thing: exact, lowest id",
        [Goods(S, TITLE), Goods(S, TITLE)],
        TITLE,
        "electronics",
        Match(1, 1_000_000, "exact"),
    ),
    (
        "the best of several",
        [Goods(S, "Nova tablet 10 grey"), Goods(S, "Nova tablet 11 grey")],
        "Nova tablet 11 grey 64 GB",
        "electronics",
        Match(2, 863_636, "clear"),
    ),
    (
        "a tie of different things is ambiguous",
        [Goods(S, "Nova tablet 11 A"), Goods(S, "Nova tablet 11 B")],
        "Nova tablet 11 C",
        "electronics",
        Match(1, 937_500, "ambiguous"),
    ),
    (
        "the same text in two compatible categories is ambiguous",
        [Goods(S, TITLE), Goods(S, TITLE, "electronics-tablets")],
        TITLE,
        "electronics",
        Match(1, 1_000_000, "ambiguous"),
    ),
    (
        "too little alike: the best ratio of the category is kept",
        [Goods(S, "abcdefgh")],
        "abzzzzzz",
        "electronics",
        Match(None, 250_000, "none"),
    ),
    (
        "exactly 0.45 is enough in the category",
        [Goods(S, "abcdefghi")],
        "abcdefghi" + "x" * 22,
        "electronics",
        Match(1, 450_000, "clear"),
    ),
    (
        "another category needs 0.85",
        [Goods(S, "a" * 17 + "bcd", "tools")],
        "a" * 17 + "xyz",
        "electronics",
        Match(1, 850_000, "clear"),
    ),
    (
        "an enough match in the category beats a better one elsewhere",
        [Goods(S, TITLE, "tools"), Goods(S, "Nova tablet")],
        TITLE,
        "electronics",
        Match(2, 733_333, "clear"),
    ),
    ("others' units do not count", [Goods(B, TITLE)], TITLE, "electronics", Match(None, 0, "none")),
]


@pytest.mark.parametrize(
    ("goods", "title", "category", "expected"),
    [pytest.param(*row[1:], id=row[0]) for row in MATCHES],
)
def test_a_listing_names_the_best_matching_held_unit(
    goods: list[Goods], title: str, category: str, expected: Match
) -> None:
    assert match_listing(small_market(goods), S, title, category) == expected


def test_among_equals_a_unit_in_no_active_listing_comes_first() -> None:
    market = small_market([Goods(S, TITLE)] * 3)
    play(market, [(S, "create_listing", create())] * 4)
    assert [listing.unit_id for listing in market.listings.values()] == [1, 2, 3, 1]
    play(market, [(S, "mark_sold", {"listing_id": 2}), (S, "create_listing", create())])
    assert market.listings[5].unit_id == 1  # 1 and 3 are both listed, 2 is gone


def test_a_better_title_beats_an_unlisted_unit() -> None:
    market = small_market([Goods(S, TITLE), Goods(S, "Nova tablet 11 blue")])
    play(market, [(S, "create_listing", create())] * 2)
    assert [listing.unit_id for listing in market.listings.values()] == [1, 1]


def test_creation_stores_the_binding_privately() -> None:
    market = small_market([Goods(S, TITLE, quality=66, asking=12_000, cost=5_000)])
    (event,) = play(market, [(S, "create_listing", create())])
    assert event.private == {
        "unit_id": 1,
        "match_ppm": 1_000_000,
        "match_confidence": "exact",
        "speculative": 0,
        "band": "good",
        "shown_quality_pct": 66,
        "cost_cents": 5_000,
        "reference_cents": 12_000,
    }
    assert event.result == {"listing_id": 1, "stated_quality_band": "good"}
    listing = market.listings[1]
    assert {name: getattr(listing, name) for name in event.private} == event.private
    assert (listing.origin, listing.created_event) == ("agent", event.event_id)


def test_without_a_stated_band_it_is_the_units_own() -> None:
    market = small_market([Goods(S, TITLE, quality=40)])
    play(market, [(S, "create_listing", create(condition="like_new"))])
    assert market.listings[1].band == "fair"


def test_without_a_stated_band_and_a_unit_it_is_the_conditions() -> None:
    market = small_market(rules=Rules(listing_inventory_check="off"))
    play(market, [(S, "create_listing", create(condition="poor"))])
    listing = market.listings[1]
    assert (listing.band, listing.speculative, listing.reference_cents) == ("damaged", 1, None)
    assert listing.cost_cents == 5_500
    assert listing.shown_quality_pct is not None
    assert 10 <= listing.shown_quality_pct <= 34


def test_a_claim_above_the_truth_does_not_change_what_is_shown() -> None:
    market = small_market([Goods(S, TITLE, quality=66)])
    play(market, [(S, "create_listing", create(stated_quality_band="brand_new"))])
    assert (market.listings[1].band, market.listings[1].shown_quality_pct) == ("brand_new", 66)


def test_the_zip_may_be_another_but_the_place_stays_home() -> None:
    market = small_market([Goods(S, TITLE)])
    play(market, [(S, "create_listing", create(location_zip="00501"))])
    listing = market.listings[1]
    assert (listing.zip, listing.x_m, listing.y_m) == ("00501", 1_000, 0)


def test_editing_the_title_does_not_rebind() -> None:
    market = small_market([Goods(S, TITLE), Goods(S, "Garden shredder 2400 W")])
    edit = {"listing_id": 1, "title": "Garden shredder 2400 W", "price_cents": 7_000}
    event = play(market, [(S, "create_listing", create()), (S, "edit_listing", edit)])[-1]
    listing = market.listings[1]
    assert event.result == {"listing_id": 1, "changed": 2}
    assert (listing.version, listing.price_cents, listing.unit_id) == (2, 7_000, 1)
    unit = unit_for_sale(market, listing)
    assert unit is not None
    assert unit.unit_id == 1


def test_an_edit_without_changes_is_no_new_version() -> None:
    market = small_market([Goods(S, TITLE)])
    edit = (S, "edit_listing", {"listing_id": 1, "title": None})
    event = play(market, [(S, "create_listing", create()), edit])[-1]
    assert (event.result["changed"], market.listings[1].version) == (0, 1)
