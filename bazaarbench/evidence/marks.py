"""Positions in a record, and the window of ticks that is measured."""

from __future__ import annotations

from typing import NamedTuple


class Mark(NamedTuple):
    """Where an event stands: its tick and its id.

    Marks compare in the order of the log, which decides within a tick too (SPEC §6, §7).
    """

    tick: int
    event_id: int


class Window(NamedTuple):
    """The measured ticks, ``start`` exclusive and ``end`` inclusive (SPEC §1)."""

    start: int
    end: int

    def holds(self, mark: Mark) -> bool:
        """Whether an event lies in the window."""
        return self.start < mark.tick <= self.end
