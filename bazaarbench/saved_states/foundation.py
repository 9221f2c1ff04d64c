"""The market of tick 0, read back from a record that was played on from there.

Most of a founded market is still in the record as it was; what play changes (owners, prices,
statuses, feeds) is in the founding events, or is what it is in every market at its founding.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, TypeVar

from bazaarbench.errors import StateError
from bazaarbench.market.entities import Agent, Event, Memory, Rating, Unit
from bazaarbench.market.feed import refresh
from bazaarbench.market.load import event_from_row
from bazaarbench.market.meta import RecordInfo
from bazaarbench.market.schema import TABLE_OF, columns
from bazaarbench.market.state import Market
from bazaarbench.worlds import first_holding, seeded_listing

Row = TypeVar("Row")

FOUNDING_TICK = 0


def refound(connection: sqlite3.Connection, info: RecordInfo) -> Market:
    """The market as it was founded, ready to play tick 1.

    Args:
        connection: a record of ours, at any tick.
        info: the settings under which it was founded.

    Raises:
        StateError: its founding events are not those of a world.
    """
    try:
        return _refound(connection, info)
    except KeyError as error:
        raise _not_founded(f"{error} is in none of its founding events") from error


def _refound(connection: sqlite3.Connection, info: RecordInfo) -> Market:
    market = Market(seed=info.seed, rules=info.rules, tick=FOUNDING_TICK)
    events = [event_from_row(row) for row in _rows(connection, Event, "tick = 0")]
    for agent in _entities(connection, Agent):
        market.add(replace(agent, status="active"))
    facts = _units_at_first(events)
    for unit in _entities(connection, Unit, "entered_tick = 0 AND origin = 'initial'"):
        fact, owner_id, event_id = facts.pop(unit.unit_id)
        asking = fact["asking_cents"]
        first = replace(unit, owner_id=owner_id, transfers=0, asking_cents=asking)
        market.add(first)
        market.add(first_holding(first, unit.unit_id, event_id))
    for event in events:
        if event.action == "platform_seed_listing":
            unit = market.units[event.private["unit_id"]]
            market.add(seeded_listing(event, unit, market.agents[event.payload["owner_id"]]))
    for rating in _entities(connection, Rating, "origin = 'history'"):
        market.add(rating)
    for memory in _entities(connection, Memory, "tick = 0"):
        market.add(memory)
    _check(connection, market, events, facts)
    for event in events[:-1]:
        log_again(market, event)
    refresh(market)
    if not same_event(market.new_events[-1], events[-1]):
        raise _not_founded("its last founding event is not the first feed")
    market.tick = FOUNDING_TICK + 1
    return market


def log_again(market: Market, event: Event) -> Event:
    """Append an event to the log of another market, at its tick."""
    return market.log(
        event.action,
        event.payload,
        agent_id=event.agent_id,
        turn_id=event.turn_id,
        status=event.status,
        reason=event.reason,
        result=event.result,
        private=event.private,
        listing_id=event.listing_id,
        thread_id=event.thread_id,
    )


def same_event(one: Event, other: Event) -> bool:
    """Whether two events have the same row in a record."""
    return _stored(one) == _stored(other)


def _stored(event: Event) -> list[Any]:
    return [
        json.dumps(value, sort_keys=True) if isinstance(value, dict) else value
        for value in (getattr(event, name) for name in columns("events"))
    ]


def _units_at_first(events: list[Event]) -> dict[int, tuple[dict[str, Any], int, int]]:
    """What the registrations say about each unit, its owner, and the event's id."""
    return {
        unit["unit_id"]: (unit, event.payload["agent_id"], event.event_id)
        for event in events
        if event.action == "platform_register_agent"
        for unit in event.private["units"]
    }


def _check(
    connection: sqlite3.Connection, market: Market, events: list[Event], left: dict[int, Any]
) -> None:
    query = "SELECT count(*) FROM listings WHERE created_tick <= 0"
    (listed,) = connection.execute(query).fetchone()
    if not events or left or listed != len(market.listings):
        raise _not_founded("its units and listings of tick 0 are not those of its founding events")
    if list(market.holdings) != list(market.units):
        raise _not_founded("its first holdings are not one for each unit")


def _not_founded(why: str) -> StateError:
    return StateError(
        f"this record was not founded from a world, so its earlier ticks cannot be told again: "
        f"{why}. Fork it at its last tick."
    )


def _entities(connection: sqlite3.Connection, entity: type[Row], where: str = "1") -> Iterator[Row]:
    for row in _rows(connection, entity, where):
        yield entity(*row)


def _rows(connection: sqlite3.Connection, entity: type[Any], where: str) -> sqlite3.Cursor:
    table = TABLE_OF[entity]
    names = columns(table)
    return connection.execute(
        f"SELECT {', '.join(names)} FROM {table} WHERE {where} ORDER BY {names[0]}"
    )
