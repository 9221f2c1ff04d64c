"""One measure in every cell, as observed and in every draw."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from bazaarbench.effects.draws import Resampling
from bazaarbench.effects.intervals import Interval
from bazaarbench.effects.runs import Cell, Kind, Run, by_cell, shared_agents
from bazaarbench.effects.tallies import FloatArray, IntArray, Tally

#: Which cells are meant; ``None`` is all of them.
Where = Callable[[Cell], bool]


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """A measure of every cell in every draw; shape (draws + 1, cells), row 0 as observed.

    For a share, numerators and denominators over the epochs. For a count or an amount, ``n`` is the
    mean over the epochs, NaN when unknown, and ``d`` is 1. A cell's draws lie side by side in
    memory: cells are picked and added up far more often than anything else is done.
    """

    n: FloatArray
    d: FloatArray

    def of(self, columns: Sequence[int]) -> Layer:
        """Some cells of it."""
        return Layer(self.n.T[columns].T, self.d.T[columns].T)


@dataclass(frozen=True, slots=True, eq=False)
class Resampled:
    """One measure in every cell, as observed and in every draw.

    ``known`` is the number of runs of each cell in which the measure could be taken, and
    ``unscored`` the undecided members of each cell (their mean over the epochs for a count).
    ``by_agents`` holds draws of tested agents; ``by_runs`` draws of the same agents and,
    independently in each cell, of its runs. ``agents`` is how many agents are drawn from: 0 when
    only totals are known.
    """

    measure: str
    kind: Kind
    agents: int
    resampling: Resampling | None
    cells: tuple[Cell, ...]
    known: IntArray
    unscored: FloatArray
    by_agents: Layer
    by_runs: Layer

    def interval(self, draws: FloatArray | None) -> Interval | None:
        """The 95 % interval of a statistic of this measure; ``None`` without draws."""
        if draws is None or self.resampling is None:
            return None
        return self.resampling.interval(draws, self.agents)

    def columns(self, where: Where | None) -> list[int]:
        """The positions of the cells that are meant."""
        return [i for i, cell in enumerate(self.cells) if where is None or where(cell)]

    def layers(self, columns: Sequence[int]) -> tuple[Layer | None, Layer | None, tuple[str, ...]]:
        """What intervals over some cells may be taken from, and why not from the rest.

        Returns:
            The draws of agents, those of agents and runs, and remarks for people.
        """
        notes = [f"{self.cells[i]}: not measured" for i in columns if not self.known[i]]
        if self.resampling is None or not columns:
            return None, None, tuple(notes)
        if self.agents < 2:
            said = "one tested agent" if self.agents else "figures per agent are not known"
            return None, None, (*notes, f"no interval: {said}")
        single = [i for i in columns if self.known[i] == 1]
        if not single:
            return self.by_agents, self.by_runs, tuple(notes)
        some = "" if len(single) == len(columns) else f" in {len(single)} of {len(columns)} cells"
        notes.append(f"one run{some}: the interval leaves out how runs differ")
        return self.by_agents, None, tuple(notes)


def resample(runs: Iterable[Run], measure: str, resampling: Resampling | None) -> Resampled:
    """Take one measure from runs and draw it.

    Args:
        runs: of one track and version; in any order.
        measure: the name of a tally.
        resampling: ``None`` for values without intervals.

    Raises:
        SettingError: when a run is given twice, or runs have different tested agents.
        ValueError: when no run has the measure, or its kind differs between runs.
    """
    cells = by_cell(runs)
    agents = len(shared_agents(cells))
    tallies = {
        cell: [t for run in repeats if (t := run.tallies.get(measure)) is not None]
        for cell, repeats in cells.items()
    }
    kind = _kind(cells, tallies, measure)
    drawn = np.ones((1, max(1, agents)))
    if resampling is not None and agents > 1:
        drawn = resampling.agents(agents)
    by_agents, by_runs = [], []
    for cell, repeats in tallies.items():
        epochs = len(repeats)
        projected = _project(drawn, repeats)
        once = np.ones((1, epochs))
        by_agents.append(_pool(kind, projected, once))
        if resampling is None or drawn.shape[0] == 1 or epochs < 2:
            by_runs.append(by_agents[-1])
        else:
            by_runs.append(_pool(kind, projected, resampling.runs(cell, epochs)))
    return Resampled(
        measure=measure,
        kind=kind,
        agents=agents,
        resampling=resampling,
        cells=tuple(cells),
        known=np.array([len(repeats) for repeats in tallies.values()], dtype=np.int64),
        unscored=np.array([_unscored(kind, repeats) for repeats in tallies.values()]),
        by_agents=_layer(by_agents),
        by_runs=_layer(by_runs),
    )


def _kind(cells: dict[Cell, list[Run]], tallies: dict[Cell, list[Tally]], measure: str) -> Kind:
    kinds = {tally.kind for repeats in tallies.values() for tally in repeats}
    if len(kinds) > 1:
        raise ValueError(f"{measure} is {' and '.join(sorted(kinds))}: a measure is of one kind")
    if kinds:
        return kinds.pop()
    if not any(measure in run.tallies for repeats in cells.values() for run in repeats):
        raise ValueError(f"no run has the measure {measure!r}")
    return "share"  # known nowhere: undefined whatever its kind


def _project(drawn: FloatArray, repeats: list[Tally]) -> tuple[FloatArray, FloatArray]:
    """Numerators and denominators of each repeat in each draw, shape (draws + 1, epochs)."""
    if not repeats:
        nothing = np.zeros((drawn.shape[0], 0))
        return nothing, nothing
    top = np.column_stack([tally.n for tally in repeats])
    bottom = np.column_stack([tally.d for tally in repeats])
    return drawn @ top, drawn @ bottom


def _pool(
    kind: Kind, projected: tuple[FloatArray, FloatArray], times: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Put the repeats of a cell together, each as often as it was drawn (SPEC §9.5)."""
    n, d = projected
    if kind == "share":
        return (n * times).sum(axis=1), (d * times).sum(axis=1)
    if kind == "amount":
        taken = times * (d > 0)
        n = _divide(n, d, otherwise=0.0)
    else:
        taken = np.broadcast_to(times, n.shape)
    value = _divide((n * taken).sum(axis=1), taken.sum(axis=1), otherwise=np.nan)
    return value, np.ones_like(value)


def _divide(top: FloatArray, bottom: FloatArray, otherwise: float) -> FloatArray:
    result = np.full(np.broadcast_shapes(top.shape, bottom.shape), otherwise)
    np.divide(top, bottom, out=result, where=bottom > 0)
    return result


def _unscored(kind: Kind, repeats: list[Tally]) -> float:
    total = float(sum(tally.unscored.sum() for tally in repeats))
    return total / len(repeats) if kind == "count" and repeats else total


def _layer(columns: list[tuple[FloatArray, FloatArray]]) -> Layer:
    if not columns:
        return Layer(np.zeros((1, 0)), np.zeros((1, 0)))
    return Layer(np.array([n for n, _ in columns]).T, np.array([d for _, d in columns]).T)
