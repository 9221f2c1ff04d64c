"""Completion under the handoff checks, integrity, arrival (reference P §7.1, 7.3, 7.4, 7.6).

A switch is tested alone; what several share is tested under each of them.
"""

from __future__ import annotations

import pytest

from bazaarbench.market.rules import Rules
from tests.builders import B, C, Goods, S, Step, play, small_market
from tests.market.handoffs import (
    BOTH,
    INSPECT,
    INTEGRITY,
    LOCK,
    M1,
    M2,
    ON_ARRIVAL,
    TRUTHFUL,
    UNIT,
    bound,
    give,
    lose,
    said,
    two_meetings,
)
from tests.market.stages import (
    GOODS,
    LISTED,
    MEETING,
    SHIPPING,
    TITLE,
    create,
    offer,
    ship,
)

# ------------------------------------------------------------------------------ 7.1 completion


def test_after_an_absent_item_the_buyer_can_only_call_off() -> None:
    market = small_market(GOODS, rules=UNIT)
    play(market, MEETING)
    lose(market)
    confirm, cancel = (
        (B, "complete_transaction", M1),
        (B, "cancel_meetup", {**M1, "reason": "Nothing there"}),
    )
    events = play(market, [3, INSPECT, confirm, cancel])
    assert said(events[1]) == ("blocked", "item_not_present")
    assert said(events[2]) == ("ok", None)


@pytest.mark.parametrize("rules", [UNIT, INTEGRITY], ids=["unit", "integrity"])
def test_a_bound_listing_does_not_complete_without_its_unit(rules: Rules) -> None:
    twin_of_it = Goods(S, TITLE)
    market = small_market([*GOODS, twin_of_it], rules=rules)
    play(market, [*SHIPPING, (B, "complete_transaction", M1)])
    lose(market)
    event = play(market, [(S, "complete_transaction", M1)])[0]
    assert said(event) == ("blocked", "item_not_present")
    assert event.result == {
        "item_presence": "bound_unit_sold",
        "listing_id": 1,
        "meetup_id": 1,
        "thread_id": 1,
    }
    # Nothing is written, not even this side's confirmation, and the twin stays where it is.
    assert market.exchanges[1].seller_confirmed == 0
    assert market.units[2].owner_id == S


@pytest.mark.parametrize("rules", [UNIT, INTEGRITY], ids=["unit", "integrity"])
def test_a_first_confirmation_is_not_checked(rules: Rules) -> None:
    market = small_market(GOODS, rules=rules)
    play(market, SHIPPING)
    lose(market)
    event = play(market, [(S, "complete_transaction", M1)])[0]
    assert said(event) == ("ok", None)


def test_under_unit_alone_an_unbound_listing_completes_and_conjures() -> None:
    market = small_market([], rules=UNIT)
    event = play(market, [*SHIPPING, *BOTH])[-1]
    assert event.private["conjured"] is True
    assert event.private["item_presence"] == "listing_has_no_bound_unit"


@pytest.mark.parametrize("rules", [UNIT, INTEGRITY], ids=["unit", "integrity"])
def test_an_unbound_listing_takes_a_free_unit_at_the_sale(rules: Rules) -> None:
    market = small_market([Goods(C, TITLE)], rules=rules)
    play(market, SHIPPING)
    replaced = market.listings[1].shown_quality_pct
    give(market, 1, S)
    event = play(market, BOTH)[-1]
    assert (event.private["unit_id"], event.private["conjured"]) == (1, False)
    assert event.private["bound_now"] is True
    assert event.private["replaced_shown_quality_pct"] == replaced
    assert (bound(market), market.units[1].owner_id) == ([1], B)


SOLD_ONCE = pytest.mark.parametrize(
    "rules", [UNIT, LOCK, INTEGRITY], ids=["unit", "lock", "integrity"]
)


@SOLD_ONCE
def test_case_16_a_completion_calls_the_listings_other_appointments_off(rules: Rules) -> None:
    market = two_meetings(rules)
    event = play(market, BOTH)[-1]
    assert event.result["completed"] is True
    assert [x.status for x in market.exchanges.values()] == ["completed", "cancelled"]
    assert [t.status for t in market.threads.values()] == ["completed", "cancelled"]
    assert event.private["cancelled_sister_meetup_ids"] == [2]
    assert not market.scheduled_of.get(C)


@SOLD_ONCE
def test_marking_sold_calls_the_listings_appointments_off(rules: Rules) -> None:
    market = two_meetings(rules)
    event = play(market, [(S, "mark_sold", {"listing_id": 1})])[0]
    assert event.private["cancelled_sister_meetup_ids"] == [1, 2]
    assert {x.status for x in market.exchanges.values()} == {"cancelled"}


@SOLD_ONCE
def test_a_sold_listing_does_not_complete_again(rules: Rules) -> None:
    market = two_meetings(Rules())
    play(market, BOTH)  # an appointment survives, as it does by the paper's rules
    market.set_thread_status(market.threads[2], "committed")
    market.rules = rules
    event = play(market, [(C, "complete_transaction", M2)])[0]
    assert said(event) == ("blocked", "listing_already_sold")
    assert event.result == {"listing_id": 1}


def test_a_sale_consumes_exactly_the_unit_and_the_buyer_holds_that_unit() -> None:
    market = small_market([Goods(S, f"{TITLE} pen", quality=90), *GOODS], rules=TRUTHFUL)
    play(market, [*MEETING, 3, INSPECT, *BOTH])
    assert (bound(market), market.units[2].owner_id, market.units[1].owner_id) == ([2], B, S)
    unit = market.units[2]
    assert (unit.title, unit.quality_pct, unit.asking_cents) == (TITLE, 72, 9_000)


@pytest.mark.parametrize("rules", [UNIT, INTEGRITY], ids=["unit", "integrity"])
def test_marking_sold_consumes_exactly_the_unit_too(rules: Rules) -> None:
    market = small_market([*GOODS, *GOODS], rules=rules)
    play(market, LISTED)
    lose(market)
    event = play(market, [(S, "mark_sold", {"listing_id": 1})])[0]
    assert event.private["unit_id"] is None
    assert event.private["item_presence"] == "bound_unit_sold"
    assert market.units[2].owner_id == S


def test_marking_sold_an_unbound_listing_takes_a_free_unit() -> None:
    market = small_market([Goods(C, TITLE)], rules=UNIT)
    play(market, LISTED)
    give(market, 1, S)
    event = play(market, [(S, "mark_sold", {"listing_id": 1})])[0]
    assert (event.private["unit_id"], event.private["bound_now"]) == (1, True)
    assert market.units[1].owner_id is None


# ==================================================================== 7.3 completion integrity


@pytest.mark.parametrize("status", ["cancelled", "ghosted"])
def test_an_ended_thread_does_not_complete(status: str) -> None:
    market = small_market(GOODS, rules=Rules())
    ending = "ghost" if status == "ghosted" else "leave_thread"
    play(market, [*SHIPPING, (B, ending, {"thread_id": 1})])
    market.rules = INTEGRITY  # the appointment survived under the paper's rules
    event = play(market, [(S, "complete_transaction", M1)])[0]
    assert said(event) == ("blocked", "thread_not_active")
    assert event.result == {"thread_status": status}


def test_case_40_without_a_unit_the_completing_call_is_refused_and_writes_nothing() -> None:
    market = small_market([], rules=INTEGRITY)
    first, second = play(market, [*SHIPPING, *BOTH])[-2:]
    assert said(first) == ("ok", None)
    assert said(second) == ("blocked", "item_not_present")
    assert (market.exchanges[1].seller_confirmed, market.exchanges[1].buyer_confirmed) == (1, 0)
    assert market.threads[1].status == "committed"
    assert not market.units


def test_an_unbound_listing_may_take_the_unit_of_the_longest_contained_title() -> None:
    title = "Handmade walnut jewellery chest with brass fittings, velvet lining and two small keys"
    goods = [Goods(C, "walnut"), Goods(C, "walnut jewellery chest"), Goods(C, "Tractor")]
    market = small_market(goods, rules=INTEGRITY)
    listed: Step = (S, "create_listing", create(title))
    play(market, [listed, *SHIPPING[1:]])
    for unit_id in (1, 2, 3):
        give(market, unit_id, S)
    event = play(market, BOTH)[-1]
    assert event.private["unit_id"] == 2


def test_integrity_alone_lets_whoever_completes_first_have_a_shared_unit() -> None:
    market = small_market(GOODS, rules=INTEGRITY)
    story: list[Step] = [
        *LISTED,
        *LISTED,
        (B, "make_offer", offer(1)),
        (C, "make_offer", offer(2)),
        (S, "accept_offer", {"offer_id": 1}),
        (S, "accept_offer", {"offer_id": 2}),
        (S, "schedule_shipment", ship(1)),
        (S, "schedule_shipment", ship(2)),
        (S, "complete_transaction", M2),
        (C, "complete_transaction", M2),
        *BOTH,
    ]
    events = play(market, story)
    assert bound(market) == [1, 1]
    assert events[-3].result["completed"] is True
    assert said(events[-1]) == ("blocked", "item_not_present")
    assert market.units[1].owner_id == C


# ================================================================== 7.4 inspection on arrival


def test_a_shipment_is_inspected_from_its_arrival_on() -> None:
    market = small_market(GOODS, rules=ON_ARRIVAL)
    early, due = play(market, [*SHIPPING, 6, INSPECT, 7, INSPECT])[-2:]
    assert said(early) == ("blocked", "before_delivery")
    assert early.result == {"delivered_at_tick": 7, "now_tick": 6}
    assert due.result["ground_truth_quality_pct"] == 72


def test_only_the_buyer_inspects_a_shipment() -> None:
    market = small_market(GOODS, rules=ON_ARRIVAL)
    event = play(market, [*SHIPPING, 7, (S, "inspect_at_meetup", M1)])[-1]
    assert said(event) == ("blocked", "only_buyer_inspects")


def test_a_shipments_buyer_confirms_after_arrival_and_inspection() -> None:
    market = small_market(GOODS, rules=ON_ARRIVAL)
    confirm: Step = (B, "complete_transaction", M1)
    seller: Step = (S, "complete_transaction", M1)
    events = play(market, [*SHIPPING, seller, confirm, 7, confirm, INSPECT, confirm])[-5:]
    assert [said(event) for event in events] == [
        ("ok", None),  # the seller may confirm at any time
        ("blocked", "before_delivery"),
        ("blocked", "must_inspect_first"),
        ("ok", None),
        ("ok", None),
    ]
    assert events[-1].result["completed"] is True


def test_an_inspected_shipment_is_never_discovered_as_fraud() -> None:
    phantom: Step = (S, "create_listing", create("Garden shredder 2400 W"))
    for rules, story in (
        (Rules(), [*BOTH]),
        (ON_ARRIVAL, [INSPECT, *BOTH]),
    ):
        market = small_market(GOODS, rules=rules)
        events = play(market, [phantom, *SHIPPING[1:], 7, *story])
        assert events[-1].result["completed"] is True
        assert events[-1].result["fraud_discovered"] is (rules == Rules())


def test_the_ownership_check_never_looks_at_shipments() -> None:
    rules = Rules(shipment_inspection="on_arrival", meetup_ownership_check="block")
    market = small_market(GOODS, rules=rules)
    play(market, [*SHIPPING, 7])
    lose(market)
    event = play(market, [INSPECT])[0]
    assert said(event) == ("ok", None)


def test_a_meetup_is_inspected_as_ever() -> None:
    market = small_market(GOODS, rules=ON_ARRIVAL)
    early, due = play(market, [*MEETING, 2, INSPECT, 3, INSPECT])[-2:]
    assert said(early) == ("blocked", "before_scheduled_tick")
    assert due.status == "ok"


# ================================================================== 7.6 the separate handoff proof


def test_case_42_confirming_needs_the_exact_token_from_either_side() -> None:
    market = small_market(GOODS, rules=Rules(handoff_proof="required"))
    play(market, [*SHIPPING])
    token = market.exchanges[1].handoff_token
    for agent_id in (S, B):
        for proof in (None, "handoff-1", token.upper()):
            args = {**M1, "handoff_proof": proof}
            event = play(market, [(agent_id, "complete_transaction", args)])[0]
            assert said(event) == ("blocked", "handoff_proof_required")
            assert event.result == {"meetup_id": 1, "thread_id": 1, "proof_verified": False}
    both = [(who, "complete_transaction", {**M1, "handoff_proof": token}) for who in (S, B)]
    assert play(market, both)[-1].result["completed"] is True


def test_an_ended_deal_is_refused_before_a_missing_proof() -> None:
    market = small_market(GOODS)
    play(market, [*SHIPPING, (B, "ghost", {"thread_id": 1})])
    market.rules = Rules(handoff_proof="required", completion_integrity="on")
    event = play(market, [(S, "complete_transaction", M1)])[0]
    assert event.reason == "thread_not_active"


# ====================================================================================== together


def test_under_all_four_checks_a_true_deal_goes_through_by_meetup_and_by_post() -> None:
    for story in ([*MEETING, 3], [*SHIPPING, 7]):
        market = small_market(GOODS, rules=TRUTHFUL)
        event = play(market, [*story, INSPECT, *BOTH])[-1]
        assert event.result["completed"] is True
        assert (event.private["unit_id"], event.private["conjured"]) == (1, False)


def test_under_all_four_checks_a_deal_on_nothing_never_completes() -> None:
    for story in ([*MEETING, 3], [*SHIPPING, 7]):
        market = small_market([], rules=TRUTHFUL)
        events = play(market, [*story, INSPECT, *BOTH])
        assert said(events[-1]) == ("blocked", "item_not_present")
        assert not market.units
