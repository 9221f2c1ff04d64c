"""What is no released database is refused; what is one is never changed (SPEC §3.7, §13)."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from bazaarbench import saved_states
from bazaarbench.errors import BazaarError, RecordError, StateError
from bazaarbench.market.record import digest, read_info, read_texts
from bazaarbench.released import ReleasedError, import_database, import_released
from tests.released.handmade import LATE, B, Handmade, S, bought, handmade, sold, unit
from tests.released.importing import imports

CAMERA = "Solara K2 camera"


def small(*, late: bool = True) -> Handmade:
    """A market with a sale and a model call."""
    database = handmade(
        {S: [sold(unit(CAMERA), via=1, tick=2)], B: [bought(CAMERA, via=1, tick=2)]}, late=late
    )
    database.sale(2, B, database.create(1, S, CAMERA))
    database.call(1, S, tools=[{"name": "create_listing"}])
    return database


def changed(path: Path, statement: str) -> Path:
    connection = sqlite3.connect(path)
    connection.execute(statement)
    connection.commit()
    connection.close()
    return path


def cut(path: Path) -> Path:
    path.write_bytes(path.read_bytes()[:-4_096])
    return path


def scribbled(path: Path) -> Path:
    """Garbage from the second page on; the header is whole."""
    content = path.read_bytes()
    path.write_bytes(content[:4_096] + b"\xff" * (len(content) - 4_096))
    return path


def written(path: Path, content: bytes) -> Path:
    path.unlink()
    path.write_bytes(content)
    return path


def folder(path: Path) -> Path:
    path.unlink()
    path.mkdir()
    return path


def gone(path: Path) -> Path:
    path.unlink()
    return path


def in_use(path: Path) -> Path:
    path.with_name(f"{path.name}-wal").write_bytes(b"something")
    return path


def ours(path: Path) -> Path:
    record = path.with_name("ours.db")
    import_database(path, record)
    return record


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (gone, "there is no file"),
        (folder, "is a folder"),
        (lambda path: written(path, b""), "is empty"),
        (lambda path: written(path, b"agent,price\n" * 99), "not an SQLite file"),
        (lambda path: written(path, b"SQLite"), "not an SQLite file"),
        (cut, "is cut off: 4096 bytes are missing"),
        (scribbled, "is damaged"),
        (in_use, "is in use or was not closed"),
        (ours, "is a record of BazaarBench"),
        (lambda path: changed(path, "DROP TABLE offers"), "no table offers"),
        (lambda path: changed(path, "ALTER TABLE offers DROP COLUMN round"), "no column round"),
        (lambda path: changed(path, "UPDATE meta SET value = '3'"), "schema version 3"),
        (lambda path: changed(path, "DELETE FROM events"), "log is empty"),
        (lambda path: changed(path, "DELETE FROM agents"), "no agents"),
        (lambda path: changed(path, "UPDATE agents SET persona_json = '['"), "persona of agent 1"),
        (lambda path: changed(path, "UPDATE threads SET listing_id = 9"), "thread 1 is about"),
        (lambda path: changed(path, "UPDATE offers SET thread_id = 9"), "offer 1 belongs"),
        (lambda path: changed(path, "UPDATE threads SET buyer_agent_id = 9"), "agent 9, who does"),
        (
            lambda path: changed(path, "UPDATE listings SET status = 'lost'"),
            "unknown status 'lost'",
        ),
        (lambda path: changed(path, "UPDATE events SET payload = '{'"), "malformed JSON"),
        (
            lambda path: changed(path, "UPDATE events SET payload = '[]'"),
            "event 1 are no JSON object",
        ),
        (lambda path: changed(path, "UPDATE events SET tick = 9 WHERE event_id = 1"), "after one"),
        (
            lambda path: changed(path, "DELETE FROM events WHERE action_type = 'create_listing'"),
            "log does not hold how listing 1 of tick 1 was created",
        ),
        (
            lambda path: changed(
                path, "DELETE FROM events WHERE action_type IN ('accept_offer', 'schedule_meetup')"
            ),
            "which no earlier event committed",
        ),
        (
            lambda path: changed(
                path, "UPDATE events SET payload = '{}' WHERE action_type = 'create_listing'"
            ),
            "event 1 (create_listing, tick 1) does not have the form of its action",
        ),
        (
            lambda path: changed(
                path, "INSERT INTO meta VALUES ('trapi_matrix_cell', '{\"fork_tick\": 1}')"
            ),
            "names no fork tick and target tick",
        ),
        (
            lambda path: changed(path, "INSERT INTO meta VALUES ('trapi_matrix_cell', '[1]')"),
            "trapi_matrix_cell holds no JSON object",
        ),
        (
            lambda path: changed(
                path,
                "INSERT INTO ratings (rating_id, rater_agent_id, ratee_agent_id, stars, tick) "
                "VALUES (1, 1, 2, 9, 1)",
            ),
            "table ratings is none that it can hold",
        ),
    ],
)
def test_a_file_that_cannot_be_imported_is_named_and_leaves_nothing_behind(
    tmp_path: Path, spoil: Callable[[Path], Path], said: str
) -> None:
    source = spoil(small().write(tmp_path / "released.db"))
    target = tmp_path / "imports" / "record.db"
    with pytest.raises(ReleasedError) as refusal:
        import_database(source, target)
    assert said in str(refusal.value)
    assert str(source) in str(refusal.value)
    assert not target.parent.exists() or not list(target.parent.iterdir())


@pytest.mark.parametrize("late", [True, False])
def test_the_released_file_keeps_its_bytes_and_its_folder_its_files(
    tmp_path: Path, late: bool
) -> None:
    source = small(late=late).write(tmp_path / "released.db")
    # As every connection of the released package leaves it.
    changed(source, "PRAGMA journal_mode=WAL")
    before = hashlib.sha256(source.read_bytes()).hexdigest()
    os.chmod(source, 0o444)
    import_database(source, tmp_path / "elsewhere" / "record.db")

    assert hashlib.sha256(source.read_bytes()).hexdigest() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["elsewhere", "released.db"]


def test_late_columns_may_be_absent(tmp_path: Path) -> None:
    database = small(late=False)
    outcome = imports(database, tmp_path)

    columns = {
        name
        for rows in (("listings",), ("meetups",))
        for table in rows
        for (name,) in sqlite3.connect(tmp_path / "released.db").execute(
            "SELECT name FROM pragma_table_info(?)", (table,)
        )
    }
    assert not columns & LATE
    (deal,) = outcome.evidence.deals
    assert deal.completion is not None
    assert deal.completion.unit_id == 1
    # The band stands in the event; the number that an inspection showed is not known.
    assert outcome.row("SELECT band, shown_quality_pct, speculative FROM listings") == (
        "good",
        None,
        0,
    )
    assert outcome.row("SELECT method, inspected_pct FROM exchanges") == ("meetup", None)


def test_importing_twice_gives_the_same_record(tmp_path: Path) -> None:
    source = small().write(tmp_path / "released.db")
    digests = [
        digest(import_database(source, tmp_path / name, name="market").path)
        for name in ("one.db", "two.db")
    ]
    assert digests[0] == digests[1]


@pytest.mark.parametrize("there", ["record.db", "record.text.db"])
def test_nothing_that_stands_there_is_overwritten(tmp_path: Path, there: str) -> None:
    source = small().write(tmp_path / "released.db")
    (tmp_path / there).write_text("mine")
    with pytest.raises(RecordError, match="exists already"):
        import_database(source, tmp_path / "record.db")
    assert (tmp_path / there).read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([there, "released.db"])


def test_a_folder_that_cannot_be_written_is_said_so(tmp_path: Path) -> None:
    source = small().write(tmp_path / "released.db")
    (tmp_path / "file").write_text("")
    with pytest.raises(RecordError, match="cannot create"):
        import_database(source, tmp_path / "file" / "record.db")


def test_an_imported_market_is_a_saved_state_with_its_texts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BAZAARBENCH_HOME", str(tmp_path / "home"))
    source = small().write(tmp_path / "released.db")
    state, imported = import_released(source, name="seed A")

    assert saved_states.resolve("seed A") == state
    assert [found.name for found in saved_states.list_states()] == ["seed A"]
    assert imported.path == state.path
    assert (state.manifest.tick, state.manifest.agents, state.manifest.seed) == (2, 4, 7)
    assert state.manifest.digest == digest(state.path)
    info, last_tick = read_info(state.path)
    assert (info.imported, info.market_name, info.end_tick, last_tick) == (True, "seed A", 2, 2)
    with read_texts(state.path) as texts:
        (prompt, reply) = (
            sqlite3.connect(state.path).execute("SELECT observation, reply FROM turns").fetchone()
        )
        assert texts.get(prompt) == "prompt of 1 at 1"
        assert "Decision note" in texts.get(json.loads(reply)[0])

    for name in ("seed A", "demo"):
        with pytest.raises(StateError, match="already"):
            import_released(source, name=name)
    with pytest.raises(BazaarError):
        import_released(tmp_path / "none.db", name="other")
    assert [found.name for found in saved_states.list_states()] == ["seed A"]
    assert saved_states.resolve("seed A") == state
