"""Values of released rows and JSON, taken as what they should be or not at all."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

from bazaarbench.text import clean

#: The most cents that a record holds anywhere.
MOST_CENTS = 100_000_000
_DIGITS = re.compile(r"-?\d{1,18}")


def mapping(value: Any) -> Mapping[str, Any]:
    """``value`` when it is a JSON object, else an empty one."""
    return value if isinstance(value, dict) else {}


def whole(value: Any) -> int | None:
    """``value`` as the nearest whole number, also when it is written as text."""
    if isinstance(value, int):
        return None if isinstance(value, bool) else value
    if isinstance(value, float) and math.isfinite(value):
        return round(value)
    if isinstance(value, str) and _DIGITS.fullmatch(value):
        return int(value)
    return None


def number(value: Any, other: float) -> float:
    """``value`` as a number, ``other`` when it is none."""
    known = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return float(value) if known else other


def cents(value: Any) -> int | None:
    """``value`` as cents between 0 and what a record can hold."""
    found = whole(value)
    return None if found is None else min(max(found, 0), MOST_CENTS)


def percent(value: Any) -> int | None:
    """``value`` as a whole percent; ``None`` when it is not between 0 and 100."""
    found = whole(value)
    return found if found is not None and 0 <= found <= 100 else None


def permille(value: float) -> int:
    """A fraction as permille between 0 and 1000."""
    return min(max(round(1000 * value), 0), 1000)


def text(value: Any, limit: int | None = None) -> str:
    """``value`` as clean text of at most ``limit`` characters; what is no text, as JSON."""
    if value is None:
        return ""
    written = value if isinstance(value, str) else json.dumps(value, sort_keys=True)
    return clean(written)[:limit]


def texts(value: Any, limit: int | None = None) -> tuple[str, ...]:
    """A list as clean texts; what is no list has none."""
    return tuple(text(row, limit) for row in (value if isinstance(value, list) else ()) if row)
