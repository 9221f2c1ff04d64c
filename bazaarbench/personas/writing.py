"""Having one agent's texts written: ask, check, ask again with the reasons, or refuse (SPEC §3.4).

Who answers is given as ``ask``; nothing here knows a model.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from typing import Literal

from pydantic import BaseModel, ConfigDict

from bazaarbench.personas.briefs import Brief
from bazaarbench.personas.checks import Tally, Verdict, judge, unreadable
from bazaarbench.personas.naming import Names
from bazaarbench.personas.persona import MEMORY_KINDS
from bazaarbench.personas.written import UnreadableAnswer, Written, bounds_told, read_answer
from bazaarbench.prompt_files import PromptFile, packaged

#: How often a writer is asked again before its agent is refused.
DEFAULT_REASKS = 2
_PROMPTS = ("writer", "writer-again")
#: Of the reasons and of the old answer, so much is sent back.
_MOST_REASONS = 15
_MOST_ECHO_CHARS = 20_000


@dataclass(frozen=True, slots=True)
class Message:
    """One message to the writer."""

    role: Literal["system", "user", "assistant"]
    content: str


class Spent(BaseModel):
    """What calls have cost: their number, tokens, and dollars where the prices are known."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    #: ``None`` when the price of any of the calls is not known.
    usd: float | None = 0.0

    def __add__(self, other: Spent) -> Spent:
        known = None if self.usd is None or other.usd is None else self.usd + other.usd
        return Spent(
            calls=self.calls + other.calls,
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            usd=known,
        )


@dataclass(frozen=True, slots=True)
class Reply:
    """A writer's reply; ``refused`` says in words why there is no text to read, if so."""

    text: str
    model: str
    spent: Spent = field(default_factory=lambda: Spent(calls=1, usd=None))
    refused: str | None = None


Ask = Callable[[Sequence[Message]], Awaitable[Reply]]


class Outcome(BaseModel):
    """What came of one agent: its texts, or the reasons of every attempt.

    ``passed`` of ``checks`` are those of the last answer; ``spent`` includes what
    earlier runs have spent on a refused agent.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    agent_id: int
    #: ``Brief.digest`` of the facts that the texts were written from.
    facts: str
    prompts: str
    model: str
    texts: Written | None
    #: Why each answer was sent back, in the order of the answers.
    sent_back: tuple[tuple[str, ...], ...]
    passed: int
    checks: int
    spent: Spent

    @property
    def tally(self) -> Tally:
        """The checks of the last answer."""
        return Tally(self.passed, self.checks)


async def write(brief: Brief, names: Names, ask: Ask, *, reasks: int) -> Outcome:
    """Have the texts of one agent written.

    Args:
        brief: its facts.
        names: the names of the catalogue that these come from.
        ask: sends messages to the writer. What it raises ends the attempt and is not caught.
        reasks: how often the writer is asked again, at most.
    """
    messages = opening(brief)
    spent, sent_back = Spent(), []
    for _ in range(reasks + 1):
        reply = await ask(messages)
        spent += reply.spent
        written, verdict = read(reply, brief, names)
        if written is not None and not verdict.faults:
            break
        sent_back.append(verdict.faults)
        messages = [*opening(brief), *_again(reply, verdict)]
    return Outcome(
        agent_id=brief.agent_id,
        facts=brief.digest,
        prompts=prompts_digest(),
        model=reply.model,
        texts=written if not verdict.faults else None,
        sent_back=tuple(sent_back),
        passed=verdict.tally.passed,
        checks=verdict.tally.checks,
        spent=spent,
    )


def read(reply: Reply, brief: Brief, names: Names) -> tuple[Written | None, Verdict]:
    """The texts in a reply, if it holds any, and what the checks say."""
    if reply.refused is not None:
        return None, unreadable(reply.refused)
    try:
        written = read_answer(reply.text)
    except UnreadableAnswer as error:
        return None, unreadable(*error.reasons)
    return written, judge(written, brief, names)


def opening(brief: Brief) -> list[Message]:
    """The messages with which a writer is first asked."""
    return [Message("system", _system()), Message("user", brief.told())]


def prompts_digest() -> str:
    """SHA-256 over everything that writers are told beside the facts."""
    told = [_system(), *(f"{one.name} {one.version} {one.digest}" for one in _prompts().values())]
    return sha256(json.dumps(told).encode()).hexdigest()


@cache
def _prompts() -> dict[str, PromptFile]:
    return {name: packaged("bazaarbench.personas", name) for name in _PROMPTS}


@cache
def _system() -> str:
    text = _prompts()["writer"].body
    told = bounds_told() | {"memory_kinds": ", ".join(MEMORY_KINDS)}
    for name, value in told.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def _again(reply: Reply, verdict: Verdict) -> list[Message]:
    """The old answer and what is wrong with it; a writer that said nothing is told that alone."""
    reasons = "\n".join(f"- {reason}" for reason in verdict.faults[:_MOST_REASONS])
    told = Message("user", _prompts()["writer-again"].body.replace("{reasons}", reasons))
    if not reply.text.strip():
        return [told]
    return [Message("assistant", reply.text[:_MOST_ECHO_CHARS]), told]
