"""Runs that may be compared, and their numbers (SPEC §9.5–9.6, §11.2, §15)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from bazaarbench.effects import (
    TABLE_12,
    Cell,
    Contrast,
    Effect,
    Kind,
    Level,
    Resampled,
    Resampling,
    Run,
    Where,
    effect,
    holm,
    level,
    resample,
)
from bazaarbench.errors import SettingError
from bazaarbench.report.measures import measure
from bazaarbench.report.numbers import UNDEFINED, Estimate, of_effect, of_level, published
from bazaarbench.report.runs import LoggedRun, digest_of, is_plan

#: The condition that the others are compared with.
BASELINE = "L1"
_STUDY_ORDER = ("L0", "L1", "L2", "L3")
_SHORT = 8


@dataclass(frozen=True)
class Study:
    """Runs of one family: all that is compared with each other.

    ``cells`` has the names of each run's market, condition and rules: the plain ones, or with a
    digest behind them where one name stands for two things.
    """

    family: Mapping[str, Any]
    runs: tuple[LoggedRun, ...]
    cells: tuple[Cell, ...]
    resampling: Resampling | None

    @property
    def digest(self) -> str:
        """A short name of the family."""
        return digest_of(self.family)

    @cached_property
    def models(self) -> tuple[str, ...]:
        """The tested models with their settings, in order."""
        return tuple(sorted({cell.model for cell in self.cells}))

    @cached_property
    def markets(self) -> tuple[str, ...]:
        """The markets."""
        return tuple(sorted({cell.market for cell in self.cells}))

    @cached_property
    def conditions(self) -> tuple[str, ...]:
        """The conditions, the study's first."""
        return tuple(sorted({cell.condition for cell in self.cells}, key=_condition_order))

    @cached_property
    def rules(self) -> tuple[str, ...]:
        """The rules."""
        return tuple(sorted({cell.rules for cell in self.cells}))

    def of(self, where: Where) -> tuple[LoggedRun, ...]:
        """The runs of some cells."""
        return tuple(run for run, cell in zip(self.runs, self.cells, strict=True) if where(cell))

    def missing(self, rules: str) -> tuple[Cell, ...]:
        """The cells that others were run under and some model was not."""
        here = {cell for cell in self.cells if cell.rules == rules}
        kinds = {(cell.market, cell.condition) for cell in here}
        whole = {
            Cell(model, market, condition, rules)
            for model in {cell.model for cell in here}
            for market, condition in kinds
        }
        return tuple(sorted(whole - here))

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """All measures that some run has."""
        found = {key for run in self.runs for key in (*run.facts.tallies, *run.facts.sums)}
        return tuple(sorted(found))

    @cached_property
    def _resampled(self) -> dict[str, Resampled | None]:
        return {}

    def resampled(self, key: str) -> Resampled | None:
        """A measure with its draws; ``None`` when no run has it."""
        if key not in self._resampled:
            self._resampled[key] = self._resample(key)
        return self._resampled[key]

    def _resample(self, key: str) -> Resampled | None:
        pairs = list(zip(self.runs, self.cells, strict=True))
        summed = [
            (run, cell)
            for run, cell in pairs
            if run.facts.tallies.get(key) is None and run.facts.sums.get(key) is not None
        ]
        if summed:
            return resample([_summed_run(run, cell) for run, cell in pairs], key, None)
        if not any(key in run.facts.tallies or key in run.facts.sums for run in self.runs):
            return None
        return resample([_run(run, cell) for run, cell in pairs], key, self.resampling)

    def kind(self, key: str) -> Kind:
        """Whether a measure is a share, a count or an amount."""
        found = self.resampled(key)
        return "share" if found is None else found.kind

    def level(self, key: str, where: Where) -> Estimate:
        """A measure pooled over some cells.

        Raises:
            SettingError: it is S1 and the cells are of several models.
        """
        refuse_mixed_reasoning(key, [cell for cell in self.cells if where(cell)])
        found = self.resampled(key)
        if found is None:
            return UNDEFINED
        return of_level(level(found, where), found.kind, measure(key).unit)

    def effect(self, key: str, contrast: Contrast, where: Where) -> tuple[Estimate, Effect | None]:
        """A difference over the cells that have both sides, as published and with its pairs.

        Raises:
            SettingError: it is one that must not be read as an effect.
        """
        refuse_contrast(contrast)
        refuse_mixed_reasoning(key, [cell for cell in self.cells if where(cell)])
        found = self.resampled(key)
        if found is None:
            return UNDEFINED, None
        difference = effect(found, contrast, where)
        paired = {cell for pair in difference.pairs for cell in (pair.high, pair.low)}
        unscored = sum(
            float(count)
            for cell, count in zip(found.cells, found.unscored, strict=True)
            if cell in paired
        )
        return of_effect(difference, measure(key).unit, unscored), difference

    def raw_level(self, key: str, where: Where) -> Level | None:
        """A level with its cells and notes; for those who count cells."""
        found = self.resampled(key)
        return None if found is None else level(found, where)

    def contrasts(self, where: Where) -> tuple[Contrast, ...]:
        """The effects of instructions that these cells can show."""
        there = {cell.condition for cell in self.cells if where(cell)}
        if BASELINE not in there:
            return ()
        return tuple(
            Contrast("condition", one, BASELINE)
            for one in self.conditions
            if one in there and one not in (BASELINE, "L0")
        )

    def table_12(self, where: Where) -> dict[tuple[str, str], tuple[Estimate, float | None]]:
        """The study's eight comparisons with their p adjusted by Holm."""
        found = {
            (key, condition): self.effect(key, Contrast("condition", condition, BASELINE), where)[0]
            for key, condition in TABLE_12
        }
        adjusted = holm([one.p for one in found.values()]).p
        return {
            key: (one, published(p)) for (key, one), p in zip(found.items(), adjusted, strict=True)
        }


def studies_of(runs: Iterable[LoggedRun], resampling: Resampling | None) -> tuple[Study, ...]:
    """Put runs that may be compared together, in the order of their families' digests.

    Runs of other versions, other background agents, other tested ids, another length, other texts
    or plugins are in studies of their own: they are never in one number.
    """
    families: dict[str, list[LoggedRun]] = {}
    for run in runs:
        families.setdefault(digest_of(run.family), []).append(run)
    studies = []
    for _, members in sorted(families.items()):
        ordered = sorted(
            members, key=lambda run: (run.model, run.logged.sample_id, run.logged.epoch)
        )
        markets = _told_apart(ordered, lambda run: (run.facts.market, run.state))
        rules = _told_apart(
            ordered, lambda run: (run.rules, digest_of(run.facts.play.get("rules")))
        )
        conditions = _told_apart(ordered, lambda run: (run.facts.condition, run.condition_text))
        cells = tuple(
            Cell(run.model, market, condition, rule)
            for run, market, condition, rule in zip(
                ordered, markets, conditions, rules, strict=True
            )
        )
        studies.append(Study(members[0].family, tuple(ordered), cells, resampling))
    return tuple(studies)


def refuse_contrast(contrast: Contrast) -> None:
    """Refuse L0 − L1: base markets have other rules, so that it is no effect of instructions.

    Raises:
        SettingError: one side is L0.
    """
    if "L0" in (contrast.high, contrast.low):
        raise SettingError(
            f"{contrast.high} − {contrast.low} is never shown: base markets (L0) are played under "
            "other rules than continuations, and a difference would be taken for an effect of "
            "instructions. Compare L2 or L3 with L1."
        )


def refuse_mixed_reasoning(key: str, cells: Sequence[Cell]) -> None:
    """Refuse S1 over several models: they record their reasoning in different ways.

    Raises:
        SettingError: the measure is S1 and the cells are of more than one model.
    """
    models = sorted({cell.model for cell in cells})
    if is_plan(key) and len(models) > 1:
        raise SettingError(
            f"{key} is never compared or pooled between models ({', '.join(models)}): what is "
            "considered can only be seen in recorded reasoning, which models show differently. "
            "Compare conditions of one model."
        )


def _run(run: LoggedRun, cell: Cell) -> Run:
    return Run(*cell, run.logged.epoch, run.facts.tested, run.facts.tallies)


def _summed_run(run: LoggedRun, cell: Cell) -> Run:
    return Run(*cell, run.logged.epoch, (), run.facts.sums)


def _told_apart(
    runs: Sequence[LoggedRun], named: Callable[[LoggedRun], tuple[str, str]]
) -> list[str]:
    """The names of something, with a digest behind a name that stands for two things."""
    pairs = [named(run) for run in runs]
    meanings: dict[str, set[str]] = {}
    for name, digest in pairs:
        meanings.setdefault(name, set()).add(digest)
    return [
        name if len(meanings[name]) == 1 else f"{name}@{digest[:_SHORT]}" for name, digest in pairs
    ]


def _condition_order(name: str) -> tuple[int, str]:
    return (_STUDY_ORDER.index(name) if name in _STUDY_ORDER else len(_STUDY_ORDER), name)
