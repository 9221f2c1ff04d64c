"""A page before it is written: which template, with what, and how it went."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bazaarbench.errors import BazaarError


class PageMissing(BazaarError):
    """There is no such page: a deal, an agent or a run that is not there."""


@dataclass(frozen=True)
class Page:
    """A page of the site.

    ``path`` is its own address, from which its links start; ``key`` the run that it is about.
    """

    path: str
    template: str
    values: Mapping[str, Any]
    key: str = ""
    status: int = 200


@dataclass(frozen=True)
class TextFile:
    """A file to save: CSV."""

    path: str
    text: str
