"""Rows of a CSV in the form of PromptCloud's eBay sample, one at a time (reference A §1.1).

The file is decoded line by line, so its size does not matter and an error knows its line. Whatever
is not such a CSV is refused with one ``CatalogueError`` that names the file and the line, says what
is expected and what to do.
"""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import BinaryIO

from bazaarbench.catalogue.items import CatalogueError

COLUMNS: tuple[str, ...] = (
    *("Uniq Id", "Crawl Timestamp", "Pageurl", "Website", "Title", "Num Of Reviews"),
    *("Average Rating", "Number Of Ratings", "Model Num", "Sku", "Upc", "Manufacturer"),
    *("Model Name", "Price", "Monthly Price", "Stock", "Carrier", "Color Category"),
    *("Internal Memory", "Screen Size", "Five Star", "Four Star", "Three Star", "Two Star"),
    "One Star",
)
PLACE: dict[str, int] = {name: place for place, name in enumerate(COLUMNS)}
EXPECTED = (
    f"Expected is PromptCloud's public sample of eBay products: a UTF-8 CSV whose first line names "
    f"{len(COLUMNS)} columns, {COLUMNS[0]!r} to {COLUMNS[-1]!r}."
)
#: A longer line is no row of this file; reading it whole could take all memory.
_LONGEST_LINE = 1_000_000
_NAMES_SHOWN = 5
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
#: How packed files begin, and what they are called.
_PACKED = {b"PK\x03\x04": "a ZIP archive (or a spreadsheet)", b"\x1f\x8b": "a gzip archive"}
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True, slots=True)
class Row:
    """One row as it stands in the file: fields by place, and the line that it begins on.

    ``has_loose_quote`` marks a row in which a quote inside a field is not doubled.
    """

    line: int
    fields: list[str]
    has_loose_quote: bool = False

    def value(self, column: str) -> str:
        """The text of a column: control characters gone, white space squeezed; empty if absent."""
        place = PLACE[column]
        if place >= len(self.fields):
            return ""
        return " ".join(_CONTROL.sub(" ", self.fields[place]).split())


def read_rows(path: Path) -> Iterator[Row]:
    """Every row after the header, in file order; blank lines are passed over.

    Raises:
        CatalogueError: the file is missing, empty, packed, binary, not UTF-8, has other columns or
            quotes that do not match.
    """
    try:
        with path.open("rb") as file:
            yield from _rows(path, file)
    except OSError as error:
        raise CatalogueError(
            f"The catalogue {path} cannot be read: {error.strerror}. {EXPECTED} Give the path of "
            "that file."
        ) from error


def _rows(path: Path, file: BinaryIO) -> Iterator[Row]:
    records = _records(path, file)
    header = next(records, None)
    if header is None:
        raise CatalogueError(f"The catalogue {path} is empty. {EXPECTED} Download it again.")
    _check_header(path, header.fields)
    yield from records


def _records(path: Path, file: BinaryIO) -> Iterator[Row]:
    last = [""]
    reader = csv.reader(_lines(path, file, last), strict=True)
    while True:
        line = reader.line_num + 1
        loose = False
        try:
            fields = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            found = _read_loosely(last[0]) if reader.line_num == line else None
            if found is None:
                raise CatalogueError(
                    f"The row of {path} that begins on line {line} is not proper CSV ({error}). "
                    "Double quotes around a field must be closed, and a quote inside such a field "
                    f"is written twice. {EXPECTED} Mend that line, or download the file again."
                ) from error
            fields, loose = found, True
        if len(fields) > 1 or (fields and fields[0].strip()):
            yield Row(line, fields, loose)


def _read_loosely(line: str) -> list[str] | None:
    """The fields of a line with a stray quote, when nothing but that quote is wrong with it.

    A quote that is never closed swallows fields, and then rows, that must not be lost in silence:
    the line must end outside of quotes, where another one can be told from it, and have as many
    fields as a row has.
    """
    try:
        fields, *others = csv.reader([line, "end"])
    except csv.Error:  # no quote: a carriage return inside a line, or an endless field
        return None
    whole = others == [["end"]] and len(fields) in (len(COLUMNS) - 1, len(COLUMNS))
    return fields if whole else None


def _lines(path: Path, file: BinaryIO, last: list[str]) -> Iterator[str]:
    """The lines of the file; the one that was read last is in ``last``."""
    for number in count(1):
        raw = file.readline(_LONGEST_LINE + 1)
        if not raw:
            return
        if number == 1:
            _refuse_other_formats(path, raw)
            raw = raw.removeprefix(codecs.BOM_UTF8)
        if b"\0" in raw or len(raw) > _LONGEST_LINE:
            what = "a NUL byte" if b"\0" in raw else f"more than {_LONGEST_LINE:,} bytes"
            raise CatalogueError(
                f"Line {number} of {path} has {what}; this is no text file, or a damaged one. "
                f"{EXPECTED} Download it again."
            )
        try:
            last[0] = raw.decode()
        except UnicodeDecodeError as error:
            raise CatalogueError(
                f"Line {number} of {path} is not UTF-8 (byte {raw[error.start]:#04x}). {EXPECTED} "
                "Save it as UTF-8, or download it again; spreadsheets often save in another "
                "encoding."
            ) from error
        yield last[0]


def _refuse_other_formats(path: Path, first: bytes) -> None:
    for beginning, what in _PACKED.items():
        if first.startswith(beginning):
            raise CatalogueError(
                f"{path} is {what}, not a CSV. {EXPECTED} Unpack it and give the CSV's path."
            )
    if first.startswith(_UTF_16):
        raise CatalogueError(f"{path} is UTF-16, not UTF-8. {EXPECTED} Save it as UTF-8.")


def _check_header(path: Path, header: list[str]) -> None:
    found = [" ".join(name.split()) for name in header]
    if [name.casefold() for name in found] == [name.casefold() for name in COLUMNS]:
        return
    known = {name.casefold() for name in COLUMNS}
    present = {name.casefold() for name in found}
    missing = [name for name in COLUMNS if name.casefold() not in present]
    other = [name[:40] for name in found if name.casefold() not in known]
    faults = [
        f"{word} {', '.join(map(repr, names[:_NAMES_SHOWN]))}"
        + (f" and {len(names) - _NAMES_SHOWN} more" if len(names) > _NAMES_SHOWN else "")
        for word, names in (("missing are", missing), ("not among them are", other))
        if names
    ] or ["they are doubled or in another order, which decides what a shifted row means"]
    raise CatalogueError(
        f"{path} has {len(found)} comma-separated columns, not those of the eBay sample: "
        f"{'; '.join(faults)}. {EXPECTED} Give that file unchanged."
    )
