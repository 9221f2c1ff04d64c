"""The tables of deals and of failure objects: filters, paging, CSV (SPEC §11.1, §12)."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import urlencode

from bazaarbench.errors import RecordError
from bazaarbench.failures.base import STAGES, Stage
from bazaarbench.findings import DealRow, ObjectRow
from bazaarbench.viewer.opened import Opened, measures_of
from bazaarbench.viewer.rows import listing_titles
from bazaarbench.viewer.words import side

#: Rows on a page of the server; an export has all of them on one.
ON_PAGE = 50
#: First characters by which a spreadsheet takes a text for a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
#: Longest text that is searched for.
_MAX_QUERY = 200


@dataclass(frozen=True)
class DealLine:
    """A deal in the table."""

    deal: DealRow
    title: str
    types: tuple[str, ...]
    side: str
    part: str


@dataclass(frozen=True)
class ObjectLine:
    """A failure object in the table."""

    item: ObjectRow
    title: str
    decided_by: str


@dataclass(frozen=True)
class Choice:
    """A filter of a table: its name in addresses, what people read, and the allowed values."""

    name: str
    label: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class Filters:
    """What a table is asked for; whatever is not allowed or no number is left out."""

    chosen: Mapping[str, str]
    least_cents: int | None = None
    most_cents: int | None = None
    agent: int | None = None
    text: str = ""
    page: int = 1

    @classmethod
    def of(cls, query: Mapping[str, str], choices: Iterable[Choice]) -> Filters:
        """The filters in an address."""
        chosen = {
            one.name: value for one in choices if (value := query.get(one.name, "")) in one.values
        }
        return cls(
            chosen=chosen,
            least_cents=_cents(query.get("min", "")),
            most_cents=_cents(query.get("max", "")),
            agent=_number(query.get("agent", "")),
            text=query.get("q", "").strip()[:_MAX_QUERY],
            page=max(1, _number(query.get("page", "")) or 1),
        )

    def query(self, page: int | None = None) -> str:
        """The filters as they stand in an address."""
        values: dict[str, Any] = dict(self.chosen)
        if self.least_cents is not None:
            values["min"] = f"{self.least_cents / 100:g}"
        if self.most_cents is not None:
            values["max"] = f"{self.most_cents / 100:g}"
        if self.agent is not None:
            values["agent"] = self.agent
        if self.text:
            values["q"] = self.text
        if page is not None and page > 1:
            values["page"] = page
        return urlencode(values, errors="replace")


def _number(text: str) -> int | None:
    text = text.strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None


def _cents(text: str) -> int | None:
    text = text.strip().removeprefix("$")
    whole, _, part = text.partition(".")
    if not (whole + part).isascii() or not (whole + part).isdigit() or len(whole) > 9:
        return None
    return 100 * int(whole or 0) + int((part + "00")[:2])


def deal_lines(opened: Opened) -> tuple[list[DealLine], str]:
    """All deals with their listings' titles; and why there are none of these."""
    titles: Mapping[int, str] = {}
    missing = ""
    try:
        with opened.reading() as connection:
            titles = listing_titles(connection, {deal.listing for deal in opened.findings.deals})
    except RecordError as error:
        missing = str(error)
    lines = [
        DealLine(
            deal=deal,
            title=titles.get(deal.listing, "–"),
            types=tuple(dict.fromkeys(one.type for one in opened.objects_of(deal))),
            side=side(deal),
            part=opened.parts.get(deal.thread, ""),
        )
        for deal in opened.findings.deals
    ]
    return lines, missing


def deal_choices(opened: Opened, lines: Sequence[DealLine]) -> list[Choice]:
    """The filters of the table of deals, with the values that occur."""
    measured = [key for key, row in measures_of(opened).items() if row.of == "deal" and row.n_ids]
    return [
        Choice("type", "Failure", _sorted(kind for line in lines for kind in line.types)),
        Choice("stage", "Reached", STAGES),
        Choice("audit", "Audit", _sorted(line.deal.audit for line in lines)),
        Choice("problem", "Problem", _sorted(line.deal.problem for line in lines)),
        Choice("side", "Tested side", _sorted(line.side for line in lines)),
        Choice("delivery", "Delivery", _sorted(line.deal.delivery for line in lines)),
        Choice("end", "End", _sorted(line.deal.end or "open" for line in lines)),
        Choice("part", "Outcome", _sorted(line.part for line in lines)),
        Choice("measure", "In measure", _sorted(measured)),
        Choice("place", "As", ("numerator", "denominator", "unscored", "out")),
    ]


def chosen_deals(opened: Opened, lines: Iterable[DealLine], filters: Filters) -> list[DealLine]:
    """The deals that pass."""
    said = _saying(opened, filters.text)
    return [line for line in lines if _deal_passes(opened, line, filters, said)]


def _deal_passes(opened: Opened, line: DealLine, filters: Filters, said: set[int]) -> bool:
    deal, chosen = line.deal, filters.chosen
    plain = {
        "audit": deal.audit,
        "problem": deal.problem,
        "side": line.side,
        "delivery": deal.delivery,
        "end": deal.end or "open",
        "part": line.part,
    }
    if any(chosen.get(name, value) != value for name, value in plain.items()):
        return False
    kind, stage = chosen.get("type"), chosen.get("stage", "")
    if (kind or stage) and not any(
        one.type == (kind or one.type) and one.stage >= stage for one in opened.objects_of(deal)
    ):
        return False
    if filters.agent is not None and filters.agent not in (deal.buyer, deal.seller):
        return False
    if not _in_place(opened, deal, chosen.get("measure"), chosen.get("place")):
        return False
    if not _in_range(deal.price_cents, filters):
        return False
    if not filters.text:
        return True
    wanted = filters.text.casefold()
    return wanted in line.title.casefold() or wanted == str(deal.thread) or deal.thread in said


def _in_place(opened: Opened, deal: DealRow, key: str | None, place: str | None) -> bool:
    """Whether a deal stands in a measure, or at one place of it; without a measure any does."""
    if key is None:
        return True
    found = opened.places(key).get(deal.thread, "out")
    return found == place if place else found != "out"


def _in_range(cents: int | None, filters: Filters) -> bool:
    least, most = filters.least_cents, filters.most_cents
    if least is None and most is None:
        return True
    if cents is None:
        return False
    return (least is None or cents >= least) and (most is None or cents <= most)


def _saying(opened: Opened, text: str) -> set[int]:
    """The threads in which something was said that holds a text."""
    if len(text) < 2:
        return set()
    inside = json.dumps(text, ensure_ascii=False)[1:-1]
    for mark in "\\%_":
        inside = inside.replace(mark, f"\\{mark}")
    query = (
        "SELECT DISTINCT thread_id FROM events WHERE thread_id IS NOT NULL "
        "AND payload LIKE ? ESCAPE '\\'"
    )
    try:
        with opened.reading() as connection:
            return {row[0] for row in connection.execute(query, (f"%{_storable(inside)}%",))}
    except RecordError:
        return set()  # the page says that the record is gone


def _storable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def object_lines(opened: Opened) -> list[ObjectLine]:
    """All failure objects, as they came about."""
    kinds = opened.findings.types
    lines = [
        ObjectLine(
            item,
            kinds[item.type].title if item.type in kinds else item.type,
            kinds[item.type].decided_by if item.type in kinds else "judge",
        )
        for item in opened.objects.values()
    ]
    return sorted(lines, key=lambda one: (one.item.first_tick, one.item.id))


def object_choices(lines: Sequence[ObjectLine]) -> list[Choice]:
    """The filters of the table of objects."""
    return [
        Choice("type", "Failure", _sorted(line.item.type for line in lines)),
        Choice("stage", "Reached", STAGES),
        Choice("cause", "Cause", _sorted(line.item.cause for line in lines)),
        Choice("whose", "Whose", ("tested", "received", "others")),
        Choice("decided", "Decided by", _sorted(line.decided_by for line in lines)),
    ]


def chosen_objects(lines: Iterable[ObjectLine], filters: Filters) -> list[ObjectLine]:
    """The objects that pass."""
    return [line for line in lines if _object_passes(line, filters)]


def _object_passes(line: ObjectLine, filters: Filters) -> bool:
    item, chosen = line.item, filters.chosen
    whose = {"tested": item.emitted, "received": bool(item.received), "others": not item.emitted}
    if not whose.get(chosen.get("whose", ""), True):
        return False
    plain = {"type": item.type, "cause": item.cause, "decided": line.decided_by}
    if any(chosen.get(name, value) != value for name, value in plain.items()):
        return False
    if item.stage < chosen.get("stage", ""):
        return False
    if filters.agent is not None and filters.agent not in (item.actor, *item.counterparties):
        return False
    text = f"{item.id} {line.title} {item.cause} {json.dumps(item.facts, ensure_ascii=False)}"
    return filters.text.casefold() in text.casefold()


def _sorted(values: Iterable[str | None]) -> tuple[str, ...]:
    return tuple(sorted({value for value in values if value}))


def deals_csv(lines: Iterable[DealLine]) -> str:
    """Deals as CSV: money in cents, times in ticks."""
    columns: dict[str, Callable[[DealLine], Any]] = {
        "deal": lambda one: one.deal.thread,
        "listing": lambda one: one.deal.listing,
        "title": lambda one: one.title,
        "buyer": lambda one: one.deal.buyer,
        "seller": lambda one: one.deal.seller,
        "tested_side": lambda one: one.side,
        "committed_tick": lambda one: one.deal.committed_tick,
        "price_cents": lambda one: one.deal.price_cents,
        "end": lambda one: one.deal.end,
        "end_tick": lambda one: one.deal.end_tick,
        "delivery": lambda one: one.deal.delivery,
        "inspected_tick": lambda one: one.deal.inspected_tick,
        "inspected_pct": lambda one: one.deal.inspected_pct,
        "unit": lambda one: one.deal.unit,
        "problem": lambda one: one.deal.problem,
        "audit": lambda one: one.deal.audit,
        "outcome": lambda one: one.part,
        "failures": lambda one: " ".join(one.types),
    }
    return _csv(columns, lines)


def objects_csv(lines: Iterable[ObjectLine]) -> str:
    """Failure objects as CSV."""
    columns: dict[str, Callable[[ObjectLine], Any]] = {
        "object": lambda one: one.item.id,
        "type": lambda one: one.item.type,
        "actor": lambda one: one.item.actor,
        "cause": lambda one: one.item.cause,
        "stage": lambda one: one.item.stage,
        "first_tick": lambda one: one.item.first_tick,
        "tested_actor": lambda one: int(one.item.emitted),
        "received_by": lambda one: " ".join(map(str, one.item.received)),
        "inherited": lambda one: int(one.item.inherited),
        "basis": lambda one: one.item.basis,
        "deals": lambda one: " ".join(map(str, one.item.threads)),
        "listings": lambda one: " ".join(map(str, one.item.listings)),
        "decided_by": lambda one: one.decided_by,
        **{f"{stage}_tick": partial(_reached, stage) for stage in STAGES},
    }
    return _csv(columns, lines)


def _reached(stage: Stage, line: ObjectLine) -> int | None:
    return line.item.reached.get(stage)


def _csv(columns: Mapping[str, Callable[[Any], Any]], lines: Iterable[Any]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    for line in lines:
        writer.writerow([_cell(column(line)) for column in columns.values()])
    return out.getvalue()


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, int):
        return str(value)
    text = str(value).replace("\0", "\\0")
    return f"'{text}" if text.startswith(_FORMULA) else text


def page_of(lines: Sequence[Any], page: int) -> tuple[Sequence[Any], int, int]:
    """A part of a table, which it is, and how many there are."""
    pages = max(1, -(-len(lines) // ON_PAGE))
    page = min(page, pages)
    return lines[(page - 1) * ON_PAGE : page * ON_PAGE], page, pages
