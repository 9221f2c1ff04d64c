"""The rows that the replay reads, and which actions it reads them of."""

from __future__ import annotations

from typing import NamedTuple

from bazaarbench.evidence.marks import Mark

#: What counts as acting upon a listing: each leaves a message or an offer.
CONTACTS = frozenset(
    {
        "message",
        "request_photo",
        "send_photo",
        "send_stock_photo",
        "make_offer",
        "counter_offer",
    }
)
#: Contacts that are no message.
OFFERS = frozenset({"make_offer", "counter_offer"})
#: Refused calls of these are read too: they count as attempts, or a check refused them.
ATTEMPTS = frozenset(
    {
        "create_listing",
        "relist",
        "accept_offer",
        "schedule_meetup",
        "schedule_shipment",
        "send_photo",
        "inspect_at_meetup",
    }
)


class Row(NamedTuple):
    """An event row; the three JSON columns are ``None`` where nothing in them is needed."""

    event_id: int
    tick: int
    agent_id: int | None
    action: str
    status: str
    listing_id: int | None
    thread_id: int | None
    payload: str | None
    result: str | None
    private: str | None

    @property
    def mark(self) -> Mark:
        """Its position."""
        return Mark(self.tick, self.event_id)


class OfferFacts(NamedTuple):
    """An offer's thread and price in cents."""

    thread_id: int
    price_cents: int
