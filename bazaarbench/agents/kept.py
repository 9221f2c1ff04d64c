"""Rows of an observation with their text, and how they are kept while nothing in them changes."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, NamedTuple, ParamSpec

from bazaarbench.agents.policy import render

P = ParamSpec("P")
Row = dict[str, Any]


class Shown(NamedTuple):
    """A row or a section: its data and the JSON of that."""

    data: Any
    text: str


def shown(data: Any) -> Shown:
    """Data with its text."""
    return Shown(data, render(data))


def section(rows: Sequence[Shown]) -> Shown:
    """A section of rows whose texts are known."""
    if not rows:
        return EMPTY
    data, texts = zip(*rows, strict=True)
    return Shown(list(data), f"[{','.join(texts)}]")


EMPTY = Shown([], "[]")


class Kept:
    """Rows of one section by what they are about, each with the state it was made from."""

    __slots__ = ("_limit", "_rows")

    def __init__(self, limit: int) -> None:
        """Keep at most ``limit`` rows; all are let go when there are more."""
        self._limit = limit
        self._rows: dict[Hashable, tuple[Hashable, Shown]] = {}

    def row(
        self,
        key: Hashable,
        state: Hashable,
        make: Callable[P, Any],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> Shown:
        """The row of ``key``, made by ``make`` unless it was made from an equal ``state`` before.

        Args:
            key: what the row is about, and for whom.
            state: everything in the row that can change.
            make: makes the row.
            *args: what ``make`` is called with.
            **kwargs: likewise.
        """
        known = self._rows.get(key)
        if known is None or known[0] != state:
            if len(self._rows) >= self._limit:
                self._rows.clear()
            known = self._rows[key] = (state, shown(make(*args, **kwargs)))
        return known[1]


class Found:
    """An agent's searches and views: their rows by event, and the section up to the newest."""

    __slots__ = ("newest", "rows", "section")

    def __init__(self) -> None:
        self.newest = 0
        self.rows: dict[int, Shown | None] = {}
        self.section = EMPTY

    def forget(self, event_id: int) -> None:
        """Let go of a row, and so of the section."""
        self.newest = 0
        self.rows.pop(event_id, None)
