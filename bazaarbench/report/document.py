"""What a report consists of, before it is written in any format."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bazaarbench.report.numbers import Estimate

if TYPE_CHECKING:
    from matplotlib.figure import Figure as MatplotlibFigure

#: A text, or a number with its unit; ``None`` does not apply, which is not undefined.
Cell = str | Estimate | None


@dataclass(frozen=True)
class Column:
    """A column: ``key`` in CSV and JSON, ``title`` for people."""

    key: str
    title: str


@dataclass(frozen=True)
class Table:
    """A table; ``name`` is its file's. ``source`` is the study's table or figure."""

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    source: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Figure:
    """A figure; ``draw`` makes it. ``alt`` tells those who cannot see it what it shows."""

    name: str
    title: str
    alt: str
    draw: Callable[[], MatplotlibFigure]
    source: str = ""


@dataclass(frozen=True)
class Section:
    """A part of a report: what is said, then tables and figures."""

    name: str
    title: str
    text: tuple[str, ...]
    items: tuple[Table | Figure, ...] = ()


@dataclass(frozen=True)
class Document:
    """A report."""

    title: str
    text: tuple[str, ...]
    sections: tuple[Section, ...]

    def tables(self) -> tuple[Table, ...]:
        """All tables, in order."""
        return tuple(i for one in self.sections for i in one.items if isinstance(i, Table))

    def figures(self) -> tuple[Figure, ...]:
        """All figures, in order."""
        return tuple(i for one in self.sections for i in one.items if isinstance(i, Figure))


def columns(*named: tuple[str, str]) -> tuple[Column, ...]:
    """Columns from pairs of key and title."""
    return tuple(Column(key, title) for key, title in named)


def notes_of(rows: Sequence[Sequence[Cell]]) -> tuple[str, ...]:
    """What the numbers of a table have to say, each remark once."""
    said: dict[str, None] = {}
    for row in rows:
        for cell in row:
            if isinstance(cell, Estimate):
                said |= dict.fromkeys(cell.notes)
    return tuple(said)
