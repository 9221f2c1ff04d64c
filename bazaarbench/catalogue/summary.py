"""What a catalogue holds, in numbers: prices, categories and makers."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass

from bazaarbench.catalogue.items import Catalogue, Item

#: Ends of the histogram's bars in dollars; they refine the price bands of SPEC §3.2.
_ENDS = (5, 10, 25, 50, 100, 150, 250, 500, 750, 1_000, 2_000)


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices in cents: least, middle (nearest rank), mean (rounded down), ninth decile, most."""

    least: int
    median: int
    mean: int
    p90: int
    most: int


@dataclass(frozen=True, slots=True)
class Summary:
    """The numbers of one catalogue; mappings are in the order in which they are shown.

    ``histogram`` counts items by price in dollars ("25-50" holds $25.00 to $49.99), ``categories``
    and ``makers`` (lower-case) by what they are, the largest first.
    """

    items: int
    digest: str
    rated: int
    titles: int
    prices: Prices
    histogram: dict[str, int]
    categories: dict[str, int]
    makers: dict[str, int]


def summarise(catalogue: Catalogue) -> Summary:
    """Count a catalogue, which has at least one item."""
    items = catalogue.items
    return Summary(
        items=len(items),
        digest=catalogue.digest,
        rated=sum(item.rating_milli is not None for item in items),
        titles=len({item.title for item in items}),
        prices=_prices(sorted(item.price_cents for item in items)),
        histogram=_histogram(items),
        categories=_largest_first(Counter(item.category for item in items)),
        makers=_largest_first(Counter(item.brand.casefold() for item in items)),
    )


def _prices(cents: list[int]) -> Prices:
    def rank(percent: int) -> int:
        return cents[max(0, -(-percent * len(cents) // 100) - 1)]

    return Prices(cents[0], rank(50), sum(cents) // len(cents), rank(90), cents[-1])


def _histogram(items: tuple[Item, ...]) -> dict[str, int]:
    ends = [dollars * 100 for dollars in _ENDS]
    counts = Counter(bisect_right(ends, item.price_cents) for item in items)
    names = [f"{low}-{high}" for low, high in zip((0, *_ENDS), _ENDS, strict=False)]
    return {name: counts[place] for place, name in enumerate([*names, f"{_ENDS[-1]}-plus"])}


def _largest_first(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda entry: (-entry[1], entry[0])))
