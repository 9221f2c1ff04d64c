"""A record is whole or absent, has one writer, and says clearly what is wrong (SPEC §1, §13)."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bazaarbench.errors import RecordError
from bazaarbench.market.load import load, same_state
from bazaarbench.market.record import (
    Record,
    copy,
    digest,
    fork,
    read_info,
    read_only,
    read_texts,
)
from bazaarbench.market.schema import DIGEST_TABLES
from bazaarbench.market.state import Market
from bazaarbench.market.texts import TextStore, text_path
from bazaarbench.versions import BENCHMARK_VERSION
from tests.market.rows import Wanderer, founded, info_of, turn


def made(path: Path, *, ticks: int = 3, seed: int = 1) -> Market:
    """A closed record at ``path`` after ``ticks`` ticks, and the live state of its market."""
    market = founded(seed=seed)
    wanderer = Wanderer(market, seed)
    with Record.create(path, market, info_of(market)) as record:
        for _ in range(ticks):
            wanderer.play_tick()
            record.commit(market)
    return market


# ------------------------------------------------------------------------------------- the writer


def test_a_closed_record_is_one_file_that_ends_at_its_last_tick(tmp_path: Path) -> None:
    market = made(tmp_path / "m.db", ticks=4)
    assert {p.name for p in tmp_path.iterdir()} == {"m.db", "m.db.lock"}
    info, last = read_info(tmp_path / "m.db")
    assert (info, last) == (info_of(market), 4)
    assert market.tick == 5
    assert (tmp_path / "m.db").read_bytes()[18:20] == b"\1\1", "no write-ahead log is announced"


def test_a_commit_counts_turns_and_events_and_leaves_nothing_to_write(tmp_path: Path) -> None:
    market = founded()
    with Record.create(tmp_path / "m.db", market, info_of(market)) as record:
        market.log("do_nothing", {}, agent_id=1)
        market.log("do_nothing", {}, agent_id=2)
        market.log_turn(turn(1, 1, 1))
        record.commit(market)
        assert not market.dirty
        assert not market.new_events
        assert (record.last_tick, market.tick) == (1, 2)
        rows = record.connection.execute("SELECT * FROM ticks").fetchall()
    assert rows == [(0, 0, 6), (1, 1, 2)]


def test_a_commit_that_does_not_follow_the_last_tick_is_refused_whole(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    market = made(path)
    with Record.open(path) as record:
        market.tick += 1
        market.log("do_nothing", {}, agent_id=1)
        before = digest(record.connection)
        with pytest.raises(RecordError, match="ends at tick 3, so tick 5 cannot follow"):
            record.commit(market)
        assert digest(record.connection) == before
        assert len(market.new_events) == 1, "the market keeps what it could not write"
        market.tick -= 1
        record.commit(market)
    assert read_info(path)[1] == 4


def test_what_cannot_be_written_leaves_record_and_market_as_they_were(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    market = made(path)
    with Record.open(path) as record:
        (pages,) = record.connection.execute("PRAGMA page_count").fetchone()
        record.connection.execute(f"PRAGMA max_page_count={pages}")
        Wanderer(market, 9).play_tick(300)
        with pytest.raises(RecordError, match=r"write tick 4 to .*m\.db: the disk is full"):
            record.commit(market)
        assert market.tick == 4
        assert read_info(path)[1] == 3
        record.connection.execute("PRAGMA max_page_count=1000000")
        record.commit(market)
        assert same_state(load(record.connection), market)


def test_a_second_writer_is_refused_and_told_who_is_writing(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    made(path)
    with Record.open(path):
        with pytest.raises(RecordError, match=f"process {os.getpid()} on .*one writer"):
            Record.open(path)
        script = (
            "import sys; from bazaarbench.market.record import Record; Record.open(sys.argv[1])"
        )
        other = subprocess.run(
            [sys.executable, "-c", script, path], capture_output=True, text=True, check=False
        )
        assert other.returncode == 1
        assert f"is being written by process {os.getpid()}" in other.stderr
    Record.open(path).close()


def test_an_existing_record_is_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    made(path)
    before = path.read_bytes()
    market = founded()
    with pytest.raises(RecordError, match="exists already"):
        Record.create(path, market, info_of(market))
    with pytest.raises(RecordError, match="exists already"):
        fork(path, path, info_of(market, start_tick=3))
    assert path.read_bytes() == before


def test_a_failed_creation_leaves_nothing(tmp_path: Path) -> None:
    market = founded()
    market.listings[1].price_cents = -1
    with pytest.raises(sqlite3.IntegrityError):
        Record.create(tmp_path / "m.db", market, info_of(market))
    assert {p.name for p in tmp_path.iterdir()} == {"m.db.lock"}
    market.listings[1].price_cents = 1
    Record.create(tmp_path / "m.db", market, info_of(market)).close()


def test_info_of_another_market_is_refused(tmp_path: Path) -> None:
    market = founded()
    with pytest.raises(ValueError, match="another seed"):
        Record.create(tmp_path / "m.db", market, info_of(market, seed=market.seed + 1))


# ------------------------------------------------------------------------------------------- kills

_KILLED = """
import sys
from pathlib import Path
from bazaarbench.market.load import load
from bazaarbench.market.record import Record
from tests.market.rows import Wanderer
record = Record.open(sys.argv[1])
market = load(record.connection)
print("ready", flush=True)
while True:
    Wanderer(market, market.tick).play_tick(40)
    record.texts.put(f"text of tick {market.tick}")
    record.commit(market)
"""


def test_a_writer_killed_at_any_moment_leaves_its_last_tick_whole(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    made(path, ticks=0)
    chance, start = random.Random(3), 0
    for _ in range(6):
        writer = subprocess.Popen(
            [sys.executable, "-c", _KILLED, path], stdout=subprocess.PIPE, cwd=os.getcwd()
        )
        assert writer.stdout is not None
        writer.stdout.readline()
        time.sleep(chance.uniform(0.01, 0.15))
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        writer.stdout.close()
        last = read_info(path)[1]
        assert last >= start
        connection = read_only(path)
        ticks = connection.execute("SELECT tick, events FROM ticks").fetchall()
        events = connection.execute("SELECT tick, count(*) FROM events GROUP BY tick").fetchall()
        assert [tick for tick, _ in ticks] == list(range(last + 1))
        assert dict(events) == {tick: n for tick, n in ticks if n}
        connection.close()
        start = last
    assert start > 10, "the kills must fall into running markets for this test to mean much"
    # The same market, played without a kill.
    whole = tmp_path / "whole.db"
    made(whole, ticks=0)
    with Record.open(whole) as record:
        market = load(record.connection)
        while market.tick <= start:
            Wanderer(market, market.tick).play_tick(40)
            record.commit(market)
    with Record.open(path) as record:
        assert same_state(load(record.connection), market)
        assert [record.texts.get(record.texts.put(f"text of tick {t}")) for t in (1, start)]
    assert digest(path) == digest(whole)
    with read_texts(path) as texts:
        for tick in range(1, start + 1):
            key = TextStore(tmp_path / "none.db").put(f"text of tick {tick}")
            assert texts.get(key) == f"text of tick {tick}"


# -------------------------------------------------------------------------------- reading, copying


def test_reading_changes_no_byte_and_makes_no_file(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    market = made(path)
    before, files = path.read_bytes(), set(tmp_path.iterdir())
    connection = read_only(path)
    assert same_state(load(connection), market)
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        connection.execute("DELETE FROM events")
    connection.close()
    digest(path)
    assert (path.read_bytes(), set(tmp_path.iterdir())) == (before, files)


def test_a_reader_sees_committed_ticks_while_the_writer_works(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    market = made(path)
    with Record.open(path) as record:
        Wanderer(market, 5).play_tick()
        assert read_info(path)[1] == 3
        record.commit(market)
        assert read_info(path)[1] == 4
        assert digest(path) == digest(record.connection)


def test_a_reader_that_stays_does_not_break_the_end_of_a_run(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    market = made(path)
    record = Record.open(path)
    reader = read_only(path)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM events").fetchone()
    Wanderer(market, 5).play_tick()
    record.commit(market)
    record.close()
    expected = digest(path)
    reader.close()
    copy(path, tmp_path / "copy.db")
    assert read_info(tmp_path / "copy.db")[1] == 4
    assert digest(tmp_path / "copy.db") == digest(path) == expected
    Record.open(path).close()
    assert path.read_bytes()[18:20] == b"\1\1"


def test_a_copy_made_while_the_writer_works_is_one_closed_file(tmp_path: Path) -> None:
    path, target = tmp_path / "m.db", tmp_path / "out" / "m.db"
    market = made(path)
    with Record.open(path) as record:
        Wanderer(market, 5).play_tick()
        record.commit(market)
        copy(path, target)
    assert [p.name for p in target.parent.iterdir()] == ["m.db"]
    assert digest(target) == digest(path)
    copy(path, target)


# -------------------------------------------------------------------------------------------- forks


def test_a_fork_holds_the_same_market_under_its_own_settings(tmp_path: Path) -> None:
    source, target = tmp_path / "base.db", tmp_path / "deep" / "run.db"
    market = made(source)
    before = source.read_bytes()
    info = info_of(market, start_tick=3, end_tick=87, condition="L2", tested=(1, 6))
    fork(source, target, info)
    assert source.read_bytes() == before
    assert read_info(target) == (info, 3)
    assert digest(target) == digest(source)
    assert same_state(load(read_only(target)), market)


def test_a_fork_plays_on_and_its_source_stays(tmp_path: Path) -> None:
    source, target = tmp_path / "base.db", tmp_path / "run.db"
    market = made(source)
    base = digest(source)
    fork(source, target, info_of(market, start_tick=3))
    with Record.open(target) as record:
        loaded = load(record.connection)
        Wanderer(loaded, 4).play_tick()
        record.commit(loaded)
    assert digest(source) == base != digest(target)


def test_a_fork_of_a_record_that_was_killed_takes_its_write_ahead_log_along(
    tmp_path: Path,
) -> None:
    path = tmp_path / "m.db"
    market = made(path)
    with Record.open(path) as record:
        Wanderer(market, 5).play_tick()
        record.commit(market)
        killed = tmp_path / "killed.db"
        for end in ("", "-wal"):
            shutil.copyfile(f"{path}{end}", f"{killed}{end}")
    fork(killed, tmp_path / "run.db", info_of(market, start_tick=4))
    assert digest(tmp_path / "run.db") == digest(path)


def test_a_fork_must_start_where_its_source_ends(tmp_path: Path) -> None:
    market = made(tmp_path / "base.db")
    with pytest.raises(RecordError, match="ends at tick 3: a continuation of it cannot start"):
        fork(tmp_path / "base.db", tmp_path / "run.db", info_of(market, start_tick=360))
    assert not (tmp_path / "run.db").exists()


def test_another_benchmark_version_is_read_but_not_continued(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    market = made(path)
    other = str(int(BENCHMARK_VERSION.split("-")[0]) + 1) + "-A"
    _set_info(path, lambda info: info.update(benchmark_version=other))
    assert read_info(path)[0].benchmark_version == other
    with pytest.raises(RecordError, match=f"benchmark version {other}"):
        Record.open(path)
    with pytest.raises(RecordError, match="not comparable"):
        fork(path, tmp_path / "run.db", info_of(market, start_tick=3))


# -------------------------------------------------------------------------------------- bad files


def _missing(path: Path) -> None:
    path.unlink()


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _text(path: Path) -> None:
    path.write_text("tick,agent\n" * 100, encoding="utf-8")


def _empty(path: Path) -> None:
    path.write_bytes(b"")


def _foreign(path: Path) -> None:
    path.unlink()
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE events (event_id INTEGER)")
    other.close()


def _newer(path: Path) -> None:
    with sqlite3.connect(path) as record:
        record.execute("PRAGMA user_version=99")
    record.close()


def _cut_off(path: Path) -> None:
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size - 5_000)


def _no_settings(path: Path) -> None:
    with sqlite3.connect(path) as record:
        record.execute("DELETE FROM meta")
    record.close()


def _set_info(path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    with sqlite3.connect(path) as record:
        (text,) = record.execute("SELECT value FROM meta WHERE key = 'info'").fetchone()
        info = json.loads(text)
        change(info)
        record.execute("UPDATE meta SET value = ? WHERE key = 'info'", (json.dumps(info),))
    record.close()


def _unknown_rule(path: Path) -> None:
    _set_info(path, lambda info: info["rules"].update(apply_order="alphabetical"))


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (_missing, "there is no record at"),
        (_folder, "cannot read the record"),
        (_text, "is not a record: it is not an SQLite file"),
        (_empty, "is not a record: it is not an SQLite file"),
        (_foreign, "is an SQLite file of something else"),
        (_newer, "has record schema 99; .* Upgrade"),
        (_cut_off, "is cut off: 5000 bytes are missing"),
        (_no_settings, "is incomplete"),
        (_unknown_rule, r"rules\.apply_order"),
    ],
)
def test_a_bad_file_is_named_with_what_is_wrong(
    tmp_path: Path, spoil: Callable[[Path], None], says: str
) -> None:
    path = tmp_path / "m.db"
    market = made(path)
    spoil(path)
    for use in (Record.open, read_info):
        with pytest.raises(RecordError, match=says) as caught:
            use(path)
        assert str(path) in str(caught.value)
    with pytest.raises(RecordError, match=says):
        fork(path, tmp_path / "run.db", info_of(market, start_tick=3))
    assert not (tmp_path / "run.db").exists()


def test_a_damaged_page_is_found_when_a_record_is_opened(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    made(path, ticks=20)
    with path.open("r+b") as file:
        file.seek(path.stat().st_size // 2 // 4096 * 4096)
        file.write(b"\xff" * 4096)
    with pytest.raises(RecordError, match="damaged"):
        Record.open(path)
    # The lock is free again.
    with pytest.raises(RecordError, match="damaged"):
        Record.open(path)


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    market = founded()
    with pytest.raises(RecordError, match=r"file/m\.db: .*Check that the folder exists"):
        Record.create(tmp_path / "file" / "m.db", market, info_of(market))


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write")
def test_a_record_in_a_read_only_folder_can_be_read_but_not_opened(tmp_path: Path) -> None:
    made(tmp_path / "m.db")
    (tmp_path / "m.db.lock").unlink()
    tmp_path.chmod(0o500)
    try:
        assert read_info(tmp_path / "m.db")[1] == 3
        with pytest.raises(RecordError, match="cannot lock"):
            Record.open(tmp_path / "m.db")
    finally:
        tmp_path.chmod(0o700)


# ------------------------------------------------------------------------------------------- digest


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


# -------------------------------------------------------------------------------------------- texts


def test_texts_come_back_as_they_were_put(tmp_path: Path) -> None:
    strange = ["", "plain", "é\ud800\x00 lone surrogate and NUL", "x" * 1_000_000]
    with TextStore(tmp_path / "m.db") as texts:
        keys = [texts.put(text) for text in strange]
        assert [texts.get(key) for key in keys] == strange, "also before they are written"
        texts.flush()
        assert [texts.get(key) for key in keys] == strange
    with TextStore(tmp_path / "m.db") as texts:
        assert [texts.get(key) for key in keys] == strange
    assert {p.name for p in tmp_path.iterdir()} == {"m.text.db"}


def test_equal_texts_are_stored_once_by_one_writer(tmp_path: Path) -> None:
    with TextStore(tmp_path / "m.db") as texts:
        for _ in range(3):
            texts.put("the world")
            texts.flush()
    assert stored_texts(tmp_path / "m.db") == 1


def test_a_closed_side_file_has_its_index_and_can_be_written_again(tmp_path: Path) -> None:
    for _ in range(2):
        with TextStore(tmp_path / "m.db") as texts:
            key = texts.put("the world")
            texts.flush()
        with sqlite3.connect(text_path(tmp_path / "m.db")) as side:
            plan = side.execute("EXPLAIN QUERY PLAN SELECT data FROM texts WHERE hash = x'00'")
            assert "USING INDEX texts_hash" in plan.fetchone()[3]
        side.close()
    with TextStore(tmp_path / "m.db") as texts:
        assert texts.get(key) == "the world"


def stored_texts(record: Path) -> int:
    with sqlite3.connect(text_path(record)) as side:
        (count,) = side.execute("SELECT count(*) FROM texts").fetchone()
    side.close()
    return int(count)


def with_text(path: Path, text: str, *, start: Path | None = None) -> str:
    """A record at ``path`` (a fork of ``start``) whose next tick has a text; its key."""
    if start is None:
        made(path)
    else:
        last = read_info(start)[1]
        fork(start, path, info_of(founded(seed=1), start_tick=last))
    with Record.open(path) as record:
        market = load(record.connection)
        key = record.texts.put(text)
        record.commit(market)
    return key


def test_a_fork_of_a_fork_finds_the_texts_of_its_ancestors(tmp_path: Path) -> None:
    first = with_text(tmp_path / "a" / "base.db", "in the base")
    second = with_text(tmp_path / "b" / "mid.db", "in between", start=tmp_path / "a" / "base.db")
    third = with_text(tmp_path / "c" / "leaf.db", "own", start=tmp_path / "b" / "mid.db")
    shutil.move(tmp_path, tmp_path.with_name("moved"))
    with read_texts(tmp_path.with_name("moved") / "c" / "leaf.db") as texts:
        assert [texts.get(key) for key in (first, second, third)] == [
            "in the base",
            "in between",
            "own",
        ]


def test_texts_of_a_saved_state_are_found_in_the_data_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    monkeypatch.setenv("BAZAARBENCH_HOME", str(home))
    key = with_text(home / "states" / "demo" / "record.db", "in the state")
    fork(
        home / "states" / "demo" / "record.db",
        home / "records" / "task" / "s.db",
        info_of(founded(seed=1), start_tick=4),
    )
    copy(home / "records" / "task" / "s.db", tmp_path / "logs" / "records" / "s.db")
    with read_texts(tmp_path / "logs" / "records" / "s.db") as texts:
        assert texts.get(key) == "in the state"


def test_a_missing_side_file_is_named(tmp_path: Path) -> None:
    key = with_text(tmp_path / "a" / "base.db", "in the base")
    with_text(tmp_path / "run.db", "own", start=tmp_path / "a" / "base.db")
    (tmp_path / "a" / "base.text.db").unlink()
    with (
        read_texts(tmp_path / "run.db") as texts,
        pytest.raises(RecordError, match=r"These side files are missing: a/base\.text\.db"),
    ):
        texts.get(key)


def test_a_foreign_side_file_is_refused(tmp_path: Path) -> None:
    _foreign_at = tmp_path / "m.text.db"
    _foreign_at.touch()
    _foreign(_foreign_at)
    with TextStore(tmp_path / "m.db") as texts:
        texts.put("text")
        with pytest.raises(RecordError, match="SQLite file of something else"):
            texts.flush()
