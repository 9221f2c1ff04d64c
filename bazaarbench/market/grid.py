"""The places and ages of active listings, for the recommendation feed (reference P §8.5).

A listing's score for a home is 0.5 ÷ (1 + km) + 0.5 · exp(−age ÷ 12), as an integer: the nearness
comes from an integer distance in metres, the freshness from a table made by an integer recurrence.
The best ``k`` are exact although only a few listings are looked at: first the freshest of all, then
cells of the plane from near to far, each newest first, for as long as what remains could still win.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Container, Iterator
from heapq import heappush, heapreplace
from math import isqrt

from bazaarbench.market.entities import Listing

#: What a score of 1.0 is.
SCALE = 10**18
_HALF = SCALE // 2
#: exp(−1 ÷ 12) · SCALE: what half of the freshness is left after one more tick.
_DECAY = 920_044_414_629_323_248
_CELL_M = 2_000
#: How many of the freshest listings are scored before the cells.
_FRESHEST = 40

#: (created tick, −listing id, x, y, owner), ascending: the newest last.
_Entry = tuple[int, int, int, int, int | None]
_Cell = tuple[int, int]


def _freshness_table() -> tuple[int, ...]:
    values = [_HALF]
    while values[-1]:
        values.append(values[-1] * _DECAY // SCALE)
    return tuple(values)


_FRESHNESS = _freshness_table()
_OLDEST = len(_FRESHNESS) - 1


def freshness(age_ticks: int) -> int:
    """0.5 · exp(−age ÷ 12) of a listing of that age in ticks; 0.5 when it is not older than now."""
    return _FRESHNESS[min(max(age_ticks, 0), _OLDEST)]


def nearness(east_m: int, north_m: int) -> int:
    """0.5 ÷ (1 + km) at that many metres east and north; the distance is in whole metres."""
    return 1_000 * _HALF // (1_000 + isqrt(east_m * east_m + north_m * north_m))


class ListingGrid:
    """Active listings by square cell of the plane, and all of them by age.

    A listing must be removed before its place, owner or creation tick changes.
    """

    __slots__ = ("_by_age", "_cells", "_fresh")

    def __init__(self) -> None:
        self._by_age: list[_Entry] = []
        self._cells: dict[_Cell, list[_Entry]] = {}
        #: The freshest listings with what they score by age at a tick: the same for every home.
        self._fresh: tuple[int, list[tuple[_Entry, int]]] | None = None

    def __len__(self) -> int:
        return len(self._by_age)

    def __eq__(self, other: object) -> bool:
        """Whether both hold the same listings at the same places."""
        if not isinstance(other, ListingGrid):
            return NotImplemented
        return self._by_age == other._by_age and self._cells == other._cells

    __hash__ = None  # type: ignore[assignment]

    def add(self, listing: Listing) -> None:
        """Take an active listing."""
        entry, cell = _place(listing)
        self._fresh = None
        insort(self._by_age, entry)
        insort(self._cells.setdefault(cell, []), entry)

    def remove(self, listing: Listing) -> None:
        """Drop a listing that was added with the same place, owner and creation tick."""
        entry, cell = _place(listing)
        self._fresh = None
        del self._by_age[bisect_left(self._by_age, entry)]
        entries = self._cells[cell]
        del entries[bisect_left(entries, entry)]
        if not entries:
            del self._cells[cell]

    def best(
        self, x_m: int, y_m: int, *, tick: int, k: int, without: Container[int | None] = ()
    ) -> list[int]:
        """The ids of the ``k`` listings with the highest scores for a home at a tick.

        Args:
            x_m: the home's place in metres.
            y_m: likewise.
            tick: now; ages are counted from it.
            k: how many, at least 1.
            without: owners whose listings are left out.

        Returns:
            Score descending, id ascending; exact.
        """
        # Sorted ascending, hence a heap whose first is the least of the best so far.
        top = sorted(
            (nearness(x - x_m, y - y_m) + fresh, negative_id)
            for (_, negative_id, x, y, owner), fresh in self._freshest(tick)
            if owner not in without
        )[-k:]
        if len(self._by_age) > _FRESHEST:
            rest = _Rest(top, k, x_m, y_m, tick, without, self._by_age[-_FRESHEST])
            for ring, cells in self._rings(x_m // _CELL_M, y_m // _CELL_M):
                # All cells of ring r and beyond are at least r − 1 whole cells away.
                if not rest.may_hold_winners(max(ring - 1, 0) * _CELL_M):
                    break
                for cell in cells:
                    rest.visit(cell, self._cells[cell])
        return [-negative_id for _, negative_id in sorted(top, reverse=True)]

    def _freshest(self, tick: int) -> list[tuple[_Entry, int]]:
        if self._fresh is None or self._fresh[0] != tick:
            newest = self._by_age[-_FRESHEST:]
            self._fresh = (tick, [(entry, freshness(tick - entry[0])) for entry in newest])
        return self._fresh[1]

    def _rings(self, cx: int, cy: int) -> Iterator[tuple[int, list[_Cell]]]:
        """The occupied cells in square rings around a cell, then all that are left at once.

        Rings are walked while they are smaller than the number of occupied cells, so a thin market
        costs one look at each occupied cell and not at every empty one.
        """
        cells, ring = self._cells, 0
        while (2 * ring + 1) ** 2 <= len(cells):
            yield ring, [cell for cell in _ring(cx, cy, ring) if cell in cells]
            ring += 1
        yield ring, [c for c in cells if max(abs(c[0] - cx), abs(c[1] - cy)) >= ring]


class _Rest:
    """The listings that are not among the freshest, looked at cell by cell."""

    __slots__ = ("cutoff", "freshest", "k", "tick", "top", "without", "x", "y")

    def __init__(
        self,
        top: list[tuple[int, int]],
        k: int,
        x: int,
        y: int,
        tick: int,
        without: Container[int | None],
        cutoff: _Entry,
    ) -> None:
        self.top, self.k = top, k
        self.x, self.y, self.tick = x, y, tick
        self.without = without
        self.cutoff = cutoff
        self.freshest = freshness(tick - cutoff[0])

    def may_hold_winners(self, at_least_m: int) -> bool:
        """Whether an unseen listing that far away or farther could be among the best."""
        top = self.top
        return len(top) < self.k or nearness(at_least_m, 0) + self.freshest >= top[0][0]

    def visit(self, cell: _Cell, entries: list[_Entry]) -> None:
        """Score the listings of one cell, newest first, until none that follows can win."""
        top, k, x, y, tick = self.top, self.k, self.x, self.y, self.tick
        left, low = cell[0] * _CELL_M, cell[1] * _CELL_M
        gap_x = max(left - x, 0, x - left - _CELL_M + 1)
        gap_y = max(low - y, 0, y - low - _CELL_M + 1)
        nearest = nearness(gap_x, gap_y)
        freshest = min(self.freshest, freshness(tick - entries[-1][0]))
        if len(top) == k and nearest + freshest < top[0][0]:
            return
        for entry in reversed(entries):
            fresh = freshness(tick - entry[0])
            if len(top) == k and nearest + fresh < top[0][0]:
                return
            if entry < self.cutoff and entry[4] not in self.without:
                scored = (nearness(entry[2] - x, entry[3] - y) + fresh, entry[1])
                if len(top) < k:
                    heappush(top, scored)
                elif scored > top[0]:
                    heapreplace(top, scored)


def _place(listing: Listing) -> tuple[_Entry, _Cell]:
    x, y = listing.x_m, listing.y_m
    entry = (listing.created_tick, -listing.listing_id, x, y, listing.owner_id)
    return entry, (x // _CELL_M, y // _CELL_M)


def _ring(cx: int, cy: int, ring: int) -> Iterator[_Cell]:
    """The cells at Chebyshev distance ``ring`` from a cell."""
    if ring == 0:
        yield cx, cy
        return
    for i in range(-ring, ring + 1):
        yield cx + i, cy - ring
        yield cx + i, cy + ring
    for j in range(-ring + 1, ring):
        yield cx - ring, cy + j
        yield cx + ring, cy + j
