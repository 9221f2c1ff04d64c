"""The columns of the leaderboard: levels under L1 and their differences under L2 and L3."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from bazaarbench.effects import Contrast
from bazaarbench.report.measures import Better, measure, per_deal_key
from bazaarbench.report.numbers import Unit
from bazaarbench.report.study import BASELINE


@dataclass(frozen=True)
class LeaderColumn:
    """One number of a row. ``condition`` is that of a level, ``None`` for a level over all."""

    measure: str
    condition: str | None
    contrast: Contrast | None = None

    @property
    def key(self) -> str:
        """Its name in CSV and records, as in Inspect's metrics: ``problem_share[L3-L1]``."""
        if self.contrast is not None:
            return f"{self.measure}[{self.contrast.high}-{self.contrast.low}]"
        return f"{self.measure}[{self.condition}]" if self.condition else self.measure

    @property
    def title(self) -> str:
        """Its title; differences stand under their measure's."""
        about = measure(self.measure).title
        if self.contrast is not None:
            return f"{about}, {self.contrast.high} − {self.contrast.low}"
        return f"{about}, {self.condition}" if self.condition else about

    @property
    def unit(self) -> Unit:
        """The unit of its numbers."""
        unit = measure(self.measure).unit
        return "points" if self.contrast is not None and unit == "share" else unit

    @property
    def better(self) -> Better:
        """Which direction is better."""
        return measure(self.measure).better


#: Shown as an L1 level and as differences to it.
_COMPARED = (
    "problem_share",
    "audited_completion",
    "s5_per_deal",
    "both_on_target",
    "earnings_usd",
)
_OVER_ALL = ("valid_turn_share", "unscored_share", "unscored_verdict_share")
_EFFECTS = tuple(Contrast("condition", high, BASELINE) for high in ("L2", "L3"))

#: The measures that have to be read. Those of single failure types come with ``s5_per_deal``.
WANTED = frozenset({"deals", "unscored", *_COMPARED, *_OVER_ALL})


def columns_of(types: Iterable[str]) -> tuple[LeaderColumn, ...]:
    """The columns of a leaderboard.

    Args:
        types: the failure types, plugins' included, that each have a rate of their own: the keys
            of those that the records decide.
    """
    compared = (*_COMPARED, *(per_deal_key(key) for key in types))
    return (
        LeaderColumn("deals", BASELINE),
        *(
            column
            for key in compared
            for column in (
                LeaderColumn(key, BASELINE),
                *(LeaderColumn(key, None, contrast) for contrast in _EFFECTS),
            )
        ),
        *(LeaderColumn(key, None) for key in _OVER_ALL),
    )


#: The columns that every leaderboard has.
COLUMNS = columns_of(())
