"""What the platform answers to each action in each situation (reference P §3), as one table.

A row reads: after this story, when this agent makes this call, it is answered so. ``ok`` stands for
itself, ``-reason`` for blocked, ``!reason`` for error.
"""

from __future__ import annotations

from typing import Any

import pytest

from bazaarbench.market.actions import ACTIONS
from bazaarbench.market.entities import Block
from bazaarbench.market.state import Market
from tests.builders import B, C, S, Step, play, small_market
from tests.market.stages import (
    COMMITTED,
    GOODS,
    INSPECTED,
    LISTED,
    MEETING,
    NOTHING,
    OFFERED,
    RIVALS,
    SHIPPING,
    SOLD,
    TALKING,
    create,
    meetup,
    offer,
    ship,
)

M1, T1, L1, O1 = {"meetup_id": 1}, {"thread_id": 1}, {"listing_id": 1}, {"offer_id": 1}
GONE = {"meetup_id": 99}
SAY = {"thread_id": 1, "body": "hello"}
ASK = {"listing_id": 1, "body": "hello"}
PHOTO = {"thread_id": 1, "listing_id": 1, "focus": "screen"}
STOCK = {"thread_id": 1, "listing_id": 1}
HINT = {"thread_id": 1, "focus_hint": "the back"}
COUNTER = {"offer_id": 1, "price_cents": 9_800}
LEFT: list[Step] = [*TALKING, (B, "leave_thread", T1)]
GHOSTED: list[Step] = [*TALKING, (S, "ghost", T1)]
CALLED_OFF: list[Step] = [*MEETING, (B, "cancel_meetup", {**M1, "reason": "ill"})]
MARKED: list[Step] = [*LISTED, (S, "mark_sold", L1)]
SOLD_ELSEWHERE: list[Step] = [*OFFERED, (S, "mark_sold", L1)]
UNOWNED: list[Step] = [(S, "create_listing", create("Garden shredder 2400 W"))]


def stars(who: int, n: int = 5, **more: Any) -> dict[str, Any]:
    return {"ratee_agent_id": who, "stars": n} | more


def why(meetup_id: int = 1) -> dict[str, Any]:
    return {"meetup_id": meetup_id, "reason": "changed my mind"}


Row = tuple[list[Step], int, str, dict[str, Any], str]

TABLE: list[Row] = [
    # doing nothing, looking around
    (NOTHING, S, "do_nothing", {}, "ok"),
    (NOTHING, S, "wait", {"ticks": 4}, "ok"),
    (NOTHING, S, "wait", {"ticks": 33}, "!validation"),
    (LISTED, B, "pin", L1, "ok"),
    (NOTHING, B, "pin", L1, "!listing_not_found"),
    (NOTHING, S, "recall", {"query": "tablet"}, "ok"),
    (NOTHING, S, "recall", {"query": ""}, "!validation"),
    (LISTED, B, "search", {"query": "tablet"}, "ok"),
    (LISTED, B, "search", {"query": "?!"}, "ok"),
    (LISTED, B, "search", {"query": "x", "max_distance_km": -1}, "!validation"),
    (LISTED, B, "browse_category", {"category": "electronics"}, "ok"),
    (LISTED, B, "browse_category", {"category": "no such thing"}, "ok"),
    (LISTED, B, "view_listing", L1, "ok"),
    (LISTED, S, "view_listing", L1, "ok"),
    (MARKED, S, "view_listing", L1, "-listing_not_active"),
    (NOTHING, B, "view_listing", L1, "!listing_not_found"),
    (NOTHING, B, "view_profile", {"user_agent_id": 1}, "ok"),
    (NOTHING, B, "view_profile", {"user_agent_id": 2}, "ok"),
    (NOTHING, B, "view_profile", {"user_agent_id": 99}, "!user_not_found"),
    # selling
    (NOTHING, S, "create_listing", create(), "ok"),
    (LISTED, S, "create_listing", create(), "ok"),
    (NOTHING, S, "create_listing", create("ab"), "!validation"),
    (NOTHING, S, "create_listing", create(condition="mint"), "!validation"),
    (LISTED, S, "edit_listing", {**L1, "price_cents": 8_000}, "ok"),
    (LISTED, S, "edit_listing", L1, "ok"),
    (LISTED, B, "edit_listing", L1, "-not_owner"),
    (MARKED, S, "edit_listing", L1, "-listing_sold"),
    (LISTED, S, "edit_listing", {**L1, "stated_quality_band": "good"}, "!validation"),
    (NOTHING, S, "edit_listing", L1, "!listing_not_found"),
    (LISTED, S, "bump_listing", L1, "ok"),
    (LISTED, B, "bump_listing", L1, "-not_owner"),
    (MARKED, S, "bump_listing", L1, "-listing_sold"),
    (NOTHING, S, "bump_listing", L1, "!listing_not_found"),
    (LISTED, S, "mark_sold", L1, "ok"),
    (LISTED, B, "mark_sold", L1, "-not_owner"),
    (MARKED, S, "mark_sold", L1, "-listing_sold"),
    (NOTHING, S, "mark_sold", L1, "!listing_not_found"),
    (MARKED, S, "relist", L1, "ok"),
    (SOLD, S, "relist", L1, "ok"),
    (LISTED, S, "relist", L1, "-already_active"),
    (MARKED, B, "relist", L1, "-not_owner"),
    (NOTHING, S, "relist", L1, "!listing_not_found"),
    # talking
    (LISTED, B, "message", ASK, "ok"),
    (TALKING, B, "message", ASK, "ok"),
    (TALKING, S, "message", SAY, "ok"),
    (COMMITTED, B, "message", SAY, "ok"),
    (COMMITTED, B, "message", ASK, "-thread_committed"),
    (TALKING, B, "message", {**SAY, "listing_id": 99}, "ok"),
    (TALKING, C, "message", SAY, "-not_a_participant"),
    (LEFT, S, "message", SAY, "-thread_cancelled"),
    (GHOSTED, B, "message", ASK, "-thread_ghosted"),
    (SOLD, B, "message", SAY, "-thread_completed"),
    (LISTED, S, "message", ASK, "-cannot_message_own_listing"),
    (MARKED, B, "message", ASK, "-listing_not_active"),
    (NOTHING, B, "message", SAY, "!thread_not_found"),
    (NOTHING, B, "message", ASK, "!listing_not_found"),
    (LISTED, B, "message", {"body": "to nobody"}, "!validation"),
    (LISTED, B, "message", {"listing_id": 1, "body": ""}, "!validation"),
    (TALKING, B, "request_photo", HINT, "ok"),
    (COMMITTED, S, "request_photo", HINT, "ok"),
    (TALKING, C, "request_photo", HINT, "-not_a_participant"),
    (LEFT, B, "request_photo", HINT, "-thread_cancelled"),
    (NOTHING, B, "request_photo", HINT, "!thread_not_found"),
    (TALKING, S, "read", T1, "ok"),
    (SOLD, S, "read", T1, "ok"),
    (TALKING, C, "read", T1, "-not_a_participant"),
    (NOTHING, S, "read", T1, "!thread_not_found"),
    (TALKING, B, "leave_thread", T1, "ok"),
    (COMMITTED, S, "leave_thread", T1, "ok"),
    (TALKING, C, "leave_thread", T1, "-not_a_participant"),
    (LEFT, S, "leave_thread", T1, "-thread_cancelled"),
    (NOTHING, B, "leave_thread", T1, "!thread_not_found"),
    (TALKING, B, "ghost", T1, "ok"),
    (COMMITTED, B, "ghost", T1, "ok"),
    (TALKING, C, "ghost", T1, "-not_a_participant"),
    (GHOSTED, B, "ghost", T1, "-thread_ghosted"),
    (NOTHING, B, "ghost", T1, "!thread_not_found"),
    # photos
    (TALKING, S, "send_photo", PHOTO, "ok"),
    (TALKING, B, "send_photo", {**PHOTO, "focus": ""}, "ok"),
    (TALKING, S, "send_photo", {**PHOTO, "privacy_mode": "paranoid"}, "ok"),
    (TALKING, S, "send_photo", {**PHOTO, "privacy_mode": "careless"}, "!validation"),
    (TALKING, C, "send_photo", PHOTO, "-not_a_participant"),
    (LEFT, S, "send_photo", PHOTO, "-thread_cancelled"),
    (
        [*TALKING, (S, "create_listing", create()), (S, "mark_sold", {"listing_id": 2})],
        S,
        "send_photo",
        {**PHOTO, "listing_id": 2},
        "-listing_not_active",
    ),
    (NOTHING, S, "send_photo", PHOTO, "!thread_not_found"),
    (TALKING, S, "send_photo", {**PHOTO, "listing_id": 99}, "!listing_not_found"),
    (TALKING, S, "send_stock_photo", STOCK, "ok"),
    (TALKING, C, "send_stock_photo", STOCK, "-not_a_participant"),
    (GHOSTED, S, "send_stock_photo", STOCK, "-thread_ghosted"),
    (NOTHING, S, "send_stock_photo", STOCK, "!thread_not_found"),
    (TALKING, S, "send_stock_photo", {**STOCK, "listing_id": 99}, "!listing_not_found"),
    # negotiating
    (LISTED, B, "make_offer", offer(), "ok"),
    (OFFERED, B, "make_offer", offer(), "ok"),
    (LISTED, B, "make_offer", offer(price=0), "ok"),
    (LISTED, B, "make_offer", {**offer(), "terms": {"pickup": True, "days": 2}}, "ok"),
    (LISTED, B, "make_offer", {**offer(), "terms": {"nested": {}}}, "!validation"),
    (LISTED, S, "make_offer", offer(), "-cannot_offer_on_own_listing"),
    (COMMITTED, B, "make_offer", offer(), "-thread_committed"),
    (LEFT, B, "make_offer", offer(), "-thread_cancelled"),
    (MARKED, B, "make_offer", offer(), "-listing_not_active"),
    (NOTHING, B, "make_offer", offer(), "!listing_not_found"),
    (OFFERED, S, "counter_offer", COUNTER, "ok"),
    (OFFERED, B, "counter_offer", COUNTER, "-cannot_counter_own_offer"),
    (OFFERED, C, "counter_offer", COUNTER, "-not_a_participant"),
    (COMMITTED, S, "counter_offer", COUNTER, "-offer_accepted"),
    (SOLD_ELSEWHERE, S, "counter_offer", COUNTER, "-offer_rejected"),
    (NOTHING, S, "counter_offer", COUNTER, "!offer_not_found"),
    (OFFERED, S, "accept_offer", O1, "ok"),
    ([*OFFERED, (S, "counter_offer", COUNTER)], B, "accept_offer", {"offer_id": 2}, "ok"),
    ([*OFFERED, (S, "counter_offer", COUNTER)], S, "accept_offer", O1, "-offer_countered"),
    (OFFERED, B, "accept_offer", O1, "-cannot_accept_own_offer"),
    (OFFERED, C, "accept_offer", O1, "-not_a_participant"),
    (COMMITTED, S, "accept_offer", O1, "-offer_accepted"),
    (NOTHING, S, "accept_offer", O1, "!offer_not_found"),
    (OFFERED, B, "withdraw_offer", O1, "ok"),
    (OFFERED, S, "withdraw_offer", O1, "-not_proposer"),
    (COMMITTED, S, "withdraw_offer", O1, "-not_proposer"),
    (COMMITTED, B, "withdraw_offer", O1, "-offer_accepted"),
    (NOTHING, B, "withdraw_offer", O1, "!offer_not_found"),
    # handing over
    (COMMITTED, S, "schedule_meetup", meetup(), "ok"),
    (COMMITTED, B, "schedule_meetup", meetup(tick=0), "ok"),
    (COMMITTED, C, "schedule_meetup", meetup(), "-not_a_participant"),
    (OFFERED, S, "schedule_meetup", meetup(), "-thread_not_committed_open"),
    (CALLED_OFF, S, "schedule_meetup", meetup(), "-thread_not_committed_cancelled"),
    (MEETING, S, "schedule_meetup", meetup(), "-meetup_already_scheduled"),
    (SHIPPING, S, "schedule_meetup", meetup(), "-meetup_already_scheduled"),
    (COMMITTED, S, "schedule_meetup", {**meetup(), "payment_method": "gold"}, "!validation"),
    (NOTHING, S, "schedule_meetup", meetup(), "!thread_not_found"),
    (COMMITTED, S, "schedule_shipment", ship(), "ok"),
    (COMMITTED, B, "schedule_shipment", ship(lag=72), "ok"),
    (COMMITTED, S, "schedule_shipment", ship(lag=73), "!validation"),
    (COMMITTED, C, "schedule_shipment", ship(), "-not_a_participant"),
    (OFFERED, S, "schedule_shipment", ship(), "-thread_not_committed_open"),
    (MEETING, S, "schedule_shipment", ship(), "-meetup_already_scheduled"),
    (NOTHING, S, "schedule_shipment", ship(), "!thread_not_found"),
    ([*MEETING, 3], B, "inspect_at_meetup", M1, "ok"),
    ([*MEETING, 9], B, "inspect_at_meetup", M1, "ok"),
    (INSPECTED, B, "inspect_at_meetup", M1, "ok"),
    (MEETING, B, "inspect_at_meetup", M1, "-before_scheduled_tick"),
    ([*MEETING, 3], S, "inspect_at_meetup", M1, "-only_buyer_inspects"),
    ([*MEETING, 3], C, "inspect_at_meetup", M1, "-only_buyer_inspects"),
    ([*SHIPPING, 9], B, "inspect_at_meetup", M1, "-not_a_meetup_delivery"),
    (SOLD, B, "inspect_at_meetup", M1, "-meetup_completed"),
    (CALLED_OFF, B, "inspect_at_meetup", M1, "-meetup_cancelled"),
    (NOTHING, B, "inspect_at_meetup", GONE, "!meetup_not_found"),
    (MEETING, S, "complete_transaction", M1, "ok"),
    (INSPECTED, B, "complete_transaction", M1, "ok"),
    (SHIPPING, B, "complete_transaction", M1, "ok"),
    (SHIPPING, S, "complete_transaction", {**M1, "handoff_proof": "anything"}, "ok"),
    ([*MEETING, 3], B, "complete_transaction", M1, "-must_inspect_first"),
    (INSPECTED, C, "complete_transaction", M1, "-not_a_participant"),
    (SOLD, B, "complete_transaction", M1, "-meetup_completed"),
    (CALLED_OFF, S, "complete_transaction", M1, "-meetup_cancelled"),
    (NOTHING, S, "complete_transaction", GONE, "!meetup_not_found"),
    (MEETING, S, "cancel_meetup", why(), "ok"),
    (SHIPPING, B, "cancel_meetup", why(), "ok"),
    (
        [*MEETING, (S, "complete_transaction", M1)],
        S,
        "cancel_meetup",
        why(),
        "ok",
    ),
    (MEETING, C, "cancel_meetup", why(), "-not_a_participant"),
    (SOLD, S, "cancel_meetup", why(), "-meetup_completed"),
    (MEETING, S, "cancel_meetup", M1, "!validation"),
    (NOTHING, S, "cancel_meetup", why(99), "!meetup_not_found"),
    # reputation
    (SOLD, B, "rate", stars(S), "ok"),
    (SOLD, S, "rate", stars(B, thread_id=1, body="Smooth."), "ok"),
    (CALLED_OFF, S, "rate", stars(B, 1), "ok"),
    ([*COMMITTED, (S, "ghost", T1)], B, "rate", stars(S, 1, thread_id=1), "ok"),
    (SOLD, B, "rate", stars(B), "-cannot_rate_self"),
    (SOLD, B, "rate", stars(99), "!ratee_not_found"),
    (SOLD, B, "rate", stars(S, thread_id=99), "!thread_not_found"),
    (SOLD, B, "rate", stars(C, thread_id=1), "-not_a_participant"),
    (SOLD, C, "rate", stars(S, thread_id=1), "-not_a_participant"),
    (TALKING, B, "rate", stars(S, thread_id=1), "-thread_not_terminal_open"),
    (COMMITTED, B, "rate", stars(S, thread_id=1), "-thread_not_terminal_committed"),
    (LEFT, B, "rate", stars(S, thread_id=1), "-no_shared_deal"),
    (LEFT, B, "rate", stars(S), "-no_shared_deal"),
    (SOLD, C, "rate", stars(S), "-no_shared_deal"),
    ([*SOLD, (B, "rate", stars(S))], B, "rate", stars(S, thread_id=1), "-already_rated"),
    ([*SOLD, (B, "rate", stars(S))], B, "rate", stars(S), "-already_rated"),
    ([*SOLD, (B, "rate", stars(S))], S, "rate", stars(B), "ok"),
    (SOLD, B, "rate", stars(S, 6), "!validation"),
    (NOTHING, B, "report_user", {"user_agent_id": 1, "reason": "rude"}, "ok"),
    (NOTHING, B, "report_user", {"user_agent_id": 2, "reason": "me"}, "-cannot_report_self"),
    (NOTHING, B, "report_user", {"user_agent_id": 9, "reason": "who"}, "!user_not_found"),
]


def answer(status: str, reason: str | None) -> str:
    return {"ok": "ok", "blocked": f"-{reason}", "error": f"!{reason}"}[status]


@pytest.mark.parametrize(
    ("story", "agent", "action", "arguments", "expected"),
    [
        pytest.param(*row, id=f"{number}: {row[1]} {row[2]} {row[4]}")
        for number, row in enumerate(TABLE)
    ],
)
def test_each_action_is_answered_as_the_platform_says(
    story: list[Step], agent: int, action: str, arguments: dict[str, Any], expected: str
) -> None:
    market = small_market(GOODS)
    assert {event.status for event in play(market, story)} <= {"ok"}, "the story itself is refused"
    (event,) = play(market, [(agent, action, arguments)])
    assert answer(event.status, event.reason) == expected


def test_the_table_has_every_action_applied_and_every_refusable_one_refused() -> None:
    applied = {action for _, _, action, _, expected in TABLE if expected == "ok"}
    refused = {action for _, _, action, _, expected in TABLE if expected.startswith("-")}
    never_refused = {
        "browse_category",
        "do_nothing",
        "pin",
        "recall",
        "search",
        "view_profile",
        "wait",
        "create_listing",  # only by the checks
    }
    assert applied == ACTIONS.keys()
    assert refused == ACTIONS.keys() - never_refused


def test_there_are_the_31_released_actions() -> None:
    names = (
        "do_nothing search browse_category view_listing pin create_listing edit_listing "
        "bump_listing mark_sold relist message send_photo send_stock_photo request_photo read wait "
        "leave_thread ghost make_offer counter_offer accept_offer withdraw_offer schedule_meetup "
        "schedule_shipment inspect_at_meetup complete_transaction cancel_meetup rate report_user "
        "view_profile recall"
    )
    assert list(ACTIONS) == sorted(names.split())
    assert len(ACTIONS) == 31


def block(market: Market, blocker: int, target: int) -> None:
    market.add(Block(market.new_id(Block), blocker, target, market.tick))


@pytest.mark.parametrize(
    ("story", "action", "arguments"),
    [
        (LISTED, "message", ASK),
        (TALKING, "message", SAY),
        (TALKING, "request_photo", HINT),
        (TALKING, "send_photo", PHOTO),
        (TALKING, "send_stock_photo", STOCK),
        (LISTED, "make_offer", offer()),
        ([*OFFERED, (S, "counter_offer", COUNTER)], "counter_offer", {**COUNTER, "offer_id": 2}),
    ],
)
def test_whom_the_other_side_has_blocked_neither_writes_nor_offers(
    story: list[Step], action: str, arguments: dict[str, Any]
) -> None:
    market = small_market(GOODS)
    play(market, story)
    block(market, S, B)
    (event,) = play(market, [(B, action, arguments)])
    assert (event.status, event.reason) == ("blocked", "blocked_by_counterparty")


def test_ones_own_block_does_not_silence_oneself() -> None:
    market = small_market(GOODS)
    block(market, B, S)
    assert [event.status for event in play(market, TALKING)] == ["ok", "ok"]


@pytest.mark.parametrize("action", sorted(ACTIONS))
def test_a_banned_agents_calls_are_blocked_whatever_they_are(action: str) -> None:
    market = small_market(GOODS)
    play(market, RIVALS)
    market.agents[B].status = "banned"
    arguments = next(args for _, _, name, args, said in TABLE if name == action and said == "ok")
    (event,) = play(market, [(B, action, arguments)])
    assert (event.status, event.reason) == ("blocked", "banned")


def test_a_banned_agents_listings_are_not_found_but_still_seen() -> None:
    market = small_market(GOODS)
    play(market, LISTED)
    market.agents[S].status = "banned"
    found, seen = play(market, [(B, "search", {"query": "tablet"}), (B, "view_listing", L1)])
    assert found.result["hit_count"] == 0
    assert seen.status == "ok"


def test_an_unowned_listing_goes_up_when_the_check_only_warns() -> None:
    market = small_market(GOODS)
    (event,) = play(market, UNOWNED)
    assert event.status == "ok"
    assert [warning["check"] for warning in event.private["warnings"]] == [
        "listing_inventory_check"
    ]
    assert "warning" not in str(event.result)
