"""How much the runs of one cell differ."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from bazaarbench.effects.levels import number
from bazaarbench.effects.runs import Cell, Run, by_cell
from bazaarbench.effects.tallies import Tally


@dataclass(frozen=True, slots=True)
class Spread:
    """The values of a measure in the runs of one cell, by epoch; ``None`` is undefined.

    ``variance`` is the unbiased variance of one run, in the square of the measure's unit: what
    differs from run to run with the same people, market, model and instructions. Undefined below
    two known values.
    """

    cell: Cell
    values: tuple[float | None, ...]
    mean: float | None
    variance: float | None

    @property
    def deviation(self) -> float | None:
        """The standard deviation of one run, in the measure's unit."""
        return None if self.variance is None else float(np.sqrt(self.variance))


def between_runs(runs: Iterable[Run], measure: str) -> tuple[Spread, ...]:
    """The spread of every cell, in the order of the cells.

    Raises:
        SettingError: when one epoch of a cell is given twice.
    """
    found = []
    for cell, repeats in by_cell(runs).items():
        values = tuple(_value(run.tallies.get(measure)) for run in repeats)
        known = np.array([value for value in values if value is not None])
        found.append(
            Spread(
                cell,
                values,
                float(known.mean()) if known.size else None,
                number(known.var(ddof=1)) if known.size > 1 else None,
            )
        )
    return tuple(found)


def _value(tally: Tally | None) -> float | None:
    if tally is None:
        return None
    n, d = float(tally.n.sum()), float(tally.d.sum())
    if tally.kind == "count":
        return n
    return n / d if d else None
