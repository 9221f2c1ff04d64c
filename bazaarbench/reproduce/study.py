"""The runs of the study by starting market, condition and tested model."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from bazaarbench.findings import Findings

#: The starting markets and the tested models of the published matrix, as the paper names them.
MARKETS = ("gpt-5.5", "deepseek-v4-pro", "gpt-5.4-mini")
MODELS = ("gpt-5.5", "gpt-5.4", "gpt-5.4-mini", "gpt-oss-120b", "deepseek-v4-pro")
CONDITIONS = ("L1", "L2", "L3")

Place = tuple[str | None, str, str | None]


@dataclass(frozen=True, slots=True)
class Cell:
    """One released run with what we measured in it.

    ``market`` and ``model`` are the paper's names, ``None`` when the database names none that the
    paper reports. A base market has no tested ``model``. ``calls`` counts the turns of its window
    by role; ``agents`` are those that act.
    """

    source: str
    market: str | None
    condition: str
    model: str | None
    findings: Findings
    calls: Mapping[str, int]
    agents: int

    @property
    def is_base(self) -> bool:
        """Whether it is a starting market."""
        return not self.findings.tested

    @property
    def place(self) -> Place:
        """Which of the study's runs it is: starting market, condition, tested model."""
        return (self.market, "L0" if self.is_base else self.condition, self.model)

    @property
    def reported(self) -> bool:
        """Whether it is one of the 48 runs that the paper reports."""
        if self.is_base:
            return self.market in MARKETS
        known = self.market in MARKETS and self.model in MODELS
        return known and self.condition in CONDITIONS


class Missing(Exception):
    """A figure that cannot be computed; says why."""


class Study:
    """The reported runs that are at hand.

    Two databases of one run are one when they hold the same; else nobody can say which of them was
    reported, and the figures about that run are missing.
    """

    def __init__(self, cells: Iterable[Cell]) -> None:
        self._found: dict[Place, list[Cell]] = {}
        for cell in cells:
            if cell.reported:
                self._found.setdefault(cell.place, []).append(cell)

    def __len__(self) -> int:
        """How many of the 48 runs are at hand."""
        return len(self._found)

    def bases(self) -> list[Cell]:
        """The starting markets, all of them.

        Raises:
            Missing: one is not at hand, or in two different versions.
        """
        return self._all([(name, "L0", None) for name in MARKETS], "starting market")

    def base(self, market: str) -> Cell:
        """One starting market.

        Raises:
            Missing: it is not at hand, or in two different versions.
        """
        return self._all([(market, "L0", None)], "starting market")[0]

    def runs(self, condition: str, models: Iterable[str] = MODELS) -> list[Cell]:
        """The continuations under a condition, by market and model.

        Raises:
            Missing: one of them is not at hand, or in two different versions.
        """
        models = tuple(models)
        wanted: list[Place] = [(market, condition, model) for market in MARKETS for model in models]
        return self._all(wanted, f"{condition} run")

    def _all(self, wanted: list[Place], what: str) -> list[Cell]:
        _demand([_called(place) for place in wanted if place not in self._found], what)
        for place in wanted:
            cells = self._found[place]
            if len({cell.findings.digest for cell in cells}) > 1:
                files = ", ".join(cell.source for cell in cells)
                raise Missing(
                    f"{len(cells)} different files are the {what} {_called(place)}: {files}"
                )
        return [self._found[place][0] for place in wanted]


def _called(place: Place) -> str:
    market, _, model = place
    return str(market) if model is None else f"{market} / {model}"


def _demand(absent: list[str], what: str) -> None:
    if absent:
        some = ", ".join(absent[:3]) + (" …" if len(absent) > 3 else "")
        plural = "s are" if len(absent) > 1 else " is"
        raise Missing(f"{len(absent)} {what}{plural} not at hand: {some}")


def named(texts: Iterable[str], names: Iterable[str] = MODELS) -> str | None:
    """The paper's name of the model that some texts speak of; the longest that fits.

    Released keys and served models spell names in their own ways (``gpt54mini``,
    ``gpt-5.4-mini-2026-03-17``); letters and digits are what they have in common.
    """
    bare = [_bare(text) for text in texts]
    for name in sorted(names, key=lambda name: -len(_bare(name))):
        if any(_bare(name) in text for text in bare):
            return name
    return None


def _bare(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())


def cell_texts(cell: Mapping[str, Any], word: str) -> list[str]:
    """The texts that a released run's description holds under keys with a word in them."""
    return [str(cell[key]) for key in sorted(cell) if word in key.lower() and cell[key]]
