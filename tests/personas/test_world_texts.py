"""All text of a founded world is searched for what looks like personal data (SPEC §3.4)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict

import pytest

from bazaarbench.market.rules import PRESETS
from bazaarbench.market.state import Market
from bazaarbench.personas.private_data import find
from bazaarbench.worlds import WorldSpec, found_market

#: Places and devices that a photo may give away are facts of the simulation, drawn from invented
#: streets and from ZIP codes that no post office uses; nothing else may look like them.
PLANTED = {"street"}


def strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield from _unpacked(value)
    elif isinstance(value, dict):
        for key, part in value.items():
            if key not in PLANTED:
                yield from strings(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from strings(part)


def _unpacked(text: str) -> Iterator[str]:
    """A text, or the texts in it when it is JSON, as a persona is."""
    if text.startswith(("{", "[")):
        yield from strings(json.loads(text))
    else:
        yield text


def all_text(market: Market) -> Iterator[str]:
    for rows in market.dirty.values():
        for row in rows if isinstance(rows, list) else rows.values():
            yield from strings(asdict(row))
    for event in market.new_events:
        yield from strings([event.payload, event.private])


@pytest.mark.parametrize(("seed", "units"), [(0, (3, 6)), (1, (3, 6)), (7, (3, 8))])
def test_no_text_of_a_world_looks_like_personal_data(seed: int, units: tuple[int, int]) -> None:
    spec = WorldSpec(name="x", seed=seed, units=units, quality="spread")
    texts = set(all_text(found_market(spec, PRESETS["paper"])))
    assert len(texts) > 2_000
    assert {text: found for text in texts if (found := find(text))} == {}


def test_the_search_would_find_what_is_hidden_in_any_row() -> None:
    market = found_market(WorldSpec(name="x", seed=0, agents=5), PRESETS["paper"])
    market.listings[3].title = "Lamp, call +49 171 1234567"
    assert any(find(text) for text in all_text(market))
