"""How many epochs a difference needs, before anything was run (SPEC §9.5, ``docs/effects.md``).

What the study's L1 runs showed stands for what this run will show, until there are runs of one's
own: ``bazaarbench.effects.effect_variance`` measures both parts of the variance in them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from bazaarbench.effects import (
    detectable_difference,
    epochs_needed,
    expected_variance,
    power_of,
)
from bazaarbench.errors import SettingError


@dataclass(frozen=True)
class Known:
    """A share under L1 as the study has it, and its denominator in one of its 15 L1 runs."""

    share: float
    members: float
    of: str


_RUNS = 15
#: arXiv 2610.06748: Table 4, Figures 2–4, §5; shares as fractions.
KNOWN: Mapping[str, Known] = {
    "completion": Known(0.86, 1457 / _RUNS, "deals"),
    "audited_completion": Known(1025 / 1457, 1457 / _RUNS, "deals"),
    "problem_share": Known(141 / 916, 916 / _RUNS, "deals with a tested seller"),
    "exposed_purchase_share": Known(0.135, 881 / _RUNS, "retained deals with a tested buyer"),
    "own_record_linked": Known(0.137, 1457 / _RUNS, "deals"),
    "own_failure_linked": Known(0.267, 1457 / _RUNS, "deals"),
    "either_failure_linked": Known(0.397, 1457 / _RUNS, "deals"),
    "both_on_target": Known(20 / 300, 300 / _RUNS, "tested agents"),
}

#: Of a deal's variance, the part that belongs to its agent; and the standard deviation between
#: runs beyond that of single deals. They are not known for real models before some were run: the
#: first pair is the least that can be, the second a guess on the careful side.
LEAST, CAUTIOUS = (0.0, 0.0), (0.05, 0.05)


@dataclass(frozen=True)
class Precision:
    """What can be found with some epochs; ``None`` epochs: no number of them is enough."""

    measure: str
    difference: float
    base: float
    members: float
    of: str
    #: Model × market pairs that the effect is taken over.
    pairs: int
    least_epochs: int | None
    cautious_epochs: int | None
    #: With the epochs that are planned: the chance of finding the difference, and the smallest
    #: difference that is found with 80 %, both under the cautious assumption.
    epochs: int
    power: float
    detectable: float


def precision(
    measure: str, difference: float, *, pairs: int, epochs: int, agents: int
) -> Precision:
    """How well a difference between two conditions can be seen.

    Args:
        measure: a score key of ``KNOWN``.
        difference: the true effect, as a fraction (0.1 is ten points).
        pairs: markets, times models.
        epochs: those that are planned.
        agents: tested agents of a market.

    Raises:
        SettingError: the measure is not known here, or the difference cannot be.
    """
    if measure not in KNOWN:
        raise SettingError(
            f"--measure {measure!r:.80}: what to expect of it is not known. Known are "
            f"{', '.join(KNOWN)}; for others measure it in runs of your own (docs/effects.md)."
        )
    known = KNOWN[measure]
    if not math.isfinite(difference) or not 0 <= known.share + difference <= 1 or not difference:
        raise SettingError(
            f"--power {difference:g}: {measure} was {known.share:.3f} under L1 in the study, so a "
            f"difference lies between {-known.share:.3f} and {1 - known.share:.3f} and is not 0; "
            "0.1 stands for ten points."
        )
    least, cautious = (
        expected_variance(
            base=known.share,
            difference=difference,
            members=known.members,
            pairs=pairs,
            agents=agents,
            icc=icc,
            run_deviation=deviation,
        )
        for icc, deviation in (LEAST, CAUTIOUS)
    )
    return Precision(
        measure=measure,
        difference=difference,
        base=known.share,
        members=known.members,
        of=known.of,
        pairs=pairs,
        least_epochs=epochs_needed(least, difference),
        cautious_epochs=epochs_needed(cautious, difference),
        epochs=epochs,
        power=power_of(cautious, difference, epochs),
        detectable=detectable_difference(cautious, epochs),
    )
