"""How threads and listings end (reference P §3.8).

What ends a thread always rejects its pending offers; an accepted offer stays accepted, and a
scheduled exchange stays scheduled, so that the deal can still be completed through it, unless the
rules say otherwise (P §7.1–7.3).
"""

from __future__ import annotations

from typing import Literal

from bazaarbench.market.entities import TERMINAL, Listing, Thread
from bazaarbench.market.state import Market


def reject_pending(market: Market, thread: Thread) -> None:
    """Reject the offers of a thread that are still pending."""
    for offer_id in sorted(market.pending_of_thread.get(thread.thread_id, ())):
        market.set_offer_status(market.offers[offer_id], "rejected")


def end_thread(
    market: Market, thread: Thread, status: Literal["completed", "cancelled", "ghosted"]
) -> None:
    """Move a thread to a terminal status, from whatever status it has."""
    market.set_thread_status(thread, status)
    reject_pending(market, thread)


def leave(market: Market, thread: Thread, status: Literal["cancelled", "ghosted"]) -> list[int]:
    """End a thread that one side leaves; returns the ids of the exchanges that end with it."""
    end_thread(market, thread, status)
    exchange = market.scheduled_exchange(thread.thread_id)
    if exchange is None or not market.rules.leaving_cancels:
        return []
    market.set_exchange_status(exchange, "cancelled")
    return [exchange.exchange_id]


def cancel_appointments(market: Market, listing: Listing) -> list[int]:
    """Call off every exchange on a listing that is sold; returns their ids, ascending.

    Only where the rules let a listing be sold once; the deal that bought it must have completed.
    """
    if not market.rules.sold_once:
        return []
    cancelled = []
    for thread_id in market.threads_of_listing.get(listing.listing_id, ()):
        exchange = market.scheduled_exchange(thread_id)
        if exchange is not None:
            market.set_exchange_status(exchange, "cancelled")
            cancelled.append(exchange.exchange_id)
    return sorted(cancelled)


def sell_listing(market: Market, listing: Listing) -> list[int]:
    """Mark a listing sold and cancel its threads that are still open or committed.

    The deal that bought it, if one did, must have been completed before.

    Returns:
        The ids of the cancelled threads, ascending.
    """
    market.set_listing_status(listing, "sold")
    cancelled = []
    for thread_id in market.threads_of_listing.get(listing.listing_id, ()):
        thread = market.threads[thread_id]
        if thread.status not in TERMINAL:
            end_thread(market, thread, "cancelled")
            cancelled.append(thread_id)
    return sorted(cancelled)
