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
    def reported(self) -> bool:
        """Whether it is one of the 48 runs that the paper reports."""
        if self.is_base:
            return self.market in MARKETS
        known = self.market in MARKETS and self.model in MODELS
        return known and self.condition in CONDITIONS


class Missing(Exception):
    """A figure that cannot be computed; says why."""


class Study:
    """The reported runs that are at hand."""

    def __init__(self, cells: Iterable[Cell]) -> None:
        self.cells = tuple(cell for cell in cells if cell.reported)

    def bases(self) -> list[Cell]:
        """The starting markets, all of them.

        Raises:
            Missing: one is not at hand.
        """
        found = {cell.market: cell for cell in self.cells if cell.is_base}
        _demand([name for name in MARKETS if name not in found], "starting market")
        return [found[name] for name in MARKETS]

    def base(self, market: str) -> Cell:
        """One starting market.

        Raises:
            Missing: it is not at hand.
        """
        found = [cell for cell in self.cells if cell.is_base and cell.market == market]
        _demand([] if found else [market], "starting market")
        return found[0]

    def runs(self, condition: str, models: Iterable[str] = MODELS) -> list[Cell]:
        """The continuations under a condition, by market and model.

        Raises:
            Missing: one of them is not at hand.
        """
        found = {
            (cell.market, cell.model): cell
            for cell in self.cells
            if not cell.is_base and cell.condition == condition
        }
        wanted = [(market, model) for market in MARKETS for model in models]
        absent = [f"{market} / {model}" for market, model in wanted if (market, model) not in found]
        _demand(absent, f"{condition} run")
        return [found[place] for place in wanted]


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
