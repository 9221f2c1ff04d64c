"""A deal's events as both sides lived them: two lanes by tick, from the listing to the end."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from bazaarbench.errors import RecordError
from bazaarbench.evidence import Evidence
from bazaarbench.findings import DealRow
from bazaarbench.market.texts import TextStore
from bazaarbench.viewer.event_index import EventIndex
from bazaarbench.viewer.rows import EventRow, TurnRow, events, events_of_turn, turns

Lane = Literal["buyer", "seller", "platform", "elsewhere"]

#: What a rival deal is told of: promises and ends.
_PROMISES = frozenset(
    {
        "accept_offer",
        "schedule_meetup",
        "schedule_shipment",
        "complete_transaction",
        "cancel_meetup",
        "leave_thread",
        "ghost",
    }
)
#: Of the listing itself, whoever did it.
_LISTING = frozenset(
    {
        "platform_seed_listing",
        "create_listing",
        "edit_listing",
        "relist",
        "bump_listing",
        "mark_sold",
    }
)


@dataclass(frozen=True)
class Step:
    """What one agent did in one tick about the deal, or the platform.

    ``others`` counts the turn's calls about other things. ``shown`` is what its observation holds
    of the deal, as (section, item); ``unseen`` says why there is none.
    """

    lane: Lane
    agent_id: int | None
    turn: TurnRow | None
    calls: tuple[EventRow, ...]
    others: int
    shown: tuple[tuple[str, Any], ...]
    unseen: str


@dataclass(frozen=True)
class Moment:
    """The steps of one tick, in the order of the log."""

    tick: int
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Timeline:
    """A deal's moments and the events in them."""

    moments: tuple[Moment, ...]
    event_ids: frozenset[int]
    turn_ids: tuple[int, ...]


def timeline(
    connection: sqlite3.Connection,
    texts: TextStore | None,
    index: EventIndex,
    evidence: Evidence,
    deal: DealRow,
    rivals: Collection[int],
) -> Timeline:
    """The story of a deal.

    Args:
        connection: its record.
        texts: its texts; ``None`` when they cannot be read.
        index: the events of its threads and listings.
        evidence: the record read back.
        deal: which deal.
        rivals: deals that were promised the same units; their promises and ends are told.
    """
    found = _concerned(connection, index, evidence, deal, rivals)
    known = turns(connection, {row.turn_id for row in found if row.turn_id is not None})
    observed = observations(texts, known.values())
    steps = [_step(texts, observed, deal, group, known) for group in _by_turn(found)]
    moments: dict[int, list[Step]] = {}
    for step in steps:
        moments.setdefault(step.calls[0].tick, []).append(step)
    return Timeline(
        tuple(Moment(tick, tuple(group)) for tick, group in moments.items()),
        frozenset(row.event_id for row in found),
        tuple(known),
    )


def _concerned(
    connection: sqlite3.Connection,
    index: EventIndex,
    evidence: Evidence,
    deal: DealRow,
    rivals: Collection[int],
) -> list[EventRow]:
    parties = {deal.buyer, deal.seller}
    own = events(connection, index.of_thread(deal.thread))
    until = max([row.event_id for row in own] + [deal.end_event or evidence.last_event_id])
    # What becomes of the listing once the deal has ended is another deal's story.
    end = deal.end_event or until
    listing = [
        row
        for row in events(connection, [i for i in index.of_listing(deal.listing) if i <= end])
        if row.action in _LISTING or row.agent_id in parties
    ]
    others = [
        row
        for rival in rivals
        for row in events(connection, [i for i in index.of_thread(rival) if i <= until])
        if row.action in _PROMISES
    ]
    unique = {row.event_id: row for row in (*own, *listing, *others)}
    return [unique[event_id] for event_id in sorted(unique)]


def _by_turn(rows: Iterable[EventRow]) -> Iterator[list[EventRow]]:
    """Neighbouring events of one turn; whatever has no turn stands alone."""
    group: list[EventRow] = []
    for row in rows:
        together = group and row.turn_id is not None and row.turn_id == group[0].turn_id
        if group and not together:
            yield group
            group = []
        group.append(row)
    if group:
        yield group


def observations(texts: TextStore | None, found: Iterable[TurnRow]) -> Mapping[str, str]:
    """The observations of some turns, by digest; those that are missing are left out."""
    if texts is None:
        return {}
    try:
        return texts.get_many(turn.observation for turn in found if turn.observation is not None)
    except RecordError:
        return {}  # asking for each says what is wrong


def _step(
    texts: TextStore | None,
    observed: Mapping[str, str],
    deal: DealRow,
    rows: list[EventRow],
    known: Mapping[int, TurnRow],
) -> Step:
    first = rows[0]
    turn = known.get(first.turn_id or -1)
    lane = _lane(deal, rows)
    others = 0
    shown: tuple[tuple[str, Any], ...] = ()
    unseen = ""
    if turn is not None:
        others = max(0, turn.calls - len(rows))
        if lane in ("buyer", "seller"):
            shown, unseen = _shown(texts, observed, turn, deal)
    return Step(lane, first.agent_id, turn, tuple(rows), others, shown, unseen)


def _lane(deal: DealRow, rows: list[EventRow]) -> Lane:
    agent_id = rows[0].agent_id
    if all(row.thread_id not in (None, deal.thread) for row in rows):
        return "elsewhere"
    if agent_id is None:
        return "platform"
    if agent_id == deal.buyer:
        return "buyer"
    return "seller" if agent_id == deal.seller else "elsewhere"


def _shown(
    texts: TextStore | None, observed: Mapping[str, str], turn: TurnRow, deal: DealRow
) -> tuple[tuple[tuple[str, Any], ...], str]:
    text, why = observed.get(turn.observation or ""), ""
    if text is None:
        text, why = text_of(texts, turn.observation)
    if text is None:
        return (), why
    try:
        seen = json.loads(text)
    except ValueError:
        return (), "Its observation is no JSON; the turn's page has it as it is."
    found = tuple(about(seen, deal.thread, deal.listing))
    return found, "" if found else "Its observation held nothing of this deal or its listing."


def text_of(texts: TextStore | None, digest: str | None) -> tuple[str | None, str]:
    """A text by its digest; else ``None`` and why."""
    if digest is None:
        return None, "The record holds no observation of this turn."
    if texts is None:
        return None, "The texts of this record cannot be read."
    try:
        return texts.get(digest), ""
    except RecordError as error:
        return None, str(error)


def about(seen: Any, thread_id: int, listing_id: int, path: str = "") -> Iterator[tuple[str, Any]]:
    """The parts of an observation that name a thread or listing, each whole, with their section."""
    if isinstance(seen, dict):
        # A history or a result names the thread in its arguments: the whole entry is the part.
        inner = seen.get("arguments")
        named = [seen, inner] if isinstance(inner, dict) else [seen]
        if path and any(
            one.get("thread_id") == thread_id or one.get("listing_id") == listing_id
            for one in named
        ):
            yield path, seen
            return
        for key, value in seen.items():
            yield from about(value, thread_id, listing_id, path or str(key))
    elif isinstance(seen, list):
        for value in seen:
            yield from about(value, thread_id, listing_id, path)


def calls_of(connection: sqlite3.Connection, turn: TurnRow) -> list[EventRow]:
    """All calls of a turn."""
    return events_of_turn(connection, turn.tick, turn.turn_id)
