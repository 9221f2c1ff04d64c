"""The one text normaliser at the platform's door (SPEC §5.5).

SQLite keeps text as UTF-8 and C libraries end it at NUL: lone surrogates and NUL cannot be stored
as text. They are removed and nothing else is touched, so what an agent wrote stays what is judged.
"""

from __future__ import annotations

import re
from typing import Any

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
