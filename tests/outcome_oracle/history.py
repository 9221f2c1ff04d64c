"""What the event log says about prices, costs and which listings were active.

Every question is answered by walking the whole ordered log again.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from pathlib import Path

from tests.oracle.failures import Past
from tests.oracle.log import Event, Record
from tests.oracle.replay import Held
from tests.oracle.shapes import Pos

#: What states an asking price; the platform's own row is that of an initial listing.
PRICED = ("platform_seed_listing", "create_listing", "edit_listing")
OPENED = ("platform_seed_listing", "create_listing", "relist")


@dataclass(frozen=True)
class Extra:
    """What the record's tables say beyond what the failure oracle reads."""

    agents: tuple[int, ...]
    #: (tick, agent, schema-valid calls) of every turn.
    turns: tuple[tuple[int, int, int], ...]


def read_extra(path: str | Path) -> Extra:
    """Who takes part, and the turns; read-only."""
    db = sqlite3.connect(f"file:{Path(path).resolve().as_posix()}?mode=ro", uri=True)
    try:
        agents = db.execute("SELECT agent_id FROM agents ORDER BY agent_id").fetchall()
        turns = db.execute("SELECT tick, agent_id, valid_calls FROM turns").fetchall()
    finally:
        db.close()
    return Extra(tuple(row[0] for row in agents), tuple(turns))


def accepted_price(record: Record, thread_id: int) -> int | None:
    """The price of the thread's accepted offer, in cents; the last acceptance wins (M §1.2)."""
    offered: dict[int, int] = {}
    price = None
    for event in record.events:
        if not event.ok:
            continue
        if event.action in ("make_offer", "counter_offer"):
            offered[event.result["offer_id"]] = event.payload["price_cents"]
        elif event.action == "accept_offer" and record.thread_of(event) == thread_id:
            price = offered.get(event.payload["offer_id"])
    return price


def asking_price(record: Record, listing_id: int, pos: Pos) -> int | None:
    """The last asking price that was stated by then, in cents (M §1.4)."""
    price = None
    for event in record.events:
        if event.pos <= pos and _of(event, listing_id) and event.action in PRICED:
            stated = event.payload.get("price_cents")
            price = price if stated is None else stated  # an edit may leave the price alone
    return price


def market_at_start_of(record: Record, tick: int) -> dict[int, int]:
    """The asking prices of the listings that are active when a tick begins, in cents.

    The ticks before decide, whole: their last event is the tick's start.
    """
    active: list[int] = []
    prices: dict[int, int] = {}
    for event in record.events:
        if event.tick >= tick:
            break
        listing_id = record.listing_of(event)
        if not event.ok or listing_id is None:
            continue
        if event.action in PRICED and event.payload.get("price_cents") is not None:
            prices[listing_id] = event.payload["price_cents"]
        if event.action in OPENED and listing_id not in active:
            active.append(listing_id)
        if (event.action == "mark_sold" or event.completes) and listing_id in active:
            active.remove(listing_id)
    return {listing_id: prices[listing_id] for listing_id in active}


def cost_of(past: Past, held: Held) -> int | None:
    """What the holder of a unit had paid for it, in cents.

    A bought unit costs its purchase price (SPEC §9.2); the others what the platform's row says that
    handed them out.
    """
    for event in past.record.events:
        if event.pos != held.since:
            continue
        if event.completes:
            thread_id = past.record.thread_of(event)
            return None if thread_id is None else accepted_price(past.record, thread_id)
        for unit in event.private["units"]:
            if unit["unit_id"] == held.unit_id:
                cost = unit.get("cost_cents")
                return None if cost is None else int(cost)
    return None


def _of(event: Event, listing_id: int) -> bool:
    return event.ok and event.listing_id == listing_id
