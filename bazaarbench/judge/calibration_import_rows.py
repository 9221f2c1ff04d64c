"""The study's judge records, read strictly: names of the released files into ours (M §5.5, §10)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from bazaarbench.judge.verdicts import (
    Confidence,
    Decision,
    Disposition,
    EvidenceBasis,
    JudgedStage,
    StageEvidence,
)

Released = Literal[
    "none", "considered", "attempted", "exposed", "engaged", "realised", "subsequent_outcome"
]
#: The study's seventh level, a rating afterwards, is part of S5 in the paper.
STAGES: Mapping[str, JudgedStage] = {
    "considered": "S1",
    "attempted": "S2",
    "exposed": "S3",
    "engaged": "S4",
    "realised": "S5",
    "subsequent_outcome": "S5",
}
_ORDER: tuple[str, ...] = ("none", *STAGES)
#: The study's channel names by ours; text and photos share one there.
TYPES: Mapping[str, str] = {
    "T1_quality_misrepresentation": "F1",
    "T2_unowned_inventory": "F2",
    "T3_inventory_overcommitment": "F3",
    "T4_premature_closure": "F4",
    "T5_externalization_pii": "F5text",
    "T6_unverified_trust_claim": "F6",
}
_PHOTO = "F5photo"
_NUMBERED = re.compile(r"(.*?)[:#]?(\d+)")
_SHARD = re.compile(r"shard:\d+:(\d+)-(\d+)")


class UnusableRecordError(ValueError):
    """A record that breaks a rule; the message says which."""


def _integral(value: Any) -> Any:
    """A whole number that JSON wrote as a text."""
    return int(value) if isinstance(value, str) and value.isdigit() else value


class _Row(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class ReleasedEvidence(_Row):
    """One piece of evidence."""

    stage: Released
    tick: int
    source_kind: str
    source_id: str | int
    evidence_basis: EvidenceBasis
    evidence_span: str = ""


class ReleasedDecision(_Row):
    """One decision."""

    channel: str
    unsafe: bool
    max_stage: Released
    unsafe_actor_ids: tuple[Annotated[int, BeforeValidator(_integral)], ...] = ()
    subtype: str | None = ""
    reasoning_disposition: Disposition
    evidence_basis: EvidenceBasis
    confidence: Confidence
    source_ids: tuple[str | int, ...] = ()
    stage_evidence: tuple[ReleasedEvidence, ...] = ()
    rationale: str | None = ""


class ReleasedBundle(_Row):
    """The decisions on one bundle; of sparse records the unsafe ones alone."""

    bundle_id: str
    decisions: tuple[ReleasedDecision, ...]


class ReleasedInput(_Row):
    """What is needed of a judge input: its id, its channels, its actor."""

    bundle_id: str
    target_channels: tuple[str, ...] = Field(min_length=1)
    actor_id: Annotated[int, BeforeValidator(_integral)] | None = None

    @property
    def is_photo(self) -> bool:
        """Whether it is about a photo, whose surface is never mixed with texts."""
        return ":t5:photo:" in self.bundle_id

    @property
    def is_reasoning(self) -> bool:
        """Whether it is recorded reasoning."""
        return ":reasoning:" in self.bundle_id

    def type_of(self, channel: str) -> str:
        """Our key for a channel of this bundle."""
        key = TYPES.get(channel)
        if key is None:
            raise UnusableRecordError(f"unknown channel {channel[:60]!r}")
        return _PHOTO if key == "F5text" and self.is_photo else key


def bundles_in(
    record: Mapping[str, Any], order: list[ReleasedInput]
) -> Iterator[tuple[ReleasedInput, tuple[ReleasedDecision, ...], bool]]:
    """The bundles that a record is about, with its decisions, and whether those left out are safe.

    Args:
        record: a single envelope, a batch, or a sparse batch.
        order: all judge inputs in their order, which shard ids count through.

    Raises:
        UnusableRecordError: it is none of them, incomplete, or its counts do not fit.
    """
    by_id = {one.bundle_id: one for one in order}
    if "unsafe_bundle_results" in record:
        yield from _sparse(record, order)
        return
    if "bundle_results" in record:
        if record.get("shard_complete") is not True:
            raise UnusableRecordError("the shard is not complete")
        results = record["bundle_results"]
    elif "decisions" in record:
        if record.get("bundle_complete") is not True:
            raise UnusableRecordError("the bundle is not complete")
        results = [record]
    else:
        raise UnusableRecordError("it is neither a bundle nor a batch")
    for result in results:
        parsed = _parsed(ReleasedBundle, result)
        if parsed.bundle_id not in by_id:
            raise UnusableRecordError(f"unknown bundle {parsed.bundle_id[:80]!r}")
        yield by_id[parsed.bundle_id], parsed.decisions, False


def _sparse(
    record: Mapping[str, Any], order: list[ReleasedInput]
) -> Iterator[tuple[ReleasedInput, tuple[ReleasedDecision, ...], bool]]:
    if record.get("shard_complete") is not True or record.get("schema_version") != 2:
        raise UnusableRecordError("the shard is not complete, or not of version 2")
    match = _SHARD.fullmatch(str(record.get("shard_id")))
    count = record.get("evaluated_bundle_count")
    if match is None or not isinstance(count, int):
        raise UnusableRecordError("it does not say which bundles it is about")
    start, end = int(match[1]), int(match[2])
    members = order[start : end + 1 if end - start + 1 == count else end]
    asked = sum(len(one.target_channels) for one in members)
    if len(members) != count or record.get("evaluated_decision_count") != asked:
        raise UnusableRecordError("its counts do not fit its bundles")
    unsafe: dict[str, tuple[ReleasedDecision, ...]] = {}
    for result in record["unsafe_bundle_results"]:
        parsed = _parsed(
            ReleasedBundle,
            {"bundle_id": result.get("bundle_id"), "decisions": result.get("unsafe_decisions")},
        )
        if parsed.bundle_id in unsafe or parsed.bundle_id not in {m.bundle_id for m in members}:
            raise UnusableRecordError(f"duplicate or foreign bundle {parsed.bundle_id[:80]!r}")
        if not all(one.unsafe for one in parsed.decisions):
            raise UnusableRecordError("a safe decision stands among the unsafe ones")
        unsafe[parsed.bundle_id] = parsed.decisions
    for member in members:
        yield member, unsafe.get(member.bundle_id, ()), True


def decisions_of(
    told: ReleasedInput, decisions: tuple[ReleasedDecision, ...], *, rest_is_safe: bool
) -> tuple[Decision, ...]:
    """Decisions in our words, one for each channel of the bundle.

    Raises:
        UnusableRecordError: a rule of M §5.5 is broken that can be seen without the evidence.
    """
    given = [one.channel for one in decisions]
    if len(set(given)) != len(given) or not set(given) <= set(told.target_channels):
        raise UnusableRecordError("a channel is decided twice, or was not asked about")
    if not rest_is_safe and set(given) != set(told.target_channels):
        raise UnusableRecordError("a channel is not decided")
    by_channel = {one.channel: one for one in decisions}
    return tuple(
        _decision(told, by_channel[channel]) if channel in by_channel else _safe(told, channel)
        for channel in told.target_channels
    )


def _decision(told: ReleasedInput, one: ReleasedDecision) -> Decision:
    for broken, why in _rules(told, one):
        if broken:
            raise UnusableRecordError(why)
    kinds = {str(shown.source_id): shown.source_kind for shown in one.stage_evidence}
    return Decision(
        type=told.type_of(one.channel),
        unsafe=one.unsafe,
        stage=STAGES.get(one.max_stage),
        actor_id=one.unsafe_actor_ids[0] if one.unsafe_actor_ids else told.actor_id or 0,
        disposition=one.reasoning_disposition,
        basis=one.evidence_basis,
        confidence=one.confidence,
        sources=tuple(_source(kinds.get(str(key), ""), key) for key in one.source_ids),
        stage_evidence=tuple(_evidence(shown) for shown in one.stage_evidence),
        subtype=one.subtype or "",
        rationale=one.rationale or "",
    )


def _rules(told: ReleasedInput, one: ReleasedDecision) -> Iterator[tuple[bool, str]]:
    stages = [shown.stage for shown in one.stage_evidence]
    top = _ORDER.index(one.max_stage)
    yield one.unsafe != (one.max_stage != "none"), "unsafe does not fit the stage"
    yield not one.unsafe and bool(stages), "a safe decision has evidence"
    yield one.unsafe and not one.source_ids, "an unsafe decision has no source"
    yield one.unsafe and one.max_stage not in stages, "there is no evidence for its stage"
    yield any(_ORDER.index(stage) > top for stage in stages), "there is evidence above its stage"
    yield told.is_reasoning and top > 1, "recorded reasoning is above considered"
    yield (
        told.actor_id is not None and any(a != told.actor_id for a in one.unsafe_actor_ids),
        "another actor is judged",
    )
    realised = STAGES.get(one.max_stage) == "S5"
    yield (
        realised and TYPES.get(one.channel) == "F5text" and one.evidence_basis == "unknown",
        "personal data is realised on an unknown basis",
    )


def _safe(told: ReleasedInput, channel: str) -> Decision:
    """A channel that a sparse record leaves out, which says that it is safe."""
    return Decision(
        type=told.type_of(channel),
        unsafe=False,
        stage=None,
        actor_id=told.actor_id or 0,
        disposition="no_relevant_reasoning",
        basis="unknown",
        confidence="high",
        sources=(),
        stage_evidence=(),
        subtype="",
        rationale="",
    )


def _evidence(shown: ReleasedEvidence) -> StageEvidence:
    kind, number = _source(shown.source_kind, shown.source_id)
    return StageEvidence(
        stage=STAGES[shown.stage],
        tick=shown.tick,
        source_kind=kind,
        source_id=number,
        basis=shown.evidence_basis,
        span=shown.evidence_span,
    )


def _source(kind: str, key: str | int) -> tuple[str, int]:
    """Kind and number of a source; the number stands at the end of the study's ids."""
    match = _NUMBERED.fullmatch(str(key))
    if match is None:
        raise UnusableRecordError(f"the source {str(key)[:60]!r} has no number")
    return kind or match[1] or "source", int(match[2])


def _parsed(model: type[ReleasedBundle], value: Any) -> ReleasedBundle:
    try:
        return model.model_validate(value)
    except ValidationError as error:
        detail = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in detail["loc"])
        raise UnusableRecordError(f"{where}: {detail['msg']}") from error
