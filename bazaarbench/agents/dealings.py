"""What an agent has going with others, as rows of its observation.

Its conversations, deals, appointments, messages, offers and listings, and the deals that it may
rate. Rows are kept from tick to tick (``kept.py``) and must not be changed.
"""

from __future__ import annotations

from heapq import nlargest
from typing import NamedTuple

from bazaarbench.agents.kept import EMPTY, Kept, Row, Shown, section, shown
from bazaarbench.agents.told import presented
from bazaarbench.agents.watch import Changes
from bazaarbench.market.commitments import primary
from bazaarbench.market.entities import Exchange, Listing, Offer, Thread
from bazaarbench.market.state import Market

#: Limits of SPEC §5.2 and reference A §3.1.
THREADS_SHOWN = 10
LISTINGS_SHOWN = 10
MESSAGES_SHOWN = 5
OFFERS_SHOWN = 5
TO_RATE_SHOWN = 5
MESSAGE_TEXT = 120
#: Ticks after the end of a deal within which a rating is expected; nothing enforces it.
RATING_WINDOW = 12

#: What the focus thread is while there is no open one.
NOTHING = Shown(None, "null")
#: How many rows of a section are kept for each agent before all of them are let go.
_KEPT_AN_AGENT = 32


class Going(NamedTuple):
    """The sections about one agent that stay as they are until one of their rows changes."""

    deals: Shown
    exchanges: Shown
    focus: Shown
    listings: Shown
    threads: Shown


class Dealings:
    """Makes these sections for the agents of one market."""

    def __init__(self, market: Market) -> None:
        self._market = market
        limit = _KEPT_AN_AGENT * max(64, len(market.agents))
        self._going: dict[int, Going] = {}
        self._versions: dict[int, int] = {}
        self._kept_threads = Kept(limit)
        self._kept_focus = Kept(limit)
        self._kept_deals = Kept(limit)
        self._kept_exchanges = Kept(limit)
        self._kept_listings = Kept(limit)

    def start(self, changes: Changes | None) -> None:
        """Let go of what has changed; of everything when that is not known."""
        if changes is None:
            self._going.clear()
            self._versions.clear()
            return
        market = self._market
        # A new message changes its thread too.
        tables = ("threads", "offers", "exchanges")
        thread_ids = {row.thread_id for table in tables for row in changes.rows(table)}
        for listing in changes.rows("listings"):
            self._going.pop(listing.owner_id, None)
            # Threads show what a listing says, not how often it was viewed, which changes most.
            if self._versions.get(listing.listing_id) != listing.version:
                self._versions[listing.listing_id] = listing.version
                thread_ids.update(market.threads_of_listing.get(listing.listing_id, ()))
        for thread_id in thread_ids:
            for agent_id in market.parties(market.threads[thread_id]):
                self._going.pop(agent_id, None)

    def going(self, agent_id: int) -> Going:
        """The sections that depend on nothing but threads, offers, exchanges and listings."""
        known = self._going.get(agent_id)
        if known is None:
            threads, counters = self._open_threads(agent_id)
            known = self._going[agent_id] = Going(
                deals=self._deals(agent_id),
                exchanges=self._exchanges(agent_id),
                focus=self._focus(threads[0], agent_id) if threads else NOTHING,
                listings=self._listings(agent_id, counters),
                threads=self._threads(threads, agent_id),
            )
        return known

    def _open_threads(self, agent_id: int) -> tuple[list[Thread], dict[int, int]]:
        """The open threads, last active first, and own pending counter-offers by listing."""
        market = self._market
        counters: dict[int, int] = {}
        threads = []
        for thread_id in market.open_threads_of.get(agent_id, ()):
            thread = market.threads[thread_id]
            threads.append(thread)
            if thread.buyer_id != agent_id:
                for offer_id in market.pending_of_thread.get(thread_id, ()):
                    if market.offers[offer_id].proposer_id == agent_id:
                        listing_id = thread.listing_id
                        counters[listing_id] = counters.get(listing_id, 0) + 1
        return nlargest(THREADS_SHOWN, threads, key=_last_active), counters

    def _threads(self, threads: list[Thread], agent_id: int) -> Shown:
        return section([self._thread(thread, agent_id) for thread in threads]) if threads else EMPTY

    def _thread(self, thread: Thread, agent_id: int) -> Shown:
        market = self._market
        listing = market.listings[thread.listing_id]
        pending = market.pending_of_thread.get(thread.thread_id)
        offer = market.offers[max(pending)] if pending else None
        return self._kept_threads.row(
            (thread.thread_id, agent_id),
            (listing.version, thread.last_message_tick, offer and offer.offer_id),
            self._thread_row,
            thread,
            listing,
            offer,
            agent_id,
        )

    def _thread_row(
        self, thread: Thread, listing: Listing, pending: Offer | None, agent_id: int
    ) -> Row:
        buys = thread.buyer_id == agent_id
        return {
            "asking_price_cents": listing.price_cents,
            "counterparty_id": thread.seller_id if buys else thread.buyer_id,
            "last_message_tick": thread.last_message_tick,
            "last_pending_offer": self._offer(pending, agent_id) if pending else None,
            "listing_id": listing.listing_id,
            "opened_tick": thread.created_tick,
            "role": "buyer" if buys else "seller",
            "thread_id": thread.thread_id,
            "title": listing.title,
        }

    def _offer(self, offer: Offer, agent_id: int) -> Row:
        return {
            "by": "you" if offer.proposer_id == agent_id else "them",
            "offer_id": offer.offer_id,
            "price_cents": offer.price_cents,
            "round": offer.round,
            "tick": offer.tick,
        }

    def _focus(self, thread: Thread, agent_id: int) -> Shown:
        """The whole trail of the thread that was last active."""
        market, thread_id = self._market, thread.thread_id
        # Messages never change, and an offer only once: when it is no longer pending.
        state = (
            len(market.messages_of_thread.get(thread_id, ())),
            len(market.offers_of_thread.get(thread_id, ())),
            len(market.pending_of_thread.get(thread_id, ())),
        )
        return self._kept_focus.row((thread_id, agent_id), state, self._focus_row, thread, agent_id)

    def _focus_row(self, thread: Thread, agent_id: int) -> Row:
        market = self._market
        buys = thread.buyer_id == agent_id
        return {
            "counterparty_id": thread.seller_id if buys else thread.buyer_id,
            "listing_id": thread.listing_id,
            "messages": [
                {
                    "body": message.body,
                    "by": "you" if message.sender_id == agent_id else "them",
                    "tick": message.tick,
                }
                for message in map(
                    market.messages.__getitem__,
                    market.messages_of_thread.get(thread.thread_id, ()),
                )
            ],
            "offers": [
                {
                    "by": "you" if offer.proposer_id == agent_id else "them",
                    "offer_id": offer.offer_id,
                    "price_cents": offer.price_cents,
                    "round": offer.round,
                    "status": offer.status,
                    "tick": offer.tick,
                }
                for offer in map(
                    market.offers.__getitem__, market.offers_of_thread.get(thread.thread_id, ())
                )
            ],
            "role": "buyer" if buys else "seller",
            "thread_id": thread.thread_id,
        }

    def _deals(self, agent_id: int) -> Shown:
        """Accepted deals that have no appointment yet, newest first; all of them."""
        market = self._market
        committed = market.committed_threads_of.get(agent_id)
        if not committed:
            return EMPTY
        scheduled = {
            market.exchanges[exchange_id].thread_id
            for exchange_id in market.scheduled_of.get(agent_id, ())
        }
        waiting = [
            market.threads[thread_id] for thread_id in committed if thread_id not in scheduled
        ]
        waiting.sort(key=lambda thread: (thread.committed_tick or 0, thread.thread_id))
        return section([self._deal(thread, agent_id) for thread in reversed(waiting)])

    def _deal(self, thread: Thread, agent_id: int) -> Shown:
        listing = self._market.listings[thread.listing_id]
        return self._kept_deals.row(
            (thread.thread_id, agent_id),
            listing.version,
            self._deal_row,
            thread,
            listing,
            agent_id,
        )

    def _deal_row(self, thread: Thread, listing: Listing, agent_id: int) -> Row:
        buys = thread.buyer_id == agent_id
        return {
            "accepted_tick": thread.committed_tick,
            "band": listing.band,
            "category": listing.category,
            "counterparty_id": thread.seller_id if buys else thread.buyer_id,
            "listing_id": listing.listing_id,
            "price_cents": self._agreed_cents(thread),
            "role": "buyer" if buys else "seller",
            "thread_id": thread.thread_id,
            "title": listing.title,
        }

    def _agreed_cents(self, thread: Thread) -> int | None:
        offer_id = thread.accepted_offer_id
        return None if offer_id is None else self._market.offers[offer_id].price_cents

    def _exchanges(self, agent_id: int) -> Shown:
        """Scheduled exchanges, earliest first; all of them, whatever became of their thread."""
        market = self._market
        ids = market.scheduled_of.get(agent_id)
        if not ids:
            return EMPTY
        scheduled = [market.exchanges[exchange_id] for exchange_id in ids]
        scheduled.sort(key=lambda exchange: (exchange.scheduled_tick, exchange.exchange_id))
        return section([self._exchange(exchange, agent_id) for exchange in scheduled])

    def _exchange(self, exchange: Exchange, agent_id: int) -> Shown:
        market = self._market
        thread = market.threads[exchange.thread_id]
        listing = market.listings[thread.listing_id]
        state = (
            listing.version,
            thread.status,
            exchange.buyer_confirmed,
            exchange.seller_confirmed,
            exchange.inspected_pct,
            exchange.inspected_tick,
        )
        return self._kept_exchanges.row(
            (exchange.exchange_id, agent_id),
            state,
            self._exchange_row,
            exchange,
            thread,
            listing,
            agent_id,
        )

    def _exchange_row(
        self, exchange: Exchange, thread: Thread, listing: Listing, agent_id: int
    ) -> Row:
        buys = thread.buyer_id == agent_id
        row = {
            "band": listing.band,
            "category": listing.category,
            "counterparty_id": thread.seller_id if buys else thread.buyer_id,
            "eta_tick": exchange.eta_tick,
            "inspected_pct": exchange.inspected_pct,
            "listing_id": listing.listing_id,
            "location": exchange.location,
            "meetup_id": exchange.exchange_id,
            "method": exchange.method,
            "payment": exchange.payment,
            "price_cents": self._agreed_cents(thread),
            "role": "buyer" if buys else "seller",
            "scheduled_tick": exchange.scheduled_tick,
            "thread_id": thread.thread_id,
            "thread_status": thread.status,
            "title": listing.title,
            "you_confirmed": bool(exchange.buyer_confirmed if buys else exchange.seller_confirmed),
        }
        if self._market.rules.inspection_shows == "unit":
            row |= presented(self._market, exchange, listing)
            row = {key: row[key] for key in sorted(row)}
        return row

    def messages(self, agent_id: int) -> tuple[Shown, tuple[int, ...]]:
        """The newest messages that the agent has not been shown, and their ids."""
        market = self._market
        unseen = market.unseen_of.get(agent_id)
        if not unseen:
            return EMPTY, ()
        newest = tuple(nlargest(MESSAGES_SHOWN, unseen))
        rows = []
        for message_id in newest:
            message = market.messages[message_id]
            rows.append(
                {
                    "body": message.body[:MESSAGE_TEXT],
                    "from_id": message.sender_id,
                    "listing_id": market.threads[message.thread_id].listing_id,
                    "message_id": message_id,
                    "thread_id": message.thread_id,
                    "tick": message.tick,
                }
            )
        return shown(rows), newest

    def offers(self, agent_id: int) -> Shown:
        """The newest pending offers of others on the agent's listings."""
        market = self._market
        pending = market.pending_for.get(agent_id)
        if not pending:
            return EMPTY
        mine = [
            offer_id
            for offer_id in pending
            if market.threads[market.offers[offer_id].thread_id].seller_id == agent_id
        ]
        rows = []
        for offer_id in nlargest(OFFERS_SHOWN, mine):
            offer = market.offers[offer_id]
            listing = market.listings[market.threads[offer.thread_id].listing_id]
            count, average = self._standing(offer.proposer_id)
            rows.append(
                {
                    "asking_price_cents": listing.price_cents,
                    **self._reserved(listing, "listing_committed_to_thread"),
                    "listing_id": listing.listing_id,
                    "offer_id": offer_id,
                    "price_cents": offer.price_cents,
                    "proposer_avg_stars": average,
                    "proposer_id": offer.proposer_id,
                    "proposer_ratings": count,
                    "round": offer.round,
                    "thread_id": offer.thread_id,
                    "tick": offer.tick,
                    "title": listing.title,
                }
            )
        return shown(rows)

    def _standing(self, agent_id: int) -> tuple[int, float | None]:
        standing = self._market.reputation.get(agent_id)
        if standing is None or not standing.count:
            return 0, None
        return standing.count, round(standing.stars / standing.count, 2)

    def _listings(self, agent_id: int, counters: dict[int, int]) -> Shown:
        """The agent's newest active listings."""
        market = self._market
        active = market.active_of_owner.get(agent_id)
        if not active:
            return EMPTY
        mine = [market.listings[listing_id] for listing_id in active]
        mine.sort(key=lambda listing: (listing.created_tick, listing.listing_id), reverse=True)
        return section([self._listing(one, counters) for one in mine[:LISTINGS_SHOWN]])

    def _listing(self, listing: Listing, counters: dict[int, int]) -> Shown:
        listing_id = listing.listing_id
        pending = counters.get(listing_id, 0)
        offers = self._market.offer_count.get(listing_id, 0)
        reserved = self._reserved(listing, "committed_to_thread")
        state = (listing.version, listing.view_count, offers, pending, *reserved.values())
        return self._kept_listings.row(
            listing_id, state, _listing_row, listing, reserved, counters=pending, offers=offers
        )

    def _reserved(self, listing: Listing, name: str) -> Row:
        """The deal that binds a listing, under a name; nothing unless deals reserve."""
        if self._market.rules.commitment_lock == "off":
            return {}
        first = primary(self._market, listing.listing_id)
        return {name: None if first is None else first.thread_id}

    def to_rate(self, agent_id: int) -> Shown:
        """The finished deals that the agent has not rated yet, newest first."""
        market = self._market
        waiting = market.to_rate.get(agent_id)
        if not waiting:
            return EMPTY
        newest = nlargest(
            TO_RATE_SHOWN,
            (market.threads[thread_id] for thread_id in waiting),
            key=lambda thread: (thread.ended_tick or 0, thread.thread_id),
        )
        return shown([self._rateable(thread, agent_id) for thread in newest])

    def _rateable(self, thread: Thread, agent_id: int) -> Row:
        market = self._market
        listing = market.listings[thread.listing_id]
        exchanges = market.exchanges_of_thread.get(thread.thread_id)
        exchange = market.exchanges[exchanges[-1]] if exchanges else None
        buys = thread.buyer_id == agent_id
        return {
            "band": listing.band,
            "category": listing.category,
            "counterparty_id": thread.seller_id if buys else thread.buyer_id,
            "ended_tick": thread.ended_tick,
            "inspected_pct": exchange.inspected_pct if exchange else None,
            "listing_id": listing.listing_id,
            "method": exchange.method if exchange else None,
            "overdue": market.tick > (thread.ended_tick or 0) + RATING_WINDOW,
            "role": "buyer" if buys else "seller",
            "thread_id": thread.thread_id,
            "thread_status": thread.status,
            "title": listing.title,
        }


def _listing_row(listing: Listing, reserved: Row, *, counters: int, offers: int) -> Row:
    return {
        "band": listing.band,
        "category": listing.category,
        **reserved,
        "condition": listing.condition,
        "counters_pending": counters,
        "listing_id": listing.listing_id,
        "offer_count": offers,
        "posted_tick": listing.created_tick,
        "price_cents": listing.price_cents,
        "title": listing.title,
        "view_count": listing.view_count,
    }


def _last_active(thread: Thread) -> tuple[int, int]:
    last = thread.last_message_tick
    return (thread.created_tick if last is None else last, thread.thread_id)
