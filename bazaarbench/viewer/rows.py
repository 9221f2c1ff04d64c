"""Rows of a record as pages show them: events, turns, holdings, texts."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bazaarbench.market.schema import columns

#: SQLite takes so many values at once, everywhere.
_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class EventRow:
    """An event, with its JSON read."""

    event_id: int
    tick: int
    agent_id: int | None
    turn_id: int | None
    action: str
    status: str
    reason: str | None
    listing_id: int | None
    thread_id: int | None
    payload: Mapping[str, Any]
    result: Mapping[str, Any]
    private: Mapping[str, Any]


_EVENT = (
    "event_id, tick, agent_id, turn_id, action, status, reason, listing_id, thread_id, payload, "
    "result, private"
)


def events(connection: sqlite3.Connection, ids: Iterable[int]) -> list[EventRow]:
    """The events of some ids, in the order of the log."""
    return [
        _event(row)
        for row in _by_ids(connection, f"SELECT {_EVENT} FROM events WHERE event_id", sorted(ids))
    ]


def events_of_turn(connection: sqlite3.Connection, tick: int, turn_id: int) -> list[EventRow]:
    """The events of a turn; ``tick`` is its own, by which events are found."""
    query = f"SELECT {_EVENT} FROM events WHERE tick = ? AND turn_id = ? ORDER BY event_id"
    return [_event(row) for row in connection.execute(query, (tick, turn_id))]


def _event(row: Sequence[Any]) -> EventRow:
    return EventRow(*row[:9], *(json.loads(text) if text else {} for text in row[9:]))


@dataclass(frozen=True, slots=True)
class TurnRow:
    """A turn, as in the record; JSON columns as text."""

    turn_id: int
    tick: int
    agent_id: int
    role: str
    model: str
    outcome: str
    note: str | None
    reasoning: str | None
    text: str | None
    stop_reason: str | None
    error: str | None
    calls: int
    valid_calls: int
    requests: int
    observation: str | None
    prompt: str | None
    reply: str | None
    usage: str | None
    latency_ms: int | None
    message_id: str | None


_TURN = (
    "turn_id, tick, agent_id, role, model, outcome, note, reasoning, text, stop_reason, error, "
    "calls, valid_calls, requests, observation, prompt, reply, usage, latency_ms, message_id"
)


def turns(connection: sqlite3.Connection, ids: Iterable[int]) -> dict[int, TurnRow]:
    """Some turns by id."""
    query = f"SELECT {_TURN} FROM turns WHERE turn_id"
    return {row[0]: TurnRow(*row) for row in _by_ids(connection, query, sorted(ids))}


def turns_of_agent(
    connection: sqlite3.Connection, agent_id: int, offset: int, limit: int
) -> tuple[list[TurnRow], int]:
    """A part of an agent's turns, the newest last; and how many there are."""
    (count,) = connection.execute(
        "SELECT count(*) FROM turns WHERE agent_id = ?", (agent_id,)
    ).fetchone()
    query = f"SELECT {_TURN} FROM turns WHERE agent_id = ? ORDER BY turn_id LIMIT ? OFFSET ?"
    return [TurnRow(*row) for row in connection.execute(query, (agent_id, limit, offset))], count


def neighbours(connection: sqlite3.Connection, turn: TurnRow) -> tuple[int | None, int | None]:
    """The agent's turn before and after one."""
    before, after = (
        connection.execute(
            f"SELECT {which}(turn_id) FROM turns WHERE agent_id = ? AND turn_id {sign} ?",
            (turn.agent_id, turn.turn_id),
        ).fetchone()[0]
        for which, sign in (("max", "<"), ("min", ">"))
    )
    return before, after


def table_rows(
    connection: sqlite3.Connection, table: str, where: str, values: Sequence[Any]
) -> list[dict[str, Any]]:
    """Rows of a table as dictionaries; ``where`` is ours, values are parameters."""
    names = columns(table)
    query = f"SELECT {', '.join(names)} FROM {table} WHERE {where} ORDER BY {names[0]}"
    return [dict(zip(names, row, strict=True)) for row in connection.execute(query, values)]


def listing_titles(connection: sqlite3.Connection, ids: Collection[int]) -> dict[int, str]:
    """The titles of listings as they stand now."""
    query = "SELECT listing_id, title FROM listings WHERE listing_id"
    return {row[0]: row[1] for row in _by_ids(connection, query, sorted(ids))}


def _by_ids(
    connection: sqlite3.Connection, query: str, ids: Sequence[int]
) -> Iterator[Sequence[Any]]:
    for start in range(0, len(ids), _AT_ONCE):
        part = ids[start : start + _AT_ONCE]
        marks = ",".join("?" * len(part))
        yield from connection.execute(f"{query} IN ({marks}) ORDER BY 1", part)
