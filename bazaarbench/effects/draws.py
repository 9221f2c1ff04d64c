"""Bootstrap draws, seeded: how often each agent, or each run of a cell, was drawn."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from bazaarbench.effects.intervals import (
    CONFIDENCE,
    Interval,
    expanded,
    percentile_interval,
)
from bazaarbench.effects.tallies import FloatArray
from bazaarbench.errors import SettingError

#: Fewer draws than this leave nothing in the tails of a 95 % interval.
LEAST_DRAWS = 100


@dataclass(frozen=True, slots=True)
class Resampling:
    """How many draws, from which seed, and how intervals are cut from them.

    The draws of agents depend on nothing but these and the number of agents, so all cells, measures
    and effects of a report share them. The draws of a cell's runs depend on its names as well:
    another cell beside it changes nothing.

    ``expanded`` intervals keep somewhat more than 95 % of the draws, so that they hold the truth in
    95 % of studies with few agents; the study's own are plain (``docs/effects.md``). It changes no
    value and no p.

    Raises:
        SettingError: for fewer than 100 draws or a negative seed.
    """

    draws: int = 2000
    seed: int = 1
    expanded: bool = False

    def __post_init__(self) -> None:
        if self.draws < LEAST_DRAWS or self.seed < 0:
            raise SettingError(
                f"draws={self.draws}, seed={self.seed}: at least {LEAST_DRAWS} draws and a seed "
                "from 0 up are needed; 2,000 draws are usual."
            )

    def interval(self, draws: FloatArray, units: int) -> Interval | None:
        """The 95 % interval of a statistic from draws of units (agents, pairs), two at least."""
        if units < 2:
            return None
        return percentile_interval(draws, expanded(units) if self.expanded else CONFIDENCE)

    def agents(self, count: int) -> FloatArray:
        """Multiplicities of agents, see :func:`multiplicities`."""
        return multiplicities(self.draws, self.seed, ("agents",), count)

    def runs(self, cell: tuple[str, ...], count: int) -> FloatArray:
        """Multiplicities of the runs of one cell, see :func:`multiplicities`."""
        return multiplicities(self.draws, self.seed, ("runs", *cell), count)


@lru_cache(maxsize=1024)
def multiplicities(draws: int, seed: int, stream: tuple[str, ...], units: int) -> FloatArray:
    """How often each unit is drawn when as many are drawn as there are, with replacement.

    Returns:
        Shape (draws + 1, units), read-only. Row 0 is the data as observed, every unit once: what
        is computed for a draw is computed for the estimate by the same code.
    """
    name = hashlib.sha256(json.dumps(stream).encode()).digest()
    words = np.random.SeedSequence([seed, int.from_bytes(name[:16], "big")])
    generator = np.random.Generator(np.random.PCG64(words))
    drawn = generator.integers(0, units, size=(draws, units))
    places = drawn + units * np.arange(draws)[:, np.newaxis]
    counts = np.bincount(places.ravel(), minlength=draws * units).reshape(draws, units)
    table = np.ones((draws + 1, units))
    table[1:] = counts
    table.flags.writeable = False
    return table
