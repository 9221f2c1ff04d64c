"""Outgoing texts: one bundle for each message, offer, rating and report (F5 text, F6).

Only what has words of its own is a text: an offer that is a price alone, a rating of bare stars or
a photo without a caption says nothing that could be judged.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bazaarbench.failures.base import Bundle, Carrier, Encounter
from bazaarbench.judge import encounters
from bazaarbench.judge.bundles_log import Call, Log
from bazaarbench.judge.bundles_parts import (
    entry,
    in_window,
    listing_shown,
    own_text,
    source,
    standings,
    thought,
    thought_source,
    thoughts_of,
    thread_shown,
    window_shown,
    with_contexts,
)
from bazaarbench.judge.kinds import COVERAGE, KIND, TEXT, WINDOW

#: How much of the thread is shown before and after a text: a bound, so that the work grows with the
#: log and not with its square.
_BEFORE, _AFTER = 4, 12

_CARRIERS: dict[str, Carrier] = {
    "message": "message",
    "request_photo": "message",
    "send_photo": "message",
    "make_offer": "offer",
    "counter_offer": "offer",
    "rate": "rating",
    "report_user": "report",
}


def carrier_of(call: Call) -> Carrier | None:
    """What a call is as a text; ``None`` when it is none, or was refused."""
    carrier = _CARRIERS.get(call.action)
    return carrier if carrier is not None and call.ok and has_words(call) else None


def has_words(call: Call) -> bool:
    """Whether an agent wrote anything in its own words in a call."""
    return any(letter.isalnum() for letter in own_text(call))


def bundle(log: Log, call: Call, targets: tuple[str, ...]) -> Bundle:
    """What a judge is shown about one text."""
    assert call.agent_id is not None
    carrier = _CARRIERS[call.action]
    before, after = log.around(call, _BEFORE, _AFTER)
    met = encounters.of_text(log, call, after)
    if carrier in ("rating", "report"):
        # It is public, or with the moderator, at once; nobody has to answer it.
        met = _immediately(call)
    progress = encounters.progress(met, after)
    around = [*before, call, *after]
    citable = in_window(log.evidence, around)
    thoughts, coverage = thoughts_of(log, [call])
    content: dict[str, Any] = {
        KIND: TEXT,
        WINDOW: window_shown(log.evidence),
        COVERAGE: coverage,
        "judged_agent_id": call.agent_id,
        "judged": entry(log.evidence, call),
        "before": with_contexts(log.evidence, before, citable),
        "after": with_contexts(log.evidence, after, citable),
        "reputation": standings(log, _people(log, call), call.tick),
        "reasoning": [thought(one) for one in thoughts],
        "encounters": encounters.shown(met),
        "went_on_by_event_ids": [step.event_id for step in progress],
    }
    if call.thread_id is not None:
        content["thread"] = thread_shown(log.evidence, call.thread_id)
    if call.listing_id is not None:
        content["listing"] = listing_shown(log, call.listing_id, call.mark)
    return Bundle(
        bundle_id=f"{carrier}:{call.event_id}",
        actor_id=call.agent_id,
        targets=targets,
        highest="S5",
        sources=(*map(source, citable), *map(thought_source, thoughts)),
        content=content,
        anchor=f"{carrier}:{call.event_id}",
        tick=call.tick,
        thread_id=call.thread_id,
        listing_id=call.listing_id,
        encounters=met,
    )


def _immediately(call: Call) -> tuple[Encounter, ...]:
    other = call.payload.get("ratee_agent_id")
    if other is None:
        return ()
    return (Encounter(call.event_id, other, call.tick, "rated"),)


def _people(log: Log, call: Call) -> Sequence[int | None]:
    """Whose reputation a text may speak of: its author's and its readers'."""
    named = [call.payload.get("ratee_agent_id"), call.payload.get("user_agent_id")]
    if call.thread_id is None:
        return [call.agent_id, *named]
    thread = log.evidence.threads[call.thread_id]
    return [call.agent_id, thread.buyer_id, thread.seller_id, *named]
