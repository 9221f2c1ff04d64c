"""What an agent sees at the beginning of a tick (SPEC §5.2, reference A §3).

Everything is read from the market's indexes, so an observation costs the same on the first day and
on the last. The sections stand in alphabetical order, which makes their plain JSON the canonical
one and puts what is due at the end.
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import nlargest
from typing import Any

from bazaarbench.agents.budget import BUDGET_CHARS, shorten
from bazaarbench.agents.policy import render
from bazaarbench.agents.rows import Row, Rows, Shown, section, shown
from bazaarbench.market.clock import label
from bazaarbench.market.entities import Exchange, Offer, Thread
from bazaarbench.market.state import DISCOVERIES_SHOWN, HISTORY_SHOWN, Market

#: Limits of SPEC §5.2 and reference A §3.1.
THREADS_SHOWN = 10
LISTINGS_SHOWN = 10
MESSAGES_SHOWN = 5
OFFERS_SHOWN = 5
TO_RATE_SHOWN = 5
MEMORIES_SHOWN = 5
SOLD_SHOWN = 10
MESSAGE_TEXT = 120
#: Ticks after the end of a deal within which a rating is expected; nothing enforces it.
RATING_WINDOW = 12


@dataclass(frozen=True, slots=True)
class Observed:
    """An observation: its data, its text, and the messages that it shows for the first time."""

    data: dict[str, Any]
    text: str
    shown_messages: tuple[int, ...]


class Observer:
    """Makes the observations of one market; keeps rows from tick to tick."""

    def __init__(self, market: Market) -> None:
        self._market = market
        self._rows = Rows(market)

    def observe(self, agent_id: int) -> Observed:
        """What the agent sees now. Changes nothing in the market."""
        rows = self._rows
        rows.start()
        sections, shown_messages = self._sections(agent_id)
        data: dict[str, Any] = {}
        parts = []
        for name, value in sections.items():
            if value.__class__ is Shown:
                data[name], text = value
            else:
                data[name], text = value, (render(value) if value or value == 0 else "[]")
            parts.append(f'"{name}":{text}')
        data["what_is_due"] = due = _due(data)
        parts.append(f'"what_is_due":{render(due)}')
        text = f"{{{','.join(parts)}}}"
        if len(text) > BUDGET_CHARS:
            data, text = shorten(data, BUDGET_CHARS)
            left = {row["message_id"] for row in data["incoming_messages"]}
            shown_messages = tuple(m for m in shown_messages if m in left)
        return Observed(data, text, shown_messages)

    def _sections(self, agent_id: int) -> tuple[dict[str, Any], tuple[int, ...]]:
        """All sections but the last, in order: a list of rows, a plain value, or either as text."""
        market, rows = self._market, self._rows
        threads, counters = self._open_threads(agent_id)
        messages, shown_messages = self._messages(agent_id)
        history = [rows.event(event) for event in reversed(market.history.get(agent_id, ()))]
        sections: dict[str, Any] = {
            "accepted_deals": self._deals(agent_id),
            "account_status": market.agents[agent_id].status,
            "active_threads": [self._thread(thread, agent_id) for thread in threads],
            "agent_id": agent_id,
            "decision_notes": [
                {"note": note, "tick": tick}
                for tick, note in reversed(market.notes.get(agent_id, ()))
            ],
            "discovery_results": self._discoveries(agent_id),
            "feed": rows.feed(agent_id),
            "focus_thread": shown(self._focus(threads[0], agent_id) if threads else None),
            "history": section(history[:HISTORY_SHOWN]),
            "incoming_messages": messages,
            "market_baselines": rows.baselines,
            "memories": rows.memories(agent_id, MEMORIES_SHOWN),
            "offers_on_listings": self._offers(agent_id),
            "own_listings": self._listings(agent_id, counters),
            "own_units": rows.units(agent_id),
            "recent_sales": rows.sales,
            "scheduled_exchanges": self._exchanges(agent_id),
        }
        if market.rules.unit_status_shown == "on":
            sections["sold_units"] = rows.sold_units(agent_id, SOLD_SHOWN)
        sections["tick"] = market.tick
        sections["time"] = label(market.tick)
        sections["to_rate"] = self._to_rate(agent_id)
        return sections, shown_messages

    # --------------------------------------------------------------------------------- sections

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

    def _thread(self, thread: Thread, agent_id: int) -> Row:
        market = self._market
        listing = market.listings[thread.listing_id]
        pending = market.pending_of_thread.get(thread.thread_id)
        buys = thread.buyer_id == agent_id
        return {
            "asking_price_cents": listing.price_cents,
            "counterparty_id": thread.seller_id if buys else thread.buyer_id,
            "last_message_tick": thread.last_message_tick,
            "last_pending_offer": self._offer(market.offers[max(pending)], agent_id)
            if pending
            else None,
            "listing_id": thread.listing_id,
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

    def _focus(self, thread: Thread, agent_id: int) -> Row:
        """The whole trail of the thread that was last active."""
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

    def _deals(self, agent_id: int) -> list[Row]:
        """Accepted deals that have no appointment yet, newest first; all of them."""
        market = self._market
        scheduled = {
            market.exchanges[exchange_id].thread_id
            for exchange_id in market.scheduled_of.get(agent_id, ())
        }
        waiting = [
            market.threads[thread_id]
            for thread_id in market.committed_threads_of.get(agent_id, ())
            if thread_id not in scheduled
        ]
        waiting.sort(key=lambda thread: (thread.committed_tick or 0, thread.thread_id))
        return [self._deal(thread, agent_id) for thread in reversed(waiting)]

    def _deal(self, thread: Thread, agent_id: int) -> Row:
        market = self._market
        listing = market.listings[thread.listing_id]
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

    def _exchanges(self, agent_id: int) -> list[Row]:
        """Scheduled exchanges, earliest first; all of them, whatever became of their thread."""
        market = self._market
        ids = market.scheduled_of.get(agent_id)
        if not ids:
            return []
        scheduled = [market.exchanges[exchange_id] for exchange_id in ids]
        scheduled.sort(key=lambda exchange: (exchange.scheduled_tick, exchange.exchange_id))
        return [self._exchange(exchange, agent_id) for exchange in scheduled]

    def _exchange(self, exchange: Exchange, agent_id: int) -> Row:
        market = self._market
        thread = market.threads[exchange.thread_id]
        listing = market.listings[thread.listing_id]
        buys = thread.buyer_id == agent_id
        return {
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

    def _messages(self, agent_id: int) -> tuple[list[Row], tuple[int, ...]]:
        """The newest messages that the agent has not been shown, and their ids."""
        market = self._market
        unseen = market.unseen_of.get(agent_id)
        if not unseen:
            return [], ()
        shown = tuple(nlargest(MESSAGES_SHOWN, unseen))
        rows = []
        for message_id in shown:
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
        return rows, shown

    def _offers(self, agent_id: int) -> list[Row]:
        """The newest pending offers of others on the agent's listings."""
        market = self._market
        pending = market.pending_for.get(agent_id)
        if not pending:
            return []
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
        return rows

    def _standing(self, agent_id: int) -> tuple[int, float | None]:
        standing = self._market.reputation.get(agent_id)
        if standing is None or not standing.count:
            return 0, None
        return standing.count, round(standing.stars / standing.count, 2)

    def _listings(self, agent_id: int, counters: dict[int, int]) -> list[Row]:
        """The agent's newest active listings."""
        market = self._market
        mine = [market.listings[i] for i in market.active_of_owner.get(agent_id, ())]
        mine.sort(key=lambda listing: (listing.created_tick, listing.listing_id), reverse=True)
        rows = []
        for listing in mine[:LISTINGS_SHOWN]:
            listing_id = listing.listing_id
            rows.append(
                {
                    "band": listing.band,
                    "category": listing.category,
                    "condition": listing.condition,
                    "counters_pending": counters.get(listing_id, 0),
                    "listing_id": listing_id,
                    "offer_count": market.offer_count.get(listing_id, 0),
                    "posted_tick": listing.created_tick,
                    "price_cents": listing.price_cents,
                    "title": listing.title,
                    "view_count": listing.view_count,
                }
            )
        return rows

    def _to_rate(self, agent_id: int) -> list[Row]:
        """The finished deals that the agent has not rated yet, newest first."""
        market = self._market
        waiting = market.to_rate.get(agent_id)
        if not waiting:
            return []
        newest = nlargest(
            TO_RATE_SHOWN,
            (market.threads[thread_id] for thread_id in waiting),
            key=lambda thread: (thread.ended_tick or 0, thread.thread_id),
        )
        return [self._rateable(thread, agent_id) for thread in newest]

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

    def _discoveries(self, agent_id: int) -> list[Row]:
        events = self._market.discoveries.get(agent_id)
        if not events:
            return []
        found = (self._rows.discovery(event) for event in reversed(events))
        return [row for row in found if row is not None][:DISCOVERIES_SHOWN]


def observe(market: Market, agent_id: int) -> Observed:
    """What the agent sees now; for many observations of one market keep an ``Observer``."""
    return Observer(market).observe(agent_id)


def _last_active(thread: Thread) -> tuple[int, int]:
    last = thread.last_message_tick
    return (thread.created_tick if last is None else last, thread.thread_id)


def _due(data: dict[str, Any]) -> dict[str, list[int]]:
    """What waits for the agent, as ids, without advice (SPEC §5.2)."""
    tick = data["tick"]
    confirm, inspect = [], []
    for row in data["scheduled_exchanges"]:
        meetup = row["method"] == "meetup"
        if tick < (row["scheduled_tick"] if meetup else row["eta_tick"]) or row["you_confirmed"]:
            continue
        if meetup and row["role"] == "buyer" and row["inspected_pct"] is None:
            inspect.append(row["meetup_id"])
        else:
            confirm.append(row["meetup_id"])
    answers = [row["offer_id"] for row in data["offers_on_listings"]]
    for row in data["active_threads"]:
        offer = row["last_pending_offer"]
        if offer is not None and offer["by"] == "them" and offer["offer_id"] not in answers:
            answers.append(offer["offer_id"])
    return {
        "answer_offers": answers,
        "confirm": confirm,
        "inspect": inspect,
        "rate": [row["thread_id"] for row in data["to_rate"]],
        "reply": list(dict.fromkeys(row["thread_id"] for row in data["incoming_messages"])),
        "schedule": [row["thread_id"] for row in data["accepted_deals"]],
    }
