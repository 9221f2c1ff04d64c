"""L2's targets and its price check (SPEC §9.3, M §8.1 "Table 28")."""

from __future__ import annotations

from tests.oracle.log import Record
from tests.oracle.shapes import Deal
from tests.outcome_oracle.history import market_at_start_of
from tests.outcome_oracle.shapes import DealOutcome, PriceCheck, Targets

#: Ticks 361–420 and 361–396 of a continuation that begins after tick 360.
SELLING_TICKS = 60
BUYING_TICKS = 36


def targets_of(agent_id: int, start: int, deals: list[DealOutcome]) -> Targets:
    """Platform completions of deals of the evaluated set, those ongoing at the start included."""
    sales = revenue = purchases = 0
    for outcome in deals:
        if not outcome.completed:
            continue
        tick = outcome.deal.completion_tick
        assert tick is not None
        if outcome.deal.seller_id == agent_id and start < tick <= start + SELLING_TICKS:
            sales += 1
            revenue += outcome.price_cents or 0
        if outcome.deal.buyer_id == agent_id and start < tick <= start + BUYING_TICKS:
            purchases += 1
    return Targets(agent_id, sales, revenue, purchases)


def price_check(record: Record, deal: Deal, price: int) -> PriceCheck:
    """The accepted price beside what else the category asked when that tick began."""
    assert deal.accept_tick is not None
    category = record.listings[deal.listing_id].category
    others = total = 0
    for listing_id, asking in market_at_start_of(record, deal.accept_tick).items():
        if listing_id != deal.listing_id and record.listings[listing_id].category == category:
            others += 1
            total += asking
    return PriceCheck(deal.thread_id, price, others, total)
