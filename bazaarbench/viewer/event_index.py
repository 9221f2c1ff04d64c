"""Which events belong to which thread and listing of a record, kept up as the record grows.

The log is only ever appended to, so that what is new is read and nothing twice. Ids alone are kept,
some bytes an event.
"""

from __future__ import annotations

import sqlite3
from array import array
from collections import defaultdict
from collections.abc import Iterable
from typing import Any


class EventIndex:
    """Event ids, ascending, by thread; and by listing those that belong to no thread."""

    def __init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        self._last = 0
        #: The last event as it stood, so that another record in the same place is noticed.
        self._seal: Any = None
        self._threads: defaultdict[int, array[int]] = defaultdict(lambda: array("q"))
        self._listings: defaultdict[int, array[int]] = defaultdict(lambda: array("q"))

    def update(self, connection: sqlite3.Connection) -> None:
        """Read what was appended since the last time."""
        if self._last and _event(connection, self._last) != self._seal:
            self._begin()
        rows = connection.execute(
            "SELECT event_id, thread_id, listing_id FROM events WHERE event_id > ? "
            "ORDER BY event_id",
            (self._last,),
        )
        event_id = self._last
        for event_id, thread_id, listing_id in rows:
            if thread_id is not None:
                self._threads[thread_id].append(event_id)
            elif listing_id is not None:
                self._listings[listing_id].append(event_id)
        if event_id != self._last:
            self._last, self._seal = event_id, _event(connection, event_id)

    def of_thread(self, thread_id: int) -> Iterable[int]:
        """The events of a thread."""
        return self._threads.get(thread_id, ())

    def of_listing(self, listing_id: int) -> Iterable[int]:
        """The events of a listing that belong to no thread."""
        return self._listings.get(listing_id, ())


def _event(connection: sqlite3.Connection, event_id: int) -> Any:
    query = "SELECT tick, agent_id, action, payload, result FROM events WHERE event_id = ?"
    return connection.execute(query, (event_id,)).fetchone()
