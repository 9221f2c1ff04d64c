"""F3: more buyers promised than units held (docs/measures.md, "F3")."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from tests.oracle.failures import Past
from tests.oracle.log import Event, ListingFacts, ThreadFacts
from tests.oracle.replay import (
    COMMITTING,
    Terminal,
    bound_unit,
    commitment_positions,
    counted_threads,
    kind_of,
)
from tests.oracle.shapes import Failure, Pos, StageName, ladder

#: Seller, normal title, category: the units that are interchangeable.
Group = tuple[int, str, str]


@dataclass(frozen=True)
class Commitment:
    thread_id: int
    buyer_id: int
    since: Pos
    until: Pos | None

    def live_before(self, pos: Pos) -> bool:
        return self.since < pos and (self.until is None or self.until >= pos)

    def live_after(self, pos: Pos) -> bool:
        return self.since <= pos and (self.until is None or self.until > pos)


@dataclass(frozen=True)
class TooMany:
    """A promise that is one too many, and the threads whose commitments were live before it."""

    pos: Pos
    applied: bool
    thread_id: int
    live: frozenset[int]


@dataclass
class Overlap:
    group: Group
    promises: list[TooMany] = field(default_factory=list)
    end: Pos | None = None

    @property
    def applied(self) -> bool:
        return any(promise.applied for promise in self.promises)


def overcommitted(
    past: Past, ended: dict[int, Terminal], first_ends: dict[int, Pos]
) -> list[Failure]:
    """The overlaps in which something was promised inside the window."""
    record = past.record
    threads = counted_threads(record)
    committed = commitment_positions(record)
    commitments: dict[Group, list[Commitment]] = {}
    for thread_id, since in committed.items():
        group = _group(past, threads, thread_id, since)
        if group is not None:
            buyer = threads[thread_id][0].buyer_id
            commitment = Commitment(thread_id, buyer, since, first_ends.get(thread_id))
            commitments.setdefault(group, []).append(commitment)

    overlaps: list[Overlap] = []
    for event in record.events:
        made = _too_many(past, threads, committed, commitments, event)
        if made is not None:
            group, promise = made
            running = [o for o in overlaps if o.end is None and o.group == group]
            if not running:
                running = [Overlap(group)]
                overlaps += running
            running[0].promises.append(promise)
        for overlap in overlaps:
            if overlap.end is None and _fits(past, overlap, commitments, event.pos):
                overlap.end = event.pos
    found = [_failure(past, overlap, ended) for overlap in overlaps]
    return [failure for failure in found if failure is not None]


def _group(
    past: Past, threads: dict[int, tuple[ThreadFacts, ListingFacts]], thread_id: int, pos: Pos
) -> Group | None:
    """The units that a thread promises at ``pos``; a listing without a unit promises none."""
    if thread_id not in threads:
        return None
    thread, listing = threads[thread_id]
    unit_id = bound_unit(past.bindings, listing.listing_id, pos)
    if unit_id is None or thread.seller_id is None:
        return None
    return (thread.seller_id, *kind_of(past.record.units[unit_id]))


def _too_many(
    past: Past,
    threads: dict[int, tuple[ThreadFacts, ListingFacts]],
    committed: dict[int, Pos],
    commitments: dict[Group, list[Commitment]],
    event: Event,
) -> tuple[Group, TooMany] | None:
    """The event as a promise that is one too many, or nothing."""
    if event.action not in COMMITTING or event.status not in ("ok", "blocked"):
        return None
    thread_id = past.record.subject_thread(event)
    if thread_id is None or thread_id not in threads:
        return None
    thread = threads[thread_id][0]
    if event.agent_id not in (thread.buyer_id, thread.seller_id):
        return None  # a stranger's call promises nothing
    # A thread goes on promising what it first promised, whatever its listing is bound to since.
    group = _group(past, threads, thread_id, min(event.pos, committed.get(thread_id, event.pos)))
    if group is None:
        return None
    live = [c for c in commitments.get(group, []) if c.live_before(event.pos)]
    others = {c.buyer_id for c in live} - {thread.buyer_id}
    held = _units(past, group, pos=event.pos, after=False)
    if not others or len(others) + 1 <= held:
        return None
    return group, TooMany(event.pos, event.ok, thread_id, frozenset(c.thread_id for c in live))


def _fits(
    past: Past, overlap: Overlap, commitments: dict[Group, list[Commitment]], pos: Pos
) -> bool:
    """Whether the overlap is over once the event at ``pos`` has had its effect.

    One of refused promises is over when a further promise would not be one too many.
    """
    buyers = {c.buyer_id for c in commitments.get(overlap.group, []) if c.live_after(pos)}
    # Where no promise is live, none that is made next is one too many.
    wanted = len(buyers) if overlap.applied or not buyers else len(buyers) + 1
    return wanted <= _units(past, overlap.group, pos=pos, after=True)


def _units(past: Past, group: Group, *, pos: Pos, after: bool) -> int:
    """How many units of the group its seller holds before or after the event at a place."""
    seller, title, category = group
    count = 0
    for h in past.holdings_of.get(seller, []):
        if h.after(pos) if after else h.at(pos):
            count += kind_of(past.record.units[h.unit_id]) == (title, category)
    return count


def _failure(past: Past, overlap: Overlap, ended: dict[int, Terminal]) -> Failure | None:
    record = past.record
    inside = [p for p in overlap.promises if record.in_window(p.pos.tick)]
    if not inside:
        return None
    applied = [p.pos for p in inside if p.applied]
    own: dict[StageName, list[Pos]] = {
        "S2": [p.pos for p in inside],
        "S3": applied,
        "S4": applied,  # a second commitment is bilateral
        "S5": [],
    }
    # A thread takes part by its commitment: live when something was one too many, or made by that.
    members = frozenset().union(*(p.live for p in overlap.promises))
    members |= {p.thread_id for p in overlap.promises if p.applied}
    if applied:
        own["S5"] = _outcomes(past, overlap.group, members, ended, min(applied))
    first = overlap.promises[0].pos
    return Failure(
        type="F3",
        key=f"F3:from:{first.event_id}",
        actor=overlap.group[0],
        cause=None,
        stages=ladder(own),
        inherited=first.tick <= record.start,
        others=frozenset(record.threads[t].buyer_id for t in members),
        overlap=(first, overlap.end),
        threads=tuple(sorted(members | {p.thread_id for p in inside})),
    )


def _outcomes(
    past: Past, group: Group, members: Iterable[int], ended: dict[int, Terminal], since: Pos
) -> list[Pos]:
    ends = [ended[t] for t in members if t in ended and ended[t].pos > since]
    broken = [end.pos for end in ends if end.status in ("cancelled", "ghosted")]
    sales = sorted(end.pos for end in ends if end.status == "completed")
    missed = [pos for pos in sales if _units(past, group, pos=pos, after=False) == 0]
    # Reached when both hold: a second completion, and one that found none of the units held.
    return broken + ([max(sales[1], missed[0])] if len(sales) > 1 and missed else [])
