"""Differences between two conditions, or two rules, over the cells that have both (SPEC §9.5–9.6).

A defence effect is the same thing as an effect of instructions: model, market and whatever else
names a cell are the same on both sides, and one name differs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from bazaarbench.effects.intervals import Interval, two_sided_p
from bazaarbench.effects.levels import number, said_undefined
from bazaarbench.effects.resampled import Layer, Resampled, Where
from bazaarbench.effects.runs import Cell, Kind
from bazaarbench.effects.tallies import FloatArray


@dataclass(frozen=True, slots=True)
class Contrast:
    """``high`` minus ``low`` on one axis: ``Contrast("condition", "L3", "L1")``."""

    axis: Literal["condition", "rules"]
    high: str
    low: str

    def partner(self, cell: Cell, name: str) -> Cell:
        """The same cell under another condition or other rules."""
        return cell._replace(**{self.axis: name})


@dataclass(frozen=True, slots=True)
class Pair:
    """One cell on both sides.

    ``weight`` is its part of the whole effect: they sum to 1 for shares and amounts and are 1 each
    for counts, which are summed. ``difference`` is ``None`` when either side is undefined.
    """

    high: Cell
    low: Cell
    difference: float | None
    weight: float | None


@dataclass(frozen=True, slots=True)
class Effect:
    """A difference with its uncertainty; ``None`` is undefined.

    Attributes:
        value: in the measure's unit; of a share as a fraction (0.166 is 16.6 percentage points).
        bounds: the least and the most that it can be, whatever the unscored are.
        interval: 95 %, over draws of tested agents.
        runs_interval: 95 %, over draws of agents and of the runs of every cell.
        p: two-sided, from the draws of agents; to be adjusted by :func:`bazaarbench.effects.holm`.
        runs_p: two-sided, from the draws of agents and runs.
        pairs: what went in.
        missing: cells that have no partner and were left out.
        notes: for people: what is missing and why.
    """

    contrast: Contrast
    value: float | None
    bounds: Interval | None
    interval: Interval | None
    runs_interval: Interval | None
    p: float | None
    runs_p: float | None
    pairs: tuple[Pair, ...]
    missing: tuple[Cell, ...]
    notes: tuple[str, ...]


def weighted_difference(
    n_high: FloatArray, d_high: FloatArray, n_low: FloatArray, d_low: FloatArray
) -> FloatArray:
    """Equation 1: Σ wΔ / Σ w with Δ = n_high/d_high − n_low/d_low (reference M §9.1).

    The weight of a pair is w = d_high · d_low / (d_high + d_low). A pair with an empty side weighs
    nothing.

    Args:
        n_high: numerators, pairs along the last axis.
        d_high: denominators.
        n_low: numerators of the side that is subtracted.
        d_low: its denominators.

    Returns:
        One value for all axes but the last; NaN where no pair has both sides.
    """
    weights = pair_weights(d_high, d_low)
    total = weights.sum(axis=-1)
    weighted = (weights * _rate_difference(n_high, d_high, n_low, d_low)).sum(axis=-1)
    result: FloatArray = np.full_like(total, np.nan)
    np.divide(weighted, total, out=result, where=total > 0)
    return result


def pair_weights(d_high: FloatArray, d_low: FloatArray) -> FloatArray:
    """Weights of Equation 1, 0 where a side is empty."""
    both = d_high + d_low
    return np.divide(d_high * d_low, both, out=np.zeros_like(both), where=both > 0)


def _rate_difference(
    n_high: FloatArray, d_high: FloatArray, n_low: FloatArray, d_low: FloatArray
) -> FloatArray:
    """Differences of two shares; 0, with a weight of 0, where a side is empty."""
    defined = (d_high > 0) & (d_low > 0)
    high = np.divide(n_high, d_high, out=np.zeros_like(n_high), where=defined)
    return high - np.divide(n_low, d_low, out=np.zeros_like(n_low), where=defined)


def effect(measure: Resampled, contrast: Contrast, where: Where | None = None) -> Effect:
    """The effect on a measure, over every cell that has both sides.

    Shares by Equation 1, its weights computed anew in every draw; counts summed; amounts averaged
    plainly. A share leaves out a pair of which a side is empty or was not measured; a count or an
    amount of which a side is unknown is unknown.

    Args:
        measure: see :func:`bazaarbench.effects.resample`.
        contrast: which two sides.
        where: which cells, of either side; all without it. Leaving out one model or one market is
            ``where=lambda cell: cell.model != name``.
    """
    high, low, missing = _matched(measure, contrast, measure.columns(where))
    agents, runs, notes = measure.layers([*high, *low])
    if not high:
        notes = (*notes, f"no cell has both {contrast.high} and {contrast.low}")
    observed = Layer(measure.by_agents.n[:1], measure.by_agents.d[:1])
    value = number(_statistic(measure.kind, observed, high, low)[0])
    by_agents = _draws(measure.kind, agents, high, low)
    by_runs = _draws(measure.kind, runs, high, low)
    return Effect(
        contrast=contrast,
        value=value,
        bounds=None if value is None else _bounds(measure, high, low),
        interval=measure.interval(by_agents),
        runs_interval=measure.interval(by_runs),
        p=None if by_agents is None else two_sided_p(by_agents),
        runs_p=None if by_runs is None else two_sided_p(by_runs),
        pairs=_pairs(measure, high, low),
        missing=missing,
        notes=(*notes, *said_undefined(by_agents)),
    )


def _matched(
    measure: Resampled, contrast: Contrast, columns: Sequence[int]
) -> tuple[list[int], list[int], tuple[Cell, ...]]:
    """Columns of both sides, pair by pair, and the cells without a partner."""
    position = {measure.cells[i]: i for i in columns}
    high, low, missing = [], [], []
    for cell, index in position.items():
        name = getattr(cell, contrast.axis)
        if name not in (contrast.high, contrast.low):
            continue
        other = contrast.low if name == contrast.high else contrast.high
        partner = position.get(contrast.partner(cell, other))
        if partner is None:
            missing.append(cell)
        elif name == contrast.high:
            high.append(index)
            low.append(partner)
    return high, low, tuple(missing)


def _statistic(kind: Kind, layer: Layer, high: list[int], low: list[int]) -> FloatArray:
    """One value per row: row 0 as observed, then the draws."""
    if not high:
        return np.full(layer.n.shape[0], np.nan)
    above, below = layer.of(high), layer.of(low)
    if kind == "share":
        return weighted_difference(above.n, above.d, below.n, below.d)
    summed: FloatArray = (above.n - below.n).sum(axis=1)
    return summed if kind == "count" else summed / len(high)


def _draws(kind: Kind, layer: Layer | None, high: list[int], low: list[int]) -> FloatArray | None:
    return None if layer is None else _statistic(kind, layer, high, low)[1:]


def _bounds(measure: Resampled, high: list[int], low: list[int]) -> Interval:
    """All the unscored of one side against the effect and none of the other, and the reverse."""
    observed = Layer(measure.by_agents.n[:1], measure.by_agents.d[:1])
    ends = []
    for side in (low, high):
        n = observed.n.copy()
        n[0, side] += measure.unscored[side]
        ends.append(float(_statistic(measure.kind, Layer(n, observed.d), high, low)[0]))
    return Interval(*ends)


def _pairs(measure: Resampled, high: list[int], low: list[int]) -> tuple[Pair, ...]:
    n, d = measure.by_agents.n[0], measure.by_agents.d[0]
    if measure.kind == "share":
        weights = pair_weights(d[high], d[low])
        whole = weights.sum()
        differences = np.where(
            weights > 0, _rate_difference(n[high], d[high], n[low], d[low]), np.nan
        )
    else:
        differences = n[high] - n[low]
        weights = np.ones(len(high))
        whole = float(len(high)) if measure.kind == "amount" else 1.0
    return tuple(
        Pair(
            measure.cells[above],
            measure.cells[below],
            number(difference),
            float(weight / whole) if whole else None,
        )
        for above, below, difference, weight in zip(high, low, differences, weights, strict=True)
    )
