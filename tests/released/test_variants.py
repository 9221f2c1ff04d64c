"""The spoilt and shaped copies are spoilt and shaped as they say."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.released.generator import bulk, variants
from tests.released.generator.core import Settings
from tests.released.generator.schema import OLD
from tests.released.generator.script import play
from tests.released.stories import BY_NAME


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("variants") / "base.db"
    return bulk.grow(path, events=6_000, agents=20, seed=5)


def rows(path: Path, query: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
        return db.execute(query).fetchall()


def test_variants_are_what_they_say(tmp_path: Path, source: Path) -> None:
    before = source.read_bytes()
    cut = variants.truncated_log(source, tmp_path / "cut.db", 300)
    assert rows(cut, "SELECT max(tick) FROM events") == [(300,)]
    assert rows(cut, "SELECT max(created_at_tick) > 300 FROM listings") == [(1,)]
    ((note,),) = rows(cut, "SELECT value FROM meta WHERE key = 'truncated_base_note'")
    assert json.loads(note) == {"target_max_tick": 300, "source_max_tick": 361}
    bare = variants.null_truths(source, tmp_path / "bare.db")
    assert rows(bare, "SELECT count(ground_truth_quality_pct) FROM listings") == [(0,)]
    assert "ground_truth" not in str(rows(bare, "SELECT persona_json FROM agents LIMIT 5"))
    old = variants.relaid(source, tmp_path / "old.db", OLD)
    assert rows(old, "SELECT count(*) FROM events") == rows(source, "SELECT count(*) FROM events")
    assert rows(old, "SELECT value FROM meta WHERE key = 'schema_version'") == [("0",)]
    plain = variants.without_registration(source, tmp_path / "plain.db")
    registered = "SELECT * FROM events WHERE action_type = 'platform_register_agent'"
    assert rows(plain, registered) == []
    earlier = variants.stretched_history(source, tmp_path / "earlier.db")
    first = "SELECT min(created_at_tick) FROM listings"
    assert rows(earlier, first)[0][0] == 2 * rows(source, first)[0][0] < 0
    newer = variants.newer_version(source, tmp_path / "newer.db")
    assert rows(newer, "SELECT value FROM meta WHERE key = 'schema_version'") == [("3",)]
    wal = variants.wal_header(source, tmp_path / "wal.db")
    assert wal.read_bytes()[18:20] == b"\x02\x02"
    assert not Path(f"{wal}-wal").exists()
    assert source.read_bytes() == before


def test_files_that_are_no_released_database(tmp_path: Path, source: Path) -> None:
    assert variants.empty(tmp_path / "a").stat().st_size == 0
    assert rows(variants.tableless(tmp_path / "b"), "SELECT * FROM sqlite_master") == []
    for number, make in enumerate((variants.foreign, variants.namesake)):
        path = make(tmp_path / f"c{number}")
        assert rows(path, "PRAGMA integrity_check") == [("ok",)]
    for number, spoil in enumerate((variants.cut_short, variants.scrambled)):
        path = spoil(source, tmp_path / f"d{number}")
        with pytest.raises(sqlite3.DatabaseError):
            assert rows(path, "PRAGMA integrity_check") == [("ok",)] or rows(
                path, "SELECT count(*), sum(length(payload)) FROM events"
            )
    for path in (
        variants.plain_text(tmp_path / "e"),
        variants.zipped(source, tmp_path / "f"),
    ):
        with pytest.raises(sqlite3.DatabaseError):
            rows(path, "SELECT * FROM sqlite_master")
    lost = variants.missing_table(source, tmp_path / "g", "offers")
    assert rows(lost, "SELECT * FROM sqlite_master WHERE name = 'offers'") == []
    broken = variants.broken_payload(source, tmp_path / "h")
    assert rows(broken, "SELECT count(*) FROM events WHERE NOT json_valid(payload)") == [(1,)]


@pytest.mark.parametrize(("per_day", "tick"), [(12, -20 * 12), (24, -20 * 24)])
def test_history_lies_at_days_times_the_ticks_of_a_day(
    tmp_path: Path, per_day: int, tick: int
) -> None:
    path = play(BY_NAME["history_in_a_base"], tmp_path, Settings(ticks_per_day=per_day)).path
    ticks = rows(path, "SELECT min(created_at_tick) FROM listings WHERE is_seeded = 1")
    assert ticks == [(tick,)]
    assert rows(path, "SELECT count(*) FROM events WHERE tick < 0") == [(0,)]
    assert rows(path, "SELECT count(*) FROM agents WHERE is_seeded = 1") == [(2,)]
