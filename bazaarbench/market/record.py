"""The record: one SQLite file that holds everything a market was and is (SPEC §1, §13).

It is an append-only event log with the current tables beside it, changed only by ``Record.commit``:
one transaction a tick, by one writer. ``docs/record.md`` describes it table by table.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from operator import attrgetter
from pathlib import Path
from typing import Any, Self

from bazaarbench.errors import RecordError
from bazaarbench.market.digest import digest
from bazaarbench.market.entities import Event, Turn
from bazaarbench.market.files import (
    WriterLock,
    appearing,
    check,
    close_single,
    connect,
    connect_read_only,
    copy_closed,
    explained,
    quick_check,
    reading,
    transaction,
)
from bazaarbench.market.meta import (
    RecordInfo,
    check_benchmark,
    read_meta,
    read_parents,
    write_meta,
)
from bazaarbench.market.schema import (
    APPLICATION_ID,
    JSON_COLUMNS,
    SCHEMA_VERSION,
    TABLES,
    columns,
    ddl,
)
from bazaarbench.market.state import Market
from bazaarbench.market.texts import TextStore

__all__ = [
    "Record",
    "RecordInfo",
    "copy",
    "digest",
    "fork",
    "read_info",
    "read_only",
    "read_texts",
]


def _encoder() -> Callable[[Any], str]:
    """Compact JSON with sorted keys.

    ``JSONEncoder.encode`` makes its C part anew for every value, which costs more than what it does
    for the small objects of events; here it is made once.
    """
    plain = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    make = getattr(json.encoder, "c_make_encoder", None)
    if make is None:
        return plain.encode
    quote = json.encoder.encode_basestring
    pieces = make(None, plain.default, quote, None, ":", ",", True, False, True)
    return lambda value: "".join(pieces(value, 0))


_encode = _encoder()


class Record:
    """A record that this process writes; made by ``create`` or ``open``."""

    def __init__(self, path: Path, lock: WriterLock) -> None:
        """Use ``create`` or ``open``.

        Args:
            path: an existing, checked record.
            lock: held; released by ``close``.
        """
        self.path = path
        self._lock: WriterLock | None = lock
        with explained(path, "open"):
            self.connection = connect(path)
            try:
                quick_check(self.connection, path)
                self.info, self.last_tick = read_meta(self.connection, path)
                check_benchmark(self.info, path)
                self.texts = TextStore(path, read_parents(self.connection))
            except BaseException:
                self.connection.close()
                raise

    @classmethod
    def create(cls, path: Path | str, market: Market, info: RecordInfo) -> Self:
        """Write a new record of ``market`` and open it; it appears whole or not at all.

        Args:
            path: where; missing folders are made.
            market: between two ticks; what it has changed counts as stored afterwards.
            info: its settings; seed and rules are the market's own.

        Raises:
            RecordError: something stands at ``path``, or it cannot be written.
        """
        if (info.seed, info.rules) != (market.seed, market.rules):
            raise ValueError("the record's info has another seed or other rules than its market")
        path = Path(path)
        check_benchmark(info, path)
        lock = WriterLock(path)
        try:
            _refuse_existing(path)
            with explained(path, "create"), appearing(path) as workpiece:
                _write_new(workpiece, market, info)
            record = cls(path, lock)
        except BaseException:
            lock.release()
            raise
        market.clean_tick()
        return record

    @classmethod
    def open(cls, path: Path | str) -> Self:
        """Open an existing record to go on writing it.

        Raises:
            RecordError: it is missing, foreign, damaged, of another version, read-only, or another
                process is writing it.
        """
        path = Path(path)
        check(path)
        lock = WriterLock(path)
        try:
            return cls(path, lock)
        except BaseException:
            lock.release()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def commit(self, market: Market) -> None:
        """Write everything that ``market`` changed in its tick, in one transaction, and go on.

        Afterwards ``market.tick`` is one more and nothing of it is waiting to be written. When it
        fails, record and market are as before and the commit can be tried again.

        Raises:
            RecordError: the record's last tick is not the one before, or it cannot be written.
        """
        tick = market.tick
        with explained(self.path, f"write tick {tick} to"):
            self.texts.flush()
            with transaction(self.connection):
                (last,) = self.connection.execute("SELECT max(tick) FROM ticks").fetchone()
                if last != tick - 1:
                    raise RecordError(
                        f"{self.path} ends at tick {last}, so tick {tick} cannot follow: another "
                        "run has written it. Load it again and go on from its last tick."
                    )
                for table, rows in market.dirty.items():
                    _insert(self.connection, table, rows.values())
                _insert(self.connection, "events", market.new_events)
                _insert(self.connection, "turns", market.new_turns)
                self.connection.execute(
                    "INSERT INTO ticks VALUES (?, ?, ?)",
                    (tick, len(market.new_turns), len(market.new_events)),
                )
        market.clean_tick()
        self.last_tick = tick
        market.tick = tick + 1

    def close(self) -> None:
        """Leave a single closed file and let others write; closing twice is once."""
        if self._lock is None:
            return
        lock, self._lock = self._lock, None
        with ExitStack() as last:
            last.callback(lock.release)
            last.enter_context(explained(self.path, "close"))
            last.callback(close_single, self.connection)
            self.texts.close()


def read_only(path: Path | str) -> sqlite3.Connection:
    """Open a record for reading without changing it, also while a run is writing it.

    Raises:
        RecordError: missing, foreign, cut off, of another schema version, or unreadable.
    """
    path = Path(path)
    check(path)
    with explained(path, "read"):
        return connect_read_only(path)


def read_info(path: Path | str) -> tuple[RecordInfo, int]:
    """The settings of a record and its last committed tick.

    Raises:
        RecordError: as ``read_only``, or its settings are not readable by this version.
    """
    connection = read_only(path)
    try:
        with reading(Path(path)):
            return read_meta(connection, Path(path))
    finally:
        connection.close()


def read_texts(path: Path | str) -> TextStore:
    """The texts of a record, for reading; close it afterwards.

    Raises:
        RecordError: as ``read_only``.
    """
    connection = read_only(path)
    try:
        with reading(Path(path)):
            return TextStore(Path(path), read_parents(connection))
    finally:
        connection.close()


def copy(source: Path | str, target: Path | str) -> None:
    """Copy what a record holds now to one closed file, replacing ``target``.

    It may be called while a run is writing ``source``; the copy ends at a committed tick. The texts
    stay where they are.

    Raises:
        RecordError: ``source`` is no whole record, or ``target`` cannot be written.
    """
    source, target = Path(source), Path(target)
    check(source)
    with explained(target, "write"), appearing(target) as workpiece:
        copy_closed(source, workpiece)


def fork(source: Path | str, target: Path | str, info: RecordInfo) -> None:
    """Start another run from what a record holds: a copy with other settings.

    Args:
        source: the saved state; it is not changed.
        target: the new record; nothing may stand there.
        info: the new run's settings. Its ``start_tick`` must be the last tick of ``source``.

    Raises:
        RecordError: ``source`` is no whole record or of another benchmark version, its last tick is
            not ``info.start_tick``, or ``target`` exists or cannot be written.
    """
    source, target = Path(source), Path(target)
    old, last = read_info(source)
    check_benchmark(old, source)
    if info.start_tick != last:
        raise RecordError(
            f"{source} ends at tick {last}: a continuation of it cannot start after tick "
            f"{info.start_tick}. Use a state of that tick."
        )
    with read_texts(source) as texts:
        parents = texts.inherited_by(target)
    lock = WriterLock(target)
    try:
        _refuse_existing(target)
        with explained(target, "create"), appearing(target) as workpiece:
            copy_closed(source, workpiece)
            connection = _connect_workpiece(workpiece)
            try:
                with transaction(connection):
                    write_meta(connection, info, parents)
            finally:
                connection.close()
    finally:
        lock.release()


def _refuse_existing(path: Path) -> None:
    if path.exists():
        raise RecordError(
            f"{path} exists already. Open it to go on with it, or delete it to start again."
        )


def _connect_workpiece(path: Path) -> sqlite3.Connection:
    """Open a file that nobody sees yet; if this process dies it is rubbish, so do not sync it."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode=MEMORY")
    connection.execute("PRAGMA synchronous=OFF")
    return connection


def _write_new(path: Path, market: Market, info: RecordInfo) -> None:
    connection = _connect_workpiece(path)
    try:
        with transaction(connection):
            for statement in ddl():
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version={SCHEMA_VERSION}")
            write_meta(connection, info, ())
            for table, entity in TABLES.items():
                if entity not in (Event, Turn):
                    _insert(connection, table, getattr(market, table).values())
            _insert(connection, "events", market.new_events)
            _insert(connection, "turns", market.new_turns)
            connection.execute(
                "INSERT INTO ticks VALUES (?, ?, ?)",
                (market.tick - 1, len(market.new_turns), len(market.new_events)),
            )
    finally:
        connection.close()


def _insert(connection: sqlite3.Connection, table: str, rows: Iterable[Any]) -> None:
    """Write rows; a changed row replaces the one with its id."""
    connection.executemany(_STATEMENTS[table], map(_VALUES[table], rows))


def _statement(table: str) -> str:
    names = [*_plain_columns(table), *_json_columns(table)]
    marks = ",".join("?" * len(names))
    # A log only grows: a row that is there already is a fault.
    insert = "INSERT" if table in ("events", "turns") else "INSERT OR REPLACE"
    return f"{insert} INTO {table} ({', '.join(names)}) VALUES ({marks})"


def _values_of(table: str) -> Callable[[Any], tuple[Any, ...]]:
    """What reads a row's values in the order of ``_statement``."""
    plain = attrgetter(*_plain_columns(table))
    if not _json_columns(table):
        return plain
    as_json = attrgetter(*_json_columns(table))

    def values(row: Any) -> tuple[Any, ...]:
        return plain(row) + tuple([_encode(value) if value else "{}" for value in as_json(row)])

    return values


def _plain_columns(table: str) -> list[str]:
    return [name for name in columns(table) if name not in JSON_COLUMNS]


def _json_columns(table: str) -> list[str]:
    return [name for name in columns(table) if name in JSON_COLUMNS]


_STATEMENTS = {table: _statement(table) for table in TABLES}
_VALUES = {table: _values_of(table) for table in TABLES}
