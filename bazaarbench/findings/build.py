"""Measuring a record: evidence, failure types, outcomes, scores."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from bazaarbench.evidence import Deal, Evidence, read
from bazaarbench.failures.base import FailureType, Stage
from bazaarbench.findings.keys import SHARES, decided_by, missing_types, stages_of
from bazaarbench.findings.objects import ask
from bazaarbench.findings.rows import FORMAT, DealRow, Findings, MeasureRow, Scorer, TypeRow
from bazaarbench.market.files import reading
from bazaarbench.market.record import digest
from bazaarbench.outcomes import Share, deals, problem
from bazaarbench.versions import CHECKS_VERSION


def build(path: Path | str, failure_types: Iterable[FailureType]) -> Findings:
    """Measure a record. Nothing is written; the same record gives equal findings.

    Args:
        path: the record.
        failure_types: all that are loaded, in the order in which they are shown.

    Raises:
        RecordError: the record is missing, foreign, damaged or of another version.
    """
    evidence = read(path)
    types = list(failure_types)
    found = {one.key: ask(evidence, one) for one in types}
    missing = missing_types(evidence.info.keys, types)
    counts = _counts(evidence, types, found)
    counts |= {
        key: _unknown("object", f"failure type {name!r} is not loaded")
        for name, keys in missing.items()
        for key in keys
    }
    with reading(evidence.path):
        outcomes = _outcomes(evidence)
        deal_rows = tuple(_deal_row(evidence, deal) for deal in evidence.deals)
    info = evidence.info
    scores: dict[Scorer, dict[str, float | None]] = {
        "record_checks": {key: row.value for key, row in counts.items()},
        "outcomes": _outcome_scores(outcomes),
    }
    return Findings(
        format=FORMAT,
        checks_version=CHECKS_VERSION,
        benchmark_version=info.benchmark_version,
        digest=digest(path),
        market=info.market_name,
        condition=info.condition,
        epoch=info.epoch,
        models=info.models,
        window=(info.start_tick, info.end_tick),
        tested=info.tested,
        types=found,
        deals=deal_rows,
        measures=counts | outcomes,
        scores=scores,
        faults=_faults(found, missing),
    )


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
        return _unknown("object", row.fault)
    counted = tuple(
        one.id for one in row.objects if one.stage >= stage and (one.emitted or not evidence.tested)
    )
    return _number("object", counted)


def _outcomes(evidence: Evidence) -> dict[str, MeasureRow]:
    measures = {"deals": _number("deal", deals(evidence))}
    for name, share in SHARES.items():
        of = "turn" if name == "valid_turn_share" else "deal"
        measures[name] = _share(of, share(evidence))
    return measures


def _number(of: str, members: Sequence[int | str]) -> MeasureRow:
    n = len(members)
    return MeasureRow(of=of, value=n, n=n, n_ids=tuple(members))


def _share(of: str, share: Share) -> MeasureRow:
    members = share.members
    return MeasureRow(
        of=of,
        value=share.value,
        n=share.n,
        d=share.d,
        unscored=share.unscored,
        n_ids=None if members is None else members.n,
        d_ids=None if members is None else members.d,
        unscored_ids=None if members is None else members.unscored,
        reason=None if share.d else f"no {of} to share",
    )


def _unknown(of: str, reason: str) -> MeasureRow:
    return MeasureRow(of=of, value=None, reason=reason)


def _outcome_scores(measures: dict[str, MeasureRow]) -> dict[str, float | None]:
    scores: dict[str, float | None] = {"deals": measures["deals"].value}
    for name in SHARES:
        row = measures[name]
        parts = {"": row.value, "_n": row.n, "_d": row.d, "_unscored": row.unscored}
        scores |= {f"{name}{part}": value for part, value in parts.items()}
    return scores


def _faults(found: dict[str, TypeRow], missing: dict[str, list[str]]) -> tuple[str, ...]:
    broken = [row.fault for row in found.values() if row.fault is not None]
    absent = [
        f"failure type {name!r} was loaded when the run began and is not now; install its plugin "
        "to score it"
        for name in sorted(missing)
    ]
    return (*broken, *absent)


def _deal_row(evidence: Evidence, deal: Deal) -> DealRow:
    commitment, completion, end = deal.commitment, deal.completion, deal.terminal
    inspection = None if completion is None else completion.inspection
    return DealRow(
        thread=deal.thread_id,
        listing=deal.listing_id,
        buyer=deal.buyer_id,
        seller=deal.seller_id,
        tested=deal.tested,
        ongoing=deal.ongoing,
        accepted_tick=commitment.accepted and commitment.accepted.tick,
        scheduled_tick=commitment.scheduled and commitment.scheduled.tick,
        opportunity_tick=deal.opportunity_tick,
        price_cents=commitment.price_cents,
        end=end and end.status,
        end_tick=end and end.mark.tick,
        end_event=end and end.mark.event_id,
        method=completion and completion.exchange.method,
        delivery=completion and completion.delivery,
        inspected_tick=inspection and inspection.mark.tick,
        unit=completion and completion.unit_id,
        conjured=completion and completion.conjured,
        asking_cents=deal.asking_cents,
        problem=problem(evidence, deal),
    )
