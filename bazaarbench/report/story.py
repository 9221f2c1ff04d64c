"""One deal told in words: what both sides did, and what the record knows about the unit.

Each line is one event with its tick and id, so that whoever doubts a sentence can look it up.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bazaarbench.evidence.reader import Evidence
from bazaarbench.failures.base import FailureObject
from bazaarbench.market.bands import band_of
from bazaarbench.market.clock import label
from bazaarbench.market.files import reading
from bazaarbench.market.record import read_only

#: What an agent wrote is quoted up to this length.
MAX_QUOTED = 120
#: How many ids a question to SQLite holds.
_AT_ONCE = 500
_STAGE_WORDS = {
    "S2": "attempted",
    "S3": "reached another participant",
    "S4": "was acted upon",
    "S5": "had its outcome",
}


@dataclass(frozen=True)
class _Row:
    event_id: int
    tick: int
    agent_id: int | None
    action: str
    status: str
    reason: str | None
    listing_id: int | None
    thread_id: int | None
    payload: dict[str, Any]
    result: dict[str, Any]
    private: dict[str, Any]


@dataclass(frozen=True)
class Told:
    """One event in words."""

    event_id: int
    tick: int
    text: str


def tell_deal(evidence: Evidence, thread_id: int, found: Iterable[FailureObject] = ()) -> str:
    """The story of one deal, a line an event, then the failures that concern it.

    Args:
        evidence: the record read back.
        thread_id: the deal; it must have been committed.
        found: failure objects; those of the deal's thread or listing are told.
    """
    commitment = evidence.commitments[thread_id]
    listing = evidence.listings[commitment.listing_id]
    concerned = [
        item
        for item in found
        if thread_id in item.thread_ids or commitment.listing_id in item.listing_ids
    ]
    rivals = {thread for item in concerned for thread in item.thread_ids}
    title = listing.postings[0].title if listing.postings else ""
    lines = [
        f"Deal {thread_id}: {_who(evidence, commitment.buyer_id)} buys “{quoted(title)}” from "
        f"{_who(evidence, commitment.seller_id)} (listing {commitment.listing_id})."
    ]
    lines += [
        f"  {label(told.tick):<14} {told.text}  [event {told.event_id}]"
        for told in deal_events(evidence, thread_id, rivals)
    ]
    alike: dict[tuple[object, ...], list[FailureObject]] = {}
    for item in concerned:
        alike.setdefault((item.type, item.actor_id, item.cause, *item.steps), []).append(item)
    lines += [_verdict(items) for items in alike.values()]
    return "\n".join(lines)


def deal_events(evidence: Evidence, thread_id: int, rivals: Iterable[int] = ()) -> list[Told]:
    """The events of a deal in words, in their order.

    Args:
        evidence: the record read back.
        thread_id: the deal; it must have been committed.
        rivals: other deals, whose promises and completions are told with it.
    """
    commitment = evidence.commitments[thread_id]
    postings = evidence.listings[commitment.listing_id].postings
    units = sorted({p.unit_id for p in postings if p.ok and p.unit_id is not None})
    others = sorted({*rivals} - {thread_id})
    told = []
    end = commitment.terminal
    for row in _rows(evidence.path, thread_id, commitment.listing_id, others, units):
        # What becomes of the listing afterwards is another deal's story.
        ours = row.thread_id == thread_id or end is None or row.event_id <= end.mark.event_id
        text = _sentence(evidence, row) if ours else None
        if text is not None:
            other = row.thread_id is not None and row.thread_id != thread_id
            text = f"[deal {row.thread_id}] {text}" if other else text
            told.append(Told(row.event_id, row.tick, text))
    return told


def events_told(evidence: Evidence, event_ids: Iterable[int]) -> list[Told]:
    """Some events in words, in their order, refused calls too."""
    wanted = sorted({*event_ids})
    told = []
    for first in range(0, len(wanted), _AT_ONCE):
        some = wanted[first : first + _AT_ONCE]
        where = f"event_id IN ({','.join('?' * len(some))})"
        for row in _found(evidence.path, where, some):
            if row.status != "ok":
                who = _who(evidence, row.agent_id)
                text = f"{who} calls {row.action}, {row.status}: {quoted(row.reason or 'refused')}"
            else:
                text = _sentence(evidence, row) or f"{_who(evidence, row.agent_id)}: {row.action}"
            told.append(Told(row.event_id, row.tick, text))
    return told


def _rows(
    path: Path, thread_id: int, listing_id: int, rivals: Sequence[int], units: Sequence[int]
) -> list[_Row]:
    """The deal's own events, its listing's, its rivals' promises, and where its units went."""
    marks, unit_marks = (",".join("?" * len(ids)) for ids in (rivals, units))
    where = f"""status = 'ok' AND (
        thread_id = ?
        OR (listing_id = ? AND action IN ('platform_seed_listing', 'create_listing',
            'edit_listing', 'relist', 'mark_sold'))
        OR (thread_id IN ({marks}) AND action IN ('accept_offer', 'complete_transaction'))
        OR (action IN ('complete_transaction', 'mark_sold')
            AND json_extract(private, '$.unit_id') IN ({unit_marks})))"""
    return _found(path, where, (thread_id, listing_id, *rivals, *units))


def _found(path: Path, where: str, values: Sequence[int]) -> list[_Row]:
    query = f"""
        SELECT event_id, tick, agent_id, action, status, reason, listing_id, thread_id,
            payload, result, private
        FROM events WHERE {where} ORDER BY event_id"""
    connection = read_only(path)
    try:
        with reading(path):
            rows = connection.execute(query, values)
            return [_Row(*row[:8], *(json.loads(text) for text in row[8:])) for row in rows]
    finally:
        connection.close()


def _sentence(evidence: Evidence, row: _Row) -> str | None:
    say = _SENTENCES.get(row.action)
    return None if say is None else say(evidence, _who(evidence, row.agent_id), row)


def _listed(evidence: Evidence, who: str, row: _Row) -> str:
    payload = row.payload
    band = row.private.get("band") or payload.get("stated_quality_band")
    claim = f" as {band}" if band else " without stating a condition band"
    return (
        f"{who} lists “{quoted(payload.get('title', ''))}”{claim} for "
        f"{_money(payload.get('price_cents'))}. {_unit(evidence, row.private.get('unit_id'))}"
    )


def _relisted(evidence: Evidence, who: str, row: _Row) -> str:
    return f"{who} puts the listing up again. {_unit(evidence, row.private.get('unit_id'))}"


def _edited(evidence: Evidence, who: str, row: _Row) -> str:
    changed = [
        f"{name.removesuffix('_cents')} to "
        + (_money(value) if name == "price_cents" else f"“{quoted(str(value))}”")
        for name, value in row.payload.items()
        if value is not None and name != "listing_id"
    ]
    return f"{who} changes the listing's {' and '.join(changed) or 'text to what it was'}."


def _unit(evidence: Evidence, unit_id: int | None) -> str:
    if unit_id is None:
        return "Record: the seller holds no such unit."
    quality_pct = evidence.ledger.units[unit_id].quality_pct
    if quality_pct is None:
        return f"Record: unit {unit_id}, of unknown condition."
    return f"Record: unit {unit_id}, condition {quality_pct} % ({band_of(quality_pct)})."


def _completed(evidence: Evidence, who: str, row: _Row) -> str:
    if not row.result.get("completed"):
        return f"{who} confirms the exchange; the other side has not yet."
    if row.private.get("conjured"):
        return (
            f"{who} confirms: the deal is complete. Record: the seller held no unit to hand over."
        )
    unit_id = row.private.get("unit_id")
    return f"{who} confirms: the deal is complete and unit {unit_id} changes hands."


def _inspected(evidence: Evidence, who: str, row: _Row) -> str:
    shown = row.result.get("ground_truth_quality_pct", row.result.get("inspected_quality_pct"))
    return f"{who} inspects the item and is shown {shown} %."


def _said(form: str) -> Callable[[Evidence, str, _Row], str]:
    def say(evidence: Evidence, who: str, row: _Row) -> str:
        values = {key: _worded(key, value) for key, value in {**row.result, **row.payload}.items()}
        return form.format(who=who, **values)

    return say


def _worded(key: str, value: Any) -> str:
    if key.endswith("price_cents"):
        return _money(value)
    if key in ("scheduled_tick", "delivered_at_tick"):
        return label(value)
    return quoted(str(value))


_SENTENCES: dict[str, Callable[[Evidence, str, _Row], str]] = {
    "platform_seed_listing": _listed,
    "create_listing": _listed,
    "edit_listing": _edited,
    "relist": _relisted,
    "mark_sold": _said("{who} marks the listing as sold elsewhere."),
    "message": _said("{who} writes: “{body}”"),
    "request_photo": _said("{who} asks for a photo: “{focus_hint}”"),
    "send_photo": _said("{who} sends a photo (privacy mode {privacy_mode})."),
    "send_stock_photo": _said("{who} sends a stock photo."),
    "make_offer": _said("{who} offers {price_cents}."),
    "counter_offer": _said("{who} counters with {price_cents}."),
    "accept_offer": _said("{who} accepts offer {offer_id}: the deal is committed."),
    "withdraw_offer": _said("{who} withdraws offer {offer_id}."),
    "schedule_meetup": _said("{who} schedules a meetup for {scheduled_tick}."),
    "schedule_shipment": _said("{who} schedules a shipment, due on {delivered_at_tick}."),
    "inspect_at_meetup": _inspected,
    "complete_transaction": _completed,
    "cancel_meetup": _said("{who} cancels: “{reason}”"),
    "leave_thread": _said("{who} leaves the conversation."),
    "ghost": _said("{who} stops answering."),
    "rate": _said("{who} rates the other side {stars} of 5."),
    "fraud_discovered": _said("{who} notes that the shipped item was not there."),
}


def _verdict(alike: Sequence[FailureObject]) -> str:
    """The first of several failures of one kind, and how many more there are."""
    item, more = alike[0], len(alike) - 1
    cause = f" ({item.cause.replace('_', ' ')})" if item.cause else ""
    ladder = [
        f"    {stage} {_STAGE_WORDS[stage]}  [event {step.events[0].event_id}]"
        for stage, step in sorted(item.steps.items())
    ]
    others = f", and {more} more like it" if more else ""
    return "\n".join([f"  → {item.type} by agent {item.actor_id}{cause}{others}:", *ladder])


def _who(evidence: Evidence, agent_id: int | None) -> str:
    if agent_id is None:
        return "The platform"
    return f"agent {agent_id}{' (tested)' if agent_id in evidence.tested else ''}"


def quoted(text: str) -> str:
    """What an agent wrote, cut and on one line; it cannot steer the terminal it is shown on."""
    text = "".join(filter(str.isprintable, " ".join(text.split())))
    return text if len(text) <= MAX_QUOTED else text[: MAX_QUOTED - 1] + "…"


def _money(cents: Any) -> str:
    return "an unknown price" if cents is None else f"${cents / 100:,.2f}"
