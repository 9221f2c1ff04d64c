"""PromptCloud's public sample of eBay products as a catalogue (SPEC §3.1, reference A §1).

The file is not shipped; people download it themselves. A world names it as
``catalogue="promptcloud:FILE"``, or ``"promptcloud-strict:FILE"``.

``clean``, the default, mends shifted rows and drops duplicates and unit errors (``repair.py`` says
by which rules); it needs the prices of the whole file before it can judge one, and so holds the
rows with a price in its range. ``strict`` keeps the rows that the study kept, in file order: title
and price parse, $1–$5,000, nothing else, with ``NA`` a text like any other. Both read the file row
by row and say what became of every row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path

from bazaarbench.catalogue.categories import (
    DEFAULT_CATEGORY,
    clean_category,
    strict_category,
    words,
)
from bazaarbench.catalogue.csv_rows import EXPECTED, Row, read_rows
from bazaarbench.catalogue.items import Catalogue, CatalogueError, Item
from bazaarbench.catalogue.prices import LEAST_CENTS, Price, parse_price
from bazaarbench.catalogue.repair import (
    Draft,
    Makers,
    TypicalPrices,
    described,
    marks,
    present,
    realigned,
    said_maker,
    said_model,
)
from bazaarbench.catalogue.tally import DROPPED, Mode, Report, Tally

_TITLE, _BRAND, _MODEL, _DESCRIPTION = 120, 80, 100, 400
_STARS = ("Five Star", "Four Star", "Three Star", "Two Star", "One Star")
_COUNT_DIGITS = 9


@dataclass(frozen=True, slots=True)
class Loaded:
    """A catalogue and what became of the rows of its file."""

    catalogue: Catalogue
    report: Report


def load(path: Path, mode: Mode = "clean") -> Loaded:
    """Read the sample.

    Args:
        path: the CSV, unpacked and unchanged.
        mode: ``clean`` or ``strict``, as the module says.

    Raises:
        CatalogueError: the file is missing, is no such CSV, or no row of it survives.
    """
    tally = Tally()
    rows = _counted(read_rows(path), tally)
    items = tuple({"clean": _clean, "strict": _strict}[mode](rows, tally))
    report = tally.report(mode, len(items))
    if not items:
        why = "; ".join(f"{number} × {DROPPED[key]}" for key, number in report.dropped.items())
        raise CatalogueError(
            f"Nothing is left of the {report.rows} rows of {path}"
            f"{f': {why}' if why else ''}. {EXPECTED} Download it again."
        )
    return Loaded(Catalogue.of(items), report)


def read_clean(path: Path) -> Catalogue:
    """The sample mended; raises as ``load``."""
    return load(path, "clean").catalogue


def read_strict(path: Path) -> Catalogue:
    """The sample as the study took it; raises as ``load``."""
    return load(path, "strict").catalogue


def _counted(rows: Iterable[Row], tally: Tally) -> Iterator[Row]:
    for row in rows:
        tally.rows += 1
        yield row


def _title_and_price(row: Row, title: str, priced: str, tally: Tally) -> Price | None:
    """The price of a row that has a title and a price in range; the count rule of both modes."""
    price = parse_price(priced)
    if not title:
        reason = "no_title"
    elif not present(priced):
        reason = "no_price"
    elif price is None:
        reason = "bad_price"
    elif not price.is_in_range:
        reason = "below_range" if price.cents < LEAST_CENTS else "above_range"
    else:
        return price
    tally.drop(reason, row.line, priced, title)
    return None


def _strict(rows: Iterable[Row], tally: Tally) -> Iterator[Item]:
    item_id = 0
    for row in rows:
        title, priced = row.value("Title")[:_TITLE], row.value("Price")
        price = _title_and_price(row, title, priced, tally)
        if price is not None:
            item_id += 1
            tally.repair(*_repairs(row, price))
            yield _strict_item(item_id, row, title, price, tally)


def _strict_item(item_id: int, row: Row, title: str, price: Price, tally: Tally) -> Item:
    brand = row.value("Manufacturer")[:_BRAND]
    named = (row.value(name) for name in ("Model Name", "Model Num", "Sku"))
    model = next(filter(None, named), "")[:_MODEL]
    stock, rating = row.value("Stock"), row.value("Average Rating")
    facts = (title, brand, model, stock, rating)
    labels = ("", "Maker: ", "Model: ", "Stock: ", "Average rating: ")
    told = (f"{label}{fact}." for label, fact in zip(labels, facts, strict=True) if fact)
    # Only words of the row decide: those of our own sentences are no property of the item.
    category = strict_category(" ".join((*facts, row.value("Color Category"))))
    tally.by_default += category is None
    return Item(
        item_id=item_id,
        title=title,
        brand=brand,
        model=model,
        category=category or DEFAULT_CATEGORY,
        price_cents=price.cents,
        rating_milli=_rating_milli(rating),
        reviews=_number(row.value("Num Of Reviews")),
        description=" ".join(told)[:_DESCRIPTION],
        source_id=row.value("Uniq Id") or f"line-{row.line}",
    )


def _clean(rows: Iterable[Row], tally: Tally) -> Iterator[Item]:
    drafts = list(_drafts(rows, tally))
    makers = Makers(Counter(draft.maker for draft in drafts))
    for draft in drafts:
        _name_maker(draft, makers)
    typical = TypicalPrices(drafts)
    seen: set[str] = set()
    item_id = 0
    for draft in drafts:
        own = marks(draft)
        if typical.is_unit_error(draft):
            reason = "unit_error"
        elif not seen.isdisjoint(own):
            reason = "duplicate"
        else:
            seen.update(own)
            item_id += 1
            tally.by_default += draft.category is None
            tally.repair(*draft.repairs, *_repairs(draft.row, draft.price))
            yield _clean_item(item_id, draft)
            continue
        tally.drop(reason, draft.row.line, draft.row.value("Price"), draft.title)


def _drafts(rows: Iterable[Row], tally: Tally) -> Iterator[Draft]:
    for row in rows:
        title, priced = present(row.value("Title"))[:_TITLE].rstrip(), row.value("Price")
        whole = realigned(row)
        if whole is None:
            tally.drop("fields", row.line, priced, title)
            continue
        price = _title_and_price(row, title, priced, tally)
        if price is None:
            continue
        found = words(title)
        maker = said_maker(row.value("Manufacturer"), found)
        yield Draft(
            row=whole[0],
            title=title,
            words=found,
            maker=maker[:_BRAND],
            model="",
            price=price,
            category=None,
            repairs=["shifted"] if whole[1] else [],
        )


def _name_maker(draft: Draft, makers: Makers) -> None:
    """Fill in maker, model and category, which depend on the makers that the file knows."""
    if draft.maker:
        draft.maker = makers.spelled(draft.maker)
    else:
        draft.maker = makers.at_head_of(draft.title)
        if draft.maker:
            draft.repairs.append("maker")
    said = draft.row.value("Model Name")
    draft.model = said_model(said, draft.maker, draft.words)[:_MODEL]
    if not draft.model and present(said):
        draft.repairs.append("model")
    draft.category = clean_category(draft.title, draft.maker)


def _clean_item(item_id: int, draft: Draft) -> Item:
    row = draft.row
    stars = sum(_number(row.value(name)) for name in _STARS)
    return Item(
        item_id=item_id,
        title=draft.title,
        brand=draft.maker,
        model=draft.model,
        category=draft.category or DEFAULT_CATEGORY,
        price_cents=draft.price.cents,
        rating_milli=_rating_milli(row.value("Average Rating")),
        reviews=max(_number(row.value("Number Of Ratings")), stars)
        or _number(row.value("Num Of Reviews")),
        description=described(draft)[:_DESCRIPTION],
        source_id=present(row.value("Uniq Id")) or f"line-{row.line}",
    )


def _repairs(row: Row, price: Price) -> Iterator[str]:
    """What reading alone has mended, in both modes."""
    if row.has_loose_quote:
        yield "quotes"
    if price.form in ("cents", "range"):
        yield price.form


def _number(text: str) -> int:
    """A count, zero where there is none."""
    digits = text.replace(",", "").removesuffix(".0")
    known = digits.isascii() and digits.isdigit() and len(digits) <= _COUNT_DIGITS
    return int(digits) if known else 0


def _rating_milli(text: str) -> int | None:
    """One to five stars in thousandths; ``None`` where nobody has rated."""
    try:
        stars = Decimal(text)
    except InvalidOperation:
        return None
    return int(stars * 1000) if stars.is_finite() and 1 <= stars <= 5 else None
