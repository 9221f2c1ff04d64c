"""The one text normaliser at the platform's door (SPEC §5.5).

SQLite keeps text as UTF-8 and C libraries end it at NUL: lone surrogates and NUL cannot be stored
as text. They are removed and nothing else is touched, so what an agent wrote stays what is judged.
"""

from __future__ import annotations

import re
import reprlib
from collections.abc import Iterable
from typing import Any

#: A JSON value that is deeper, larger or longer than this is not taken for one.
MAX_DEPTH = 50
MAX_PARTS = 100_000
#: What a float holds; Python itself refuses to write a whole number of some thousand digits.
MAX_NUMBER_BITS = 1_024

_SURROGATES = re.compile("[\ud800-\udbff][\udc00-\udfff]|[\ud800-\udfff]")


def clean(value: str) -> str:
    """``value`` without NUL and without lone surrogates.

    A high surrogate followed by a low one is not lone: it is one character cut in two, as when a
    stream ends a chunk inside it, and is put together again.
    """
    if value.isascii():
        return value.replace("\0", "") if "\0" in value else value
    return _SURROGATES.sub(_joined, value.replace("\0", ""))


def _joined(match: re.Match[str]) -> str:
    pair = match.group()
    if len(pair) == 1:
        return ""
    return pair.encode("utf-16-le", "surrogatepass").decode("utf-16-le")


def clean_json(value: Any) -> tuple[Any, bool]:
    """A cleaned copy of a JSON value, and whether cleaning changed anything in it.

    Strings and the keys of objects are cleaned at every depth; of two keys that become equal the
    later wins, as in JSON itself. Works without recursion, because a model decides how deep the
    value is nested.
    """
    holder = [value]
    changed = False
    places: list[tuple[Any, Any]] = [(holder, 0)]
    while places:
        container, key = places.pop()
        item = container[key]
        if isinstance(item, str):
            container[key] = clean(item)
            changed = changed or container[key] != item
        elif isinstance(item, list):
            fresh_list = list(item)
            container[key] = fresh_list
            places.extend((fresh_list, index) for index in range(len(fresh_list)))
        elif isinstance(item, dict):
            fresh = {clean(k) if isinstance(k, str) else k: v for k, v in item.items()}
            changed = changed or fresh.keys() != item.keys()
            container[key] = fresh
            places.extend((fresh, name) for name in fresh)
    return holder[0], changed


def is_plain_json(value: Any) -> bool:
    """Whether a value is made of what JSON has, and can be walked, copied and written by anything.

    Parsers more lenient than JSON make dates, bytes and sets out of a model's words, keys that are
    no strings, and values that are nested, repeated or long without end.
    """
    level: list[Any] = [value]
    parts = 0
    for _ in range(MAX_DEPTH + 1):
        inside: list[Any] = []
        for item in level:
            if isinstance(item, (dict, list)):
                parts += len(item)
                if parts > MAX_PARTS or not _has_string_keys(item):
                    return False
                inside.extend(item.values() if isinstance(item, dict) else item)
            elif not _is_plain_scalar(item):
                return False
        if not inside:
            return True
        level = inside
    return False


def _has_string_keys(item: Iterable[Any]) -> bool:
    return not isinstance(item, dict) or all(isinstance(key, str) for key in item)


def _is_plain_scalar(item: object) -> bool:
    if isinstance(item, int):
        return item.bit_length() <= MAX_NUMBER_BITS
    return item is None or isinstance(item, (str, float))


class _Describer(reprlib.Repr):
    """``repr`` that is cut everywhere and never fails."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel = 3
        self.maxdict = self.maxlist = self.maxtuple = self.maxset = 8
        self.maxstring = self.maxother = 200

    def repr_int(self, x: int, level: int) -> str:
        if x.bit_length() > MAX_NUMBER_BITS:
            return f"<a number of {x.bit_length()} bits>"
        return super().repr_int(x, level)


def described(value: object) -> str:
    """What kind of value it is, in some hundred characters, for one that cannot be written."""
    return _Describer().repr(value)
