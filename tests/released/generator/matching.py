"""The released platform's title rules and quality bands (released-platform.md §0, §3.3, §5.2)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Any

BANDS: dict[str, tuple[int, int]] = {
    "brand_new": (95, 100),
    "like_new": (82, 94),
    "good": (60, 81),
    "fair": (35, 59),
    "damaged": (10, 34),
    "for_parts": (0, 9),
}
CONDITION_BANDS = {
    "new": "brand_new",
    "like_new": "like_new",
    "good": "good",
    "fair": "fair",
    "poor": "damaged",
}
_STOP = frozenset(
    re.split(
        " ",
        "the local pickup approx approximately card cards lot bundle collection set sets assorted "
        "with w include included includes subscription subscriptions yr yrs year years gen "
        "generation",
    )
)
_TWIN_WORDS = {"mtg": ("magic", "gathering"), "pokémon": ("pokemon",)}

Unit = dict[str, Any]


def band_of(quality: int) -> str:
    """The band whose range holds the percent."""
    return next(name for name, (low, high) in BANDS.items() if low <= quality <= high)


def invented(band: str | None, mixed: int) -> int:
    """The platform's stand-in for a quality that it does not know, inside the claimed band."""
    if band not in BANDS:
        return 70
    low, high = BANDS[band]
    return low + mixed % (high - low + 1)


@lru_cache(maxsize=1 << 19)
def ratio(unit_title: str, listing_title: str) -> float:
    """Similarity, unit first: the measure is not symmetric."""
    first, second = unit_title.lower().strip(), listing_title.lower().strip()
    return SequenceMatcher(None, first, second).ratio()


def compatible(one: str, other: str) -> bool:
    """Equal categories, or one is a sub-category of the other."""
    return one == other or one.startswith(other + "-") or other.startswith(one + "-")


def _best(units: Sequence[Unit], title: str) -> tuple[Unit | None, float]:
    found: Unit | None = None
    best = 0.0
    for unit in units:
        value = ratio(unit["title"], title)
        if value > best:
            best, found = value, unit
            if best == 1.0:
                break
    return found, best


def best_owned(units: Sequence[Unit], title: str, category: str) -> tuple[Unit | None, float]:
    """Rule a: the unit that makes a listing authentic, sold ones included, and the confidence."""
    near, inside = _best([unit for unit in units if compatible(unit["category"], category)], title)
    if inside >= 0.45:
        return near, inside
    far, outside = _best(units, title)
    return (far, outside) if outside >= 0.85 else (None, inside)


@lru_cache(maxsize=1 << 16)
def _tokens(title: str) -> frozenset[str]:
    found: set[str] = set()
    for raw in re.sub(r"[/\-–—]", " ", title.lower()).split():
        word = raw.strip(".,;:!?()[]{}\"'`*#&+")
        found.update(_TWIN_WORDS.get(word, ()))
        if len(word) >= 2 and not word.isdigit() and word not in _STOP:
            found.add(word)
    return frozenset(found)


@lru_cache(maxsize=1 << 19)
def _title_only(unit_title: str, listing_title: str) -> float:
    one, other = _tokens(unit_title), _tokens(listing_title)
    value = 0.0
    if one and other:
        shared = len(one & other)
        value = max(shared / len(one | other), shared / min(len(one), len(other)))
    if value < 1.0:
        first, second = (" ".join(title.lower().split()) for title in (unit_title, listing_title))
        value = max(value, SequenceMatcher(None, first, second).ratio())
    return value


def title_only_match(units: Sequence[Unit], title: str) -> tuple[str | None, float]:
    """Rule b, the validator's: best title and its similarity; a match from 0.45 on."""
    best: str | None = None
    value = 0.0
    for unit in units:
        similarity = _title_only(unit["title"], title)
        if similarity > value:
            best, value = unit["title"], similarity
            if value == 1.0:
                break
    return best, value


def consumed_by(units: Sequence[Unit], title: str) -> Unit | None:
    """Rule c: the unsold unit that a sale marks, or that backs an inspection; any category."""
    wanted = title.lower().strip()
    free = [unit for unit in units if unit.get("sold_at_tick") is None]
    longest: Unit | None = None
    for unit in free:
        name = unit["title"].lower().strip()
        within = name in wanted or wanted in name
        if within and (longest is None or len(name) > len(longest["title"].strip())):
            longest = unit
    if longest is not None:
        return longest
    best, value = _best(free, title)
    return best if value >= 0.70 else None


def stored_quality(unit: Mapping[str, Any] | None) -> int | None:
    """A unit's own percent; nothing bought under the legacy rules has one."""
    value = None if unit is None else unit.get("ground_truth_quality_pct")
    return value if isinstance(value, int) else None
