"""What a catalogue is: frozen items and one digest over them (SPEC §3.1)."""

from __future__ import annotations

import json
from bisect import bisect_right
from dataclasses import astuple, dataclass, fields
from hashlib import sha256

from bazaarbench.errors import BazaarError

#: Upper ends of the price bands in cents, exclusive; the last band has none (SPEC §3.2).
_BAND_ENDS = (5_000, 15_000, 50_000, 100_000)
PRICE_BANDS = ("0-50", "50-150", "150-500", "500-1000", "1000-plus")


class CatalogueError(BazaarError):
    """A catalogue file that is missing, damaged, empty or of another format."""


@dataclass(frozen=True, slots=True)
class Item:
    """One catalogue entry; a unit is one physical instance of it.

    ``price_cents`` is what a seller would ask. ``rating_milli`` is the mean of ``reviews`` star
    ratings in thousandths (4600 is 4.6 stars), ``None`` where nobody has rated. ``model`` names the
    product without colour, size or storage, so that near twins share it.
    """

    item_id: int
    title: str
    brand: str
    model: str
    category: str
    price_cents: int
    rating_milli: int | None
    reviews: int
    description: str
    source_id: str


COLUMNS: tuple[str, ...] = tuple(field.name for field in fields(Item))


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Items in the order of their ids, and the SHA-256 of their canonical rows."""

    items: tuple[Item, ...]
    digest: str

    @classmethod
    def of(cls, items: tuple[Item, ...]) -> Catalogue:
        """The catalogue of ``items``, with its digest."""
        return cls(items, digest_of(items))


def canonical_row(item: Item) -> str:
    """One item as compact JSON, in column order: what is hashed and what is stored."""
    return json.dumps(astuple(item), ensure_ascii=False, separators=(",", ":"))


def digest_of(items: tuple[Item, ...]) -> str:
    """SHA-256, as hexadecimal, of the canonical rows."""
    hasher = sha256()
    for item in items:
        hasher.update(canonical_row(item).encode())
        hasher.update(b"\n")
    return hasher.hexdigest()


def price_band(price_cents: int) -> str:
    """The price band, in dollars, that a price in cents falls into: ``"150-500"``."""
    return PRICE_BANDS[bisect_right(_BAND_ENDS, price_cents)]
