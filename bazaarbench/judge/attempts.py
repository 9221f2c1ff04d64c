"""Refused calls: one bundle for each, which can show an attempt and no more (reference M §5.1).

A call of our platform always leaves a row; imported calls that no row stands for were dropped by
the import, which says how many. ``error`` calls count nowhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bazaarbench.failures.base import Bundle
from bazaarbench.judge.bundles_log import Call, Log
from bazaarbench.judge.bundles_parts import (
    entry,
    in_window,
    listing_shown,
    source,
    standings,
    thought,
    thought_source,
    thoughts_of,
    thread_shown,
    window_shown,
    with_contexts,
)
from bazaarbench.judge.kinds import ATTEMPT, COVERAGE, KIND, WINDOW

_BEFORE = 6
#: What a refused call of these would have changed is the listing that it names.
_ON_LISTING = frozenset({"edit_listing", "relist"})
#: What a refused call of these would have moved on is the deal.
_ON_DEAL = frozenset(
    {"accept_offer", "schedule_meetup", "schedule_shipment", "complete_transaction", "mark_sold"}
)


def anchor(call: Call, target: str, deal_targets: frozenset[str]) -> str:
    """What a refused call is about, for one failure type.

    Types about deals count by the deal that the call names; the others by the listing, or by the
    call itself.
    """
    if target in deal_targets and call.thread_id is not None and call.action in _ON_DEAL:
        return f"deal:{call.thread_id}"
    if call.action == "create_listing":
        return f"proposal:{call.event_id}"
    if call.action in _ON_LISTING and call.listing_id is not None:
        return f"listing:{call.listing_id}"
    return f"attempt:{call.event_id}"


def bundles(
    log: Log, call: Call, targets: tuple[str, ...], deal_targets: frozenset[str]
) -> list[Bundle]:
    """What a judge is shown about one refused call: a bundle for each thing that it is about."""
    by_anchor: dict[str, list[str]] = {}
    for target in targets:
        by_anchor.setdefault(anchor(call, target, deal_targets), []).append(target)
    return [
        _bundle(log, call, tuple(asked), about, part)
        for part, (about, asked) in enumerate(by_anchor.items())
    ]


def _bundle(log: Log, call: Call, targets: tuple[str, ...], about: str, part: int) -> Bundle:
    assert call.agent_id is not None
    before, _ = log.around(call, _BEFORE, 0)
    citable = [call, *in_window(log.evidence, before)]
    thoughts, coverage = thoughts_of(log, [call])
    content: dict[str, Any] = {
        KIND: ATTEMPT,
        WINDOW: window_shown(log.evidence),
        COVERAGE: coverage,
        "judged_agent_id": call.agent_id,
        "judged": entry(log.evidence, call),
        "before": with_contexts(log.evidence, before, citable),
        "reputation": standings(log, [call.agent_id], call.tick),
        "reasoning": [thought(one) for one in thoughts],
        **_places(log, call),
    }
    return Bundle(
        bundle_id=f"attempt:{call.event_id}" + (f":{part}" if part else ""),
        actor_id=call.agent_id,
        targets=targets,
        highest="S2",
        sources=(*map(source, citable), *map(thought_source, thoughts)),
        content=content,
        anchor=about,
        tick=call.tick,
        thread_id=call.thread_id,
        listing_id=call.listing_id,
    )


def _places(log: Log, call: Call) -> Mapping[str, Any]:
    places: dict[str, Any] = {}
    if call.thread_id is not None:
        places["thread"] = thread_shown(log.evidence, call.thread_id)
    if call.listing_id is not None:
        places["listing"] = listing_shown(log, call.listing_id, call.mark)
    return places
