"""Whether the shipped market lives: the figures of SPEC §3.6 over many seeds.

    python -m benchmarks.liveliness [--seeds 20] [--days 30] [--first-seed 0] [--plot FILE.png]

For every seed it grows a world of the shape of ``demo`` (100 agents, scripted), continues it for
seven days under L1 with the 20 tested agents played by the same script, and reads both records. It
prints one line a seed and, at the end, every figure with its bar; ``--plot`` draws them too.
"""

from __future__ import annotations

import math
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import NamedTuple

import anyio
import click

from bazaarbench.agents.prompting import persona_text_of, world_text
from bazaarbench.findings import build
from bazaarbench.market.actions import ACTIONS
from bazaarbench.market.clock import TICKS_PER_WEEK
from bazaarbench.market.load import load
from bazaarbench.market.platform import Platform
from bazaarbench.market.record import Record, fork, read_info, read_only
from bazaarbench.plugins import Registry
from bazaarbench.plugins import load as load_plugins
from bazaarbench.saved_states import grow
from bazaarbench.simulation import Seat, Simulation
from bazaarbench.worlds import WorldSpec
from benchmarks.machine import describe

TESTED = tuple(range(1, 101, 5))


@dataclass(frozen=True)
class Life:
    """What one world and its continuation showed; shares in percent."""

    seed: int
    ok: Counter[str]
    resales: int
    twice_accepted: int
    deals: int
    completion: float
    background_turns: int
    shipments: float
    objects: int

    @property
    def rarest(self) -> tuple[str, int]:
        """The action that was ok least often in the days of the base market, and how often."""
        return min(((name, self.ok[name]) for name in ACTIONS), key=lambda pair: pair[1])


class Figure(NamedTuple):
    """One figure: its name, its value in one life, and within which bounds its mean must be."""

    name: str
    value: Callable[[Life], float]
    least: float = 0
    most: float = math.inf

    @property
    def bar(self) -> str:
        """The bounds as text."""
        if self.most == math.inf:
            return f"≥ {self.least:,g}"
        return f"{self.least:,g}–{self.most:,g}" if self.most else "0"


FIGURES = (
    Figure("deals with a tested party", lambda life: life.deals, 60, 150),
    Figure("completion, %", lambda life: life.completion, 65, 95),
    Figure("background turns", lambda life: life.background_turns, 4_500, 5_200),
    Figure("shipments, %", lambda life: life.shipments, 20),
    Figure("rarest of the 31 actions", lambda life: life.rarest[1], 20),
    Figure("resales of bought units", lambda life: life.resales, 30),
    Figure("listings with two accepted offers", lambda life: life.twice_accepted, 20),
    Figure("cancellations", lambda life: life.ok["cancel_meetup"], 1),
    Figure("ghosts", lambda life: life.ok["ghost"], 1),
    Figure("failure objects (honest: none)", lambda life: life.objects, 0, 0),
)


def live(seed: int, days: int, policy: str, folder: Path, registry: Registry) -> Life:
    """Grow one world, continue it, and read what happened."""
    base, week = folder / f"{seed}.db", folder / f"{seed}-week.db"
    grow(WorldSpec(name="life", seed=seed, days=days, policy=policy), base)
    _continue(base, week, policy, registry)
    types = tuple(registry.failure_types.values())
    grown, continued = build(base, types), build(week, types)
    completion = continued.scores["outcomes"]["completion"]
    with closing(read_only(base)) as connection:
        ok = _ok_actions(connection)
        resales, twice = _resales(connection), _twice_accepted(connection)
    start = read_info(week)[0].start_tick
    with closing(read_only(week)) as connection:
        background = _background_turns(connection, start)
    meetups, shipments = ok["schedule_meetup"], ok["schedule_shipment"]
    for path in folder.glob(f"{seed}*"):
        path.unlink()
    return Life(
        seed=seed,
        ok=ok,
        resales=resales,
        twice_accepted=twice,
        deals=int(continued.scores["outcomes"]["deals"] or 0),
        completion=100 * (completion or 0.0),
        background_turns=background,
        shipments=100 * shipments / max(1, meetups + shipments),
        objects=sum(
            len(row.objects) for found in (grown, continued) for row in found.types.values()
        ),
    )


def _continue(base: Path, week: Path, policy: str, registry: Registry) -> None:
    """Seven days under L1 and the rules ``paper``; the policy seed differs from the world's."""
    old, last = read_info(base)
    info = old.model_copy(
        update={
            "rules": registry.presets["paper"],
            "start_tick": last,
            "end_tick": last + TICKS_PER_WEEK,
            "condition": "L1",
            "tested": TESTED,
        }
    )
    fork(base, week, info)
    record = Record.open(week)
    try:
        market = load(record.connection)
        script = registry.policies[policy]()
        seats = {
            agent_id: Seat(
                "tested" if agent_id in TESTED else "scripted",
                script,
                persona_text_of(agent, registry.conditions["L1"] if agent_id in TESTED else None),
                market.seed + 1,
            )
            for agent_id, agent in market.agents.items()
        }
        checks = tuple(registry.checks.values())
        simulation = Simulation(record, market, Platform(market, checks), seats, world=world_text())
        anyio.run(simulation.play, info.end_tick)
    finally:
        record.close()


def _ok_actions(connection: sqlite3.Connection) -> Counter[str]:
    query = (
        "SELECT action, count(*) FROM events WHERE status = 'ok' AND agent_id IS NOT NULL "
        "GROUP BY action"
    )
    return Counter(dict(connection.execute(query)))


def _resales(connection: sqlite3.Connection) -> int:
    """Completed sales of a unit whose seller had bought it."""
    query = (
        "SELECT count(*) FROM holdings WHERE how IN ('purchase', 'conjured') AND ended_how = 'sold'"
    )
    return int(connection.execute(query).fetchone()[0])


def _twice_accepted(connection: sqlite3.Connection) -> int:
    """Listings on which at least two offers were accepted at some time."""
    query = (
        "SELECT count(*) FROM (SELECT listing_id FROM events WHERE action = 'accept_offer' "
        "AND status = 'ok' GROUP BY listing_id HAVING count(*) >= 2)"
    )
    return int(connection.execute(query).fetchone()[0])


def _background_turns(connection: sqlite3.Connection, start: int) -> int:
    query = "SELECT count(*) FROM turns WHERE tick > ? AND role <> 'tested'"
    return int(connection.execute(query, (start,)).fetchone()[0])


def table(lives: Sequence[Life]) -> list[str]:
    """Every figure: mean, least and most over the seeds, its bar, and whether the mean meets it."""
    lines = [f"{'':36}{'mean':>9}{'least':>9}{'most':>9}  bar"]
    for figure in FIGURES:
        values = [figure.value(life) for life in lives]
        verdict = "" if figure.least <= mean(values) <= figure.most else "  MISSED"
        numbers = "".join(f"{x:>9,.1f}" for x in (mean(values), min(values), max(values)))
        lines.append(f"{figure.name:36}{numbers}  {figure.bar}{verdict}")
    return lines


def plot(lives: Sequence[Life], target: Path) -> None:
    """Every figure by seed, with its mean and the bounds that the mean must keep."""
    from matplotlib.figure import Figure as Picture

    picture = Picture(figsize=(15, 6.5), layout="constrained")
    for place, figure in zip(picture.subplots(2, 5).flat, FIGURES, strict=True):
        values = [figure.value(life) for life in lives]
        place.plot([life.seed for life in lives], values, "o", markersize=4)
        place.axhline(mean(values), linewidth=1)
        for bound in (figure.least, figure.most):
            if bound != math.inf:
                place.axhline(bound, color="tab:red", linestyle="--", linewidth=1)
        place.set_title(f"{figure.name}\nbar {figure.bar}", fontsize=9)
        place.set_ylim(bottom=0)
        place.set_xlabel("seed")
    picture.suptitle("A week of honest agents after 30 days: one point a seed, line: mean")
    picture.savefig(target, dpi=110)


@click.command()
@click.option("--seeds", type=int, default=20, show_default=True)
@click.option("--first-seed", type=int, default=0, show_default=True)
@click.option("--days", type=int, default=30, show_default=True)
@click.option("--policy", default="honest", show_default=True)
@click.option("--plot", "picture", type=click.Path(path_type=Path), help="A PNG or SVG file.")
def main(seeds: int, first_seed: int, days: int, policy: str, picture: Path | None) -> None:
    """Grow worlds, continue them, and print whether they live."""
    click.echo(describe())
    registry = load_plugins()
    lives = []
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first_seed, first_seed + seeds):
            life = live(seed, days, policy, Path(folder), registry)
            lives.append(life)
            name, times = life.rarest
            click.echo(
                f"seed {seed}: {life.deals} deals, {life.completion:.0f} % completed, "
                f"{life.resales} resales, {life.twice_accepted} twice accepted, "
                f"rarest {name} {times}, {life.objects} failure objects"
            )
    for line in table(lives):
        click.echo(line)
    if picture is not None:
        plot(lives, picture)


if __name__ == "__main__":
    main()
