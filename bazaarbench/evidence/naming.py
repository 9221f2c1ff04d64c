"""What the ids in a banned agent's arguments named when it called (SPEC §6).

The platform turns a banned agent away before it looks anything up, so that the row of the call says
neither its listing nor its thread. Ids are handed out in order and can be guessed: one that was
given to something only later, were it later in the same tick, named nothing.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bazaarbench.evidence.marks import Mark


@dataclass(frozen=True, slots=True)
class Naming:
    """Looks ids up in a record as it stood when an event happened."""

    connection: sqlite3.Connection

    def listing(self, payload: Mapping[str, Any], mark: Mark) -> int | None:
        """The listing that a call's arguments name, if it existed by then."""
        listing_id: int = payload["listing_id"]
        row = self._row("SELECT created_event FROM listings WHERE listing_id = ?", listing_id)
        return listing_id if row and row[0] < mark.event_id else None

    def thread(self, payload: Mapping[str, Any], mark: Mark) -> int | None:
        """The thread that a call's arguments name, by an offer or by itself."""
        if "offer_id" in payload:
            return self._thread_of_offer(payload["offer_id"], mark)
        thread_id: int = payload["thread_id"]
        row = self._row("SELECT created_tick FROM threads WHERE thread_id = ?", thread_id)
        return thread_id if row and self._began(row[0], mark, "thread_id", thread_id) else None

    def _thread_of_offer(self, offer_id: int, mark: Mark) -> int | None:
        row = self._row("SELECT tick, thread_id FROM offers WHERE offer_id = ?", offer_id)
        where = "json_extract(result, '$.offer_id')"
        return row[1] if row and self._began(row[0], mark, where, offer_id) else None

    def _began(self, tick: int, mark: Mark, where: str, key: int) -> bool:
        """Whether something of a tick was there when an event happened.

        Within the tick an applied event has to say so.
        """
        if tick != mark.tick:
            return tick < mark.tick
        query = (
            "SELECT 1 FROM events WHERE tick = ? AND event_id < ? AND status = 'ok' "
            f"AND {where} = ? LIMIT 1"
        )
        return self._row(query, *mark, key) is not None

    def _row(self, query: str, *values: int) -> Any:
        return self.connection.execute(query, values).fetchone()
