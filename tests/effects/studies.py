"""Small studies for the tests of effects."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from bazaarbench.effects import Cell, Contrast, Parties, Resampling, Run, Tally

MEASURE = "measure"
L3 = Contrast("condition", "L3", "L1")
#: Few draws are enough where a test is not about their number.
FEW = Resampling(draws=200)


def run(
    tally: Tally | None,
    condition: str = "L1",
    *,
    market: str = "a",
    model: str = "m",
    rules: str = "paper",
    epoch: int = 1,
) -> Run:
    """A run of one measure, with as many tested agents as the tally has."""
    agents = () if tally is None or tally.n.size == 1 else tuple(range(1, 1 + tally.n.size))
    return Run(model, market, condition, rules, epoch, agents, {MEASURE: tally})


def total(n: float, d: float, condition: str = "L1", market: str = "a", epoch: int = 1) -> Run:
    """A run of which only a share's totals are known."""
    return run(Tally.total("share", n, d), condition, market=market, epoch=epoch)


def cell(condition: str = "L1", market: str = "a") -> Cell:
    return Cell("m", market, condition, "paper")


def random_run(
    generator: np.random.Generator,
    condition: str = "L1",
    *,
    market: str = "a",
    epoch: int = 1,
    agents: int = 20,
    deals: int = 80,
    chance: float = 0.3,
) -> Run:
    """A run whose deals have one or two tested parties; some are unscored."""
    seller = generator.integers(0, agents, deals)
    buyer = np.where(
        generator.random(deals) < 0.3, (seller + generator.integers(1, agents, deals)) % agents, -1
    )
    failed = generator.random(deals) < chance
    unscored = ~failed & (generator.random(deals) < 0.05)
    tallies: Mapping[str, Tally | None] = {
        MEASURE: Parties.from_columns(agents, seller, buyer).share(
            failed, np.ones(deals), unscored
        ),
        "count": Tally.counts(generator.poisson(1.0, agents)),
        "dollars": Tally.amounts(generator.integers(-500, 5000, agents)),
    }
    return Run("m", market, condition, "paper", epoch, tuple(range(agents)), tallies)
