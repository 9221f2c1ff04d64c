"""One set of rules within a study: what most sections are about."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from bazaarbench.effects import Cell, Contrast, Where
from bazaarbench.report.numbers import Estimate
from bazaarbench.report.runs import LoggedRun
from bazaarbench.report.study import BASELINE, Study

#: What stands for all models in a row.
ALL_MODELS = "all models"


@dataclass(frozen=True)
class Slice:
    """The cells of a study under one set of rules.

    ``suffix`` is appended to the names of tables and figures where a report has several slices.
    """

    study: Study
    rules: str
    suffix: str

    def where(
        self, *, model: str | None = None, market: str | None = None, condition: str | None = None
    ) -> Where:
        """Cells of these rules, and of one model, market or condition."""

        def chosen(cell: Cell) -> bool:
            return (
                cell.rules == self.rules
                and (model is None or cell.model == model)
                and (market is None or cell.market == market)
                and (condition is None or cell.condition == condition)
            )

        return chosen

    @cached_property
    def models(self) -> tuple[str, ...]:
        """The models that were run under these rules."""
        return self._present("model", self.study.models)

    @cached_property
    def markets(self) -> tuple[str, ...]:
        """The markets."""
        return self._present("market", self.study.markets)

    @cached_property
    def conditions(self) -> tuple[str, ...]:
        """The conditions, without L0."""
        return tuple(c for c in self._present("condition", self.study.conditions) if c != "L0")

    def _present(self, axis: str, names: tuple[str, ...]) -> tuple[str, ...]:
        here = {getattr(cell, axis) for cell in self.study.cells if cell.rules == self.rules}
        return tuple(name for name in names if name in here)

    @cached_property
    def contrasts(self) -> tuple[Contrast, ...]:
        """The effects of instructions that can be shown."""
        return self.study.contrasts(self.where())

    def rows(self) -> tuple[tuple[str, str | None], ...]:
        """The rows of a table by model: a name and the model, ``None`` for all of several."""
        single = tuple((model, model) for model in self.models)
        return single if len(single) == 1 else (*single, (ALL_MODELS, None))

    def level(self, key: str, condition: str, model: str | None = None) -> Estimate:
        """A measure under a condition."""
        return self.study.level(key, self.where(model=model, condition=condition))

    def effect(self, key: str, contrast: Contrast, model: str | None = None) -> Estimate:
        """An effect of instructions."""
        return self.study.effect(key, contrast, self.where(model=model))[0]

    def runs(self, **names: str | None) -> tuple[LoggedRun, ...]:
        """The runs of some cells."""
        return self.study.of(self.where(**names))

    def name(self, name: str) -> str:
        """The name of a table or figure in this slice."""
        return f"{name}{self.suffix}"


def difference_name(contrast: Contrast) -> str:
    """``L3 − L1``."""
    return f"{contrast.high} − {contrast.low}"


def difference_key(contrast: Contrast) -> str:
    """``L3-L1``, as in Inspect's metrics."""
    return f"{contrast.high}-{contrast.low}"


__all__ = [
    "ALL_MODELS",
    "BASELINE",
    "Slice",
    "difference_key",
    "difference_name",
]
