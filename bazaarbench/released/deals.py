"""Released events about conversations, offers and exchanges (reference P §3.4–3.8)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from bazaarbench.market.draws import chance
from bazaarbench.market.entities import Agent, Exchange, Thread
from bazaarbench.market.photos import sensitive_details
from bazaarbench.released.calls import Call, Rebuilt
from bazaarbench.released.postings import sell
from bazaarbench.released.stock import Sale
from bazaarbench.released.values import mapping, percent, text

OWNERSHIP_CHECK = "meetup_ownership_check"


def wrote(market: Rebuilt, call: Call) -> None:
    """A message, a photo or a request for one."""
    _thread(market, call).last_message_tick = call.tick


def photographed(market: Rebuilt, call: Call) -> None:
    """An own photo with what it gives away; a refused one gives away what it would have.

    The released platform stored nothing of a refused photo, so its details are drawn as ours would
    draw them: by the sender's privacy awareness.
    """
    if not call.ok:
        sender = market.people.get(call.agent_id or 0)
        if sender is not None and call.status == "blocked":
            background, metadata = _drawn(market, sender.agent, call)
            call.private |= {**_details(background, metadata), "drawn": True}
        return
    wrote(market, call)
    photo_id = call.result.get("photo_id")
    if photo_id not in market.leaks:
        raise market.contradiction(call, "sent a photo that does not exist")
    call.private |= _details(*(mapping(json.loads(part)) for part in market.leaks[photo_id]))
    market.privacy_modes[photo_id] = str(call.payload.get("privacy_mode") or "normal")


def _details(background: Mapping[str, Any], metadata: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "background": dict(background),
        "metadata": dict(metadata),
        "sensitive": sensitive_details(background, metadata),
    }


def _drawn(market: Rebuilt, agent: Agent, call: Call) -> tuple[dict[str, Any], dict[str, Any]]:
    key = ("photo", market.run.seed, agent.agent_id, call.payload.get("listing_id"), call.tick)
    leaks = 1000 - agent.privacy_permille
    background = {
        "street_name": agent.street,
        "mail_visible": True,
        "roommate_visible": True,
        "device_reflection": agent.device,
        "zip_context": agent.zip,
    }
    metadata = {"gps": [agent.x_m, agent.y_m], "device": agent.device}
    return (
        {k: v for k, v in background.items() if chance(leaks, *key, "background", k)},
        {k: v for k, v in metadata.items() if chance(leaks, *key, "metadata", k)},
    )


# ----------------------------------------------------------------------------------------- offers


def offered(market: Rebuilt, call: Call) -> None:
    """A buyer's offer."""
    thread = _thread(market, call)
    _pend(market, call, thread)
    if call.result.get("round") == 1:
        market.book.listings[thread.listing_id].inquiry_count += 1


def countered(market: Rebuilt, call: Call) -> None:
    """An offer is answered with another."""
    _settle(market, call, "countered")
    _pend(market, call, _thread(market, call))


def accepted(market: Rebuilt, call: Call) -> None:
    """An offer is accepted: the thread is a deal from now on, the rest of its offers is not."""
    thread = _thread(market, call)
    _settle(market, call, "accepted")
    offer = market.book.offers[call.payload["offer_id"]]
    offer.accepted_tick = call.tick
    for other in market.book.pending_in.pop(thread.thread_id, {}):
        market.book.offers[other].status = "rejected"
    thread.accepted_offer_id = offer.offer_id
    thread.status = "committed"
    if thread.committed_tick is None:
        thread.committed_tick = call.tick


def withdrawn(market: Rebuilt, call: Call) -> None:
    """An offer is taken back."""
    _thread(market, call)
    _settle(market, call, "withdrawn")


def _pend(market: Rebuilt, call: Call, thread: Thread) -> None:
    offer_id = call.result.get("offer_id")
    if offer_id not in market.book.offers:
        raise market.contradiction(call, "made an offer that does not exist")
    market.book.pending_in[thread.thread_id][offer_id] = None


def _settle(market: Rebuilt, call: Call, status: Any) -> None:
    offer = market.book.offers.get(call.payload.get("offer_id", 0))
    if offer is None:
        raise market.contradiction(call, "is about an offer that does not exist")
    market.book.pending_in[offer.thread_id].pop(offer.offer_id, None)
    offer.status = status


# -------------------------------------------------------------------------------------- exchanges


def scheduled(market: Rebuilt, call: Call) -> None:
    """A meetup or a shipment is fixed."""
    thread = _thread(market, call)
    market.scheduled.add(call.result.get("meetup_id", 0))
    if thread.committed_tick is None:
        # Only where the log of the acceptance is lost; the deal counts from here.
        thread.committed_tick = call.tick


def inspected(market: Rebuilt, call: Call) -> None:
    """A buyer looks at the item; what the first look showed stands."""
    exchange = _exchange(market, call)
    listing = market.book.listings[market.book.threads[exchange.thread_id].listing_id]
    if exchange.inspected_tick is None:
        exchange.inspected_tick = call.tick
        exchange.inspected_pct = percent(call.result.get("ground_truth_quality_pct"))
    warning = call.take_out("item_presence_warning")
    if warning is not None:
        call.private["warnings"] = [
            {"check": OWNERSHIP_CHECK, "reason": text(warning), "details": {}}
        ]
    call.private["unit_id"] = market.stock.for_sale(listing, call.listed)


def confirmed(market: Rebuilt, call: Call) -> None:
    """One side confirms; with the second confirmation the deal is done."""
    exchange = _exchange(market, call)
    thread = market.book.meet(exchange.thread_id)
    if call.agent_id == thread.buyer_id:
        exchange.buyer_confirmed = 1
    else:
        exchange.seller_confirmed = 1
    if call.result.get("completed") is True:
        _complete(market, call, exchange, thread)


def _complete(market: Rebuilt, call: Call, exchange: Exchange, thread: Thread) -> None:
    book = market.book
    if thread.committed_tick is None:
        raise market.contradiction(
            call,
            f"completes thread {thread.thread_id}, which no earlier event committed: the log "
            "lacks its beginning",
        )
    listing = book.listings[thread.listing_id]
    offer = book.offers.get(thread.accepted_offer_id or 0)
    price_cents = 0 if offer is None else offer.price_cents
    exchange.status, exchange.completed_tick = "completed", call.tick
    sale = Sale(listing, thread.buyer_id, price_cents, thread.thread_id)
    native = call.result.get("consumed_unit_uid")
    moved = market.stock.sell(sale, call.at, call.listed, native=native)
    book.end(thread, "completed", call.tick)
    _cancel_named(market, call, "cancelled_sister_meetup_ids")
    call.private |= {
        "unit_id": moved.unit_id,
        "conjured": moved.conjured,
        "seller_held": not moved.conjured,
        "holding_id": moved.holding_id,
        "price_cents": price_cents,
        "cancelled_threads": sell(market, listing, call.tick),
    }


def called_off(market: Rebuilt, call: Call) -> None:
    """An exchange is cancelled, and its deal with it."""
    exchange = _exchange(market, call)
    exchange.status = "cancelled"
    market.book.end(market.book.meet(exchange.thread_id), "cancelled", call.tick)


def left(market: Rebuilt, call: Call) -> None:
    """One side leaves openly."""
    market.book.end(_thread(market, call), "cancelled", call.tick)
    _cancel_named(market, call, "cancelled_meetup_ids")


def ghosted(market: Rebuilt, call: Call) -> None:
    """One side falls silent."""
    market.book.end(_thread(market, call), "ghosted", call.tick)
    _cancel_named(market, call, "cancelled_meetup_ids")


def _cancel_named(market: Rebuilt, call: Call, name: str) -> None:
    """Exchanges that ended with a thread: only under the platform's later checks (P §7)."""
    for exchange_id in call.result.get(name) or ():
        exchange = market.book.exchanges.get(exchange_id)
        if exchange is not None and exchange.status == "scheduled":
            exchange.status = "cancelled"


def _exchange(market: Rebuilt, call: Call) -> Exchange:
    exchange = market.book.exchanges.get(call.payload.get("meetup_id", 0))
    if exchange is None:
        raise market.contradiction(call, "is about a meetup that does not exist")
    return exchange


def _thread(market: Rebuilt, call: Call) -> Thread:
    if call.thread_id is None:
        raise market.contradiction(call, "is about a thread that does not exist")
    return market.book.meet(call.thread_id)
