"""Headline effects once more, with something left out (SPEC §11.2)."""

from __future__ import annotations

from bazaarbench.effects import Cell as EffectsCell
from bazaarbench.effects import Contrast, Where
from bazaarbench.report.document import Cell, Section, Table, columns, notes_of
from bazaarbench.report.measures import HEADLINES, measure
from bazaarbench.report.slices import Slice, difference_name

#: A headline and its repeat under another rule.
_OTHER_RULES = {
    "exposed_purchase_share": ("exposed_purchase_without_f3_share", "without F3-only links"),
    "earnings_usd": ("earnings_no_threshold_usd", "without the 10× rule"),
}


def robustness(part: Slice) -> Section:
    """Every headline effect without each model, each market, F3-only links and the 10× rule."""
    rows: list[tuple[Cell, ...]] = []
    for key in HEADLINES:
        for contrast in part.contrasts:
            rows.extend(_repeats(part, key, contrast))
    text = ["Every headline effect, and the same with one model or one market left out."]
    if len(part.models) < 2:
        text.append("With one model there is none to leave out.")
    if len(part.markets) < 2:
        text.append("With one market there is none to leave out.")
    table = Table(
        part.name("robustness"),
        "Headline effects with something left out",
        columns(
            ("measure", "Measure"),
            ("key", "Key"),
            ("comparison", "Comparison"),
            ("left_out", "Left out"),
            ("effect", "Effect"),
        ),
        tuple(rows),
        notes=notes_of(rows),
    )
    return Section(part.name("robustness"), "What the effects rest on", tuple(text), (table,))


def _repeats(part: Slice, key: str, contrast: Contrast) -> list[tuple[Cell, ...]]:
    told = (measure(key).title, key, difference_name(contrast))
    rows: list[tuple[Cell, ...]] = [(*told, "nothing", part.effect(key, contrast))]
    if len(part.models) > 1:
        for model in part.models:
            rows.append((*told, model, _effect(part, key, contrast, without(part, "model", model))))
    if len(part.markets) > 1:
        for market in part.markets:
            rows.append(
                (*told, market, _effect(part, key, contrast, without(part, "market", market)))
            )
    if key in _OTHER_RULES:
        other, title = _OTHER_RULES[key]
        rows.append((*told[:1], other, told[2], title, part.effect(other, contrast)))
    return rows


def _effect(part: Slice, key: str, contrast: Contrast, where: Where) -> Cell:
    return part.study.effect(key, contrast, where)[0]


def without(part: Slice, axis: str, name: str) -> Where:
    """All cells of a slice but those of one model or market."""
    whole = part.where()

    def chosen(cell: EffectsCell) -> bool:
        return whole(cell) and getattr(cell, axis) != name

    return chosen
