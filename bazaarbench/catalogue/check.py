"""``bazaarbench catalogue check FILE``: what a catalogue file holds (SPEC §2, §3.1).

Two kinds of files are known by their beginning: catalogues in our own format, and the eBay sample,
for which the report also says what was read, repaired and dropped, and why. In mode ``strict`` it
shows the study's own figures of that file beside what was found.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bazaarbench.catalogue.csv_rows import EXPECTED
from bazaarbench.catalogue.files import read_catalogue
from bazaarbench.catalogue.items import CatalogueError
from bazaarbench.catalogue.promptcloud import load
from bazaarbench.catalogue.summary import Summary, summarise
from bazaarbench.catalogue.tally import DROPPED, REPAIRED, Mode, Report

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

_BAR = 32
_NUMBERS = ("rows", "items", "study")
_MAKERS_SHOWN = 12


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of a check.

    ``report`` is ``None`` for a catalogue in our own format, of which nothing is ever dropped;
    ``published`` are the study's figures, when they are to be compared with (mode ``strict``).
    """

    path: Path
    summary: Summary
    report: Report | None
    published: Mapping[str, Any] | None

    def as_json(self) -> dict[str, Any]:
        """Everything, as JSON: counts, money in cents."""
        return {
            "path": str(self.path),
            "catalogue": asdict(self.summary),
            "report": None if self.report is None else asdict(self.report),
            "published": self.published,
        }


def check_file(path: Path, mode: Mode = "clean") -> Checked:
    """Read a catalogue file and count what it holds.

    Args:
        path: the eBay sample, or a catalogue in our own format.
        mode: how the sample is loaded; without meaning for our own format.

    Raises:
        CatalogueError: it is neither, or it is damaged.
    """
    if _is_own_format(path):
        return Checked(path, summarise(read_catalogue(path)), None, None)
    loaded = load(path, mode)
    published = _published() if mode == "strict" else None
    return Checked(path, summarise(loaded.catalogue), loaded.report, published)


def render(checked: Checked) -> RenderableType:
    """The report for a terminal. Titles are untrusted: nothing of them is read as markup."""
    from rich.console import Group
    from rich.text import Text

    report, summary = checked.report, checked.summary
    parts: list[RenderableType] = [Text(_headline(checked))]
    if report is not None:
        if report.repaired:
            parts.append(_counts("Repaired in rows that were kept", report.repaired, REPAIRED))
        if report.dropped:
            parts.append(_dropped(report))
        parts.append(Text(f"Category by default, since no word tells it: {report.by_default:,}"))
    published = checked.published or {}
    prices = summary.prices
    parts.append(
        Text(
            f"Prices from {_dollars(prices.least)} to {_dollars(prices.most)}, median "
            f"{_dollars(prices.median)}, mean {_dollars(prices.mean)}, nine in ten below "
            f"{_dollars(prices.p90)}"
        )
    )
    parts.append(_histogram("Price in dollars", summary.histogram, None))
    parts.append(_histogram("Category", summary.categories, published.get("categories")))
    makers = dict(list(summary.makers.items())[:_MAKERS_SHOWN])
    named = {maker or "(none named)": number for maker, number in makers.items()}
    parts.append(_histogram("Largest makers", named, published.get("makers")))
    if published:
        parts.append(_comparison(summary, published))
    return Group(*parts)


def print_check(checked: Checked) -> None:
    """Print the report on standard output."""
    from rich.console import Console

    Console(soft_wrap=False, highlight=False).print(render(checked))


def _is_own_format(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(1) == b"{"
    except OSError as error:
        raise CatalogueError(
            f"The catalogue {path} cannot be read: {error.strerror}. Give the path of the eBay "
            f"sample or of a catalogue that BazaarBench wrote. {EXPECTED}"
        ) from error


def _published() -> Mapping[str, Any]:
    source = files("bazaarbench.catalogue") / "data" / "promptcloud_profile.json"
    figures: dict[str, Any] = json.loads(source.read_text(encoding="utf-8"))
    return figures


def _headline(checked: Checked) -> str:
    summary, report = checked.summary, checked.report
    what = f"{summary.items:,} items, {summary.titles:,} different titles, {summary.rated:,} rated"
    lines = [str(checked.path), f"digest {summary.digest}"]
    if report is None:
        return "\n".join([*lines, what])
    read = f"{report.mode}: {report.rows:,} rows read, {report.kept:,} kept"
    return "\n".join([*lines, f"{read}, {sum(report.dropped.values()):,} dropped", what])


def _table(title: str, *columns: str) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(title=title, title_justify="left", box=box.SIMPLE, pad_edge=False)
    for column in columns:
        table.add_column(column, justify="right" if column in _NUMBERS else "left")
    return table


def _counts(title: str, counts: Mapping[str, int], words: Mapping[str, str]) -> RenderableType:
    table = _table(title, "rows", "what")
    for key, number in counts.items():
        table.add_row(f"{number:,}", words[key])
    return table


def _dropped(report: Report) -> RenderableType:
    from rich.text import Text

    table = _table("Dropped", "rows", "why", "for example")
    for key, number in report.dropped.items():
        examples = "\n".join(
            f"line {one.line}: {one.price or '(no price)'}, {one.title or '(no title)'}"
            for one in report.examples[key]
        )
        table.add_row(f"{number:,}", DROPPED[key], Text(examples))
    return table


def _histogram(
    title: str, counts: Mapping[str, int], published: Mapping[str, int] | None
) -> RenderableType:
    from rich.text import Text

    table = _table(title, "", "items", *(["study"] if published else []), " ")
    most = max(counts.values())
    for name, number in counts.items():
        study = [f"{published[name]:,}" if name in published else "–"] if published else []
        table.add_row(Text(name), f"{number:,}", *study, "█" * -(-number * _BAR // most))
    return table


def _comparison(summary: Summary, published: Mapping[str, Any]) -> RenderableType:
    table = _table("The study's load of this file", "", "items", "study")
    figures: Iterable[tuple[str, int, int]] = (
        ("items", summary.items, published["items"]),
        ("rated", summary.rated, published["rated"]),
        *(
            (f"price {name}, cents", value, published["price_cents"][name])
            for name, value in asdict(summary.prices).items()
        ),
    )
    for name, ours, theirs in figures:
        table.add_row(name, f"{ours:,}", f"{theirs:,}")
    return table


def _dollars(cents: int) -> str:
    return f"${cents // 100:,}.{cents % 100:02}"
