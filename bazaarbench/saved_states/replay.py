"""A market's earlier tick, told again from its log (SPEC §3.7 "forks").

The current tables cannot be rewound: feeds, view counts, prices and notebooks are overwritten. But
a market is deterministic given the calls that its agents made, and the log holds every one. So the
founded market is played once more with the stored calls, and each event that comes of it must be
the stored one, to the last column.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from itertools import groupby
from operator import attrgetter
from pathlib import Path

from bazaarbench.errors import StateError
from bazaarbench.market.calls import ToolCall
from bazaarbench.market.dynamics import end_of_tick
from bazaarbench.market.entities import Event, Turn
from bazaarbench.market.load import event_from_row
from bazaarbench.market.platform import Platform
from bazaarbench.market.record import Record, read_only
from bazaarbench.market.rules import Rules
from bazaarbench.market.schema import columns
from bazaarbench.market.state import NOTEBOOK_WRITTEN, Market
from bazaarbench.saved_states.foundation import log_again, same_event

#: What a call leaves in an event's private part that is not the handler's: what checks said, and
#: the text before it was cleaned. It is taken from the log.
_NOT_THE_HANDLERS = ("warnings", "original")


def play_again(
    source: Path,
    record: Record,
    market: Market,
    until: int,
    rules_of: Callable[[int], Rules],
    progress: Callable[[int, int], None] | None = None,
) -> None:
    """Play the stored calls of ``source`` into ``record``, up to and including tick ``until``.

    Args:
        source: the record whose log is told again.
        record: a new record at the tick before ``market.tick``; gets every tick.
        market: its live state.
        until: the last tick.
        rules_of: the rules under which a tick was played.
        progress: told after every tick.

    Raises:
        StateError: something else comes of a stored call than what is stored.
    """
    with closing(read_only(source)) as events_of, closing(read_only(source)) as turns_of:
        seen = _seen(events_of)
        span = (market.tick, until)
        events, turns = _events(events_of, span), _turns(turns_of, span)
        stored_events, stored_turns = next(events, None), next(turns, None)
        platform = Platform(market)
        while market.tick <= until:
            tick = market.tick
            if market.rules != rules_of(tick):
                market.rules = rules_of(tick)
                platform = Platform(market)
            these_turns: Sequence[Turn] = ()
            these: Sequence[Event] = ()
            if stored_turns is not None and stored_turns[0] == tick:
                these_turns, stored_turns = stored_turns[1], next(turns, None)
            if stored_events is not None and stored_events[0] == tick:
                these, stored_events = stored_events[1], next(events, None)
            for turn in these_turns:
                market.log_turn(turn)
            _play_tick(market, platform, these, seen.get(tick, ()), source)
            record.commit(market)
            if progress is not None:
                progress(tick, until)


def _play_tick(
    market: Market,
    platform: Platform,
    stored: Sequence[Event],
    seen: Sequence[int],
    source: Path,
) -> None:
    for event in stored:
        if event.action == NOTEBOOK_WRITTEN and event.agent_id is None:
            market.write_notebook(event.payload["agent_id"], event.private["content"])
        elif event.agent_id is None:
            continue  # the platform's own, which come by themselves
        elif event.status != "ok":
            log_again(market, event)  # refused calls change nothing
        else:
            call = ToolCall(event.action, event.payload)
            again = platform.perform(event.agent_id, event.turn_id, call)
            kept = {k: event.private[k] for k in _NOT_THE_HANDLERS if k in event.private}
            again.private = {**again.private, **kept}
    end_of_tick(market, dict.fromkeys(market.unseen_of, seen))
    for again, event in zip(market.new_events, stored, strict=False):
        if not same_event(again, event):
            raise _other(source, market.tick, event)
    if len(market.new_events) != len(stored):
        raise _other(source, market.tick, stored[-1] if stored else None)


def _other(source: Path, tick: int, event: Event | None) -> StateError:
    which = "its events" if event is None else f"event {event.event_id} ({event.action})"
    return StateError(
        f"tick {tick} of {source} cannot be told again: {which} would now be another. The record "
        "was played by another version of the market, or changed since. Fork it at its last tick, "
        "or with the BazaarBench that played it."
    )


def _seen(connection: sqlite3.Connection) -> dict[int, list[int]]:
    """The messages that were seen at each tick; the observations that showed them are not kept."""
    seen: dict[int, list[int]] = defaultdict(list)
    query = "SELECT seen_tick, message_id FROM messages WHERE seen_tick IS NOT NULL"
    for tick, message_id in connection.execute(query):
        seen[tick].append(message_id)
    return seen


def _events(
    connection: sqlite3.Connection, span: tuple[int, int]
) -> Iterator[tuple[int, list[Event]]]:
    query = _query("events", "event_id")
    rows = map(event_from_row, connection.execute(query, span))
    for tick, events in groupby(rows, key=attrgetter("tick")):
        yield tick, list(events)


def _turns(
    connection: sqlite3.Connection, span: tuple[int, int]
) -> Iterator[tuple[int, list[Turn]]]:
    rows = (Turn(*row) for row in connection.execute(_query("turns", "turn_id"), span))
    for tick, turns in groupby(rows, key=attrgetter("tick")):
        yield tick, list(turns)


def _query(table: str, key: str) -> str:
    names = ", ".join(columns(table))
    return f"SELECT {names} FROM {table} WHERE tick BETWEEN ? AND ? ORDER BY {key}"
