"""Buffered writing into a database of one layout; columns that it lacks are dropped."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tests.released.generator import schema
from tests.released.generator.schema import Layout

_FULL = 20_000


class Sink:
    """One database file in the making."""

    def __init__(self, path: Path, layout: Layout) -> None:
        self.path = path
        self.layout = layout
        self.columns = schema.column_names(layout)
        path.unlink(missing_ok=True)
        self._db = self._open(path)
        schema.create(self._db, layout)
        self._waiting: dict[str, list[tuple[Any, ...]]] = {}
        self._next: dict[str, int] = {}

    @staticmethod
    def _open(path: Path) -> sqlite3.Connection:
        connection = sqlite3.connect(path)
        # A test database that a crash spoils is made again.
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("PRAGMA cache_size = -200000")
        connection.execute("PRAGMA foreign_keys = OFF")
        return connection

    def new_id(self, table: str) -> int:
        """The next id of an autoincrement table, handed out before the row is written."""
        self._next[table] = self._next.get(table, 0) + 1
        return self._next[table]

    def add(self, table: str, row: Mapping[str, Any]) -> None:
        """Append a row that never changes."""
        self.add_values(table, tuple(row.get(name) for name in self.columns[table]))

    def add_values(self, table: str, values: tuple[Any, ...]) -> None:
        """Append a row given in file order; for `events`, whose columns are always there."""
        waiting = self._waiting.setdefault(table, [])
        waiting.append(values)
        if len(waiting) >= _FULL:
            self._write(table, waiting)

    def _write(self, table: str, waiting: list[tuple[Any, ...]]) -> None:
        marks = ", ".join("?" for _ in self.columns[table])
        # What was unread when a base was closed is there already and comes again as read.
        verb = "INSERT OR REPLACE" if table == "messages" else "INSERT"
        self._db.executemany(f"{verb} INTO {table} VALUES ({marks})", waiting)
        waiting.clear()

    def put(self, table: str, rows: Iterable[Mapping[str, Any]]) -> None:
        """Write rows that may be there already in an earlier state."""
        names = self.columns[table]
        marks = ", ".join("?" for _ in names)
        self._db.executemany(
            f"INSERT OR REPLACE INTO {table} VALUES ({marks})",
            (tuple(row.get(name) for name in names) for row in rows),
        )

    def meta(self, key: str, value: str) -> None:
        """Set a meta row."""
        self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def flush(self) -> None:
        """Write what is waiting."""
        for table, waiting in self._waiting.items():
            self._write(table, waiting)
        self._db.commit()

    def move_to(self, path: Path) -> None:
        """Close this file as it is and go on in a copy of it, made by SQLite's backup."""
        self.flush()
        path.unlink(missing_ok=True)
        copy = self._open(path)
        self._db.backup(copy)
        copy.execute("PRAGMA journal_mode = DELETE")
        self._db.close()
        self._db = copy
        self.path = path

    def close(self) -> None:
        """Write what is waiting, check every reference and let the file go."""
        self.flush()
        strays = self._db.execute("PRAGMA foreign_key_check").fetchall()
        self._db.close()
        if strays:
            raise AssertionError(f"{self.path.name}: dangling references, first {strays[0]}")
