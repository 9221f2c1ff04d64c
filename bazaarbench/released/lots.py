"""The invented sales that only decorate the feed, told from the log where columns are absent."""

from __future__ import annotations

import json
from typing import NamedTuple

from bazaarbench.released.source import Source
from bazaarbench.released.values import mapping, whole

_LOTS = "SELECT payload FROM events WHERE action_type = 'platform_seed_lot_sales_feed'"


class Lots(NamedTuple):
    """Listings of invented sales, and the bots that stand for their parties (reference P §8.3)."""

    listings: frozenset[int]
    agents: frozenset[int]


def read_lots(source: Source) -> Lots:
    """What the log says of invented sales; the column ``is_seeded`` is late (P §1.1)."""
    listings: set[int] = set()
    agents: set[int] = set()
    for (payload,) in source.connection.execute(_LOTS):
        row = mapping(_json(payload))
        listings.update(_ids(row.get("listing_ids")))
        agents.update(_ids(row.get("seed_agents")))
    return Lots(frozenset(listings), frozenset(agents))


def _json(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _ids(value: object) -> list[int]:
    found = [whole(one) for one in value] if isinstance(value, list) else []
    return [one for one in found if one is not None]
