"""Whole random databases: every layout, shape and fault that the reference tells of (P §1)."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from bazaarbench.evidence import read
from bazaarbench.market.load import load, same_state
from bazaarbench.market.record import digest, read_only
from bazaarbench.released import ReleasedError, import_database
from tests.released.generator import bulk, schema, variants
from tests.released.generator.core import Settings
from tests.released.importing import Outcome

EVENTS = 6_000
CUT = 300


def imported(source: Path, target: Path, base: Path | None = None) -> Outcome:
    """Import a file, which must not change."""
    before = source.read_bytes()
    result = import_database(source, target, name="market", base=base)
    assert source.read_bytes() == before
    outcome = Outcome(result, read(target), read_only(target))
    assert outcome.ledger() == outcome.holdings()
    return outcome


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("pair")
    return bulk.grow_pair(folder, events=EVENTS, agents=20, seed=3)


@pytest.fixture(scope="module")
def base(pair: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    return imported(pair[0], tmp_path_factory.mktemp("base") / "record.db")


def facts(outcome: Outcome) -> tuple[object, ...]:
    """What is measured of a record."""
    evidence = outcome.evidence
    return evidence.deals, evidence.turns, outcome.failures, outcome.holdings()


def test_a_base_is_imported_whole_and_agrees_with_its_tables(base: Outcome) -> None:
    assert base.imported.notes == {}
    assert (base.imported.info.start_tick, base.imported.last_tick) == (0, 360)
    assert base.evidence.tested == frozenset()
    statuses = {status for (status,) in base.rows("SELECT DISTINCT status FROM threads")}
    assert statuses == {"open", "committed", "completed", "cancelled", "ghosted"}
    assert len(base.evidence.deals) > 20
    assert base.evidence.turns.asked > 100
    assert same_state(load(base.connection), load(base.connection))
    index = base.evidence.index
    deal = base.evidence.deals[0]
    assert deal.commitment.since.event_id in index.events("thread", deal.thread_id)
    assert index.events("unit", 1)[0] == base.row("SELECT min(from_event) FROM holdings")[0]


def test_a_continuation_counts_only_its_own_calls_with_and_without_its_base(
    pair: tuple[Path, Path], tmp_path: Path
) -> None:
    told = imported(pair[1], tmp_path / "told.db", base=pair[0])
    alone = imported(pair[1], tmp_path / "alone.db")

    assert told.imported.notes == {}
    assert (told.imported.info.start_tick, told.imported.info.end_tick) == (360, 444)
    assert told.imported.info.tested == (1, 6, 11, 16)
    assert facts(told) == facts(alone)
    assert digest(told.imported.path) == digest(alone.imported.path)
    own = "SELECT count(*) FROM turns WHERE tick > 360 AND role = 'tested'"
    assert told.row(own) == (told.evidence.turns.asked,)


@pytest.mark.parametrize("layout", [schema.NEW, schema.RELEASED, schema.MIGRATED])
def test_the_layout_of_a_file_changes_nothing(
    pair: tuple[Path, Path], base: Outcome, tmp_path: Path, layout: schema.Layout
) -> None:
    source = variants.relaid(pair[0], tmp_path / "relaid.db", layout)
    assert facts(imported(source, tmp_path / "record.db")) == facts(base)


def test_an_old_file_loses_what_its_columns_lack_and_no_more(
    pair: tuple[Path, Path], base: Outcome, tmp_path: Path
) -> None:
    source = variants.relaid(pair[0], tmp_path / "old.db", schema.OLD)
    old = imported(source, tmp_path / "record.db")

    # Units, deals and bands are in lists and log; who is a bot, and how an exchange goes, is not.
    assert old.holdings() == base.holdings()
    ends = [[deal.terminal for deal in one.evidence.deals] for one in (old, base)]
    assert ends[0] == ends[1]
    bands = "SELECT listing_id, band FROM listings WHERE origin = 'agent' ORDER BY 1"
    agents = {row for row in base.rows(bands)}
    assert agents <= set(old.rows(bands))


def test_agents_that_the_log_does_not_introduce_come_before_it(
    pair: tuple[Path, Path], base: Outcome, tmp_path: Path
) -> None:
    source = variants.without_registration(pair[0], tmp_path / "plain.db")
    plain = imported(source, tmp_path / "record.db")

    assert plain.evidence.deals == base.evidence.deals
    assert plain.failures == base.failures
    firsts = plain.rows("SELECT event_id, tick, action FROM events WHERE event_id <= 0")
    assert {(tick, action) for _, tick, action in firsts} == {(0, "platform_register_agent")}
    assert len(firsts) == plain.row("SELECT count(*) FROM agents")[0]


def test_the_log_of_a_cut_base_is_the_beginning_of_the_whole_one(
    pair: tuple[Path, Path], base: Outcome, tmp_path: Path
) -> None:
    source = variants.truncated_log(pair[0], tmp_path / "cut.db", CUT)
    cut = imported(source, tmp_path / "record.db")

    assert cut.imported.last_tick == cut.imported.info.end_tick == CUT
    assert cut.imported.notes == {}
    log = "SELECT * FROM events WHERE tick <= ? ORDER BY event_id"
    assert cut.rows(log, CUT) == base.rows(log, CUT)
    assert cut.row("SELECT max(tick) FROM events") <= (CUT,)
    for table, column in (
        ("threads", "created_tick"),
        ("offers", "tick"),
        ("messages", "tick"),
        ("turns", "tick"),
        ("listings", "created_tick"),
        ("ratings", "tick"),
        ("photos", "tick"),
    ):
        expected = base.row(f"SELECT count(*) FROM {table} WHERE {column} <= ?", CUT)
        assert cut.row(f"SELECT count(*) FROM {table}") == expected, table
    # Whatever was settled by then stands as it stands in the whole market; the rest was open.
    for table, key in (("threads", "thread_id"), ("exchanges", "exchange_id")):
        ended = "ended_tick" if table == "threads" else "completed_tick"
        query = f"SELECT {key}, status, {ended} FROM {table} WHERE {ended} <= ?"
        whole = {row[0]: row for row in base.rows(query, CUT)}
        early = {row[0]: row for row in cut.rows(query, CUT)}
        assert early.keys() >= whole.keys()
        assert all(early[key] == row for key, row in whole.items()), table
    held = {row for row in base.holdings() if row[3] <= CUT}
    still = {(*row[:7], None, None, None, None) if (row[7] or 0) > CUT else row for row in held}
    assert set(cut.holdings()) == still
    assert load(cut.connection).tick == CUT + 1


def test_a_continuation_of_a_cut_base_is_measured_like_one_of_a_whole_base(
    pair: tuple[Path, Path], tmp_path: Path
) -> None:
    """What the tables know of the lost ticks is put before the fork; the rest is the same."""
    whole = imported(pair[1], tmp_path / "whole.db")
    note = '{"target_max_tick": 355, "source_max_tick": 360}'
    source = variants.with_meta(pair[1], tmp_path / "gap.db", truncated_base_note=note)
    with closing(sqlite3.connect(source)) as database, database:
        database.execute("DELETE FROM events WHERE tick > 355 AND tick <= 360")
    gap = imported(source, tmp_path / "record.db")

    assert gap.imported.notes["reconstructed_events"] > 0
    ours, theirs = (
        {d.thread_id: (d.ongoing, d.terminal, d.commitment.price_cents) for d in one.evidence.deals}
        for one in (gap, whole)
    )
    assert ours == theirs
    own = "SELECT event_id, action, payload FROM events WHERE tick > 360 ORDER BY event_id"
    assert gap.rows(own) == whole.rows(own)


def test_unknown_conditions_are_no_overstatements(pair: tuple[Path, Path], tmp_path: Path) -> None:
    source = variants.null_truths(pair[0], tmp_path / "bare.db")
    bare = imported(source, tmp_path / "record.db")
    assert not [one for one in bare.failures if one.startswith("F1:")]
    restocked = "SELECT count(*) FROM units WHERE quality_pct IS NOT NULL"
    assert bare.row(restocked) == (0,)


def test_history_of_another_tick_length_stays_where_it_is(base: Outcome, tmp_path: Path) -> None:
    source = bulk.grow(
        tmp_path / "base.db",
        events=2_000,
        agents=10,
        ticks=30,
        seed=4,
        settings=Settings(ticks_per_day=24),
    )
    outcome = imported(source, tmp_path / "record.db")
    stretched = imported(
        variants.stretched_history(source, tmp_path / "longer.db"), tmp_path / "longer-record.db"
    )
    first = "SELECT min(created_tick) FROM listings WHERE origin = 'history'"
    assert stretched.row(first)[0] == 2 * outcome.row(first)[0] < 0
    assert facts(stretched) == facts(outcome)
    assert outcome.imported.last_tick == 30


def test_a_closed_file_in_wal_mode_is_read_without_files_beside_it(
    pair: tuple[Path, Path], tmp_path: Path
) -> None:
    folder = tmp_path / "sources"
    folder.mkdir()
    source = variants.wal_header(pair[0], folder / "wal.db")
    imported(source, tmp_path / "record.db")
    assert [path.name for path in folder.iterdir()] == ["wal.db"]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda _, path: variants.empty(path),
        lambda _, path: variants.tableless(path),
        lambda _, path: variants.foreign(path),
        lambda _, path: variants.namesake(path),
        lambda _, path: variants.plain_text(path),
        variants.zipped,
        variants.cut_short,
        variants.scrambled,
        variants.newer_version,
        variants.missing_table,
        variants.broken_payload,
    ],
)
def test_files_that_cannot_be_imported_are_refused_by_name(
    pair: tuple[Path, Path], tmp_path: Path, spoil: Callable[[Path, Path], Path]
) -> None:
    source = spoil(pair[0], tmp_path / "spoilt.db")
    with pytest.raises(ReleasedError, match=r"spoilt\.db"):
        import_database(source, tmp_path / "imports" / "record.db")
    folder = tmp_path / "imports"
    assert not folder.exists() or not list(folder.iterdir())
