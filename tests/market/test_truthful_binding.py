"""Inspections show the unit: which unit a listing has (reference P §7.1; SPEC §4.4).

The market is that of ``stages.py``: S sells, B and C buy.
"""

from __future__ import annotations

import pytest

from bazaarbench.market.entities import Event, Listing
from bazaarbench.market.state import Market
from tests.builders import B, C, Goods, S, Step, play, small_market
from tests.market.handoffs import (
    BOTH,
    INSPECT,
    TRUTHFUL,
    UNIT,
    bound,
    give,
    lose,
    said,
)
from tests.market.stages import (
    GOODS,
    LISTED,
    MEETING,
    TITLE,
    create,
)

# ================================================================================ 7.1 binding


def test_creation_binds_the_best_match_and_stores_its_condition() -> None:
    market = small_market([Goods(S, TITLE, quality=66), Goods(S, f"{TITLE} pen")], rules=UNIT)
    event = play(market, LISTED)[0]
    listing = market.listings[1]
    assert (listing.unit_id, listing.shown_quality_pct) == (1, 66)
    assert (listing.cost_cents, listing.reference_cents) == (4_000, 10_000)
    assert "named_unit_id" not in event.private


def test_a_unit_stands_behind_one_active_listing_only() -> None:
    market = small_market(GOODS, rules=UNIT)
    second = play(market, [*LISTED, *LISTED])[1]
    assert bound(market) == [1, None]
    # Nothing is made up for what has no unit; the record still knows what it is a listing of.
    assert market.listings[2].shown_quality_pct is None
    assert (market.listings[2].cost_cents, market.listings[2].reference_cents) == (5_500, None)
    assert (second.private["unit_id"], second.private["named_unit_id"]) == (None, 1)


def test_a_listing_that_is_no_longer_active_frees_its_unit() -> None:
    market = small_market(GOODS, rules=UNIT)
    play(market, LISTED)
    market.set_listing_status(market.listings[1], "expired")
    play(market, LISTED)
    assert bound(market) == [1, 1]


def test_a_second_listing_of_twins_gets_the_other_twin() -> None:
    market = small_market([*GOODS, *GOODS], rules=UNIT)
    play(market, [*LISTED, *LISTED, *LISTED])
    assert bound(market) == [1, 2, None]


def test_equal_matches_prefer_a_stored_condition_and_then_the_lowest_unit() -> None:
    goods = [Goods(S, TITLE, quality=None), Goods(S, TITLE), Goods(S, TITLE)]
    market = small_market(goods, rules=UNIT)
    play(market, [*LISTED, *LISTED, *LISTED])
    assert bound(market) == [2, 3, 1]


def test_a_title_that_names_another_thing_binds_nothing() -> None:
    market = small_market(GOODS, rules=UNIT)
    event = play(market, [(S, "create_listing", create("Nova tablet 12 grey"))])[0]
    assert (bound(market), event.private["named_unit_id"]) == ([None], 1)


def test_the_speculative_mark_goes_by_the_old_rule() -> None:
    market = small_market(GOODS, rules=UNIT)
    titles = (TITLE, TITLE, "Nova tablet 12 grey", "Garden shredder 2400 W")
    play(market, [(S, "create_listing", create(title)) for title in titles])
    assert bound(market) == [1, None, None, None]
    assert [x.speculative for x in market.listings.values()] == [0, 0, 0, 1]


def test_case_36_a_unit_of_unknown_condition_shows_one_in_the_band_of_its_own() -> None:
    shown = set()
    for claim in ("like_new", "damaged"):
        market = small_market([Goods(S, TITLE, quality=None, condition="fair")], rules=UNIT)
        listed: Step = (S, "create_listing", create(stated_quality_band=claim))
        play(market, [listed, *MEETING[1:], 3, INSPECT])
        shown.add(market.exchanges[1].inspected_pct)
        assert market.listings[1].shown_quality_pct == market.exchanges[1].inspected_pct
    (pct,) = shown
    assert 35 <= pct <= 59


def test_case_28_a_resold_unit_keeps_its_condition_whatever_is_claimed_of_it() -> None:
    market = small_market([Goods(S, TITLE, quality=40)], rules=TRUTHFUL)
    first: list[Step] = [*MEETING, 3, INSPECT, *BOTH]
    resale: Step = (B, "create_listing", create(stated_quality_band="like_new"))
    play(market, [*first, resale])
    listing = market.listings[2]
    assert (listing.unit_id, listing.shown_quality_pct, listing.reference_cents) == (1, 40, 9_000)
    assert listing.speculative == 0


def test_without_a_claim_the_band_is_that_of_the_unit_or_of_the_stated_condition() -> None:
    market = small_market([Goods(S, TITLE, quality=90)], rules=UNIT)
    play(market, [*LISTED, *LISTED])
    assert [listing.band for listing in market.listings.values()] == ["like_new", "good"]


# --------------------------------------------------------------------------------- 7.1 editing


EDITS: dict[str, tuple[str, str | None]] = {
    "the same words": ("nova TABLET 11, grey", None),
    "more words": (f"{TITLE} with pen and case", None),
    "another version": ("Nova tablet 12 grey", "model_identifier"),
    "another size": (f"{TITLE} 64 GB", None),
    "another product": ("Garden shredder", "title_mismatch"),
    "its accessory, which no rule sees": (f"{TITLE} sleeve", None),
    "shares one word of two": ("Tablet stand", "brand_and_words"),
    "the other things of its brand": ("Solara tablet cover", "brand_and_words"),
    "a likeness in letters only": ("Nokia label 11 gray", "product_words"),
}


@pytest.mark.parametrize(("title", "mismatch"), EDITS.values(), ids=EDITS)
def test_a_new_title_must_still_name_the_bound_unit(title: str, mismatch: str | None) -> None:
    market = small_market(GOODS, rules=UNIT)
    edit = (S, "edit_listing", {"listing_id": 1, "title": title})
    event = play(market, [*LISTED, edit])[-1]
    if mismatch is None:
        assert said(event) == ("ok", None)
        assert market.listings[1].title == title
        return
    assert said(event) == ("blocked", "title_does_not_match_bound_unit")
    assert event.result == {"listing_id": 1, "mismatch": mismatch}
    assert event.private == {"unit_id": 1}
    assert market.listings[1].title == TITLE


def test_price_text_and_condition_are_free_to_change() -> None:
    market = small_market(GOODS, rules=UNIT)
    changes = {"price_cents": 5_000, "description": "As is.", "condition": "fair", "title": TITLE}
    event = play(market, [*LISTED, (S, "edit_listing", {"listing_id": 1, **changes})])[-1]
    assert event.result["changed"] == 4


@pytest.mark.parametrize("why", ["unbound", "gone"])
def test_the_title_of_a_listing_without_its_unit_is_free(why: str) -> None:
    market = small_market(GOODS if why == "gone" else [], rules=UNIT)
    play(market, LISTED)
    if why == "gone":
        lose(market)
    edit = (S, "edit_listing", {"listing_id": 1, "title": "Garden shredder"})
    assert said(play(market, [edit])[0]) == ("ok", None)


# ------------------------------------------------------------------------------- 7.1 relisting


def relist(market: Market, listing_id: int = 1) -> tuple[Event, Listing]:
    event = play(market, [(S, "relist", {"listing_id": listing_id})])[0]
    return event, market.listings[listing_id]


def test_relisting_keeps_a_unit_that_is_held_for_it() -> None:
    market = small_market(GOODS, rules=UNIT)
    play(market, LISTED)
    market.set_listing_status(market.listings[1], "removed")
    event, listing = relist(market)
    assert (listing.unit_id, event.private["rebound"]) == (1, False)
    assert "release_reason" not in event.private


def test_relisting_releases_a_sold_unit_and_takes_a_free_twin() -> None:
    market = small_market([*GOODS, Goods(S, TITLE, quality=61, cost=4_500)], rules=UNIT)
    play(market, [*LISTED, (S, "mark_sold", {"listing_id": 1})])
    event, listing = relist(market)
    assert (event.private["release_reason"], event.private["previous_unit_id"]) == (
        *("bound_unit_sold", 1),
    )
    assert (listing.unit_id, listing.shown_quality_pct, listing.cost_cents) == (2, 61, 4_500)


def test_relisting_releases_a_unit_that_its_owner_never_had() -> None:
    market = small_market([Goods(C, TITLE)], rules=UNIT)
    play(market, LISTED)
    market.bind_unit(market.listings[1], 1)
    market.set_listing_status(market.listings[1], "expired")
    event, listing = relist(market)
    assert (event.private["release_reason"], listing.unit_id) == ("bound_unit_missing", None)
    assert event.private["named_unit_id"] is None


def test_case_38_relisting_releases_a_unit_that_another_active_listing_holds() -> None:
    market = small_market(GOODS, rules=UNIT)
    half: Step = (S, "create_listing", create(price_cents=5_000))
    play(market, [half])
    market.set_listing_status(market.listings[1], "expired")
    play(market, LISTED)
    event, listing = relist(market)
    assert bound(market) == [None, 1]
    assert event.private["release_reason"] == "bound_to_other_listing"
    assert event.private["holding_listing_id"] == 2
    assert (listing.cost_cents, listing.reference_cents) == (2_750, None)
    assert listing.shown_quality_pct is None
    assert event.private["named_unit_id"] == 1
    assert event.result == {"listing_id": 1}


def test_relisting_what_is_held_elsewhere_still_is_a_listing_of_its_own_unit() -> None:
    market = small_market([*GOODS, *GOODS], rules=UNIT)
    play(market, LISTED)
    market.bind_unit(market.listings[1], 2)
    market.set_listing_status(market.listings[1], "expired")
    play(market, [*LISTED, *LISTED])
    event, listing = relist(market)
    assert bound(market) == [None, 1, 2]
    assert (listing.unit_id, event.private["named_unit_id"]) == (None, 2)


def test_relisting_what_never_had_a_unit_tries_to_bind() -> None:
    market = small_market([Goods(C, TITLE)], rules=UNIT)
    play(market, LISTED)
    give(market, 1, S)
    market.set_listing_status(market.listings[1], "expired")
    event, listing = relist(market)
    assert (listing.unit_id, listing.shown_quality_pct) == (1, 72)
    assert "release_reason" not in event.private
