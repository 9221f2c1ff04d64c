"""Live state from a record: the one way in which a market is resumed, forked or imported.

Every row goes through ``Market.add``, which also builds the live market, so ``load(record)`` equals
the live state after every tick (SPEC §4.9).
"""

from __future__ import annotations

import json
import sqlite3
from collections import deque
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

from bazaarbench.market.entities import Event, Turn
from bazaarbench.market.files import file_of, reading
from bazaarbench.market.meta import read_meta
from bazaarbench.market.schema import JSON_COLUMNS, TABLES, columns
from bazaarbench.market.state import (
    DISCOVERIES_SHOWN,
    DISCOVERY_ACTIONS,
    HISTORY_SHOWN,
    NOTES_SHOWN,
    PASSIVE_ACTIONS,
    Market,
    Reputation,
)


def load(connection: sqlite3.Connection) -> Market:
    """The market of a record, ready to play the tick after its last committed one.

    Args:
        connection: ``Record.connection`` or ``read_only(path)``.

    Raises:
        RecordError: its settings are not readable by this version, or it is damaged.
    """
    path = file_of(connection)
    with reading(path):
        return _load(connection, path)


def _load(connection: sqlite3.Connection, path: Path) -> Market:
    info, last_tick = read_meta(connection, path)
    market = Market(seed=info.seed, rules=info.rules, tick=last_tick + 1)
    for table, entity in TABLES.items():
        if entity in (Event, Turn):
            continue
        names = columns(table)
        rows = connection.execute(f"SELECT {', '.join(names)} FROM {table} ORDER BY {names[0]}")
        for row in rows:
            market.add(entity(*row), stored=True)
    market.next_event_id = 1 + _last_id(connection, "events")
    market.next_turn_id = 1 + _last_id(connection, "turns")
    for event in _remembered_events(connection):
        market.remember_event(event)
    for agent_id, tick, note in _remembered_notes(connection):
        market.remember_note(agent_id, tick, note)
    return market


def event_from_row(row: tuple[Any, ...]) -> Event:
    """An event from a row that holds all columns of ``events`` in order."""
    pairs = zip(columns("events"), row, strict=True)
    return Event(**{k: json.loads(v) if k in JSON_COLUMNS else v for k, v in pairs})


def _last_id(connection: sqlite3.Connection, table: str) -> int:
    row = connection.execute(f"SELECT max({columns(table)[0]}) FROM {table}").fetchone()
    return row[0] or 0


def _remembered_events(connection: sqlite3.Connection) -> Iterator[Event]:
    """The newest events of every agent that ``Market.remember_event`` keeps, ascending."""
    passive, discovery = sorted(PASSIVE_ACTIONS), sorted(DISCOVERY_ACTIONS)
    query = f"""
        SELECT {", ".join(columns("events"))} FROM events WHERE event_id IN (
            SELECT event_id FROM (
                SELECT event_id, discovery, row_number() OVER (
                    PARTITION BY agent_id, discovery ORDER BY event_id DESC
                ) AS age FROM (
                    SELECT event_id, agent_id, status, action IN ({_marks(discovery)}) AS discovery
                    FROM events
                    WHERE agent_id IS NOT NULL AND action NOT IN ({_marks(passive)})
                ) WHERE discovery = 0 OR status = 'ok'
            ) WHERE age <= iif(discovery, ?, ?)
        ) ORDER BY event_id"""
    shown = (DISCOVERIES_SHOWN, HISTORY_SHOWN)
    for row in connection.execute(query, (*discovery, *passive, *shown)):
        yield event_from_row(row)


def _remembered_notes(connection: sqlite3.Connection) -> Iterator[tuple[int, int, str]]:
    """Agent, tick and text of the newest decision notes of every agent, ascending."""
    query = """
        SELECT agent_id, tick, note FROM (
            SELECT turn_id, agent_id, tick, note, row_number() OVER (
                PARTITION BY agent_id ORDER BY turn_id DESC
            ) AS age FROM turns WHERE note <> ''
        ) WHERE age <= ? ORDER BY turn_id"""
    yield from connection.execute(query, (NOTES_SHOWN,))


def _marks(values: list[str]) -> str:
    return ",".join("?" * len(values))


def differences(a: Market, b: Market) -> list[str]:
    """The names of the fields in which two markets differ; indexes count by what they hold."""
    return [
        field.name
        for field in fields(Market)
        if field.compare and _plain(getattr(a, field.name)) != _plain(getattr(b, field.name))
    ]


def same_state(a: Market, b: Market) -> bool:
    """Whether two markets have equal rows, equal indexes and the same changes waiting."""
    return not differences(a, b)


def _plain(value: Any) -> Any:
    """``value`` without the empty entries that a mere look at an index leaves behind."""
    if isinstance(value, dict):
        plain = {key: _plain(item) for key, item in value.items()}
        return {key: item for key, item in plain.items() if item not in ({}, [], 0, Reputation())}
    if isinstance(value, list | deque):
        return [_plain(item) for item in value]
    if isinstance(value, Event):
        # As stored: a tuple in a live result is a list in the record.
        return [
            json.dumps(item, sort_keys=True) if name in JSON_COLUMNS else item
            for name, item in ((name, getattr(value, name)) for name in columns("events"))
        ]
    return value
