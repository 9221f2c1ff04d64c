"""Pages of one run: overview, tables, what is behind a number, failure objects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bazaarbench.errors import RecordError
from bazaarbench.findings import MeasureRow, ObjectRow
from bazaarbench.slug import slug
from bazaarbench.viewer import tables
from bazaarbench.viewer.links import Links
from bazaarbench.viewer.numbers import ladders_of, number_of, numbers_of
from bazaarbench.viewer.opened import Opened, measures_of
from bazaarbench.viewer.page import Page, PageMissing, TextFile
from bazaarbench.viewer.rows import EventRow, events
from bazaarbench.viewer.tables import Filters
from bazaarbench.viewer.words import PART_WORDS, ladder

#: Members of a number are shown up to here; the tables have all of them, page by page.
MEMBERS = 100


@dataclass(frozen=True)
class Part:
    """A part of Figure 2a: its name, deals, and place on the bar in per mille."""

    name: str
    words: str
    count: int
    left: int
    width: int


def run_page(opened: Opened) -> Page:
    """One run."""
    first, others = numbers_of(opened)
    return Page(
        path=Links("", opened.key).run(),
        template="run.html.j2",
        key=opened.key,
        values={
            "opened": opened,
            "numbers": first,
            "others": others,
            "ladders": ladders_of(opened),
            "parts_of_deals": _parts(opened),
            "agents": _agents(opened),
            "play": _play(opened),
        },
    )


def _parts(opened: Opened) -> list[Part]:
    whole = sum(len(threads) for threads in opened.findings.split.values())
    parts: list[Part] = []
    left = 0
    for name, threads in opened.findings.split.items():
        width = 1000 * len(threads) // whole if whole else 0
        parts.append(Part(name, PART_WORDS.get(name, name), len(threads), left, width))
        left += width
    return parts


def _agents(opened: Opened) -> list[dict[str, Any]]:
    bought: dict[int, int] = {}
    sold: dict[int, int] = {}
    for deal in opened.findings.deals:
        bought[deal.buyer] = bought.get(deal.buyer, 0) + 1
        if deal.seller is not None:
            sold[deal.seller] = sold.get(deal.seller, 0) + 1
    failed: dict[int, int] = {}
    for item in opened.objects.values():
        failed[item.actor] = failed.get(item.actor, 0) + 1
    return [
        {
            "row": row,
            "bought": bought.get(row.agent, 0),
            "sold": sold.get(row.agent, 0),
            "failed": failed.get(row.agent, 0),
        }
        for row in opened.findings.agents
    ]


def _play(opened: Opened) -> list[tuple[str, str]]:
    found, play = opened.findings, opened.findings.play
    rules = play.get("rules") or {}
    told = [
        ("Market", found.market),
        ("Condition", found.condition or "none"),
        ("Epoch", str(found.epoch)),
        ("Rules", str(play.get("rules_name") or "unnamed")),
        ("Rule switches", ", ".join(f"{key}={value}" for key, value in rules.items())),
        ("Window", f"ticks {found.window[0] + 1} to {found.window[1]}"),
        ("Tested agents", ", ".join(map(str, found.tested)) or "none: a base market"),
        ("Models", ", ".join(f"{role} {name}" for role, name in found.models.items())),
        ("Protocol", str(play.get("protocol") or "–")),
        ("State", str(play.get("state") or "–")),
        ("Record digest", found.digest),
        ("Versions", f"benchmark {found.benchmark_version}, checks {found.checks_version}"),
        ("Track", str(play.get("track") or "–")),
        ("Not comparable with the study", "; ".join(play.get("not_comparable") or ()) or "–"),
        ("Log", opened.source.log or "none"),
        ("Record", str(opened.record) if opened.record is not None else "gone"),
    ]
    judge = None if opened.judged is None else opened.judged.judge
    if judge is not None:
        how = "blind" if judge.blind else "not blind"
        told.append(("Judge", f"{judge.model}, served as {judge.served}; {how}"))
    return told


def deals_page(opened: Opened, query: Mapping[str, str], *, all_rows: bool = False) -> Page:
    """The table of deals."""
    lines, missing = tables.deal_lines(opened)
    choices = tables.deal_choices(opened, lines)
    filters = Filters.of(query, choices)
    chosen = tables.chosen_deals(opened, lines, filters)
    return _table_page(
        opened, "deals", chosen, filters, choices, len(lines), missing, all_rows=all_rows
    )


def objects_page(opened: Opened, query: Mapping[str, str], *, all_rows: bool = False) -> Page:
    """The table of failure objects."""
    lines = tables.object_lines(opened)
    choices = tables.object_choices(lines)
    filters = Filters.of(query, choices)
    chosen = tables.chosen_objects(lines, filters)
    return _table_page(
        opened, "objects", chosen, filters, choices, len(lines), "", all_rows=all_rows
    )


def _table_page(  # noqa: PLR0913 — what a table is made of
    opened: Opened,
    name: str,
    chosen: list[Any],
    filters: Filters,
    choices: list[tables.Choice],
    total: int,
    missing: str,
    *,
    all_rows: bool,
) -> Page:
    shown, page, pages = (chosen, 1, 1) if all_rows else tables.page_of(chosen, filters.page)
    return Page(
        path=Links("", opened.key).table(name),
        template=f"{name}.html.j2",
        key=opened.key,
        values={
            "opened": opened,
            "lines": shown,
            "found": len(chosen),
            "total": total,
            "filters": filters,
            "choices": choices,
            "at_page": page,
            "pages": pages,
            "missing": missing,
        },
    )


def csv_file(opened: Opened, name: str, query: Mapping[str, str]) -> TextFile:
    """What a table shows with some filters, all pages of it, as CSV."""
    path = Links("", opened.key).csv(name)
    if name == "deals":
        lines, _ = tables.deal_lines(opened)
        filters = Filters.of(query, tables.deal_choices(opened, lines))
        return TextFile(path, tables.deals_csv(tables.chosen_deals(opened, lines, filters)))
    objects = tables.object_lines(opened)
    filters = Filters.of(query, tables.object_choices(objects))
    return TextFile(path, tables.objects_csv(tables.chosen_objects(objects, filters)))


def measure_page(opened: Opened, file: str, *, all_rows: bool = False) -> Page:
    """What is behind a number: numerator, denominator and unscored.

    Raises:
        PageMissing: there is no such measure.
    """
    found = measures_of(opened)
    key = next((key for key in found if slug(key) == file), None)
    if key is None:
        key, row = _judged_count(opened, file)
    else:
        row = found[key]
    lines = {}
    if row.of == "deal":
        all_lines, _ = tables.deal_lines(opened)
        lines = {line.deal.thread: line for line in all_lines}
    n, d, u = row.n_ids or (), row.d_ids or (), row.unscored_ids or ()
    placed = {*n, *u}
    rest = [one for one in d if one not in placed]
    limit = max(len(n), len(d)) + 1 if all_rows else MEMBERS
    groups = [
        ("numerator", "Numerator" if row.d is not None else "Counted", n),
        ("unscored", "Unscored", u),
        ("denominator", "In the denominator only", rest),
    ]
    return Page(
        path=Links("", opened.key).measure(key),
        template="measure.html.j2",
        key=opened.key,
        values={
            "opened": opened,
            "number": number_of(key, row),
            "groups": [
                (place, words, ids[:limit], len(ids)) for place, words, ids in groups if ids
            ],
            "lines": lines,
            "objects": opened.objects,
        },
    )


def _judged_count(opened: Opened, file: str) -> tuple[str, MeasureRow]:
    """A count of the judge's file: of the objects that reached a stage, as it was scored."""
    judged = opened.judged
    key = next((key for key in (judged.scores if judged else {}) if slug(key) == file), None)
    if judged is None or key is None:
        raise PageMissing(f"Run {opened.source.name} has no measure {file!r}.")
    kind, _, stage = key.rpartition("_")
    ids = tuple(
        item.id
        for item in judged.objects.get(kind, ())
        if item.stage >= stage and (item.emitted or not judged.tested)
    )
    value = judged.scores[key]
    return key, MeasureRow(
        of="object", value=value, n=None if value is None else int(value), n_ids=ids
    )


def object_page(opened: Opened, file: str) -> Page:
    """One failure object with its ladder and the events that it cites.

    Raises:
        PageMissing: there is no such object.
    """
    item = next((one for one in opened.objects.values() if slug(one.id) == file), None)
    if item is None:
        raise PageMissing(f"Run {opened.source.name} has no failure object of that name.")
    rows: dict[int, EventRow] = {}
    missing = ""
    try:
        with opened.reading() as connection:
            rows = {row.event_id: row for row in events(connection, _cited(item))}
    except RecordError as error:
        missing = str(error)
    return Page(
        path=Links("", opened.key).item(item.id),
        template="object.html.j2",
        key=opened.key,
        values={
            "opened": opened,
            "item": item,
            "title": opened.titles.get(item.type, item.type),
            "rungs": ladder(item),
            "events": rows,
            "missing": missing,
        },
    )


def _cited(item: ObjectRow) -> set[int]:
    return {event_id for step in item.steps.values() for _, event_id in step.events}
