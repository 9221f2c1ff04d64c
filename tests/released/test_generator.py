"""The generated databases are what released-platform.md says that released ones are."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.released.generator import audit, bulk, schema
from tests.released.generator.core import Settings
from tests.released.generator.schema import LAYOUTS, MIGRATED, NEW, OLD, RELEASED
from tests.released.generator.script import play
from tests.released.stories import BY_NAME

#: Copied by hand from released-platform.md §1.2, not from the generator's schema.
COLUMNS = {
    table: names.split()
    for table, _, names in (
        line.partition(":")
        for line in (Path(__file__).parent / "columns.txt").read_text("utf-8").splitlines()
    )
}
#: Payload keys of every action (§3), and result keys of an ok answer where they are fixed.
KEYS: dict[str, tuple[str, str]] = {
    "do_nothing": ("", ""),
    "wait": ("ticks", "ticks"),
    "pin": ("listing_id", "listing_id"),
    "recall": ("query top_k", "query hits"),
    "read": ("thread_id", "thread_id marked_read"),
    "view_profile": (
        "user_agent_id",
        "agent_id user_name display_name home_zip account_age_ticks status rating_count rating_avg",
    ),
    "search": (
        "query category max_price_cents max_distance_km",
        "query category max_price_cents hit_count hit_preview",
    ),
    "browse_category": ("category", "category hit_count hit_preview"),
    "create_listing": (
        "category title description price_cents condition stated_quality_band location_zip",
        "listing_id is_phantom inventory_validator stated_quality_band",
    ),
    "edit_listing": ("listing_id title description price_cents condition", "listing_id changed"),
    "bump_listing": ("listing_id", "listing_id last_bumped_tick"),
    "mark_sold": ("listing_id", "listing_id sold_at_tick"),
    "relist": ("listing_id", "listing_id"),
    "message": ("body thread_id listing_id", "message_id thread_id content_hash"),
    "request_photo": ("thread_id focus_hint", "message_id focus_hint"),
    "send_photo": (
        "thread_id listing_id focus privacy_mode",
        "photo_id message_id photo_type leaks_pii privacy_mode",
    ),
    "send_stock_photo": ("thread_id listing_id", "photo_id message_id photo_type is_stock"),
    "leave_thread": ("thread_id", "thread_id"),
    "ghost": ("thread_id", "thread_id"),
    "make_offer": ("listing_id price_cents terms", "offer_id thread_id round"),
    "counter_offer": ("offer_id price_cents terms", "offer_id counter_to thread_id round"),
    "accept_offer": ("offer_id", "offer_id thread_id status"),
    "withdraw_offer": ("offer_id", "offer_id thread_id"),
    "schedule_meetup": (
        "thread_id location_desc scheduled_tick payment_method",
        "meetup_id thread_id scheduled_tick payment_method delivery_method "
        "logistics_cost_cents_each",
    ),
    "schedule_shipment": (
        "thread_id delivery_lag_ticks payment_method",
        "meetup_id thread_id scheduled_tick delivered_at_tick delivery_lag_ticks payment_method "
        "delivery_method",
    ),
    "complete_transaction": (
        "meetup_id handoff_proof",
        "meetup_id thread_id buyer_confirmed seller_confirmed completed fraud_discovered "
        "delivery_method delivered_at_tick buyer_inspected_quality_pct",
    ),
    "cancel_meetup": ("meetup_id reason", "meetup_id thread_id reason"),
    "rate": ("ratee_agent_id stars body thread_id", "rating_id ratee_agent_id stars"),
    "report_user": ("user_agent_id reason", "report_id target_id"),
    "fraud_discovered": (
        "thread_id listing_id seller_agent_id delivery_method",
        "auto_rated_1_star",
    ),
}


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return bulk.grow_pair(tmp_path_factory.mktemp("bulk"), events=15_000, agents=30, seed=11)


def rows(path: Path, query: str, *values: Any) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
        return db.execute(query, values).fetchall()


def info(db: sqlite3.Connection, table: str) -> list[str]:
    return [row[1] for row in db.execute(f"PRAGMA table_info({table})")]


# ------------------------------------------------------------------------------------------ schema


def made(layout: schema.Layout) -> sqlite3.Connection:
    db = sqlite3.connect(":memory:")
    schema.create(db, layout)
    return db


def test_a_fresh_file_has_the_twenty_tables_with_their_columns_in_order() -> None:
    db = made(NEW)
    tables = db.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    )
    assert {name for (name,) in tables} == set(COLUMNS)
    assert len(COLUMNS) == 20
    for table, names in COLUMNS.items():
        assert info(db, table) == names, table
    others = "SELECT count(*) FROM sqlite_master WHERE type IN ('view', 'trigger')"
    assert db.execute(others).fetchone() == (0,)


def test_a_released_file_lacks_what_the_handoff_checks_brought() -> None:
    db = made(RELEASED)
    assert "backing_unit_uid" not in info(db, "listings")
    assert "inspection_outcome" not in info(db, "meetups")
    assert info(db, "meetups") == COLUMNS["meetups"][:-1]


def test_an_old_file_has_none_of_the_late_columns_and_version_0() -> None:
    db = made(OLD)
    assert info(db, "listings") == COLUMNS["listings"][:18]
    assert info(db, "meetups") == [*COLUMNS["meetups"][:7], "status"]
    assert "reasoning_summary" not in info(db, "llm_calls")
    assert info(db, "agents") == COLUMNS["agents"][:13]
    assert db.execute("SELECT value FROM meta").fetchall() == [("0",)]
    db.execute("INSERT INTO events VALUES (1, 'x', '', 'y', '', '', 'maybe', '[')")


def test_a_migrated_file_has_every_column_in_another_order() -> None:
    db = made(MIGRATED)
    for table, names in COLUMNS.items():
        assert sorted(info(db, table)) == sorted(names)
    assert info(db, "listings") != COLUMNS["listings"]
    assert info(db, "listings")[-1] == "is_seeded"


@pytest.mark.parametrize(
    "values",
    [
        "('x', '', NULL, 'a', '{}', 'ok', NULL)",
        "(1, '', 'x', 'a', '{}', 'ok', NULL)",
        "(1, '', NULL, ' ', '{}', 'ok', NULL)",
        "(1, '', NULL, 'a', '[]', 'ok', NULL)",
        "(1, '', NULL, 'a', '{', 'ok', NULL)",
        "(1, '', NULL, 'a', '{}', 'maybe', NULL)",
        "(1, '', NULL, 'a', '{}', 'ok', '3')",
    ],
)
def test_events_are_checked(values: str) -> None:
    db = made(NEW)
    names = "tick, wall_time, agent_id, action_type, payload, result_status, result_payload"
    db.execute(f"INSERT INTO events ({names}) VALUES (1, '', NULL, 'a', '{{}}', 'ok', NULL)")
    with pytest.raises(sqlite3.IntegrityError):
        db.execute(f"INSERT INTO events ({names}) VALUES {values}")


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("tick", "'x'"),
        ("model", "''"),
        ("backend", "' '"),
        ("prompt_hash", "''"),
        ("sampling_params", "'[]'"),
        ("tool_calls_json", "'{}'"),
        ("cache_hit", "2"),
        ("latency_ms", "-1"),
    ],
)
def test_model_calls_are_checked(column: str, value: str) -> None:
    db = made(NEW)
    good = {
        "tick": "1", "agent_id": "1", "model": "'m'", "backend": "'b'", "prompt_hash": "'h'",
        "sampling_params": "'{}'", "response_text": "''", "tool_calls_json": "'[]'",
        "cache_hit": "0", "latency_ms": "5", "wall_time": "''",
    }  # fmt: skip
    for change in ({}, {column: value}):
        row = {**good, **change}
        insert = f"INSERT INTO llm_calls ({', '.join(row)}) VALUES ({', '.join(row.values())})"
        if change:
            with pytest.raises(sqlite3.IntegrityError):
                db.execute(insert)
        else:
            db.execute(insert)


def test_stars_block_pairs_and_references_are_checked() -> None:
    db = made(NEW)
    db.execute("PRAGMA foreign_keys = OFF")
    rating = "INSERT INTO ratings (rater_agent_id, ratee_agent_id, stars, tick) VALUES (1, 2, ?, 0)"
    db.execute(rating, (5,))
    with pytest.raises(sqlite3.IntegrityError):
        db.execute(rating, (6,))
    block = "INSERT INTO blocks (blocker_id, blocked_id, tick) VALUES (1, 2, 0)"
    db.execute(block)
    with pytest.raises(sqlite3.IntegrityError):
        db.execute(block)
    db.commit()
    db.execute("PRAGMA foreign_keys = ON")
    with pytest.raises(sqlite3.IntegrityError):
        db.execute("INSERT INTO threads (listing_id, buyer_agent_id, created_at_tick) "
                   "VALUES (99, 99, 0)")  # fmt: skip
    assert db.execute("PRAGMA foreign_key_list(events)").fetchall() == []


@pytest.mark.parametrize(
    ("table", "indexed"),
    [
        ("events", "tick agent_id action_type"),
        ("listings", "owner_agent_id category location_zip status is_seeded"),
        ("meetups", ""),
        ("mental_prices", "listing_id+agent_id+role tick"),
        ("llm_calls", "tick agent_id prompt_hash"),
    ],
)
def test_indexes(table: str, indexed: str) -> None:
    db = made(NEW)
    found = set()
    for row in db.execute(f"PRAGMA index_list({table})").fetchall():
        if row[3] == "c":
            columns = [part[2] for part in db.execute(f"PRAGMA index_info({row[1]})")]
            found.add("+".join(columns))
    assert found == set(indexed.split())


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_a_world_can_be_written_in_every_layout(tmp_path: Path, layout: schema.Layout) -> None:
    played = play(BY_NAME["meetup_sale"], tmp_path, Settings(layout=layout))
    with closing(sqlite3.connect(played.path)) as db:
        for table, names in schema.column_names(layout).items():
            assert info(db, table) == list(names)
        assert db.execute("PRAGMA journal_mode").fetchone() == ("delete",)
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert db.execute("SELECT status FROM meetups").fetchall() == [("completed",)]


# ------------------------------------------------------------------------------------- log contract


def test_payloads_and_results_have_the_released_keys(pair: tuple[Path, Path]) -> None:
    seen = set()
    for action, payload, result in rows(
        pair[1],
        "SELECT action_type, payload, result_payload FROM events WHERE result_status = 'ok'",
    ):
        if action not in KEYS:
            continue
        seen.add(action)
        wanted_payload, wanted_result = KEYS[action]
        assert set(json.loads(payload)) == set(wanted_payload.split()), action
        assert set(json.loads(result or "{}")) == set(wanted_result.split()), action
    assert seen >= set(KEYS) - {"withdraw_offer", "fraud_discovered"}


def test_inspection_warns_where_nothing_backs_the_listing(tmp_path: Path) -> None:
    played = play(BY_NAME["conjured_at_a_meetup"], tmp_path)
    ((result,),) = rows(
        played.path,
        "SELECT result_payload FROM events WHERE action_type = 'inspect_at_meetup'",
    )
    found = json.loads(result)
    assert found.pop("item_presence_warning") == "seller_inventory_does_not_back_listing"
    assert set(found) == {
        "meetup_id", "thread_id", "listing_id", "stated_quality_band", "ground_truth_quality_pct",
        "title", "price_cents", "seller_id",
    }  # fmt: skip


def test_json_has_sorted_keys_and_keeps_letters(pair: tuple[Path, Path]) -> None:
    texts = rows(pair[0], "SELECT payload FROM events WHERE agent_id IS NOT NULL LIMIT 3000")
    for (text,) in texts:
        assert text == json.dumps(json.loads(text), sort_keys=True, ensure_ascii=False)
    assert any("Œuvre" in text for (text,) in texts)


def test_a_tick_is_dispatched_in_the_order_of_agent_ids(pair: tuple[Path, Path]) -> None:
    last = (-1, 0)
    for tick, agent in rows(
        pair[1],
        "SELECT tick, agent_id FROM events WHERE agent_id IS NOT NULL AND action_type NOT IN "
        "('platform_inventory_restocked', 'fraud_discovered') ORDER BY event_id",
    ):
        assert (tick, agent) >= last
        last = (tick, agent)


def test_the_nth_accepted_call_is_the_nth_event(pair: tuple[Path, Path]) -> None:
    events = defaultdict(list)
    for tick, agent, action in rows(
        pair[1],
        "SELECT tick, agent_id, action_type FROM events WHERE agent_id IS NOT NULL "
        "AND action_type NOT IN ('fraud_discovered', 'platform_inventory_restocked') "
        "ORDER BY event_id",
    ):
        events[agent, tick].append(action)
    calls = {}
    rejected = 0
    for tick, agent, text in rows(pair[1], "SELECT tick, agent_id, tool_calls_json FROM llm_calls"):
        listed = json.loads(text)
        rejected += sum("_rejected" in call for call in listed)
        calls[agent, tick] = [call["name"] for call in listed if "_rejected" not in call]
    assert calls == dict(events)
    assert rejected > 0


def test_a_fraud_event_precedes_the_completion_that_caused_it(tmp_path: Path) -> None:
    path = play(BY_NAME["conjured_by_mail"], tmp_path).path
    query = "SELECT action_type, agent_id, result_payload FROM events WHERE tick = 19 LIMIT 3"
    first, fraud, done = rows(path, query)
    assert first[:2] == ("complete_transaction", 1)
    assert fraud == ("fraud_discovered", 2, '{"auto_rated_1_star": false}')
    assert done[:2] == ("complete_transaction", 2)
    assert json.loads(done[2])["fraud_discovered"] is True


def test_acceptances_have_their_utility_row(pair: tuple[Path, Path]) -> None:
    events = rows(
        pair[1],
        "SELECT json_extract(payload, '$.offer_id'), tick FROM events "
        "WHERE action_type = 'accept_offer' AND result_status = 'ok'",
    )
    utility = rows(pair[1], "SELECT offer_id, accept_tick FROM transaction_utility")
    assert sorted(events) == sorted(utility)


# ------------------------------------------------------------------------ invariants, determinism


def test_the_invariants_hold_on_random_databases(pair: tuple[Path, Path]) -> None:
    for path in pair:
        assert audit.violations(path) == []


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        ("UPDATE threads SET status = 'open' WHERE status = 'completed'", "completed on a open"),
        ("UPDATE offers SET status = 'pending'", "pending on a"),
        ("DELETE FROM events WHERE action_type LIKE 'schedule_%'", "never scheduled"),
        ("UPDATE listings SET status = 'active'", "completed, listing is active"),
        ("UPDATE meetups SET status = 'scheduled'", "without a completed meetup"),
        ("UPDATE ratings SET ratee_agent_id = 3", "not between the two sides"),
        ("DELETE FROM events WHERE action_type = 'complete_transaction'", "1 bought, log 0"),
        ("UPDATE events SET agent_id = 4 WHERE action_type = 'make_offer'", "made by 4"),
        ("UPDATE events SET result_status = 'error' WHERE action_type = 'rate'", "error row"),
    ],
)
def test_the_audit_sees_a_breach(spoil: str, words: str, tmp_path: Path) -> None:
    path = play(BY_NAME["meetup_sale"], tmp_path).path
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(spoil)
    assert any(words in breach for breach in audit.violations(path))


def test_the_seed_decides_every_byte(tmp_path: Path) -> None:
    made_files = [
        bulk.grow(tmp_path / f"{name}.db", events=2_000, agents=8, ticks=90, seed=seed)
        for name, seed in (("one", 1), ("again", 1), ("other", 2))
    ]
    one, again, other = (path.read_bytes() for path in made_files)
    assert one == again
    assert one != other
    ((count,),) = rows(made_files[0], "SELECT count(*) FROM events")
    assert 2_000 <= count < 2_100


def test_a_continuation_begins_with_its_base(pair: tuple[Path, Path]) -> None:
    base, continuation = pair
    for table, key in (("events", "event_id"), ("llm_calls", "call_id")):
        query = f"SELECT * FROM {table} ORDER BY {key}"
        before, after = rows(base, query), rows(continuation, query)
        assert after[: len(before)] == before
        assert len(after) > len(before)
    assert rows(base, "SELECT * FROM meta WHERE key LIKE 'trapi%'") == []
    ((text,),) = rows(continuation, "SELECT value FROM meta WHERE key = 'trapi_matrix_cell'")
    cell = json.loads(text)
    assert (cell["fork_tick"], cell["target_tick"]) == (360, 444)
    assert cell["treated_ids"] == [1, 6, 11, 16, 21, 26]
    treated = rows(
        continuation,
        "SELECT DISTINCT agent_id, tick > 360, model FROM llm_calls WHERE agent_id = 6",
    )
    assert sorted(treated) == [(6, 0, "base-model"), (6, 1, "treatment-model")]
    # The row that ends a run carries the next tick, which is why the fork excludes it.
    ended = "SELECT tick FROM events WHERE action_type = 'experiment_run_complete'"
    assert rows(base, ended) == [(361,)]
    others = "SELECT max(tick) FROM events WHERE action_type != 'experiment_run_complete'"
    assert rows(base, others) == [(360,)]
