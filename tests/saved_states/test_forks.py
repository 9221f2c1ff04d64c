"""A state of any tick of a record can be forked, and is what the market was then (SPEC §3.7)."""

from __future__ import annotations

import shutil
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from bazaarbench import saved_states
from bazaarbench.errors import StateError
from bazaarbench.market.dynamics import end_of_tick
from bazaarbench.market.load import differences, load
from bazaarbench.market.record import Record, read_info, read_only, read_texts
from bazaarbench.market.rules import PRESETS, Rules
from bazaarbench.released import import_released
from bazaarbench.saved_states import SavedState
from tests.market.rows import made
from tests.released.generator import bulk
from tests.saved_states.states import continued, found, play, shelf, tiny

TICKS = 86
RULES = {
    "paper": PRESETS["paper"],
    "paper-base": PRESETS["paper-base"],
    "informed": PRESETS["informed"],
    "hashed": Rules(apply_order="hashed", inspection_shows="unit", message_visibility="until_seen"),
}


def forked(source: Path, tick: int) -> SavedState:
    return saved_states.fork_state(
        saved_states.resolve(str(source)), f"at-{source.stem}-{tick}", at_tick=tick
    )


@pytest.mark.parametrize(
    ("policy", "rules"),
    [("random", "paper"), ("crooked", "paper-base"), ("honest", "informed"), ("hasty", "hashed")],
)
def test_a_fork_of_tick_t_has_the_digest_that_the_record_had_after_t(
    tmp_path: Path, policy: str, rules: str
) -> None:
    path = found(tmp_path / "run.db", RULES[rules])
    # The first ticks, and the last ones around feeds, verdicts and the restock of 84.
    ticks = (0, 1, 20, 84)
    digests = play(path, TICKS, policy, ticks=(*ticks, TICKS - 1))
    for tick in (*ticks, TICKS - 1, TICKS):
        state = forked(path, tick)
        assert (tick, state.manifest.digest) == (tick, digests[tick])
        assert state.manifest.tick == tick


def test_the_state_of_a_fork_is_the_live_state_of_then_and_plays_on_as_it_did(
    tmp_path: Path,
) -> None:
    def keep(record: Record) -> None:
        if record.last_tick in (17, 45):
            with closing(sqlite3.connect(tmp_path / f"{record.last_tick}.db")) as copy:
                record.connection.backup(copy)

    path = found(tmp_path / "run.db")
    digests = play(path, 60, "random", after=keep)
    for tick in (17, 45):
        state = forked(path, tick)
        with (
            closing(read_only(state.path)) as fork,
            closing(sqlite3.connect(tmp_path / f"{tick}.db")) as then,
        ):
            assert differences(load(fork), load(then)) == []
            for query in ("SELECT * FROM ticks", "SELECT * FROM turns", "SELECT * FROM messages"):
                assert fork.execute(query).fetchall() == then.execute(query).fetchall()
        onward = tmp_path / f"onward{tick}.db"
        shutil.copyfile(state.path, onward)
        assert play(onward, 60, "random")[60] == digests[60]


def test_a_fork_keeps_its_run_and_ends_at_its_tick(tmp_path: Path) -> None:
    path = found(tmp_path / "run.db")
    play(path, 30, "honest")
    info, last = read_info(forked(path, 12).path)
    assert (info.market_name, info.start_tick, info.end_tick, last) == ("at-run-12", 0, 12, 12)


def test_the_texts_of_a_fork_are_read_where_they_lie(tmp_path: Path) -> None:
    path = found(tmp_path / "run.db")
    play(path, 12, "honest")
    for tick in (9, 12):
        state = forked(path, tick)
        with closing(read_only(state.path)) as record, read_texts(state.path) as texts:
            for (observation,) in record.execute("SELECT observation FROM turns"):
                assert texts.get(observation).startswith("{")


@pytest.mark.parametrize("tick", [-1, 13])
def test_a_tick_that_the_record_does_not_hold_is_refused(tmp_path: Path, tick: int) -> None:
    path = found(tmp_path / "run.db")
    play(path, 12, "honest")
    with pytest.raises(StateError, match="holds the ticks 0 to 12"):
        forked(path, tick)
    assert shelf() == []


def test_a_run_is_forked_at_its_own_ticks_and_at_those_of_the_market_it_went_on_from(
    tmp_path: Path,
) -> None:
    base = found(tmp_path / "base.db", PRESETS["paper-base"])
    digests = play(base, 24, "crooked", ticks=(10,))
    state = saved_states.fork_state(saved_states.resolve(str(base)), "base")
    run = continued(state, tmp_path / "run.db", "informed")
    later = play(run, 48, "crooked", ticks=(25, 40))
    second = saved_states.fork_state(saved_states.resolve(str(run)), "second", at_tick=40)
    again = continued(second, tmp_path / "again.db", "paper")
    latest = play(again, 60, "crooked", ticks=(41,))
    # Nothing but the last record is there any more.
    for name in ("base", "second"):
        saved_states.delete(name)
    base.unlink()
    run.unlink()

    for tick in (0, 10, 24):
        assert forked(again, tick).manifest.digest == digests[tick]
    for tick in (25, 40):
        assert forked(again, tick).manifest.digest == later[tick]
    for tick in (41, 60):
        assert forked(again, tick).manifest.digest == latest[tick]
    assert read_info(forked(again, 30).path)[0].rules == PRESETS["informed"]
    assert read_info(forked(again, 20).path)[0].tested == ()


def test_a_run_on_an_imported_market_is_forked_after_the_import_while_the_market_is_here(
    tmp_path: Path,
) -> None:
    released, _ = bulk.grow_pair(tmp_path, events=1_500, agents=12, ticks=(24, 12), seed=6)
    state, _ = import_released(released, name="imported")
    run = continued(state, tmp_path / "run.db", "paper")
    digests = play(run, 40, "honest", ticks=(30,))
    assert forked(run, 30).manifest.digest == digests[30]
    assert forked(run, 24).manifest.digest == state.manifest.digest
    for at in (run, state.path):
        with pytest.raises(StateError, match="played on the released platform"):
            forked(at, 12)
    for name in ("imported", "at-run-24"):
        saved_states.delete(name)
    with pytest.raises(StateError, match=r"imported market 'imported', which is not here"):
        forked(run, 29)
    assert forked(run, 40).manifest.digest == digests[40]


def test_a_policys_notebook_is_as_it_was(tmp_path: Path) -> None:
    path = found(tmp_path / "run.db")

    with Record.open(path) as record:
        market = load(record.connection)
        for tick in range(1, 5):
            market.write_notebook(3, f'{{"tick":{tick}}}')
            end_of_tick(market, {})
            record.commit(market)
    state = forked(path, 2)
    with closing(read_only(state.path)) as fork:
        kept = fork.execute("SELECT content, tick FROM memories WHERE kind = 'notebook'").fetchall()
    assert kept == [('{"tick":2}', 2)]


def test_a_log_from_which_something_else_follows_is_refused(tmp_path: Path) -> None:
    path = found(tmp_path / "run.db")
    play(path, 20, "honest")
    with closing(sqlite3.connect(path)) as record:
        query = "SELECT event_id FROM events WHERE action = 'create_listing' AND status = 'ok'"
        (event_id,) = record.execute(query).fetchone()
        record.execute(
            "UPDATE events SET private = json_set(private, '$.unit_id', 1) WHERE event_id = ?",
            (event_id,),
        )
        record.commit()
    with pytest.raises(StateError, match=rf"cannot be told again: event {event_id} \(create_list"):
        forked(path, 19)
    assert shelf() == []


def test_a_record_that_was_not_founded_from_a_world_is_forked_at_its_end_alone(
    tmp_path: Path,
) -> None:
    made(tmp_path / "made.db", ticks=4)
    assert forked(tmp_path / "made.db", 4).manifest.tick == 4
    with pytest.raises(StateError, match="was not founded from a world"):
        forked(tmp_path / "made.db", 2)


def test_a_fork_of_a_state_as_it_is_takes_its_digest_over(tmp_path: Path) -> None:
    state = tiny("whole")
    fork = saved_states.fork_state(state, "other")
    assert fork.manifest.digest == state.manifest.digest
    saved_states.verify_whole(fork)
    assert saved_states.texts_needed_by("whole") == ["other"]
    assert saved_states.texts_needed_by("other") == []


def test_forking_a_large_state_as_it_is_copies_and_computes_nothing(tmp_path: Path) -> None:
    """Well under the 100 ms of SPEC §14 for this one, with room for a busy machine."""
    state = tiny("whole", days=20)
    start = time.process_time()
    saved_states.fork_state(state, "other")
    assert time.process_time() - start < 0.1


@pytest.mark.parametrize("at_tick", [None, 3])
def test_a_record_that_a_run_goes_on_writing_is_forked_at_one_tick(
    tmp_path: Path, at_tick: int | None
) -> None:
    """Between the moment at which it is looked at and the copy, a run plays on."""
    path = found(tmp_path / "run.db")
    digests = play(path, 3, "honest")
    seen = saved_states.resolve(str(path))
    digests |= play(path, 5, "honest")
    fork = saved_states.fork_state(seen, "fork", at_tick=at_tick)
    saved_states.verify_whole(fork)
    tick = at_tick or 5
    assert (fork.manifest.tick, fork.manifest.digest) == (tick, digests[tick])
    assert read_info(fork.path)[0].end_tick == tick
