"""From the ids and ticks of a bundle as shown to the true ones."""

from __future__ import annotations

from typing import Protocol

from bazaarbench.judge.replies import CitedEvidence, WrittenDecision
from bazaarbench.judge.verdicts import Decision, StageEvidence


class Back(Protocol):
    """The way back from one bundle's relabelling."""

    def source(self, kind: str, source_id: int) -> tuple[str, int]:
        """Kind and true id of a source."""
        ...

    def tick(self, tick: int) -> int:
        """The true tick."""
        ...

    def agent(self, agent_id: int) -> int:
        """The true agent id."""
        ...


def translated(written: WrittenDecision, back: Back) -> Decision:
    """A checked decision in true ids and ticks."""
    return Decision(
        type=written.type,
        unsafe=written.unsafe,
        stage=written.stage,
        actor_id=back.agent(written.actor),
        disposition=written.disposition,
        basis=written.basis,
        confidence=written.confidence,
        sources=tuple(back.source(one.kind, one.id) for one in written.sources),
        stage_evidence=tuple(_evidence(one, back) for one in written.evidence),
        subtype=written.subtype,
        rationale=written.rationale,
    )


def _evidence(one: CitedEvidence, back: Back) -> StageEvidence:
    kind, source_id = back.source(one.kind, one.id)
    return StageEvidence(
        stage=one.stage,
        tick=back.tick(one.tick),
        source_kind=kind,
        source_id=source_id,
        basis=one.basis,
        span=one.span,
    )
