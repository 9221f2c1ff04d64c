"""A commitment reserves its listing (reference P §7.2; SPEC §4.4 ``commitment_lock``)."""

from __future__ import annotations

import pytest

from bazaarbench.market.rules import Rules
from bazaarbench.market.state import Market
from tests.builders import B, C, S, Step, play, small_market
from tests.market.handoffs import (
    INTEGRITY,
    LOCK,
    M1,
    M2,
    said,
    two_meetings,
)
from tests.market.stages import (
    COMMITTED,
    GOODS,
    LISTED,
    MEETING,
    RIVALS,
    meetup,
    offer,
    ship,
)

# ======================================================================== 7.2 the commitment lock


def test_case_12_a_second_acceptance_is_refused_until_the_first_deal_ends() -> None:
    market = small_market(GOODS, rules=LOCK)
    first, second = [(S, "accept_offer", {"offer_id": n}) for n in (1, 2)]
    refused = play(market, [*RIVALS, first, second])[-1]
    assert said(refused) == ("blocked", "listing_already_committed")
    assert refused.result == {
        "listing_id": 1,
        "thread_id": 2,
        "committed_thread_id": 1,
        "offer_id": 2,
    }
    assert market.offers[2].status == "pending"
    events = play(market, [(B, "leave_thread", {"thread_id": 1}), second])
    assert [said(event) for event in events] == [("ok", None)] * 2


RELEASES: dict[str, list[Step]] = {
    "cancel_meetup": [(S, "cancel_meetup", {**M1, "reason": "No"})],
    "leave_thread": [(B, "leave_thread", {"thread_id": 1})],
    "ghost": [(B, "ghost", {"thread_id": 1})],
}


@pytest.mark.parametrize("release", RELEASES.values(), ids=RELEASES)
def test_what_ends_a_deal_releases_its_listing(release: list[Step]) -> None:
    market = small_market(GOODS, rules=LOCK)
    rest: list[Step] = [(S, "accept_offer", {"offer_id": 1}), (S, "schedule_meetup", meetup())]
    events = play(market, [*RIVALS, *rest, *release, (S, "accept_offer", {"offer_id": 2})])
    assert said(events[-1]) == ("ok", None)
    assert market.exchanges[1].status == "cancelled"


@pytest.mark.parametrize("action", ["leave_thread", "ghost"])
@pytest.mark.parametrize("rules", [LOCK, INTEGRITY], ids=["lock", "integrity"])
def test_case_40_leaving_or_ghosting_calls_the_appointment_off(rules: Rules, action: str) -> None:
    market = small_market(GOODS, rules=rules)
    event = play(market, [*MEETING, (B, action, {"thread_id": 1})])[-1]
    assert event.result == {"thread_id": 1, "cancelled_meetup_ids": [1]}
    assert market.exchanges[1].status == "cancelled"


def test_leaving_without_an_appointment_names_none() -> None:
    market = small_market(GOODS, rules=LOCK)
    event = play(market, [*COMMITTED, (B, "leave_thread", {"thread_id": 1})])[-1]
    assert event.result == {"thread_id": 1}


def test_the_lock_never_expires() -> None:
    market = small_market(GOODS, rules=LOCK)
    events = play(market, [*RIVALS, (S, "accept_offer", {"offer_id": 1}), 200])
    assert len(events) == 4
    (late,) = play(market, [(S, "accept_offer", {"offer_id": 2})])
    assert late.reason == "listing_already_committed"


def three_deals() -> Market:
    """Deals of agents 2, 3 and 4 on one listing, as the paper's rules leave them."""
    market = small_market(GOODS, agents=4)
    offers = [(buyer, "make_offer", offer()) for buyer in (2, 3, 4)]
    # The last offer is accepted first, so that the order of acceptance is not that of the threads.
    accepts = [(S, "accept_offer", {"offer_id": n}) for n in (3, 2, 1)]
    play(market, [*LISTED, *offers, *accepts])
    market.rules = LOCK
    return market


def schedules(market: Market, thread_id: int) -> tuple[str, str | None, int | None]:
    event = play(market, [(S, "schedule_meetup", meetup(thread_id))])[0]
    return event.status, event.reason, event.result.get("committed_thread_id")


def test_of_several_deals_only_the_first_may_be_scheduled() -> None:
    market = three_deals()
    # The smallest accepted offer comes first.
    assert schedules(market, 3) == ("blocked", "listing_already_committed", 1)
    assert schedules(market, 1) == ("ok", None, None)


def test_of_two_deals_the_one_with_the_earlier_offer_comes_first_whichever_thread_is_older() -> (
    None
):
    market = small_market(GOODS)
    older: Step = (B, "message", {"listing_id": 1, "body": "Still there?"})
    offers: list[Step] = [(C, "make_offer", offer()), (B, "make_offer", offer())]
    accepts: list[Step] = [(S, "accept_offer", {"offer_id": n}) for n in (2, 1)]
    play(market, [*LISTED, older, *offers, *accepts])
    market.rules = LOCK
    assert schedules(market, 1) == ("blocked", "listing_already_committed", 2)


def test_a_deal_with_an_appointment_comes_before_one_with_an_earlier_offer() -> None:
    market = three_deals()
    market.rules = Rules()
    play(market, [(S, "schedule_shipment", ship(2))])
    market.rules = LOCK
    assert schedules(market, 1) == ("blocked", "listing_already_committed", 2)


@pytest.mark.parametrize(
    ("integrity", "reason"), [("off", "listing_already_committed"), ("on", None)]
)
def test_an_ended_deal_whose_appointment_stands_binds_its_listing_unless_it_cannot_complete(
    integrity: str, reason: str | None
) -> None:
    market = two_meetings(Rules())
    play(market, [(B, "ghost", {"thread_id": 1}), (C, "cancel_meetup", {**M2, "reason": ""})])
    assert (market.threads[1].status, market.exchanges[1].status) == ("ghosted", "scheduled")
    market.rules = Rules.model_validate(
        {"commitment_lock": "on", "completion_integrity": integrity}
    )
    new: list[Step] = [(4, "make_offer", offer()), (S, "accept_offer", {"offer_id": 3})]
    assert play(market, new)[-1].reason == reason


def test_an_open_offer_alone_binds_nothing() -> None:
    market = small_market(GOODS, rules=LOCK)
    events = play(market, [*RIVALS, (S, "accept_offer", {"offer_id": 2})])
    assert said(events[-1]) == ("ok", None)
