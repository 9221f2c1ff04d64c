"""Rows by hand in the form of the eBay sample."""

from __future__ import annotations

import csv
from pathlib import Path

from bazaarbench.catalogue.csv_rows import COLUMNS, PLACE

#: A sound row of July 2020; tests change what they are about.
SOUND = {
    "Uniq Id": "0" * 32,
    "Crawl Timestamp": "2020-07-20 09:15:02 +0000",
    "Pageurl": "https://www.ebay.com/p/1?iid=2",
    "Website": "ebay.com",
    "Title": "Apple iPhone 8 64GB Space Gray",
    "Num Of Reviews": "12",
    "Average Rating": "4.6",
    "Number Of Ratings": "31",
    "Upc": "190198451736, 190198451743",
    "Manufacturer": "Apple",
    "Model Name": "Apple iPhone 8",
    "Price": "189.95",
    "Stock": "true",
    "Carrier": "Verizon, AT&T",
    "Color Category": "Gray",
    "Internal Memory": "64 GB",
    "Screen Size": "4.7 in",
    **{"Five Star": "20", "Four Star": "6", "Three Star": "3", "Two Star": "1", "One Star": "1"},
}


def row(**changes: str) -> list[str]:
    """The sound row with changes; a column is named with ``_`` for its spaces."""
    values = SOUND | {name.replace("_", " "): value for name, value in changes.items()}
    assert values.keys() <= set(COLUMNS)
    return [values.get(name, "NA") for name in COLUMNS]


def distinct(number: int, **changes: str) -> list[str]:
    """A row that shares neither id nor page nor title with those of other numbers."""
    own = {
        "Uniq_Id": f"{number:032x}",
        "Pageurl": f"https://www.ebay.com/p/{number}",
        "Title": f"Apple iPhone 8 64GB Gray no {number}",
    }
    return row(**own | changes)


def shifted(fields: list[str]) -> list[str]:
    """The row as it was crawled before July: without Stock."""
    return [field for place, field in enumerate(fields) if place != PLACE["Stock"]]


def write(path: Path, *rows: list[str], header: tuple[str, ...] = COLUMNS) -> Path:
    """The file of the rows."""
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    return path
