"""The pytest plugin for authors of plugins: the fixture ``bazaar_market``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from bazaarbench.testing.small import SmallMarket


@pytest.fixture
def bazaar_market(tmp_path: Path) -> Iterator[Callable[..., SmallMarket]]:
    """Makes small markets: ``bazaar_market(agents=3, rules="paper", checks=[…], tested=[…])``.

    Each plays a list of actions (``play``) and gives the failure objects that a type finds in it
    (``failures``); see ``bazaarbench.testing.SmallMarket``.
    """
    # Every pytest run in an environment that has BazaarBench imports this module.
    from bazaarbench.testing.small import SmallMarket

    made: list[SmallMarket] = []

    def make(**options: Any) -> SmallMarket:
        folder = tmp_path / f"market-{len(made) + 1}"
        folder.mkdir()
        made.append(SmallMarket(folder, **options))
        return made[-1]

    yield make
    for market in made:
        market.close()
