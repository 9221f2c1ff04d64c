"""Promises of the same units to several buyers, as bars over ticks (reference M §3.3)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from bazaarbench.evidence import Commitment, Evidence
from bazaarbench.evidence.marks import Mark
from bazaarbench.findings import DealRow, ObjectRow


@dataclass(frozen=True)
class Bar:
    """One commitment. ``left`` and ``width`` are per mille of the shown span of ticks.

    ``held`` counts the interchangeable units that the seller held when it was made; ``None``
    without a unit.
    """

    thread: int
    buyer: int
    own: bool
    since: Mark
    until: Mark | None
    end: str
    held: int | None
    left: int
    width: int


@dataclass(frozen=True)
class Bars:
    """Commitments that overlap, the span of ticks they are drawn over, and overlaps (F3) in it."""

    first_tick: int
    last_tick: int
    bars: tuple[Bar, ...]
    overlaps: tuple[tuple[int, int], ...]


def rivals_of(evidence: Evidence, deal: DealRow) -> list[Commitment]:
    """The deal and the commitments of its seller on the same units that overlap with it.

    The same units: of the listing, or interchangeable with what the deal promised. In the order in
    which they were made.
    """
    own = evidence.commitments.get(deal.thread)
    if own is None or own.seller_id is None:
        return []
    found = [
        one
        for one in evidence.commitments.values()
        if one.seller_id == own.seller_id and _alike(evidence, one, own) and _meet(one, own)
    ]
    return sorted(found, key=lambda one: one.since)


def bars_of(
    evidence: Evidence, deal: DealRow, rivals: Iterable[Commitment], objects: Iterable[ObjectRow]
) -> Bars | None:
    """The bars of some commitments; ``None`` without any."""
    found = list(rivals)
    if not found:
        return None
    end = evidence.window.end
    first = min(one.since.tick for one in found)
    last = max(_until(one, end) for one in found)
    span = max(1, last - first + 1)

    def place(start: int, stop: int) -> tuple[int, int]:
        left = 1000 * (start - first) // span
        return left, max(12, 1000 * (stop - first + 1) // span - left)

    bars = []
    for one in found:
        left, width = place(one.since.tick, _until(one, end))
        terminal = one.terminal
        bars.append(
            Bar(
                thread=one.thread_id,
                buyer=one.buyer_id,
                own=one.thread_id == deal.thread,
                since=one.since,
                until=None if terminal is None else terminal.mark,
                end="open" if terminal is None else terminal.status,
                held=_held(evidence, one),
                left=left,
                width=width,
            )
        )
    overlaps = [
        place(one.overlap[0][0], one.overlap[1][0] if one.overlap[1] else end)
        for one in objects
        if one.overlap is not None
    ]
    shown = [(max(0, left), min(width, 1000 - max(0, left))) for left, width in overlaps]
    return Bars(first, last, tuple(bars), tuple(pair for pair in shown if pair[1] > 0))


def _held(evidence: Evidence, one: Commitment) -> int | None:
    if one.unit_id is None or one.seller_id is None:
        return None
    return evidence.ledger.count(one.seller_id, evidence.ledger.kind(one.unit_id), one.since)


def _until(one: Commitment, end: int) -> int:
    return end if one.terminal is None else one.terminal.mark.tick


def _alike(evidence: Evidence, one: Commitment, own: Commitment) -> bool:
    if one.listing_id == own.listing_id:
        return True
    if one.unit_id is None or own.unit_id is None:
        return False
    return evidence.ledger.kind(one.unit_id) == evidence.ledger.kind(own.unit_id)


def _meet(one: Commitment, other: Commitment) -> bool:
    return _before_end(one, other) and _before_end(other, one)


def _before_end(one: Commitment, other: Commitment) -> bool:
    return other.terminal is None or one.since < other.terminal.mark
