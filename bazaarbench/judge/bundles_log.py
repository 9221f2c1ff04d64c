"""The event log as bundles need it: what happened in a thread, on a listing, in a turn.

One pass notes which events belong where, as ids alone; the rows themselves are read when a bundle
asks for them, so that a market of a million events fits in memory.
"""

from __future__ import annotations

import json
import sqlite3
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache
from types import TracebackType
from typing import Any, NamedTuple, Self

from bazaarbench.evidence import Evidence, Mark
from bazaarbench.market.files import reading
from bazaarbench.market.record import read_only

#: Calls that say nothing to anybody and change nothing.
PRIVATE_ACTIONS = frozenset(
    {
        "do_nothing",
        "wait",
        "pin",
        "recall",
        "search",
        "browse_category",
        "view_listing",
        "view_profile",
        "read",
    }
)
_ROW = (
    "event_id, tick, agent_id, turn_id, action, status, reason, listing_id, thread_id, "
    "payload, result"
)
_TURN = "turn_id, tick, agent_id, note, reasoning"
_KEPT_ROWS = 20_000
_KEPT_TURNS = 5_000


class Call(NamedTuple):
    """An event row: what an agent called, or what the platform did (``agent_id`` ``None``)."""

    event_id: int
    tick: int
    agent_id: int | None
    turn_id: int | None
    action: str
    status: str
    reason: str | None
    listing_id: int | None
    thread_id: int | None
    payload: dict[str, Any]
    result: dict[str, Any]

    @property
    def mark(self) -> Mark:
        """Its position."""
        return Mark(self.tick, self.event_id)

    @property
    def ok(self) -> bool:
        """Whether it was applied."""
        return self.status == "ok"

    @property
    def completes(self) -> bool:
        """Whether by it both parties had confirmed."""
        return self.action == "complete_transaction" and self.result.get("completed") is True


class Thought(NamedTuple):
    """What an agent wrote down in a turn: its visible note, and the provider's summary."""

    turn_id: int
    tick: int
    agent_id: int
    note: str | None
    reasoning: str | None

    @property
    def observed(self) -> bool:
        """Whether there is anything to read."""
        return bool((self.note or "").strip() or (self.reasoning or "").strip())


class Log:
    """The events and turns of a record, up to the end of its window. A context manager."""

    def __init__(self, evidence: Evidence) -> None:
        """Open the record and note which event belongs where; one pass.

        Raises:
            RecordError: the record cannot be read.
        """
        self.evidence = evidence
        self._connection = read_only(evidence.path)
        self._threads: dict[int, list[int]] = defaultdict(list)
        self._views: dict[int, list[int]] = defaultdict(list)
        with reading(evidence.path):
            self._index()
        self._row = lru_cache(maxsize=_KEPT_ROWS)(self._read_row)
        self.thought = lru_cache(maxsize=_KEPT_TURNS)(self._read_thought)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._connection.close()

    def _index(self) -> None:
        query = (
            "SELECT event_id, action, listing_id, thread_id FROM events "
            "WHERE tick <= ? AND status != 'error' AND agent_id IS NOT NULL "
            "AND (thread_id IS NOT NULL OR action = 'view_listing') ORDER BY event_id"
        )
        for event_id, action, listing_id, thread_id in self._connection.execute(
            query, (self.evidence.window.end,)
        ):
            if action == "view_listing":
                self._views[listing_id].append(event_id)
            elif action not in PRIVATE_ACTIONS:
                self._threads[thread_id].append(event_id)

    def calls(self, event_ids: Iterable[int]) -> list[Call]:
        """Events by their ids."""
        return [self._row(event_id) for event_id in event_ids]

    def call(self, event_id: int) -> Call:
        """One event."""
        return self._row(event_id)

    def thread(self, thread_id: int) -> Sequence[int]:
        """What was said and done in a thread, refused calls included, ascending."""
        return self._threads.get(thread_id, ())

    def around(self, call: Call, before: int, after: int) -> tuple[list[Call], list[Call]]:
        """The nearest applied calls of the same thread before and after one."""
        if call.thread_id is None:
            return [], []
        ids = self.thread(call.thread_id)
        at, behind = bisect_left(ids, call.event_id), bisect_right(ids, call.event_id)
        earlier = self.calls(ids[max(0, at - before) : at])
        later = self.calls(ids[behind : behind + after])
        return [c for c in earlier if c.ok], [c for c in later if c.ok]

    def views(self, listing_id: int, since: int, most: int) -> list[Call]:
        """The first views of a listing from an event on."""
        ids = self._views.get(listing_id, [])
        at = bisect_left(ids, since)
        return self.calls(ids[at : at + most])

    def tick(self, tick: int) -> list[Call]:
        """All calls of agents in a tick, ascending."""
        query = (
            f"SELECT {_ROW} FROM events WHERE tick = ? AND agent_id IS NOT NULL ORDER BY event_id"
        )
        with reading(self.evidence.path):
            return [_call(row) for row in self._connection.execute(query, (tick,))]

    def thoughts(self, tick: int) -> list[Thought]:
        """What was written down in the turns of a tick, ascending by turn."""
        query = f"SELECT {_TURN} FROM turns WHERE tick = ? ORDER BY turn_id"
        with reading(self.evidence.path):
            return [Thought(*row) for row in self._connection.execute(query, (tick,))]

    def seen_tick(self, call: Call) -> int | None:
        """When the message that a call sent was shown to its reader; ``None`` when it was not."""
        message_id = call.result.get("message_id")
        if not call.ok or message_id is None:
            return None
        query = "SELECT seen_tick FROM messages WHERE message_id = ?"
        row = self._one(query, message_id)
        seen: int | None = None if row is None else row[0]
        return None if seen is None or seen > self.evidence.window.end else seen

    def public(self, agent_id: int) -> tuple[str, str, str, int]:
        """Handle, name, ZIP code and the tick of joining of an agent."""
        query = "SELECT user_name, display_name, zip, joined_tick FROM agents WHERE agent_id = ?"
        user_name, display_name, zip_code, joined = self._one(query, agent_id)
        return user_name, display_name, zip_code, joined

    def agents(self) -> list[tuple[int, str, str]]:
        """Id, handle and name of everybody."""
        query = "SELECT agent_id, user_name, display_name FROM agents ORDER BY agent_id"
        with reading(self.evidence.path):
            return self._connection.execute(query).fetchall()

    def models(self) -> list[str]:
        """The models that served turns, as the record names them."""
        query = "SELECT DISTINCT model FROM turns ORDER BY model"
        with reading(self.evidence.path):
            return [row[0] for row in self._connection.execute(query)]

    def description(self, listing_id: int) -> str:
        """The text of a listing as it stands at the end of the record."""
        query = "SELECT description FROM listings WHERE listing_id = ?"
        return str(self._one(query, listing_id)[0])

    def _one(self, query: str, *values: object) -> Any:
        with reading(self.evidence.path):
            return self._connection.execute(query, values).fetchone()

    def _read_row(self, event_id: int) -> Call:
        return _call(self._one(f"SELECT {_ROW} FROM events WHERE event_id = ?", event_id))

    def _read_thought(self, turn_id: int) -> Thought:
        return Thought(*self._one(f"SELECT {_TURN} FROM turns WHERE turn_id = ?", turn_id))


def _call(row: sqlite3.Row | tuple[Any, ...]) -> Call:
    *head, payload, result = row
    return Call._make([*head, json.loads(payload), json.loads(result) if result else {}])
