"""The template files, read once; their versions and digest go into a saved state's manifest."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from bazaarbench.personas.grammar import Grammar

_FILES = ("background", "constraints", "journal", "memories", "self_summary", "strategies", "style")
#: Symbols that every other file may use.
_SHARED = "shared"
_PEOPLE = "people"


@dataclass(frozen=True, slots=True)
class Templates:
    """``people`` are the lists of names and places, ``grammars`` the texts by file name."""

    people: dict[str, Any]
    grammars: dict[str, Grammar]
    #: Bodies of history ratings by number of stars.
    reviews: dict[int, list[str]]


@cache
def templates() -> Templates:
    """All template files that ship."""
    shared = _read(_SHARED)["symbols"]
    contents = {name: _read(name) for name in _FILES}
    return Templates(
        people=_read(_PEOPLE),
        grammars={
            name: Grammar({**shared, **content["symbols"]}) for name, content in contents.items()
        },
        reviews={int(stars): texts for stars, texts in contents["journal"]["reviews"].items()},
    )


@cache
def templates_digest() -> str:
    """SHA-256 over the contents of all template files, whatever their formatting."""
    contents = {name: _read(name) for name in (*_FILES, _SHARED, _PEOPLE)}
    return sha256(json.dumps(contents, sort_keys=True).encode()).hexdigest()


def _read(name: str) -> dict[str, Any]:
    path: Traversable = files("bazaarbench.personas") / "templates" / f"{name}.json"
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content
