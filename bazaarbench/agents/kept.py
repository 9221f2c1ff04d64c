"""Rows that are made again only when what they show has changed."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, ParamSpec

from bazaarbench.agents.rows import Shown, shown

P = ParamSpec("P")


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
            make: makes the row from ``args`` and ``kwargs``.
        """
        known = self._rows.get(key)
        if known is None or known[0] != state:
            if len(self._rows) >= self._limit:
                self._rows.clear()
            known = self._rows[key] = (state, shown(make(*args, **kwargs)))
        return known[1]
