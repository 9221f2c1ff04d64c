"""A file that is no whole record of ours is refused by name, with what to do (SPEC §13)."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bazaarbench.errors import RecordError
from bazaarbench.market.record import (
    Record,
    fork,
    read_info,
)
from bazaarbench.versions import BENCHMARK_VERSION
from tests.market.rows import founded, info_of, made


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


def test_the_half_made_change_of_a_killed_writer_is_taken_back_before_reading(
    tmp_path: Path,
) -> None:
    path = tmp_path / "m.db"
    made(path)
    before = path.read_bytes()
    # A writer in SQLite's ordinary mode, as at the first and last moment of every run, dies after
    # its pages have reached the file and before its commit.
    dying = (
        "import os, sqlite3, sys\n"
        "c = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "c.execute('PRAGMA cache_size=1')\n"
        "c.execute('BEGIN IMMEDIATE')\n"
        "c.execute('DELETE FROM events')\n"
        "c.execute('UPDATE meta SET value = hex(zeroblob(100000))')\n"
        "os._exit(9)\n"
    )
    assert subprocess.run([sys.executable, "-c", dying, str(path)], check=False).returncode == 9
    assert path.with_name("m.db-journal").exists()
    assert path.read_bytes() != before
    assert read_info(path)[1] == 3
    assert path.read_bytes() == before


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
