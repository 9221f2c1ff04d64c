"""What instructions change: the study's Figures 3a–d and Table 12."""

from __future__ import annotations

from bazaarbench.report.document import Cell, Figure, Section, Table, columns, notes_of
from bazaarbench.report.figures import effect_panels
from bazaarbench.report.measures import HEADLINES, measure
from bazaarbench.report.numbers import Estimate
from bazaarbench.report.sections.grids import measures_table, models_table
from bazaarbench.report.slices import BASELINE, Slice

_PANELS = {
    "problem_share": "figure-3a",
    "retained_problem_share": "figure-3b",
    "exposed_purchase_share": "figure-3c",
    "audited_completion": "figure-3d",
}


def instructions(part: Slice) -> Section:
    """Levels under each condition and their differences to L1."""
    text = [
        "Levels are pooled (Σn ÷ Σd). Differences of shares are weighted over the model × market "
        "pairs that have both conditions (Equation 1), so they are not the difference of the "
        "pooled shares; counts are summed, dollars are plain means. Brackets are 95 % intervals "
        "over 2,000 draws of tested agents; \u201cruns\u201d also draws the epochs of each cell. "
        "Where all draws agree, as on a share of 0, no interval is told: draws say nothing of it.",
    ]
    if BASELINE not in part.conditions:
        text.append("There are no runs under L1: no effect of instructions can be shown.")
    for wanted in ("L2", "L3"):
        if wanted not in part.conditions:
            text.append(f"There are no runs under {wanted}.")
    items: list[Table | Figure] = [
        measures_table(
            part,
            "headline",
            "Headline measures, all models",
            ("deals", "completion", *HEADLINES),
        )
    ]
    items.append(
        Figure(
            part.name("figure-3"),
            "Headline shares by model and condition",
            "Four panels, one a measure; in each a row per model with a point and its 95 % "
            f"interval for each of {', '.join(part.conditions)}. The numbers are in the tables "
            "that follow.",
            lambda: effect_panels(part, tuple(_PANELS)),
            "Figures 3a–3d",
        )
    )
    for key, name in _PANELS.items():
        about = measure(key)
        items.append(models_table(part, name, f"{about.title}, by model", key, source=about.source))
    if {"L2", "L3"} & {one.high for one in part.contrasts}:
        items.append(_table_12(part))
    return Section(part.name("instructions"), "What instructions change", tuple(text), tuple(items))


def _table_12(part: Slice) -> Table:
    found = part.study.table_12(part.where())
    rows: list[tuple[Cell, ...]] = [
        (
            measure(key).title,
            key,
            f"{condition} − {BASELINE}",
            estimate,
            Estimate(estimate.p, "p"),
            Estimate(adjusted, "p"),
        )
        for (key, condition), (estimate, adjusted) in found.items()
    ]
    undefined = sum(one.p is None for one, _ in found.values())
    notes = (
        f"Holm's adjustment over {len(found) - undefined} of the 8 declared comparisons"
        + (f"; {undefined} could not be made and are not counted." if undefined else "."),
    )
    return Table(
        part.name("table-12"),
        "The declared family of comparisons",
        columns(
            ("measure", "Measure"),
            ("key", "Key"),
            ("comparison", "Comparison"),
            ("effect", "Effect"),
            ("p", "p"),
            ("holm_p", "p, Holm"),
        ),
        tuple(rows),
        "Table 12",
        (*notes, *notes_of(rows)),
    )
