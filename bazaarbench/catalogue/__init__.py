"""Catalogues: the items that a market's units are instances of (SPEC §3.1)."""

from __future__ import annotations

from bazaarbench.catalogue.files import load_shipped, read_catalogue, write_catalogue
from bazaarbench.catalogue.items import Catalogue, CatalogueError, Item, price_band
from bazaarbench.catalogue.sources import FromFile, open_catalogue

__all__ = [
    "Catalogue",
    "CatalogueError",
    "FromFile",
    "Item",
    "load_shipped",
    "open_catalogue",
    "price_band",
    "read_catalogue",
    "write_catalogue",
]
