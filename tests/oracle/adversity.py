"""Which kinds of foul play a record holds, and how often."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from tests.oracle import log, replay
from tests.oracle.failures import Past
from tests.oracle.log import Event

KINDS = (
    "events",
    "base markets",
    "windows that begin in the middle",
    "records that go on after the window",
    "agents with twins",
    "listings of a unit that is in another listing",
    "listings with an overstating band",
    "listings of nothing",
    "listings of a bought unit",
    "resales of a bought unit",
    "edits",
    "edits of a title",
    "relists",
    "relists after a sale to nothing",
    "relists to another unit",
    "sold outside",
    "completions",
    "completions that conjured",
    "completions on ended threads",
    "completions of ticks with another sale of the seller",
    "completions by another unit than the bound one",
    "meetups completed before their time",
    "meetups completed uninspected",
    "meetups completed inspected",
    "shipments completed before arrival",
    "shipments completed at or after arrival",
    "completions with a verified proof",
    "completions with a fraud event",
    "promises after an ending of the same tick",
    "refused promises",
    "refused relists",
    "refused creations",
    "refused photos",
    "photos paranoid",
    "photos normal",
    "photos trust-building",
    "stock photos",
    "calls of banned agents",
    "calls in error",
    "restocked units",
)


def count(path: Path) -> Counter[str]:
    """How often each kind occurs in a record; completions before the window as well."""
    record = log.read(path)
    past = Past(
        record, replay.completions(record), replay.holdings(record), replay.bindings(record)
    )
    found: Counter[str] = Counter()
    found["events"] = len(record.events)
    found["base markets"] = record.start == 0
    found["windows that begin in the middle"] = record.start > 0
    found["records that go on after the window"] = record.last_tick > record.end
    found["agents with twins"] = sum(
        len(kinds) > len(set(kinds))
        for kinds in (
            [replay.kind_of(record.units[h.unit_id]) for h in held if h.since.tick == 0]
            for held in past.holdings_of.values()
        )
    )
    for event in record.events:
        _event(past, event, found)
    _sales(past, found)
    return found


def _event(past: Past, event: Event, found: Counter[str]) -> None:
    record = past.record
    if event.status == "error":
        found["calls in error"] += 1
    if event.reason == "banned":
        found["calls of banned agents"] += 1
    if event.status == "blocked":
        kind = {
            "relist": "relists",
            "create_listing": "creations",
            "send_photo": "photos",
        }.get(event.action, "promises" if event.action in replay.COMMITTING else None)
        if kind is not None:
            found[f"refused {kind}"] += 1
    if not event.ok:
        return
    if event.action == "platform_inventory_restocked":
        found["restocked units"] += len(event.private["units"])
    elif event.action == "mark_sold":
        found["sold outside"] += 1
    elif event.action == "edit_listing":
        found["edits"] += 1
        found["edits of a title"] += event.payload.get("title") is not None
    elif event.action == "send_photo":
        found[f"photos {event.payload['privacy_mode']}"] += 1
    elif event.action == "send_stock_photo":
        found["stock photos"] += 1
    elif event.action in ("create_listing", "relist"):
        _listing(past, event, found)
    elif event.action in replay.COMMITTING:
        thread_id = record.thread_of(event)
        found["promises after an ending of the same tick"] += any(
            e.ok
            and e.tick == event.tick
            and e.pos < event.pos
            and record.thread_of(e) not in (None, thread_id)
            and (e.completes or e.action in ("cancel_meetup", "leave_thread", "ghost"))
            for e in record.events
        )


def _listing(past: Past, event: Event, found: Counter[str]) -> None:
    unit_id, new = event.private["unit_id"], event.action == "create_listing"
    found["relists"] += not new
    if unit_id is None:
        found["listings of nothing" if new else "relists after a sale to nothing"] += 1
        return
    previous = event.private.get("previous_unit_id")
    found["relists to another unit"] += not new and previous not in (None, unit_id)
    listing = past.record.listings[event.listing_id or 0]
    quality = past.record.units[unit_id].quality_pct
    band = {"brand_new": 95, "like_new": 82, "good": 60, "fair": 35, "damaged": 10}
    if new:
        found["listings with an overstating band"] += (
            quality is not None and band.get(listing.band or "", 0) > quality
        )
        found["listings of a bought unit"] += any(
            h.unit_id == unit_id and h.since.tick > 0 and h.since < event.pos
            for h in past.holdings_of[listing.owner_id or 0]
        )
        found["listings of a unit that is in another listing"] += any(
            any(b.unit_id == unit_id and b.pos < event.pos for b in bound)
            for other, bound in past.bindings.items()
            if other != listing.listing_id
        )


def _sales(past: Past, found: Counter[str]) -> None:
    record = past.record
    _, first_ends = replay.terminals(record)
    for sale in past.completions:
        seller = record.listings[sale.listing_id].owner_id
        bound = replay.bound_unit(past.bindings, sale.listing_id, sale.pos)
        found["completions"] += 1
        found["completions that conjured"] += sale.conjured
        found["completions on ended threads"] += first_ends[sale.thread_id] < sale.pos
        found["completions by another unit than the bound one"] += (
            not sale.conjured and bound not in (None, sale.unit_id)
        )
        found["completions of ticks with another sale of the seller"] += any(
            other is not sale
            and other.pos.tick == sale.pos.tick
            and record.listings[other.listing_id].owner_id == seller
            for other in past.completions
        )
        found["resales of a bought unit"] += any(
            h.unit_id == sale.unit_id and h.until == sale.pos and h.since.tick > 0
            for h in past.holdings
        )
        if sale.shipped:
            when = "at or after" if sale.timely else "before"
            found[f"shipments completed {when} arrival"] += 1
        else:
            looked = "un" if sale.inspection is None else ""
            found[f"meetups completed {looked}inspected"] += 1
            found["meetups completed before their time"] += not sale.timely
        found["completions with a verified proof"] += sale.proof_verified
        found["completions with a fraud event"] += sale.fraud
