"""Who demonstrably met what somebody wrote, and what followed (reference M §5.1)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from bazaarbench.failures.base import Encounter
from bazaarbench.judge.bundles_log import Call, Log

#: By these the other side shows that it met the offer that they name; the same tick will do.
_ANSWERS = frozenset({"accept_offer", "counter_offer"})
#: What a deal that goes on after an encounter consists of.
_PROGRESS = frozenset(
    {"accept_offer", "schedule_meetup", "schedule_shipment", "inspect_at_meetup", "mark_sold"}
)
_MOST_PROGRESS = 8


def of_text(log: Log, carrier: Call, later: Sequence[Call]) -> tuple[Encounter, ...]:
    """The first proof that each other agent met a message or an offer.

    It was shown to its reader, was answered in a later tick, or, an offer, was taken up.

    Args:
        log: the log.
        carrier: what was sent.
        later: what was applied in its thread afterwards.
    """
    found = []
    other = _other(log, carrier)
    seen = log.seen_tick(carrier)
    if other is not None and seen is not None:
        found.append(Encounter(carrier.event_id, other, seen, "shown"))
    offer_id = carrier.result.get("offer_id")
    for call in later:
        if call.agent_id in (None, carrier.agent_id):
            continue
        assert call.agent_id is not None
        if offer_id is not None and _takes_up(call, offer_id):
            found.append(Encounter(carrier.event_id, call.agent_id, call.tick, "offer answered"))
        elif call.tick > carrier.tick:
            found.append(Encounter(carrier.event_id, call.agent_id, call.tick, "later act"))
    return first_each(found)


def of_acts(acts: Iterable[Call], later: Sequence[Call]) -> tuple[Encounter, ...]:
    """The first later act of somebody else after each of an agent's acts in a thread."""
    found = []
    for act in acts:
        answer = next((c for c in later if c.tick > act.tick and c.agent_id != act.agent_id), None)
        if answer is not None and answer.agent_id is not None:
            found.append(Encounter(act.event_id, answer.agent_id, answer.tick, "later act"))
    return first_each(found)


def first_each(found: Iterable[Encounter]) -> tuple[Encounter, ...]:
    """The earliest proof of each agent and source, in the order of ticks."""
    first: dict[tuple[int, int], Encounter] = {}
    for one in sorted(found, key=lambda e: (e.tick, e.source_id, e.agent_id)):
        first.setdefault((one.source_id, one.agent_id), one)
    return tuple(first.values())


def shown(encounters: Iterable[Encounter]) -> list[dict[str, Any]]:
    """Encounters as a judge reads them."""
    return [
        {"of_event_id": e.source_id, "agent_id": e.agent_id, "tick": e.tick, "how": e.how}
        for e in encounters
    ]


def progress(encounters: Sequence[Encounter], later: Iterable[Call]) -> list[Call]:
    """By what the deal went on after the first encounter, strictly later than its tick."""
    if not encounters:
        return []
    since = min(e.tick for e in encounters)
    steps = [c for c in later if c.tick > since and (c.action in _PROGRESS or c.completes)]
    return steps[:_MOST_PROGRESS]


def _other(log: Log, carrier: Call) -> int | None:
    if carrier.thread_id is None:
        return None
    thread = log.evidence.threads[carrier.thread_id]
    sides = (thread.buyer_id, thread.seller_id)
    return next((one for one in sides if one != carrier.agent_id), None)


def _takes_up(call: Call, offer_id: int) -> bool:
    return call.action in _ANSWERS and call.payload.get("offer_id") == offer_id
