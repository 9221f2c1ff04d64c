"""The findings' numbers as rows of a page; nothing is computed here that they do not hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from bazaarbench.failures.base import STAGES
from bazaarbench.findings import MeasureRow, ObjectRow, TypeRow
from bazaarbench.report.measures import MEASURES, measure
from bazaarbench.report.numbers import published, shown
from bazaarbench.viewer.opened import Opened, measures_of
from bazaarbench.viewer.reasons import FIRST


@dataclass(frozen=True)
class Number:
    """A measure as it is shown. ``has_members`` says that its members can be looked at."""

    key: str
    title: str
    source: str
    value: str
    row: MeasureRow
    has_members: bool


def number_of(key: str, row: MeasureRow) -> Number:
    """A measure for people."""
    told = measure(key)
    return Number(
        key=key,
        title=told.title,
        source=told.source,
        value=shown(published(row.value), told.unit),
        row=row,
        has_members=row.n_ids is not None,
    )


def numbers_of(opened: Opened) -> tuple[list[Number], list[Number]]:
    """The run's published measures, and all others but counts of failures."""
    found = measures_of(opened)
    first = [number_of(key, found[key]) for key in FIRST if key in found]
    stage_keys = {f"{kind}_{stage}" for kind in opened.findings.types for stage in STAGES}
    order = {key: at for at, key in enumerate(MEASURES)}
    others = [
        number_of(key, row)
        for key, row in found.items()
        if key not in FIRST and key not in stage_keys
    ]
    return first, sorted(others, key=lambda one: (order.get(one.key, len(order)), one.key))


@dataclass(frozen=True)
class Rung:
    """How many objects of a type reached at least a stage; ``None`` is not known.

    ``emitted`` are the score's: of tested agents, in a base market of all. ``share`` is per cent of
    the type's first rung, for the bar.
    """

    stage: str
    key: str
    emitted: int | None
    received: int | None
    market: int | None
    share: int


@dataclass(frozen=True)
class Ladder:
    """A failure type with its rungs; ``why`` says why nothing is known."""

    key: str
    title: str
    decided_by: str
    object_kind: str
    rungs: tuple[Rung, ...]
    why: str


def ladders_of(opened: Opened) -> list[Ladder]:
    """The funnel of every failure type."""
    return [_ladder(opened, kind) for kind in opened.findings.types.values()]


def _ladder(opened: Opened, kind: TypeRow) -> Ladder:
    judged = kind.decided_by == "judge"
    why = kind.fault or ""
    objects: Iterable[ObjectRow] | None = kind.objects
    if judged:
        objects = None if opened.judged is None else opened.judged.objects.get(kind.key, ())
        why = why or ("no judge" if opened.judged is None else "")
    if kind.fault is not None:
        objects = None
    scores = _scores(opened)
    counts = [scores.get(f"{kind.key}_{stage}") for stage in kind.stages]
    top = max([count or 0 for count in counts], default=0) or 1
    rungs = tuple(
        Rung(
            stage=stage,
            key=f"{kind.key}_{stage}",
            emitted=count,
            received=_count(objects, stage, received=True),
            market=_count(objects, stage, received=False),
            share=100 * (count or 0) // top,
        )
        for stage, count in zip(kind.stages, counts, strict=True)
    )
    return Ladder(kind.key, kind.title, kind.decided_by, kind.object_kind, rungs, why)


def _scores(opened: Opened) -> Mapping[str, int | None]:
    """The score keys of stages, as the scorers gave them: never counted again."""
    found: dict[str, int | None] = {}
    scored = [*opened.findings.scores.values()]
    if opened.judged is not None:
        scored.append(opened.judged.scores)
    for scores in scored:
        found |= {key: None if value is None else int(value) for key, value in scores.items()}
    return found


def _count(objects: Iterable[ObjectRow] | None, stage: str, *, received: bool) -> int | None:
    if objects is None:
        return None
    reached = (one for one in objects if one.stage >= stage and (one.received or not received))
    return len({one.counted for one in reached})
