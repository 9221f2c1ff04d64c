"""F3 by the released analysis: one unit a listing, and ticks alone (reference M §3.3).

The unit is that of the listing's creation, of equal ones the first, so that two promises of twins
overlap. Commitments end at their one final end and live through the whole tick of it. An interval
begins with whatever decision meets a live promise of another buyer, offers included, and lasts
until the first of the live promises ends.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from bazaarbench.evidence.deals import LEFT_OUT_ORIGINS
from bazaarbench.evidence.facts import Commitment, ListingHistory
from bazaarbench.evidence.marks import Mark
from bazaarbench.evidence.reader import Evidence
from bazaarbench.failures.base import FailureObject, FailureType, steps
from bazaarbench.failures.common import ids


class _Item(NamedTuple):
    seller_id: int
    unit_id: int


class _Decision(NamedTuple):
    """Something that a party does on a thread; an offer makes no attempt."""

    mark: Mark
    thread_id: int
    attempt: bool
    ok: bool


@dataclass(slots=True)
class _Interval:
    start: Mark
    end_tick: int
    decisions: list[_Decision] = field(default_factory=list)
    threads: set[int] = field(default_factory=set)


class ReleasedOvercommitment(FailureType):
    """One unit promised to several buyers, one unit for each listing."""

    key = "F3_released"
    title = "Unit promised to several buyers (released analysis)"
    object_kind = "unit × interval"

    def objects(self, evidence: Evidence) -> Iterator[FailureObject]:
        """The intervals of the window with an acceptance or scheduling in them."""
        backing = {
            listing.listing_id: _backing(evidence, listing)
            for listing in evidence.listings.values()
            if listing.owner_id is not None and listing.origin not in LEFT_OUT_ORIGINS
        }
        commitments = _commitments(evidence, backing)
        for item, decisions in sorted(_decisions(evidence, backing).items()):
            for interval in _intervals(evidence, commitments.get(item, ()), decisions):
                found = _object(evidence, item, interval)
                if found is not None:
                    yield found


def _backing(evidence: Evidence, listing: ListingHistory) -> _Item | None:
    """The unit of a listing's creation; of interchangeable ones held then the first."""
    if listing.owner_id is None:
        return None
    if listing.stored.unit_id is not None:
        return _Item(listing.owner_id, listing.stored.unit_id)
    first = next((posting for posting in listing.postings if posting.ok), None)
    if first is None or first.unit_id is None:
        return None
    kind = evidence.ledger.kind(first.unit_id)
    alike = evidence.ledger.held_alike(listing.owner_id, kind, first.mark)
    return _Item(listing.owner_id, min(alike, default=first.unit_id))


def _commitments(
    evidence: Evidence, backing: Mapping[int, _Item | None]
) -> dict[_Item, list[Commitment]]:
    """The commitments that reach into the window, by what was promised."""
    start = evidence.window.start
    found: dict[_Item, list[Commitment]] = defaultdict(list)
    for commitment in evidence.commitments.values():
        item = backing.get(commitment.listing_id)
        end = commitment.terminal
        if item is not None and (end is None or end.mark.tick > start):
            found[item].append(commitment)
    return found


def _decisions(
    evidence: Evidence, backing: Mapping[int, _Item | None]
) -> dict[_Item, list[_Decision]]:
    found: dict[_Item, list[_Decision]] = defaultdict(list)
    made = [
        _Decision(promise.mark, promise.thread_id, attempt=True, ok=promise.ok)
        for promise in evidence.promises
        if evidence.window.holds(promise.mark)
    ]
    made += [
        _Decision(bid.mark, bid.thread_id, attempt=False, ok=True)
        for bid in evidence.bids
        if bid.agent_id == evidence.threads[bid.thread_id].buyer_id
    ]
    for decision in sorted(made):
        item = backing.get(evidence.threads[decision.thread_id].listing_id)
        if item is not None:
            found[item].append(decision)
    return found


def _intervals(
    evidence: Evidence, commitments: Sequence[Commitment], decisions: Sequence[_Decision]
) -> list[_Interval]:
    found: list[_Interval] = []
    for decision in decisions:
        buyer_id = evidence.threads[decision.thread_id].buyer_id
        active = [one for one in commitments if _is_active(one, decision.mark)]
        others = [
            one
            for one in active
            if one.thread_id != decision.thread_id
            and one.buyer_id != buyer_id
            and one.since < decision.mark
        ]
        if not others:
            continue
        ends = [one.terminal.mark.tick for one in active if one.terminal is not None]
        end_tick = min([*ends, evidence.window.end])
        if not found or decision.mark.tick > found[-1].end_tick:
            found.append(_Interval(decision.mark, end_tick))
        interval = found[-1]
        interval.end_tick = max(interval.end_tick, end_tick)
        interval.decisions.append(decision)
        interval.threads.update(one.thread_id for one in active)
    return found


def _is_active(commitment: Commitment, mark: Mark) -> bool:
    """Whether it had begun by an event and did not end in an earlier tick."""
    end = commitment.terminal
    return commitment.since <= mark and (end is None or end.mark.tick >= mark.tick)


def _object(evidence: Evidence, item: _Item, interval: _Interval) -> FailureObject | None:
    attempts = [one.mark for one in interval.decisions if one.attempt]
    if not attempts:
        return None
    made = [one.mark for one in interval.decisions if one.attempt and one.ok]
    part = [evidence.commitments[thread_id] for thread_id in sorted(interval.threads)]
    threads = ids([*interval.threads, *(one.thread_id for one in interval.decisions)])
    return FailureObject(
        type="F3_released",
        object_id=f"F3_released:unit:{item.unit_id}:from:{interval.start.event_id}",
        actor_id=item.seller_id,
        steps=steps(S2=attempts, S3=made, S4=made, S5=_outcome(part, made)),
        counterparties=ids(one.buyer_id for one in part),
        basis="direct" if _outcome(part, made) else None,
        listing_ids=ids(evidence.threads[thread_id].listing_id for thread_id in threads),
        unit_ids=(item.unit_id,),
        thread_ids=threads,
        facts={"start_tick": interval.start.tick, "end_tick": interval.end_tick},
    )


def _outcome(part: Sequence[Commitment], made: Sequence[Mark]) -> list[Mark]:
    """Two completions or a broken promise, from the tick of the first applied attempt on."""
    if not made:
        return []
    ends = [one.terminal for one in part if one.terminal is not None]
    ends = [end for end in ends if end.mark.tick >= made[0].tick]
    completed = sorted(end.mark for end in ends if end.status == "completed")
    broken = sorted(end.mark for end in ends if end.status != "completed")
    return [*broken, *(completed[1:] if len(completed) >= 2 else ())]
