"""The digest sees the market and nothing but the market (SPEC §1 "digest")."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from bazaarbench.market.record import (
    Record,
    digest,
    fork,
    read_only,
)
from bazaarbench.market.schema import DIGEST_TABLES
from tests.market.rows import founded, info_of, made


def test_the_digest_of_a_known_market_is_known(tmp_path: Path) -> None:
    """Pinned: it changes only when the schema or the canonical form does."""
    market = founded()
    Record.create(tmp_path / "m.db", market, info_of(market)).close()
    assert digest(tmp_path / "m.db") == digest(read_only(tmp_path / "m.db"))
    assert digest(tmp_path / "m.db") == (
        "1bf4aa8358d19fe989faf9db505f8b0426c1184fb7fbb1292ba13354b2a2bec2"
    )


@pytest.mark.parametrize("table", DIGEST_TABLES)
def test_the_digest_sees_a_changed_row_of_every_market_table(tmp_path: Path, table: str) -> None:
    path = tmp_path / "m.db"
    market = made(path, ticks=30)
    before = digest(path)
    with sqlite3.connect(path) as record:
        names = [row[1] for row in record.execute(f"PRAGMA table_info({table})")]
        (count,) = record.execute(f"SELECT count(*) FROM {table}").fetchone()
        key = names[0]
        record.execute(
            f"UPDATE {table} SET {key} = {key} + 1000000 "
            f"WHERE {key} = (SELECT max({key}) FROM {table})"
        )
    record.close()
    assert count > 0, f"{market!r} holds no row of {table}"
    assert digest(path) != before


def test_the_digest_leaves_out_turns_and_sees_rules(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    market = made(path)
    before = digest(path)
    with sqlite3.connect(path) as record:
        record.execute("UPDATE turns SET note = 'else', turn_id = turn_id + 50")
        record.execute("UPDATE events SET turn_id = turn_id + 50")
    record.close()
    assert digest(path) == before
    rules = market.rules.model_copy(update={"apply_order": "hashed"})
    fork(path, tmp_path / "run.db", info_of(market, rules=rules, start_tick=3))
    assert digest(tmp_path / "run.db") != before
