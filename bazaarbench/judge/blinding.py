"""Blinding: a bundle as a judge sees it who is not to know the run, the model or the condition.

Ids, ticks and agents get labels that are drawn for each bundle by a key, the same outside and
inside of texts; names and handles become the agents' labels; what tells the run is masked, and
echoes of the instructions are taken out (SPEC §8.2). The same bundle and key always give the same.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from bazaarbench.failures.base import Bundle, Hidden, Source
from bazaarbench.judge.blinding_labels import (
    AGENT,
    EVENT,
    TURN,
    Identity,
    Labels,
    space_of_source,
)
from bazaarbench.judge.blinding_texts import TextBlinder
from bazaarbench.judge.kinds import INTERVAL, SUMMARY, WINDOW
from bazaarbench.market.draws import draw

#: Keys of lists that hold ticks.
_TICK_LISTS = frozenset({WINDOW, INTERVAL})
#: Keys of ids that are not called by what they are ids of.
_SPACE_OF_KEY = {
    "buyer_id": AGENT,
    "seller_id": AGENT,
    "owner_id": AGENT,
    "author_id": AGENT,
    "target_id": AGENT,
    "meetup_id": "exchange",
    "counter_to": "offer",
}
#: Recorded reasoning: what only the platform reads.
_PRIVATE = frozenset({"note", "reasoning"})
#: Hashes of true ids.
_LEFT_OUT = frozenset({"content_hash", "handoff_token"})
#: Maps whose keys are written by agents.
_WRITTEN_KEYS = frozenset({"terms"})
#: The ticks after the start at which the shipped deadlines end (SPEC §5.3).
_DEADLINE_TICKS = (36, 60)


class Back(Protocol):
    """The way back from what is shown to what is true."""

    def source(self, kind: str, source_id: int) -> tuple[str, int]:
        """Kind and true id of a source."""
        ...

    def tick(self, tick: int) -> int:
        """The true tick."""
        ...

    def agent(self, agent_id: int) -> int:
        """The true agent id."""
        ...


@dataclass(frozen=True, slots=True)
class Shown:
    """A bundle as a judge is shown it, and the way back."""

    bundle: Bundle
    back: Back
    blind: bool


def unblinded(bundle: Bundle, *, cell: str) -> Shown:
    """The study's way: everything as it is, with the name of the cell on it."""
    content = {**bundle.content, "cell": cell}
    return Shown(replace(bundle, content=content, hidden=Hidden()), Identity(), blind=False)


def blind(bundle: Bundle, *, key: bytes | str) -> Shown:
    """A bundle without what tells where it is from.

    Args:
        bundle: as it is.
        key: what the labels are drawn by; whoever knows it can draw them again.
    """
    secret = key.hex() if isinstance(key, bytes) else key
    own_key = f"{secret}|{bundle.bundle_id}"
    found = _Found.of(bundle)
    labels = Labels.of(own_key, found.ids, found.ticks)
    start = bundle.content.get(WINDOW, [1])[0] - 1
    texts = TextBlinder(
        labels=labels,
        hidden=bundle.hidden,
        parties=frozenset(found.ids[AGENT]),
        prices=frozenset(found.prices),
        deadlines=tuple(start + ticks for ticks in _DEADLINE_TICKS),
    )
    content = _Rewriter(labels, texts).mapping(bundle.content)
    shown = Bundle(
        bundle_id=f"case-{draw(own_key, 'case'):016x}",
        actor_id=labels.id(AGENT, bundle.actor_id),
        targets=bundle.targets,
        highest=bundle.highest,
        sources=tuple(_relabelled(labels, source) for source in bundle.sources),
        content=content,
    )
    return Shown(shown, labels.back(), blind=True)


def _relabelled(labels: Labels, source: Source) -> Source:
    author = source.author_id
    return Source(
        kind=source.kind,
        source_id=labels.id(space_of_source(source.kind), source.source_id),
        ticks=tuple(labels.tick(tick) for tick in source.ticks),
        author_id=None if author is None else labels.id(AGENT, author),
    )


@dataclass(frozen=True, slots=True)
class _Found:
    """The ids, ticks and prices of a bundle."""

    ids: dict[str, set[int]]
    ticks: set[int]
    prices: set[int]

    @classmethod
    def of(cls, bundle: Bundle) -> _Found:
        found = cls(defaultdict(set), set(), set())
        found.ids[AGENT].add(bundle.actor_id)
        for source in bundle.sources:
            found.ids[space_of_source(source.kind)].add(source.source_id)
            found.ticks.update(source.ticks)
            if source.author_id is not None:
                found.ids[AGENT].add(source.author_id)
        for holder, key, value in _numbers(bundle.content):
            space = _space(holder, key)
            if space is not None:
                found.ids[space].add(value)
            elif _is_tick(key):
                found.ticks.add(value)
            elif key.endswith("_cents"):
                found.prices.add(value)
        return found


def _numbers(holder: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], str, int]]:
    """All whole numbers of a content, with the map and the key under which they stand."""
    for key, value in holder.items():
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, Mapping):
                yield from _numbers(one)
            elif isinstance(one, int) and not isinstance(one, bool):
                yield holder, key, one


def _is_tick(key: str) -> bool:
    return key == "tick" or key.endswith("_tick") or key in _TICK_LISTS


def _space(holder: Mapping[str, Any], key: str) -> str | None:
    """Of what the number under a key is an id; ``None`` when it is none."""
    if key == "id":
        return TURN if holder.get("kind") == SUMMARY else EVENT
    name = key.removesuffix("s")
    if name in _SPACE_OF_KEY:
        return _SPACE_OF_KEY[name]
    if not name.endswith("_id"):
        return None
    words = name.removesuffix("_id").split("_")
    return words[-1]


class _Rewriter:
    """Rewrites the content of one bundle."""

    def __init__(self, labels: Labels, texts: TextBlinder) -> None:
        self.labels = labels
        self.texts = texts

    def mapping(self, holder: Mapping[str, Any], *, written: bool = False) -> dict[str, Any]:
        return {
            self.texts(key) if written else key: self._value(holder, key, value)
            for key, value in holder.items()
            if key not in _LEFT_OUT
        }

    def _value(self, holder: Mapping[str, Any], key: str, value: Any) -> Any:
        if isinstance(value, Mapping):
            return self.mapping(value, written=key in _WRITTEN_KEYS)
        if isinstance(value, list):
            return [self._value(holder, key, one) for one in value]
        if isinstance(value, str):
            return self.texts(value, private=key in _PRIVATE)
        if isinstance(value, int) and not isinstance(value, bool):
            return self._number(holder, key, value)
        return value

    def _number(self, holder: Mapping[str, Any], key: str, value: int) -> int:
        space = _space(holder, key)
        if space is not None:
            return self.labels.id(space, value)
        return self.labels.tick(value) if _is_tick(key) else value
