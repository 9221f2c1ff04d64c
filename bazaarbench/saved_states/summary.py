"""What a saved state holds, in numbers (SPEC §2 "market show")."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import asdict, dataclass
from typing import Any

from bazaarbench.catalogue.items import PRICE_BANDS, price_band
from bazaarbench.market.clock import label
from bazaarbench.market.files import reading
from bazaarbench.market.record import read_info, read_only
from bazaarbench.saved_states.manifest import SavedState

_DEAL_STATUSES = ("committed", "completed", "cancelled", "ghosted")


@dataclass(frozen=True, slots=True)
class Summary:
    """The numbers of one state; prices are counted by their band in dollars.

    ``units`` and ``listings`` by what they are, ``deals`` (committed threads) by status,
    ``methods`` of their exchanges, ``categories`` of what is for sale, the largest first.
    """

    clock: str
    #: How the run stood to its last tick, when it is a run's.
    run: dict[str, Any]
    agents: dict[str, int]
    tiers: dict[str, int]
    units: dict[str, int]
    listings: dict[str, int]
    prices: dict[str, int]
    categories: dict[str, int]
    deals: dict[str, int]
    methods: dict[str, int]
    events: dict[str, int]
    turns: int

    def as_json(self) -> dict[str, Any]:
        """Everything, as JSON."""
        return asdict(self)


def summarise(state: SavedState) -> Summary:
    """Count what a state's record holds.

    Raises:
        RecordError: it is damaged.
    """
    info, tick = read_info(state.path)
    with closing(read_only(state.path)) as record, reading(state.path):
        return Summary(
            clock=label(tick),
            run={
                "ticks": [info.start_tick, info.end_tick],
                "condition": info.condition,
                "tested": len(info.tested),
                "imported": info.imported,
            },
            agents=_counts(
                record,
                "SELECT CASE WHEN status = 'banned' THEN 'banned' WHEN activity_permille = 0 "
                "THEN 'never acting' ELSE 'active' END AS kind, count(*) FROM agents GROUP BY kind",
            ),
            tiers=_counts(
                record, "SELECT tier, count(*) AS n FROM agents GROUP BY tier ORDER BY n DESC, tier"
            ),
            units=_units(record),
            listings=_counts(record, "SELECT status, count(*) FROM listings GROUP BY status"),
            prices=_prices(record),
            categories=_counts(
                record,
                "SELECT category, count(*) AS n FROM listings WHERE status = 'active' "
                "GROUP BY category ORDER BY n DESC, category",
            ),
            deals=_deals(record),
            methods=_counts(record, "SELECT method, count(*) FROM exchanges GROUP BY method"),
            events=_counts(
                record,
                "SELECT status, count(*) FROM events WHERE agent_id IS NOT NULL GROUP BY status",
            ),
            turns=record.execute("SELECT count(*) FROM turns").fetchone()[0],
        )


def _counts(record: sqlite3.Connection, query: str) -> dict[str, int]:
    return {row[0]: row[1] for row in record.execute(query)}


def _units(record: sqlite3.Connection) -> dict[str, int]:
    held, resold, conjured, total = record.execute(
        "SELECT total(owner_id IS NOT NULL), total(transfers > 1), total(origin = 'conjured'), "
        "count(*) FROM units"
    ).fetchone()
    counts = {"held": held, "resold": resold, "conjured": conjured, "in all": total}
    return {name: int(count) for name, count in counts.items()}


def _prices(record: sqlite3.Connection) -> dict[str, int]:
    """Asking prices of active listings by band, in the order of the bands."""
    bands = dict.fromkeys(PRICE_BANDS, 0)
    for (cents,) in record.execute("SELECT price_cents FROM listings WHERE status = 'active'"):
        bands[price_band(cents)] += 1
    return bands


def _deals(record: sqlite3.Connection) -> dict[str, int]:
    found = _counts(
        record,
        "SELECT status, count(*) FROM threads WHERE committed_tick IS NOT NULL GROUP BY status",
    )
    return {status: found.get(status, 0) for status in _DEAL_STATUSES}
