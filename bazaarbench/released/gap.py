"""What happened in a base after its log was cut and before its continuation began.

Some released bases went on beyond the tick at which their log was cut; their continuations began
from tables that hold what happened in between (meta row ``truncated_base_note``). Without it a deal
of the continuation would be completed that nobody committed. So what the tables know and the log
does not is written into the log as rows of the cut's own tick, before the first row after it. They
lie outside the window and say of themselves that they are reconstructed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bazaarbench.market.entities import TERMINAL, Thread
from bazaarbench.released import deals, postings, supply
from bazaarbench.released.calls import Call, Rebuilt
from bazaarbench.released.log import EventRow, Log, row_of
from bazaarbench.released.source import Source
from bazaarbench.released.stock import Ticks

_ACCEPTED = """
    SELECT json_extract(payload, '$.offer_id') FROM events
    WHERE action_type = 'accept_offer' AND result_status = 'ok'"""
_COMPLETED = """
    SELECT json_extract(payload, '$.meetup_id') FROM events
    WHERE action_type = 'complete_transaction' AND result_status = 'ok'
        AND json_extract(result_payload, '$.completed') = 1"""
_LEFT = """
    SELECT json_extract(payload, '$.thread_id') FROM events
    WHERE action_type IN ('leave_thread', 'ghost') AND result_status = 'ok'
    UNION SELECT m.thread_id FROM events e
    JOIN meetups m ON m.meetup_id = json_extract(e.payload, '$.meetup_id')
    WHERE e.action_type = 'cancel_meetup' AND e.result_status = 'ok'"""
_SOLD = """
    SELECT json_extract(payload, '$.listing_id') FROM events
    WHERE action_type = 'mark_sold' AND result_status = 'ok'
    UNION SELECT t.listing_id FROM events e
    JOIN meetups m ON m.meetup_id = json_extract(e.payload, '$.meetup_id')
    JOIN threads t ON t.thread_id = m.thread_id
    WHERE e.action_type = 'complete_transaction' AND e.result_status = 'ok'
        AND json_extract(e.result_payload, '$.completed') = 1"""

_REAL = frozenset({"agent", "initial"})


@dataclass(frozen=True, slots=True)
class _Logged:
    """The ids of what the log knows: before the cut and after it."""

    accepted: frozenset[int]
    completed: frozenset[int]
    left: frozenset[int]
    sold: frozenset[int]


def catch_up(market: Rebuilt, log: Log) -> Iterator[EventRow]:
    """The rows that are missing between the cut and the continuation, in a likely order."""
    logged = _read(market.source)
    for calls in (_listings, _supply, _acceptances, _completions, _sales, _ends):
        for call in calls(market, logged):
            market.book.notes["reconstructed_events"] += 1
            call.event_id = log.next_id(log.last_id + 1)
            call.private["reconstructed"] = True
            yield row_of(_applied(market, call))


def _applied(market: Rebuilt, call: Call) -> Call:
    """The call after its effects; its private part keeps what it said before."""
    said = dict(call.private)
    _HANDLERS[call.action](market, call)
    call.private |= said
    return call


_HANDLERS = {
    "create_listing": postings.created,
    "platform_inventory_restocked": supply.restocked,
    "accept_offer": deals.accepted,
    "complete_transaction": deals.confirmed,
    "mark_sold": postings.marked_sold,
    "leave_thread": deals.left,
    "ghost": deals.ghosted,
}


def _read(source: Source) -> _Logged:
    found = [
        frozenset(row[0] for row in source.connection.execute(query))
        for query in (_ACCEPTED, _COMPLETED, _LEFT, _SOLD)
    ]
    return _Logged(*found)


def _call(market: Rebuilt, action: str, agent_id: int | None) -> Call:
    """An applied call at the cut; the tables have what it moves at some tick after it."""
    gap = market.run.gap or 0
    call = Call(0, gap, agent_id, action, "ok", None, {}, {})
    call.elsewhere = Ticks(gap + 1, market.run.last_tick)
    return call


def _listings(market: Rebuilt, _: _Logged) -> Iterator[Call]:
    for key, listing in market.book.listings.items():
        known = key in market.book.posted or key in market.foresight.posted
        if listing.origin != "agent" or known:
            continue
        call = _call(market, "create_listing", listing.owner_id)
        call.listing_id = key
        call.payload = {
            "category": listing.category,
            "title": listing.title,
            "description": listing.description,
            "price_cents": listing.price_cents,
            "condition": listing.condition,
            "stated_quality_band": listing.band,
        }
        yield call


def _supply(market: Rebuilt, _: _Logged) -> Iterator[Call]:
    gap = market.run.gap or 0
    for agent_id, person in market.people.items():
        late = {item.came_tick for item in person.items if item.lineage == "restock"}
        for tick in sorted(tick for tick in late if tick is not None and tick > gap):
            if (agent_id, tick) not in market.foresight.restocked:
                call = _call(market, "platform_inventory_restocked", agent_id)
                call.elsewhere = Ticks(tick, tick)
                yield call


def _acceptances(market: Rebuilt, logged: _Logged) -> Iterator[Call]:
    for key, offer in market.book.offers.items():
        thread = market.book.threads[offer.thread_id]
        if market.book.offer_ends[key] != "accepted" or key in logged.accepted:
            continue
        if not _is_real(market, thread):
            continue
        other = thread.seller_id if offer.proposer_id == thread.buyer_id else thread.buyer_id
        call = _about(market, "accept_offer", thread, other)
        call.payload = {"offer_id": key}
        call.result = {"offer_id": key, "thread_id": thread.thread_id, "status": "accepted"}
        yield call


def _completions(market: Rebuilt, logged: _Logged) -> Iterator[Call]:
    for key, exchange in market.book.exchanges.items():
        thread = market.book.threads[exchange.thread_id]
        end = market.book.exchange_ends[key]
        if end.status != "completed" or key in logged.completed or not _is_real(market, thread):
            continue
        call = _about(market, "complete_transaction", thread, thread.seller_id)
        call.payload = {"meetup_id": key, "handoff_proof": None}
        call.result = {
            "meetup_id": key,
            "thread_id": thread.thread_id,
            "completed": True,
            "delivery_method": exchange.method,
            "delivered_at_tick": end.delivered_tick,
            "buyer_inspected_quality_pct": end.inspected_pct,
        }
        yield call


def _sales(market: Rebuilt, logged: _Logged) -> Iterator[Call]:
    """Listings that were marked sold: still are, or took an item with them."""
    for key, listing in market.book.listings.items():
        if listing.status != "active" or key in logged.sold or key not in market.book.posted:
            continue
        call = _call(market, "mark_sold", listing.owner_id)
        call.listing_id, call.payload = key, {"listing_id": key}
        took = market.stock.marked(listing, call.listed) is not None
        if took or market.book.listing_ends[key].status == "sold":
            yield call


def _ends(market: Rebuilt, logged: _Logged) -> Iterator[Call]:
    for key, thread in market.book.threads.items():
        status = market.book.thread_ends[key].status
        if status not in ("cancelled", "ghosted") or thread.status in TERMINAL:
            continue
        known = key in market.book.known and _is_real(market, thread)
        if known and key not in logged.left and thread.listing_id not in logged.sold:
            action = "ghost" if status == "ghosted" else "leave_thread"
            call = _about(market, action, thread, thread.buyer_id)
            call.payload = {"thread_id": key}
            yield call


def _about(market: Rebuilt, action: str, thread: Thread, agent_id: int | None) -> Call:
    call = _call(market, action, agent_id)
    call.thread_id, call.listing_id = thread.thread_id, thread.listing_id
    return call


def _is_real(market: Rebuilt, thread: Thread) -> bool:
    return market.book.listings[thread.listing_id].origin in _REAL
