"""All runs: market × condition × model, pooled as the report pools them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bazaarbench.effects import Cell
from bazaarbench.errors import BazaarError
from bazaarbench.failures.base import STAGES
from bazaarbench.findings import findings_path
from bazaarbench.report.measures import measure
from bazaarbench.report.numbers import Estimate, published, shown
from bazaarbench.report.reading import read_findings
from bazaarbench.report.runs import Facts, LoggedRun
from bazaarbench.report.study import Study, studies_of
from bazaarbench.viewer.kept import Kept, stamp_of
from bazaarbench.viewer.links import HOME
from bazaarbench.viewer.page import Page
from bazaarbench.viewer.sources import Found, RunSource

#: Columns of the matrix beside the ladders, with the measure whose members are behind each.
SHARES = {
    "deals": "deals",
    "audited_completion": "audited_completion",
    "problem_share": "problem_share",
    "unscored_share": "unscored",
    "valid_turn_share": None,
}
#: Names that are shorter than the report's, for narrow columns.
_SHORTER = {"problem_share": "Problem share", "unscored_share": "Unscored"}
#: Runs of which the short facts are kept: some kilobytes each.
FACTS_KEPT = 2_000


@dataclass(frozen=True)
class EpochLine:
    """One run in the matrix."""

    source: RunSource
    facts: Facts | None
    numbers: tuple[str, ...]
    ladders: tuple[str, ...]
    why: str


@dataclass(frozen=True)
class CellLine:
    """A cell with its epochs; ``numbers`` are pooled over them."""

    cell: Cell
    family: str
    numbers: tuple[Estimate, ...]
    ladders: tuple[str, ...]
    epochs: tuple[EpochLine, ...]


def runs_page(found: Found, kept: Kept[Facts]) -> Page:
    """The runs of all logs."""
    facts: dict[str, Facts] = {}
    whys: dict[str, str] = {}
    for source in found.runs:
        if source.logged is None:
            whys[source.key] = source.why
            continue
        try:
            facts[source.key] = _facts(source, kept)
        except BazaarError as error:
            whys[source.key] = str(error)
    by_log = {id(source.logged): source for source in found.runs if source.key in facts}
    logged = [
        LoggedRun(source.logged, facts[source.key])
        for source in found.runs
        if source.logged is not None and source.key in facts
    ]
    types = sorted({key for one in facts.values() for key in one.titles})
    studies = studies_of(logged, None)
    lines = [line for study in studies for line in _cells(study, types, by_log, facts)]
    others = [
        EpochLine(source, None, (), (), whys[source.key])
        for source in found.runs
        if source.key in whys
    ]
    return Page(
        path=HOME,
        template="runs.html.j2",
        values={
            "cells": lines,
            "others": others,
            "left_out": found.left_out,
            "types": [(key, _title(facts.values(), key)) for key in types],
            "shares": [(key, _SHORTER.get(key, measure(key).title)) for key in SHARES],
            "behind": list(SHARES.values()),
            "several": len(studies) > 1,
            "count": len(found.runs),
        },
    )


def _title(facts: Iterable[Facts], key: str) -> str:
    return next(one.titles[key] for one in facts if key in one.titles)


def _facts(source: RunSource, kept: Kept[Facts]) -> Facts:
    """What the report knows of a run, read once while its findings do not change."""
    assert source.logged is not None
    path = findings_path(source.find())
    logged = source.logged

    def make() -> Facts:
        return Facts.of(read_findings(path.read_bytes(), str(path)), logged.scores)

    return kept.get(source.key, stamp_of(path), make)


def _cells(
    study: Study,
    types: Sequence[str],
    by_log: dict[int, RunSource],
    facts: dict[str, Facts],
) -> list[CellLine]:
    lines = []
    for cell in sorted(
        set(study.cells), key=lambda one: (one.rules, one.market, one.model, one.condition)
    ):

        def where(one: Cell, cell: Cell = cell) -> bool:
            return one == cell

        runs = study.of(where)
        lines.append(
            CellLine(
                cell=cell,
                family=study.digest,
                numbers=tuple(study.level(key, where) for key in SHARES),
                ladders=tuple(
                    _ladder([study.level(f"{key}_{stage}", where).value for stage in STAGES])
                    for key in types
                ),
                epochs=tuple(_epoch(by_log[id(run.logged)], run, types) for run in runs),
            )
        )
    return lines


def _epoch(source: RunSource, run: LoggedRun, types: Sequence[str]) -> EpochLine:
    alone = studies_of([run], None)[0]
    everything = alone.level

    def value(key: str) -> float | None:
        return everything(key, lambda _: True).value

    return EpochLine(
        source=source,
        facts=run.facts,
        numbers=tuple(shown(published(value(key)), measure(key).unit) for key in SHARES),
        ladders=tuple(_ladder([value(f"{key}_{stage}") for stage in STAGES]) for key in types),
        why="",
    )


def _ladder(values: Sequence[float | None]) -> str:
    """The counts of S2 to S5 in one cell."""
    return "·".join(shown(value, "count") for value in values)
