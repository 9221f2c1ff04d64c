"""Inspections show the unit: what a buyer is shown (reference P §7.1; SPEC §4.4)."""

from __future__ import annotations

from typing import Any

import pytest

from bazaarbench.market.rules import Rules
from bazaarbench.market.state import Market
from tests.builders import B, C, Goods, S, Step, play, seed_listing, small_market
from tests.market.handoffs import (
    BOTH,
    INSPECT,
    M1,
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
    meetup,
    offer,
)

# ------------------------------------------------------------------------------ 7.1 inspection


BANDS = {
    ("like_new", 72): "below_band",
    ("good", 60): "matches_band",
    ("good", 81): "matches_band",
    ("good", 82): "above_band",
    ("fair", 72): "above_band",
    ("for_parts", 0): "matches_band",
}


@pytest.mark.parametrize(("case", "outcome"), BANDS.items())
def test_an_inspection_compares_the_unit_with_the_stated_band(
    case: tuple[str, int], outcome: str
) -> None:
    band, quality = case
    market = small_market([Goods(S, TITLE, quality=quality)], rules=UNIT)
    listed: Step = (S, "create_listing", create(stated_quality_band=band))
    event = play(market, [listed, *MEETING[1:], 3, INSPECT])[-1]
    assert event.result == {
        "meetup_id": 1,
        "thread_id": 1,
        "listing_id": 1,
        "stated_quality_band": band,
        "ground_truth_quality_pct": quality,
        "title": TITLE,
        "price_cents": 10_000,
        "seller_id": S,
        "delivery_method": "meetup",
        "inspection_outcome": outcome,
        "presented_unit_title": TITLE,
    }
    assert event.private == {"unit_id": 1}


def test_below_the_band_never_blocks_a_completion() -> None:
    market = small_market([Goods(S, TITLE, quality=30)], rules=TRUTHFUL)
    listed: Step = (S, "create_listing", create(stated_quality_band="like_new"))
    events = play(market, [listed, *MEETING[1:], 3, INSPECT, *BOTH])
    assert events[-3].result["inspection_outcome"] == "below_band"
    assert events[-1].result["completed"] is True


def test_a_listing_without_a_band_has_nothing_to_compare() -> None:
    market = small_market(GOODS, rules=UNIT)
    seed_listing(market, 1)
    event = play(market, [*MEETING[1:], 3, INSPECT])[-1]
    assert event.result["inspection_outcome"] == "band_unknown"
    assert event.result["ground_truth_quality_pct"] == 72


def absent(market: Market, story: list[Step]) -> tuple[Any, Any]:
    event = play(market, [*story, 3, INSPECT])[-1]
    assert event.status == "ok"
    assert event.result["ground_truth_quality_pct"] is None
    assert event.result["inspection_outcome"] == "item_not_present"
    assert "presented_unit_title" not in event.result
    assert (market.exchanges[1].inspected_tick, market.exchanges[1].inspected_pct) == (3, None)
    return event.result["item_presence"], event.private.get("holding_listing_id")


def test_absent_because_the_listing_has_no_unit() -> None:
    assert absent(small_market([], rules=UNIT), MEETING)[0] == "listing_has_no_bound_unit"


def test_absent_because_the_unit_is_sold() -> None:
    market = small_market(GOODS, rules=UNIT)
    play(market, MEETING)
    lose(market)
    assert absent(market, [])[0] == "bound_unit_sold"


def test_absent_because_the_unit_was_never_there() -> None:
    market = small_market([Goods(C, TITLE)], rules=UNIT)
    play(market, MEETING)
    market.bind_unit(market.listings[1], 1)
    assert absent(market, [])[0] == "bound_unit_missing"


def test_absent_because_an_older_active_listing_holds_the_unit() -> None:
    market = small_market(GOODS, rules=UNIT)
    play(market, [*LISTED, *LISTED])
    market.bind_unit(market.listings[2], 1)  # as bound by other rules before
    deal: list[Step] = [
        (B, "make_offer", offer(2)),
        (S, "accept_offer", {"offer_id": 1}),
        (S, "schedule_meetup", meetup()),
    ]
    assert absent(market, deal) == ("bound_to_other_listing", 1)


def test_absent_because_the_listing_is_sold() -> None:
    market = small_market(GOODS, rules=UNIT)
    play(market, MEETING)
    market.set_listing_status(market.listings[1], "sold")
    assert absent(market, [])[0] == "listing_sold"


def test_what_the_first_inspection_showed_stands() -> None:
    market = small_market(GOODS, rules=UNIT)
    play(market, [*MEETING, 3, INSPECT])
    lose(market)
    again = play(market, [4, INSPECT])[0]
    assert again.result["ground_truth_quality_pct"] == 72
    assert again.result["inspection_outcome"] == "matches_band"
    assert market.exchanges[1].inspected_tick == 3


def test_what_was_found_absent_stays_absent() -> None:
    market = small_market([Goods(C, TITLE)], rules=UNIT)
    play(market, [*MEETING, 3, INSPECT])
    give(market, 1, S)
    again = play(market, [4, INSPECT])[0]
    assert again.result["inspection_outcome"] == "item_not_present"
    assert "presented_unit_title" not in again.result
    assert bound(market) == [None]
    blocked = play(market, [(B, "complete_transaction", M1)])[0]
    assert said(blocked) == ("blocked", "item_not_present")


def test_an_unbound_listing_takes_a_free_unit_at_the_inspection() -> None:
    market = small_market([Goods(C, TITLE, quality=88)], rules=UNIT)
    play(market, MEETING)
    give(market, 1, S)
    event = play(market, [3, INSPECT])[0]
    assert event.result["inspection_outcome"] == "above_band"
    assert event.private == {
        "unit_id": 1,
        "bound_now": True,
        "replaced_shown_quality_pct": None,
    }
    assert (bound(market), market.listings[1].shown_quality_pct) == ([1], 88)
    assert market.active_of_unit[1] == {1: None}


#: Like the title by more than 0.45 and less than 0.85.
LOOSELY = Goods(C, "Nova tablet 11 grey with pen and case", "tools")


def test_on_creation_a_loose_likeness_in_another_category_binds_nothing() -> None:
    market = small_market([LOOSELY], rules=UNIT)
    give(market, 1, S)
    play(market, LISTED)
    assert bound(market) == [None]


def test_at_the_handoff_a_likeness_of_045_suffices_in_any_category() -> None:
    market = small_market([LOOSELY], rules=UNIT)
    play(market, MEETING)
    give(market, 1, S)
    play(market, [3, INSPECT])
    assert bound(market) == [1]


def test_at_the_handoff_nothing_is_taken_that_the_title_tells_apart() -> None:
    market = small_market([Goods(C, "Nova tablet 12 grey")], rules=UNIT)
    play(market, MEETING)
    give(market, 1, S)
    assert absent(market, [])[0] == "listing_has_no_bound_unit"


def test_at_the_handoff_no_unit_of_another_active_listing_is_taken() -> None:
    market = small_market([Goods(C, TITLE)], rules=UNIT)
    play(market, MEETING)
    give(market, 1, S)
    play(market, LISTED)
    assert bound(market) == [None, 1]
    assert absent(market, [])[0] == "listing_has_no_bound_unit"


@pytest.mark.parametrize("status", ["removed", "expired"])
@pytest.mark.parametrize(("deal", "taken"), [(True, None), (False, 1)])
def test_at_the_handoff_an_ended_listing_keeps_its_unit_while_it_has_an_open_deal(
    deal: bool, taken: int | None, status: Any
) -> None:
    market = small_market([Goods(C, TITLE)], rules=UNIT)
    play(market, MEETING)
    give(market, 1, S)
    play(market, [*LISTED, (C, "make_offer", offer(2))])
    if deal:
        play(market, [(S, "accept_offer", {"offer_id": 2})])
    market.set_listing_status(market.listings[2], status)
    play(market, [3, INSPECT])
    assert bound(market) == [taken, 1]


def two_ended_listings(deals: int) -> Market:
    """Two listings of S's one unit, off the market; the first one has a meetup with B."""
    market = small_market(GOODS, rules=UNIT)
    play(market, MEETING)
    market.set_listing_status(market.listings[1], "removed")
    play(market, [*LISTED, (C, "make_offer", offer(2))])
    if deals == 2:
        play(market, [(S, "accept_offer", {"offer_id": 2})])
    market.set_listing_status(market.listings[2], "removed")
    assert bound(market) == [1, 1]
    return market


def test_who_holds_an_ended_listing_with_the_only_open_deal() -> None:
    market = two_ended_listings(deals=1)
    event = play(market, [3, INSPECT])[-1]
    assert event.private["unit_id"] == 1


def test_who_holds_of_two_ended_listings_with_open_deals_neither_finds_it() -> None:
    assert absent(two_ended_listings(deals=2), []) == ("bound_to_other_listing", 2)


def test_who_holds_an_ended_listing_loses_its_unit_to_an_active_one() -> None:
    market = two_ended_listings(deals=1)
    market.set_listing_status(market.listings[2], "active")
    assert absent(market, []) == ("bound_to_other_listing", 2)


def test_who_holds_a_former_owners_listing_holds_nothing() -> None:
    market = small_market(GOODS, rules=UNIT)
    play(market, LISTED)
    give(market, 1, B)
    resale: list[Step] = [
        (B, "create_listing", create()),
        (C, "make_offer", offer(2)),
        (B, "accept_offer", {"offer_id": 1}),
        (B, "schedule_meetup", meetup()),
        3,
        (C, "inspect_at_meetup", M1),
    ]
    event = play(market, resale)[-1]
    assert (bound(market), event.private["unit_id"]) == ([1, 1], 1)


def test_the_ownership_check_is_not_asked() -> None:
    rules = Rules(inspection_shows="unit", meetup_ownership_check="block")
    market = small_market(GOODS, rules=rules)
    play(market, MEETING)
    lose(market)
    assert absent(market, [])[0] == "bound_unit_sold"
