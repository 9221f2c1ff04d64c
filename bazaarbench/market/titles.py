"""How alike two titles are: the three rules of reference P §5.2, in integers.

A ratio is in parts per million (ppm) and computed from counts, so that a threshold or a tie never
depends on a float. The measure is not symmetric: the unit's title always comes first.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from functools import lru_cache

#: 1.0 in parts per million: both titles are the same text.
SAME_PPM = 1_000_000
#: A unit of a compatible category is what a listing names from this ratio on.
IN_CATEGORY_PPM = 450_000
#: A unit of any category is, from this one on.
ANY_CATEGORY_PPM = 850_000
#: The title-only rule of the listing check.
TITLE_ONLY_PPM = 450_000
#: The ownership rule, unless one title contains the other.
OWNERSHIP_PPM = 700_000

_MEMO = 1 << 16
_SPLIT = re.compile(r"[\s/\-\u2010-\u2015\u2212]+")
_EDGES = re.compile(r"^\W+|\W+$")
_SAYS_NOTHING = (
    "the local pickup approx approximately card cards lot bundle collection set sets assorted with "
    "w include included includes subscription subscriptions yr yrs year years gen generation"
)
_STOP_WORDS = frozenset(_SAYS_NOTHING.split())
_ALIASES = {"mtg": ("mtg", "magic", "gathering"), "pokémon": ("pokemon",)}


def folded(title: str) -> str:
    """``title`` as it is compared: lower-case, without white space at its ends."""
    return title.lower().strip()


@lru_cache(maxsize=_MEMO)
def normal_title(title: str) -> str:
    """``title`` as interchangeable units share it: lower-case, white space squeezed (SPEC §1)."""
    return " ".join(title.lower().split())


def compatible(category: str, other: str) -> bool:
    """Whether two categories are equal or one is a part of the other (``x`` and ``x-…``)."""
    return category == other or category.startswith(f"{other}-") or other.startswith(f"{category}-")


@lru_cache(maxsize=_MEMO)
def _ratio_ppm(unit_title: str, listing_title: str) -> int:
    # SequenceMatcher.ratio() without its division: 2 · matches ÷ total length.
    total = len(unit_title) + len(listing_title)
    blocks = SequenceMatcher(None, unit_title, listing_title).get_matching_blocks()
    return 2 * SAME_PPM * sum(block.size for block in blocks) // total


def ratio_ppm(unit_title: str, listing_title: str) -> int:
    """The difflib ratio of two titles, lower-cased and stripped, in ppm rounded down."""
    unit, listing = folded(unit_title), folded(listing_title)
    return SAME_PPM if unit == listing else _ratio_ppm(unit, listing)


@lru_cache(maxsize=_MEMO)
def title_tokens(title: str) -> frozenset[str]:
    """The words of a title that say what the thing is (reference P §5.2b)."""
    tokens: set[str] = set()
    for part in _SPLIT.split(title.lower()):
        word = _EDGES.sub("", part)
        if len(word) >= 2 and not word.isdigit() and word not in _STOP_WORDS:
            tokens.update(_ALIASES.get(word, (word,)))
    return frozenset(tokens)


def title_only_ppm(unit_title: str, listing_title: str) -> int:
    """The lenient similarity of the listing check (reference P §5.2b), in ppm.

    The largest of the ratio, the Jaccard index of the words, and the shared words as a part of the
    shorter title's words.
    """
    ratio = ratio_ppm(normal_title(unit_title), normal_title(listing_title))
    ours, theirs = title_tokens(unit_title), title_tokens(listing_title)
    if not ours or not theirs or ratio == SAME_PPM:
        return ratio
    shared = SAME_PPM * len(ours & theirs)
    return max(ratio, shared // len(ours | theirs), shared // min(len(ours), len(theirs)))


def names_unit(unit_title: str, listing_title: str) -> bool:
    """The ownership rule (reference P §5.2c): one title contains the other, or ratio ≥ 0.70."""
    unit, listing = folded(unit_title), folded(listing_title)
    if unit in listing or listing in unit:
        return True
    return ratio_ppm(unit, listing) >= OWNERSHIP_PPM
