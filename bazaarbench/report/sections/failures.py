"""Failures by type and stage: Tables 4 and 5, Figure 4, K.4, K.5, K.8, Table 26."""

from __future__ import annotations

from bazaarbench.report.document import Cell, Figure, Section, Table, columns, notes_of
from bazaarbench.report.figures import radar
from bazaarbench.report.numbers import Estimate
from bazaarbench.report.runs import is_plan
from bazaarbench.report.sections.grids import cell_columns, measures_table
from bazaarbench.report.slices import ALL_MODELS, Slice

_JUDGED_TOO = ("merged_", "F4_party_", "F5_thread_")
STAGES = ("S2", "S3", "S4", "S5")
_CAUSES = (
    "F2_never_held",
    "F2_already_sold",
    "F2_acquired_later",
    "F2_outcomes_retained",
    "F2_never_held_outcomes_retained",
    "F2_already_sold_outcomes_retained",
    "F2_acquired_later_outcomes_retained",
)
_VARIANTS = tuple(
    f"{key}_{stage}" for key in ("F1_version", "F2_released", "F3_released") for stage in STAGES
)


def failures(part: Slice) -> Section:
    """Objects that reached at least each stage, of tested agents unless said otherwise."""
    kinds = _types(part)
    judged = [key for key in kinds if part.study.resampled(f"{key}_S2") is None]
    text = [
        "Counts are of objects that reached at least the stage: means over the epochs of a cell, "
        "summed over models and markets. S1 … S5 are no shrinking funnel.",
    ]
    if judged:
        text.append(
            f"{', '.join(judged)} were not judged in these runs: their counts are unknown, not 0. "
            "No reasoning was judged either, so there is no S1."
        )
    shown = [key for key in kinds if key not in judged]
    items: list[Table | Figure] = [
        _stages(part, "table-4-5", "Failures by stage, all models", shown, kinds),
        _by_model(part, shown, kinds),
        Figure(
            part.name("figure-4"),
            "Failure profiles",
            "A radar for each model and condition: an axis per failure type, a line per stage from "
            "S2 to S5, radius log10(1 + n), the same scale in all. The numbers are in the table "
            "above.",
            lambda: radar(part, shown),
            "Figure 4",
        ),
        _stages(
            part,
            "received",
            "Failures that reached tested agents, all models",
            shown,
            kinds,
            prefix="received_",
        ),
        _market(part, kinds),
        measures_table(
            part,
            "table-26",
            "Listings of items not owned, by cause, and what became of them",
            _CAUSES,
            source="Table 26",
        ),
        measures_table(
            part,
            "released-variants",
            "The same by the released analysis' own rules",
            _VARIANTS,
        ),
    ]
    merged = [key for key in part.study.keys if key.startswith(_JUDGED_TOO)]
    if merged:
        items.append(
            measures_table(
                part,
                "merged",
                "Record and judge together; F4 and F5 by the released analysis' objects",
                merged,
            )
        )
    reasoning = [key for key in part.study.keys if is_plan(key)]
    if reasoning:
        items.append(_considered(part, reasoning))
    return Section(part.name("failures"), "Failures", tuple(text), tuple(items))


def _types(part: Slice) -> dict[str, str]:
    kinds: dict[str, str] = {}
    for run in part.runs():
        kinds |= run.facts.titles
    return kinds


def _stages(
    part: Slice,
    name: str,
    title: str,
    keys: list[str],
    kinds: dict[str, str],
    *,
    prefix: str = "",
) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for key in keys:
        for stage in STAGES:
            measure = f"{prefix}{key}_{stage}"
            if part.study.resampled(measure) is None:
                continue
            rows.append(
                (
                    key,
                    kinds[key],
                    stage,
                    *(part.level(measure, condition) for condition in part.conditions),
                    *(part.effect(measure, contrast) for contrast in part.contrasts),
                )
            )
    head = columns(("type", "Type"), ("title", "Failure"), ("stage", "Stage"))
    source = "" if prefix else "Tables 4 and 5"
    return Table(
        part.name(name), title, (*head, *cell_columns(part)), tuple(rows), source, notes_of(rows)
    )


def _by_model(part: Slice, keys: list[str], kinds: dict[str, str]) -> Table:
    """Types by model and condition, a column per stage (K.4, K.8)."""
    rows: list[tuple[Cell, ...]] = []
    for model in part.models:
        for condition in part.conditions:
            for key in keys:
                measures = [f"{key}_{stage}" for stage in STAGES]
                counted = [
                    part.level(one, condition, model) if part.study.resampled(one) else None
                    for one in measures
                ]
                rows.append((model, condition, key, kinds[key], *counted))
    head = columns(
        ("model", "Model"),
        ("condition", "Condition"),
        ("type", "Type"),
        ("title", "Failure"),
        *((stage, stage) for stage in STAGES),
    )
    return Table(
        part.name("failures-by-model"),
        "Failures by model and condition",
        head,
        tuple(rows),
        "K.4, K.8",
        notes_of(rows),
    )


def _market(part: Slice, kinds: dict[str, str]) -> Table:
    """All objects of the markets, whoever acted: means over runs, as the findings count them."""
    rows: list[tuple[Cell, ...]] = []
    for condition in part.conditions:
        runs = part.runs(condition=condition)
        for key, title in kinds.items():
            counts = [
                [run.facts.market_counts.get(f"{key}_{stage}") for run in runs] for stage in STAGES
            ]
            if all(one is None for stage in counts for one in stage):
                continue
            rows.append((condition, key, title, *(_mean(stage) for stage in counts)))
    head = columns(
        ("condition", "Condition"),
        ("type", "Type"),
        ("title", "Failure"),
        *((stage, stage) for stage in STAGES),
    )
    title = f"Failures in the whole market, whoever acted, per run ({ALL_MODELS})"
    return Table(part.name("market"), title, head, tuple(rows))


def _mean(counts: list[int | None]) -> Estimate:
    known = [count for count in counts if count is not None]
    if len(known) < len(counts) or not known:
        return Estimate(None, "count")
    return Estimate(sum(known) / len(known), "count")


def _considered(part: Slice, keys: list[str]) -> Table:
    """S1 of each model on its own: how models reason aloud is not comparable."""
    rows: list[tuple[Cell, ...]] = [
        (
            model,
            key,
            *(part.level(key, condition, model) for condition in part.conditions),
            *(part.effect(key, contrast, model) for contrast in part.contrasts),
        )
        for model in part.models
        for key in keys
    ]
    return Table(
        part.name("considered"),
        "Considered (S1), within each model",
        (*columns(("model", "Model"), ("key", "Key")), *cell_columns(part)),
        tuple(rows),
        "K.5",
        (
            "S1 is seen in recorded reasoning alone: <type>_S1 counts it with a plan, of "
            "<type>_S1_d judged; <type>_S1_unscored are turns without reasoning or verdict. It is "
            "shown for one model at a time and never compared between models.",
            *notes_of(rows),
        ),
    )
