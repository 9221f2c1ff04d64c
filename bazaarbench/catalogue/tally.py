"""What a loader read, repaired and dropped, and why: counted, never silent (SPEC §3.1)."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Literal

Mode = Literal["clean", "strict"]

#: Why a row is dropped; every dropped row has exactly one reason, the first of these that holds.
DROPPED: dict[str, str] = {
    "fields": "neither 25 fields nor the 24 of a shifted row",
    "no_title": "no title",
    "no_price": "no price",
    "bad_price": "the price is no amount above zero",
    "below_range": "the price is below $1",
    "above_range": "the price is above $5,000",
    "unit_error": "the price is many times that of like items, or its unit is unknown",
    "duplicate": "the same id, page or title as an earlier row",
}
#: What is mended in a row that is kept; a row may count under several.
REPAIRED: dict[str, str] = {
    "quotes": "a quote inside a field that was not doubled",
    "shifted": "columns after the missing Stock moved back to their places",
    "cents": "an integer price above 10,000 read as cents",
    "range": "a price range read as its mean",
    "maker": "a maker that was missing or repeated the title, read from the title",
    "model": "a model that repeated the whole title, left empty",
}
_EXAMPLES = 3
_EXAMPLE_LENGTH = 80


@dataclass(frozen=True, slots=True)
class Example:
    """A dropped row, by the line that it begins on."""

    line: int
    price: str
    title: str


@dataclass(frozen=True, slots=True)
class Report:
    """What became of the rows of a file: ``rows == kept + sum(dropped.values())``.

    ``repaired`` counts kept rows by what was mended, ``dropped`` rows by reason, in the order of
    ``REPAIRED`` and ``DROPPED``; ``by_default`` are kept rows whose category no word told.
    """

    mode: Mode
    rows: int
    kept: int
    repaired: dict[str, int]
    dropped: dict[str, int]
    examples: dict[str, tuple[Example, ...]]
    by_default: int


@dataclass(slots=True)
class Tally:
    """Counts while a file is read; holds a few examples for each reason and no more."""

    rows: int = 0
    by_default: int = 0
    _repaired: Counter[str] = field(default_factory=Counter)
    _dropped: Counter[str] = field(default_factory=Counter)
    _examples: defaultdict[str, list[Example]] = field(default_factory=lambda: defaultdict(list))

    def drop(self, reason: str, line: int, price: str, title: str) -> None:
        """Count a dropped row."""
        self._dropped[reason] += 1
        if len(self._examples[reason]) < _EXAMPLES:
            self._examples[reason].append(
                Example(line, price[:_EXAMPLE_LENGTH], title[:_EXAMPLE_LENGTH])
            )

    def repair(self, *what: str) -> None:
        """Count what was mended in a row that is kept."""
        self._repaired.update(what)

    def report(self, mode: Mode, kept: int) -> Report:
        """The counts so far, as a report on ``kept`` items."""
        return Report(
            mode=mode,
            rows=self.rows,
            kept=kept,
            repaired={key: self._repaired[key] for key in REPAIRED if self._repaired[key]},
            dropped={key: self._dropped[key] for key in DROPPED if self._dropped[key]},
            examples={key: tuple(self._examples[key]) for key in DROPPED if self._dropped[key]},
            by_default=self.by_default,
        )
