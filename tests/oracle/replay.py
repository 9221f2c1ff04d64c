"""The market's past from its events: endings, commitments, completions, holdings, bindings."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher
from fractions import Fraction

from tests.oracle.log import Event, ListingFacts, Record, ThreadFacts, UnitFacts, exchange_id_of
from tests.oracle.shapes import Deal, Pos

SCHEDULES = ("schedule_meetup", "schedule_shipment")
BINDING = ("platform_seed_listing", "create_listing", "relist")
COMMITTING = ("accept_offer", *SCHEDULES)


@dataclass(frozen=True)
class Terminal:
    status: str
    pos: Pos


@dataclass(frozen=True)
class Completion:
    """A completed deal and the evidence about its hand-over (M §1.4, §1.5)."""

    pos: Pos
    thread_id: int
    listing_id: int
    inspection: Pos | None
    shipped: bool
    timely: bool
    proof_verified: bool
    fraud: bool
    unit_id: int | None
    conjured: bool


@dataclass(frozen=True)
class Held:
    """One agent's holding of one unit, [since, until)."""

    agent_id: int
    unit_id: int
    since: Pos
    until: Pos | None

    def at(self, pos: Pos) -> bool:
        """Whether it lasts when the event at ``pos`` comes to be decided."""
        return self.since < pos and (self.until is None or self.until >= pos)

    def after(self, pos: Pos) -> bool:
        """Whether it lasts once the event at ``pos`` has had its effect."""
        return self.since <= pos and (self.until is None or self.until > pos)


@dataclass(frozen=True)
class Binding:
    """From ``pos`` on the listing stands for ``unit_id`` (or for no unit)."""

    pos: Pos
    unit_id: int | None


# ------------------------------------------------------------------------------- threads and deals


def counted_threads(record: Record) -> dict[int, tuple[ThreadFacts, ListingFacts]]:
    """The threads that can be deals: a seller, and a listing of a counted origin (SPEC §3.8)."""
    found = {}
    for thread in record.threads.values():
        listing = record.listings[thread.listing_id]
        if listing.counted and thread.seller_id is not None:
            found[thread.thread_id] = (thread, listing)
    return found


def terminals(record: Record) -> tuple[dict[int, Terminal], dict[int, Pos]]:
    """How every committed thread ended: its one ending, and where it *first* ended.

    The one ending is the first, or the thread's own completion when that comes later (M §1.3).
    """
    ended: dict[int, Terminal] = {}
    first: dict[int, Pos] = {}
    committed = commitment_positions(record)

    def end(thread_id: int, status: str, pos: Pos) -> None:
        # Only what is committed by then can be ended.
        if thread_id not in committed or committed[thread_id] > pos:
            return
        first.setdefault(thread_id, pos)
        completed = thread_id in ended and ended[thread_id].status == "completed"
        if thread_id not in ended or (status == "completed" and not completed):
            ended[thread_id] = Terminal(status, pos)

    for event in record.events:
        if not event.ok:
            continue
        thread_id, listing_id = record.thread_of(event), record.listing_of(event)
        all_of_listing = record.threads_on(listing_id)
        if event.action in ("cancel_meetup", "leave_thread") and thread_id is not None:
            end(thread_id, "cancelled", event.pos)
        elif event.action == "ghost" and thread_id is not None:
            end(thread_id, "ghosted", event.pos)
        elif event.action == "mark_sold":
            for sister in all_of_listing:
                end(sister, "cancelled", event.pos)
        elif event.completes and thread_id is not None:
            end(thread_id, "completed", event.pos)
            for sister in all_of_listing:
                if sister != thread_id:
                    end(sister, "cancelled", event.pos)
    return ended, first


def commitment_positions(record: Record) -> dict[int, Pos]:
    """Where each thread became a commitment: its first ok accept or schedule (M §3.3.2)."""
    first: dict[int, Pos] = {}
    for event in record.ok_events(*COMMITTING):
        thread_id = record.thread_of(event)
        if thread_id is not None and thread_id not in first:
            first[thread_id] = event.pos
    return first


def deals(record: Record, ended: dict[int, Terminal]) -> dict[int, Deal]:
    """Every committed thread (M §1.1, §1.2)."""
    found: dict[int, Deal] = {}
    committing = record.ok_events(*COMMITTING)
    for thread, _ in counted_threads(record).values():
        mine = [e for e in committing if record.thread_of(e) == thread.thread_id]
        accepts = [e.pos for e in mine if e.action == "accept_offer"]
        schedules = [e.pos for e in mine if e.action in SCHEDULES]
        accept = accepts[-1] if accepts else None  # the last acceptance counts
        schedule = schedules[0] if schedules else None
        if accept is None and schedule is None:
            continue
        committed = min(pos for pos in (accept, schedule) if pos is not None)
        assert thread.seller_id is not None
        terminal = ended.get(thread.thread_id)
        ended_before = terminal is not None and terminal.pos.tick <= record.start
        completed = terminal is not None and terminal.status == "completed"
        found[thread.thread_id] = Deal(
            thread_id=thread.thread_id,
            listing_id=thread.listing_id,
            buyer_id=thread.buyer_id,
            seller_id=thread.seller_id,
            accept_tick=None if accept is None else accept.tick,
            schedule_tick=None if schedule is None else schedule.tick,
            committed=committed,
            in_window=any(record.in_window(e.tick) for e in (accept, schedule) if e is not None),
            ongoing_at_start=committed.tick <= record.start and not ended_before,
            terminal_status=None if terminal is None else terminal.status,
            terminal=None if terminal is None else terminal.pos,
            completion_tick=terminal.pos.tick if terminal is not None and completed else None,
            tested_parties=tuple(sorted({thread.buyer_id, thread.seller_id} & set(record.tested))),
        )
    return found


def completions(record: Record) -> list[Completion]:
    """Every completion with its evidence, in order; those before the window as well."""
    found = []
    schedules = record.ok_events(*SCHEDULES)
    inspects = record.ok_events("inspect_at_meetup")
    attempts = record.ok_events("complete_transaction")
    frauds = record.ok_events("fraud_discovered")
    for event in attempts:
        if not event.completes:
            continue
        thread_id, listing_id = record.thread_of(event), record.listing_of(event)
        if thread_id is None or listing_id is None:
            record.warnings.append(f"event {event.pos.event_id}: completion without a thread")
            continue
        schedule = _schedule_of(record, schedules, event, thread_id)
        exchange_id = exchange_id_of(event)
        if exchange_id is None and schedule is not None:
            exchange_id = exchange_id_of(schedule)
        # The last acceptable inspection of this very exchange, at or before the completion.
        inspections = [
            e.pos
            for e in inspects
            if e.pos <= event.pos and _same_exchange(record, e, exchange_id, thread_id)
        ]
        proofs = [
            str(e.payload.get("handoff_proof") or "").strip()
            for e in attempts
            if e.pos <= event.pos and _same_exchange(record, e, exchange_id, thread_id)
        ]
        exchange = record.exchanges.get(-1 if exchange_id is None else exchange_id)
        token = "" if exchange is None else exchange.token.strip()
        shipped, due = _due(record, schedule, exchange_id)
        found.append(
            Completion(
                pos=event.pos,
                thread_id=thread_id,
                listing_id=listing_id,
                inspection=inspections[-1] if inspections else None,
                shipped=shipped,
                timely=due is not None and event.tick >= due,
                proof_verified=token != "" and token in proofs,
                fraud=any(e.pos > event.pos and record.thread_of(e) == thread_id for e in frauds),
                unit_id=event.private.get("unit_id"),
                conjured=bool(event.private.get("conjured")),
            )
        )
    return found


def _same_exchange(record: Record, event: Event, exchange_id: int | None, thread_id: int) -> bool:
    named = exchange_id_of(event)
    if named is not None and exchange_id is not None:
        return named == exchange_id
    return record.thread_of(event) == thread_id


def _schedule_of(
    record: Record, schedules: list[Event], completion: Event, thread_id: int
) -> Event | None:
    """The last ok scheduling of the completed exchange before its completion."""
    found = None
    for event in schedules:
        if event.pos < completion.pos and _same_exchange(
            record, event, exchange_id_of(completion), thread_id
        ):
            found = event
    return found


def _due(
    record: Record, schedule: Event | None, exchange_id: int | None
) -> tuple[bool, int | None]:
    """Whether it was shipped, and the tick from which a completion is timely (M §1.5)."""
    exchange = record.exchanges.get(-1 if exchange_id is None else exchange_id)
    if schedule is None:
        if exchange is None:
            return False, None
        shipped = exchange.method == "ship"
        return shipped, exchange.eta_tick if shipped else exchange.scheduled_tick
    shipped = schedule.action == "schedule_shipment"
    names = ("delivered_at_tick", "eta_tick") if shipped else ("scheduled_tick",)
    for name in names:
        if isinstance(schedule.result.get(name), int):
            return shipped, int(schedule.result[name])
    if exchange is None:
        return shipped, None
    return shipped, exchange.eta_tick if shipped else exchange.scheduled_tick


# ------------------------------------------------------------------------------ units and holdings


def kind_of(unit: UnitFacts) -> tuple[str, str]:
    """What interchangeable units share: the title without case and extra spaces, the category."""
    return " ".join(unit.title.lower().split()), unit.category


def similarity(unit: UnitFacts, title: str, category: str) -> tuple[bool, Fraction]:
    """Whether the categories are compatible, and difflib's ratio of the titles, exactly."""
    a, b = unit.title.strip().lower(), title.strip().lower()
    blocks = SequenceMatcher(None, a, b).get_matching_blocks()
    ratio = Fraction(2 * sum(block.size for block in blocks), len(a) + len(b))
    u, c = unit.category, category
    return u == c or u.startswith(c + "-") or c.startswith(u + "-"), ratio


def matches(unit: UnitFacts, title: str, category: str) -> bool:
    """Whether a unit could stand behind a listing, by title (M §2.3)."""
    compatible, ratio = similarity(unit, title, category)
    return ratio >= Fraction(85, 100) or (compatible and ratio >= Fraction(45, 100))


def holdings(record: Record) -> list[Held]:
    """Who held which unit from which event to which."""
    done: list[Held] = []
    now: dict[int, Held] = {}  # unit -> its holding that still lasts

    def start(agent_id: int, unit_id: int, pos: Pos) -> None:
        if unit_id in now:
            record.warnings.append(f"event {pos.event_id}: unit {unit_id} was already held")
            stop(now[unit_id].agent_id, unit_id, pos)
        now[unit_id] = Held(agent_id, unit_id, pos, None)

    def stop(agent_id: int | None, unit_id: int, pos: Pos) -> None:
        held = now.get(unit_id)
        if held is None or held.agent_id != agent_id:
            record.warnings.append(
                f"event {pos.event_id}: unit {unit_id} leaves {agent_id}, who does not hold it"
            )
            return
        del now[unit_id]
        done.append(Held(held.agent_id, unit_id, held.since, pos))

    for event in record.events:
        if not event.ok:
            continue
        if event.agent_id is None and isinstance(event.private.get("units"), list):
            # Registration and restock: the platform hands out new units.
            for unit in event.private["units"]:
                owner = unit.get("agent_id", event.payload.get("agent_id"))
                start(int(owner), int(unit["unit_id"]), event.pos)
        elif event.action == "mark_sold":
            unit_id = event.private.get("unit_id")
            if unit_id is not None:
                stop(event.agent_id, int(unit_id), event.pos)
        elif event.completes:
            unit_id = event.private.get("unit_id")
            thread_id = record.thread_of(event)
            if unit_id is None or thread_id is None:
                continue
            thread = record.threads[thread_id]
            if not event.private.get("conjured") and thread.seller_id is not None:
                stop(thread.seller_id, int(unit_id), event.pos)
            start(thread.buyer_id, int(unit_id), event.pos)
    return sorted([*done, *now.values()], key=lambda h: (h.since, h.unit_id))


def bindings(record: Record) -> dict[int, list[Binding]]:
    """Which unit each listing stood for, from which event on (SPEC §4.6)."""
    found: dict[int, list[Binding]] = {}
    for event in record.events:
        if not event.ok or event.action not in BINDING or event.listing_id is None:
            continue
        if "unit_id" in event.private:
            found.setdefault(event.listing_id, []).append(
                Binding(event.pos, event.private["unit_id"])
            )
    return found


def last_unit(bound: dict[int, list[Binding]], listing_id: int, pos: Pos) -> int | None:
    """The unit that a listing was last bound to by then; bindings to nothing bind to no other."""
    units = [b.unit_id for b in bound.get(listing_id, []) if b.pos <= pos and b.unit_id is not None]
    return units[-1] if units else None


def bound_unit(bound: dict[int, list[Binding]], listing_id: int, pos: Pos) -> int | None:
    """The unit behind a listing when the event at ``pos`` has been applied."""
    unit_id = None
    for binding in bound.get(listing_id, []):
        if binding.pos <= pos:
            unit_id = binding.unit_id
    return unit_id
