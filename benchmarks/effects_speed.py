"""Statistics of 45 cells with 2,000 draws: all levels, effects, repeats and Table 12 (SPEC §14).

    python -m benchmarks.effects_speed [--epochs 1] [--epochs 3] [--draws 2000]

Five models × three markets × three conditions of 20 tested agents with some 120 deals each, and as
many measures as the scorers have. Of every measure: its level by model and condition, and its L2
and L3 effects over all cells, of each model, and without each model and each market. Timed from
arrays of deals to results, on one core.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

import click
import numpy as np

from bazaarbench.effects import (
    TABLE_12,
    Cell,
    Contrast,
    Parties,
    Resampling,
    Run,
    Tally,
    Where,
    effect,
    holm,
    level,
    resample,
)
from benchmarks.machine import describe

MODELS = ("model-1", "model-2", "model-3", "model-4", "model-5")
MARKETS = ("market-a", "market-b", "market-c")
CONDITIONS = ("L1", "L2", "L3")
EFFECTS = tuple(Contrast("condition", condition, "L1") for condition in CONDITIONS[1:])
AGENTS = tuple(range(1, 101, 5))
SHARES = (*dict.fromkeys(name for name, _ in TABLE_12), *(f"share-{i}" for i in range(26)))
COUNTS = tuple(f"count-{i}" for i in range(40))
AMOUNTS = tuple(f"amount-{i}" for i in range(6))


def one_run(cell: Cell, epoch: int, generator: np.random.Generator) -> Run:
    """A run with its measures, from arrays of deals."""
    deals, agents = 120, len(AGENTS)
    seller = np.where(generator.random(deals) < 0.6, generator.integers(0, agents, deals), -1)
    other = (np.maximum(seller, 0) + generator.integers(1, agents, deals)) % agents
    buyer = np.where((seller < 0) | (generator.random(deals) < 0.1), other, -1)
    sold, either = Parties.from_columns(agents, seller), Parties.from_columns(agents, seller, buyer)
    inside = seller >= 0
    tallies: dict[str, Tally | None] = {}
    for i, name in enumerate(SHARES):
        failed = generator.random(deals) < 0.2
        tallies[name] = (
            sold.share(failed & inside, inside)
            if i % 2
            else either.share(failed, np.ones(deals), ~failed & (generator.random(deals) < 0.02))
        )
    for name in COUNTS:
        tallies[name] = Tally.counts(generator.poisson(1.0, agents))
    for name in AMOUNTS:
        tallies[name] = Tally.amounts(generator.normal(2000, 3000, agents).round())
    return Run(*cell, epoch, AGENTS, tallies)


def matrix(epochs: int) -> list[Run]:
    """All runs of a full matrix."""
    generator = np.random.Generator(np.random.PCG64(0))
    return [
        one_run(Cell(model, market, condition, "paper"), epoch, generator)
        for model in MODELS
        for market in MARKETS
        for condition in CONDITIONS
        for epoch in range(epochs)
    ]


def only(model: str | None, condition: str | None) -> Where:
    """Cells of one model and one condition; ``None`` is any."""
    return lambda cell: model in (None, cell.model) and condition in (None, cell.condition)


def without(name: str) -> Where:
    """Cells of all models and markets but one."""
    return lambda cell: name not in (cell.model, cell.market)


def repeats() -> Iterator[Where | None]:
    """All cells, each model, and without each model and each market."""
    yield None
    for model in MODELS:
        yield only(model, None)
    for name in (*MODELS, *MARKETS):
        yield without(name)


def analyse(runs: list[Run], resampling: Resampling) -> tuple[int, int]:
    """Everything that a report shows of numbers; how many levels and effects that was."""
    levels = effects = 0
    p_values: dict[tuple[str, str], float | None] = {}
    for measure in (*SHARES, *COUNTS, *AMOUNTS):
        drawn = resample(runs, measure, resampling)
        for condition in CONDITIONS:
            for model in (None, *MODELS):
                level(drawn, only(model, condition))
                levels += 1
        for contrast in EFFECTS:
            for where in repeats():
                found = effect(drawn, contrast, where)
                effects += 1
                if where is None:
                    p_values[measure, contrast.high] = found.p
    holm([p_values[entry] for entry in TABLE_12])
    return levels, effects


@click.command()
@click.option("--epochs", type=int, multiple=True, default=(1, 3), show_default=True)
@click.option("--draws", type=int, default=2000, show_default=True)
def main(epochs: Sequence[int], draws: int) -> None:
    """Time the statistics of a full matrix."""
    click.echo(describe())
    for count in epochs:
        start, cpu = time.perf_counter(), time.process_time()
        runs = matrix(count)
        made = time.perf_counter() - start
        levels, effects = analyse(runs, Resampling(draws))
        click.echo(
            f"{len(runs)} runs in 45 cells, {draws:,} draws, {len(runs[0].tallies)} measures: "
            f"{levels:,} levels and {effects:,} effects in "
            f"{time.perf_counter() - start:.2f} s ({time.process_time() - cpu:.2f} s CPU, of which "
            f"{made:.2f} s to make up the deals)"
        )


if __name__ == "__main__":
    main()
