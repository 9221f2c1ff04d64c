"""Catalogues: the items that a market's units are instances of (SPEC §3.1)."""

from __future__ import annotations

from bazaarbench.catalogue.files import load_shipped, read_catalogue, write_catalogue
from bazaarbench.catalogue.items import Catalogue, CatalogueError, Item, price_band

__all__ = [
    "Catalogue",
    "CatalogueError",
    "Item",
    "load_shipped",
    "price_band",
    "read_catalogue",
    "write_catalogue",
]
