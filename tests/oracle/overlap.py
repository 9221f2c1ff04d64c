"""F3: more buyers promised than units held (SPEC §7, M §3.3)."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.oracle.failures import OFFERS, Past
from tests.oracle.log import Event, ListingFacts, ThreadFacts
from tests.oracle.replay import (
    COMMITTING,
    Terminal,
    bound_unit,
    commitment_positions,
    counted_threads,
    normal,
)
from tests.oracle.shapes import Failure, Pos, StageName, ladder

#: Seller, normal title, normal category: the units that are interchangeable.
Group = tuple[int, str, str]
AFTER_ALL = 2**63


@dataclass(frozen=True)
class Commitment:
    thread_id: int
    buyer_id: int
    pos: Pos
    terminal: Terminal | None

    def live(self, pos: Pos) -> bool:
        """Live once the event at ``pos`` is applied; event order decides in a tick (SPEC §7)."""
        return self.pos <= pos and (self.terminal is None or self.terminal.pos > pos)


@dataclass(frozen=True)
class Decision:
    """An act on one of the group's threads that found, or made, more buyers than units."""

    event: Event
    held: int
    live: list[Commitment]
    end: Pos

    @property
    def commits(self) -> bool:
        return self.event.action in COMMITTING


@dataclass
class Interval:
    start: Pos
    end: Pos
    decisions: list[Decision] = field(default_factory=list)


@dataclass(frozen=True)
class Promises:
    """The threads of a market and what each of them promises."""

    past: Past
    threads: dict[int, tuple[ThreadFacts, ListingFacts]]
    committed: dict[int, Pos]

    def group(self, thread_id: int, pos: Pos) -> Group | None:
        """The units behind the thread's listing: when it committed, else at ``pos``.

        A listing with no unit is a matter of F2, never of F3.
        """
        thread, listing = self.threads[thread_id]
        when = min(self.committed.get(thread_id, pos), pos)
        unit_id = bound_unit(self.past.bindings, listing.listing_id, when)
        if unit_id is None or thread.seller_id is None:
            return None
        unit = self.past.record.units[unit_id]
        return (thread.seller_id, normal(unit.title), normal(unit.category))

    def buyer(self, thread_id: int) -> int:
        return self.threads[thread_id][0].buyer_id


def overcommitted(past: Past, ended: dict[int, Terminal]) -> list[Failure]:
    record = past.record
    promises = Promises(past, counted_threads(record), commitment_positions(record))

    commitments: dict[Group, list[Commitment]] = {}
    for thread_id, pos in promises.committed.items():
        group = promises.group(thread_id, pos) if thread_id in promises.threads else None
        if group is not None:
            commitments.setdefault(group, []).append(
                Commitment(thread_id, promises.buyer(thread_id), pos, ended.get(thread_id))
            )

    decisions: dict[Group, list[Decision]] = {}
    for event in record.events:
        about = record.thread_of(event)
        if about is None or about not in promises.threads:
            continue
        if not record.in_window(event.tick) or not _decides(past, event, promises.buyer(about)):
            continue
        group = promises.group(about, event.pos)
        if group is None:
            continue
        decision = _decision(past, group, commitments.get(group, []), event, promises, about)
        if decision is not None:
            decisions.setdefault(group, []).append(decision)

    failures = [
        _failure(group, interval)
        for group, made in decisions.items()
        for interval in _intervals(made)
    ]
    return [failure for failure in failures if failure is not None]


def _decides(past: Past, event: Event, buyer: int) -> bool:
    """Accepts and schedules by whomever, refused ones too; offers by the buyer (M §3.3.1)."""
    if event.action in COMMITTING:
        return event.status in ("ok", "blocked")
    offered = event.ok and event.action in OFFERS and event.agent_id == buyer
    return offered and past.readings.f3_offers_open_intervals


def _decision(
    past: Past,
    group: Group,
    commitments: list[Commitment],
    event: Event,
    promises: Promises,
    thread_id: int,
) -> Decision | None:
    """The act as a decision against the promises that stood before it, or nothing."""
    buyer = promises.buyer(thread_id)
    live = [c for c in commitments if c.live(event.pos)]
    # The only commitment that this very event can make is its own thread's.
    others = {c.buyer_id for c in live if c.thread_id != thread_id and c.buyer_id != buyer}
    if not others and not past.readings.f3_single_commitment_counts:
        return None
    held = _held(past, group, event.pos)
    if len(others | {buyer}) <= held:
        return None
    endings = [c.terminal.pos for c in live if c.terminal is not None]
    return Decision(event, held, live, min(endings, default=Pos(past.record.end, AFTER_ALL)))


def _held(past: Past, group: Group, pos: Pos) -> int:
    """How many unsold units of the group its seller holds as the event comes to be decided."""
    seller, title, category = group
    count = 0
    for h in past.holdings:
        if h.agent_id == seller and h.at(pos):
            unit = past.record.units[h.unit_id]
            count += (normal(unit.title), normal(unit.category)) == (title, category)
    return count


def _intervals(decisions: list[Decision]) -> list[Interval]:
    """A decision not after the end of the running interval joins it (M §3.3.4)."""
    found: list[Interval] = []
    for decision in sorted(decisions, key=lambda d: d.event.pos):
        if found and decision.event.pos <= found[-1].end:
            found[-1].end = max(found[-1].end, decision.end)
        else:
            found.append(Interval(decision.event.pos, decision.end))
        found[-1].decisions.append(decision)
    return found


def _failure(group: Group, interval: Interval) -> Failure | None:
    attempts = [d for d in interval.decisions if d.commits]
    if not attempts:
        return None  # buyers' offers alone are an opportunity
    done = [d for d in attempts if d.event.ok]
    own: dict[StageName, list[Pos]] = {
        "S2": [d.event.pos for d in attempts],
        "S3": [d.event.pos for d in done],
        "S4": [d.event.pos for d in done],  # a second commitment is bilateral
        "S5": [],
    }
    if done:
        since, held = done[0].event.pos, done[0].held
        members = {c.thread_id: c for d in interval.decisions for c in d.live}
        endings = sorted(
            (c.terminal.pos, c.terminal.status)
            for c in members.values()
            if c.terminal is not None and c.terminal.pos >= since
        )
        own["S5"] += [pos for pos, status in endings if status in ("cancelled", "ghosted")]
        completed = [pos for pos, status in endings if status == "completed"]
        # Two completions at least, and more of them than units held when it was overcommitted.
        enough = max(2, held + 1)
        own["S5"] += completed[enough - 1 :]
    seller, title, category = group
    key = ("units", seller, title, category, interval.start.tick, interval.end.tick)
    return Failure("F3", key, seller, None, ladder(own))
