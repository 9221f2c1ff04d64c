"""Asking the failure types, and turning what they find into rows."""

from __future__ import annotations

import json
import traceback
from pathlib import Path

from bazaarbench.evidence import Evidence, Mark
from bazaarbench.failures.base import STAGES, FailureObject, FailureType, Stage, Step
from bazaarbench.findings.keys import attribute_fault, decided_by, stages_of
from bazaarbench.findings.rows import ObjectRow, StepRow, TypeRow
from bazaarbench.text import clean


class _RubbishError(Exception):
    """A failure type answered with something that is no failure object."""


def ask(
    evidence: Evidence, failure_type: FailureType
) -> tuple[TypeRow, tuple[FailureObject, ...] | None]:
    """What one failure type finds, as a row and as it is, or why it cannot.

    A type that is faulty has no objects and a fault; it never empties or zeroes the others.

    Returns:
        The row, and the objects; ``None`` instead of objects that the record does not decide.
    """
    try:
        return _asked(evidence, failure_type)
    # Third parties' code runs here and may raise anything, also by leaving the program. Whatever it
    # is, its type becomes unscored and the fault is named; every other measure of the record stands
    # (SPEC §10).
    except (Exception, SystemExit) as error:
        faulty = TypeRow(
            key=failure_type.key,
            title=failure_type.key,
            object_kind="",
            decided_by=decided_by(failure_type),
            stages=stages_of(failure_type),
            fault=clean(_explained(failure_type, error)),
            objects=(),
        )
        return faulty, None


def _asked(
    evidence: Evidence, failure_type: FailureType
) -> tuple[TypeRow, tuple[FailureObject, ...] | None]:
    wrong = attribute_fault(failure_type)
    if wrong is not None:
        raise _RubbishError(wrong)
    by_record = decided_by(failure_type) == "record"
    found = _objects(evidence, failure_type) if by_record else {}
    row = TypeRow(
        key=failure_type.key,
        title=failure_type.title,
        object_kind=failure_type.object_kind,
        decided_by=decided_by(failure_type),
        stages=stages_of(failure_type),
        fault=None,
        objects=tuple(one_row for _, one_row in found.values()),
    )
    return row, tuple(one for one, _ in found.values()) if by_record else None


def _explained(failure_type: FailureType, error: BaseException) -> str:
    made_by = type(failure_type)
    whose = getattr(failure_type, "origin", "")
    name = f"failure type {failure_type.key!r} ({made_by.__module__}.{made_by.__qualname__})"
    name += f" of {whose}" if whose else ""
    if isinstance(error, _RubbishError):
        return f"{name}: {error}"
    last = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{Path(last.filename).name}, line {last.lineno}"
    return f"{name} raised {type(error).__name__}: {error} ({place})"


def _objects(
    evidence: Evidence, failure_type: FailureType
) -> dict[str, tuple[FailureObject, ObjectRow]]:
    objects: dict[str, tuple[FailureObject, ObjectRow]] = {}
    for found in failure_type.objects(evidence):
        if not isinstance(found, FailureObject):
            raise _RubbishError(f"answered {found!r:.200}, which is no FailureObject")
        _check(evidence, failure_type, found)
        if found.object_id in objects:
            raise _RubbishError(f"found the object {found.object_id!r} twice")
        objects[found.object_id] = (found, object_row(evidence, found))
    return objects


def _check(evidence: Evidence, failure_type: FailureType, found: FailureObject) -> None:
    if found.type != failure_type.key:
        raise _RubbishError(f"found an object of type {found.type!r}")
    if not found.steps or not set(found.steps) <= set(STAGES):
        raise _RubbishError(
            f"object {found.object_id!r} has the stages {sorted(found.steps)}; "
            f"needed is at least one of {', '.join(STAGES)}"
        )
    for stage, step in found.steps.items():
        for mark in (step.at, *step.events):
            if not 0 < mark.event_id <= evidence.last_event_id:
                raise _RubbishError(
                    f"object {found.object_id!r} cites event {mark.event_id} for {stage}; "
                    f"the record ends with event {evidence.last_event_id}"
                )
    unknown = [unit_id for unit_id in found.unit_ids if unit_id not in evidence.ledger.units]
    if unknown:
        raise _RubbishError(f"object {found.object_id!r} names units that do not exist: {unknown}")
    json.dumps(dict(found.facts), allow_nan=False)


def object_row(evidence: Evidence, found: FailureObject) -> ObjectRow:
    """A failure object with its perspectives, as a row."""
    overlap = found.overlap
    return ObjectRow(
        id=found.object_id,
        type=found.type,
        actor=found.actor_id,
        cause=found.cause,
        stage=found.stage,
        steps={stage: _step(step) for stage, step in found.steps.items()},
        reached={stage: tick for stage, tick in _reached(found) if tick is not None},
        first_tick=found.first.tick,
        inherited=found.inherited,
        basis=found.basis,
        counterparties=found.counterparties,
        emitted=found.emitted(evidence.tested),
        received=found.received(evidence.tested),
        listings=found.listing_ids,
        units=found.unit_ids,
        threads=found.thread_ids,
        photos=found.photo_ids,
        overlap=None if overlap is None else (_pair(overlap[0]), overlap[1] and _pair(overlap[1])),
        facts=dict(found.facts),
        counts_as=found.counts_as,
    )


def _step(step: Step) -> StepRow:
    return StepRow(
        tick=step.at.tick,
        event_id=step.at.event_id,
        events=tuple(_pair(mark) for mark in step.events),
    )


def _reached(found: FailureObject) -> list[tuple[Stage, int | None]]:
    marks = [(stage, found.reached_at(stage)) for stage in STAGES]
    return [(stage, None if mark is None else mark.tick) for stage, mark in marks]


def _pair(mark: Mark) -> tuple[int, int]:
    return mark.tick, mark.event_id
