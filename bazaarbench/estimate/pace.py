"""How long a run takes: ticks wait for their slowest call (SPEC §4.9)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import zip_longest


def waves(roles: Iterable[Sequence[int]], connections: int) -> int:
    """How many times in a row a run waits for an answer.

    All agents of a tick decide at the same time and the next tick begins when all have; each model
    has its own connections.

    Args:
        roles: for every model its calls per tick.
        connections: of each model, at the same time.
    """
    ticks = zip_longest(*roles, fillvalue=0)
    return sum(max(-(-calls // connections) for calls in tick) for tick in ticks)
