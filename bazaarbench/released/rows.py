"""The released tables that are taken row by row, and the last word about the rebuilt ones."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from bazaarbench.market.entities import (
    TERMINAL,
    Block,
    Exchange,
    Feed,
    Listing,
    Memory,
    Message,
    Offer,
    Photo,
    Rating,
    Report,
    Thread,
)
from bazaarbench.personas.persona import MEMORY_KINDS
from bazaarbench.released.book import Text
from bazaarbench.released.calls import Rebuilt
from bazaarbench.released.source import Source
from bazaarbench.released.tables import text_of
from bazaarbench.released.values import text

#: Origins of listings that no real agent put up for sale.
_INVENTED = frozenset({"history", "platform"})
#: A typed memory begins with its type in brackets (reference A §2.9).
_TYPED = re.compile(rf"\[({'|'.join(MEMORY_KINDS)})\]\s*")
_VERDICTS = {"warned": "warned", "takedown": "warned", "ignored": "warned", "ban": "banned"}


def settle(market: Rebuilt) -> None:
    """Give the rebuilt rows their last state, and drop what is younger than the log.

    The released tables say it, unless they go on beyond the log; rows that the log never names are
    as their table says in any case. Where both speak and differ, the difference is counted.
    """
    _drop_younger(market)
    for listing in market.book.listings.values():
        _settle_listing(market, listing)
    for thread in market.book.threads.values():
        _settle_thread(market, thread)
    for offer in market.book.offers.values():
        _settle_offer(market, offer)
    for exchange in market.book.exchanges.values():
        _settle_exchange(market, exchange)


def _drop_younger(market: Rebuilt) -> None:
    book, run = market.book, market.run
    if not run.cut:
        return
    for key, listing in list(book.listings.items()):
        if listing.created_tick > run.last_tick and listing.origin not in _INVENTED:
            del book.listings[key]
    for key, thread in list(book.threads.items()):
        listing_kept = book.listings.get(thread.listing_id)
        younger = thread.created_tick > run.last_tick
        if listing_kept is None or (younger and listing_kept.origin not in _INVENTED):
            del book.threads[key]
    for key, offer in list(book.offers.items()):
        if offer.thread_id not in book.threads or _is_younger(market, offer.thread_id, offer.tick):
            del book.offers[key]
    scheduled = market.scheduled
    for key, exchange in list(book.exchanges.items()):
        known = exchange.thread_id in book.threads
        if not known or (key not in scheduled and not _is_invented(market, exchange.thread_id)):
            del book.exchanges[key]


def _is_younger(market: Rebuilt, thread_id: int, tick: int) -> bool:
    return tick > market.run.last_tick and not _is_invented(market, thread_id)


def _is_invented(market: Rebuilt, thread_id: int) -> bool:
    thread = market.book.threads[thread_id]
    return market.book.listings[thread.listing_id].origin in _INVENTED


def _settle_listing(market: Rebuilt, listing: Listing) -> None:
    book, key = market.book, listing.listing_id
    end = book.listing_ends[key]
    posted = key in book.posted
    if market.run.cut and posted:
        return
    if posted:
        _compare(market, "listings", listing.status, end.status)
        _compare(market, "listing_texts", text_of(listing), book.listing_texts[key])
    listing.status = end.status
    listing.bumped_tick, listing.sold_tick = end.bumped_tick, end.sold_tick
    listing.view_count, listing.inquiry_count = end.view_count, end.inquiry_count
    _rewrite(listing, book.listing_texts[key])


def _rewrite(listing: Listing, last: Text) -> None:
    listing.title, listing.description = last.title, last.description
    listing.price_cents, listing.condition = last.price_cents, last.condition


def _settle_thread(market: Rebuilt, thread: Thread) -> None:
    book, key = market.book, thread.thread_id
    end = book.thread_ends[key]
    known = key in book.known
    if market.run.cut and known:
        return
    if known:
        _compare(market, "threads", thread.status, end.status)
    thread.status, thread.last_message_tick = end.status, end.last_message_tick
    if thread.status not in TERMINAL:
        thread.ended_tick = None
    elif thread.ended_tick is None:
        thread.ended_tick = end.last_message_tick or thread.created_tick


def _settle_offer(market: Rebuilt, offer: Offer) -> None:
    known = offer.thread_id in market.book.known
    if market.run.cut and known:
        return
    end = market.book.offer_ends[offer.offer_id]
    if known:
        _compare(market, "offers", offer.status, end)
    offer.status = end
    if end != "accepted":
        offer.accepted_tick = None
    elif offer.accepted_tick is None:
        # The log of the acceptance is not there: what is left is when the offer was made (M §1.2).
        offer.accepted_tick = offer.tick


def _settle_exchange(market: Rebuilt, exchange: Exchange) -> None:
    known = exchange.thread_id in market.book.known
    if market.run.cut and known:
        return
    end = market.book.exchange_ends[exchange.exchange_id]
    if known:
        _compare(market, "exchanges", exchange.status, end.status)
    exchange.status = end.status
    exchange.buyer_confirmed, exchange.seller_confirmed = end.buyer_confirmed, end.seller_confirmed
    exchange.inspected_pct = end.inspected_pct
    if end.status == "completed" and exchange.completed_tick is None:
        exchange.completed_tick = end.delivered_tick


def _compare(market: Rebuilt, what: str, ours: Any, theirs: Any) -> None:
    if ours != theirs:
        market.book.notes[f"differing_{what}"] += 1


# ----------------------------------------------------------------------------------- other tables


def messages(market: Rebuilt) -> Iterator[Message]:
    """Messages of the threads that are kept, up to the last tick."""
    names = "message_id thread_id sender_agent_id tick body photo_id read_at_tick"
    for row in market.source.rows("messages", names, order="message_id"):
        message = Message(row[0], row[1], row[2], row[3], text(row[4]), row[5], row[6])
        if not _keeps(market, message.thread_id, message.tick):
            continue
        if market.run.cut and (message.seen_tick or 0) > market.run.last_tick:
            message.seen_tick = None
        yield message


def photos(market: Rebuilt) -> Iterator[Photo]:
    """Photos with the message that carries each; one without a message was never sent."""
    carriers = {
        photo_id: (message_id, thread_id)
        for photo_id, message_id, thread_id in market.source.rows(
            "messages", "photo_id message_id thread_id", where="photo_id IS NOT NULL"
        )
    }
    names = (
        "photo_id sender_agent_id listing_id subject_attrs background_leaks metadata_leaks "
        "is_stock created_at_tick"
    )
    for row in market.source.rows("photos", names, order="photo_id"):
        carrier = carriers.get(row[0])
        if carrier is None:
            market.book.notes["photos_without_message"] += 1
            continue
        message_id, thread_id = carrier
        if not _keeps(market, thread_id, row[7]):
            continue
        listing_id = market.book.threads[thread_id].listing_id if row[2] is None else row[2]
        yield Photo(
            photo_id=row[0],
            sender_id=row[1],
            thread_id=thread_id,
            listing_id=listing_id,
            message_id=message_id,
            tick=row[7],
            stock=int(bool(row[6])),
            privacy_mode=market.privacy_modes.get(row[0]),
            subject=text(row[3]) or "{}",
            background=text(row[4]) or "{}",
            metadata=text(row[5]) or "{}",
        )


def _keeps(market: Rebuilt, thread_id: int, tick: int) -> bool:
    """Whether something said in a thread at a tick is part of what is imported."""
    if thread_id not in market.book.threads:
        return False
    return not (market.run.cut and _is_younger(market, thread_id, tick))


def ratings(market: Rebuilt) -> Iterator[Rating]:
    """Ratings; those of invented deals and from before the run are history."""
    names = "rating_id rater_agent_id ratee_agent_id thread_id stars body tick"
    for rating_id, rater, ratee, thread_id, stars, body, tick in market.source.rows(
        "ratings", names, order="rating_id"
    ):
        invented = tick < 0 or (
            thread_id in market.book.threads and _is_invented(market, thread_id)
        )
        if market.run.cut and tick > market.run.last_tick and not invented:
            continue
        yield Rating(
            rating_id=rating_id,
            rater_id=rater,
            ratee_id=ratee,
            thread_id=thread_id,
            stars=stars,
            body=None if body is None else text(body),
            tick=tick,
            origin="history" if invented else "agent",
        )


def reports(market: Rebuilt) -> Iterator[Report]:
    """Reports of agents; those of listings stay in the log alone."""
    names = "report_id reporter_id target_kind target_id reason tick moderator_action"
    for report_id, reporter, kind, target, reason, tick, action in market.source.rows(
        "reports", names, order="report_id"
    ):
        if market.run.cut and tick > market.run.last_tick:
            continue
        if kind != "user":
            market.book.notes["reports_left_out"] += 1
            continue
        outcome: Any = _VERDICTS.get(action)
        yield Report(report_id, reporter, target, text(reason), tick, outcome)


def blocks(market: Rebuilt) -> Iterator[Block]:
    """Who refuses whom."""
    names = "block_id blocker_id blocked_id tick"
    for row in market.source.rows("blocks", names, order="block_id"):
        if not (market.run.cut and row[3] > market.run.last_tick):
            yield Block(*row)


def memories(market: Rebuilt) -> Iterator[Memory]:
    """Private notes that have not decayed; a typed one is told by its type, others by scope."""
    names = "memory_id agent_id scope content created_tick decayed"
    for memory_id, agent_id, scope, content, tick, decayed in market.source.rows(
        "narrative_memories", names, order="memory_id"
    ):
        if decayed or (market.run.cut and tick > market.run.last_tick):
            continue
        written = text(content)
        typed = _TYPED.match(written)
        if typed is None:
            yield Memory(memory_id, agent_id, text(scope), written, tick)
        else:
            yield Memory(memory_id, agent_id, typed[1], written[typed.end() :], tick)


def feeds(market: Rebuilt) -> Iterator[Feed]:
    """The newest recommendations of every agent."""
    for agent_id, (tick, listing_ids) in sorted(market.feeds.items()):
        if agent_id in market.people:
            yield Feed(agent_id, tick, listing_ids)


def photo_leaks(source: Source) -> dict[int, tuple[str, str]]:
    """Background and metadata of every photo, as JSON."""
    return {
        photo_id: (background or "{}", metadata or "{}")
        for photo_id, background, metadata in source.rows(
            "photos", "photo_id background_leaks metadata_leaks"
        )
    }
