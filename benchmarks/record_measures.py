"""Measuring a record: checks and outcomes of a million events on one core (SPEC §14).

    python -m benchmarks.record_measures [--copies 24]

Plays thirty days and seven with crooked tested agents once, repeats them one after another in one
record (the same agents, ever more units, listings and deals), and prints CPU seconds, events per
second and peak memory of reading, checks and outcomes; then the time per event of the whole record
against that of half of it.
"""

from __future__ import annotations

import re
import resource
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import anyio
import click

from bazaarbench.agents.prompting import persona_text_of, world_text
from bazaarbench.evidence import Evidence, read
from bazaarbench.failures.builtin import FAILURE_TYPES
from bazaarbench.findings import build
from bazaarbench.market.clock import TICKS_PER_DAY
from bazaarbench.market.load import load
from bazaarbench.market.meta import RecordInfo, read_meta
from bazaarbench.market.platform import Platform
from bazaarbench.market.record import Record, fork
from bazaarbench.market.schema import DIGEST_TABLES, columns
from bazaarbench.outcomes import judge_deals
from bazaarbench.plugins import load as load_plugins
from bazaarbench.saved_states import grow
from bazaarbench.simulation import Seat, Simulation
from bazaarbench.truth import TruthLog, truth_path
from bazaarbench.worlds import WorldSpec
from benchmarks.machine import describe

AGENTS, FORK, END = 100, 360, 444
TESTED = tuple(range(1, AGENTS + 1, 5))
#: Tables that are repeated; agents stay the same.
_TABLES = (*sorted(DIGEST_TABLES.keys() - {"memories", "feeds", "ratings"}), "turns")
#: Ids of one copy stay below this.
_ROOM = 1_000_000
_OF_AN_AGENT = frozenset({"agent_id", "owner_id", "buyer_id", "seller_id", "proposer_id"})
_ID = re.compile(r'"((?:\w+_)?(?:listing|thread|offer|meetup|unit|photo|holding)_id)":(\d+)')
_Result = TypeVar("_Result")


def played(folder: Path) -> Path:
    """A record of a base market and a crooked continuation of it."""
    base, target = folder / "base.db", folder / "played.db"
    registry = load_plugins()
    grow(WorldSpec(name="bench", seed=0, agents=AGENTS, days=FORK // TICKS_PER_DAY), base)
    told = registry.conditions["L3"]
    info = RecordInfo(
        market_name="bench",
        seed=0,
        rules=registry.presets["paper"],
        start_tick=FORK,
        end_tick=END,
        condition="L3",
        tested=TESTED,
    )
    fork(base, target, info)
    with Record.open(target) as record:
        market = load(record.connection)
        policy = {True: registry.policies["crooked"](), False: registry.policies["honest"]()}
        seats = {
            agent_id: Seat(
                "scripted",
                policy[agent_id in TESTED],
                persona_text_of(agent, told) if agent_id in TESTED else persona_text_of(agent),
                info.seed,
            )
            for agent_id, agent in market.agents.items()
        }
        simulation = Simulation(
            record,
            market,
            Platform(market, tuple(registry.checks.values())),
            seats,
            world=world_text(),
            truth=TruthLog(truth_path(target), last_tick=record.last_tick),
            store_observations=False,
        )
        anyio.run(simulation.play, END)
    return target


def repeated(source: Path, target: Path, copies: int) -> Path:
    """A record in which the market of another is played several times, one after the other."""
    shutil.copyfile(source, target)
    connection = sqlite3.connect(target)
    info, last_tick = read_meta(connection)
    for table in _TABLES:
        _repeat(connection, table, copies, last_tick)
    longer = info.model_copy(update={"start_tick": 0, "end_tick": copies * last_tick})
    connection.execute("UPDATE meta SET value = ? WHERE key = 'info'", [longer.model_dump_json()])
    connection.execute("INSERT OR IGNORE INTO ticks VALUES (?, 0, 0)", [copies * last_tick])
    connection.commit()
    connection.close()
    return target


def _repeat(connection: sqlite3.Connection, table: str, copies: int, last_tick: int) -> None:
    """Append a table's rows again and again, with new ids and later ticks."""
    names = columns(table)
    rows = connection.execute(f"SELECT {', '.join(names)} FROM {table}").fetchall()
    marks = ", ".join("?" * len(names))
    for copy in range(1, copies):
        shifted = (_shifted(names, row, copy, last_tick) for row in rows)
        connection.executemany(f"INSERT INTO {table} VALUES ({marks})", shifted)


def _shifted(names: tuple[str, ...], row: tuple[Any, ...], copy: int, last_tick: int) -> list[Any]:
    ids = copy * _ROOM
    found: list[Any] = []
    for name, value in zip(names, row, strict=True):
        if value is None or name in _OF_AN_AGENT:
            found.append(value)
        elif name == "tick" or name.endswith("_tick"):
            found.append(value + copy * last_tick)
        elif name.endswith(("_id", "_event")):
            found.append(value + ids)
        elif name in ("payload", "result", "private"):
            found.append(_ID.sub(lambda m: f'"{m[1]}":{int(m[2]) + ids}', value))
        else:
            found.append(value)
    return found


def timed(what: str, work: Callable[[], _Result], events: int) -> _Result:
    """Do some work and print what it took."""
    begun = time.process_time()
    result = work()
    seconds = time.process_time() - begun
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    click.echo(
        f"  {what}: {seconds:.1f} s CPU, {events / seconds:,.0f} events/s, peak {peak_mb:,.0f} MB"
    )
    return result


def measure(path: Path) -> float:
    """Time reading, checks and outcomes of a record; returns CPU seconds per event of all."""
    connection = sqlite3.connect(path)
    events = int(connection.execute("SELECT count(*) FROM events").fetchone()[0])
    connection.close()
    click.echo(f"{events:,} events")
    evidence: Evidence = timed("reading", lambda: read(path), events)
    objects = timed(
        "checks",
        lambda: {
            one.key: list(one.objects(evidence))
            for one in FAILURE_TYPES
            if one.decided_by == "record"
        },
        events,
    )
    outcomes = timed("deals, links, audit", lambda: judge_deals(evidence, objects), events)
    found = sum(map(len, objects.values()))
    click.echo(f"  {len(outcomes.deals):,} deals, {found:,} failure objects")
    begun = time.process_time()
    timed("all findings, once more from the start", lambda: build(path, FAILURE_TYPES), events)
    return (time.process_time() - begun) / events


@click.command()
@click.option("--copies", type=click.IntRange(min=2), default=24, show_default=True)
@click.option("--record", type=click.Path(path_type=Path), help="A record to repeat.")
def main(copies: int, record: Path | None) -> None:
    """Time the measuring of a long record."""
    click.echo(describe())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = played(folder) if record is None else record
        half = measure(repeated(source, folder / "half.db", copies // 2))
        whole = measure(repeated(source, folder / "whole.db", copies))
    click.echo(f"time per event, {copies} ÷ {copies // 2} copies: {whole / half:.2f}")


if __name__ == "__main__":
    main()
