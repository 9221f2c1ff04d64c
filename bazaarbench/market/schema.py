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

SCHEMA_VERSION = 2
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

_ALLOWED: dict[str, tuple[str, ...]] = {
    "agents.status": ("active", "banned"),
    "units.origin": ("initial", "restock", "conjured"),
    "holdings.how": ("initial", "restock", "purchase", "conjured"),
    "holdings.ended_how": ("sold", "sold_outside"),
    "listings.origin": ("agent", "initial", "history", "platform"),
    "listings.status": ("active", "sold", "removed", "expired"),
    "threads.status": ("open", "committed", "completed", "cancelled", "ghosted"),
    "offers.status": ("pending", "accepted", "countered", "withdrawn", "rejected"),
    "exchanges.method": ("meetup", "ship"),
    "exchanges.status": ("scheduled", "completed", "cancelled"),
    "events.status": ("ok", "blocked", "error"),
}
_RANGES: dict[str, tuple[int, int]] = {
    "agents.activity_permille": (0, 1000),
    "agents.privacy_permille": (0, 1000),
    "units.quality_pct": (0, 100),
    "listings.price_cents": (0, 100_000_000),
    "offers.price_cents": (0, 100_000_000),
    "ratings.stars": (1, 5),
}
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
    return f"{name} {kind}{' PRIMARY KEY' if key else null}{_check(table, name)}"


def _check(table: str, name: str) -> str:
    """What SQLite is to refuse in a column.

    Words are compared one by one: for a list after ``IN`` SQLite makes a table in memory for every
    row that it checks, which costs more than writing the row.
    """
    column = f"{table}.{name}"
    if column in _ALLOWED:
        cases = " OR ".join(f"{name} = '{word}'" for word in _ALLOWED[column])
        return f" CHECK ({cases})"
    if column in _RANGES:
        low, high = _RANGES[column]
        return f" CHECK ({name} BETWEEN {low} AND {high})"
    return ""


def ddl() -> list[str]:
    """The statements that create an empty record."""
    statements = [_META, _TICKS]
    for table, entity in TABLES.items():
        parts = [
            _column(table, f.name, str(f.type), key=i == 0) for i, f in enumerate(fields(entity))
        ]
        statements.append(f"CREATE TABLE {table} ({', '.join(parts)}) STRICT")
    return statements
