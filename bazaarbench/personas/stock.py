"""What an agent owns at tick 0 and what it owned before (SPEC §3.3, A §2.4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from bazaarbench.catalogue import Item
from bazaarbench.market.bands import BAND_RANGE, CONDITION_BAND
from bazaarbench.market.draws import below, between, chance, choice
from bazaarbench.personas.clusters import LIFETIME_DAYS, Cluster, Shelves

Quality = Literal["good", "spread"]

#: Permille of the agents with two interchangeable units among their own.
TWIN_PERMILLE = 200
#: Chances, in permille, that a further unit is of the anchor's brand and category, or at least of
#: its category; the others are whatever else a household sells.
_SAME_BRAND_PERMILLE = 350
_SAME_CATEGORY_PERMILLE = 650
HISTORY_ITEMS = 6
_COST_PERMILLE = (350, 720)
_LEAST_COST_CENTS = 50
#: How often a condition is met when qualities are spread, in permille.
_CONDITION_PERMILLE = (
    ("new", 100),
    ("like_new", 250),
    ("good", 350),
    ("fair", 200),
    ("poor", 100),
)


@dataclass(frozen=True, slots=True)
class UnitPlan:
    """A unit that an agent starts with: its item, true quality (percent) and cost (cents)."""

    item: Item
    condition: str
    quality_pct: int
    cost_cents: int

    @property
    def asking_cents(self) -> int:
        """What the owner asks at first: the catalogue price."""
        return self.item.price_cents


@dataclass(frozen=True, slots=True)
class Stock:
    """An agent's items: the cluster they come from, what it has and what it has had."""

    cluster: Cluster
    anchor: Item
    lifetime_days: int
    units: tuple[UnitPlan, ...]
    history: tuple[Item, ...]


def draw_stock(
    shelves: Shelves, seed: int, agent_id: int, *, units: tuple[int, int], quality: Quality
) -> Stock:
    """The stock of one agent; ``units`` are the least and the most units that it may have."""
    key = ("stock", seed, agent_id)
    anchor = shelves.anchor(agent_id, *key, "anchor")
    cluster = shelves.cluster_of[anchor.item_id]
    size = between(*units, *key, "size")
    drawn = _different_items(shelves, anchor, size + HISTORY_ITEMS, key)
    owned, history = drawn[:size], drawn[size:]
    if size >= 2 and chance(TWIN_PERMILLE, *key, "twin"):
        owned[-1] = owned[below(size - 1, *key, "twin of")]
    return Stock(
        cluster=cluster,
        anchor=anchor,
        lifetime_days=between(*LIFETIME_DAYS[cluster.tier], *key, "lifetime"),
        units=tuple(_unit(item, quality, (*key, place)) for place, item in enumerate(owned)),
        history=tuple(history),
    )


def _different_items(
    shelves: Shelves, anchor: Item, number: int, key: tuple[object, ...]
) -> list[Item]:
    """The anchor and further items, no two with the same title."""
    items = {anchor.title: anchor}
    attempt = 0
    while len(items) < number:
        attempt += 1
        shelf = _shelf(shelves, anchor, below(1000, *key, "shelf", attempt))
        item = choice(shelf, *key, "item", attempt)
        items.setdefault(item.title, item)
    return list(items.values())


def _shelf(shelves: Shelves, anchor: Item, draw: int) -> Sequence[Item]:
    if draw < _SAME_BRAND_PERMILLE:
        return shelves.by_brand[anchor.category, anchor.brand]
    if draw < _SAME_CATEGORY_PERMILLE:
        return shelves.by_category[anchor.category]
    return shelves.items


def _unit(item: Item, quality: Quality, key: tuple[object, ...]) -> UnitPlan:
    condition = "good" if quality == "good" else _condition(below(1000, *key, "condition"))
    low, high = BAND_RANGE[CONDITION_BAND[condition]]
    cost = item.price_cents * between(*_COST_PERMILLE, *key, "cost") // 1000
    return UnitPlan(
        item=item,
        condition=condition,
        quality_pct=between(low, high, *key, "quality"),
        cost_cents=max(_LEAST_COST_CENTS, cost),
    )


def _condition(draw: int) -> str:
    for condition, permille in _CONDITION_PERMILLE:
        if draw < permille:
            return condition
        draw -= permille
    raise AssertionError("the shares of the conditions do not add up to 1000")
