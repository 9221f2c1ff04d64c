"""Whether a text speaks of an item that its agent has nothing to do with (SPEC §3.4).

Three signs are looked for: the name or title of another item of the catalogue, a maker of the
agent's own items followed by a model that none of these is (another generation, say), and a product
line of the real world. A net, not a proof: "my neighbour's red phone" names nothing.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from bazaarbench.catalogue import Catalogue
from bazaarbench.personas.briefs import ItemFact
from bazaarbench.personas.clusters import short_name

_Span = tuple[int, int]

#: What a writer most easily falls back on; allowed where an own item is one.
_REAL_PRODUCTS = re.compile(
    r"\b(?:i[- ]?phones?|i[- ]?pads?|macbooks?|imacs?|airpods?|apple watch(?:es)?|play ?stations?"
    r"|ps ?[2-5]|xbox(?:es)?|nintendo|game ?boys?|galaxy [snaz]\d{1,2}|google pixels?|kindles?"
    r"|gopros?|fitbits?|roombas?|dysons?|legos?|thinkpads?|chromebooks?|kitchenaids?"
    r"|instant pots?|walkmans?|polaroids?|ikea|pok[eé]mon)\b",
    re.IGNORECASE,
)
_RUN = re.compile(r"[^\W_]+")
_WORD = re.compile(r"[^\W_][\w'’+/-]*")


class Names:
    """The names of all items of a catalogue, for finding them in texts."""

    def __init__(self, catalogue: Catalogue) -> None:
        """Take names and titles; a word or two of a title may mean anything and are left out."""
        named = {short_name(item) for item in catalogue.items if item.model}
        named |= {item.title for item in catalogue.items if len(item.title.split()) > 2}
        self._by_first_word: dict[str, list[str]] = defaultdict(list)
        for name in sorted(_lower(name) for name in named if len(name.split()) > 1):
            if first := _RUN.search(name):
                self._by_first_word[first.group()].append(name)

    def strangers(self, text: str, items: Sequence[ItemFact]) -> list[str]:
        """Names in ``text`` of what is none of ``items``, in the order of its words."""
        lowered = _lower(text)
        own_names = _own_names(items)
        own = [span for name in own_names for span in _places(name, lowered)]
        found = [
            text[start:end]
            for word in dict.fromkeys(_RUN.findall(lowered))
            for name in self._by_first_word.get(word, ())
            if name in lowered and name not in own_names
            for start, end in _places(name, lowered)
            if not any(first <= start and end <= last for first, last in own)
        ]
        found.extend(_other_models(masked(text, items), items))
        found.extend(_real_products(text, items))
        return list(dict.fromkeys(found))


@lru_cache(maxsize=4)
def names_of(catalogue: Catalogue) -> Names:
    """The names of ``catalogue``, made once."""
    return Names(catalogue)


def masked(text: str, items: Sequence[ItemFact]) -> str:
    """``text`` with the names of ``items`` blotted out: a lane in a model's name is no address."""
    lowered = _lower(text)
    for start, end in (span for name in _own_names(items) for span in _places(name, lowered)):
        text = text[:start] + "\N{WHITE SQUARE}" * (end - start) + text[end:]
    return text


def _own_names(items: Sequence[ItemFact]) -> set[str]:
    return {_lower(name) for item in items for name in (item.name, item.title)}


def _lower(text: str) -> str:
    """``text`` in lower case, character for character, so that places stay the same."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def _places(name: str, text: str) -> Iterator[_Span]:
    """Where ``name`` stands in ``text`` as whole words."""
    start = text.find(name)
    while start >= 0:
        end = start + len(name)
        if not (text[start - 1 : start].isalnum() or text[end : end + 1].isalnum()):
            yield start, end
        start = text.find(name, start + 1)


def _other_models(text: str, items: Sequence[ItemFact]) -> Iterator[str]:
    """Own makers followed by a model that is none of the own ones."""
    names = [_words(name) for item in items for name in (item.name, item.title)]
    for brand in dict.fromkeys(item.brand for item in items if len(item.brand) > 2):
        maker = re.escape(brand)
        for match in re.finditer(rf"(?<!\w){maker}((?: [A-Z0-9][\w'’+/-]*){{1,6}})", text):
            said = _words(match.group())
            if not any(_agree(said, name, len(_words(brand))) for name in names):
                yield match.group()


def _agree(said: list[str], name: list[str], brand: int) -> bool:
    """Whether what is said begins with a name, or is the beginning of one, beyond its maker."""
    common = 0
    for one, other in zip(said, name, strict=False):
        if one != other:
            break
        common += 1
    return common > brand and common in (len(said), len(name))


def _real_products(text: str, items: Sequence[ItemFact]) -> Iterator[str]:
    own = {word for item in items for word in _words(f"{item.brand} {item.title}")}
    for match in _REAL_PRODUCTS.finditer(text):
        if not any(_stem(word) in map(_stem, own) for word in _words(match.group())):
            yield match.group()


def _stem(word: str) -> str:
    return word.rstrip("s").replace("-", "")


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


def quoted(names: Iterable[str]) -> str:
    """Names for a sentence: "a", "b"."""
    return ", ".join(f'"{name}"' for name in names)
