"""How often the intervals of ``bazaarbench.effects`` hold the truth, in simulated studies.

    python -m benchmarks.effects_coverage [--studies 1000] [--draws 2000] [--seed 0]

Every study draws new people (tested agents), new runs and new deals from a known population, and
takes an L3 − L1 effect over three markets. Printed is the share of studies whose 95 % interval
holds the population's effect: by draws of agents, by draws of agents and runs, each plain and
expanded for few agents, and as if deals were independent of one another, which they are not; and
the share of studies with p ≤ 0.05, where the effect is 0 by construction.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import click
import numpy as np

from bazaarbench.effects import (
    Contrast,
    Effect,
    Interval,
    Level,
    Parties,
    Resampling,
    Run,
    Tally,
    effect,
    level,
    resample,
)
from bazaarbench.effects.tallies import FloatArray
from benchmarks.machine import describe

MARKETS = ("a", "b", "c")
HEADS = ("agents", "expanded", "and runs", "expanded", "deals", "p ≤ 0.05")
CONTRAST = Contrast("condition", "L3", "L1")


@dataclass(frozen=True)
class World:
    """A population of people and runs.

    ``people`` and ``response`` are standard deviations, in logits, of how prone an agent is and of
    how it answers to the instructions; ``runs`` of a run's own luck. ``shift`` is the instructions'
    effect in logits; ``base`` the logit without it. ``deals`` are expected per agent and run;
    ``both_sides`` of them have a second tested party, who is as likely to be the one who fails.
    """

    title: str
    measure: str = "share"
    agents: int = 20
    epochs: int = 1
    deals: float = 5.0
    base: float = -1.5
    shift: float = 1.0
    people: float = 0.0
    response: float = 0.0
    runs: float = 0.0
    both_sides: float = 0.0


WORLDS = (
    World("share, deals independent"),
    World("share, agents differ", people=1.0, response=0.5),
    World("share, agents differ much", people=2.0, response=1.0),
    World("share, one deal in nine of two", people=1.0, response=0.5, both_sides=0.11),
    World("share, rare (4 %)", base=-4.0, people=1.0, response=0.5),
    World("share, 100 agents", agents=100, people=1.0, response=0.5),
    World("share, no effect", shift=0.0, people=1.0),
    World("count", "count", people=1.0, response=0.5),
    World("dollars (skewed)", "amount", people=1.0, response=0.5),
    World("share, runs differ, 3 epochs", epochs=3, people=0.5, runs=0.5),
    World("share, runs differ, 10 epochs", epochs=10, people=0.5, runs=0.5),
    World("share, no effect, runs differ, 3", epochs=3, shift=0.0, people=0.5, runs=0.5),
)


@dataclass(frozen=True)
class People:
    """Tested agents of one study, by market: how prone, how responsive, how busy."""

    prone: FloatArray
    response: FloatArray
    busy: FloatArray

    @classmethod
    def drawn(cls, world: World, agents: int, generator: np.random.Generator) -> People:
        """New people from the population."""
        shape = (len(MARKETS), agents)
        return cls(
            world.people * generator.standard_normal(shape),
            world.response * generator.standard_normal(shape),
            generator.gamma(4.0, world.deals / 4.0, shape),
        )

    def chance(self, world: World, market: int, condition: str, luck: float) -> FloatArray:
        """Each agent's chance of a failure in a deal."""
        logit = world.base + self.prone[market] + luck
        if condition == CONTRAST.high:
            logit = logit + world.shift + self.response[market]
        chance: FloatArray = 1.0 / (1.0 + np.exp(-logit))
        return chance


def study(world: World, generator: np.random.Generator) -> list[Run]:
    """One study: the same people under both conditions, in every market and epoch."""
    people = People.drawn(world, world.agents, generator)
    runs = []
    for market, name in enumerate(MARKETS):
        for condition in (CONTRAST.low, CONTRAST.high):
            for epoch in range(world.epochs):
                chance = people.chance(
                    world, market, condition, world.runs * float(generator.standard_normal())
                )
                tally = one_run(world, people.busy[market], chance, generator)
                agents = tuple(range(1, 1 + world.agents))
                runs.append(
                    Run("m", name, condition, "paper", epoch, agents, {world.measure: tally})
                )
    return runs


def one_run(
    world: World, busy: FloatArray, chance: FloatArray, generator: np.random.Generator
) -> Tally:
    """The deals of one run; some have a second tested party."""
    first = np.repeat(np.arange(world.agents), generator.poisson(busy))
    other = (first + generator.integers(1, world.agents, first.size)) % world.agents
    second = np.where(generator.random(first.size) < world.both_sides, other, -1)
    acting = np.where((second >= 0) & (generator.random(first.size) < 0.5), second, first)
    failed = generator.random(first.size) < chance[acting]
    if world.measure == "amount":
        dollars = generator.lognormal(1.0, 1.0, first.size) * (1.0 + failed)
        return Tally.amounts(np.bincount(first, weights=dollars, minlength=world.agents))
    parties = Parties.from_columns(world.agents, first, second)
    if world.measure == "count":
        return parties.count(failed)
    return parties.share(failed, np.ones(first.size))


def truth(world: World, generator: np.random.Generator) -> float:
    """The population's effect, from very many people, each with luck of their own."""
    many = People.drawn(world, 400_000, generator)
    sides = []
    for condition in (CONTRAST.high, CONTRAST.low):
        logit_luck = world.runs * generator.standard_normal(many.busy.shape[1])
        failed = []
        for market in range(len(MARKETS)):
            chance = many.chance(world, market, condition, 0.0)
            odds = chance / (1 - chance) * np.exp(logit_luck)
            failed.append(many.busy[market] * odds / (1 + odds))
        sides.append(float(np.mean(failed)))
    difference = sides[0] - sides[1]
    if world.measure == "count":
        return difference * world.agents * len(MARKETS)
    return difference * math.exp(1.5) if world.measure == "amount" else difference / world.deals


def independent(high: Level, low: Level) -> Interval | None:
    """The interval that takes every deal for independent, of the pooled difference."""
    if high.d is None or low.d is None or high.value is None or low.value is None:
        return None
    half = 1.96 * math.sqrt(
        high.value * (1 - high.value) / high.d + low.value * (1 - low.value) / low.d
    )
    middle = high.value - low.value
    return Interval(middle - half, middle + half)


@dataclass
class Tallied:
    """How many of the intervals that there were held the truth."""

    there: int = 0
    held: int = 0

    def add(self, interval: Interval | None, value: float) -> None:
        """Count one interval."""
        if interval is not None:
            self.there += 1
            self.held += interval.low <= value <= interval.high

    def __str__(self) -> str:
        return f"{100 * self.held / self.there:5.1f} %" if self.there else "    –  "


def measured(world: World, studies: int, resampling: Resampling, seed: int) -> str:
    """One line of the table."""
    generator = np.random.Generator(np.random.PCG64(seed))
    value = truth(world, generator) if world.shift else 0.0
    wider = replace(resampling, expanded=True)
    agents, agents_wider, runs, runs_wider, deals = (Tallied() for _ in range(5))
    small = 0
    for _ in range(studies):
        drawn = resample(study(world, generator), world.measure, resampling)
        found: Effect = effect(drawn, CONTRAST)
        agents.add(found.interval, value)
        runs.add(found.runs_interval, value)
        expanded = effect(replace(drawn, resampling=wider), CONTRAST)
        agents_wider.add(expanded.interval, value)
        runs_wider.add(expanded.runs_interval, value)
        high = level(drawn, lambda cell: cell.condition == CONTRAST.high)
        low = level(drawn, lambda cell: cell.condition == CONTRAST.low)
        deals.add(independent(high, low), value)
        small += found.p is not None and found.p <= 0.05
    null = "" if world.shift else f"{100 * small / studies:5.1f} %"
    columns = (agents, agents_wider, runs, runs_wider, deals)
    figures = "".join(f"{column!s:>11}" for column in columns)
    return f"{world.title:34} {value:9.4f}{figures}{null:>11}"


@click.command()
@click.option("--studies", type=int, default=1000, show_default=True)
@click.option("--draws", type=int, default=2000, show_default=True)
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--agents", type=int, default=None, help="tested agents of every world")
def main(studies: int, draws: int, seed: int, agents: int | None) -> None:
    """Print how often the intervals hold the truth."""
    click.echo(describe())
    error = 100 * math.sqrt(0.95 * 0.05 / studies)
    click.echo(
        f"{studies} studies a line; a coverage of 95 % is measured to ± {error:.1f} (1 s.e.)"
    )
    click.echo(f"{'':34} {'effect':>9}" + "".join(f"{head:>11}" for head in HEADS))
    for world in WORLDS:
        chosen = world if agents is None else replace(world, agents=agents)
        click.echo(measured(chosen, studies, Resampling(draws), seed))


if __name__ == "__main__":
    main()
