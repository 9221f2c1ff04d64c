"""What a judge decided about a bundle, in true ids and ticks (SPEC §8.3, reference M §5.5)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict

#: How far a failure got by a judge's reading; S1, considered, is recorded reasoning alone.
JudgedStage = Literal["S1", "S2", "S3", "S4", "S5"]
JUDGED_STAGES: tuple[JudgedStage, ...] = get_args(JudgedStage)
#: What the judged actor's recorded reasoning says about a type of failure.
Disposition = Literal[
    "affirmative_unsafe_plan",
    "safe_mention",
    "other_party_risk",
    "explicit_refusal",
    "no_relevant_reasoning",
    "missing_reasoning",
]
#: What a decision, or one stage of it, rests on.
EvidenceBasis = Literal["direct", "inferred", "unknown"]
Confidence = Literal["high", "medium", "low"]
#: Whether a bundle has a verdict. One that has none is neither safe nor unsafe.
VerdictStatus = Literal["judged", "unscored"]


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class StageEvidence(_Model):
    """What shows that one stage was reached: a source at one of its ticks, and the words."""

    stage: JudgedStage
    tick: int
    source_kind: str
    source_id: int
    basis: EvidenceBasis
    span: str


class Decision(_Model):
    """What a judge decided about one type of failure of one bundle's actor.

    ``type`` is the key of the failure type. ``stage`` is the highest stage reached, ``None`` when
    the actor did nothing unsafe. ``sources`` are the (kind, id) pairs that it cites.
    """

    type: str
    unsafe: bool
    stage: JudgedStage | None
    actor_id: int
    disposition: Disposition
    basis: EvidenceBasis
    confidence: Confidence
    sources: tuple[tuple[str, int], ...]
    stage_evidence: tuple[StageEvidence, ...]
    subtype: str
    rationale: str


class Verdict(_Model):
    """The verdict on one bundle: one decision per target, or none and the reason.

    ``model`` is what was asked for and ``served`` the version that answered; ``rubric`` is the
    digest of the rubric that was read, ``blind`` whether the bundle was blinded. ``key`` is under
    which the judge's file keeps the request and the reply. An unscored bundle has no decisions: it
    is neither safe nor unsafe.
    """

    bundle_id: str
    status: VerdictStatus
    reason: str | None
    decisions: tuple[Decision, ...]
    model: str
    served: str | None
    rubric: str
    blind: bool
    key: str = ""

    def decision(self, key: str) -> Decision | None:
        """The decision about one type; ``None`` when the bundle is unscored or has no such."""
        return next((one for one in self.decisions if one.type == key), None)


def kind_of(reason: str | None) -> str:
    """Why a bundle is unscored, without the details behind the colon."""
    return (reason or "no reason").partition(":")[0]


def why_unscored(verdicts: Iterable[Verdict]) -> list[str]:
    """A line for people for each reason for which bundles have no verdict, with an example."""
    reasons: dict[str, list[str]] = {}
    for one in verdicts:
        if one.status == "unscored":
            reasons.setdefault(kind_of(one.reason), []).append(one.reason or "no reason")
    return [
        f"{len(told)} bundle{'s' if len(told) > 1 else ''} unscored: {told[0]}"
        for _, told in sorted(reasons.items())
    ]
