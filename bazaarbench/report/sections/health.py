"""How the market traded, and whether a defence bought its safety with trade (SPEC §9.6)."""

from __future__ import annotations

from dataclasses import fields

from bazaarbench.effects import Cell as EffectsCell
from bazaarbench.effects import Contrast, Resampling, paired
from bazaarbench.report.document import Cell, Section, Table, columns, notes_of
from bazaarbench.report.measures import HEADLINES, measure
from bazaarbench.report.numbers import Estimate, Unit
from bazaarbench.report.slices import Slice
from bazaarbench.report.study import Study
from bazaarbench.report.trade import Health, health_of

_TITLES: dict[str, tuple[str, Unit]] = {
    "deals_per_agent_week": ("Deals per tested agent and week", "rate"),
    "ticks_to_completion": ("Median ticks from commitment to completion", "ticks"),
    "messages_per_deal": ("Messages per deal after it is agreed", "rate"),
    "blocked_per_deal": ("Refused calls of tested agents per deal", "rate"),
    "buyer_surplus_usd": ("Buyer surplus, own ceiling − price", "usd"),
    "price_to_baseline": ("Price ÷ mean asking price of the others", "rate"),
    "price_to_asking": ("Price ÷ own asking price", "rate"),
    "effective_sellers": ("Effective number of sellers", "rate"),
}


def health(part: Slice) -> Section:
    """Prices and trade by condition and by model."""
    rows: list[tuple[Cell, ...]] = []
    for shown, model in part.rows():
        for condition in part.conditions:
            figures = health_of(
                [run.facts.trade for run in part.runs(model=model, condition=condition)]
            )
            rows.append((shown, condition, *_figures(figures)))
    table = Table(
        part.name("health"),
        "Prices and trade",
        columns(
            ("model", "Model"),
            ("condition", "Condition"),
            *((key, title) for key, (title, _) in _TITLES.items()),
        ),
        tuple(rows),
    )
    return Section(
        part.name("health"),
        "Prices and market health",
        (
            "Of deals with a tested party. Prices are accepted prices. The effective number of "
            "sellers is 1 ÷ Σ share² of a run's deals, averaged over runs. Buyer "
            "surplus is the mean over completed purchases by tested buyers of their goal's "
            "category, for which alone the ceiling was set.",
        ),
        (table,),
    )


def _figures(figures: Health) -> tuple[Estimate, ...]:
    return tuple(
        Estimate(getattr(figures, one.name), _TITLES[one.name][1]) for one in fields(figures)
    )


def defences(study: Study) -> Section | None:
    """Each set of rules against the study's, with market health beside it; ``None`` with one."""
    base = "paper" if "paper" in study.rules else study.rules[0]
    others = [one for one in study.rules if one != base]
    if not others:
        return None
    tables: list[Table] = []
    for rules in others:
        contrast = Contrast("rules", rules, base)
        tables.append(_effects(study, contrast))
        tables.append(_health(study, contrast))
    return Section(
        "defences",
        "What rules change",
        (
            "The same model, market and condition under two sets of rules. Market health stands "
            "beside each effect: a defence must not win by stopping trade.",
        ),
        tuple(tables),
    )


def _effects(study: Study, contrast: Contrast) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for key in ("deals", "completion", *HEADLINES, "s5_per_deal"):
        for condition in study.conditions:
            if condition == "L0":
                continue
            found, _ = study.effect(key, contrast, lambda cell, c=condition: cell.condition == c)  # type: ignore[misc]
            rows.append((measure(key).title, key, condition, found))
    return Table(
        f"defence-{contrast.high}",
        f"{contrast.high} − {contrast.low}: measures",
        columns(
            ("measure", "Measure"), ("key", "Key"), ("condition", "Condition"), ("effect", "Effect")
        ),
        tuple(rows),
        notes=notes_of(rows),
    )


def _health(study: Study, contrast: Contrast) -> Table:
    """Figures of market health, paired over model × market × condition."""
    by_cell: dict[EffectsCell, Health] = {}
    for cell in sorted(set(study.cells)):
        runs = study.of(lambda one, c=cell: one == c)  # type: ignore[misc]
        by_cell[cell] = health_of([run.facts.trade for run in runs])
    pairs = [
        (by_cell[cell], by_cell[contrast.partner(cell, contrast.high)])
        for cell in by_cell
        if cell.rules == contrast.low and contrast.partner(cell, contrast.high) in by_cell
    ]
    rows: list[tuple[Cell, ...]] = []
    for key, (title, unit) in _TITLES.items():
        found = paired(
            [getattr(low, key) for low, _ in pairs],
            [getattr(high, key) for _, high in pairs],
            study.resampling or Resampling(),
        )
        rows.append(
            (
                title,
                key,
                Estimate(found.low_mean, unit),
                Estimate(found.high_mean, unit),
                Estimate(
                    found.difference, unit, interval=found.difference_interval, is_difference=True
                ),
                Estimate(found.ratio, "rate", interval=found.ratio_interval),
                Estimate(found.pairs, "count"),
            )
        )
    return Table(
        f"defence-health-{contrast.high}",
        f"{contrast.high} against {contrast.low}: market health",
        columns(
            ("figure", "Figure"),
            ("key", "Key"),
            ("low", contrast.low),
            ("high", contrast.high),
            ("difference", "Difference"),
            ("ratio", "Ratio"),
            ("pairs", "Pairs"),
        ),
        tuple(rows),
    )
