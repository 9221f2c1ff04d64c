"""The digest of a record: what "identical" means (SPEC §1)."""

from __future__ import annotations

import json
import sqlite3
from hashlib import sha256
from pathlib import Path

from bazaarbench.market.files import check, connect_read_only, reading
from bazaarbench.market.rules import digested
from bazaarbench.market.schema import DIGEST_TABLES, columns

_CHUNK_ROWS = 2_000
#: ASCII and compact: the same bytes with every version of Python and of SQLite.
_encode = json.JSONEncoder(separators=(",", ":")).encode


def digest(source: Path | str | sqlite3.Connection) -> str:
    """SHA-256 over the canonical rows of a record's market tables and its rules.

    For each table in order: the compact JSON array of its name and its columns, a line feed, then
    all rows as one compact JSON array of arrays without its outer brackets, ascending by id, and a
    line feed; at the end the rules (``rules.digested``) as compact JSON with sorted keys. Model
    texts, usage, latency and turns are outside.

    Args:
        source: a record's path, or a connection to one.

    Returns:
        64 hex digits.
    """
    if isinstance(source, sqlite3.Connection):
        return _digest(source)
    path = Path(source)
    check(path)
    with reading(path):
        connection = connect_read_only(path)
        try:
            # One transaction, so that all tables are of the same tick while a run is writing.
            connection.execute("BEGIN")
            return _digest(connection)
        finally:
            connection.close()


def _digest(connection: sqlite3.Connection) -> str:
    total = sha256()
    for table, left_out in DIGEST_TABLES.items():
        names = [name for name in columns(table) if name not in left_out]
        total.update(f"{_encode([table, names])}\n".encode())
        rows = connection.execute(f"SELECT {', '.join(names)} FROM {table} ORDER BY {names[0]}")
        first = True
        while chunk := rows.fetchmany(_CHUNK_ROWS):
            text = _encode(chunk)[1:-1]
            total.update((text if first else f",{text}").encode())
            first = False
        total.update(b"\n")
    info = connection.execute("SELECT value FROM meta WHERE key = 'info'").fetchone()
    rules = digested(json.loads(info[0])["rules"])
    total.update(json.dumps(rules, sort_keys=True, separators=(",", ":")).encode())
    return total.hexdigest()
