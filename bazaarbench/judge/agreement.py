"""How good a judge is: its decisions beside a person's labels (SPEC §8.6).

The label is the reference. A decision that the judge did not give is no disagreement: it is counted
as unscored and left out of every share, so that a judge cannot gain by it unseen.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from bazaarbench.effects import Agreement, Interval, agreement, wilson
from bazaarbench.effects.kappa import LEAST_LABELS
from bazaarbench.judge.verdicts import JUDGED_STAGES

NONE, UNSCORED = "none", "unscored"
CATEGORIES: tuple[str, ...] = (NONE, *JUDGED_STAGES)
#: The row over all types.
ALL = "all"


@dataclass(frozen=True, slots=True)
class Pair:
    """One decision: ``judge`` and ``label`` are ``"none"`` or a stage, or the judge unscored.

    ``label`` is the person's. ``item`` is where it is from.
    """

    item: str
    type: str
    judge: str
    label: str


@dataclass(frozen=True, slots=True)
class Rate:
    """A share with its Wilson interval; ``None`` when there is nothing to share."""

    n: int
    d: int

    @property
    def value(self) -> float | None:
        """The share."""
        return self.n / self.d if self.d else None

    @property
    def interval(self) -> Interval | None:
        """95 %."""
        return wilson(self.n, self.d)


@dataclass(frozen=True)
class AtLeast:
    """Agreement about having reached at least one stage."""

    stage: str
    same: Rate
    precision: Rate
    recall: Rate


@dataclass(frozen=True)
class TypeAgreement:
    """How far judge and labels agree about one type.

    ``same`` is about unsafe or not, ``exact`` about the stage, ``exact_unsafe`` about the stage
    where both say unsafe. ``stages`` is the same table with stages; its kappa, like that of
    ``kinds`` (unsafe or not), is given from 30 labels up.
    """

    type: str
    labels: int
    unscored: int
    same: Rate
    precision: Rate
    recall: Rate
    exact: Rate
    exact_unsafe: Rate
    at_least: tuple[AtLeast, ...]
    kinds: Agreement
    stages: Agreement
    differing: tuple[str, ...]


def agreements(pairs: Iterable[Pair]) -> list[TypeAgreement]:
    """One row for each type, in the order in which types occur, and one over all."""
    found = list(pairs)
    types = list(dict.fromkeys(pair.type for pair in found))
    rows = [_of(key, [pair for pair in found if pair.type == key]) for key in types]
    return [*rows, _of(ALL, found)] if len(rows) > 1 else rows


def _of(key: str, pairs: Sequence[Pair]) -> TypeAgreement:
    judged = [pair for pair in pairs if pair.judge != UNSCORED]
    judge = [pair.judge for pair in judged]
    label = [pair.label for pair in judged]
    both = [(j, x) for j, x in zip(judge, label, strict=True) if NONE not in (j, x)]
    unsafe = _at_least("S1", judge, label)
    return TypeAgreement(
        type=key,
        labels=len(pairs),
        unscored=len(pairs) - len(judged),
        same=unsafe.same,
        precision=unsafe.precision,
        recall=unsafe.recall,
        exact=Rate(sum(j == x for j, x in zip(judge, label, strict=True)), len(judged)),
        exact_unsafe=Rate(sum(j == x for j, x in both), len(both)),
        at_least=tuple(_at_least(stage, judge, label) for stage in JUDGED_STAGES),
        kinds=agreement(_kinds(label), _kinds(judge), ("safe", "unsafe")),
        stages=agreement(label, judge, CATEGORIES),
        differing=tuple(pair.item for pair in judged if pair.judge != pair.label),
    )


def _at_least(stage: str, judge: Sequence[str], label: Sequence[str]) -> AtLeast:
    pairs = [(_reached(j, stage), _reached(x, stage)) for j, x in zip(judge, label, strict=True)]
    hits = sum(j and x for j, x in pairs)
    return AtLeast(
        stage=stage,
        same=Rate(sum(j == x for j, x in pairs), len(pairs)),
        precision=Rate(hits, sum(j for j, _ in pairs)),
        recall=Rate(hits, sum(x for _, x in pairs)),
    )


def _reached(category: str, stage: str) -> bool:
    return category != NONE and category >= stage


def _kinds(categories: Iterable[str]) -> list[str]:
    return ["safe" if one == NONE else "unsafe" for one in categories]


def as_json(row: TypeAgreement) -> dict[str, Any]:
    """A row as JSON; undefined is null."""
    return {
        "type": row.type,
        "labels": row.labels,
        "unscored": row.unscored,
        "agreement": _rate(row.same),
        "precision": _rate(row.precision),
        "recall": _rate(row.recall),
        "exact_stage": _rate(row.exact),
        "exact_stage_of_unsafe": _rate(row.exact_unsafe),
        "kappa": _kappa(row.kinds),
        "kappa_stages": _kappa(row.stages),
        "at_least": {
            one.stage: {
                "agreement": _rate(one.same),
                "precision": _rate(one.precision),
                "recall": _rate(one.recall),
            }
            for one in row.at_least
        },
        "confusion": {
            "rows": "label",
            "columns": "judge",
            "categories": list(row.stages.categories),
            "counts": row.stages.table.tolist(),
        },
        "differing": list(row.differing),
    }


def _rate(rate: Rate) -> dict[str, Any]:
    interval = rate.interval
    return {"value": rate.value, "n": rate.n, "d": rate.d, "interval": interval and list(interval)}


def _kappa(found: Agreement) -> dict[str, Any]:
    return {"value": found.kappa, "interval": found.interval and list(found.interval)}


def as_text(rows: Sequence[TypeAgreement]) -> str:
    """Tables for people, at most 80 columns wide: each type by stage, and its confusion."""
    return "\n\n".join("\n".join(_lines(row)) for row in rows)


def _lines(row: TypeAgreement) -> list[str]:
    judged = row.stages.labels
    lines = [f"{row.type}: {judged} of {row.labels} labels compared, {row.unscored} unscored"]
    if not judged:
        return lines
    if row.kinds.kappa is None:
        told = f"– (from {LEAST_LABELS} labels up)" if judged < LEAST_LABELS else "–"
    else:
        told = _kappa_told(row)
    lines += [
        f"  exact stage {_told(row.exact)}, kappa (unsafe or not) {told}",
        f"  {'':<12}{'agreement':<22}{'precision':<22}recall",
        _rates("unsafe", row.same, row.precision, row.recall),
    ]
    lines += [
        _rates(
            one.stage if one.stage == "S5" else f"{one.stage} or more",
            one.same,
            one.precision,
            one.recall,
        )
        for one in row.at_least[1:]
        if one.precision.d or one.recall.d
    ]
    return [*lines, "  labels in rows, judge in columns", _table(row)]


def _rates(name: str, *rates: Rate) -> str:
    return f"  {name:<12}" + "".join(f"{_told(rate):<22}" for rate in rates).rstrip()


def _kappa_told(row: TypeAgreement) -> str:
    interval = row.kinds.interval
    told = f"{row.kinds.kappa:.2f}"
    return told + (f" [{interval.low:.2f}, {interval.high:.2f}]" if interval else "")


def _told(rate: Rate) -> str:
    interval = rate.interval
    if interval is None:
        return "–"
    return f"{rate.n}/{rate.d} [{interval.low:.2f}, {interval.high:.2f}]"


def _table(row: TypeAgreement) -> str:
    names = row.stages.categories
    lines = ["        " + "".join(f"{name:>6}" for name in names)]
    for name, counts in zip(names, row.stages.table.tolist(), strict=True):
        if any(counts):
            lines.append(f"  {name:<6}" + "".join(f"{count or '.':>6}" for count in counts))
    return "\n".join(lines)
