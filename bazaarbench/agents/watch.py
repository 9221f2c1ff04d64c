"""Which rows of a market have changed since somebody last looked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from bazaarbench.market.state import Market

Tables = Mapping[str, Mapping[int, Any]]


class Changes:
    """The rows that have changed between two looks, by table; perhaps some that have not."""

    def __init__(self, *parts: Tables) -> None:
        self._parts = parts

    def rows(self, table: str) -> Iterator[Any]:
        """The changed rows of a table as they are now; one may come twice."""
        for part in self._parts:
            yield from part.get(table, {}).values()


class Watch:
    """Looks at one market again and again."""

    def __init__(self, market: Market) -> None:
        self._market = market
        self._seen = (-1, -1, -1)

    def moved(self) -> bool:
        """Whether anything may have changed since the last call of ``changes``."""
        market = self._market
        return self._seen != (market.tick, market.cleanings, market.next_event_id)

    def changes(self) -> Changes | None:
        """What has changed since the last call, ``None`` when that is not known."""
        market = self._market
        cleanings = market.cleanings - self._seen[1]
        first, self._seen = (
            self._seen[0] < 0,
            (market.tick, market.cleanings, market.next_event_id),
        )
        if first or cleanings > 1:
            return None
        return Changes(market.changed, market.dirty) if cleanings else Changes(market.dirty)
