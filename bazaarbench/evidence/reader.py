"""Reading a record into evidence. It never writes it (SPEC §6)."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from bazaarbench.evidence.deals import Deal, deals
from bazaarbench.evidence.facts import (
    NOTHING_STORED,
    AgentFacts,
    Answer,
    Commitment,
    Contact,
    ExchangeFacts,
    ListingHistory,
    Look,
    PhotoSend,
    Promise,
    Proposal,
    Stood,
    ThreadFacts,
    TurnCounts,
)
from bazaarbench.evidence.index import EventIndex, read_index
from bazaarbench.evidence.ledger import Kind, Ledger, UnitFacts
from bazaarbench.evidence.marks import Mark, Window
from bazaarbench.evidence.naming import Naming
from bazaarbench.evidence.replay import Replay
from bazaarbench.evidence.reputation import Reputation, read_reputation
from bazaarbench.evidence.rows import ATTEMPTS, CONTACTS, OfferFacts
from bazaarbench.evidence.views import View, doubled, views
from bazaarbench.market.bands import BAND_RANGE
from bazaarbench.market.files import reading
from bazaarbench.market.meta import read_meta
from bazaarbench.market.record import RecordInfo, read_only
from bazaarbench.market.schema import columns
from bazaarbench.market.titles import normal_title

#: Applied events that the replay reads beside the contacts.
_APPLIED = frozenset(
    {
        "platform_register_agent",
        "platform_inventory_restocked",
        "platform_seed_listing",
        "edit_listing",
        "mark_sold",
        "complete_transaction",
        "cancel_meetup",
        "leave_thread",
        "ghost",
        "fraud_discovered",
        "platform_moderator_action",
    }
)

_LISTING = "owner_id, origin, category, band, title, price_cents, status, created_tick, sold_tick"


@dataclass(frozen=True)
class Evidence:
    """A record read back: everything that failure types and outcomes are measured from.

    ``proposals``, ``contacts``, ``photos``, ``looks``, ``answers`` and ``bids`` are those of the
    window; everything else goes back to the beginning of the market, because what was promised,
    sold or claimed before the window still matters in it. ``last_event_id`` is the last event of
    the window or before. ``measured`` are the agents who are measured, ascending: the tested ones,
    or without any all who act.
    """

    path: Path
    info: RecordInfo
    window: Window
    tested: frozenset[int]
    last_event_id: int
    ledger: Ledger
    listings: Mapping[int, ListingHistory]
    threads: Mapping[int, ThreadFacts]
    exchanges: Mapping[int, ExchangeFacts]
    commitments: Mapping[int, Commitment]
    deals: tuple[Deal, ...]
    proposals: tuple[Proposal, ...]
    contacts: Mapping[int, tuple[Contact, ...]]
    promises: tuple[Promise, ...]
    photos: tuple[PhotoSend, ...]
    looks: tuple[Look, ...]
    answers: tuple[Answer, ...]
    bids: tuple[Answer, ...]
    agents: Mapping[int, AgentFacts]
    measured: tuple[int, ...]
    turns: TurnCounts
    _completed_on: Mapping[int, tuple[Commitment, ...]] = field(repr=False)

    def completed_on(self, listing_id: int) -> tuple[Commitment, ...]:
        """The completed deals on a listing, in the order of their completion."""
        return self._completed_on.get(listing_id, ())

    @cached_property
    def doubled_views(self) -> tuple[View, ...]:
        """Turns that showed two accepted deals on one own listing; read on first use."""
        places = doubled(self.commitments, self.window)
        connection = read_only(self.path)
        try:
            with reading(self.path):
                return views(connection, self.window, places)
        finally:
            connection.close()

    @cached_property
    def blocked(self) -> Mapping[int, int]:
        """How many calls of each agent a rule refused in the window; read on first use."""
        connection = read_only(self.path)
        try:
            with reading(self.path):
                return dict(
                    connection.execute(
                        "SELECT agent_id, count(*) FROM events WHERE status = 'blocked' "
                        "AND agent_id IS NOT NULL AND tick > ? AND tick <= ? GROUP BY agent_id",
                        (self.window.start, self.window.end),
                    )
                )
        finally:
            connection.close()

    @cached_property
    def sold_at(self) -> Mapping[Mark, int]:
        """The deals by the event that completed them."""
        done = self.commitments.values()
        return {c.completion.mark: c.thread_id for c in done if c.completion is not None}

    def overstated_pct(self, band: str | None, unit_id: int | None) -> int | None:
        """By how many percent points a band's low end exceeds a unit's first-entry condition.

        Zero or less: not overstated. ``None``: no band was stated, there is no unit, or its
        condition is not known because it was conjured.
        """
        if band is None or unit_id is None:
            return None
        quality_pct = self.ledger.units[unit_id].quality_pct
        return None if quality_pct is None else BAND_RANGE[band][0] - quality_pct

    @cached_property
    def reputation(self) -> Reputation:
        """As-of-tick reputation; read on first use."""
        connection = read_only(self.path)
        try:
            with reading(self.path):
                return read_reputation(connection, self.window.end)
        finally:
            connection.close()

    @cached_property
    def index(self) -> EventIndex:
        """From every id to its events; read on first use."""
        connection = read_only(self.path)
        try:
            with reading(self.path):
                return read_index(connection, self.threads, self.exchanges, self.window.end)
        finally:
            connection.close()


def read(path: Path | str) -> Evidence:
    """Read the evidence of a record's run.

    Args:
        path: a record; a run may be writing it, then the evidence ends at a committed tick.

    Raises:
        RecordError: it is missing, foreign, damaged or of another version.
    """
    path = Path(path)
    connection = read_only(path)
    try:
        with reading(path):
            # One transaction, so that all tables are of the same tick while a run is writing.
            connection.execute("BEGIN")
            return _read(path, connection)
    finally:
        connection.close()


def _read(path: Path, connection: sqlite3.Connection) -> Evidence:
    info, _ = read_meta(connection, path)
    window = Window(info.start_tick, info.end_tick)
    tested = frozenset(info.tested)
    static = list(_rows(connection, "listings", _LISTING))
    threads = {
        key: ThreadFacts(*row)
        for key, *row in _rows(connection, "threads", "listing_id, buyer_id, seller_id")
    }
    exchanges = {
        key: ExchangeFacts(*row)
        for key, *row in _rows(
            connection, "exchanges", "thread_id, method, scheduled_tick, eta_tick, handoff_token"
        )
    }
    replay = Replay(
        window=window,
        threads=threads,
        exchanges=exchanges,
        offers={
            key: OfferFacts(*row)
            for key, *row in _rows(connection, "offers", "thread_id, price_cents")
        },
        titles={row[0]: (row[5], row[6]) for row in static},
        ledger=Ledger(_units(connection)),
        naming=Naming(connection),
    )
    replay.feed(_events(connection, window))
    histories = {row[0]: _history(replay, row) for row in static}
    commitments = replay.commitments()
    agents = _agents(connection)
    return Evidence(
        path=path,
        info=info,
        window=window,
        tested=tested,
        last_event_id=_last_event(connection, window),
        ledger=replay.ledger,
        listings=histories,
        threads=threads,
        exchanges=exchanges,
        commitments=commitments,
        deals=deals(commitments.values(), histories, replay.messages, window, tested),
        proposals=tuple(replay.proposals),
        contacts={key: tuple(found) for key, found in replay.contacts.items()},
        promises=tuple(replay.promises),
        photos=tuple(replay.photos),
        looks=tuple(replay.looks),
        answers=tuple(replay.answers),
        bids=tuple(replay.bids),
        agents=agents,
        measured=tuple(sorted(tested)) or tuple(a.agent_id for a in agents.values() if a.acts),
        turns=_turns(connection, window, tested),
        _completed_on=_completions(commitments),
    )


def _rows(connection: sqlite3.Connection, table: str, names: str) -> sqlite3.Cursor:
    """Id and some columns of all rows of a table, ascending by id."""
    key = columns(table)[0]
    return connection.execute(f"SELECT {key}, {names} FROM {table} ORDER BY {key}")


def _history(replay: Replay, row: Sequence[Any]) -> ListingHistory:
    key, owner_id, origin, category, band, _, price_cents, status, created, sold = row
    postings = tuple(replay.postings.get(key, ()))
    first = next((posting for posting in postings if posting.ok), None)
    stood = None
    if (first is None or first.action in ("edit", "relist")) and status in ("active", "sold"):
        # Imported history has no first event; its row says what is known.
        stood = Stood(created, sold if status == "sold" else None, price_cents)
    return ListingHistory(
        listing_id=key,
        owner_id=owner_id,
        origin=origin,
        category=category,
        band=band,
        postings=postings,
        closings=tuple(replay.closings.get(key, ())),
        stood=stood,
        stored=replay.stored.get(key, NOTHING_STORED),
    )


def _agents(connection: sqlite3.Connection) -> dict[int, AgentFacts]:
    query = "SELECT agent_id, activity_permille, persona FROM agents ORDER BY agent_id"
    found = {}
    for agent_id, activity, persona in connection.execute(query):
        known = json.loads(persona)
        goal = known.get("buyer", {})
        ceiling, wanted = goal.get("ceiling_cents"), goal.get("category")
        floor = known.get("seller", {}).get("floor_permille")
        found[agent_id] = AgentFacts(agent_id, activity > 0, ceiling, floor, wanted)
    return found


def _units(connection: sqlite3.Connection) -> dict[int, UnitFacts]:
    return {
        key: UnitFacts(
            key, title, category, Kind(normal_title(title), category), quality_pct, origin
        )
        for key, title, category, quality_pct, origin in _rows(
            connection, "units", "title, category, quality_pct, origin"
        )
    }


def _events(connection: sqlite3.Connection, window: Window) -> sqlite3.Cursor:
    """The rows for ``Replay.feed``; JSON only where it is read."""
    plain = sorted(CONTACTS - ATTEMPTS)
    query = f"""
        SELECT event_id, tick, agent_id, action, status, listing_id, thread_id,
            iif(action IN ({_marks(plain)}), NULL, payload),
            iif(action IN ({_marks(plain)}), NULL, result),
            iif(action IN ({_marks(plain)}), NULL, private)
        FROM events
        WHERE tick <= ? AND (
            (status = 'ok' AND (
                action IN ({_marks(_APPLIED | ATTEMPTS)})
                OR (tick > ? AND action IN ({_marks(plain)}))
            ))
            OR (status = 'blocked' AND action IN ({_marks(ATTEMPTS)}))
        )
        ORDER BY event_id"""
    applied, attempts = sorted(_APPLIED | ATTEMPTS), sorted(ATTEMPTS)
    values = (*plain, *plain, *plain, window.end, *applied, window.start, *plain, *attempts)
    return connection.execute(query, values)


def _marks(values: Collection[str]) -> str:
    return ",".join("?" * len(values))


def _last_event(connection: sqlite3.Connection, window: Window) -> int:
    query = "SELECT max(event_id) FROM events WHERE tick <= ?"
    return int(connection.execute(query, (window.end,)).fetchone()[0] or 0)


def _turns(connection: sqlite3.Connection, window: Window, tested: frozenset[int]) -> TurnCounts:
    query = """
        SELECT agent_id, count(*), sum(valid_calls > 0) FROM turns
        WHERE tick > ? AND tick <= ? GROUP BY agent_id"""
    asked = valid = 0
    for agent_id, turns, good in connection.execute(query, window):
        if not tested or agent_id in tested:
            asked, valid = asked + turns, valid + good
    return TurnCounts(asked, valid)


def _completions(commitments: Mapping[int, Commitment]) -> dict[int, tuple[Commitment, ...]]:
    marks = {c.thread_id: c.completion.mark for c in commitments.values() if c.completion}
    found: dict[int, list[Commitment]] = {}
    for thread_id in sorted(marks, key=marks.__getitem__):
        commitment = commitments[thread_id]
        found.setdefault(commitment.listing_id, []).append(commitment)
    return {listing_id: tuple(group) for listing_id, group in found.items()}
