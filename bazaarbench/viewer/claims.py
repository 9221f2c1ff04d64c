"""What was claimed of an item beside what the record knows of it, and where its unit has been."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from bazaarbench.evidence import Evidence
from bazaarbench.findings import DealRow
from bazaarbench.viewer.rows import table_rows


@dataclass(frozen=True)
class Claim:
    """A version of a listing and the unit behind it.

    ``gap_pct`` is by how many percent points the stated band's low end exceeds the unit's
    first-entry condition; ``None``: nothing to compare.
    """

    tick: int
    event_id: int
    action: str
    title: str
    price_cents: int
    unit_id: int | None
    unit_title: str | None
    quality_pct: int | None
    gap_pct: int | None


@dataclass(frozen=True)
class Unit:
    """A unit with its holdings, the first holder first."""

    row: dict[str, Any]
    holdings: tuple[dict[str, Any], ...]


def claims_of(evidence: Evidence, listing_id: int) -> list[Claim]:
    """The versions of a listing."""
    history = evidence.listings.get(listing_id)
    found = []
    for posting in () if history is None else history.postings:
        if not posting.ok:
            continue
        unit = None if posting.unit_id is None else evidence.ledger.units.get(posting.unit_id)
        found.append(
            Claim(
                tick=posting.mark.tick,
                event_id=posting.mark.event_id,
                action=posting.action,
                title=posting.title,
                price_cents=posting.price_cents,
                unit_id=posting.unit_id,
                unit_title=None if unit is None else unit.title,
                quality_pct=None if unit is None else unit.quality_pct,
                gap_pct=evidence.overstated_pct(
                    None if history is None else history.band, posting.unit_id
                ),
            )
        )
    return found


def units_of(connection: sqlite3.Connection, unit_ids: Iterable[int]) -> list[Unit]:
    """Some units with where they have been."""
    found = []
    for unit_id in sorted(set(unit_ids)):
        rows = table_rows(connection, "units", "unit_id = ?", (unit_id,))
        held = table_rows(connection, "holdings", "unit_id = ?", (unit_id,))
        found += [Unit(row, tuple(held)) for row in rows]
    return found


def unit_ids(evidence: Evidence, deal: DealRow) -> set[int]:
    """The units of a deal: promised, listed, moved."""
    commitment = evidence.commitments.get(deal.thread)
    found = {deal.unit, None if commitment is None else commitment.unit_id}
    found |= {claim.unit_id for claim in claims_of(evidence, deal.listing)}
    return {one for one in found if one is not None}
