"""The recommendations of every agent, recomputed from time to time (reference P §8.5)."""

from __future__ import annotations

from bazaarbench.market.entities import Feed
from bazaarbench.market.state import Market

#: How many listings a feed holds.
FEED_SIZE = 10


def refresh(market: Market) -> None:
    """Give every active agent its ten best listings as they stand now.

    Candidates are active listings of others whose owner is not banned; the best are near and fresh
    (``grid.py``). Logs one event with counts only: the ids are in the table of feeds.
    """
    banned = {agent.agent_id for agent in market.agents.values() if agent.status == "banned"}
    feeds = 0
    for agent_id, agent in market.agents.items():
        if agent_id in banned:
            continue
        listing_ids = market.grid.best(
            agent.x_m, agent.y_m, tick=market.tick, k=FEED_SIZE, without={agent_id, *banned}
        )
        market.add(Feed(agent_id, market.tick, f"[{','.join(map(str, listing_ids))}]"))
        feeds += 1
    market.log(
        "platform_feed_refresh",
        {"feeds": feeds, "active_listings": len(market.active_listings), "k": FEED_SIZE},
    )
