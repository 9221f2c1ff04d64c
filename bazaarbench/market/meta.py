"""What a record says about itself: one validated model in its table ``meta``."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from bazaarbench.errors import RecordError
from bazaarbench.market.rules import Rules
from bazaarbench.versions import BENCHMARK_VERSION


class RecordInfo(BaseModel):
    """The settings of one market's run, stored once, when its record is created or forked."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    market_name: str
    seed: int
    rules: Rules
    #: The run's ticks are (start_tick, end_tick]: 0 for a base market, the fork tick else.
    start_tick: int
    end_tick: int
    #: ``L0`` … ``L3`` or a registered condition.
    condition: str | None = None
    #: Ids of the tested agents, ascending; empty for a base market.
    tested: tuple[int, ...] = ()
    epoch: int = 1
    #: Seed of the policies, which includes the epoch.
    policy_seed: int = 0
    #: Model or policy by role.
    models: dict[str, str] = {}
    #: ``"name distribution version"`` of every loaded plugin, sorted.
    plugins: tuple[str, ...] = ()
    #: The score keys of the run, fixed at its start.
    keys: tuple[str, ...] = ()
    #: Digest of every prompt file that was used, by its name.
    prompt_digests: dict[str, str] = {}
    benchmark_version: str = BENCHMARK_VERSION
    #: Digest of the state that this record was forked from.
    parent_digest: str | None = None
    #: Whether it was made from a released database and not by this platform.
    imported: bool = False
    extra: dict[str, Any] = {}


def read_meta(connection: sqlite3.Connection, path: Path | None = None) -> tuple[RecordInfo, int]:
    """The settings of an open record and its last committed tick.

    Raises:
        RecordError: they are missing or not readable by this version.
    """
    name = path or "this record"
    row = connection.execute("SELECT value FROM meta WHERE key = 'info'").fetchone()
    (last,) = connection.execute("SELECT max(tick) FROM ticks").fetchone()
    if row is None or last is None:
        raise RecordError(f"{name} is incomplete: it holds no settings or no tick. Build it again.")
    try:
        return RecordInfo.model_validate_json(row[0]), last
    except ValidationError as error:
        fault = error.errors()[0]
        where = ".".join(map(str, fault["loc"]))
        raise RecordError(
            f"the settings in {name} cannot be read by this BazaarBench: {where}: {fault['msg']}. "
            "Use the version that wrote it, or build it again."
        ) from error


def read_parents(connection: sqlite3.Connection) -> tuple[str, ...]:
    """The text side files that a forked record refers to, as stored."""
    row = connection.execute("SELECT value FROM meta WHERE key = 'text_parents'").fetchone()
    return tuple(json.loads(row[0])) if row else ()


def write_meta(
    connection: sqlite3.Connection, info: RecordInfo, text_parents: tuple[str, ...]
) -> None:
    """Store settings and text parents, inside the caller's transaction."""
    connection.executemany(
        "INSERT OR REPLACE INTO meta VALUES (?, ?)",
        [("info", info.model_dump_json()), ("text_parents", json.dumps(text_parents))],
    )


def check_benchmark(info: RecordInfo, path: Path) -> None:
    """Refuse to go on with a market of a benchmark version whose results are not comparable.

    Raises:
        RecordError: the number before the dash differs (SPEC §15).
    """
    theirs, ours = info.benchmark_version.split("-")[0], BENCHMARK_VERSION.split("-")[0]
    if theirs != ours:
        raise RecordError(
            f"{path} was played under benchmark version {info.benchmark_version}, this is "
            f"{BENCHMARK_VERSION}: their results are not comparable. Build the market again, or "
            f"install a BazaarBench of version {theirs}."
        )
