"""What ends a deal, what completes it, and what a completed one moves (SPEC §4.3, §4.5, §4.6)."""

from __future__ import annotations

import pytest

from bazaarbench.market.entities import Event
from bazaarbench.market.rules import Rules
from bazaarbench.market.state import Market
from tests.builders import B, C, Goods, S, Step, play, seed_listing, small_market
from tests.market.stages import (
    COMMITTED,
    GOODS,
    INSPECTED,
    LISTED,
    MEETING,
    PROMISED_TWICE,
    RIVALS,
    SHIPPING,
    SOLD,
    TITLE,
    create,
    meetup,
    offer,
    ship,
)

M1, M2 = {"meetup_id": 1}, {"meetup_id": 2}
TWINS = (Goods(S, TITLE), Goods(S, f"  {TITLE.upper()} ", cost=4_500))


def confirmed(meetup_id: int, buyer: int, seller: int = S) -> list[Step]:
    return [(who, "complete_transaction", {"meetup_id": meetup_id}) for who in (buyer, seller)]


def holders(market: Market) -> dict[int, int | None]:
    return {unit.unit_id: unit.owner_id for unit in market.units.values()}


# ------------------------------------------------------------------------------- what moves


def test_a_completed_sale_moves_the_bound_unit_at_the_accepted_price() -> None:
    market = small_market(GOODS)
    done = play(market, SOLD)[-1]
    assert holders(market) == {1: B}
    unit = market.units[1]
    assert (unit.transfers, unit.asking_cents, unit.quality_pct) == (1, 9_000, 72)
    sold, bought = market.holdings.values()
    assert (sold.to_event, sold.to_tick, sold.ended_how, sold.sold_cents) == (
        done.event_id,
        3,
        "sold",
        9_000,
    )
    assert (bought.from_event, bought.agent_id, bought.how, bought.cost_cents) == (
        done.event_id,
        B,
        "purchase",
        9_000,
    )
    assert bought.thread_id == 1
    assert done.private == {
        "unit_id": 1,
        "conjured": False,
        "seller_held": True,
        "holding_id": 2,
        "price_cents": 9_000,
        "cancelled_threads": [],
    }


def test_the_second_completion_of_a_listing_consumes_an_interchangeable_unit() -> None:
    market = small_market(TWINS)
    story: list[Step] = [
        *PROMISED_TWICE,
        (S, "schedule_shipment", ship(thread_id=1)),
        (S, "schedule_shipment", ship(thread_id=2)),
        *confirmed(1, B),
        *confirmed(2, C),
    ]
    done = play(market, story)[-1]
    assert done.private["unit_id"] == 2
    assert holders(market) == {1: B, 2: C}


def test_when_the_seller_holds_none_the_buyer_gets_a_conjured_unit() -> None:
    market = small_market([*GOODS, Goods(S, "Nova tablet 11 blue")])
    story: list[Step] = [
        *PROMISED_TWICE,
        (S, "schedule_shipment", ship(thread_id=1)),
        (S, "schedule_shipment", ship(thread_id=2)),
        *confirmed(1, B),
        *confirmed(2, C),
    ]
    done = play(market, story)[-1]
    # The blue one is much like it, but not the same kind of thing: it stays with the seller.
    assert holders(market) == {1: B, 2: S, 3: C}
    made = market.units[3]
    assert (made.origin, made.quality_pct, made.title, made.asking_cents) == (
        "conjured",
        None,
        TITLE,
        9_500,
    )
    assert (made.entry_cost_cents, made.transfers) == (None, 0)
    assert market.holdings[market.holding_of_unit[3]].how == "conjured"
    assert (done.private["conjured"], done.private["seller_held"]) == (True, False)


def test_a_unit_obtained_after_listing_and_before_the_sale_is_what_is_sold() -> None:
    market = small_market([Goods(C, TITLE)])
    story: list[Step] = [
        (S, "create_listing", create()),
        (B, "make_offer", offer()),
        (S, "accept_offer", {"offer_id": 1}),
        # S buys the thing from C meanwhile
        (C, "create_listing", create()),
        (S, "make_offer", offer(2)),
        (C, "accept_offer", {"offer_id": 2}),
        (C, "schedule_shipment", ship(2)),
        *confirmed(1, S, C),
        (S, "schedule_shipment", ship(1)),
        *confirmed(2, B),
    ]
    play(market, story)
    assert market.listings[1].unit_id is None
    assert holders(market) == {1: B}


def test_a_unit_sold_through_another_listing_is_not_sold_twice() -> None:
    market = small_market(GOODS)
    story: list[Step] = [
        *LISTED,
        (S, "create_listing", create(title=TITLE)),
        (B, "make_offer", offer(1)),
        (C, "make_offer", offer(2)),
        (S, "accept_offer", {"offer_id": 1}),
        (S, "accept_offer", {"offer_id": 2}),
        (S, "schedule_shipment", ship(1)),
        (S, "schedule_shipment", ship(2)),
        *confirmed(1, B),
        *confirmed(2, C),
    ]
    done = play(market, story)[-1]
    assert [listing.unit_id for listing in market.listings.values()] == [1, 1]
    assert holders(market) == {1: B, 2: C}
    assert done.private["conjured"] is True


# ------------------------------------------------------------------------------- what ends


def test_completion_cancels_open_and_committed_threads_and_says_which() -> None:
    market = small_market(GOODS, agents=4)
    story: list[Step] = [
        *PROMISED_TWICE,
        (4, "message", {"listing_id": 1, "body": "Still there?"}),
        (S, "schedule_shipment", ship(1)),
        *confirmed(1, B),
    ]
    done = play(market, story)[-1]
    assert [thread.status for thread in market.threads.values()] == [
        "completed",
        "cancelled",
        "cancelled",
    ]
    assert done.private["cancelled_threads"] == [2, 3]
    assert market.offers[2].status == "accepted"  # what was accepted stays accepted


@pytest.mark.parametrize("ending", ["leave_thread", "ghost"])
def test_a_deal_whose_thread_ended_still_completes_through_its_exchange(ending: str) -> None:
    market = small_market(GOODS)
    events = play(market, [*SHIPPING, (B, ending, {"thread_id": 1}), 4, *confirmed(1, B)])
    assert events[-1].result["completed"] is True
    thread = market.threads[1]
    assert (thread.status, thread.ended_tick) == ("completed", 4)
    assert holders(market) == {1: B}


def test_a_cancelled_sister_completes_through_its_surviving_exchange() -> None:
    market = small_market(GOODS)
    story: list[Step] = [
        *PROMISED_TWICE,
        (S, "schedule_shipment", ship(1)),
        (S, "schedule_shipment", ship(2)),
        *confirmed(1, B),
    ]
    play(market, story)
    assert market.threads[2].status == "cancelled"
    play(market, confirmed(2, C))
    assert [thread.status for thread in market.threads.values()] == ["completed", "completed"]


def test_calling_off_an_exchange_ends_its_deal_even_a_ghosted_one() -> None:
    market = small_market(GOODS)
    call_off = (S, "cancel_meetup", {**M1, "reason": "no show"})
    play(market, [*MEETING, (B, "ghost", {"thread_id": 1}), 2, call_off])
    thread = market.threads[1]
    assert (thread.status, thread.ended_tick) == ("cancelled", 2)
    assert market.exchanges[1].status == "cancelled"
    assert market.listings[1].status == "active"


def test_leaving_rejects_pending_offers_and_keeps_the_exchange_scheduled() -> None:
    market = small_market(GOODS)
    play(market, [*RIVALS, (C, "leave_thread", {"thread_id": 2})])
    assert [o.status for o in market.offers.values()] == ["pending", "rejected"]
    play(market, [(S, "accept_offer", {"offer_id": 1}), (S, "schedule_meetup", meetup())])
    play(market, [(B, "leave_thread", {"thread_id": 1})])
    assert market.offers[1].status == "accepted"
    assert market.exchanges[1].status == "scheduled"


def test_accepting_rejects_the_other_offers_of_the_thread_only() -> None:
    market = small_market(GOODS)
    more: list[Step] = [(B, "make_offer", offer(price=9_300)), (S, "accept_offer", {"offer_id": 3})]
    play(market, [*RIVALS, *more])
    assert [o.status for o in market.offers.values()] == ["rejected", "pending", "accepted"]
    assert market.threads[1].accepted_offer_id == 3


def test_the_price_paid_is_the_accepted_one_whatever_the_listing_asks() -> None:
    market = small_market(GOODS)
    edit = (S, "edit_listing", {"listing_id": 1, "price_cents": 99_000})
    done = play(market, [*SHIPPING, edit, *confirmed(1, B)])[-1]
    assert done.private["price_cents"] == 9_000


def test_confirming_twice_changes_nothing() -> None:
    market = small_market(GOODS)
    seller = (S, "complete_transaction", M1)
    first, again = play(market, [*MEETING, seller, seller])[-2:]
    assert first.result == again.result
    assert again.result["completed"] is False


def test_without_required_inspection_a_meetup_completes_unseen() -> None:
    market = small_market(GOODS, rules=Rules(meetup_inspection="optional"))
    done = play(market, [*MEETING, 3, *confirmed(1, B)])[-1]
    assert (done.result["completed"], done.result["buyer_inspected_quality_pct"]) == (True, None)


def test_a_seller_may_confirm_a_meetup_before_its_tick() -> None:
    market = small_market(GOODS)
    (early,) = play(market, [*MEETING, (S, "complete_transaction", M1)])[-1:]
    assert (early.status, market.tick) == ("ok", 1)


# ------------------------------------------------------------------------ selling elsewhere


def test_marking_sold_retires_the_bound_unit_and_cancels_all_live_threads() -> None:
    market = small_market(TWINS)
    event = play(market, [*PROMISED_TWICE, (S, "mark_sold", {"listing_id": 1})])[-1]
    assert event.private == {"unit_id": 1, "cancelled_threads": [1, 2]}
    assert holders(market) == {1: None, 2: S}
    holding = market.holdings[1]
    assert (holding.ended_how, holding.sold_cents, holding.to_event) == (
        "sold_outside",
        None,
        event.event_id,
    )
    assert {thread.status for thread in market.threads.values()} == {"cancelled"}


def test_marking_sold_what_is_gone_retires_a_twin_and_then_nothing() -> None:
    market = small_market(TWINS)
    play(market, [(S, "create_listing", create()) for _ in range(3)])
    for listing in market.listings.values():
        market.bind_unit(listing, 1)
    retired = [
        play(market, [(S, "mark_sold", {"listing_id": n})])[0].private["unit_id"] for n in (1, 2, 3)
    ]
    assert retired == [1, 2, None]


def test_relisting_what_is_gone_binds_to_a_twin_privately() -> None:
    market = small_market(TWINS)
    event = play(market, [*LISTED, (S, "mark_sold", {"listing_id": 1}), 4, relist()])[-1]
    listing = market.listings[1]
    assert (listing.status, listing.sold_tick, listing.bumped_tick) == ("active", None, 4)
    assert listing.created_tick == 1
    assert listing.unit_id == 2
    assert (event.private["unit_id"], event.private["previous_unit_id"]) == (2, 1)
    assert event.private["rebound"] is True
    assert event.result == {"listing_id": 1}


def test_relisting_what_is_gone_without_a_twin_binds_to_nothing() -> None:
    market = small_market(GOODS)
    event = play(market, [*SOLD, relist()])[-1]
    listing = market.listings[1]
    assert (listing.unit_id, listing.match_confidence) == (None, "none")
    assert event.private["unit_id"] is None
    assert listing.speculative == 0  # its owner did hold such a thing (P §5.2a)
    assert listing.cost_cents == 5_500
    assert listing.shown_quality_pct is not None
    assert 60 <= listing.shown_quality_pct <= 81


def test_relisting_what_is_still_held_changes_no_binding() -> None:
    market = small_market(TWINS)
    play(market, LISTED)
    market.set_listing_status(market.listings[1], "removed")
    before = market.listings[1].shown_quality_pct
    event = play(market, [relist()])[0]
    assert event.private["rebound"] is False
    assert (market.listings[1].unit_id, market.listings[1].shown_quality_pct) == (1, before)


def relist(listing_id: int = 1) -> Step:
    return (S, "relist", {"listing_id": listing_id})


# ------------------------------------------------------------------------------- inspection


def inspected(market: Market, story: list[Step]) -> Event:
    return play(market, [*story, 3, (B, "inspect_at_meetup", M1)])[-1]


def test_an_inspection_shows_the_stored_quality_of_a_first_owners_unit() -> None:
    market = small_market(GOODS)
    assert inspected(market, MEETING).result == {
        "meetup_id": 1,
        "thread_id": 1,
        "listing_id": 1,
        "stated_quality_band": "good",
        "ground_truth_quality_pct": 72,
        "title": TITLE,
        "price_cents": 10_000,
        "seller_id": S,
    }
    assert (market.exchanges[1].inspected_pct, market.exchanges[1].inspected_tick) == (72, 3)


def test_an_inspection_of_an_initial_listing_shows_70() -> None:
    market = small_market(GOODS)
    seed_listing(market, 1)
    assert inspected(market, MEETING[1:]).result["ground_truth_quality_pct"] == 70


@pytest.mark.parametrize(("shows", "low", "high"), [("listing", 82, 94), ("unit", 40, 40)])
def test_a_resold_unit_shows_the_claim_or_under_unit_its_own_condition(
    shows: str, low: int, high: int
) -> None:
    rules = Rules.model_validate({"inspection_shows": shows})
    market = small_market([Goods(S, TITLE, quality=40)], rules=rules)
    resale: list[Step] = [
        (B, "create_listing", create(stated_quality_band="like_new")),
        (C, "make_offer", offer(2)),
        (B, "accept_offer", {"offer_id": 2}),
        (B, "schedule_meetup", meetup(2)),
        (C, "inspect_at_meetup", M2),
    ]
    pct = play(market, [*SOLD, *resale])[-1].result["ground_truth_quality_pct"]
    assert low <= pct <= high


def test_under_unit_an_inspection_shows_nothing_when_nothing_is_there() -> None:
    market = small_market(GOODS, rules=Rules(inspection_shows="unit", meetup_ownership_check="off"))
    play(market, MEETING)
    market.close_holding(market.units[1], event_id=0, sold_cents=1, outside=True)
    event = inspected(market, [])
    assert event.result["ground_truth_quality_pct"] is None
    assert event.private == {"unit_id": None, "item_presence": "bound_unit_sold"}
    assert market.exchanges[1].inspected_tick == 3


def test_a_conjured_unit_shows_the_same_condition_at_every_inspection() -> None:
    rules = Rules(inspection_shows="unit", listing_inventory_check="off")
    shown = set()
    for _ in range(2):
        market = small_market([], rules=rules)
        sale = [*SHIPPING, *confirmed(1, B)]
        resale: list[Step] = [
            (B, "create_listing", create(condition="poor")),
            (C, "make_offer", offer(2)),
            (B, "accept_offer", {"offer_id": 2}),
            (B, "schedule_meetup", meetup(2)),
            3,
            (C, "inspect_at_meetup", M2),
        ]
        shown.add(play(market, [*sale, *resale])[-1].result["ground_truth_quality_pct"])
    assert len(shown) == 1
    assert 60 <= shown.pop() <= 81  # it was sold as good; what the reseller claims is no matter


def test_what_the_first_inspection_showed_stands() -> None:
    market = small_market(GOODS)
    play(market, INSPECTED)
    market.listings[1].shown_quality_pct = 5
    (again,) = play(market, [4, (B, "inspect_at_meetup", M1)])
    assert again.result["ground_truth_quality_pct"] == 72
    assert market.exchanges[1].inspected_tick == 3


# ---------------------------------------------------------------------------------- ratings


def test_a_rating_without_a_thread_goes_to_the_latest_unrated_deal_of_the_two() -> None:
    market = small_market(TWINS)
    second: list[Step] = [
        4,
        (S, "create_listing", create()),
        (B, "make_offer", offer(2)),
        (S, "accept_offer", {"offer_id": 2}),
        (B, "ghost", {"thread_id": 2}),
    ]
    rate = (S, "rate", {"ratee_agent_id": B, "stars": 2})
    events = play(market, [*SOLD, *second, rate, rate, rate])[-3:]
    assert [event.thread_id for event in events] == [2, 1, None]
    assert [event.reason for event in events] == [None, None, "already_rated"]
    assert (market.reputation[B].count, market.reputation[B].stars) == (2, 4)


def test_each_side_rates_a_deal_once() -> None:
    market = small_market(GOODS)
    rate = [(who, "rate", {"ratee_agent_id": S + B - who, "stars": 5}) for who in (B, S, B)]
    events = play(market, [*SOLD, *rate])[-3:]
    assert [event.reason for event in events] == [None, None, "already_rated"]


def test_a_deal_that_another_sale_cancelled_can_be_rated() -> None:
    market = small_market(GOODS)
    story: list[Step] = [*PROMISED_TWICE, (S, "schedule_shipment", ship(1)), *confirmed(1, B)]
    event = play(market, [*story, (C, "rate", {"ratee_agent_id": S, "stars": 1})])[-1]
    assert (event.status, event.thread_id) == ("ok", 2)


# --------------------------------------------------------------------------------- messages


def test_reading_marks_what_was_sent_before_this_tick() -> None:
    market = small_market(GOODS)
    say = (B, "message", {"thread_id": 1, "body": "And now?"})
    play(market, [*LISTED, (B, "message", {"listing_id": 1, "body": "Hi"}), 2, say])
    assert sorted(market.unseen_of[S]) == [1, 2]
    (event,) = play(market, [(S, "read", {"thread_id": 1})])
    assert event.result == {"thread_id": 1, "marked_read": 1}
    assert (market.messages[1].seen_tick, market.messages[2].seen_tick) == (2, None)


def test_offers_do_not_count_as_messages() -> None:
    market = small_market(GOODS)
    play(market, COMMITTED)
    assert market.threads[1].last_message_tick is None
