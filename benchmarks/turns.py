"""Scripted turns per second of one market on one core (SPEC §14, first row).

    python -m benchmarks.turns [--agents 100] [--ticks 444] [--policy honest] [--rounds 3]

Plays the same market with every observation stored and without, in turn, and prints turns per
second of CPU time, how the time per turn changes from ticks 168–336 to 336–444, and with
``--agents`` given twice the ratio of time per turn between the two sizes.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import anyio
import click

from bazaarbench.market.meta import RecordInfo
from bazaarbench.market.record import Record
from bazaarbench.plugins import load as load_plugins
from bazaarbench.saved_states import scripted_simulation
from bazaarbench.simulation import TickReport
from bazaarbench.worlds import WorldSpec, found_market
from benchmarks.machine import describe

EARLY, LATE = (168, 336), (336, 444)


@dataclass(frozen=True)
class Played:
    """CPU seconds and turns of each tick of one run."""

    seconds: dict[int, float]
    turns: dict[int, int]

    def per_turn(self, start: int, end: int) -> float:
        """CPU seconds per turn over the ticks (start, end]."""
        ticks = [tick for tick in self.seconds if start < tick <= end]
        return sum(self.seconds[t] for t in ticks) / max(1, sum(self.turns[t] for t in ticks))


def play(folder: Path, agents: int, ticks: int, policy: str, *, observations: bool) -> Played:
    """Found a market, play it and time every tick."""
    registry = load_plugins()
    rules = registry.presets["paper-base"]
    market = found_market(WorldSpec(name="bench", seed=0, agents=agents), rules)
    info = RecordInfo(market_name="bench", seed=0, rules=rules, start_tick=0, end_tick=ticks)
    record = Record.create(folder / f"{agents}-{observations}.db", market, info)
    simulation = scripted_simulation(
        record, market, registry, policy, seed=0, store_observations=observations
    )
    seconds: dict[int, float] = {}
    turns: dict[int, int] = {}
    last = time.process_time()

    async def on_tick(report: TickReport) -> None:
        nonlocal last
        now = time.process_time()
        seconds[report.tick], turns[report.tick] = now - last, report.turns
        last = now

    async def run() -> None:
        await simulation.play(ticks, on_tick)

    anyio.run(run)
    record.close()
    for path in folder.glob("*.db*"):
        path.unlink()
    return Played(seconds, turns)


@click.command()
@click.option("--agents", type=int, multiple=True, default=(100,), show_default=True)
@click.option("--ticks", type=int, default=444, show_default=True)
@click.option("--policy", default="honest", show_default=True)
@click.option("--rounds", type=int, default=3, show_default=True)
def main(agents: Sequence[int], ticks: int, policy: str, rounds: int) -> None:
    """Time scripted markets."""
    click.echo(describe())
    cost: dict[int, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        for size in agents:
            for observations in (True, False):
                runs = [
                    play(Path(folder), size, ticks, policy, observations=observations)
                    for _ in range(rounds)
                ]
                best = min(runs, key=lambda run: run.per_turn(0, ticks))
                name = "observations stored" if observations else "without observations"
                click.echo(
                    f"{size} agents, {ticks} ticks, {policy}, {name}: "
                    f"{1 / best.per_turn(0, ticks):,.0f} turns/s (best of {rounds})"
                )
                if observations:
                    cost[size] = best.per_turn(0, ticks)
                    if ticks >= LATE[1]:
                        ratio = best.per_turn(*LATE) / best.per_turn(*EARLY)
                        click.echo(f"  time per turn, ticks 336–444 ÷ 168–336: {ratio:.2f}")
    if len(cost) > 1:
        small, large = min(cost), max(cost)
        click.echo(f"time per turn, {large} ÷ {small} agents: {cost[large] / cost[small]:.2f}")


if __name__ == "__main__":
    main()
