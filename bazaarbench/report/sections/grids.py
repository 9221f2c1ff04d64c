"""Tables that many sections share: levels and effects of measures, by model."""

from __future__ import annotations

from collections.abc import Sequence

from bazaarbench.report.document import Cell, Column, Table, columns, notes_of
from bazaarbench.report.measures import measure
from bazaarbench.report.slices import Slice, difference_key, difference_name

_NOT_MEASURED = "not measured in these runs"


def measures_table(
    part: Slice,
    name: str,
    title: str,
    keys: Sequence[str],
    *,
    source: str = "",
    model: str | None = None,
    notes: tuple[str, ...] = (),
) -> Table:
    """A row per measure: its level under each condition, then the differences to L1.

    Args:
        part: the runs.
        name: the table's.
        title: its caption.
        keys: measures that stand in it, in this order.
        source: the study's table or figure.
        model: of one model; all without it.
        notes: further remarks.
    """
    rows: list[tuple[Cell, ...]] = []
    absent = [key for key in keys if part.study.resampled(key) is None]
    for key in keys:
        if key in absent:
            continue
        about = measure(key)
        rows.append(
            (
                about.title,
                key,
                *(part.level(key, condition, model) for condition in part.conditions),
                *(part.effect(key, contrast, model) for contrast in part.contrasts),
            )
        )
    missing = (f"{_NOT_MEASURED}: {', '.join(absent)}",) if absent else ()
    return Table(
        part.name(name),
        title,
        (*columns(("measure", "Measure"), ("key", "Key")), *cell_columns(part)),
        tuple(rows),
        source,
        (*notes, *missing, *notes_of(rows)),
    )


def models_table(part: Slice, name: str, title: str, key: str, *, source: str = "") -> Table:
    """A row per model, and one for all: a measure under each condition, then its effects."""
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            shown,
            *(part.level(key, condition, model) for condition in part.conditions),
            *(part.effect(key, contrast, model) for contrast in part.contrasts),
        )
        for shown, model in part.rows()
    )
    head = (*columns(("model", "Model")), *cell_columns(part))
    return Table(part.name(name), title, head, rows, source, notes_of(rows))


def cell_columns(part: Slice) -> tuple[Column, ...]:
    """A column per condition and per effect."""
    return (
        *(Column(condition, condition) for condition in part.conditions),
        *(Column(difference_key(one), difference_name(one)) for one in part.contrasts),
    )
