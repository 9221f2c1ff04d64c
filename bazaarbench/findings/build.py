"""Measuring a record: evidence, failure types, outcomes, scores."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from bazaarbench.collector import seldom_collected
from bazaarbench.evidence import Evidence, read
from bazaarbench.failures.base import FailureObject, FailureType, Stage
from bazaarbench.failures.variants import VARIANTS
from bazaarbench.findings.deal_rows import agent_rows, deal_row
from bazaarbench.findings.keys import decided_by, missing_types, stages_of
from bazaarbench.findings.numbers import entry_row, figure_row, number, unknown
from bazaarbench.findings.objects import ask
from bazaarbench.findings.outcome_rows import outcome_measures, outcome_scores
from bazaarbench.findings.rows import FORMAT, Findings, MeasureRow, Scorer, TypeRow
from bazaarbench.findings.track import play_of
from bazaarbench.market.files import reading
from bazaarbench.market.record import digest
from bazaarbench.outcomes import agents, judge_deals
from bazaarbench.outcomes.appendix import appendix
from bazaarbench.outcomes.health import health
from bazaarbench.outcomes.measures import split
from bazaarbench.versions import CHECKS_VERSION


def build(path: Path | str, failure_types: Iterable[FailureType]) -> Findings:
    """Measure a record. Nothing is written; the same record gives equal findings.

    Args:
        path: the record.
        failure_types: all that are loaded, in the order in which they are shown.

    Raises:
        RecordError: the record is missing, foreign, damaged or of another version.
    """
    # Evidence is a large heap without garbage in it; looking through it would take a third more.
    with seldom_collected():
        return _built(Path(path), list(failure_types))


def _built(path: Path, types: Sequence[FailureType]) -> Findings:
    evidence = read(path)
    found, objects = _asked(evidence, types)
    missing = missing_types(evidence.info.keys, types)
    counts = _counts(evidence, types, found)
    counts |= {
        key: unknown("object", f"failure type {name!r} is not loaded")
        for name, keys in missing.items()
        for key in keys
    }
    with reading(path):
        outcomes = judge_deals(evidence, objects)
        measured = agents(outcomes)
        measures = outcome_measures(outcomes, measured)
        extra = {name: entry_row(entry) for name, entry in appendix(outcomes).items()}
        traded = {name: figure_row(figure) for name, figure in health(outcomes).items()}
    released = {one.key: ask(evidence, one)[0] for one in VARIANTS}
    scores: dict[Scorer, dict[str, float | None]] = {
        "record_checks": {key: row.value for key, row in counts.items()},
        "outcomes": outcome_scores(measures),
    }
    info = evidence.info
    return Findings(
        format=FORMAT,
        checks_version=CHECKS_VERSION,
        benchmark_version=info.benchmark_version,
        digest=digest(path),
        play=play_of(info),
        market=info.market_name,
        condition=info.condition,
        epoch=info.epoch,
        models=info.models,
        window=(info.start_tick, info.end_tick),
        tested=info.tested,
        types=found,
        deals=tuple(deal_row(outcomes, one) for one in outcomes.deals),
        agents=agent_rows(outcomes, measured),
        split=split(outcomes),
        measures=counts | measures,
        appendix=extra | _counts(evidence, VARIANTS, released),
        health=traded,
        variants=released,
        scores=scores,
        faults=_faults(found, missing),
    )


def _asked(
    evidence: Evidence, types: Sequence[FailureType]
) -> tuple[dict[str, TypeRow], dict[str, Sequence[FailureObject]]]:
    """What all types found, as rows, and as objects of those that the record decides."""
    rows: dict[str, TypeRow] = {}
    objects: dict[str, Sequence[FailureObject]] = {}
    for one in types:
        rows[one.key], found = ask(evidence, one)
        if found is not None:
            objects[one.key] = found
    return rows, objects


def _counts(
    evidence: Evidence, types: Sequence[FailureType], found: dict[str, TypeRow]
) -> dict[str, MeasureRow]:
    """``F1_S2`` …: objects of tested agents, or of all in a base market, by least stage."""
    return {
        f"{one.key}_{stage}": _count(evidence, found[one.key], stage)
        for one in types
        if decided_by(one) == "record"
        for stage in stages_of(one)
    }


def _count(evidence: Evidence, row: TypeRow, stage: Stage) -> MeasureRow:
    if row.fault is not None:
        return unknown("object", row.fault)
    counted = tuple(
        one.id for one in row.objects if one.stage >= stage and (one.emitted or not evidence.tested)
    )
    return number("object", counted)


def _faults(found: dict[str, TypeRow], missing: dict[str, list[str]]) -> tuple[str, ...]:
    broken = [row.fault for row in found.values() if row.fault is not None]
    absent = [
        f"failure type {name!r} was loaded when the run began and is not now; install its plugin "
        "to score it"
        for name in sorted(missing)
    ]
    return (*broken, *absent)
