"""What the observation says about the rules of a market where they are not the paper's (SPEC §4.4).

The world message describes the market of the paper. A switch that changes what an agent can do, or
what it may rely on, adds a sentence; one that shows in the observation by itself adds none.
"""

from __future__ import annotations

from typing import Any

from bazaarbench.market.entities import Exchange, Listing
from bazaarbench.market.handoff import outcome
from bazaarbench.market.rules import Rules
from bazaarbench.market.state import Market

#: By switch: the value that is told, and in which words.
_SENTENCES: dict[str, tuple[str, str]] = {
    "commitment_lock": (
        "on",
        "An accepted offer reserves its listing: until that deal has ended, no other offer on the "
        "listing can be accepted and no other deal on it scheduled.",
    ),
    "completion_integrity": (
        "on",
        "A deal completes only while its conversation is alive and the seller still holds the item "
        "behind the listing. Leaving a deal calls its appointment off.",
    ),
    "handoff_proof": ("required", "Confirming an exchange needs its handover code."),
    "inspection_shows": (
        "unit",
        "An inspection shows the item itself, or that it is not there, whatever the listing "
        "states. An item stands behind one active listing at a time.",
    ),
    "meetup_inspection": (
        "optional",
        "The buyer of a meetup may confirm without an inspection.",
    ),
    "shipment_inspection": (
        "on_arrival",
        "The buyer of a shipment inspects it with inspect_at_meetup from its arrival on, and can "
        "confirm only after that.",
    ),
}


def told(rules: Rules) -> dict[str, str]:
    """The sentences for these rules by switch, in order; none under the paper's."""
    return {
        switch: sentence
        for switch, (value, sentence) in _SENTENCES.items()
        if getattr(rules, switch) == value
    }


def presented(market: Market, exchange: Exchange, listing: Listing) -> dict[str, Any]:
    """What an inspection of the thing itself has shown beside its percent; ``None`` before it."""
    looked, there = exchange.inspected_tick is not None, exchange.inspected_pct is not None
    unit = None if listing.unit_id is None else market.units[listing.unit_id]
    return {
        "inspection_outcome": outcome(listing, exchange.inspected_pct) if looked else None,
        "presented_title": unit.title if unit is not None and there else None,
    }
