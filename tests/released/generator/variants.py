"""Copies of a database that are spoilt or shaped in one known way, and files that are none."""

from __future__ import annotations

import gzip
import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from tests.released.generator import schema
from tests.released.generator.schema import Layout


@contextmanager
def _copied(source: Path, path: Path) -> Iterator[sqlite3.Connection]:
    """A connection to a fresh copy; the source is only read."""
    shutil.copyfile(source, path)
    with closing(sqlite3.connect(path)) as connection, connection:
        yield connection


# -------------------------------------------------------------------------- shapes that are allowed


def truncated_log(source: Path, path: Path, target: int) -> Path:
    """The log cut after tick `target` while the tables keep their state, as some bases have it."""
    with _copied(source, path) as db:
        (last,) = db.execute("SELECT max(tick) FROM events").fetchone()
        db.execute("DELETE FROM events WHERE tick > ?", (target,))
        note = json.dumps({"target_max_tick": target, "source_max_tick": last})
        db.execute("INSERT INTO meta VALUES ('truncated_base_note', ?)", (note,))
    return path


def null_truths(source: Path, path: Path, *, units: bool = True) -> Path:
    """No listing has a ground truth or a cost and, with `units`, no inventory row either."""
    with _copied(source, path) as db:
        db.execute(
            "UPDATE listings SET ground_truth_quality_pct = NULL, acquisition_cost_cents = NULL"
        )
        for agent, text in db.execute("SELECT agent_id, persona_json FROM agents").fetchall():
            persona = json.loads(text)
            for unit in persona["inventory_items"] if units else ():
                unit.pop("ground_truth_quality_pct", None)
                unit.pop("acquisition_cost_cents", None)
            db.execute(
                "UPDATE agents SET persona_json = ? WHERE agent_id = ?",
                (json.dumps(persona), agent),
            )
    return path


def relaid(source: Path, path: Path, layout: Layout) -> Path:
    """The same rows under another column set; what it lacks is lost, what it adds is empty."""
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as db:
        schema.create(db, layout)
        db.execute("ATTACH ? AS source", (f"file:{source}?mode=ro",))
        for table, names in schema.column_names(layout).items():
            had = {row[1] for row in db.execute(f"PRAGMA source.table_info({table})")}
            shared = ", ".join(name for name in names if name in had)
            keep = "WHERE key != 'schema_version'" if table == "meta" else ""
            db.execute(
                f"INSERT INTO main.{table} ({shared}) SELECT {shared} FROM source.{table} {keep}"
            )
        db.commit()
    return path


def without_registration(source: Path, path: Path) -> Path:
    """No agent in the log, as in worlds that were built elsewhere."""
    with _copied(source, path) as db:
        db.execute("DELETE FROM events WHERE action_type = 'platform_register_agent'")
    return path


def with_meta(source: Path, path: Path, **values: str | None) -> Path:
    """Other meta rows; None takes one away."""
    with _copied(source, path) as db:
        for key, value in values.items():
            db.execute("DELETE FROM meta WHERE key = ?", (key,))
            if value is not None:
                db.execute("INSERT INTO meta VALUES (?, ?)", (key, value))
    return path


def stretched_history(source: Path, path: Path, factor: int = 2) -> Path:
    """History as written under another tick length: 2 turns −days × 12 into −days × 24."""
    columns = {
        "listings": ("created_at_tick", "sold_at_tick"),
        "threads": ("created_at_tick", "last_msg_tick"),
        "offers": ("tick",),
        "meetups": ("scheduled_tick", "delivered_at_tick"),
        "ratings": ("tick",),
        "ledger_entries": ("tick",),
    }
    with _copied(source, path) as db:
        for table, names in columns.items():
            for name in names:
                db.execute(f"UPDATE {table} SET {name} = {name} * ? WHERE {name} < 0", (factor,))
    return path


def wal_header(source: Path, path: Path) -> Path:
    """A file whose header still says WAL, without a log beside it, as the package leaves it."""
    with _copied(source, path) as db:
        db.execute("PRAGMA journal_mode = WAL")
    for suffix in ("-wal", "-shm"):
        Path(f"{path}{suffix}").unlink(missing_ok=True)
    return path


# ------------------------------------------------------------------------ what must be refused, why


def newer_version(source: Path, path: Path, version: str = "3") -> Path:
    """A schema version that is not known yet."""
    return with_meta(source, path, schema_version=version)


def missing_table(source: Path, path: Path, table: str = "events") -> Path:
    """A released database that has lost a table."""
    with _copied(source, path) as db:
        db.execute(f"DROP TABLE {table}")
    return path


def cut_short(source: Path, path: Path, share: float = 0.5) -> Path:
    """A download that broke off."""
    whole = source.read_bytes()
    path.write_bytes(whole[: int(len(whole) * share)])
    return path


def scrambled(source: Path, path: Path) -> Path:
    """The right length and header, but pages in the middle overwritten."""
    whole = bytearray(source.read_bytes())
    middle = len(whole) // 2
    whole[4096:middle] = bytes((index * 37 + 11) % 256 for index in range(middle - 4096))
    path.write_bytes(whole)
    return path


def empty(path: Path) -> Path:
    """Not one byte."""
    path.write_bytes(b"")
    return path


def tableless(path: Path) -> Path:
    """A valid SQLite file without a table."""
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as db:
        db.execute("VACUUM")
    return path


def foreign(path: Path) -> Path:
    """Somebody else's SQLite file."""
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE albums (id INTEGER PRIMARY KEY, title TEXT, artist TEXT)")
        db.execute("INSERT INTO albums (title, artist) VALUES ('Kind of Blue', 'Miles Davis')")
    return path


def namesake(path: Path) -> Path:
    """Somebody else's file whose tables have some of the same names."""
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT)")
        db.execute("INSERT INTO meta VALUES ('schema_version', '2')")
        db.execute("CREATE TABLE events (id INTEGER PRIMARY KEY, starts TEXT, title TEXT)")
        db.execute("CREATE TABLE agents (id INTEGER PRIMARY KEY, phone TEXT)")
        db.execute("INSERT INTO events (starts, title) VALUES ('2026-01-01', 'New Year')")
    return path


def plain_text(path: Path) -> Path:
    """A text file with a database's name."""
    path.write_text("404: Not Found\n", encoding="utf-8")
    return path


def zipped(source: Path, path: Path) -> Path:
    """Still compressed."""
    path.write_bytes(gzip.compress(source.read_bytes(), mtime=0))
    return path


def broken_payload(source: Path, path: Path) -> Path:
    """An event whose payload is no JSON; only files without CHECKs can hold one."""
    with _copied(source, path) as db:
        db.execute("PRAGMA ignore_check_constraints = ON")
        db.execute(
            "UPDATE events SET payload = '{\"listing_id\": ' "
            "WHERE event_id = (SELECT max(event_id) FROM events WHERE agent_id IS NOT NULL)"
        )
    return path
