"""A few values kept in memory while the files that they were made from do not change."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, TypeVar

#: What is being written is read again after this many times the time that reading takes.
PATIENCE = 20.0
_LEAST_S = 3.0

Stamp = tuple[tuple[int, int], ...]
Value = TypeVar("Value")


def stamp_of(*paths: Path) -> Stamp:
    """What changes when one of some files does: time and size, zeros for one that is not there."""
    stamps = []
    for path in paths:
        try:
            state = path.stat()
        except OSError:
            stamps.append((0, 0))
            continue
        stamps.append((state.st_mtime_ns, state.st_size))
    return tuple(stamps)


@dataclass
class Kept(Generic[Value]):
    """A few values by name, each with the stamp of the files that it was made from."""

    limit: int
    _values: OrderedDict[str, tuple[Stamp, float, float, Value]] = field(
        default_factory=OrderedDict
    )

    def known(self, name: str) -> Value | None:
        """The value of ``name`` as it was made last, if it is still kept."""
        found = self._values.get(name)
        return None if found is None else found[3]

    def get(
        self, name: str, stamp: Stamp, make: Callable[[], Value], *, patient: bool = False
    ) -> Value:
        """The value of ``name``; made anew when the files have changed.

        Args:
            name: which.
            stamp: of the files, now.
            make: makes it.
            patient: a value that was made a short while ago will do, though the files have changed.
        """
        now = time.monotonic()
        known = self._values.get(name)
        if known is not None:
            old, made_at, cost, value = known
            fresh_enough = patient and now - made_at < max(_LEAST_S, PATIENCE * cost)
            if old == stamp or fresh_enough:
                self._values.move_to_end(name)
                return value
            # What is let go before the new one is made does not count twice in memory.
            del self._values[name]
            del known, value
        while len(self._values) >= self.limit:
            self._values.popitem(last=False)
        value = make()
        self._values[name] = (stamp, now, time.monotonic() - now, value)
        return value
