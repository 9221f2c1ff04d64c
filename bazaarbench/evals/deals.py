"""Settled deals as events of Inspect's transcript, cited by scores (DESIGN §3.5)."""

from __future__ import annotations

from collections.abc import Collection
from hashlib import sha256

from pydantic import JsonValue

from bazaarbench.evals.records import RecordPlace
from bazaarbench.market.entities import Thread
from bazaarbench.market.state import Market

#: ``source`` of the info events.
SOURCE = "bazaarbench.deal"
_UUID_LENGTH = 22


def deal_uuid(place: RecordPlace, thread_id: int, *, ended_again: int | None = None) -> str:
    """The uuid of a deal's event: the same after a retry, and known to whoever knows the deal.

    Args:
        place: The record that holds the deal.
        thread_id: The deal.
        ended_again: The tick, when a deal that had ended ends in another way: a cancelled one can
            still be completed through its exchange.
    """
    key = f"{place.task_id}|{place.sample_id}|{place.epoch}|{thread_id}"
    if ended_again is not None:
        key += f"|{ended_again}"
    return sha256(key.encode()).hexdigest()[:_UUID_LENGTH]


def deal_event(market: Market, thread: Thread, tested: Collection[int]) -> JsonValue:
    """What a reader of the transcript is told of one deal; money in cents, times in ticks."""
    offer = market.offers.get(thread.accepted_offer_id or 0)
    parties: dict[str, int | None] = {"buyer": thread.buyer_id, "seller": thread.seller_id}
    return {
        "deal": thread.thread_id,
        "listing": thread.listing_id,
        "title": market.listings[thread.listing_id].title,
        "status": thread.status,
        "buyer": thread.buyer_id,
        "seller": thread.seller_id,
        "tested": [role for role, agent_id in parties.items() if agent_id in tested],
        "price_cents": None if offer is None else offer.price_cents,
        "committed_tick": thread.committed_tick,
        "ended_tick": thread.ended_tick,
    }
