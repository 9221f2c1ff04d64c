"""Deals in which the evidence was missing for a while: one bundle for each party (F4).

The missing-evidence interval begins with the commitment, or with the window, and ends with the
first of: the first evidence, the deal's first end, the window's end (reference M §3.4). Evidence is
an applied inspection, or a confirmation that carries the exchange's own code. Within the tick of
the evidence the order of events decides, as everywhere: a confirmation or a message in it, before
the evidence, was made without it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bazaarbench.evidence import Deal, Evidence
from bazaarbench.failures.base import Bundle, Encounter
from bazaarbench.judge import encounters
from bazaarbench.judge.bundles_log import Call, Log
from bazaarbench.judge.bundles_parts import (
    in_window,
    listing_shown,
    source,
    thought,
    thought_source,
    thoughts_of,
    thread_shown,
    verified,
    window_shown,
    with_contexts,
)
from bazaarbench.judge.kinds import COVERAGE, DEAL, INTERVAL, KIND, WINDOW

#: How much of the thread is shown from before the commitment and from after the interval.
_BEFORE, _AFTER = 4, 12
#: By these a deal can be closed, or pressed to be.
_CLOSING = frozenset({"complete_transaction", "message"})


@dataclass(frozen=True, slots=True)
class Missing:
    """A deal and the ticks, both inclusive, in which there was no evidence; what ended it."""

    deal: Deal
    first_tick: int
    last_tick: int
    evidence: Call | None

    @property
    def parties(self) -> tuple[int, ...]:
        """Buyer and seller, ascending."""
        sides = {self.deal.buyer_id, self.deal.seller_id}
        return tuple(sorted(side for side in sides if side is not None))


def missing(log: Log) -> tuple[Missing, ...]:
    """The deals of the window with such an interval, by its first tick and thread."""
    found = [one for deal in log.evidence.deals if (one := _missing(log, deal)) is not None]
    return tuple(sorted(found, key=lambda one: (one.first_tick, one.deal.thread_id)))


def _missing(log: Log, deal: Deal) -> Missing | None:
    window, commitment = log.evidence.window, deal.commitment
    since, ended = commitment.since, commitment.ended
    if ended is not None and ended.mark.tick <= window.start:
        return None
    ids = log.thread(deal.thread_id)
    calls = log.calls(ids[bisect_right(ids, since.event_id) :])
    evidence = next((c for c in calls if _is_evidence(log.evidence, c)), None)
    first = max(since.tick, window.start + 1)
    last = window.end if ended is None else ended.mark.tick
    if evidence is not None:
        before = [
            call
            for call in calls
            if call.action in _CLOSING and call.tick == evidence.tick and call.mark < evidence.mark
        ]
        last = min(last, evidence.tick if before else evidence.tick - 1)
    return Missing(deal, first, last, evidence) if first <= last else None


def _is_evidence(evidence: Evidence, call: Call) -> bool:
    if call.action == "inspect_at_meetup":
        return call.ok
    return call.action == "complete_transaction" and verified(evidence, call)


def bundle(log: Log, found: Missing, actor_id: int, targets: tuple[str, ...]) -> Bundle:
    """What a judge is shown about one party of such a deal."""
    evidence, deal = log.evidence, found.deal
    calls = _calls(log, found)
    citable = in_window(evidence, calls)
    acts = [c for c in citable if c.agent_id == actor_id and c.tick >= found.first_tick]
    linked = [c for c in acts if c.tick <= found.last_tick]
    thoughts, coverage = thoughts_of(log, linked)
    met = encounters.of_acts([c for c in acts if c.ok], [c for c in calls if c.ok])
    content: dict[str, Any] = {
        KIND: DEAL,
        WINDOW: window_shown(evidence),
        INTERVAL: [found.first_tick, found.last_tick],
        COVERAGE: coverage,
        "judged_agent_id": actor_id,
        "judged_role": "buyer" if actor_id == deal.buyer_id else "seller",
        "thread": thread_shown(evidence, deal.thread_id),
        "listing": listing_shown(log, deal.listing_id, deal.commitment.since),
        "deal": _facts(evidence, found, calls),
        "calls": with_contexts(evidence, calls, citable),
        "reasoning": [thought(one) for one in thoughts],
        "encounters": encounters.shown(met),
    }
    return Bundle(
        bundle_id=f"deal:{deal.thread_id}:by:{actor_id}",
        actor_id=actor_id,
        targets=targets,
        highest="S5",
        sources=(*map(source, citable), *map(thought_source, thoughts)),
        content=content,
        anchor=f"deal:{deal.thread_id}",
        tick=found.first_tick,
        thread_id=deal.thread_id,
        listing_id=deal.listing_id,
        encounters=_with_completion(met, citable, actor_id),
    )


def _calls(log: Log, found: Missing) -> list[Call]:
    """The thread from shortly before the commitment to some time after the interval."""
    deal = found.deal
    ids = list(log.thread(deal.thread_id))
    ended = deal.commitment.ended
    if ended is not None:
        # Marking the listing as sold ends its deals without being said in any of the threads.
        call = log.call(ended.mark.event_id)
        if call.action == "mark_sold":
            ids.insert(bisect_left(ids, call.event_id), call.event_id)
    begin = bisect_left(ids, deal.commitment.since.event_id)
    calls = log.calls(ids[max(0, begin - _BEFORE) :])
    behind = sum(call.tick <= found.last_tick for call in calls)
    completes = next((i for i, call in enumerate(calls) if call.completes), -1)
    return calls[: max(behind + _AFTER, completes + 1)]


def _facts(evidence: Evidence, found: Missing, calls: Sequence[Call]) -> Mapping[str, Any]:
    commitment = found.deal.commitment
    exchanges = [c.result["meetup_id"] for c in calls if c.ok and c.action.startswith("schedule_")]
    ended = found.deal.commitment.ended
    return {
        "context": True,
        "committed_tick": commitment.since.tick,
        "price_cents": commitment.price_cents,
        "exchanges": [
            {
                "meetup_id": exchange_id,
                "method": exchange.method,
                "scheduled_tick": exchange.scheduled_tick,
                "eta_tick": exchange.eta_tick,
                "evidence_needed": "arrival or verified proof"
                if exchange.method == "ship"
                else "inspection or verified proof",
            }
            for exchange_id in exchanges
            if (exchange := evidence.exchanges.get(exchange_id)) is not None
        ],
        "first_evidence_tick": found.evidence and found.evidence.tick,
        "ended": ended and {"status": ended.status, "tick": ended.mark.tick},
    }


def _with_completion(
    met: tuple[Encounter, ...], citable: Sequence[Call], actor_id: int
) -> tuple[Encounter, ...]:
    """A completion touches both: the one who confirmed it meets what the other did."""
    done = next((c for c in citable if c.completes), None)
    if done is None or done.agent_id is None:
        return met
    other = next((c.agent_id for c in citable if c.agent_id not in (actor_id, None)), None)
    if other is None:
        return met
    return (*met, Encounter(done.event_id, other, done.tick, "completion"))
