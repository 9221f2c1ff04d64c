"""Effects and their uncertainty: Equation 1, bootstraps, tests, power (SPEC §9.5–9.6).

Stands alone: plain arrays in, small frozen results out; it knows no record, no market and no
Inspect. Report, leaderboard and Inspect metrics call the same functions, so a number is the same
wherever it is shown. The formulas are in ``docs/effects.md``.

What is undefined is ``None`` in every result, never 0 and never a NaN.
"""

from __future__ import annotations

from bazaarbench.effects.contrasts import (
    Contrast,
    Effect,
    Pair,
    effect,
    weighted_difference,
)
from bazaarbench.effects.draws import Resampling
from bazaarbench.effects.health import (
    Paired,
    blocked_per_deal,
    deals_per_agent_week,
    paired,
    ticks_to_completion,
)
from bazaarbench.effects.holm import TABLE_12, Holm, holm
from bazaarbench.effects.intervals import Interval, percentile_interval, two_sided_p, wilson
from bazaarbench.effects.kappa import Agreement, agreement
from bazaarbench.effects.levels import Level, level
from bazaarbench.effects.power import (
    Variance,
    detectable_difference,
    effect_variance,
    epochs_needed,
    expected_variance,
    power_of,
)
from bazaarbench.effects.resampled import Resampled, Where, resample
from bazaarbench.effects.runs import Cell, Kind, Run
from bazaarbench.effects.spread import Spread, between_runs
from bazaarbench.effects.tallies import Parties, Tally

__all__ = [
    "TABLE_12",
    "Agreement",
    "Cell",
    "Contrast",
    "Effect",
    "Holm",
    "Interval",
    "Kind",
    "Level",
    "Pair",
    "Paired",
    "Parties",
    "Resampled",
    "Resampling",
    "Run",
    "Spread",
    "Tally",
    "Variance",
    "Where",
    "agreement",
    "between_runs",
    "blocked_per_deal",
    "deals_per_agent_week",
    "detectable_difference",
    "effect",
    "effect_variance",
    "epochs_needed",
    "expected_variance",
    "holm",
    "level",
    "paired",
    "percentile_interval",
    "power_of",
    "resample",
    "ticks_to_completion",
    "two_sided_p",
    "weighted_difference",
    "wilson",
]
