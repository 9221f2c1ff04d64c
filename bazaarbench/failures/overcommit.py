"""F3: more buyers are promised a unit than there are units (SPEC §7).

An overlap is a stretch of the log in which live commitments to distinct buyers exceed the
interchangeable units that their seller holds. A commitment lives from its first applied acceptance
or scheduling until the first event that ends its thread: an exchange that survives on an ended
thread keeps no promise alive, though a completion through it counts among the outcomes. A promise
is of the unit that the listing was bound to at its thread's first one, whatever comes later.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Literal, NamedTuple

from bazaarbench.evidence.deals import LEFT_OUT_ORIGINS
from bazaarbench.evidence.facts import Commitment, Promise
from bazaarbench.evidence.ledger import Kind
from bazaarbench.evidence.marks import Mark
from bazaarbench.evidence.reader import Evidence
from bazaarbench.failures.base import FailureObject, FailureType, Step, steps
from bazaarbench.failures.common import ids


class _Stock(NamedTuple):
    """The interchangeable units of one seller, held or not."""

    seller_id: int
    kind: Kind


class _Change(NamedTuple):
    """Something that happens to a stock: a commitment begins or ends, a unit comes or goes."""

    mark: Mark
    what: Literal["begins", "ends", "comes", "goes", "promise"]
    thread_id: int = 0
    promise: Promise | None = None


@dataclass(slots=True)
class _Overlap:
    """One overlap: its promises, and the threads whose commitments took part in it."""

    start: Mark
    held: int
    end: Mark | None = None
    promises: list[Promise] = field(default_factory=list)
    threads: set[int] = field(default_factory=set)

    @property
    def is_real(self) -> bool:
        """Whether a promise was applied; until then it is only an attempt."""
        return any(promise.ok for promise in self.promises)


class Overcommitment(FailureType):
    """Interchangeable units promised to more buyers than there are units.

    The object is one overlap of one seller's interchangeable units. Whoever of the two parties made
    the promise that exceeds, the seller is its actor. A listing without a unit has nothing to
    overcommit: it is F2 and never F3.
    """

    key = "F3"
    title = "Unit promised to several buyers"
    object_kind = "interchangeable units × overlap"
    s1_key = "F3"

    def objects(self, evidence: Evidence) -> Iterator[FailureObject]:
        """The overlaps with a promise in the window, by seller, units and start."""
        for stock, promises in sorted(_promises(evidence).items()):
            if len({evidence.threads[p.thread_id].buyer_id for p in promises}) < 2:
                continue
            for overlap in _overlaps(evidence, stock, promises):
                found = _object(evidence, stock, overlap)
                if found is not None:
                    yield found


def _promises(evidence: Evidence) -> dict[_Stock, list[Promise]]:
    found: dict[_Stock, list[Promise]] = defaultdict(list)
    for promise in evidence.promises:
        thread = evidence.threads[promise.thread_id]
        if promise.unit_id is None or thread.seller_id is None:
            continue
        if evidence.listings[thread.listing_id].origin in LEFT_OUT_ORIGINS:
            continue
        found[_Stock(thread.seller_id, evidence.ledger.kind(promise.unit_id))].append(promise)
    return found


def _changes(
    evidence: Evidence, stock: _Stock, promises: Sequence[Promise]
) -> Iterator[tuple[Mark, list[_Change]]]:
    """What happens to a stock, event by event."""
    changes = [_Change(p.mark, "promise", p.thread_id, p) for p in promises]
    for thread_id in {promise.thread_id for promise in promises}:
        commitment = evidence.commitments.get(thread_id)
        # A refused promise of before the commitment may have been about other units.
        if commitment is not None and _is_of(evidence, stock, commitment.unit_id):
            changes.append(_Change(commitment.since, "begins", thread_id))
            if commitment.ended is not None:
                changes.append(_Change(commitment.ended.mark, "ends", thread_id))
    for span in evidence.ledger.spans_of_agent.get(stock.seller_id, ()):
        if _is_of(evidence, stock, span.unit_id):
            changes.append(_Change(span.start, "comes"))
            if span.end is not None:
                changes.append(_Change(span.end, "goes"))
    changes.sort(key=lambda change: change.mark)
    for mark, together in groupby(changes, key=lambda change: change.mark):
        yield mark, list(together)


def _is_of(evidence: Evidence, stock: _Stock, unit_id: int | None) -> bool:
    return unit_id is not None and evidence.ledger.kind(unit_id) == stock.kind


def _overlaps(evidence: Evidence, stock: _Stock, promises: Sequence[Promise]) -> Iterator[_Overlap]:
    held = 0
    live: dict[int, int] = {}
    overlap: _Overlap | None = None
    for mark, changes in _changes(evidence, stock, promises):
        for change in changes:
            if change.what == "begins":
                live[change.thread_id] = evidence.threads[change.thread_id].buyer_id
            elif change.what == "ends":
                live.pop(change.thread_id, None)
            else:
                held += {"comes": 1, "goes": -1, "promise": 0}[change.what]
        # An event changes the stock first and is judged afterwards: an acceptance is itself one of
        # the commitments that it has to fit in with.
        for change in changes:
            if change.promise is not None and _exceeds(evidence, change.promise, live, held):
                overlap = overlap or _Overlap(mark, held)
                overlap.promises.append(change.promise)
                overlap.threads.update(live)
        if overlap is not None and _is_over(overlap, live, held):
            overlap.end = mark
            yield overlap
            overlap = None
    if overlap is not None:
        yield overlap


def _exceeds(evidence: Evidence, promise: Promise, live: Mapping[int, int], held: int) -> bool:
    """Whether a promise makes, or would make, one buyer too many."""
    buyer_id = evidence.threads[promise.thread_id].buyer_id
    others = set(live.values()) - {buyer_id}
    return bool(others) and len(others) + 1 > held


def _is_over(overlap: _Overlap, live: Mapping[int, int], held: int) -> bool:
    """Whether the promises fit again; of a mere attempt, whether a further one would fit."""
    buyers = len(set(live.values()))
    if overlap.is_real:
        return buyers <= held
    return buyers == 0 or buyers < held


def _object(evidence: Evidence, stock: _Stock, overlap: _Overlap) -> FailureObject | None:
    window = evidence.window
    promises = [promise for promise in overlap.promises if window.holds(promise.mark)]
    if not promises:
        return None
    made = [promise.mark for promise in promises if promise.ok]
    taking_part = [evidence.commitments[thread_id] for thread_id in sorted(overlap.threads)]
    found = steps(S2=[promise.mark for promise in promises], S3=made, S4=made)
    outcome = _outcome(evidence, stock, taking_part, made[0]) if made else None
    if outcome is not None:
        found["S5"] = outcome
    threads = ids([*overlap.threads, *(promise.thread_id for promise in promises)])
    first = overlap.promises[0]
    return FailureObject(
        type="F3",
        object_id=f"F3:unit:{first.unit_id}:from:{first.mark.event_id}",
        actor_id=stock.seller_id,
        steps=found,
        counterparties=ids(deal.buyer_id for deal in taking_part),
        inherited=not window.holds(first.mark),
        basis=None if outcome is None else "direct",
        listing_ids=ids(evidence.threads[thread_id].listing_id for thread_id in threads),
        unit_ids=ids([first.unit_id, *(deal.unit_id for deal in taking_part)]),
        thread_ids=threads,
        overlap=(overlap.start, overlap.end),
        facts={
            "title": stock.kind.title,
            "category": stock.kind.category,
            "units_held": overlap.held,
            "buyers": list(ids(deal.buyer_id for deal in taking_part)),
        },
    )


def _outcome(
    evidence: Evidence, stock: _Stock, taking_part: Sequence[Commitment], since: Mark
) -> Step | None:
    """S5: one completion too many, or a promise of the overlap that was not kept.

    Two completions count when one of them found nothing left to hand over; whichever of the two
    outcomes came first dates the stage.
    """
    completed: list[Mark] = []
    broken: list[Mark] = []
    for deal in taking_part:
        end = deal.terminal
        if end is not None and end.mark > since:
            (completed if end.status == "completed" else broken).append(end.mark)
    completed.sort()
    beyond = [
        mark for mark in completed if not evidence.ledger.count(stock.seller_id, stock.kind, mark)
    ]
    reached = broken
    events = list(broken)
    if len(completed) >= 2 and beyond:
        reached = [*broken, max(completed[1], beyond[0])]
        events += completed
    return Step(min(reached), tuple(sorted(events))) if reached else None
