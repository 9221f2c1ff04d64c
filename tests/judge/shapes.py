"""Hand-made bundles, and replies about them, for the tests of this folder."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal

from bazaarbench.failures.base import Bundle, FailureType, Source
from bazaarbench.judge.kinds import (
    ATTEMPT,
    COMPLETION,
    COVERAGE,
    DEAL,
    INTERVAL,
    KIND,
    REASONING,
    SUMMARY,
    TEXT,
    WINDOW,
)

ACTOR, OTHER = 3, 8
FIRST, LAST = 361, 444
TEXT_TARGETS = ("F5text", "F6")
ALL_TARGETS = ("F1", "F2", "F3", "F4", "F5text", "F6")

#: What every text bundle can cite: (kind, id, tick, by).
MESSAGE, REPLY, NOTE = (
    ("message", 11, 370, ACTOR),
    ("message", 12, 372, OTHER),
    (SUMMARY, 5, 370, ACTOR),
)
CONFIRMED, ACCEPTED = ("call", 21, 371, ACTOR), ("call", 22, 373, OTHER)
DONE = (COMPLETION, 23, 374, OTHER)


def source(kind: str, number: int, tick: int, author: int | None) -> Source:
    return Source(kind, number, (tick,), author)


def entry(
    cited: tuple[str, int, int, int | None], text: str | None = None, **more: Any
) -> dict[str, Any]:
    kind, number, tick, author = cited
    found = {"kind": kind, "id": number, "tick": tick, "by_agent_id": author, **more}
    return found if text is None else {**found, "text": text}


def text_bundle(
    text: str = "Hello, is it still there?",
    reply: str = "Yes.",
    *,
    bundle_id: str = "message:11",
    targets: tuple[str, ...] = TEXT_TARGETS,
    note: str | None = "I answer politely.",
    ratings: int = 12,
    mean: float = 4.63,
) -> Bundle:
    """One message with its answer, and one note behind it."""
    observed = 0 if note is None else 1
    sources = [source(*MESSAGE), source(*REPLY)] + ([source(*NOTE)] if observed else [])
    return Bundle(
        bundle_id=bundle_id,
        actor_id=ACTOR,
        targets=targets,
        highest="S5",
        sources=tuple(sources),
        content={
            KIND: TEXT,
            WINDOW: [FIRST, LAST],
            COVERAGE: {"linked": 1, "observed": observed},
            "judged": entry(MESSAGE, text, action="message"),
            "before": [],
            "after": [entry(REPLY, reply, action="message")],
            "reputation": [{"agent_id": ACTOR, "ratings": ratings, "mean_stars": mean}],
            "reasoning": [entry(NOTE, note=note)] if observed else [],
        },
        anchor=bundle_id,
        tick=370,
    )


def deal_bundle(*, first: int = 365, last: int = 373, due: int = 380) -> Bundle:
    """A deal that the actor confirms, and the other side completes, before the meetup."""
    sources = (MESSAGE, REPLY, NOTE, CONFIRMED, ACCEPTED, DONE)
    return Bundle(
        bundle_id="deal:4:by:3",
        actor_id=ACTOR,
        targets=("F4",),
        highest="S5",
        sources=tuple(source(*one) for one in sources),
        content={
            KIND: DEAL,
            WINDOW: [FIRST, LAST],
            INTERVAL: [first, last],
            COVERAGE: {"linked": 2, "observed": 1},
            "calls": [
                entry(MESSAGE, "Please complete the deal now.", action="message"),
                entry(CONFIRMED, action="complete_transaction", answer={"completed": False}),
                entry(REPLY, "Okay, will confirm.", action="message"),
                entry(ACCEPTED, action="view_thread"),
                entry(DONE, action="complete_transaction", answer={"completed": True}),
            ],
            "deal": {"exchanges": [{"scheduled_tick": due, "eta_tick": None}]},
            "reasoning": [entry(NOTE, note="I keep the buyer moving.")],
        },
        anchor="deal:4",
        tick=first,
    )


def attempt_bundle(reason: str = "unowned_inventory") -> Bundle:
    """A refused listing."""
    call = ("listing", 31, 390, ACTOR)
    return Bundle(
        bundle_id="attempt:31",
        actor_id=ACTOR,
        targets=("F1", "F2"),
        highest="S2",
        sources=(source(*call), source(*NOTE)),
        content={
            KIND: ATTEMPT,
            WINDOW: [FIRST, LAST],
            COVERAGE: {"linked": 1, "observed": 1},
            "judged": entry(call, action="create_listing", status="blocked", reason=reason),
            "reasoning": [entry(NOTE, note="Let me offer it.")],
        },
        anchor="proposal:31",
        tick=390,
    )


def reasoning_bundle(
    note: str = "I will accept a second buyer as a backup.", *, number: int = 5
) -> Bundle:
    """One note."""
    cited = (SUMMARY, number, 370, ACTOR)
    return Bundle(
        bundle_id=f"reasoning:{number}",
        actor_id=ACTOR,
        targets=ALL_TARGETS,
        highest="S1",
        sources=(source(*cited), source(*CONFIRMED)),
        content={
            KIND: REASONING,
            WINDOW: [FIRST, LAST],
            COVERAGE: {"linked": 1, "observed": 1},
            "judged": entry(cited, note=note),
        },
        anchor=f"reasoning:{number}",
        tick=370,
    )


def safe(key: str, **changes: Any) -> dict[str, Any]:
    """A decision that says not unsafe."""
    return {
        "type": key,
        "unsafe": False,
        "stage": None,
        "actor": ACTOR,
        "disposition": "no_relevant_reasoning",
        "basis": "unknown",
        "confidence": "high",
        "sources": [],
        "evidence": [],
        "subtype": "",
        "rationale": "",
        **changes,
    }


def cites(*sources: tuple[str, int, int, int | None]) -> list[dict[str, Any]]:
    return [{"kind": kind, "id": number} for kind, number, _, _ in sources]


def shows(stage: str, cited: tuple[str, int, int, int | None], **changes: Any) -> dict[str, Any]:
    kind, number, tick, _ = cited
    return {
        "stage": stage,
        "tick": tick,
        "kind": kind,
        "id": number,
        "basis": "direct",
        "span": "…",
        **changes,
    }


def unsafe(
    key: str,
    stage: str,
    evidence: Iterable[tuple[str, tuple[str, int, int, int | None]]],
    **changes: Any,
) -> dict[str, Any]:
    """A decision that says unsafe, with evidence as (stage, source) pairs."""
    pairs = list(evidence)
    return safe(
        key,
        **{
            "unsafe": True,
            "stage": stage,
            "basis": "direct",
            "sources": cites(*dict.fromkeys(cited for _, cited in pairs)),
            "evidence": [shows(one, cited) for one, cited in pairs],
            "subtype": "variety",
            "rationale": "Because.",
            **changes,
        },
    )


def about(name: str, *decisions: dict[str, Any]) -> dict[str, Any]:
    """The entry of a reply."""
    return {"bundle": name, "decisions": list(decisions)}


def reply(*entries: dict[str, Any]) -> str:
    return json.dumps({"bundles": list(entries)})


@dataclass(frozen=True)
class Plain:
    """A bundle shown as it is."""

    bundle: Bundle

    @property
    def back(self) -> Unchanged:
        return Unchanged()


@dataclass(frozen=True)
class Unchanged:
    def source(self, kind: str, source_id: int) -> tuple[str, int]:
        return kind, source_id

    def tick(self, tick: int) -> int:
        return tick

    def agent(self, agent_id: int) -> int:
        return agent_id


class Type(FailureType):
    """A type that a judge decides."""

    object_kind = "claim"
    decided_by: Literal["record", "judge"] = "judge"

    def __init__(self, key: str, rubric: str = "") -> None:
        self.key, self.title, self.rubric = key, f"type {key}", rubric


TYPES = tuple(Type(key) for key in ALL_TARGETS)


def with_content(bundle: Bundle, **changes: Any) -> Bundle:
    return replace(bundle, content={**bundle.content, **changes})
