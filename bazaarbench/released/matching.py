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
    best_ppm, winners = _best(near, title, IN_CATEGORY_PPM)
    if winners:
        return Pool(near, IN_CATEGORY_PPM, best_ppm, winners)
    best_ppm, winners = _best(everything, title, ANY_CATEGORY_PPM)
    if winners:
        return Pool(everything, ANY_CATEGORY_PPM, best_ppm, winners)
    best_ppm = max((ratio_ppm(one.title, title) for one in near), default=0)
    return Pool((), ANY_CATEGORY_PPM, best_ppm, ())


def _best(candidates: Sequence[Held], title: str, least_ppm: int) -> tuple[int, list[Held]]:
    wanted = folded(title)
    same = [one for one in candidates if folded(one.title) == wanted]
    if same:
        return SAME_PPM, same
    best_ppm = least_ppm
    winners: list[Held] = []
    for one in candidates:
        if _at_most_ppm(folded(one.title), wanted) < best_ppm:
            continue
        ppm = ratio_ppm(one.title, title)
        if ppm > best_ppm:
            best_ppm, winners = ppm, []
        if ppm == best_ppm:
            winners.append(one)
    return best_ppm, winners


def _at_most_ppm(first: str, second: str) -> int:
    """What the ratio of two titles cannot exceed: all characters that they share would match."""
    total = len(first) + len(second)
    if not total:
        return SAME_PPM
    most = 2 * SAME_PPM * min(len(first), len(second)) // total
    if most < IN_CATEGORY_PPM:
        return most
    shared = (_letters(first) & _letters(second)).total()
    return 2 * SAME_PPM * shared // total


@lru_cache(maxsize=_MEMO)
def _letters(title: str) -> Counter[str]:
    return Counter(title)
