"""Whether a market still trades: what a defence must not buy its safety with (SPEC §9.6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bazaarbench.effects.draws import Resampling
from bazaarbench.effects.intervals import Interval
from bazaarbench.effects.levels import number
from bazaarbench.effects.tallies import FloatArray

WEEK_TICKS = 84


def deals_per_agent_week(deals: int, agents: int, ticks: int) -> float | None:
    """Deals per agent and week of 84 ticks; ``None`` without agents or ticks."""
    return deals / (agents * ticks / WEEK_TICKS) if agents and ticks else None


def ticks_to_completion(committed: npt.ArrayLike, completed: npt.ArrayLike) -> float | None:
    """The median ticks from commitment to completion.

    Args:
        committed: the tick of each deal's commitment.
        completed: the tick of its completion, NaN for a deal that was not completed.

    Returns:
        ``None`` when no deal was completed.
    """
    taken = np.asarray(completed, dtype=np.float64) - np.asarray(committed, dtype=np.float64)
    done = taken[~np.isnan(taken)]
    return float(np.median(done)) if done.size else None


def blocked_per_deal(blocked: int, deals: int) -> float | None:
    """Calls that a rule refused per deal; ``None`` without a deal."""
    return blocked / deals if deals else None


@dataclass(frozen=True, slots=True)
class Paired:
    """A figure of the same markets under two rules; ``None`` is undefined.

    ``ratio`` is ``high_mean / low_mean``. ``undefined`` pairs, of which a side is unknown, are left
    out. The intervals are 95 %, over draws of pairs; they need two.
    """

    pairs: int
    undefined: int
    low_mean: float | None
    high_mean: float | None
    difference: float | None
    difference_interval: Interval | None
    ratio: float | None
    ratio_interval: Interval | None


def paired(
    low: Sequence[float | None],
    high: Sequence[float | None],
    resampling: Resampling,
) -> Paired:
    """Compare a figure of market health between two rules, market by market.

    Args:
        low: a value per market (seed, or model × market) under the rules compared with.
        high: the same markets under the other rules, in the same order.
        resampling: how many draws of pairs, from which seed.

    Raises:
        ValueError: when the two differ in length.
    """
    if len(low) != len(high):
        raise ValueError(f"{len(low)} markets cannot be paired with {len(high)}")
    both = np.array([low, high], dtype=np.float64)  # None becomes NaN
    known = both[:, ~np.isnan(both).any(axis=0)]
    pairs = known.shape[1]
    drawn = np.ones((1, pairs)) if pairs < 2 else resampling.agents(pairs)
    means = drawn @ known.T / pairs if pairs else np.full((1, 2), np.nan)
    differences, ratios = means[:, 1] - means[:, 0], _ratios(means)
    return Paired(
        pairs=pairs,
        undefined=len(low) - pairs,
        low_mean=number(means[0, 0]),
        high_mean=number(means[0, 1]),
        difference=number(differences[0]),
        difference_interval=resampling.interval(differences[1:], pairs),
        ratio=number(ratios[0]),
        ratio_interval=resampling.interval(ratios[1:], pairs),
    )


def _ratios(means: FloatArray) -> FloatArray:
    ratios = np.full(means.shape[0], np.nan)
    np.divide(means[:, 1], means[:, 0], out=ratios, where=means[:, 0] != 0)
    return ratios
