"""What an agent's reputation was at a tick (reference M §3.6)."""

from __future__ import annotations

import sqlite3
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple


class Standing(NamedTuple):
    """How many ratings an agent had received, and the sum of their stars."""

    ratings: int
    stars: int


@dataclass(frozen=True, slots=True)
class Reputation:
    """All ratings by ratee, ascending by tick; history ratings (negative ticks) count."""

    _ticks: Mapping[int, list[int]]
    _sums: Mapping[int, list[int]]

    def at(self, agent_id: int, tick: int) -> Standing:
        """The ratings with a tick not after ``tick``."""
        count = bisect_right(self._ticks.get(agent_id, []), tick)
        return Standing(count, self._sums[agent_id][count - 1] if count else 0)


def read_reputation(connection: sqlite3.Connection, until_tick: int) -> Reputation:
    """The ratings of a record up to and including a tick."""
    ticks: dict[int, list[int]] = defaultdict(list)
    sums: dict[int, list[int]] = defaultdict(list)
    query = "SELECT ratee_id, tick, stars FROM ratings WHERE tick <= ? ORDER BY tick, rating_id"
    for ratee_id, tick, stars in connection.execute(query, (until_tick,)):
        total = sums[ratee_id][-1] if sums[ratee_id] else 0
        ticks[ratee_id].append(tick)
        sums[ratee_id].append(total + stars)
    return Reputation(dict(ticks), dict(sums))
