"""A record is whole or absent, has one writer, and says clearly what is wrong (SPEC §1, §13)."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bazaarbench.errors import RecordError
from bazaarbench.market.files import close_single, connect
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
from bazaarbench.market.texts import TextStore
from tests.market.rows import Wanderer, founded, info_of, made, turn

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


def test_a_full_disk_at_the_end_leaves_the_write_ahead_log_and_loses_nothing(
    tmp_path: Path,
) -> None:
    path = tmp_path / "m.db"
    market = made(path)
    connection = connect(path)
    connection.execute("UPDATE agents SET display_name = 'changed'")
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    connection.execute(f"PRAGMA max_page_count={pages}")
    close_single(connection, "CREATE INDEX wanted ON events(payload)")
    with Record.open(path) as record:
        assert {a.display_name for a in load(record.connection).agents.values()} == {"changed"}
    assert market.agents.keys() == load(read_only(path)).agents.keys()


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
