"""Texts lie beside the record, by content, and forks find their ancestors' (SPEC §5.5)."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest

from bazaarbench.errors import RecordError
from bazaarbench.market.load import load
from bazaarbench.market.record import (
    Record,
    copy,
    fork,
    read_info,
    read_texts,
)
from bazaarbench.market.texts import TextStore, text_path
from tests.market.rows import founded, info_of, made


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


def test_many_texts_are_found_at_once_and_missing_ones_left_out(tmp_path: Path) -> None:
    with TextStore(tmp_path / "m.db") as texts:
        written = [texts.put(f"text {number} \ud800") for number in range(5)]
        texts.flush()
        waiting = texts.put("not written yet")
        found = texts.get_many([*written, waiting, "00" * 16])
        assert found == {key: texts.get(key) for key in (*written, waiting)}
    with TextStore(tmp_path / "m.db") as texts:
        assert texts.get_many(written[:2]) == {key: texts.get(key) for key in written[:2]}
        assert texts.get_many([]) == {}


def test_equal_texts_are_stored_once_by_one_writer(tmp_path: Path) -> None:
    with TextStore(tmp_path / "m.db") as texts:
        for _ in range(3):
            texts.put("the world")
            texts.flush()
    assert stored_texts(tmp_path / "m.db") == 1


def test_a_closed_side_file_can_be_written_again(tmp_path: Path) -> None:
    for text in ("the world", "another"):
        with TextStore(tmp_path / "m.db") as texts:
            texts.put(text)
            texts.flush()
    with TextStore(tmp_path / "m.db") as texts:
        key = texts.put("the world")
    with TextStore(tmp_path / "m.db") as texts:
        assert texts.get(key) == "the world"


def test_a_reader_finds_what_was_written_after_it_looked(tmp_path: Path) -> None:
    with TextStore(tmp_path / "m.db") as writing, TextStore(tmp_path / "m.db") as reading:
        first = writing.put("first")
        writing.flush()
        assert reading.get(first) == "first"
        second = writing.put("second")
        writing.flush()
        assert reading.get(second) == "second"


def stored_texts(record: Path) -> int:
    with sqlite3.connect(text_path(record)) as side:
        (length,) = side.execute("SELECT sum(length(digests)) FROM frames").fetchone()
    side.close()
    return int(length) // 16


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
    with sqlite3.connect(text_path(tmp_path / "m.db")) as other:
        other.execute("CREATE TABLE texts (hash BLOB, data BLOB)")
    other.close()
    with TextStore(tmp_path / "m.db") as texts:
        texts.put("text")
        with pytest.raises(RecordError, match="SQLite file of something else"):
            texts.flush()
