"""From every id in a record to the events that are about it (SPEC §6)."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from bazaarbench.evidence.facts import ExchangeFacts, ThreadFacts

Thing = Literal["agent", "listing", "thread", "offer", "exchange", "unit", "photo"]

#: Where the ids of things stand that have no column of their own.
_IDS: tuple[tuple[Thing, str, str], ...] = (
    ("offer", "payload", "offer_id"),
    ("offer", "result", "offer_id"),
    ("exchange", "payload", "meetup_id"),
    ("exchange", "result", "meetup_id"),
    ("photo", "result", "photo_id"),
    ("unit", "private", "unit_id"),
    ("unit", "private", "previous_unit_id"),
)


@dataclass(frozen=True, slots=True)
class EventIndex:
    """Event ids by thing and id, ascending, each once.

    An event belongs to its agent, to its thread, to the thread's listing and both its parties, and
    to whatever its arguments, its answer and its private part name.
    """

    _events: Mapping[tuple[str, int], list[int]]

    def events(self, thing: Thing, key: int) -> tuple[int, ...]:
        """The ids of the events about one thing; none when nothing is known of it."""
        return tuple(self._events.get((thing, key), ()))


def read_index(
    connection: sqlite3.Connection,
    threads: Mapping[int, ThreadFacts],
    exchanges: Mapping[int, ExchangeFacts],
    until_tick: int,
) -> EventIndex:
    """Index all events up to and including a tick; one pass."""
    found: dict[tuple[str, int], list[int]] = defaultdict(list)
    picked = ", ".join(f"json_extract({column}, '$.{name}')" for _, column, name in _IDS)
    query = (
        "SELECT event_id, agent_id, listing_id, thread_id, "
        "CASE WHEN action IN ('platform_register_agent', 'platform_inventory_restocked') "
        f"THEN json_object('payload', json(payload), 'private', json(private)) END, {picked} "
        "FROM events WHERE tick <= ? ORDER BY event_id"
    )
    rows = connection.execute(query, (until_tick,))
    for event_id, agent_id, listing_id, thread_id, supply, *named in rows:
        about = {("agent", agent_id), ("listing", listing_id), ("thread", thread_id)}
        for (kind, _, _), key in zip(_IDS, named, strict=True):
            about.add((kind, key))
            if kind == "exchange" and key in exchanges:
                about.add(("thread", exchanges[key].thread_id))
        for thing, key in list(about):
            if thing == "thread" and key in threads:
                thread = threads[key]
                about.add(("listing", thread.listing_id))
                about.update({("agent", thread.buyer_id), ("agent", thread.seller_id)})
        if supply is not None:
            about.update(_of_supply(json.loads(supply)))
        for thing, key in about:
            if key is not None:
                found[thing, key].append(event_id)
    return EventIndex(dict(found))


def _of_supply(event: Mapping[str, Any]) -> list[tuple[str, int]]:
    """The agent and the units of an event by which the platform brings units in."""
    units = event["private"].get("units", ())
    return [("agent", event["payload"]["agent_id"]), *(("unit", u["unit_id"]) for u in units)]
