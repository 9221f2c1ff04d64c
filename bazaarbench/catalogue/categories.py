"""Which category an item belongs to, from its words (reference A §1.2).

The vocabulary of both rules is a data file with a version, ``data/categories.json``.

``strict_category`` is the study's way: ordered rules of plain substrings, the first hit wins. It
keeps the traps of that way ("Rose Gold" is jewelry, "coaxial" a sports collectible). The reference
names the order of the rules and the substrings of eight of them; those of the others are
ours, so the categories of ``strict`` are near the published ones and not equal to them.

``clean_category`` compares whole words: the phrase that begins first in the title decides, of
several that begin there the longest. Titles begin with what is sold ("iPhone 8 case", "Earbuds for
iPhone"), and colours are not in the vocabulary. Where no phrase is found the maker may say it.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

#: Where no word tells the category: the study's choice.
DEFAULT_CATEGORY = "home-goods"
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class _Vocabulary:
    strict: tuple[tuple[str, tuple[str, ...]], ...]
    #: Phrases as tuples of words; their category.
    phrases: dict[tuple[str, ...], str]
    longest: int
    makers: dict[str, str]


def words(text: str) -> tuple[str, ...]:
    """The words of a text, case-folded: runs of letters and digits of any script."""
    return tuple(_WORD.findall(text.casefold()))


def strict_category(text: str) -> str | None:
    """The category of the first rule with a substring in ``text``; ``None`` when none has."""
    text = text.lower().replace("/", " ")
    for category, substrings in _vocabulary().strict:
        if any(substring in text for substring in substrings):
            return category
    return None


def clean_category(title: str, maker: str) -> str | None:
    """The category that the title's words or else the maker tell; ``None`` when neither does."""
    vocabulary = _vocabulary()
    found = tuple(map(_singular, words(title)))
    for start in range(len(found)):
        for length in range(vocabulary.longest, 0, -1):
            category = vocabulary.phrases.get(found[start : start + length])
            if category is not None:
                return category
    return vocabulary.makers.get(maker.casefold())


def _singular(word: str) -> str:
    """A word without the plural's s; phrases and titles go through it alike."""
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


@cache
def _vocabulary() -> _Vocabulary:
    source = files("bazaarbench.catalogue") / "data" / "categories.json"
    data = json.loads(source.read_text(encoding="utf-8"))
    phrases = {
        tuple(map(_singular, words(phrase))): category
        for category, listed in data["clean"].items()
        for phrase in listed
    }
    return _Vocabulary(
        strict=tuple((category, tuple(listed)) for category, listed in data["strict"]),
        phrases=phrases,
        longest=max(map(len, phrases)),
        makers={
            maker.casefold(): category
            for category, listed in data["makers"].items()
            for maker in listed
        },
    )
