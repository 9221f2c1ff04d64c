"""Writing a record from rows that are already ours, many at a time."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from operator import attrgetter
from pathlib import Path
from typing import Any

from bazaarbench.market.files import explained, transaction
from bazaarbench.market.meta import RecordInfo, write_meta
from bazaarbench.market.schema import APPLICATION_ID, SCHEMA_VERSION, columns, ddl
from bazaarbench.released.source import ReleasedError

_CHUNK_ROWS = 5_000


class Sheets:
    """An empty record to be filled; all of it is one transaction."""

    def __init__(self, connection: sqlite3.Connection, source: Path, target: Path) -> None:
        """Write into ``connection``; messages name ``source`` and ``target``."""
        self._connection = connection
        self._source = source
        self._target = target

    def write(self, table: str, rows: Iterable[Any]) -> int:
        """Write entities into their table; returns how many."""
        return self.write_values(table, map(attrgetter(*columns(table)), rows))

    def write_values(self, table: str, rows: Iterable[Sequence[Any]]) -> int:
        """Write rows of values in the order of the table's columns; returns how many.

        Raises:
            ReleasedError: a value is none that a record can hold.
            RecordError: the record cannot be written.
        """
        names = columns(table)
        statement = (
            f"INSERT INTO {table} ({', '.join(names)}) VALUES ({','.join('?' * len(names))})"
        )
        rows, count = iter(rows), 0
        while chunk := list(islice(rows, _CHUNK_ROWS)):
            self._insert(table, statement, chunk)
            count += len(chunk)
        return count

    def _insert(self, table: str, statement: str, chunk: list[Sequence[Any]]) -> None:
        with explained(self._target, "write"):
            try:
                self._connection.executemany(statement, chunk)
            except (sqlite3.IntegrityError, sqlite3.InterfaceError, OverflowError) as error:
                raise ReleasedError(
                    f"{self._source} cannot be imported: a value for the record's table {table} "
                    f"is none that it can hold ({error}). Take the file from its publisher again."
                ) from error

    def finish(self, info: RecordInfo, ticks: Iterable[tuple[int, int, int]]) -> None:
        """Write the settings, and (tick, turns, events) for every tick."""
        with explained(self._target, "write"):
            self._connection.executemany("INSERT INTO ticks VALUES (?, ?, ?)", ticks)
            write_meta(self._connection, info, ())


@contextmanager
def new_record(path: Path, source: Path, target: Path) -> Iterator[Sheets]:
    """A new record at ``path``, whole when the block ends well.

    Args:
        path: a workpiece that nobody else sees.
        source: what is imported, for messages.
        target: where the record is going to be, for messages.
    """
    with explained(target, "create"):
        connection = sqlite3.connect(path, isolation_level=None)
    try:
        connection.execute("PRAGMA journal_mode=MEMORY")
        connection.execute("PRAGMA synchronous=OFF")
        with transaction(connection):
            for statement in ddl():
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version={SCHEMA_VERSION}")
            yield Sheets(connection, source, target)
    finally:
        connection.close()
