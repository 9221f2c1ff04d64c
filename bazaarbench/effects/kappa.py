"""Agreement of two labellers: a judge and a person, or two runs of a judge (SPEC §8.6)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bazaarbench.effects.intervals import Interval, normal_quantile, wilson
from bazaarbench.effects.tallies import FloatArray, IntArray

#: Kappa of fewer labels says more about the labels than about the labellers.
LEAST_LABELS = 30


@dataclass(frozen=True, slots=True, eq=False)
class Agreement:
    """How far two labellers agree; ``None`` is undefined.

    Attributes:
        table: labels counted, rows by the first labeller and columns by the second, in the order of
            ``categories``.
        share: equal labels ÷ labels, with its Wilson interval in ``share_interval``.
        kappa: Cohen's kappa, from 30 labels up; undefined when chance alone would always agree.
        interval: 95 %, within −1 … 1; undefined when a labeller gave one label throughout: kappa is
            0 then, whatever the other did.
    """

    categories: tuple[str, ...]
    table: IntArray
    labels: int
    share: float | None
    share_interval: Interval | None
    kappa: float | None
    interval: Interval | None


def agreement(
    first: Sequence[str], second: Sequence[str], categories: Sequence[str] | None = None
) -> Agreement:
    """Compare two labellings of the same things.

    Args:
        first: labels of one labeller.
        second: labels of the other, in the same order.
        categories: all labels there are, in the order in which to show them; without it those that
            occur, sorted.

    Raises:
        ValueError: when the labellings differ in length or hold a label that is no category.
    """
    if len(first) != len(second):
        raise ValueError(f"{len(first)} labels cannot be compared with {len(second)}")
    names = tuple(sorted({*first, *second}) if categories is None else categories)
    place = {name: index for index, name in enumerate(names)}
    unknown = sorted({*first, *second} - set(place))
    if unknown:
        raise ValueError(f"no category: {', '.join(unknown)}; there are {', '.join(names)}")
    table = np.zeros((len(names), len(names)), dtype=np.int64)
    for one, other in zip(first, second, strict=True):
        table[place[one], place[other]] += 1
    labels, equal = len(first), int(np.trace(table))
    kappa, interval = _kappa(table) if labels >= LEAST_LABELS else (None, None)
    return Agreement(
        categories=names,
        table=table,
        labels=labels,
        share=equal / labels if labels else None,
        share_interval=wilson(equal, labels),
        kappa=kappa,
        interval=interval,
    )


def _kappa(table: IntArray) -> tuple[float | None, Interval | None]:
    """κ = (p_o − p_e) / (1 − p_e), and its interval."""
    parts = table / table.sum()
    rows, columns = parts.sum(axis=1), parts.sum(axis=0)
    seen, chance = float(np.trace(parts)), float(rows @ columns)
    if math.isclose(chance, 1.0):
        return None, None
    kappa = (seen - chance) / (1 - chance)
    if max(table.sum(axis=0).max(), table.sum(axis=1).max()) == table.sum():
        return 0.0, None
    if np.trace(table) == table.sum():
        # The large-sample error of full agreement is 0, which no number of labels can show: the
        # lower end is where Wilson's lower end of the agreement would put it.
        lowest = wilson(1.0 * table.sum(), 1.0 * table.sum())
        low = 1.0 if lowest is None else (lowest.low - chance) / (1 - chance)
        return 1.0, Interval(max(-1.0, low), 1.0)
    half = normal_quantile(0.975) * math.sqrt(
        _variance(parts, rows, columns, chance, kappa) / float(table.sum())
    )
    return kappa, Interval(max(-1.0, kappa - half), min(1.0, kappa + half))


def _variance(
    parts: FloatArray, rows: FloatArray, columns: FloatArray, chance: float, kappa: float
) -> float:
    """The large-sample variance of κ times the number of labels (Fleiss, Cohen, Everitt 1969)."""
    rest = 1 - kappa
    both = rows[:, np.newaxis] + columns[np.newaxis, :]
    diagonal = np.diag(parts) @ (1 - np.diag(both) * rest) ** 2
    crossed = parts * (columns[:, np.newaxis] + rows[np.newaxis, :]) ** 2
    off_diagonal = rest**2 * (crossed.sum() - np.trace(crossed))
    correction = (kappa - chance * rest) ** 2
    return float((diagonal + off_diagonal - correction) / (1 - chance) ** 2)
