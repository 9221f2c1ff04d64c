"""The published figures, flat, with how close ours must come (reference ``paper-figures``)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources
from typing import Any

#: How far a figure of ours may be from the published one, by what it counts. A share that is
#: printed with one decimal is known to ±0.05 percentage points, money to half a cent.
TOLERANCES = {"count": 0.0, "percent": 0.05, "usd": 0.005, "p": 0.02, "approximate": 0.5}


@dataclass(frozen=True, slots=True)
class Published:
    """One figure: its key (the path in the file, joined by points), value, unit and tolerance."""

    key: str
    value: float | str
    unit: str

    @property
    def tolerance(self) -> float:
        """In the unit of the value."""
        return TOLERANCES[self.unit]


def published() -> tuple[Published, ...]:
    """All figures, in the order of the file."""
    text = resources.files(__package__).joinpath("data/paper_figures.json").read_text("utf-8")
    return tuple(_flat("", json.loads(text)))


def _flat(path: str, value: Any, *, approximate: bool = False) -> Iterator[Published]:
    if isinstance(value, dict):
        rough = value.get("approximate") is True
        for name, part in value.items():
            if name not in ("source", "approximate"):
                yield from _flat(f"{path}.{name}" if path else name, part, approximate=rough)
    elif isinstance(value, list):
        for place, part in enumerate(value):
            yield from _flat(f"{path}.{place}", part)
    else:
        yield Published(path, value, "approximate" if approximate else _unit(path, value))


def _unit(path: str, value: Any) -> str:
    if path.startswith("earnings_"):
        return "usd"
    if path.endswith("holm_p"):
        return "p"
    return "percent" if isinstance(value, float) else "count"
