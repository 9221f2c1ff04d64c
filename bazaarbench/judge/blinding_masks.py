"""The patterns by which texts are blinded, from ``data/masks.yaml``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

_WORD = r"\b"


@dataclass(frozen=True, slots=True)
class Masks:
    """Compiled patterns and word lists; what each is for stands in the file.

    ``private`` is for recorded reasoning, ``public`` for what others read.
    """

    version: int
    private: re.Pattern[str]
    public: re.Pattern[str]
    labels: tuple[tuple[re.Pattern[str], str], ...]
    label: re.Pattern[str]
    bare_label: re.Pattern[str]
    listed: re.Pattern[str]
    clause: re.Pattern[str]
    leading: re.Pattern[str]
    connective: re.Pattern[str]
    purpose: re.Pattern[str]
    head: re.Pattern[str]
    acts: frozenset[str]
    names_that_are_words: frozenset[str]


@cache
def masks() -> Masks:
    """The masks that ship."""
    told = files("bazaarbench.judge").joinpath("data", "masks.yaml").read_text("utf-8")
    raw: dict[str, Any] = yaml.safe_load(told)
    labels = tuple((_pattern(pattern), words) for pattern, words in raw["labels"])
    names = ("bare_label", "listed", "clause", "leading", "connective", "purpose", "head")
    return Masks(
        version=raw["version"],
        private=_any([*raw["numbers"], *raw["pressure"], *raw["brief"]]),
        public=_any(raw["public"]),
        labels=labels,
        label=_any([pattern for pattern, _ in raw["labels"]]),
        acts=frozenset(raw["acts"].split()),
        names_that_are_words=frozenset(raw["names_that_are_words"].split()),
        **{name: _pattern(raw[name]) for name in names},
    )


def _any(patterns: Sequence[str]) -> re.Pattern[str]:
    """One pattern for all; where no word begins, most of them are not even tried."""
    words = [one.removeprefix(_WORD) for one in patterns if one.startswith(_WORD)]
    others = [one for one in patterns if not one.startswith(_WORD)]
    return _pattern("|".join([rf"{_WORD}(?:{'|'.join(words)})", *others] if words else others))


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)
