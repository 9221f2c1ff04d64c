"""A released database, opened without changing a byte of it (reference P §1)."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bazaarbench.errors import BazaarError
from bazaarbench.market.files import wal_of
from bazaarbench.market.schema import APPLICATION_ID

#: The newest schema of the released platform that is known (its meta row ``schema_version``).
NEWEST_SCHEMA = 2

_MAGIC = b"SQLite format 3\0"
_HEADER_BYTES = 100
_META = "SELECT key, value FROM meta"

#: What every released database has, whenever it was written.
_NEEDED: dict[str, str] = {
    "meta": "key value",
    "events": "event_id tick agent_id action_type payload result_status result_payload",
    "agents": "agent_id user_name display_name home_zip home_lat home_lng persona_json",
    "listings": "listing_id owner_agent_id category title description price_cents condition "
    "location_zip location_lat location_lng created_at_tick status",
    "threads": "thread_id listing_id buyer_agent_id seller_agent_id created_at_tick status",
    "messages": "message_id thread_id sender_agent_id tick body",
    "offers": "offer_id thread_id proposer_id round price_cents tick status",
    "meetups": "meetup_id thread_id scheduled_tick location_desc payment_method buyer_confirmed "
    "seller_confirmed status",
    "ratings": "rating_id rater_agent_id ratee_agent_id stars tick",
}


class ReleasedError(BazaarError):
    """A file that is no released database, or one that cannot be imported."""


@dataclass(frozen=True)
class Source:
    """An open released database. Columns are asked for by name; late ones may be absent."""

    path: Path
    connection: sqlite3.Connection
    columns: Mapping[str, frozenset[str]]
    meta: Mapping[str, str]

    def rows(self, table: str, names: str, *, where: str = "", order: str = "") -> sqlite3.Cursor:
        """Rows of a table: the named columns in their order, NULL for a column that is absent.

        Args:
            table: its name; a table that is absent has no rows.
            names: column names, separated by spaces.
            where: a condition in SQL, without ``WHERE``.
            order: columns to sort by.
        """
        there = self.columns.get(table, frozenset())
        picked = ", ".join(name if name in there else f"NULL AS {name}" for name in names.split())
        if not there:
            return self.connection.execute(f"SELECT {picked} LIMIT 0")
        query = f"SELECT {picked} FROM {table}"
        query += f" WHERE {where}" if where else ""
        query += f" ORDER BY {order}" if order else ""
        return self.connection.execute(query)

    def value(self, query: str, *values: Any) -> Any:
        """The first column of the first row that a query gives."""
        row = self.connection.execute(query, values).fetchone()
        return None if row is None else row[0]

    def meta_json(self, key: str) -> dict[str, Any] | None:
        """A meta row that holds a JSON object; ``None`` without one.

        Raises:
            ReleasedError: there is one and it is no JSON object.
        """
        text = self.meta.get(key)
        if text is None:
            return None
        try:
            value = json.loads(text)
        except ValueError:
            value = None
        if not isinstance(value, dict):
            raise self.damaged(f"its meta row {key} holds no JSON object")
        return value

    def damaged(self, problem: str) -> ReleasedError:
        """An error that says what is wrong inside the file, and what to do."""
        return ReleasedError(
            f"{self.path} cannot be imported: {problem}. Take the file from its publisher again; "
            "if it was changed since, import the unchanged one."
        )


@contextmanager
def open_source(path: Path) -> Iterator[Source]:
    """Open a released database for reading; nothing is created or changed, not even beside it.

    Raises:
        ReleasedError: missing, empty, foreign, cut off, in use, damaged, or newer than known; also
            for whatever SQLite finds wrong while the caller reads.
    """
    _check_file(path)
    connection = None
    try:
        uri = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
        connection = sqlite3.connect(uri, uri=True, isolation_level=None)
        columns = _columns(connection)
        _check_tables(path, columns)
        meta = {str(key): str(value) for key, value in connection.execute(_META)}
        _check_version(path, meta)
        yield Source(path, connection, columns, meta)
    except sqlite3.Error as error:
        raise ReleasedError(
            f"{path} cannot be read: SQLite says {error}. The file is damaged or is no released "
            "database; take it from its publisher again."
        ) from error
    finally:
        if connection is not None:
            connection.close()


def _check_file(path: Path) -> None:
    if not path.exists():
        raise ReleasedError(f"there is no file {path}. Check the path.")
    if not path.is_file():
        raise ReleasedError(f"{path} is a folder; name one released database in it.")
    try:
        with path.open("rb") as file:
            header = file.read(_HEADER_BYTES)
    except OSError as error:
        raise ReleasedError(f"{path} cannot be read: {error.strerror or error}.") from error
    if not header:
        raise ReleasedError(f"{path} is empty. Take the file from its publisher again.")
    if len(header) < _HEADER_BYTES or not header.startswith(_MAGIC):
        raise ReleasedError(
            f"{path} is not a released database: it is not an SQLite file. Unpack it first if it "
            "is compressed."
        )
    if _number(header, 68) == APPLICATION_ID:
        raise ReleasedError(
            f"{path} is a record of BazaarBench, not a released database. It can be used as it "
            f"is: -T market={path}."
        )
    missing = _missing_bytes(path, header)
    if missing > 0:
        raise ReleasedError(
            f"{path} is cut off: {missing} bytes are missing at its end. Take it from its "
            "publisher again."
        )
    wal = wal_of(path)
    if wal.exists() and wal.stat().st_size:
        raise ReleasedError(
            f"{path} is in use or was not closed: {wal.name} beside it holds changes that are not "
            "in the file. Close the program that writes it, or close a copy with 'sqlite3 COPY "
            '"PRAGMA journal_mode=DELETE"\', and import that.'
        )


def _number(header: bytes, offset: int) -> int:
    return int.from_bytes(header[offset : offset + 4], "big")


def _missing_bytes(path: Path, header: bytes) -> int:
    """How far the file falls short of the page count in its header."""
    if _number(header, 24) != _number(header, 92):
        return 0  # the count in the header is not up to date
    page_size = int.from_bytes(header[16:18], "big")
    page_size = 65_536 if page_size == 1 else page_size
    return page_size * _number(header, 28) - path.stat().st_size


def _columns(connection: sqlite3.Connection) -> dict[str, frozenset[str]]:
    tables = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
    return {
        name: frozenset(
            row[0] for row in connection.execute("SELECT name FROM pragma_table_info(?)", (name,))
        )
        for (name,) in tables
    }


def _check_tables(path: Path, columns: Mapping[str, frozenset[str]]) -> None:
    for table, names in _NEEDED.items():
        if table not in columns:
            raise ReleasedError(
                f"{path} is not a released database: it has no table {table}. Import one of the "
                "study's databases, a base market or a continuation."
            )
        absent = sorted(set(names.split()) - columns[table])
        if absent:
            raise ReleasedError(
                f"{path} is not a released database: its table {table} has no column "
                f"{', '.join(absent)}. Import one of the study's databases."
            )


def _check_version(path: Path, meta: Mapping[str, str]) -> None:
    version = meta.get("schema_version", "0")
    if not version.isdigit() or int(version) > NEWEST_SCHEMA:
        raise ReleasedError(
            f"{path} has schema version {version}; this BazaarBench reads released databases up "
            f"to version {NEWEST_SCHEMA}. Upgrade BazaarBench."
        )
