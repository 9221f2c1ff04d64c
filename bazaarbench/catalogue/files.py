"""Catalogue files: a header line, then one JSON array for each item.

The header carries the number of items and their digest, so a file that was cut off or edited is
noticed before a market is built from it.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from bazaarbench.catalogue.items import COLUMNS, Catalogue, CatalogueError, Item, canonical_row

FORMAT = "bazaarbench-catalogue"
FORMAT_VERSION = 1
SHIPPED_FILE = "catalogue.jsonl"

_KINDS: dict[str, tuple[type, ...]] = {
    "item_id": (int,),
    "price_cents": (int,),
    "rating_milli": (int, type(None)),
    "reviews": (int,),
}
_REMEDY = (
    "Install BazaarBench again, or write the shipped catalogue anew with "
    "`python -m bazaarbench.catalogue.generate FILE`."
)


@cache
def load_shipped() -> Catalogue:
    """The synthetic catalogue that ships with BazaarBench.

    Raises:
        CatalogueError: the installed file is missing or damaged.
    """
    resource = files("bazaarbench.catalogue") / "data" / SHIPPED_FILE
    try:
        data = resource.read_bytes()
    except OSError as error:
        raise CatalogueError(
            f"The shipped catalogue {SHIPPED_FILE} cannot be read: {error.strerror}. {_REMEDY}"
        ) from error
    return parse_catalogue(data, f"shipped {SHIPPED_FILE}")


def read_catalogue(path: Path) -> Catalogue:
    """The catalogue in a file that ``write_catalogue`` wrote.

    Raises:
        CatalogueError: the file is missing, damaged or something else.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise CatalogueError(f"The catalogue {path} cannot be read: {error.strerror}.") from error
    return parse_catalogue(data, str(path))


def write_catalogue(path: Path, catalogue: Catalogue) -> None:
    """Write a catalogue; equal catalogues give equal bytes on every machine."""
    header = {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "items": len(catalogue.items),
        "digest": catalogue.digest,
        "columns": COLUMNS,
    }
    lines = [json.dumps(header), *(canonical_row(item) for item in catalogue.items)]
    path.write_bytes(("\n".join(lines) + "\n").encode())


def parse_catalogue(data: bytes, where: str) -> Catalogue:
    """The catalogue in ``data``; ``where`` names it in errors.

    Raises:
        CatalogueError: not a catalogue, or not the one that its header describes.
    """
    try:
        lines = data.decode().splitlines()
    except UnicodeDecodeError as error:
        raise CatalogueError(f"The catalogue {where} is not UTF-8 text. {_REMEDY}") from error
    header = _header(lines, where)
    items = tuple(_item(line, number, where) for number, line in enumerate(lines[1:], start=2))
    if not items or len(items) != header["items"]:
        raise CatalogueError(
            f"The catalogue {where} holds {len(items)} items where its header says "
            f"{header['items']}; it was cut off or edited. {_REMEDY}"
        )
    catalogue = Catalogue.of(items)
    if catalogue.digest != header["digest"]:
        raise CatalogueError(
            f"The items of the catalogue {where} do not have the digest in its header; it was "
            f"edited or damaged. {_REMEDY}"
        )
    return catalogue


def _header(lines: list[str], where: str) -> dict[str, Any]:
    try:
        header = json.loads(lines[0]) if lines else None
    except ValueError:
        header = None
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise CatalogueError(f"{where} is not a BazaarBench catalogue: no such header. {_REMEDY}")
    if header.get("version") != FORMAT_VERSION or header.get("columns") != list(COLUMNS):
        raise CatalogueError(
            f"The catalogue {where} has format version {header.get('version')!r}; this "
            f"BazaarBench reads version {FORMAT_VERSION}. {_REMEDY}"
        )
    return header


def _item(line: str, number: int, where: str) -> Item:
    try:
        values = json.loads(line)
    except ValueError:
        values = None
    if not isinstance(values, list) or len(values) != len(COLUMNS):
        raise CatalogueError(
            f"Line {number} of the catalogue {where} is not a row of {len(COLUMNS)} values. "
            f"{_REMEDY}"
        )
    for name, value in zip(COLUMNS, values, strict=True):
        if type(value) not in _KINDS.get(name, (str,)):
            raise CatalogueError(
                f"Line {number} of the catalogue {where}: {name} is {value!r}. {_REMEDY}"
            )
    return Item(*values)
