"""What ``clean`` loading mends and leaves out beyond what ``strict`` does (SPEC §3.1).

The rules, which a report counts one by one:

* **Shifted rows.** Early rows lack the field Stock, so everything after it stands one column too
  far left. A row of 24 fields is such a row, and so is one of 25 whose last is empty while its
  Stock is neither a truth value nor missing (a shifted row that another program has padded).
* **Unit errors.** A price is compared with what like items cost: the upper quartile of the stated
  prices of items whose titles begin with the same three words, when there are five, else of items
  of the same maker and category. More than five times the former, or twenty times the latter, is a
  unit error. A bare integer of 1,000–10,000 may be dollars or cents: it counts as dollars only if
  the former confirms it. (A quartile, because accessories that begin alike pull a median down.)
* **Duplicates.** Of rows with the same id, page or title the first that survives is kept.
* **Makers and models** that are missing or repeat the title, and makers in several spellings.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace

from bazaarbench.catalogue.categories import words
from bazaarbench.catalogue.csv_rows import COLUMNS, PLACE, Row
from bazaarbench.catalogue.prices import Price

_STOCK = PLACE["Stock"]
_STOCK_VALUES = frozenset({"true", "false", "na", ""})
_MISSING = frozenset(
    {"", "-", "/", "na", "n/a", "none", "null", "unknown", "unbranded", "unbranded/generic"}
    | {"generic", "does not apply", "not applicable"}
)
_MAKER_WORDS = 4
_MODEL_LENGTH = 60
#: A maker is known when so many rows name it.
_KNOWN_MAKER_ROWS = 3

PRODUCT_WORDS = 3
LEAST_PEERS = 5
PRODUCT_FACTOR = 5
MAKER_FACTOR = 20
_DOUBTFUL_WHOLE_CENTS = 100_000


@dataclass(slots=True)
class Draft:
    """A row on its way to an item: its title and price are sound."""

    row: Row
    title: str
    words: tuple[str, ...]
    maker: str
    model: str
    price: Price
    category: str | None
    repairs: list[str]


def present(text: str) -> str:
    """``text``, or nothing when it is one of the ways to write that there is nothing."""
    return "" if text.casefold() in _MISSING else text


def realigned(row: Row) -> tuple[Row, bool] | None:
    """The row with every field in its column and whether it was shifted; ``None`` for no row."""
    fields = row.fields
    if len(fields) == len(COLUMNS) and (
        fields[-1] or fields[_STOCK].strip().casefold() in _STOCK_VALUES
    ):
        return row, False
    if len(fields) not in (len(COLUMNS) - 1, len(COLUMNS)):
        return None
    moved = [*fields[:_STOCK], "", *fields[_STOCK : len(COLUMNS) - 1]]
    return replace(row, fields=moved), True


def said_maker(text: str, title_words: tuple[str, ...]) -> str:
    """The field Manufacturer, or nothing when it is missing or repeats the title."""
    maker = present(text)
    found = words(maker)
    return "" if len(found) > _MAKER_WORDS or found == title_words else maker


def said_model(text: str, maker: str, title_words: tuple[str, ...]) -> str:
    """The field Model Name without the maker, or nothing when it is missing or the whole title."""
    model = present(text)
    if len(model) > _MODEL_LENGTH or words(model) == title_words:
        return ""
    beginning = f"{maker} ".casefold()
    return model[len(beginning) :] if model.casefold().startswith(beginning) else model


class Makers:
    """The makers that a file names, each in its most common spelling."""

    def __init__(self, named: Counter[str]) -> None:
        """Take how often every spelling occurs; the empty one counts for nothing."""
        rows: Counter[str] = Counter()
        best: dict[str, tuple[int, str]] = {}
        for spelling, number in named.items():
            if spelling:
                key = spelling.casefold()
                rows[key] += number
                # Of spellings that are equally common the first in order: no draw, no chance.
                best[key] = min(best.get(key, (0, "")), (-number, spelling))
        self._spelling = {key: spelling for key, (_, spelling) in best.items()}
        self._known = {key for key, number in rows.items() if number >= _KNOWN_MAKER_ROWS}

    def spelled(self, maker: str) -> str:
        """The common spelling of a maker."""
        return self._spelling.get(maker.casefold(), maker)

    def at_head_of(self, title: str) -> str:
        """The known maker that a title begins with, in two words or one; empty if none."""
        parts = re.split(r"[\s,]+", title, maxsplit=2)
        for length in (2, 1):
            key = " ".join(parts[:length]).casefold()
            if key in self._known:
                return self._spelling[key]
        return ""


class TypicalPrices:
    """What like items cost: upper quartiles, in cents, over prices that say their unit."""

    def __init__(self, drafts: Iterable[Draft]) -> None:
        """Gather the prices of all rows; duplicates are evidence too."""
        products: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
        makers: defaultdict[tuple[str, str | None], list[int]] = defaultdict(list)
        for draft in drafts:
            if draft.price.is_stated:
                products[draft.words[:PRODUCT_WORDS]].append(draft.price.cents)
                makers[draft.maker, draft.category].append(draft.price.cents)
        self._products = {key: _upper(v) for key, v in products.items() if len(v) >= LEAST_PEERS}
        self._makers = {key: _upper(v) for key, v in makers.items() if len(v) >= LEAST_PEERS}

    def is_unit_error(self, draft: Draft) -> bool:
        """Whether the price of a row cannot be what the item costs, or may be in cents."""
        price = draft.price
        product = self._products.get(draft.words[:PRODUCT_WORDS])
        if product is not None:
            return price.cents > PRODUCT_FACTOR * product
        if price.form == "whole" and price.cents >= _DOUBTFUL_WHOLE_CENTS:
            return True
        maker = self._makers.get((draft.maker, draft.category))
        return maker is not None and price.cents > MAKER_FACTOR * maker


def _upper(cents: list[int]) -> int:
    return sorted(cents)[3 * len(cents) // 4]


def marks(draft: Draft) -> tuple[str, ...]:
    """What a row shares with its duplicates: id, page without its query, and title."""
    page = present(draft.row.value("Pageurl")).partition("?")[0].rstrip("/")
    title = " ".join(draft.words) or draft.title
    ids = (("id", present(draft.row.value("Uniq Id"))), ("page", page), ("title", title))
    return tuple(f"{kind} {value.casefold()}" for kind, value in ids if value)


def described(draft: Draft) -> str:
    """What a seller would say of the item: its name and the details that the row tells."""
    name = f"{draft.maker} {draft.model}".strip() if draft.model else draft.title
    details = (
        ("Color", "Color Category"),
        ("Storage", "Internal Memory"),
        ("Screen", "Screen Size"),
        ("Carrier", "Carrier"),
    )
    told = [
        f"{word}: {value}."
        for word, column in details
        if (value := present(draft.row.value(column)))
    ]
    return " ".join([f"{name}.", *told])
