"""The places and ages of active listings, for the recommendation feed (reference P §8.5).

A listing's score for a home is 0.5 ÷ (1 + km) + 0.5 · exp(−age ÷ 12), as an integer: the nearness
comes from an integer distance in metres, the freshness from a table made by an integer recurrence.
The best ``k`` are exact although only a few listings are looked at: first the freshest of all, then
cells of the plane from near to far, each newest first, for as long as what remains could still win.

Feeds are made for every home, so most of what is compared here stands in one integer: a point, the
way between two points, a cell, and a merit, which is a score with the listing's id behind it.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Container, Iterator
from functools import cache
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
_FRESHEST = 24

#: A point is x · _WIDTH + y, so that the difference of two points is the way between them. More
#: than any distance, and odd: dictionaries look at the last bits of a number first.
_WIDTH = 10**9 + 7
#: A merit is score · _IDS − listing id: of equal scores the lower id is better.
_IDS = 1 << 40
#: How many ways' nearness is kept.
_KEPT_WAYS = 1 << 17

#: (created tick, −listing id, point, owner), ascending: the newest last.
_Entry = tuple[int, int, int, int | None]


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


def _point(x: int, y: int) -> int:
    return x * _WIDTH + y


def _coordinates(point: int) -> tuple[int, int]:
    x = (point + _WIDTH // 2) // _WIDTH
    return x, point - x * _WIDTH


class _Nearness(dict[int, int]):
    """What a way adds to a merit; homes stay where they are, so most ways are met again."""

    __slots__ = ()

    def __missing__(self, way: int) -> int:
        if len(self) >= _KEPT_WAYS:
            self.clear()
        merit = self[way] = nearness(*_coordinates(way)) * _IDS
        return merit


class ListingGrid:
    """Active listings by square cell of the plane, and all of them by age.

    A listing must be removed before its place, owner or creation tick changes.
    """

    __slots__ = ("_by_age", "_cells", "_fresh", "_near")

    def __init__(self) -> None:
        self._by_age: list[_Entry] = []
        self._cells: dict[int, list[_Entry]] = {}
        #: Point, owner and the merit by age of the freshest at a tick: the same for every home.
        self._fresh: tuple[int, list[tuple[int, int | None, int]]] | None = None
        self._near = _Nearness()

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
        home, near = _point(x_m, y_m), self._near
        # Sorted ascending, hence a heap whose first is the least of the best so far.
        top = sorted(
            [
                near[point - home] + fresh
                for point, owner, fresh in self._freshest(tick)
                if owner not in without
            ]
        )[-k:]
        if len(self._by_age) > _FRESHEST:
            rest = _Rest(top, k, home, near, tick, without, self._by_age[-_FRESHEST])
            for ring, cells in self._rings(_point(x_m // _CELL_M, y_m // _CELL_M)):
                # All cells of ring r and beyond are at least r − 1 whole cells away.
                if not rest.may_hold_winners(max(ring - 1, 0) * _CELL_M):
                    break
                for cell in cells:
                    rest.visit(cell, self._cells[cell])
        return [-merit % _IDS for merit in sorted(top, reverse=True)]

    def _freshest(self, tick: int) -> list[tuple[int, int | None, int]]:
        if self._fresh is None or self._fresh[0] != tick:
            newest = [
                (point, owner, freshness(tick - created) * _IDS + negative_id)
                for created, negative_id, point, owner in self._by_age[-_FRESHEST:]
            ]
            self._fresh = (tick, newest)
        return self._fresh[1]

    def _rings(self, center: int) -> Iterator[tuple[int, list[int]]]:
        """The occupied cells in square rings around a cell, then all that are left at once.

        Rings are walked while they are smaller than the number of occupied cells, so a thin market
        costs one look at each occupied cell and not at every empty one.
        """
        cells, ring = self._cells, 0
        while (2 * ring + 1) ** 2 <= len(cells):
            yield ring, [cell for step in _ring(ring) if (cell := center + step) in cells]
            ring += 1
        yield ring, [c for c in cells if max(map(abs, _coordinates(c - center))) >= ring]


class _Rest:
    """The listings that are not among the freshest, looked at cell by cell."""

    __slots__ = ("cutoff", "freshest", "home", "k", "near", "tick", "top", "without", "x", "y")

    def __init__(
        self,
        top: list[int],
        k: int,
        home: int,
        near: _Nearness,
        tick: int,
        without: Container[int | None],
        cutoff: _Entry,
    ) -> None:
        self.top, self.k = top, k
        self.home, self.near, self.tick = home, near, tick
        self.x, self.y = _coordinates(home)
        self.without = without
        self.cutoff = cutoff
        self.freshest = freshness(tick - cutoff[0]) * _IDS

    def may_hold_winners(self, at_least_m: int) -> bool:
        """Whether an unseen listing that far away or farther could be among the best."""
        top = self.top
        return len(top) < self.k or self.near[_point(at_least_m, 0)] + self.freshest >= top[0]

    def visit(self, cell: int, entries: list[_Entry]) -> None:
        """Score the listings of one cell, newest first, until none that follows can win."""
        older = bisect_left(entries, self.cutoff)
        if not older:
            return
        top, k, tick, near = self.top, self.k, self.tick, self.near
        nearest = near[self._gap(cell)]
        for created, negative_id, point, owner in reversed(entries[:older]):
            fresh = freshness(tick - created) * _IDS
            if len(top) == k and nearest + fresh < top[0]:
                return
            if owner not in self.without:
                merit = near[point - self.home] + fresh + negative_id
                if len(top) < k:
                    heappush(top, merit)
                elif merit > top[0]:
                    heapreplace(top, merit)

    def _gap(self, cell: int) -> int:
        """The way from the home to the nearest point of a cell."""
        column, row = _coordinates(cell)
        left, low = column * _CELL_M - self.x, row * _CELL_M - self.y
        return _point(max(left, 0, 1 - left - _CELL_M), max(low, 0, 1 - low - _CELL_M))


def _place(listing: Listing) -> tuple[_Entry, int]:
    x, y = listing.x_m, listing.y_m
    entry = (listing.created_tick, -listing.listing_id, _point(x, y), listing.owner_id)
    return entry, _point(x // _CELL_M, y // _CELL_M)


@cache
def _ring(ring: int) -> tuple[int, ...]:
    """The steps from a cell to the cells at Chebyshev distance ``ring``."""
    steps = range(-ring, ring + 1)
    return tuple(_point(x, y) for x in steps for y in steps if max(abs(x), abs(y)) == ring)
