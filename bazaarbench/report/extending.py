"""Sections of the report that come through the hook, plugins' and ours (SPEC §10, §11.2).

A section gathers a little from the findings of each run, one run at a time, because the findings of
hundreds of runs do not fit in memory; at the end it makes a titled section of what it gathered.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from bazaarbench.report.document import Figure, Section, Table
from bazaarbench.report.reading import ReadFindings
from bazaarbench.report.runs import LoggedRun


class Gathered(NamedTuple):
    """A run, and what a section gathered of it."""

    run: LoggedRun
    kept: Any


class ReportSection(Protocol):
    """What the hook ``register_report_sections`` takes.

    ``name`` is unique and the beginning of its files' names; ``title`` stands in the report.
    """

    @property
    def name(self) -> str:
        """Its unique name."""

    @property
    def title(self) -> str:
        """What stands above it."""

    def gather(self, found: ReadFindings) -> Any:
        """What it needs of one run's findings. It is kept for every run, so keep it small."""

    def section(self, runs: Sequence[Gathered]) -> Section:
        """The section; with ``items`` it has tables and figures."""


class _Fault(NamedTuple):
    told: str


def gather(sections: Iterable[ReportSection], found: ReadFindings) -> dict[str, Any]:
    """What each section gathers of one run, by its name.

    A section that fails is told of in its place in the report; the others stand.
    """
    kept: dict[str, Any] = {}
    for one in sections:
        try:
            kept[one.name] = one.gather(found)
        # Third parties' code, which may raise anything or leave the program.
        except (Exception, SystemExit) as error:
            kept[one.name] = _Fault(_explained(error))
    return kept


def added_sections(
    sections: Mapping[str, ReportSection],
    runs: Sequence[tuple[LoggedRun, Mapping[str, Any]]],
    origins: Mapping[str, str],
) -> tuple[Section, ...]:
    """The sections of a report, in the order of their registration.

    Args:
        sections: the registered ones.
        runs: each with what ``gather`` gave for it.
        origins: whose each section is, by name, for messages.

    Returns:
        One section each; one that failed says so, with its plugin, and shows nothing else.
    """
    return tuple(_made(one, runs, origins.get(name, "")) for name, one in sections.items())


def _made(
    one: ReportSection, runs: Sequence[tuple[LoggedRun, Mapping[str, Any]]], origin: str
) -> Section:
    given = [Gathered(run, kept.get(one.name)) for run, kept in runs]
    faults = [item.kept.told for item in given if isinstance(item.kept, _Fault)]
    if faults:
        return _faulty(one, origin, faults[0])
    try:
        made = one.section(given)
        wrong = _rubbish(made)
    except (Exception, SystemExit) as error:
        return _faulty(one, origin, _explained(error))
    return made if wrong is None else _faulty(one, origin, wrong)


def _rubbish(made: Any) -> str | None:
    if not isinstance(made, Section):
        return f"it answered {made!r:.200}, which is no Section"
    items: tuple[Any, ...] = made.items
    for item in items:
        if not isinstance(item, Table | Figure):
            return f"it answered with {item!r:.200}, which is no Table or Figure"
        if isinstance(item, Table) and any(len(row) != len(item.columns) for row in item.rows):
            return f"its table {item.name!r} has rows of another length than its columns"
    return None


def _faulty(one: ReportSection, origin: str, told: str) -> Section:
    whose = f" of {origin}" if origin else ""
    return Section(
        str(one.name),
        str(one.title),
        (f"The section {one.name!r}{whose} could not be made: {told}. Nothing else is missing.",),
    )


def _explained(error: BaseException) -> str:
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {error} ({Path(last.filename).name}, line {last.lineno})"
