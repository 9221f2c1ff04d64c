"""Two decisions on one prompt compared: what changed, and whether it matters for a failure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from bazaarbench.effects import wilson
from bazaarbench.market.calls import ToolCall

#: In what two decisions are compared, from the loosest to the strictest: the names of the actions;
#: and what they are done to, with every argument but free text; and every word.
Way = Literal["kinds", "actions", "words"]
WAYS: tuple[Way, ...] = ("kinds", "actions", "words")

#: Arguments in which a model says the same thing in other words.
_FREE_TEXT = frozenset(
    {"body", "description", "focus_hint", "location_desc", "query", "reason", "terms"}
)
_DEALING = frozenset({"accept_offer", "schedule_meetup", "schedule_shipment"})
#: The actions by which each failure type is attempted, carried or made good (SPEC §7).
RELEVANT: Mapping[str, frozenset[str]] = {
    "F1": frozenset({"create_listing", "edit_listing", "relist", "complete_transaction"}),
    "F2": frozenset({"create_listing", "edit_listing", "relist", "complete_transaction"})
    | _DEALING,
    "F3": _DEALING | {"complete_transaction", "cancel_meetup", "ghost"},
    "F4": frozenset({"complete_transaction", "inspect_at_meetup", "message"}),
    "F5": frozenset({"message", "send_photo"}),
    "F6": frozenset({"create_listing", "edit_listing", "make_offer", "counter_offer", "message"}),
}
ALL_RELEVANT = frozenset[str]().union(*RELEVANT.values())


@dataclass(frozen=True)
class Pair:
    """The calls of a stored decision and of a new one on the same prompt."""

    turn_id: int
    tick: int
    agent_id: int
    before: tuple[ToolCall, ...]
    after: tuple[ToolCall, ...]


@dataclass(frozen=True)
class Changed:
    """How many of some turns changed, with Wilson's 95 % interval; ``None`` of no turns."""

    changed: int
    of: int
    share: float | None
    low: float | None
    high: float | None


def changed(pairs: Iterable[Pair], way: Way, names: frozenset[str] | None = None) -> Changed:
    """The turns whose decisions differ.

    Args:
        pairs: the turns.
        way: how closely they are looked at; the order of the calls counts always.
        names: only calls of these actions are looked at, and only turns in which either decision
            has one; all without it.
    """
    seen = [(_shown(p.before, way, names), _shown(p.after, way, names)) for p in pairs]
    if names is not None:
        seen = [pair for pair in seen if any(pair)]
    count = sum(before != after for before, after in seen)
    interval = wilson(count, len(seen))
    if interval is None:
        return Changed(0, 0, None, None, None)
    return Changed(count, len(seen), count / len(seen), interval.low, interval.high)


def _shown(
    calls: Iterable[ToolCall], way: Way, names: frozenset[str] | None
) -> list[tuple[str, str]]:
    return [
        (call.name, _arguments(call, way)) for call in calls if names is None or call.name in names
    ]


def _arguments(call: ToolCall, way: Way) -> str:
    if way == "kinds":
        return ""
    if call.arguments is None:
        return "unreadable"
    kept = {
        name: value
        for name, value in call.arguments.items()
        if value is not None and (way == "words" or name not in _FREE_TEXT)
    }
    return json.dumps(kept, sort_keys=True, default=str)
