"""The usual deal, stage by stage: S lists a unit, B buys it. Stories begin from one of these."""

from __future__ import annotations

from typing import Any

from tests.builders import B, C, Goods, S, Step

TITLE = "Nova tablet 11 grey"
GOODS = (Goods(S, TITLE),)


def create(title: str = TITLE, **changes: Any) -> dict[str, Any]:
    """Arguments of ``create_listing``."""
    return {
        "category": "electronics",
        "title": title,
        "description": "Works well.",
        "price_cents": 10_000,
        "condition": "good",
    } | changes


def offer(listing_id: int = 1, price: int = 9_000) -> dict[str, Any]:
    """Arguments of ``make_offer``."""
    return {"listing_id": listing_id, "price_cents": price}


def meetup(thread_id: int = 1, tick: int = 3) -> dict[str, Any]:
    """Arguments of ``schedule_meetup``."""
    return {
        "thread_id": thread_id,
        "location_desc": "Main St cafe",
        "scheduled_tick": tick,
        "payment_method": "cash",
    }


def ship(thread_id: int = 1, lag: int = 6) -> dict[str, Any]:
    """Arguments of ``schedule_shipment``."""
    return {"thread_id": thread_id, "delivery_lag_ticks": lag, "payment_method": "venmo"}


NOTHING: list[Step] = []
LISTED: list[Step] = [(S, "create_listing", create())]
TALKING: list[Step] = [*LISTED, (B, "message", {"listing_id": 1, "body": "Still there?"})]
OFFERED: list[Step] = [*LISTED, (B, "make_offer", offer())]
COMMITTED: list[Step] = [*OFFERED, (S, "accept_offer", {"offer_id": 1})]
MEETING: list[Step] = [*COMMITTED, (S, "schedule_meetup", meetup())]
SHIPPING: list[Step] = [*COMMITTED, (S, "schedule_shipment", ship())]
INSPECTED: list[Step] = [*MEETING, 3, (B, "inspect_at_meetup", {"meetup_id": 1})]
SOLD: list[Step] = [
    *INSPECTED,
    (S, "complete_transaction", {"meetup_id": 1}),
    (B, "complete_transaction", {"meetup_id": 1}),
]
#: C has an offer on the same listing, beside B's.
RIVALS: list[Step] = [*OFFERED, (C, "make_offer", offer(price=9_500))]
#: Both of them have been promised the unit.
PROMISED_TWICE: list[Step] = [
    *RIVALS,
    (S, "accept_offer", {"offer_id": 1}),
    (S, "accept_offer", {"offer_id": 2}),
]
