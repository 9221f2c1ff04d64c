"""The indexes over a market's rows, one function a table (see ``state.Market``)."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from bazaarbench.market.entities import (
    Block,
    Exchange,
    Holding,
    Listing,
    Memory,
    Message,
    Offer,
    Photo,
    Rating,
    Report,
    Thread,
)

if TYPE_CHECKING:
    from bazaarbench.market.state import Market

RECENT_SALES_SHOWN = 10
#: The kind of memory row that holds a policy's own notebook (SPEC §5.6), never shown by recall.
NOTEBOOK = "notebook"


def _holdings(market: Market, holding: Holding) -> None:
    if holding.to_event is None:
        market.holding_of_unit[holding.unit_id] = holding.holding_id
        market.units_of[holding.agent_id][holding.unit_id] = None
        market.past_units_of[holding.agent_id].pop(holding.unit_id, None)
    elif holding.unit_id not in market.units_of[holding.agent_id]:
        market.past_units_of[holding.agent_id][holding.unit_id] = None


def _listings(market: Market, listing: Listing) -> None:
    if listing.owner_id is not None:
        market.listings_of_owner[listing.owner_id].append(listing.listing_id)
    list_listing(market, listing)


def list_listing(market: Market, listing: Listing) -> None:
    """Take an active listing into what agents can find; any other is left out."""
    if listing.status != "active":
        return
    market.active_listings[listing.listing_id] = listing
    if listing.owner_id is not None:
        market.active_of_owner[listing.owner_id][listing.listing_id] = None
    if listing.unit_id is not None:
        market.active_of_unit[listing.unit_id][listing.listing_id] = None
    insort(market.active_prices[listing.category], listing.price_cents)
    market.active_price_sum[listing.category] += listing.price_cents
    market.search.add(listing)
    market.grid.add(listing)


def unlist_listing(market: Market, listing: Listing) -> None:
    """Take an active listing out again, before it changes."""
    if listing.status != "active":
        return
    del market.active_listings[listing.listing_id]
    if listing.owner_id is not None:
        market.active_of_owner[listing.owner_id].pop(listing.listing_id, None)
    if listing.unit_id is not None:
        market.active_of_unit[listing.unit_id].pop(listing.listing_id, None)
    prices = market.active_prices[listing.category]
    del prices[bisect_left(prices, listing.price_cents)]
    market.active_price_sum[listing.category] -= listing.price_cents
    market.search.remove(listing)
    market.grid.remove(listing)


def _threads(market: Market, thread: Thread) -> None:
    market.thread_of_pair[thread.buyer_id, thread.listing_id] = thread.thread_id
    market.threads_of_listing[thread.listing_id].append(thread.thread_id)
    thread_status(market, thread)


def thread_status(market: Market, thread: Thread) -> None:
    """Put a thread where its status belongs."""
    for agent_id in market.parties(thread):
        if thread.status == "open":
            market.open_threads_of[agent_id][thread.thread_id] = None
        elif thread.status == "committed":
            market.committed_threads_of[agent_id][thread.thread_id] = None
        elif (
            thread.committed_tick is not None
            and thread.seller_id is not None
            and (thread.thread_id, agent_id) not in market.rated
        ):
            market.to_rate[agent_id][thread.thread_id] = None


def _messages(market: Market, message: Message) -> None:
    market.messages_of_thread[message.thread_id].append(message.message_id)
    reader = market.other_party(market.threads[message.thread_id], message.sender_id)
    if message.seen_tick is None and reader is not None:
        market.unseen_of[reader][message.message_id] = None


def _offers(market: Market, offer: Offer) -> None:
    market.offers_of_thread[offer.thread_id].append(offer.offer_id)
    market.offer_count[market.threads[offer.thread_id].listing_id] += 1
    offer_status(market, offer)


def offer_status(market: Market, offer: Offer) -> None:
    """Put an offer where its status belongs."""
    if offer.status == "pending":
        market.pending_of_thread[offer.thread_id][offer.offer_id] = None
        reader = market.other_party(market.threads[offer.thread_id], offer.proposer_id)
        if reader is not None:
            market.pending_for[reader][offer.offer_id] = None
    elif offer.accepted_tick is not None:
        insort(market.recent_sales, (offer.accepted_tick, offer.offer_id))
        del market.recent_sales[:-RECENT_SALES_SHOWN]


def _exchanges(market: Market, exchange: Exchange) -> None:
    market.exchanges_of_thread[exchange.thread_id].append(exchange.exchange_id)
    exchange_status(market, exchange)


def exchange_status(market: Market, exchange: Exchange) -> None:
    """Put an exchange where its status belongs."""
    if exchange.status == "scheduled":
        for agent_id in market.parties(market.threads[exchange.thread_id]):
            market.scheduled_of[agent_id][exchange.exchange_id] = None


def _photos(market: Market, photo: Photo) -> None:
    market.photo_count[photo.listing_id] += 1


def _ratings(market: Market, rating: Rating) -> None:
    standing = market.reputation[rating.ratee_id]
    standing.count += 1
    standing.stars += rating.stars
    if rating.thread_id is not None:
        market.rated.add((rating.thread_id, rating.rater_id))
        market.to_rate[rating.rater_id].pop(rating.thread_id, None)


def _reports(market: Market, report: Report) -> None:
    if report.outcome is None:
        market.open_reports[report.report_id] = report


def _blocks(market: Market, block: Block) -> None:
    market.blocked_pairs.add((block.blocker_id, block.blocked_id))


def _memories(market: Market, memory: Memory) -> None:
    if memory.kind == NOTEBOOK:
        market.notebook_of[memory.agent_id] = memory.memory_id
    else:
        market.memories_of[memory.agent_id].append(memory.memory_id)


#: How each entity is taken into the indexes; an entity without indexes is not here.
INDEXERS: dict[type[Any], Callable[[Market, Any], None]] = {
    Holding: _holdings,
    Listing: _listings,
    Thread: _threads,
    Message: _messages,
    Offer: _offers,
    Exchange: _exchanges,
    Photo: _photos,
    Rating: _ratings,
    Report: _reports,
    Block: _blocks,
    Memory: _memories,
}
