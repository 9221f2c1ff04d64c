"""Ours beside the published figures."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from bazaarbench.reproduce.figures import FIGURES, reason_for
from bazaarbench.reproduce.published import Published
from bazaarbench.reproduce.study import Missing, Study

Verdict = Literal["agrees", "differs", "missing"]


@dataclass(frozen=True, slots=True)
class Line:
    """One published figure with ours; ``note`` says what is missing."""

    figure: Published
    ours: float | str | None
    note: str | None

    @property
    def difference(self) -> float | None:
        """Ours minus the published one, of numbers."""
        value, ours = self.figure.value, self.ours
        if isinstance(value, str) or ours is None or isinstance(ours, str):
            return None
        return ours - value

    @property
    def verdict(self) -> Verdict:
        """Whether ours lies within the tolerance."""
        if self.ours is None:
            return "missing"
        difference = self.difference
        if difference is None:
            return "agrees" if self.ours == self.figure.value else "differs"
        # What a published decimal is rounded by must not fail on binary fractions.
        return "agrees" if abs(difference) <= self.figure.tolerance + 1e-9 else "differs"


def compare(study: Study, figures: Iterable[Published]) -> list[Line]:
    """Every published figure with ours, or with the reason why there is none."""
    return [_line(study, figure) for figure in figures]


def _line(study: Study, figure: Published) -> Line:
    compute = FIGURES.get(figure.key)
    if compute is None:
        return Line(figure, None, reason_for(figure.key))
    try:
        return Line(figure, compute(study), None)
    except Missing as missing:
        return Line(figure, None, str(missing))
