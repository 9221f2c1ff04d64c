"""An explanation as data, and as text that is readable at 80 columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from rich.cells import cell_len

WIDTH = 80


@dataclass(frozen=True, slots=True)
class Line:
    """One sentence; ``tick`` and ``event`` say which event it is about, if it is about one."""

    text: str
    tick: int | None = None
    event: int | None = None
    #: Section of the specification, and of the description of the study's measurement (M).
    where: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """Some sentences under a heading."""

    title: str
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """All that is to be said; ``rows`` are the rows of the findings that it rests on."""

    title: str
    parts: tuple[Part, ...]
    rows: Mapping[str, Any] = field(default_factory=dict)


def as_json(page: Explanation) -> dict[str, Any]:
    """An explanation as plain JSON."""
    parts = [
        {
            "title": part.title,
            "lines": [
                {"text": one.text, "tick": one.tick, "event": one.event, "where": one.where or None}
                for one in part.lines
            ],
        }
        for part in page.parts
    ]
    return {"title": page.title, "parts": parts, "rows": dict(page.rows)}


def as_text(page: Explanation) -> str:
    """An explanation for a terminal: no line is wider than 80 cells, nothing in it steers one."""
    lines = [*_wrapped(page.title, "", "")]
    for part in page.parts:
        lines += ["", *_wrapped(part.title, "", "")]
        for one in part.lines:
            lines += _laid_out(one)
    return "\n".join(lines)


def _laid_out(line: Line) -> Iterator[str]:
    text = f"{line.text}  [{line.where}]" if line.where else line.text
    if line.tick is None and line.event is None:
        yield from _wrapped(text, "  ", "    ")
        return
    place = f"tick {line.tick}" if line.tick is not None else ""
    event = f"event {line.event}" if line.event is not None else ""
    first = f"  {place:<9} {event:<12} "
    yield from _wrapped(text, first, " " * len(first))


def _wrapped(text: str, first: str, rest: str) -> Iterator[str]:
    """A text broken between words, and inside a word that is wider than a line."""
    line = first
    empty = True
    for word in _printable(text).split(" "):
        pieces = list(_pieces(word, WIDTH - cell_len(rest)))
        for place, piece in enumerate(pieces):
            gap = "" if empty else " "
            if not empty and (place or cell_len(line + gap + piece) > WIDTH):
                yield line.rstrip()
                line, gap = rest, ""
            line += gap + piece
            empty = False
    yield line.rstrip()


def _pieces(word: str, room: int) -> Iterator[str]:
    while cell_len(word) > room:
        fits = next(n for n in range(len(word), 0, -1) if cell_len(word[:n]) <= room)
        yield word[:fits]
        word = word[fits:]
    yield word


def _printable(text: str) -> str:
    """What agents wrote came here cut and cleaned; ids and reasons of plugins may not have."""
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode("ascii")
        for letter in " ".join(text.split())
    )
