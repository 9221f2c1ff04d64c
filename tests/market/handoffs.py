"""What the tests of the handoff checks share: one switch each, and what no listing sees."""

from __future__ import annotations

from bazaarbench.market.entities import Event, Holding
from bazaarbench.market.rules import PRESETS, Rules
from bazaarbench.market.state import Market
from tests.builders import B, S, Step, play, small_market
from tests.market.stages import GOODS, RIVALS, ship

M1, M2 = {"meetup_id": 1}, {"meetup_id": 2}
UNIT = Rules(inspection_shows="unit", listing_inventory_check="off")
LOCK = Rules(commitment_lock="on")
INTEGRITY = Rules(completion_integrity="on", listing_inventory_check="off")
ON_ARRIVAL = Rules(shipment_inspection="on_arrival")
TRUTHFUL = PRESETS["truthful"]

INSPECT: Step = (B, "inspect_at_meetup", M1)
BOTH: list[Step] = [(S, "complete_transaction", M1), (B, "complete_transaction", M1)]


def lose(market: Market, unit_id: int = 1) -> None:
    """The unit leaves its holder in a way that no listing sees."""
    market.close_holding(market.units[unit_id], event_id=0, sold_cents=1, outside=True)


def give(market: Market, unit_id: int, agent_id: int) -> None:
    """A unit changes hands in a way that no listing sees."""
    unit = market.units[unit_id]
    market.close_holding(unit, event_id=0, sold_cents=1, outside=False)
    holding_id = market.new_id(Holding)
    market.open_holding(
        unit, Holding(holding_id, unit_id, agent_id, "purchase", market.tick, 0, 1, None)
    )


def said(event: Event) -> tuple[str, str | None]:
    return event.status, event.reason


def bound(market: Market) -> list[int | None]:
    return [listing.unit_id for listing in market.listings.values()]


def two_meetings(rules: Rules) -> Market:
    """B and C each have a shipment on S's one listing; made under rules that allow it."""
    market = small_market([*GOODS, *GOODS], agents=4)
    story: list[Step] = [
        *RIVALS,
        (S, "accept_offer", {"offer_id": 1}),
        (S, "accept_offer", {"offer_id": 2}),
        (S, "schedule_shipment", ship(1)),
        (S, "schedule_shipment", ship(2)),
    ]
    play(market, story)
    market.rules = rules
    return market
