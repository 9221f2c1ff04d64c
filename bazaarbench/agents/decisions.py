"""From a model's reply to a decision (SPEC §5.4).

Whatever a model writes, its turn has an outcome and costs nobody else theirs. What cannot be read
as arguments is kept as it was written and never run; nothing is guessed and nothing is filled in.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

from pydantic import ValidationError

from bazaarbench.agents.answers import calls_in, note_key
from bazaarbench.agents.policy import (
    MAX_NOTE_CHARS,
    NOTE_PREFIX,
    Decision,
    Play,
    Reply,
    TurnOutcome,
)
from bazaarbench.market.actions import ACTIONS
from bazaarbench.market.calls import ToolCall
from bazaarbench.text import clean_json, is_plain_json

_CUT_OFF = frozenset({"max_tokens", "model_length"})
_REFUSED = "content_filter"

_NOTE = re.compile(r"^[ \t>*#_\"'`]*decision note[ \t*_]*:[ \t*_]*", re.IGNORECASE | re.MULTILINE)
#: A note ends at an empty line, or where a line begins with code, JSON or a heading.
_NOTE_END = re.compile(r"\n[ \t]*(?:\n|[\[{`#])|```")


def decision_of(reply: Reply, protocol: Literal["tools", "json"] = "tools") -> Decision:
    """The decision that a reply holds.

    Args:
        reply: one reply of a model.
        protocol: whether actions are the reply's tool calls or stand in its text as JSON.
    """
    calls, note = reply.calls, note_in(reply.text)
    if protocol == "json" and not calls and reply.error is None:
        calls = calls_in(reply.text)
        note = note or note_key(reply.text)
    decision = Decision(
        calls=() if reply.error is not None else calls,
        outcome=_outcome(reply, calls),
        note=note,
        reasoning=reply.reasoning,
        text=reply.text or None,
        stop_reason=reply.stop_reason,
        error=reply.error,
        model=reply.model,
        usage=reply.usage,
        latency_ms=reply.latency_ms,
        message_id=reply.message_id,
    )
    plants = tuple(plant for plant in reply.plants if 0 <= plant.call < len(decision.calls))
    return replace(decision, plants=plants) if plants else decision


def _outcome(reply: Reply, calls: Sequence[ToolCall]) -> TurnOutcome:
    if reply.error is not None:
        return "failed"
    if any(is_valid(call) for call in calls):
        return "acted"
    if reply.stop_reason == _REFUSED:
        return "refused"
    if reply.stop_reason in _CUT_OFF:
        return "truncated"
    if calls:
        return "no_valid_call"
    if reply.text.strip():
        return "no_call"
    return "reasoning_only" if reply.reasoning else "empty"


def is_valid(call: ToolCall) -> bool:
    """Whether a call names an action and its arguments fit that action's schema."""
    spec = ACTIONS.get(call.name)
    if spec is None or call.arguments is None or not is_plain_json(call.arguments):
        return False
    arguments, _ = clean_json(call.arguments)
    try:
        spec.args.model_validate(arguments)
    except ValidationError:
        return False
    return True


def note_in(text: str) -> str | None:
    """The decision note that stands in a reply's text, without its prefix; ``None`` without one."""
    found = _NOTE.search(text)
    if found is None:
        return None
    rest = text[found.end() : found.end() + MAX_NOTE_CHARS + 1]
    end = _NOTE_END.search(rest)
    note = (rest[: end.start()] if end else rest)[:MAX_NOTE_CHARS].strip(" \t\r\n*_")
    return note or None


def json_answer(play: Play) -> str:
    """A script's turn as a model without tool calls would write it."""
    actions = [{"action": call.name, "arguments": call.arguments or {}} for call in play.calls]
    return f"{NOTE_PREFIX} {play.note}\n\n{_compact(actions)}"


def _compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
