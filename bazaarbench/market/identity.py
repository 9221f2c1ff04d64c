"""Whether a listing's title names another thing than a unit's (reference P §7.5).

Titles of different things can be much alike: a tablet 10 and a tablet 11 differ in one character.
The rule is lexical and looks for what tells things apart: versions, sizes and model codes, the
words for the product, the brand. What it cannot see are accessories of a product ("tablet 11" and
"tablet 11 sleeve") and differences in a single word; a translated title without a code is taken for
another thing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

Mismatch = Literal["model_identifier", "product_words", "brand_and_words"]

_MEMO = 1 << 16
#: From this share of the shorter title's product words on, the leading word does not matter (3).
_SAME_THING = (3, 4)
#: Up to this share the products are different ones (2).
_OTHER_THING = (1, 3)
_MIN_PREFIX = 3
_MIN_CODE = 4
_MAX_SPLIT = 3

_DROPPED = re.compile(
    r"""[$€£¥]\s*\d[\d.,]*                        # prices
    | \b\d[\d.,]*\s*(?:usd|eur|gbp|dollars?|euros?)\b
    | \b\d+(?:[.,]\d+)?\s*(?:%|percent\b)         # percentages
    | \b\d+(?:st|nd|rd|th)\s+(?:unit|copy)\b      # which of several copies
    | \b(?:unit|copy)\s+\#?\d+\b
    | \#\s*\d+\b""",
    re.VERBOSE,
)
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}\b)")
_DECIMAL_COMMA = re.compile(r"(?<=\d),(?=\d)")
_TIMES = re.compile(r"\b(\d+)x\b")
_WORD = re.compile(r"\d+(?:\.\d+)+[^\W_]*|[^\W_]+")
_NUMBER = re.compile(r"(\d+(?:\.\d+)?)([^\W\d_]*)")
_ORDINALS = frozenset({"st", "nd", "rd", "th"})

_FAMILIES: dict[str, str] = {
    "size": "cm mm m ft feet foot inch inches in",
    "storage": "gb tb mb kb",
    "resolution": "mp megapixel megapixels px p k i",
    "power": "w watt watts kw wh mah hp v volt volts",
    "frequency": "hz khz mhz ghz",
    "weight": "kg g gram grams lb lbs pound pounds oz",
    "volume": "l ml litre litres liter liters gal gallon gallons",
}
_FAMILY_OF = {unit: family for family, units in _FAMILIES.items() for unit in units.split()}
#: Short unit words that mean something else as often: only as one word with their number.
_NEVER_JOINED = frozenset({"in", "i", "g", "l", "w", "p", "k", "v"})

#: Words that do not say what a thing is: function words, conditions, praise, carriers, colours.
_SAYS_NOTHING = (
    "a an and as at by for from in is it its my no not of on or our plus the this to up with inch "
    "without brand condition damaged excellent fair fine good great like mint new parts perfect "
    "poor pre owned preowned pristine refurbished repair sealed tested unused used very wear worn "
    "working works amazing bargain beautiful best bundle cheap classic clean complete deal edition "
    "fast free gen generation genuine hot limited lot must nice obo offer only original pack "
    "pickup premium quality quick rare sale see set shipping special super top unlocked ultra "
    "vintage wow att boost cricket metro mobile sprint straight tmobile tracfone verizon visible "
    "beige black blue bronze brown charcoal colour color copper cream dark gold golden graphite "
    "gray green grey ivory light lilac maroon midnight multicolor navy olive orange pink purple "
    "red rose silver space starlight tan teal titanium turquoise violet white yellow"
)
_NOT_PRODUCT = frozenset(_SAYS_NOTHING.split())


@lru_cache(maxsize=_MEMO)
def mismatch(unit_title: str, listing_title: str) -> Mismatch | None:
    """What tells two titles apart as those of different things; ``None`` when nothing does."""
    unit, listing = _words(unit_title), _words(listing_title)
    if unit == listing:
        return None
    if _kinds_lacking(unit, listing) & _kinds_lacking(listing, unit):
        return "model_identifier"
    if _same_code(unit, listing):
        return None  # the same model, in whatever words
    ours, theirs = _product_words(unit, listing), _product_words(listing, unit)
    shorter = min(len(set(ours)), len(set(theirs)))
    if not shorter:
        return None
    shared = len(set(ours) & set(theirs))
    part, of = _OTHER_THING
    if shared * of <= shorter * part:
        return "product_words"
    part, of = _SAME_THING
    if ours[0] != theirs[0] and shared * of < shorter * part:
        return "brand_and_words"
    return None


@lru_cache(maxsize=_MEMO)
def _words(title: str) -> tuple[str, ...]:
    """The words of a title as they are compared, numbers with the unit that follows them."""
    text = _DROPPED.sub(" ", unicodedata.normalize("NFKC", title).lower())
    text = _DECIMAL_COMMA.sub(".", _THOUSANDS.sub("", text))
    words: list[str] = []
    for word in _WORD.findall(_TIMES.sub(r"\1", text)):
        joins = word in _FAMILY_OF and word not in _NEVER_JOINED
        if joins and words and _NUMBER.fullmatch(words[-1]) and words[-1][-1].isdigit():
            words[-1] += word
        else:
            words.append(word)
    return tuple(words)


def _kind(word: str) -> str | None:
    """What a word with a digit identifies: a version, a measure, or a model by its code."""
    if not any(char.isdigit() for char in word) or (word.isdigit() and len(word) == 5):
        return None  # five digits are a ZIP code
    number = _NUMBER.fullmatch(word)
    if number is None:
        return "code"
    unit = number[2]
    return "version" if not unit or unit in _ORDINALS else _FAMILY_OF.get(unit, "code")


def _kinds_lacking(words: Sequence[str], other: Sequence[str]) -> set[str]:
    """The kinds of the identifiers that only one title has, however the other may write them."""
    written = {*other, *_joined(other)}
    kinds = set()
    for place, word in enumerate(words):
        kind = _kind(word)
        if kind is None or word in written or _is_part(words, place, other):
            continue
        if not any(_tolerated(word, kind, one) for one in other):
            kinds.add(kind)
    return kinds


def _joined(words: Sequence[str]) -> set[str]:
    """Two or three neighbouring words written as one."""
    return {
        "".join(words[start : start + length])
        for length in range(2, _MAX_SPLIT + 1)
        for start in range(len(words) - length + 1)
    }


def _is_part(words: Sequence[str], place: int, other: Sequence[str]) -> bool:
    """Whether a word and its neighbours are one word of the other title."""
    near = words[max(0, place - _MAX_SPLIT + 1) : place + _MAX_SPLIT]
    return any(words[place] in one for one in _joined(near) & set(other))


def _tolerated(word: str, kind: str, other: str) -> bool:
    """Whether two words may be the same identifier.

    Codes are from three leading characters on; a measure or an ordinal may stand as its number.
    """
    if kind == "code" or _kind(other) == "code":
        same = word[:_MIN_PREFIX] == other[:_MIN_PREFIX]
        return kind == _kind(other) and same and len(word) >= _MIN_PREFIX
    ours, theirs = _NUMBER.fullmatch(word), _NUMBER.fullmatch(other)
    if ours is None or theirs is None or ours[1] != theirs[1]:
        return False
    return not ours[2] or not theirs[2]


def _product_words(words: Sequence[str], other: Sequence[str]) -> list[str]:
    """The words that say what the thing is, without a plural's s, in order.

    Not the letters of a code that the other title writes as one word.
    """
    return [
        word[:-1] if word.endswith("s") and len(word) > 3 and not word.endswith("ss") else word
        for place, word in enumerate(words)
        if word.isalpha()
        and len(word) > 1
        and word not in _NOT_PRODUCT
        and not _is_part(words, place, other)
    ]


def _same_code(words: Sequence[str], other: Sequence[str]) -> bool:
    return any(word in other and len(word) >= _MIN_CODE and _kind(word) == "code" for word in words)
