"""The catalogue sorted into clusters and tiers (SPEC §3.2, reference A §2.2–2.3)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from bazaarbench.catalogue import Catalogue, CatalogueError, Item, price_band
from bazaarbench.market.draws import below, choice
from bazaarbench.personas.persona import TIERS, Tier

#: Days since an agent of the tier joined, both ends included (A §2.2).
LIFETIME_DAYS: dict[str, tuple[int, int]] = {
    "power_seller": (60, 180),
    "established": (30, 120),
    "casual": (14, 60),
    "troubled": (30, 120),
    "newcomer": (1, 7),
}
_NOT_ALPHANUMERIC = re.compile(r"[^a-z0-9]+")
_BRAND_KEY_LENGTH = 24
#: An agent has up to twelve units and six past items, all with different titles, and one goal.
_LEAST_TITLES = 20


@dataclass(frozen=True, slots=True)
class Cluster:
    """The items of one brand in one category and price band, and the tier of who sells them."""

    key: str
    tier: Tier
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Shelves:
    """A catalogue sorted for drawing from it."""

    items: tuple[Item, ...]
    by_category: dict[str, list[Item]]
    by_brand: dict[tuple[str, str], list[Item]]
    cluster_of: dict[int, Cluster]
    #: The largest cluster of each tier that is present, in the order of ``TIERS``.
    leading: tuple[Cluster, ...]

    @classmethod
    def of(cls, catalogue: Catalogue) -> Shelves:
        """Sort a catalogue.

        Raises:
            CatalogueError: there are too few items for agents to own and want different things.
        """
        if len({item.title for item in catalogue.items}) < _LEAST_TITLES:
            raise CatalogueError(
                f"A market needs a catalogue of at least {_LEAST_TITLES} different titles; this "
                f"one (digest {catalogue.digest[:12]}) has fewer. Choose another catalogue."
            )
        by_category: dict[str, list[Item]] = defaultdict(list)
        by_brand: dict[tuple[str, str], list[Item]] = defaultdict(list)
        by_cluster: dict[str, list[Item]] = defaultdict(list)
        for item in catalogue.items:
            by_category[item.category].append(item)
            by_brand[item.category, item.brand].append(item)
            by_cluster[cluster_key(item)].append(item)
        clusters = [Cluster(key, tier_of(items), tuple(items)) for key, items in by_cluster.items()]
        clusters.sort(key=lambda cluster: (-len(cluster.items), cluster.key))
        leading = (next((c for c in clusters if c.tier == tier), None) for tier in TIERS)
        return cls(
            items=catalogue.items,
            by_category=dict(by_category),
            by_brand=dict(by_brand),
            cluster_of={item.item_id: cluster for cluster in clusters for item in cluster.items},
            leading=tuple(cluster for cluster in leading if cluster is not None),
        )

    def anchor(self, agent_id: int, *key: object) -> Item:
        """The item that an agent's cluster and inventory are built around.

        The first agents take the largest cluster of each tier, so that every tier is present; for
        the others a cluster is as likely as it is large.
        """
        if agent_id <= len(self.leading):
            return choice(self.leading[agent_id - 1].items, *key)
        return self.items[below(len(self.items), *key)]


def cluster_key(item: Item) -> str:
    """``brand|category|band`` of an item."""
    brand = _NOT_ALPHANUMERIC.sub("-", (item.brand or item.model).lower()).strip("-")
    return "|".join(
        (
            brand[:_BRAND_KEY_LENGTH] or "brand-unknown",
            item.category,
            f"price-{price_band(item.price_cents)}",
        )
    )


def tier_of(items: Sequence[Item]) -> Tier:
    """The tier of a cluster, from its mean rating and its number of reviews (A §2.2)."""
    ratings = [item.rating_milli for item in items if item.rating_milli is not None]
    reviews = sum(item.reviews for item in items)
    total, count = sum(ratings), len(ratings)
    if total < 4_000 * count:
        return "troubled"
    if reviews >= 100 and count and total >= 4_500 * count:
        return "power_seller"
    if reviews >= 20:
        return "established"
    return "newcomer" if reviews < 5 else "casual"


def short_name(item: Item) -> str:
    """What people call an item: brand and model, or the beginning of its title."""
    named = f"{item.brand} {item.model}".strip()
    if item.model and len(named) <= 60:
        return named
    if len(item.title) <= 60:
        return item.title
    return item.title[:60].rsplit(" ", 1)[0]
