"""Reading one record: all its events in order, and of the tables only what never changes.

The replay believes the event log. From the tables it takes who and what: a listing's owner, origin
and band, a thread's two parties, a unit's title, category and first-entry condition, an exchange's
hidden token. It never takes a status, a current owner or a date of an ending from them.
"""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.oracle.shapes import Pos

#: SPEC §3.8: deals, earnings and failures leave out these two origins and no other.
LEFT_OUT_ORIGINS = ("history", "platform")
OFFERS = ("make_offer", "counter_offer")


@dataclass(frozen=True)
class Event:
    pos: Pos
    agent_id: int | None
    action: str
    status: str
    reason: str
    listing_id: int | None
    thread_id: int | None
    payload: dict[str, Any]
    result: dict[str, Any]
    private: dict[str, Any]

    @property
    def tick(self) -> int:
        return self.pos.tick

    @property
    def ok(self) -> bool:
        return self.status == "ok"

    @property
    def completes(self) -> bool:
        """M §1.3: an ok confirmation whose answer says completed, exactly true."""
        said = self.result.get("completed")
        return self.ok and self.action == "complete_transaction" and said is True


@dataclass(frozen=True)
class ListingFacts:
    listing_id: int
    owner_id: int | None
    origin: str
    band: str | None
    title: str
    category: str

    @property
    def counted(self) -> bool:
        return self.owner_id is not None and self.origin not in LEFT_OUT_ORIGINS


@dataclass(frozen=True)
class ThreadFacts:
    thread_id: int
    listing_id: int
    buyer_id: int
    seller_id: int | None


@dataclass(frozen=True)
class UnitFacts:
    unit_id: int
    title: str
    category: str
    quality_pct: int | None


@dataclass(frozen=True)
class ExchangeFacts:
    exchange_id: int
    thread_id: int
    method: str
    scheduled_tick: int
    eta_tick: int | None
    token: str


@dataclass(frozen=True)
class Record:
    start: int
    end: int
    #: The last tick that was played; it may lie after the window.
    last_tick: int
    tested: tuple[int, ...]
    events: list[Event]
    listings: dict[int, ListingFacts]
    threads: dict[int, ThreadFacts]
    units: dict[int, UnitFacts]
    exchanges: dict[int, ExchangeFacts]
    warnings: list[str] = field(default_factory=list)
    #: The events of each listing, in order.
    of_listing: dict[int, list[Event]] = field(default_factory=dict)
    #: The threads of each listing, ascending.
    of_threads: dict[int, list[int]] = field(default_factory=dict)
    #: The thread of each offer and the event that made it.
    offers: dict[int, tuple[int, Pos]] = field(default_factory=dict)

    def in_window(self, tick: int) -> bool:
        """Windows are (start exclusive, end inclusive] (SPEC §1)."""
        return self.start < tick <= self.end

    def thread_of(self, event: Event) -> int | None:
        """The event's thread: its column, else what the answer says, else its exchange's."""
        if event.thread_id is not None:
            return event.thread_id
        told = event.result.get("thread_id")
        if isinstance(told, int):
            return told
        exchange = self.exchanges.get(_exchange_id(event))
        return None if exchange is None else exchange.thread_id

    def listing_of(self, event: Event) -> int | None:
        """The listing that the event's thread is about, else the one it names.

        A photo may show another listing than its thread's; what happens in a thread still belongs
        to the thread's listing (M §3.1: "in any thread of the listing").
        """
        thread_id = self.thread_of(event)
        thread = None if thread_id is None else self.threads.get(thread_id)
        return event.listing_id if thread is None else thread.listing_id

    def threads_on(self, listing_id: int | None) -> list[int]:
        return [] if listing_id is None else self.of_threads.get(listing_id, [])

    def subject_thread(self, event: Event) -> int | None:
        """The thread that a call is about.

        Of a banned agent's call the platform looks nothing up: the ids in its arguments say it, as
        far as they named something by then.
        """
        if event.thread_id is not None or event.status != "blocked":
            return self.thread_of(event)
        made = self.offers.get(_whole(event.payload.get("offer_id")))
        if made is not None and made[1] < event.pos:
            return made[0]
        thread_id = _whole(event.payload.get("thread_id"))
        began = any(
            e.ok and e.pos < event.pos and self.thread_of(e) == thread_id for e in self.events
        )
        return thread_id if began else None

    def subject_listing(self, event: Event) -> int | None:
        """The listing that a call is about, with a banned agent's calls like ``subject_thread``."""
        if event.listing_id is not None or event.status != "blocked":
            return self.listing_of(event)
        listing_id = _whole(event.payload.get("listing_id"))
        began = any(e.ok and e.pos < event.pos and e.listing_id == listing_id for e in self.events)
        return listing_id if began else None

    def ok_events(self, *actions: str) -> list[Event]:
        return [e for e in self.events if e.ok and e.action in actions]


def _whole(value: Any) -> int:
    return value if isinstance(value, int) else -1


def _exchange_id(event: Event) -> int:
    """The exchange that an action or its answer names, or -1."""
    for where in (event.result, event.payload, event.private):
        for name in ("meetup_id", "exchange_id"):
            if isinstance(where.get(name), int):
                return int(where[name])
    return -1


def exchange_id_of(event: Event) -> int | None:
    found = _exchange_id(event)
    return None if found < 0 else found


def _object(text: str | None) -> dict[str, Any]:
    loaded = json.loads(text) if text else {}
    return loaded if isinstance(loaded, dict) else {}


def _private(text: str | None) -> dict[str, Any]:
    """What the platform kept to itself; a listing that got no unit is one of the unit it names."""
    private = _object(text)
    if private.get("unit_id") is None and private.get("named_unit_id") is not None:
        private["unit_id"] = private["named_unit_id"]
    return private


def read(path: str | Path) -> Record:
    """Read a record file, read-only."""
    db = sqlite3.connect(f"file:{Path(path).resolve().as_posix()}?mode=ro", uri=True)
    try:
        (text,) = db.execute("SELECT value FROM meta WHERE key = 'info'").fetchone()
        info = json.loads(text)
        start, end = int(info["start_tick"]), int(info["end_tick"])
        rows = db.execute(
            "SELECT tick, event_id, agent_id, action, status, reason, listing_id, thread_id,"
            " payload, result, private FROM events"
        ).fetchall()
        events = [
            Event(
                *(Pos(*row[:2]), *row[2:5], row[5] or "", *row[6:8]),
                *map(_object, row[8:10]),
                _private(row[10]),
            )
            for row in rows
        ]
        last_tick = max((e.tick for e in events), default=0)
        # What lies after the window is not observed: no terminal (M §1.3), and no acceptance, for
        # which reason the statuses of offers are not read either.
        events = sorted((e for e in events if e.tick <= end), key=lambda e: e.pos)
        listings = {
            row[0]: ListingFacts(*row)
            for row in db.execute(
                "SELECT listing_id, owner_id, origin, band, title, category FROM listings"
            )
        }
        threads = {
            row[0]: ThreadFacts(*row)
            for row in db.execute("SELECT thread_id, listing_id, buyer_id, seller_id FROM threads")
        }
        units = {
            row[0]: UnitFacts(*row)
            for row in db.execute("SELECT unit_id, title, category, quality_pct FROM units")
        }
        exchanges = {
            row[0]: ExchangeFacts(*row)
            for row in db.execute(
                "SELECT exchange_id, thread_id, method, scheduled_tick, eta_tick, handoff_token"
                " FROM exchanges"
            )
        }
    finally:
        db.close()
    tested = tuple(sorted(int(a) for a in info.get("tested") or ()))
    record = Record(start, end, last_tick, tested, events, listings, threads, units, exchanges)
    for thread in record.threads.values():
        record.of_threads.setdefault(thread.listing_id, []).append(thread.thread_id)
    for event in events:
        offer_id, thread_id = event.result.get("offer_id"), record.thread_of(event)
        if event.ok and event.action in OFFERS and offer_id is not None and thread_id is not None:
            record.offers[offer_id] = (thread_id, event.pos)
        listing_id = record.listing_of(event)
        if listing_id is not None:
            record.of_listing.setdefault(listing_id, []).append(event)
    return record
