"""What judging a record came to, in one file beside it: ``<record stem>.judge.json``.

Verdicts in true ids, the failures merged from them, what is unscored and why, the score keys. The
same verdicts give the same bytes; requests and replies are in the judge's file (``store``).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from bazaarbench.errors import RecordError
from bazaarbench.evidence import Evidence
from bazaarbench.failures.base import FailureObject, FailureType
from bazaarbench.findings.numbers import share_row
from bazaarbench.findings.objects import object_row
from bazaarbench.findings.rows import MeasureRow, ObjectRow
from bazaarbench.judge.merging import Merged
from bazaarbench.judge.merging_links import judged_links
from bazaarbench.judge.merging_scores import judge_keys, judge_scores
from bazaarbench.judge.scripted import SCRIPTED_LABEL
from bazaarbench.judge.store import Spending
from bazaarbench.judge.verdicts import Verdict, kind_of
from bazaarbench.market.files import appearing, explained
from bazaarbench.market.record import digest
from bazaarbench.outcomes import judge_deals, measures
from bazaarbench.versions import CHECKS_VERSION

#: Version of the layout of the file.
FORMAT = 1
#: Shares of deals that need a judge; each has keys for its parts too.
LINKED = {
    "own_failure_linked": measures.own_failure_linked,
    "either_failure_linked": measures.either_failure_linked,
}
_PARTS = ("", "_n", "_d", "_unscored")
_FAULT = "{}: its failure type was loaded when the run began and is not now; install its plugin"
#: Where ``RecordInfo.extra`` keeps the score keys that a run began with.
JUDGE_KEYS = "judge_keys"
#: Bundles with a verdict, and without one.
BUNDLES, UNSCORED = "judged_bundles", "unscored_bundles"


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class JudgeRow(_Model):
    """Who judged, and how. ``label`` says so when it is a script, which is never ranked.

    ``rubrics`` are the digests of the rubrics that were read, by their targets; ``settings`` is
    that of the model's name and options. ``reasoning`` says whose reasoning was judged.
    """

    model: str
    served: str | None
    label: str | None
    blind: bool
    settings: str
    rubrics: dict[str, str]
    reasoning: str


class SpendingRow(_Model):
    """All that was ever asked of this judge about this record; US dollars."""

    asks: int
    tokens: dict[str, int]
    cost_usd: float | None


class ConsideredRow(_Model):
    """Recorded reasoning about one type (S1): bundle ids with a plan, judged, unscored, silent."""

    plans: tuple[str, ...]
    judged: int
    unscored: int
    silent: int


class Judged(_Model):
    """The file. ``objects`` and ``fallback`` as in ``Merged``; ``unscored`` counts by reason."""

    format: int
    checks_version: str
    digest: str
    market: str
    condition: str | None
    epoch: int
    tested: tuple[int, ...]
    judge: JudgeRow
    spending: SpendingRow
    objects: dict[str, tuple[ObjectRow, ...]]
    fallback: dict[str, tuple[ObjectRow, ...]]
    considered: dict[str, ConsideredRow]
    opportunities: dict[str, int]
    measures: dict[str, MeasureRow]
    scores: dict[str, float | None]
    unscored: dict[str, int]
    diagnostics: tuple[dict[str, Any], ...]
    verdicts: tuple[Verdict, ...]
    faults: tuple[str, ...]


@dataclass(frozen=True)
class Judgement:
    """Everything that a file is made from."""

    evidence: Evidence
    failure_types: Sequence[FailureType]
    record_objects: Mapping[str, Sequence[FailureObject]]
    merged: Merged
    verdicts: Sequence[Verdict]
    spending: Spending
    model: str
    served: str | None
    scripted: bool
    blind: bool
    settings: str
    reasoning: str


def rubric_keys(failure_types: Iterable[FailureType]) -> tuple[str, ...]:
    """All score keys of ``rubric_judge``, fixed by the types that are loaded."""
    shares = (f"{name}{part}" for name in LINKED for part in _PARTS)
    return (*judge_keys(failure_types), *shares, BUNDLES, UNSCORED)


def build(found: Judgement) -> Judged:
    """Put the file's content together."""
    evidence, merged, info = found.evidence, found.merged, found.evidence.info
    objects = [one for group in found.record_objects.values() for one in group]
    outcomes = judge_deals(evidence, found.record_objects, judged_links(evidence, merged))
    shares = {name: share_row("deal", share(outcomes)) for name, share in LINKED.items()}
    unknown = [one.key for one in found.failure_types if one.key not in found.record_objects]
    scores = judge_scores(evidence, merged, objects, found.failure_types, faulty=unknown)
    for name, row in shares.items():
        parts = {"": row.value, "_n": row.n, "_d": row.d, "_unscored": row.unscored}
        scores |= {f"{name}{part}": value for part, value in parts.items()}
    reasons = Counter(kind_of(one.reason) for one in found.verdicts if one.status == "unscored")
    scores |= {BUNDLES: len(found.verdicts) - reasons.total(), UNSCORED: reasons.total()}
    keys = rubric_keys(found.failure_types)
    missing = [key for key in info.extra.get(JUDGE_KEYS, ()) if key not in keys]
    return Judged(
        format=FORMAT,
        checks_version=CHECKS_VERSION,
        digest=digest(evidence.path),
        market=info.market_name,
        condition=info.condition,
        epoch=info.epoch,
        tested=info.tested,
        judge=_judge(found),
        spending=SpendingRow(
            asks=found.spending.asks,
            tokens=dict(found.spending.tokens),
            cost_usd=found.spending.cost_usd,
        ),
        objects=_rows(evidence, merged.judged),
        fallback=_rows(evidence, merged.fallback),
        considered={
            key: ConsideredRow(
                plans=one.plans, judged=one.judged, unscored=one.unscored, silent=one.silent
            )
            for key, one in merged.considered.items()
        },
        opportunities={
            one.key: merged.opportunities(one.key, evidence.tested) for one in found.failure_types
        },
        measures=shares,
        scores={key: scores.get(key) for key in (*keys, *missing)},
        unscored=dict(sorted(reasons.items())),
        diagnostics=tuple(
            {"bundle": one.bundle_id, "type": one.type, "stage": one.stage, "why": one.why}
            for one in merged.diagnostics
        ),
        verdicts=tuple(found.verdicts),
        faults=(*merged.faults.values(), *(_FAULT.format(key) for key in missing)),
    )


def _judge(found: Judgement) -> JudgeRow:
    rubrics = {
        ",".join(one.type for one in verdict.decisions): verdict.rubric
        for verdict in found.verdicts
        if verdict.status == "judged"
    }
    return JudgeRow(
        model=found.model,
        served=found.served,
        label=SCRIPTED_LABEL if found.scripted else None,
        blind=found.blind,
        settings=found.settings,
        rubrics=dict(sorted(rubrics.items())),
        reasoning=found.reasoning,
    )


def _rows(
    evidence: Evidence, objects: Mapping[str, Sequence[FailureObject]]
) -> dict[str, tuple[ObjectRow, ...]]:
    return {
        key: tuple(object_row(evidence, one) for one in group) for key, group in objects.items()
    }


def results_path(record: Path | str) -> Path:
    """Where the file of a record is: ``<record stem>.judge.json`` beside it."""
    return Path(record).with_suffix(".judge.json")


def write(judged: Judged, record: Path | str) -> Path:
    """Put the file beside its record; returns where.

    Raises:
        RecordError: it cannot be written.
    """
    target = results_path(record)
    text = json.dumps(judged.model_dump(mode="json"), sort_keys=True, separators=(",", ":"))
    with explained(target, "write"), appearing(target) as workpiece:
        workpiece.write_text(f"{text}\n", encoding="ascii")
    return target


def load(path: Path | str) -> Judged:
    """Read a file.

    Raises:
        RecordError: it is missing, unreadable, or of another layout.
    """
    path = Path(path)
    if not path.exists():
        raise RecordError(
            f"there are no verdicts at {path}. Score the record with the scorer rubric_judge."
        )
    with explained(path, "read"):
        data = path.read_bytes()
    try:
        return Judged.model_validate_json(data)
    except ValidationError as error:
        raise RecordError(
            f"{path} holds no verdicts of this version: {str(error).splitlines()[0]}. Score the "
            "record again."
        ) from error
