"""Which of its owner's items a released listing names (reference M §2.3).

The same rule as the platform's own binding, over the items as the released lists describe them. A
ratio is only computed when a cheap upper bound says that it could matter: a large database has a
million pairs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from bazaarbench.market.titles import (
    ANY_CATEGORY_PPM,
    IN_CATEGORY_PPM,
    SAME_PPM,
    compatible,
    folded,
    ratio_ppm,
)

_MEMO = 1 << 16
#: A tally has this many slots of this many bits; a longer title has none.
_SLOTS, _SLOT_BITS = 64, 128


class Held(NamedTuple):
    """A unit in somebody's hands, under the title and category by which its holder knows it."""

    unit_id: int
    title: str
    category: str


class Pool(NamedTuple):
    """What a title may name: the candidates, the ratio needed, the best one, and who has it.

    ``winners`` are in the order of the list; empty when nothing reaches ``least_ppm``, and then
    ``best_ppm`` is the best ratio in a compatible category all the same.
    """

    candidates: Sequence[Held]
    least_ppm: int
    best_ppm: int
    winners: Sequence[Held]


def pool_of(held: Iterable[Held], title: str, category: str) -> Pool:
    """The candidates of a compatible category from 0.45 on, else those of all from 0.85 on."""
    everything = list(held)
    near = [one for one in everything if compatible(one.category, category)]
    near_ppm, winners = _best(near, title)
    if near_ppm >= IN_CATEGORY_PPM:
        return Pool(near, IN_CATEGORY_PPM, near_ppm, winners)
    best_ppm, winners = _best(everything, title, ANY_CATEGORY_PPM)
    if winners:
        return Pool(everything, ANY_CATEGORY_PPM, best_ppm, winners)
    return Pool((), ANY_CATEGORY_PPM, near_ppm, ())


def _best(candidates: Sequence[Held], title: str, least_ppm: int = 0) -> tuple[int, list[Held]]:
    """The best ratio from ``least_ppm`` on, and who has it, in the order of the list."""
    wanted = folded(title)
    same = [one for one in candidates if folded(one.title) == wanted]
    if same:
        return SAME_PPM, same
    bounds = [_at_most_ppm(folded(one.title), wanted) for one in candidates]
    best_ppm = least_ppm
    winners: list[int] = []
    # The most promising first: what follows is soon out of reach.
    for place in sorted(range(len(candidates)), key=bounds.__getitem__, reverse=True):
        if bounds[place] < best_ppm:
            break
        ppm = ratio_ppm(candidates[place].title, title)
        if ppm > best_ppm:
            best_ppm, winners = ppm, []
        if ppm == best_ppm:
            winners.append(place)
    return best_ppm, [candidates[place] for place in sorted(winners)]


def _at_most_ppm(first: str, second: str) -> int:
    """What the ratio of two titles cannot exceed: all characters that they share would match."""
    total = len(first) + len(second)
    if not total or max(len(first), len(second)) > _SLOT_BITS:
        return SAME_PPM
    return 2 * SAME_PPM * (_tally(first) & _tally(second)).bit_count() // total


@lru_cache(maxsize=_MEMO)
def _tally(title: str) -> int:
    """How often each character stands in a title: a run of that many bits in its slot.

    Characters that share a slot are counted together, so what two tallies have in common is never
    less than what the titles have.
    """
    return sum(
        ((1 << count) - 1) << (slot * _SLOT_BITS)
        for slot, count in Counter(ord(character) % _SLOTS for character in title).items()
    )
