"""Texts from templates: a small grammar whose every choice is a keyed draw.

In a template ``#symbol#`` stands for one of that symbol's templates, ``{fact}`` for a fact about
the agent, ``{3-18}`` for a number in that range and ``[one|another]`` for one of the alternatives,
which may hold the other three. A wrong symbol or bracket is found when the file is read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count

from bazaarbench.market.draws import below, between, choice

_TOKEN = re.compile(r"#(\w+)#|\{(\d+)-(\d+)\}|\{([a-z_]+)\}|\[([^\[\]]*)\]")
_LEFT_OVER = re.compile(r"[#{}\[\]]")


@dataclass(frozen=True, slots=True)
class _Symbol:
    name: str


@dataclass(frozen=True, slots=True)
class _Fact:
    name: str


@dataclass(frozen=True, slots=True)
class _Number:
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class _Options:
    options: tuple[tuple[_Part, ...], ...]


_Part = str | _Symbol | _Fact | _Number | _Options
_Template = tuple[_Part, ...]


class Grammar:
    """Named lists of templates, read once and expanded many times."""

    def __init__(self, symbols: Mapping[str, Sequence[str]]) -> None:
        """Read all templates.

        Raises:
            ValueError: a template names an unknown symbol or has a stray bracket.
        """
        self._symbols = {name: tuple(map(_parse, texts)) for name, texts in symbols.items()}
        for templates in self._symbols.values():
            for template in templates:
                self._check(template)

    @property
    def symbols(self) -> tuple[str, ...]:
        """The names of all symbols."""
        return tuple(self._symbols)

    def text(self, symbol: str, facts: Mapping[str, str], *key: object) -> str:
        """One expansion of ``symbol``; it depends on the facts and ``key`` alone."""
        draws = count()
        return self._expand(choice(self._symbols[symbol], *key), facts, key, draws)

    def texts(self, symbol: str, number: int, facts: Mapping[str, str], *key: object) -> list[str]:
        """Expansions of at most ``number`` different templates of ``symbol``."""
        templates = self._symbols[symbol]
        chosen: dict[int, None] = {}
        tries = count()
        while len(chosen) < min(number, len(templates)):
            chosen[below(len(templates), *key, "pick", next(tries))] = None
        return [self._expand(templates[place], facts, (*key, place), count()) for place in chosen]

    def _expand(
        self,
        template: _Template,
        facts: Mapping[str, str],
        key: Sequence[object],
        draws: count[int],
    ) -> str:
        out: list[str] = []
        for part in template:
            if isinstance(part, str):
                out.append(part)
            elif isinstance(part, _Fact):
                out.append(facts[part.name])
            elif isinstance(part, _Number):
                out.append(str(between(part.low, part.high, *key, next(draws))))
            else:
                options = self._symbols[part.name] if isinstance(part, _Symbol) else part.options
                chosen = choice(options, *key, next(draws))
                out.append(self._expand(chosen, facts, key, draws))
        return "".join(out)

    def _check(self, template: _Template) -> None:
        for part in template:
            if isinstance(part, _Symbol) and part.name not in self._symbols:
                raise ValueError(f"a template names the unknown symbol #{part.name}#")
            if isinstance(part, _Options):
                for option in part.options:
                    self._check(option)


def _parse(text: str) -> _Template:
    parts: list[_Part] = []
    end = 0
    for match in _TOKEN.finditer(text):
        parts.extend(_literal(text[end : match.start()], text))
        symbol, low, high, fact, options = match.groups()
        if symbol is not None:
            parts.append(_Symbol(symbol))
        elif low is not None:
            parts.append(_Number(int(low), int(high)))
        elif fact is not None:
            parts.append(_Fact(fact))
        else:
            parts.append(_Options(tuple(_parse(option) for option in options.split("|"))))
        end = match.end()
    return (*parts, *_literal(text[end:], text))


def _literal(piece: str, text: str) -> tuple[str, ...]:
    if _LEFT_OVER.search(piece):
        raise ValueError(f"a stray bracket or # in the template {text!r}")
    return (piece,) if piece else ()
