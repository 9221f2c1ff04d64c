"""How many epochs a difference needs, by a normal approximation (``docs/effects.md``).

An effect varies for two reasons: other people could have been delegated to (the tested agents), and
another run of the same market would have come out differently. Epochs average out the second and
never the first, so some differences cannot be shown by any number of epochs.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from bazaarbench.effects.contrasts import Contrast, Effect, effect
from bazaarbench.effects.intervals import normal_quantile
from bazaarbench.effects.resampled import Where, resample
from bazaarbench.effects.runs import Run, by_cell
from bazaarbench.effects.tallies import FloatArray, Tally
from bazaarbench.errors import SettingError


@dataclass(frozen=True, slots=True)
class Variance:
    """Variance of an effect with E epochs in every cell: ``agents + runs / E``.

    In the square of the measure's unit (of a share as a fraction).

    Raises:
        SettingError: when a part is negative or not finite.
    """

    agents: float
    runs: float

    def __post_init__(self) -> None:
        if not (0 <= self.agents < math.inf and 0 <= self.runs < math.inf):
            raise SettingError(f"variances are finite and not negative: {self}")

    def of(self, epochs: int) -> float:
        """The variance with some number of epochs."""
        return self.agents + self.runs / epochs


def epochs_needed(
    variance: Variance, difference: float, *, power: float = 0.8, alpha: float = 0.05
) -> int | None:
    """The fewest epochs with which a difference is found.

    Args:
        variance: of the effect, measured or expected.
        difference: true effect, in the measure's unit; its sign does not matter.
        power: chance of finding it.
        alpha: two-sided level; for the smallest of m comparisons adjusted by Holm, 0.05 / m.

    Returns:
        ``None`` when no number of epochs is enough: the agents alone differ too much, and only more
        markets or models help.

    Raises:
        SettingError: when the difference is 0 or a probability is not within 0 … 1.
    """
    if not difference or not math.isfinite(difference):
        raise SettingError(f"a difference of {difference} cannot be planned for; name one to find")
    allowed = (difference / _reach(power, alpha)) ** 2
    room = allowed - variance.agents
    if room <= 0:
        return None
    return max(1, math.ceil(variance.runs / room))


def detectable_difference(
    variance: Variance, epochs: int, *, power: float = 0.8, alpha: float = 0.05
) -> float:
    """The smallest difference that is found with some epochs, in the measure's unit.

    Raises:
        SettingError: when there is no epoch or a probability is not within 0 … 1.
    """
    return _reach(power, alpha) * math.sqrt(variance.of(_checked(epochs)))


def power_of(variance: Variance, difference: float, epochs: int, *, alpha: float = 0.05) -> float:
    """The chance of finding a difference with some epochs, in the right direction.

    Raises:
        SettingError: when there is no epoch or ``alpha`` is not within 0 … 1.
    """
    deviation = math.sqrt(variance.of(_checked(epochs)))
    if not deviation:
        return 1.0 if difference else 0.0
    _check_probability("alpha", alpha)
    return NormalDist().cdf(abs(difference) / deviation - normal_quantile(1 - alpha / 2))


def expected_variance(
    *,
    base: float,
    difference: float,
    members: float,
    pairs: int = 1,
    agents: int = 20,
    icc: float = 0.0,
    run_deviation: float = 0.0,
) -> Variance:
    """What to expect of the effect on a share before anything was run.

    The two sides are taken as independent, which is cautious: what an agent always does cancels.

    Args:
        base: the share on the side that is subtracted, as a fraction.
        difference: the effect, as a fraction.
        members: denominator of one run, such as deals with a tested seller.
        pairs: model × market pairs that the effect is taken over.
        agents: tested agents.
        icc: part of a deal's variance that belongs to its agent, 0 … 1.
        run_deviation: standard deviation between runs beyond that of single deals, as a fraction.

    Raises:
        SettingError: when a share is not within 0 … 1 or a number is not positive.
    """
    sides = {"base": base, "base + difference": base + difference, "icc": icc}
    for name, share in sides.items():
        if not 0 <= share <= 1:
            raise SettingError(f"{name} must be within 0 … 1, not {share}")
    if min(members, pairs, agents) <= 0 or run_deviation < 0:
        raise SettingError("members, pairs and agents must be above 0, run_deviation not below")
    deals = base * (1 - base) + (base + difference) * (1 - base - difference)
    return Variance(
        agents=deals * icc / agents / pairs,
        runs=(deals * (1 - icc) / members + 2 * run_deviation**2) / pairs,
    )


def effect_variance(
    runs: Iterable[Run], measure: str, contrast: Contrast, where: Where | None = None
) -> Variance | None:
    """The two parts of an effect's variance, measured in runs with epochs.

    Returns:
        ``None`` when the effect is undefined, or a cell of it has fewer than two known runs, or
        there are fewer than two tested agents.
    """
    known = list(runs)
    found = effect(resample(known, measure, None), contrast, where)
    parts = None if found.value is None else _parts(known, measure, found)
    if not parts or any(min(part.shape) < 2 for part in parts):
        return None
    agents = parts[0].shape[0]
    between = sum(float(part.sum(axis=0).var(ddof=1)) for part in parts)
    # Agents are the same people in all cells, so their parts are added up before they are compared.
    means = np.sum([part.mean(axis=1) for part in parts], axis=0)
    noise = sum(_interaction(part) / part.shape[1] for part in parts)
    return Variance(agents=agents * max(0.0, float(means.var(ddof=1)) - noise), runs=between)


def _parts(runs: list[Run], measure: str, found: Effect) -> list[FloatArray]:
    """What every agent and run adds to the effect; one array (agents, runs) per cell."""
    cells = by_cell(runs)
    parts = []
    for pair in found.pairs:
        for cell, sign in ((pair.high, 1.0), (pair.low, -1.0)):
            tallies = [t for run in cells[cell] if (t := run.tallies.get(measure)) is not None]
            if pair.weight:
                parts.append(sign * pair.weight * _linear(tallies))
    return parts


def _linear(tallies: list[Tally]) -> FloatArray:
    """A cell's value as a sum over agents; of a ratio, its first-order change."""
    n = np.column_stack([tally.n for tally in tallies])
    if tallies[0].kind == "count":
        return n
    d = np.column_stack([tally.d for tally in tallies])
    per_run = float(d.sum()) / len(tallies)
    rest: FloatArray = (n - float(n.sum() / d.sum()) * d) / per_run
    return rest


def _interaction(part: FloatArray) -> float:
    """The variance of one agent in one run that neither explains."""
    agents, runs = part.shape
    rest = part - part.mean(axis=0) - part.mean(axis=1, keepdims=True) + part.mean()
    return float((rest**2).sum() / ((agents - 1) * (runs - 1)))


def _reach(power: float, alpha: float) -> float:
    _check_probability("power", power)
    _check_probability("alpha", alpha)
    return normal_quantile(1 - alpha / 2) + normal_quantile(power)


def _check_probability(name: str, value: float) -> None:
    if not 0 < value < 1:
        raise SettingError(f"{name} must be between 0 and 1, not {value}")


def _checked(epochs: int) -> int:
    if epochs < 1:
        raise SettingError(f"at least one epoch is needed, not {epochs}")
    return epochs
