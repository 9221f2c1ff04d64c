"""Python's garbage collector while markets are played.

A market is a large and growing heap in which nearly nothing is ever garbage, let alone in cycles.
Looking through it as often as Python does by default costs a tenth of the time.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

#: New objects before a collection of the youngest, and how many of those before the next older.
_THRESHOLDS = (100_000, 50, 100)


class _Collector:
    """The collector of this process, slowed down while any market is being played."""

    def __init__(self) -> None:
        self._playing = 0
        self._before = gc.get_threshold()

    @contextmanager
    def seldom(self) -> Iterator[None]:
        if self._playing == 0:
            self._before = gc.get_threshold()
            gc.set_threshold(*_THRESHOLDS)
        self._playing += 1
        try:
            yield
        finally:
            self._playing -= 1
            if self._playing == 0:
                gc.set_threshold(*self._before)


_COLLECTOR = _Collector()


def seldom_collected() -> AbstractContextManager[None]:
    """Collect seldom inside the block; the last of several blocks restores the thresholds."""
    return _COLLECTOR.seldom()
