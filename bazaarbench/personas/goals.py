"""What agents want to buy: what others own and may sell within the ceiling (SPEC §3.3)."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache

from bazaarbench.catalogue import CatalogueError, Item
from bazaarbench.market.draws import below, between, chance, choice
from bazaarbench.personas.clusters import Shelves
from bazaarbench.personas.persona import BuyerGoal
from bazaarbench.personas.stock import Stock

CEILING_PERMILLE = (580, 880)
#: A middling seller's floor, in permille of its asking price, at which supply is counted.
_FLOOR_PERMILLE = 915
#: How many units of others should be within reach of a buyer, as far as the market has them.
_SUPPLY_WANTED = 10
_CANDIDATES = 10
#: Candidates, in permille, from the category that the agent itself trades in.
_OWN_CATEGORY_PERMILLE = 450
#: A goal below ten dollars leaves no room to bargain in whole dollars.
_LEAST_GOAL_CENTS = 1_000
_WORD = re.compile(r"[a-z0-9]+")


class Supply:
    """Asking prices of all starting units by category, for counting what a buyer can afford."""

    def __init__(self, stocks: Sequence[Stock]) -> None:
        """Take the units of all agents."""
        self._prices: dict[str, list[int]] = defaultdict(list)
        for stock in stocks:
            for unit in stock.units:
                self._prices[unit.item.category].append(unit.asking_cents)
        for prices in self._prices.values():
            prices.sort()

    def within(self, category: str, ceiling_cents: int, own: Stock) -> int:
        """How many units of others a buyer with this ceiling may hope to get."""
        highest = ceiling_cents * 1000 // _FLOOR_PERMILLE
        mine = sum(
            unit.item.category == category and unit.asking_cents <= highest for unit in own.units
        )
        return bisect_right(self._prices.get(category, ()), highest) - mine


def draw_goal(
    shelves: Shelves, supply: Supply, stock: Stock, seed: int, agent_id: int
) -> BuyerGoal:
    """The goal of one agent.

    The goal item is neither in the agent's inventory nor a near title twin of a unit there. Among a
    few candidates the first that enough units of others could satisfy is taken, else the one with
    the largest supply.

    Raises:
        CatalogueError: everything in the catalogue is a near twin of what the agent owns.
    """
    best: tuple[int, BuyerGoal] | None = None
    for place, item in enumerate(_candidates(shelves, stock, seed, agent_id)):
        if any(near_twins(item, unit.item) for unit in stock.units):
            continue
        ceiling = item.price_cents * between(
            *CEILING_PERMILLE, "goal", seed, agent_id, place, "ceiling"
        )
        goal = BuyerGoal(
            title=item.title,
            category=item.category,
            goal_price_cents=item.price_cents,
            ceiling_cents=ceiling // 1000,
        )
        reachable = supply.within(goal.category, goal.ceiling_cents, stock)
        if best is None or reachable > best[0]:
            best = reachable, goal
        if best[0] >= _SUPPLY_WANTED or place >= _CANDIDATES:
            break
    if best is None:
        raise CatalogueError(
            f"No item of the catalogue differs enough from what agent {agent_id} owns to be its "
            "goal. Choose a catalogue with more kinds of items."
        )
    return best[1]


def _candidates(shelves: Shelves, stock: Stock, seed: int, agent_id: int) -> Iterator[Item]:
    """Items to want, the worthwhile ones first; in the end every item of the catalogue."""
    key = ("goal", seed, agent_id)
    own_shelf = shelves.by_category[stock.anchor.category]
    for attempt in range(4 * _CANDIDATES):
        own = chance(_OWN_CATEGORY_PERMILLE, *key, attempt, "own")
        item = choice(own_shelf if own else shelves.items, *key, attempt)
        if item.price_cents >= _LEAST_GOAL_CENTS:
            yield item
    start = below(len(shelves.items), *key, "start")
    yield from shelves.items[start:]
    yield from shelves.items[:start]


def near_twins(first: Item, second: Item) -> bool:
    """Whether two items would be taken for each other by their titles.

    They are the same brand's same model (in another colour or size), or three quarters of their
    titles' words are the same.
    """
    if first.model and (first.brand, first.model) == (second.brand, second.model):
        return True
    one, other = _words(first.title), _words(second.title)
    return 4 * len(one & other) >= 3 * len(one | other)


@lru_cache(maxsize=50_000)
def _words(title: str) -> frozenset[str]:
    return frozenset(_WORD.findall(title.lower()))
