"""A measure at one level: pooled over the epochs and cells that are meant."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bazaarbench.effects.intervals import Interval
from bazaarbench.effects.resampled import Layer, Resampled, Where
from bazaarbench.effects.runs import Cell, Kind
from bazaarbench.effects.tallies import FloatArray


@dataclass(frozen=True, slots=True)
class Level:
    """A measure over some cells; ``None`` is undefined.

    Attributes:
        value: Σn/Σd of a share; the sum over the cells of a count's mean over epochs; the plain
            mean over the cells of an amount's mean over epochs.
        n: numerator over all runs; the count; for an amount the value again.
        d: denominator over all runs; ``None`` unless it is a share.
        unscored: undecided members, in ``d`` and not in ``n``.
        bounds: the least and the most that the value can be, whatever the unscored are.
        interval: 95 %, over draws of tested agents.
        runs_interval: 95 %, over draws of agents and of the runs of every cell.
        cells: the cells that went in.
        notes: for people: what is missing and why.
    """

    value: float | None
    n: float | None
    d: float | None
    unscored: float
    bounds: Interval | None
    interval: Interval | None
    runs_interval: Interval | None
    cells: tuple[Cell, ...]
    notes: tuple[str, ...]


def level(measure: Resampled, where: Where | None = None) -> Level:
    """The value of a measure over some cells, with its intervals (SPEC §9.4–9.5).

    A share leaves out a cell in which it was not measured and says so; a count or an amount over a
    cell that is unknown is unknown.

    Args:
        measure: see :func:`bazaarbench.effects.resample`.
        where: which cells; all without it.
    """
    columns = measure.columns(where)
    observed = Layer(measure.by_agents.n[:1], measure.by_agents.d[:1]).of(columns)
    value = number(_statistic(measure.kind, observed)[0])
    n, d = float(observed.n.sum()), float(observed.d.sum())
    unscored = float(measure.unscored[columns].sum())
    agents, runs, notes = measure.layers(columns)
    by_agents = _draws(measure.kind, agents, columns)
    by_runs = _draws(measure.kind, runs, columns)
    bounds = None
    if value is not None:
        most = (n + unscored) / d if measure.kind == "share" else value + unscored
        bounds = Interval(value, most)
    return Level(
        value=value,
        n=n if measure.kind == "share" else value,
        d=d if measure.kind == "share" else None,
        unscored=unscored,
        bounds=bounds,
        interval=measure.interval(by_agents),
        runs_interval=measure.interval(by_runs),
        cells=tuple(measure.cells[i] for i in columns),
        notes=(*notes, *said_undefined(by_agents)),
    )


def number(value: float | np.float64) -> float | None:
    """A plain float, or ``None`` for NaN: nothing undefined leaves as a number."""
    return None if np.isnan(value) else float(value)


def said_undefined(draws: FloatArray | None) -> tuple[str, ...]:
    """A remark when some draws of agents left nothing to divide by."""
    undefined = 0 if draws is None else int(np.isnan(draws).sum())
    if draws is None or not undefined or undefined == draws.size:
        return ()
    return (f"undefined in {undefined:,} of {draws.size:,} draws: it rests on too few agents",)


def _statistic(kind: Kind, cells: Layer) -> FloatArray:
    """One value per row: row 0 as observed, then the draws."""
    values = np.full(cells.n.shape[0], np.nan)
    if cells.n.shape[1]:
        top, bottom = cells.n.sum(axis=1), cells.d.sum(axis=1)
        # The d of a count or an amount is 1 in every cell.
        whole = np.ones_like(bottom) if kind == "count" else bottom
        np.divide(top, whole, out=values, where=whole > 0)
    return values


def _draws(kind: Kind, layer: Layer | None, columns: list[int]) -> FloatArray | None:
    return None if layer is None else _statistic(kind, layer.of(columns))[1:]
