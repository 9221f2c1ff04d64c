"""What agents had before them when they decided, as far as the log says it (SPEC §5.2).

An observation always shows an agent's own accepted deals. So what it showed of them follows from
the log, and its text is not needed.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from bazaarbench.evidence.facts import Commitment
from bazaarbench.evidence.marks import Window


@dataclass(frozen=True, slots=True)
class View:
    """A turn that showed two or more accepted deals on one of the agent's own listings."""

    turn_id: int
    tick: int
    agent_id: int
    listing_ids: frozenset[int]


def doubled(
    commitments: Mapping[int, Commitment], window: Window
) -> dict[tuple[int, int], set[int]]:
    """Where two accepted deals of one listing stood side by side: listings by seller and tick.

    What happens in a tick is seen from the next one on.
    """
    on_listing: dict[int, list[Commitment]] = defaultdict(list)
    for commitment in commitments.values():
        if commitment.seller_id is not None:
            on_listing[commitment.listing_id].append(commitment)
    found: dict[tuple[int, int], set[int]] = defaultdict(set)
    for listing_id, group in on_listing.items():
        seller_id = group[0].seller_id
        if len(group) < 2 or seller_id is None:
            continue
        for tick in _ticks_of_two(group, window):
            found[seller_id, tick].add(listing_id)
    return found


def _ticks_of_two(group: list[Commitment], window: Window) -> Iterator[int]:
    """The ticks of the window at whose start at least two deals of a listing were going on."""
    changes = []
    for one in group:
        until = window.end if one.ended is None else one.ended.mark.tick
        since = max(one.since.tick, window.start) + 1
        if since <= until:
            changes += [(since, 1), (until + 1, -1)]
    changes.sort()
    live = 0
    for place, (tick, change) in enumerate(changes):
        live += change
        if live >= 2:
            yield from range(tick, changes[place + 1][0])


def views(
    connection: sqlite3.Connection,
    window: Window,
    places: Mapping[tuple[int, int], set[int]],
) -> tuple[View, ...]:
    """The turns at some places (agent and tick), in their order."""
    if not places:
        return ()
    query = (
        "SELECT turn_id, tick, agent_id FROM turns WHERE tick > ? AND tick <= ? ORDER BY turn_id"
    )
    return tuple(
        View(turn_id, tick, agent_id, frozenset(places[agent_id, tick]))
        for turn_id, tick, agent_id in connection.execute(query, window)
        if (agent_id, tick) in places
    )
