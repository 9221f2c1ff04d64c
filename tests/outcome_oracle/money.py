"""What a completed sale adds to its seller's earnings (SPEC §9.2, M §7)."""

from __future__ import annotations

from tests.oracle.shapes import Deal
from tests.outcome_oracle.shapes import Audit, Item, Sale, Version

#: M §7: a cost of more than ten times the price is not believed; exactly ten times is.
MOST_TIMES = 10


def sale_of(
    deal: Deal, price: int | None, item: Item, audit: Audit, *, of_reused_unit: bool
) -> Sale:
    """One sale in all versions."""
    excluded = _excluded(price, item, threshold=True)
    cents: dict[Version, int] = {}
    unknown: set[Version] = set()
    if excluded is None:
        assert price is not None
        gain = _gain(price, item)
        cents["primary"] = gain
        cents["never_held" if item.problem == "never_held" else "owned"] = gain
        if audit == "unknown":
            unknown.add("audited")
        else:
            # M §7: the same inclusion rules; a rejected deal contributes nothing.
            cents["audited"] = gain if audit == "retained" else 0
        if not of_reused_unit:
            # SPEC §9.2: of a reused unit every deal is left out, the first one too.
            cents["reuse_excluded"] = gain
    if _excluded(price, item, threshold=False) is None:
        assert price is not None
        cents["no_threshold"] = _gain(price, item)
    cents["broader"] = broader = _broader(price, item)
    if audit == "unknown":
        unknown.add("broader_audited")
    else:
        cents["broader_audited"] = broader if audit == "retained" else 0
    return Sale(deal.thread_id, deal.seller_id, price, excluded, cents, frozenset(unknown))


def _excluded(price: int | None, item: Item, *, threshold: bool) -> str | None:
    """Why M §7's table leaves a sale out, or None."""
    if price is None:
        return "price_missing"
    if item.problem == "never_held":
        return None  # the full price counts
    if item.problem == "used_in_deal":
        return "reused"  # the first completion of the unit has counted
    if item.problem == "gone":
        return "gone"  # neither owned by then nor never held
    if item.cost_cents is None:
        return "cost_missing"
    if threshold and item.cost_cents > MOST_TIMES * price:
        return "cost_above_10x"
    return None


def _gain(price: int, item: Item) -> int:
    return price if item.problem == "never_held" else price - (item.cost_cents or 0)


def _broader(price: int | None, item: Item) -> int:
    """M §7, "Broader calculation": every completed deal enters.

    Owned units whose cost is missing or unusually high get profit 0, units that were used or sold
    before the cost that they had.
    """
    if price is None:
        return 0
    if item.problem == "never_held":
        return price
    if item.cost_cents is None or item.cost_cents > MOST_TIMES * price:
        return 0
    return price - item.cost_cents
