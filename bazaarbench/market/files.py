"""The files of a record: refusing what is none, opening, locking, and putting whole files in place.

A record at rest is a single SQLite file. While a run works on it, SQLite's write-ahead log lies
beside it (``-wal``, ``-shm``), and ``<record>.lock`` with ``<record>.writer`` say who works.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from bazaarbench.errors import RecordError
from bazaarbench.market.schema import APPLICATION_ID, SCHEMA_VERSION

_MAGIC = b"SQLite format 3\0"
_HEADER_BYTES = 100
#: How long to wait for another program's hold on the file, in seconds.
_PATIENCE_S = 5.0
#: Every tick changes rows all over the file; SQLite's own 2 MB would read their pages again.
_CACHE_KIB = 16_384
#: How long the end of a run waits for readers before it leaves the write-ahead log in place.
_CLOSING_PATIENCE_MS = 1_000

_DAMAGED = "the file is damaged. Restore it from a copy, or delete it and build it again"

#: What SQLite's primary result codes mean to the person who runs this, and what to do.
_REASONS = {
    sqlite3.SQLITE_FULL: "the disk is full. Free some space and run again; nothing is half-written",
    sqlite3.SQLITE_BUSY: "another program has locked it. Close that program and run again",
    sqlite3.SQLITE_LOCKED: "another program has locked it. Close that program and run again",
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    sqlite3.SQLITE_NOTADB: _DAMAGED,
    sqlite3.SQLITE_READONLY: "the file or its folder is read-only. Copy it to a writable folder",
    sqlite3.SQLITE_PERM: "the file or its folder is read-only. Copy it to a writable folder",
    sqlite3.SQLITE_CANTOPEN: "the file cannot be opened. Check its folder and its permissions",
    sqlite3.SQLITE_IOERR: "the disk reports an error, or is full. Check it and run again",
}

#: What may keep a write-ahead log from being folded in, without harm.
_PUT_OFF = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_FULL})

#: A killed writer's change has to be taken back, or its log taken in, before anything can be read.
_UNFINISHED = frozenset(
    {
        sqlite3.SQLITE_READONLY_ROLLBACK,
        sqlite3.SQLITE_READONLY_RECOVERY,
        sqlite3.SQLITE_READONLY_CANTINIT,
    }
)


@contextmanager
def explained(path: Path, doing: str) -> Iterator[None]:
    """Turn what the disk or SQLite report into one message; a defect of ours passes unchanged.

    Args:
        path: the file it is about.
        doing: what was being done, so that "cannot <doing> <path>" is a sentence.
    """
    try:
        yield
    except (sqlite3.ProgrammingError, sqlite3.IntegrityError):
        raise  # ours: a closed connection, or a row that breaks a rule of the schema
    except sqlite3.DatabaseError as error:
        # Beside a damaged page: a missing table or column, or text that is no UTF-8.
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        reason = _REASONS.get(code, _DAMAGED)
        raise RecordError(f"cannot {doing} {path}: {reason} (SQLite: {error}).") from error
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise RecordError(f"cannot {doing} {path}: {_DAMAGED} ({error}).") from error
    except OSError as error:
        raise RecordError(
            f"cannot {doing} {path}: {error.strerror or error}. Check that the folder exists, can "
            "be written and has free space."
        ) from error


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """``explained`` around code that does nothing but read a record and understand its rows.

    A whole record holds everything that its rows refer to and every value in its place, so a key
    that is missing or a value of another kind is damage too, whatever it is that trips over it.
    """
    with explained(path, "read"):
        try:
            yield
        except (json.JSONDecodeError, UnicodeDecodeError):
            raise
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise RecordError(
                f"cannot read {path}: {_DAMAGED} ({type(error).__name__}: {error!s:.200})."
            ) from error


def file_of(connection: sqlite3.Connection) -> Path:
    """The file that a connection is open on."""
    return Path(connection.execute("PRAGMA database_list").fetchone()[2])


def check(path: Path, *, what: str = "record", application_id: int = APPLICATION_ID) -> None:
    """Refuse a file that is not a whole one of ours; reads only its first hundred bytes.

    Args:
        path: the file.
        what: how messages call it.
        application_id: the number in the header that tells our files from others.

    Raises:
        RecordError: missing, a folder, not SQLite, foreign, cut off, or of another schema version.
    """
    if not path.exists():
        raise RecordError(f"there is no {what} at {path}. Check the path.")
    with explained(path, f"read the {what}"), path.open("rb") as file:
        header = file.read(_HEADER_BYTES)
    if len(header) < _HEADER_BYTES or not header.startswith(_MAGIC):
        raise RecordError(f"{path} is not a {what}: it is not an SQLite file.")
    if _number(header, 68) != application_id:
        raise RecordError(f"{path} is not a {what}: it is an SQLite file of something else.")
    version = _number(header, 60)
    if version != SCHEMA_VERSION:
        raise RecordError(
            f"{path} has record schema {version}; this BazaarBench reads schema {SCHEMA_VERSION}. "
            + ("Upgrade BazaarBench." if version > SCHEMA_VERSION else "Build the record again.")
        )
    missing = _missing_bytes(path, header)
    if missing > 0:
        raise RecordError(
            f"{path} is cut off: {missing} bytes are missing at its end. Restore it from a copy, "
            "or build it again."
        )


def _number(header: bytes, offset: int) -> int:
    return int.from_bytes(header[offset : offset + 4], "big")


def _missing_bytes(path: Path, header: bytes) -> int:
    """How far the file falls short of the page count in its header."""
    if wal_of(path).exists() or _number(header, 24) != _number(header, 92):
        return 0  # the pages may still be in the write-ahead log, or the count is not up to date
    page_size = int.from_bytes(header[16:18], "big")
    page_size = 65_536 if page_size == 1 else page_size
    return page_size * _number(header, 28) - path.stat().st_size


def _journal_of(path: Path) -> Path:
    return path.with_name(path.name + "-journal")


def wal_of(path: Path) -> Path:
    """Where SQLite keeps the write-ahead log of a file."""
    return path.with_name(path.name + "-wal")


def connect(path: Path) -> sqlite3.Connection:
    """Open for writing, with a write-ahead log; transactions are begun by hand."""
    # For every None that is bound sqlite3 looks for somebody who adapts it, and a look that fails
    # costs several times the binding. What answers here knows nothing, which is None again.
    sqlite3.register_adapter(type(None), dict[None, None]().get)
    connection = sqlite3.connect(path, isolation_level=None, timeout=_PATIENCE_S)
    try:
        connection.execute("PRAGMA journal_mode=WAL")
        # Enough for every killed process; after a power cut the newest ticks may be missing whole.
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute(f"PRAGMA cache_size=-{_CACHE_KIB}")
    except BaseException:
        connection.close()
        raise
    return connection


def connect_read_only(path: Path) -> sqlite3.Connection:
    """Open for reading without changing a byte of a whole file; a run may be writing it.

    A process that was killed in the middle of a change that SQLite had not finished leaves a
    journal beside the file. Nobody can read it before that change is taken back, so it is.
    """
    try:
        return _read_only(path)
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode not in _UNFINISHED:
            raise
    with closing(sqlite3.connect(path, isolation_level=None, timeout=_PATIENCE_S)) as recovering:
        recovering.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    return _read_only(path)


def _read_only(path: Path) -> sqlite3.Connection:
    uri = f"{path.absolute().as_uri()}?mode=ro"
    if _is_wal(path) and not wal_of(path).exists() and not _journal_of(path).exists():
        # Left in this mode by a run and complete: opening it plainly would create files beside it.
        uri += "&immutable=1"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=_PATIENCE_S)
    try:
        connection.execute("PRAGMA query_only=ON")
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    except BaseException:
        connection.close()
        raise
    return connection


def _is_wal(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(20)[18:] == b"\2\2"


def quick_check(connection: sqlite3.Connection, path: Path) -> None:
    """Read every page and refuse a damaged file.

    Raises:
        RecordError: SQLite's own check finds a fault.
    """
    (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if verdict != "ok":
        raise RecordError(
            f"{path} is damaged ({verdict}). Restore it from a copy, or build it again."
        )


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """One write transaction: all of it, or nothing when anything raises."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        # SQLite has already rolled back by itself after some errors, a full disk among them.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def close_single(connection: sqlite3.Connection, *finishing: str) -> None:
    """Close and leave one closed file, if that can be done now.

    While another program is reading, or when the disk is full, SQLite cannot fold the write-ahead
    log in; then it stays beside the file, nothing is lost, and the next opening for writing takes
    it in.

    Args:
        connection: open for writing, in no transaction.
        finishing: statements to run before, of the kind that can as well be run next time.
    """
    statements = (
        f"PRAGMA busy_timeout={_CLOSING_PATIENCE_MS}",
        *finishing,
        "PRAGMA wal_checkpoint(TRUNCATE)",
        "PRAGMA journal_mode=DELETE",
    )
    try:
        for statement in statements:
            connection.execute(statement)
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF not in _PUT_OFF:
            raise
    finally:
        connection.close()


def copy_closed(source: Path, target: Path) -> None:
    """Write what ``source`` holds to ``target`` as one closed file.

    A closed file is copied as it is; one with a write-ahead log goes through SQLite's backup, which
    is a consistent picture even while a run is writing.
    """
    if not _is_wal(source):
        shutil.copyfile(source, target)
        return
    reader = connect_read_only(source)
    try:
        writer = sqlite3.connect(target, isolation_level=None)
        try:
            reader.backup(writer)
            writer.execute("PRAGMA journal_mode=DELETE")
        finally:
            writer.close()
    finally:
        reader.close()


@contextmanager
def appearing(path: Path) -> Iterator[Path]:
    """A path beside ``path`` to write to; it takes ``path``'s place when all went well."""
    path.parent.mkdir(parents=True, exist_ok=True)
    workpiece = path.with_name(f".{path.name}.{os.getpid()}.new")
    workpiece.unlink(missing_ok=True)
    try:
        yield workpiece
        os.replace(workpiece, path)
    finally:
        workpiece.unlink(missing_ok=True)


class WriterLock:
    """The right to write a record, held by one process; the system frees it when that one dies."""

    def __init__(self, path: Path) -> None:
        """Take the lock of the record at ``path``.

        Raises:
            RecordError: somebody has it; the message names the process and the machine.
        """
        self._note = path.with_name(path.name + ".writer")
        with explained(path, "lock"):
            path.parent.mkdir(parents=True, exist_ok=True)
            self._lock = FileLock(path.with_name(path.name + ".lock"))
            try:
                self._lock.acquire(timeout=0)
            except Timeout:
                raise RecordError(
                    f"{path} is being written by {self._holder()}. A record has one writer: wait "
                    "for it to end, or stop it, and run again."
                ) from None
            self._note.write_text(
                json.dumps({"pid": os.getpid(), "host": socket.gethostname()}), encoding="utf-8"
            )

    def release(self) -> None:
        """Let others write."""
        self._note.unlink(missing_ok=True)
        self._lock.release()

    def _holder(self) -> str:
        try:
            note = json.loads(self._note.read_text(encoding="utf-8"))
            return f"process {note['pid']} on {note['host']}"
        except (OSError, ValueError, KeyError, TypeError):
            return "another process"  # it has only just taken the lock and not said who it is
