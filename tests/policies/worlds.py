"""Thirty scripted days and their continuations, for tests that need the whole thing.

Run as a program it does the same over many seeds and prints a table:

    python -m tests.policies.worlds --seeds 20
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import anyio
import click
from filelock import FileLock

from bazaarbench.agents.prompting import persona_text_of, world_text
from bazaarbench.evidence import read
from bazaarbench.failures.base import FailureObject
from bazaarbench.market.clock import TICKS_PER_DAY, TICKS_PER_WEEK
from bazaarbench.market.load import load
from bazaarbench.market.meta import RecordInfo
from bazaarbench.market.platform import Platform
from bazaarbench.market.record import Record, fork, read_info
from bazaarbench.plugins import load as load_plugins
from bazaarbench.saved_states import grow
from bazaarbench.simulation import Seat, Simulation
from bazaarbench.truth import Planted, TruthLog, truth_path
from bazaarbench.truth import read as read_truth
from bazaarbench.worlds import WorldSpec

AGENTS, DAYS = 100, 30
TESTED = tuple(range(1, AGENTS + 1, 5))
FORK = DAYS * TICKS_PER_DAY


def base_market(folder: Path, seed: int) -> Path:
    """The record of thirty honest days; grown once, whoever asks first."""
    path = folder / f"base-{seed}.db"
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(path.with_suffix(".growing")):
        if not path.exists():
            grow(WorldSpec(name=f"seed-{seed}", seed=seed, agents=AGENTS, days=DAYS), path)
    return path


def continuation(
    base: Path, target: Path, *, policy: str, condition: str, rules: str = "paper"
) -> Path:
    """Seven days from a base market in which a script plays the tested agents."""
    registry = load_plugins()
    info, _ = read_info(base)
    told = registry.conditions[condition]
    fork(
        base,
        target,
        RecordInfo(
            market_name=info.market_name,
            seed=info.seed,
            rules=registry.presets[rules],
            start_tick=FORK,
            end_tick=FORK + TICKS_PER_WEEK,
            condition=condition,
            tested=TESTED,
        ),
    )
    with Record.open(target) as record:
        market = load(record.connection)
        tested, honest = registry.policies[policy](), registry.policies["honest"]()
        seats = {
            agent_id: Seat("scripted", tested, persona_text_of(agent, told), info.seed)
            if agent_id in TESTED
            else Seat("scripted", honest, persona_text_of(agent), info.seed)
            for agent_id, agent in market.agents.items()
        }
        simulation = Simulation(
            record,
            market,
            Platform(market, tuple(registry.checks.values())),
            seats,
            world=world_text(),
            truth=TruthLog(truth_path(target), last_tick=record.last_tick),
        )
        anyio.run(simulation.play, FORK + TICKS_PER_WEEK)
    return target


def objects(record: Path) -> list[FailureObject]:
    """All failure objects that the record decides; of everybody in it."""
    evidence = read(record)
    return [
        found
        for kind in load_plugins().failure_types.values()
        for found in kind.objects(evidence)
        if kind.decided_by == "record"
    ]


@dataclass(frozen=True)
class Compared:
    """Planted failures against found ones, by type."""

    planted: Counter[str]
    found: Counter[str]
    #: Planted and not found, found and not planted.
    missed: list[Planted]
    extra: list[FailureObject]


def compare(record: Path) -> Compared:
    """The truth file of a record against its failure objects.

    A plant is found when an object of its type cites the plant's own event; an object is planted
    when one of the plants of its type is among its events.
    """
    plants, found = read_truth(truth_path(record)), objects(record)
    cited = {
        (item.type, mark.event_id): item
        for item in found
        for step in item.steps.values()
        for mark in step.events
    }
    known = {(plant.type, plant.event_id) for plant in plants}
    return Compared(
        planted=Counter(plant.type for plant in plants),
        found=Counter(item.type for item in found),
        missed=[plant for plant in plants if (plant.type, plant.event_id) not in cited],
        extra=[
            item
            for item in found
            if not any(
                (item.type, mark.event_id) in known
                for step in item.steps.values()
                for mark in step.events
            )
        ],
    )


def twins_sold(record: Path) -> int:
    """Units sold in the record's window while their seller held an interchangeable one."""
    evidence = read(record)
    count = 0
    for deal in evidence.deals:
        done = deal.completion
        if done is None or done.conjured or deal.seller_id is None:
            continue
        kind = evidence.ledger.kind(done.unit_id)
        count += evidence.ledger.count(deal.seller_id, kind, done.mark) > 1
    return count


@click.command()
@click.option("--seeds", type=int, default=20, show_default=True)
@click.option("--first", type=int, default=0, show_default=True)
def main(seeds: int, first: int) -> None:
    """Honest, hasty and crooked over many seeds; exits 1 when a plant is missed or unplanned."""
    faults = twins = 0
    with TemporaryDirectory() as name:
        for seed in range(first, first + seeds):
            folder = Path(name) / str(seed)
            base = base_market(folder, seed)
            clean = len(objects(base))
            twins += twins_sold(base)
            line = [f"seed {seed}: 30 honest days {clean} objects"]
            faults += clean
            for policy, condition in (
                ("honest", "L1"),
                ("honest", "L2"),
                ("honest", "L3"),
                ("hasty", "L2"),
                ("crooked", "L3"),
            ):
                target = folder / f"{policy}-{condition}.db"
                result = compare(continuation(base, target, policy=policy, condition=condition))
                faults += len(result.missed) + len(result.extra)
                found = " ".join(f"{key} {n}" for key, n in sorted(result.found.items())) or "none"
                line.append(
                    f"{policy} {condition}: {found}; {len(result.missed)} missed, "
                    f"{len(result.extra)} extra"
                )
                twins += twins_sold(target) if policy == "honest" else 0
            click.echo(" | ".join(line))
    click.echo(f"{seeds} seeds: {faults} faults, {twins} twins sold by honest agents")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
