"""The released tables as our rows, in two states: as they stand, and as the log rebuilds them.

A table holds the last state only; when and by what a row changed is in the log alone. So every row
begins as it was made and is changed by the replay, and at the end the released table has the last
word about its own columns, except where it goes on beyond the log (``Run.cut``).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import NamedTuple

from bazaarbench.market.entities import (
    TERMINAL,
    Exchange,
    ExchangeStatus,
    Listing,
    ListingStatus,
    Offer,
    OfferStatus,
    Thread,
    ThreadStatus,
)


class ListingEnd(NamedTuple):
    """How a listing stands in the released table; texts and price are in the row itself."""

    status: ListingStatus
    bumped_tick: int | None
    sold_tick: int | None
    view_count: int
    inquiry_count: int


class ThreadEnd(NamedTuple):
    """How a thread stands in the released table."""

    status: ThreadStatus
    last_message_tick: int | None


class ExchangeEnd(NamedTuple):
    """How an exchange stands in the released table."""

    status: ExchangeStatus
    buyer_confirmed: int
    seller_confirmed: int
    inspected_pct: int | None
    delivered_tick: int | None


class Text(NamedTuple):
    """What an edit can change in a listing."""

    title: str
    description: str
    price_cents: int
    condition: str


@dataclass(slots=True)
class Book:
    """Listings, threads, offers and exchanges, ascending by id, with their ends.

    ``posted`` are the listings that the log has put up, ``known`` the threads that it has named.
    ``notes`` counts what could not be taken as it was.
    """

    listings: dict[int, Listing] = field(default_factory=dict)
    threads: dict[int, Thread] = field(default_factory=dict)
    offers: dict[int, Offer] = field(default_factory=dict)
    exchanges: dict[int, Exchange] = field(default_factory=dict)
    listing_ends: dict[int, ListingEnd] = field(default_factory=dict)
    listing_texts: dict[int, Text] = field(default_factory=dict)
    thread_ends: dict[int, ThreadEnd] = field(default_factory=dict)
    offer_ends: dict[int, OfferStatus] = field(default_factory=dict)
    exchange_ends: dict[int, ExchangeEnd] = field(default_factory=dict)
    posted: set[int] = field(default_factory=set)
    known: set[int] = field(default_factory=set)
    threads_on: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    pending_in: dict[int, dict[int, None]] = field(default_factory=lambda: defaultdict(dict))
    notes: Counter[str] = field(default_factory=Counter)

    def meet(self, thread_id: int) -> Thread:
        """A thread that an applied event names; from now on it exists."""
        thread = self.threads[thread_id]
        if thread_id not in self.known:
            self.known.add(thread_id)
            self.threads_on[thread.listing_id].append(thread_id)
        return thread

    def end(self, thread: Thread, status: ThreadStatus, tick: int) -> None:
        """A thread ends, and with it its pending offers."""
        thread.status, thread.ended_tick = status, tick
        for offer_id in self.pending_in.pop(thread.thread_id, {}):
            self.offers[offer_id].status = "rejected"

    def end_all_on(self, listing_id: int, tick: int) -> list[int]:
        """Cancel what is still open or committed on a listing; the ids, ascending."""
        ended = []
        for thread_id in self.threads_on.get(listing_id, ()):
            thread = self.threads[thread_id]
            if thread.status not in TERMINAL:
                self.end(thread, "cancelled", tick)
                ended.append(thread_id)
        return sorted(ended)
