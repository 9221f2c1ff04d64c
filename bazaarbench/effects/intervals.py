"""Intervals and p values from bootstrap draws, and Wilson's interval."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit  # type: ignore[import-untyped]

from bazaarbench.effects.tallies import FloatArray

CONFIDENCE = 0.95


class Interval(NamedTuple):
    """A closed interval in the unit of what it is about."""

    low: float
    high: float


def percentile_interval(draws: FloatArray, confidence: float = CONFIDENCE) -> Interval | None:
    """The percentile interval of bootstrap draws, with linear interpolation.

    A draw in which the statistic is undefined (NaN) could have been anything: it counts below every
    value at the lower end and above every value at the upper end.

    Args:
        draws: one value per draw.
        confidence: share of the draws inside, 0.95 for 95 %.

    Returns:
        ``None`` without draws, and when more draws are undefined than fit into one tail.
    """
    known = np.sort(draws[~np.isnan(draws)])
    undefined = draws.size - known.size
    if not known.size:
        return None
    position = (draws.size - 1) * (1 - confidence) / 2
    below = math.floor(position)
    if below < undefined:
        return None
    part = position - below
    low, high = below - undefined, draws.size - 1 - below
    next_low, next_high = min(low + 1, known.size - 1), max(high - 1, 0)
    return Interval(
        float(known[low] + part * (known[next_low] - known[low])),
        float(known[high] - part * (known[high] - known[next_high])),
    )


def expanded(units: int, confidence: float = CONFIDENCE) -> float:
    """The share of draws to keep so that few units still give the confidence (Hesterberg 2015).

    A bootstrap of n units is narrow by √((n − 1)/n) and knows no t distribution. To keep more
    draws, so that a normal statistic would get its t interval, mends both: of 20 units 96.8 %.

    Args:
        units: how many units are drawn from, at least 2.
        confidence: what the interval is to hold.
    """
    quantile = float(stdtrit(units - 1, 0.5 + confidence / 2))
    return 1 - 2 * NormalDist().cdf(-math.sqrt(units / (units - 1)) * quantile)


def two_sided_p(draws: FloatArray) -> float | None:
    """The two-sided p of a difference: 2 × the smaller tail beyond 0, from 2/draws up to 1.

    Draws of exactly 0 belong to both tails, and so do undefined ones.

    Returns:
        ``None`` when no draw is defined.
    """
    undefined = int(np.isnan(draws).sum())
    if undefined == draws.size:
        return None
    below = int((draws <= 0).sum()) + undefined
    above = int((draws >= 0).sum()) + undefined
    return min(1.0, max(2.0, 2.0 * min(below, above)) / draws.size)


def normal_quantile(probability: float) -> float:
    """The standard normal quantile."""
    return NormalDist().inv_cdf(probability)


def wilson(n: float, d: float, confidence: float = CONFIDENCE) -> Interval | None:
    """Wilson's score interval of a share of independent members.

    Deals of one agent are not independent: for measures of a market the agent bootstrap is meant.
    This is for labels, and for shares of which the bootstrap cannot say anything (0 or all).

    Returns:
        ``None`` when the denominator is 0.

    Raises:
        ValueError: when ``n`` is not within 0 … ``d``.
    """
    if not 0 <= n <= d:
        raise ValueError(f"a numerator must be within its denominator: {n} of {d}")
    if not d:
        return None
    z = normal_quantile(0.5 + confidence / 2)
    share, pull = n / d, z * z / d
    centre = (share + pull / 2) / (1 + pull)
    half = z / (1 + pull) * math.sqrt(share * (1 - share) / d + pull / (4 * d))
    # The ends are exact at 0 and at all; rounding must not put them just beside.
    return Interval(0.0 if n == 0 else centre - half, 1.0 if n == d else centre + half)
