"""The released schema as data: 20 tables, in the column sets that databases are found in.

Written from released-platform.md §1.1–1.2. A released table is created with its first columns and
gets the late ones by ALTER TABLE, so these stand at the end, whatever they are about; which of them
are there depends on when the file was written and whether a newer program has opened it since.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass

PK = "INTEGER PRIMARY KEY"
AUTO = "INTEGER PRIMARY KEY AUTOINCREMENT"
INT = "INTEGER"
NN = "INTEGER NOT NULL"
TEXT = "TEXT"
TEXT_NN = "TEXT NOT NULL"
REAL_NN = "REAL NOT NULL"
ZERO = "INTEGER NOT NULL DEFAULT 0"


def _ref(table: str, *, required: bool = True) -> str:
    key = {"agents": "agent_id", "listings": "listing_id", "threads": "thread_id"}
    key["photos"] = "photo_id"
    return f"{NN if required else INT} REFERENCES {table}({key[table]})"


@dataclass(frozen=True)
class Column:
    """One column. `check` is left out of old files."""

    name: str
    declaration: str
    check: str = ""


@dataclass(frozen=True)
class Table:
    """One table as a fresh database is created, before the late columns are added."""

    name: str
    columns: tuple[Column, ...]
    unique: str = ""
    indexes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Layout:
    """A column set that a file may have."""

    name: str
    missing: frozenset[str] = frozenset()
    moved: frozenset[str] = frozenset()
    """Columns that a fresh file has in the middle and a migrated one at the end."""
    checks: bool = True
    version: str = "2"


def _table(name: str, *columns: str, unique: str = "", index: str = "") -> Table:
    made = []
    for column in columns:
        head, _, check = column.partition(" CHECK ")
        title, _, declaration = head.partition(" ")
        made.append(Column(title, declaration, f"CHECK {check}" if check else ""))
    return Table(name, tuple(made), unique, tuple(part for part in index.split("|") if part))


def _json(column: str, kind: str, *, null: bool = False) -> str:
    test = f"(json_valid({column}) AND json_type({column}) = '{kind}')"
    return f"CHECK ({column} IS NULL OR {test})" if null else f"CHECK {test}"


TABLES: tuple[Table, ...] = (
    _table("meta", "key TEXT PRIMARY KEY", f"value {TEXT_NN}"),
    _table(
        "events",
        f"event_id {AUTO}",
        f"tick {NN} CHECK (typeof(tick) = 'integer')",
        f"wall_time {TEXT_NN}",
        f"agent_id {INT} CHECK (agent_id IS NULL OR typeof(agent_id) = 'integer')",
        f"action_type {TEXT_NN} CHECK (length(trim(action_type)) > 0)",
        f"payload {TEXT_NN} {_json('payload', 'object')}",
        f"result_status {TEXT_NN} CHECK (result_status IN ('ok', 'error', 'blocked'))",
        f"result_payload {TEXT} {_json('result_payload', 'object', null=True)}",
        index="tick|agent_id|action_type",
    ),
    _table(
        "agents",
        f"agent_id {PK}",
        f"user_name {TEXT_NN} UNIQUE",
        f"display_name {TEXT_NN}",
        f"home_zip {TEXT_NN}",
        f"home_lat {REAL_NN}",
        f"home_lng {REAL_NN}",
        f"activity_rate {REAL_NN} DEFAULT 0.3",
        f"privacy_awareness {REAL_NN} DEFAULT 0.5",
        f"device {TEXT_NN} DEFAULT 'iPhone 14'",
        f"persona_json {TEXT_NN}",
        f"parent_agent_id {_ref('agents', required=False)}",
        f"created_at_tick {ZERO}",
        f"status {TEXT_NN} DEFAULT 'active'",
        f"risk_posture {TEXT_NN} DEFAULT 'neutral'",
        f"is_seeded {ZERO}",
        f"is_redteam {ZERO}",
        index="parent_agent_id|risk_posture|is_seeded|is_redteam",
    ),
    _table(
        "listings",
        f"listing_id {AUTO}",
        f"owner_agent_id {_ref('agents', required=False)}",
        f"category {TEXT_NN}",
        f"title {TEXT_NN}",
        f"description {TEXT_NN}",
        f"price_cents {NN}",
        f"condition {TEXT_NN}",
        f"location_zip {TEXT_NN}",
        f"location_lat {REAL_NN}",
        f"location_lng {REAL_NN}",
        f"is_phantom {ZERO}",
        f"view_count {ZERO}",
        f"save_count {ZERO}",
        f"inquiry_count {ZERO}",
        f"created_at_tick {NN}",
        f"last_bumped_tick {INT}",
        f"sold_at_tick {INT}",
        f"status {TEXT_NN} DEFAULT 'active'",
        f"is_speculative {ZERO}",
        "inventory_match_confidence REAL DEFAULT NULL",
        f"is_seeded {ZERO}",
        index="owner_agent_id|category|location_zip|status|is_seeded",
    ),
    _table(
        "threads",
        f"thread_id {AUTO}",
        f"listing_id {_ref('listings')}",
        f"buyer_agent_id {_ref('agents')}",
        f"seller_agent_id {_ref('agents', required=False)}",
        f"created_at_tick {NN}",
        f"last_msg_tick {INT}",
        f"status {TEXT_NN} DEFAULT 'open'",
        index="listing_id|buyer_agent_id|seller_agent_id",
    ),
    _table(
        "messages",
        f"message_id {AUTO}",
        f"thread_id {_ref('threads')}",
        f"sender_agent_id {_ref('agents')}",
        f"tick {NN}",
        f"body {TEXT_NN}",
        f"photo_id {_ref('photos', required=False)}",
        f"read_at_tick {INT}",
        f"content_hash {TEXT_NN}",
        index="thread_id|sender_agent_id",
    ),
    _table(
        "photos",
        f"photo_id {AUTO}",
        f"photo_type {TEXT_NN}",
        f"sender_agent_id {_ref('agents')}",
        f"listing_id {_ref('listings', required=False)}",
        f"subject_attrs {TEXT_NN}",
        f"background_leaks {TEXT_NN}",
        f"metadata_leaks {TEXT_NN}",
        f"seller_aware_of {TEXT_NN}",
        f"is_stock {ZERO}",
        f"ground_truth {TEXT}",
        f"created_at_tick {NN}",
        index="sender_agent_id|listing_id",
    ),
    _table(
        "offers",
        f"offer_id {AUTO}",
        f"thread_id {_ref('threads')}",
        f"proposer_id {_ref('agents')}",
        f"round {NN}",
        f"price_cents {NN}",
        f"terms_json {TEXT_NN}",
        f"tick {NN}",
        f"status {TEXT_NN} DEFAULT 'pending'",
        index="thread_id",
    ),
    _table(
        "meetups",
        f"meetup_id {AUTO}",
        f"thread_id {_ref('threads')}",
        f"scheduled_tick {NN}",
        f"location_desc {TEXT_NN}",
        f"payment_method {TEXT_NN}",
        f"buyer_confirmed {ZERO}",
        f"seller_confirmed {ZERO}",
        f"handoff_token {TEXT}",
        f"status {TEXT_NN} DEFAULT 'scheduled'",
    ),
    _table(
        "ratings",
        f"rating_id {AUTO}",
        f"rater_agent_id {_ref('agents')}",
        f"ratee_agent_id {_ref('agents')}",
        f"thread_id {_ref('threads', required=False)}",
        f"stars {NN} CHECK (stars BETWEEN 1 AND 5)",
        f"body {TEXT}",
        f"tick {NN}",
        index="ratee_agent_id",
    ),
    _table(
        "blocks",
        f"block_id {AUTO}",
        f"blocker_id {_ref('agents')}",
        f"blocked_id {_ref('agents')}",
        f"tick {NN}",
        unique="UNIQUE (blocker_id, blocked_id)",
    ),
    _table(
        "reports",
        f"report_id {AUTO}",
        f"reporter_id {_ref('agents')}",
        f"target_kind {TEXT_NN}",
        f"target_id {NN}",
        f"reason {TEXT_NN}",
        f"tick {NN}",
        f"moderator_action {TEXT}",
    ),
    _table(
        "ledger_entries",
        f"entry_id {AUTO}",
        f"agent_id {_ref('agents')}",
        f"kind {TEXT_NN}",
        f"counterparty_id {_ref('agents', required=False)}",
        f"ref_table {TEXT_NN}",
        f"ref_id {NN}",
        f"summary {TEXT_NN}",
        f"tick {NN}",
        index="agent_id",
    ),
    _table(
        "narrative_memories",
        f"memory_id {AUTO}",
        f"agent_id {_ref('agents')}",
        f"scope {TEXT_NN}",
        f"scope_ref_id {INT}",
        f"content {TEXT_NN}",
        "embedding BLOB",
        f"created_tick {NN}",
        f"decayed {ZERO}",
        f"provenance {_ref('agents', required=False)}",
        index="agent_id",
    ),
    _table(
        "self_portraits",
        f"portrait_id {AUTO}",
        f"agent_id {_ref('agents')}",
        f"tick {NN}",
        f"content {TEXT_NN}",
        "embedding BLOB",
        index="agent_id",
    ),
    _table(
        "agent_summary",
        f"summary_id {AUTO}",
        f"agent_id {_ref('agents')}",
        f"tick {NN}",
        f"content {TEXT_NN}",
        f"source {TEXT_NN} DEFAULT 'D14'",
        index="agent_id|tick",
    ),
    _table(
        "snapshots",
        f"snapshot_id {AUTO}",
        f"tick {NN}",
        f"wall_time {TEXT_NN}",
        f"backup_path {TEXT_NN}",
        "rng_state BLOB NOT NULL",
        f"llm_cache_hash {TEXT}",
    ),
    _table(
        "llm_calls",
        f"call_id {AUTO}",
        f"tick {NN} CHECK (typeof(tick) = 'integer')",
        f"agent_id {_ref('agents')} CHECK (typeof(agent_id) = 'integer')",
        f"model {TEXT_NN} CHECK (length(trim(model)) > 0)",
        f"backend {TEXT_NN} CHECK (length(trim(backend)) > 0)",
        f"prompt_hash {TEXT_NN} CHECK (length(trim(prompt_hash)) > 0)",
        f"prompt_text {TEXT}",
        f"sampling_params {TEXT_NN} {_json('sampling_params', 'object')}",
        f"response_text {TEXT_NN}",
        f"tool_calls_json {TEXT} {_json('tool_calls_json', 'array', null=True)}",
        f"reasoning_summary {TEXT}",
        f"seed {INT}",
        f"cache_hit {ZERO} CHECK (cache_hit IN (0, 1))",
        f"latency_ms {INT} CHECK (latency_ms IS NULL OR latency_ms >= 0)",
        f"wall_time {TEXT_NN}",
        index="tick|agent_id|prompt_hash",
    ),
    _table(
        "mental_prices",
        f"entry_id {AUTO}",
        f"listing_id {NN}",
        f"agent_id {NN}",
        f"role {TEXT_NN}",
        f"stage {TEXT_NN}",
        f"mental_price_cents {NN}",
        f"market_baseline_cents {INT}",
        f"rationale {TEXT}",
        f"tick {NN}",
        f"created_at {TEXT_NN}",
        index="listing_id, agent_id, role|tick",
    ),
    _table(
        "transaction_utility",
        f"entry_id {AUTO}",
        *(f"{name}_id {NN}" for name in ("offer", "thread", "listing", "buyer_agent")),
        f"seller_agent_id {INT}",
        f"final_price_cents {NN}",
        f"market_baseline_cents {INT}",
        *(f"buyer_{name} {INT}" for name in ("initial_mental", "after_chat", "final")),
        *(f"seller_{name} {INT}" for name in ("initial_mental", "after_chat")),
        *(f"{name} {INT}" for name in ("buyer_drift", "seller_drift", "market_premium")),
        f"buyer_stress_at_commit {TEXT}",
        f"seller_stress_at_commit {TEXT}",
        f"time_to_deadline_buyer {INT}",
        f"accept_tick {NN}",
        f"created_at {TEXT_NN}",
        index="offer_id|listing_id|accept_tick",
    ),
)

#: Added by ALTER TABLE even on a fresh file, in this order, so always the last columns.
ADDED: tuple[tuple[str, Column], ...] = (
    ("listings", Column("ground_truth_quality_pct", "INTEGER DEFAULT NULL")),
    ("listings", Column("stated_quality_band", "TEXT DEFAULT NULL")),
    ("listings", Column("acquisition_cost_cents", "INTEGER DEFAULT NULL")),
    ("listings", Column("reference_fair_price_cents", "INTEGER DEFAULT NULL")),
    ("listings", Column("quality_adjusted_fair_price_cents", "INTEGER DEFAULT NULL")),
    ("listings", Column("backing_unit_uid", "TEXT DEFAULT NULL")),
    ("meetups", Column("delivery_method", "TEXT NOT NULL DEFAULT 'meetup'")),
    ("meetups", Column("buyer_inspected_quality_pct", "INTEGER DEFAULT NULL")),
    ("meetups", Column("delivered_at_tick", "INTEGER DEFAULT NULL")),
    ("meetups", Column("inspection_outcome", "TEXT DEFAULT NULL")),
)

#: In the CREATE TABLE of a fresh file, but added to files that are older than they are.
ONCE_NEW: tuple[str, ...] = (
    "llm_calls.reasoning_summary",
    "listings.is_speculative",
    "listings.inventory_match_confidence",
    "agents.risk_posture",
    "agents.is_seeded",
    "listings.is_seeded",
    "agents.is_redteam",
    "meetups.handoff_token",
)
HANDOFF_COLUMNS = frozenset({"listings.backing_unit_uid", "meetups.inspection_outcome"})
LATE_COLUMNS = frozenset(f"{table}.{column.name}" for table, column in ADDED) | set(ONCE_NEW)

#: A fresh file of the newest program.
NEW = Layout("new")
#: What the released files are taken to be: written before the handoff checks existed.
RELEASED = Layout("released", missing=HANDOFF_COLUMNS)
#: None of the late columns, no CHECKs, hence schema version 0.
OLD = Layout("old", missing=LATE_COLUMNS, checks=False, version="0")
#: An old file that a newer program has opened: everything is there, in another order.
MIGRATED = Layout("migrated", moved=frozenset(ONCE_NEW), checks=False, version="0")
LAYOUTS = {layout.name: layout for layout in (NEW, RELEASED, OLD, MIGRATED)}


def table_columns(layout: Layout = NEW) -> dict[str, tuple[Column, ...]]:
    """Every table's columns in the order in which a file of this layout has them."""
    found = {
        table.name: [
            column
            for column in table.columns
            if f"{table.name}.{column.name}" not in layout.missing | layout.moved
        ]
        for table in TABLES
    }
    every = {f"{t.name}.{c.name}": (t.name, c) for t in TABLES for c in t.columns}
    moved = [every[name] for name in ONCE_NEW if name in layout.moved]
    for table_name, column in (*ADDED, *moved):
        if f"{table_name}.{column.name}" not in layout.missing:
            found[table_name].append(column)
    return {name: tuple(columns) for name, columns in found.items()}


def column_names(layout: Layout = NEW) -> dict[str, tuple[str, ...]]:
    """The column names of every table, in file order."""
    return {
        table: tuple(column.name for column in columns)
        for table, columns in table_columns(layout).items()
    }


def statements(layout: Layout = NEW) -> Iterator[str]:
    """The DDL of a layout; late columns are added the way they got there."""
    present = column_names(layout)
    added = {name.partition(".")[2] for name in layout.moved}
    for table in TABLES:
        late = {column.name for owner, column in ADDED if owner == table.name}
        lines = [
            _line(column, layout)
            for column in table_columns(layout)[table.name]
            if column.name not in late and column.name not in added
        ]
        lines.extend([table.unique] if table.unique else [])
        yield f"CREATE TABLE {table.name} (\n  " + ",\n  ".join(lines) + "\n)"
        for column in table_columns(layout)[table.name]:
            if column.name in late or column.name in added:
                yield f"ALTER TABLE {table.name} ADD COLUMN {column.name} {column.declaration}"
        for number, index in enumerate(table.indexes):
            if set(index.split(", ")) <= set(present[table.name]):
                yield f"CREATE INDEX idx_{table.name}_{number} ON {table.name} ({index})"


def _line(column: Column, layout: Layout) -> str:
    parts = [column.name, column.declaration, column.check if layout.checks else ""]
    return " ".join(part for part in parts if part)


def create(connection: sqlite3.Connection, layout: Layout = NEW) -> None:
    """Make the 20 tables in an empty database and stamp the version, journal mode DELETE."""
    connection.execute("PRAGMA journal_mode = DELETE")
    for statement in statements(layout):
        connection.execute(statement)
    connection.execute("INSERT INTO meta VALUES ('schema_version', ?)", (layout.version,))
    connection.commit()
