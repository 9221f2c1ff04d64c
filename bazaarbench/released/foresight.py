"""What has to be known about a log before its first row is read."""

from __future__ import annotations

from dataclasses import dataclass

from bazaarbench.released.people import Item
from bazaarbench.released.source import Source

_COMPLETED = """
    SELECT t.buyer_agent_id, t.listing_id, e.tick FROM events e
    JOIN meetups m ON m.meetup_id = json_extract(e.payload, '$.meetup_id')
    JOIN threads t ON t.thread_id = m.thread_id
    WHERE e.action_type = 'complete_transaction' AND e.result_status = 'ok'
        AND json_extract(e.result_payload, '$.completed') = 1"""
_RESTOCKED = """
    SELECT agent_id, tick FROM events
    WHERE action_type = 'platform_inventory_restocked' AND result_status = 'ok'"""
_RETITLED = """
    SELECT DISTINCT json_extract(payload, '$.listing_id') FROM events
    WHERE action_type = 'edit_listing' AND result_status = 'ok'
        AND json_extract(payload, '$.title') IS NOT NULL"""
_REGISTERED = """
    SELECT json_extract(payload, '$.agent_id'), min(event_id) FROM events
    WHERE action_type = 'platform_register_agent' GROUP BY 1"""
_POSTED = """
    SELECT json_extract(payload, '$.listing_id') FROM events
    WHERE action_type IN ('platform_seed_real_listing', 'platform_seed_phantom_listing')
    UNION SELECT json_extract(result_payload, '$.listing_id') FROM events
    WHERE action_type = 'create_listing' AND result_status = 'ok'"""
_SEEDED = """
    SELECT json_extract(payload, '$.owner_agent_id'), min(event_id) FROM events
    WHERE action_type = 'platform_seed_real_listing' GROUP BY 1"""


@dataclass(frozen=True)
class Foresight:
    """Sets of what the log is going to say.

    ``completed`` are (buyer, listing, tick), ``restocked`` are (agent, tick), ``retitled`` are
    listings whose title is edited, ``posted`` are those whose coming up is logged, ``registered``
    are the agents that a row of the log introduces before it seeds anything of theirs.
    """

    completed: frozenset[tuple[int, int, int]]
    restocked: frozenset[tuple[int, int]]
    retitled: frozenset[int]
    posted: frozenset[int]
    registered: frozenset[int]

    def brings(self, item: Item) -> bool:
        """Whether an event of the log brings a bought or restocked item."""
        if item.came_tick is None:
            return False
        if item.lineage == "restock":
            return (item.agent_id, item.came_tick) in self.restocked
        return (item.agent_id, item.bought_via, item.came_tick) in self.completed


def foresee(source: Source) -> Foresight:
    """Look through the log once for the few rows that matter."""
    run = source.connection.execute
    seeded = dict(run(_SEEDED).fetchall())
    return Foresight(
        completed=frozenset(run(_COMPLETED).fetchall()),
        restocked=frozenset(run(_RESTOCKED).fetchall()),
        retitled=frozenset(row[0] for row in run(_RETITLED)),
        posted=frozenset(row[0] for row in run(_POSTED)),
        registered=frozenset(
            agent_id
            for agent_id, event_id in run(_REGISTERED)
            if event_id < seeded.get(agent_id, event_id + 1)
        ),
    )
