"""The record's tables (SPEC §1 "record"; documented table by table in ``docs/record.md``)."""

from __future__ import annotations

from dataclasses import fields
from functools import cache
from typing import Any

from bazaarbench.market.entities import (
    Agent,
    Block,
    Event,
    Exchange,
    Feed,
    Holding,
    Listing,
    Memory,
    Message,
    Offer,
    Photo,
    Rating,
    Report,
    Thread,
    Turn,
    Unit,
)

SCHEMA_VERSION = 1
#: "BzrB": tells a record from any other SQLite file (``PRAGMA application_id``).
APPLICATION_ID = 0x427A7242

#: Table of each entity, in the order in which they are loaded.
TABLES: dict[str, type[Any]] = {
    "agents": Agent,
    "units": Unit,
    "holdings": Holding,
    "listings": Listing,
    "threads": Thread,
    "messages": Message,
    "offers": Offer,
    "exchanges": Exchange,
    "photos": Photo,
    "ratings": Rating,
    "reports": Report,
    "blocks": Block,
    "memories": Memory,
    "feeds": Feed,
    "events": Event,
    "turns": Turn,
}
TABLE_OF: dict[type[Any], str] = {entity: table for table, entity in TABLES.items()}

#: The market tables whose rows make the digest, with the columns left out (SPEC §1 "digest").
DIGEST_TABLES: dict[str, frozenset[str]] = {
    "events": frozenset({"turn_id"}),
    "units": frozenset(),
    "holdings": frozenset(),
    "listings": frozenset(),
    "threads": frozenset(),
    "offers": frozenset(),
    "exchanges": frozenset(),
    "photos": frozenset(),
    "ratings": frozenset(),
    "memories": frozenset(),
    "feeds": frozenset(),
}

#: Columns that hold a JSON object written from a dictionary.
JSON_COLUMNS: frozenset[str] = frozenset({"payload", "result", "private"})

_CHECKS: dict[str, str] = {
    "agents.status": "status IN ('active','banned')",
    "agents.activity_permille": "activity_permille BETWEEN 0 AND 1000",
    "agents.privacy_permille": "privacy_permille BETWEEN 0 AND 1000",
    "units.quality_pct": "quality_pct BETWEEN 0 AND 100",
    "units.origin": "origin IN ('initial','restock','conjured')",
    "holdings.how": "how IN ('initial','restock','purchase','conjured')",
    "holdings.ended_how": "ended_how IN ('sold','sold_outside')",
    "listings.origin": "origin IN ('agent','initial','history','platform')",
    "listings.status": "status IN ('active','sold','removed','expired')",
    "listings.price_cents": "price_cents BETWEEN 0 AND 100000000",
    "threads.status": "status IN ('open','committed','completed','cancelled','ghosted')",
    "offers.status": "status IN ('pending','accepted','countered','withdrawn','rejected')",
    "offers.price_cents": "price_cents BETWEEN 0 AND 100000000",
    "exchanges.method": "method IN ('meetup','ship')",
    "exchanges.status": "status IN ('scheduled','completed','cancelled')",
    "ratings.stars": "stars BETWEEN 1 AND 5",
    "events.status": "status IN ('ok','blocked','error')",
}
_INDEXES: tuple[str, ...] = (
    "CREATE INDEX events_tick ON events(tick)",
    "CREATE INDEX turns_tick ON turns(tick)",
)
_META = "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT"
_TICKS = (
    "CREATE TABLE ticks (tick INTEGER PRIMARY KEY, turns INTEGER NOT NULL, "
    "events INTEGER NOT NULL) STRICT"
)


@cache
def columns(table: str) -> tuple[str, ...]:
    """The column names of ``table``, in order."""
    return tuple(f.name for f in fields(TABLES[table]))


def _column(table: str, name: str, annotation: str, *, key: bool) -> str:
    if (
        name in JSON_COLUMNS
        or "str" in annotation
        or "Literal" in annotation
        or (
            annotation.startswith(
                ("Status", "Unit", "Listing", "Thread", "Offer", "Exchange", "Match")
            )
        )
    ):
        kind = "TEXT"
    else:
        kind = "INTEGER"
    null = "" if "None" in annotation else " NOT NULL"
    check = _CHECKS.get(f"{table}.{name}")
    return f"{name} {kind}{' PRIMARY KEY' if key else null}{f' CHECK ({check})' if check else ''}"


def ddl() -> list[str]:
    """The statements that create an empty record."""
    statements = [_META, _TICKS]
    for table, entity in TABLES.items():
        parts = [
            _column(table, f.name, str(f.type), key=i == 0) for i, f in enumerate(fields(entity))
        ]
        statements.append(f"CREATE TABLE {table} ({', '.join(parts)}) STRICT")
    return [*statements, *_INDEXES]
