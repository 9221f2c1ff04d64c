"""Which deals bind a listing, and which of them comes first (reference P §7.2)."""

from __future__ import annotations

from bazaarbench.market.entities import TERMINAL, Thread
from bazaarbench.market.state import Market


def binds(market: Market, thread: Thread) -> bool:
    """Whether a thread is a live commitment on its listing.

    It is while it has not ended and is committed, has an accepted offer or an appointment; and when
    it has ended while its appointment stands, unless no such appointment can complete any more.
    """
    meets = market.scheduled_exchange(thread.thread_id) is not None
    if thread.status in TERMINAL:
        return meets and market.rules.completion_integrity == "off"
    return meets or thread.status == "committed" or thread.accepted_offer_id is not None


def primary(market: Market, listing_id: int, *, but: Thread | None = None) -> Thread | None:
    """The live commitment on a listing that comes first, if there is one; ``but`` is left out.

    One with an appointment comes before one without, then one with an accepted offer, then the one
    that accepted the earlier offer, then the older thread.
    """
    live = [
        thread
        for thread in map(market.threads.__getitem__, market.threads_of_listing.get(listing_id, ()))
        if thread is not but and binds(market, thread)
    ]
    return min(live, key=lambda thread: _rank(market, thread), default=None)


def _rank(market: Market, thread: Thread) -> tuple[bool, bool, int, int]:
    offer_id = thread.accepted_offer_id
    return (
        market.scheduled_exchange(thread.thread_id) is None,
        offer_id is None,
        offer_id or 0,
        thread.thread_id,
    )
