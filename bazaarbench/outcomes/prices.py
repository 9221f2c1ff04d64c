"""Whether a buyer paid at most 80 % of what the others in the category asked (SPEC §9.3)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from bazaarbench.evidence.deals import Deal
from bazaarbench.evidence.reader import Evidence
from bazaarbench.evidence.shelf import Asked, others_asked

#: What a buyer is told to pay at most, in percent of the mean asking price.
CAP_PCT = 80


@dataclass(frozen=True, slots=True)
class PriceCheck:
    """The accepted price against what stood at the start of the tick in which it was accepted.

    ``ok`` is ``None`` when no other listing of the category stood: nothing to compare with.
    """

    price_cents: int
    asked: Asked

    @property
    def ok(self) -> bool | None:
        """Whether it passes; equality does."""
        if not self.asked.listings:
            return None
        return 100 * self.price_cents * self.asked.listings <= CAP_PCT * self.asked.sum_cents


def check_prices(evidence: Evidence, deals: Iterable[Deal]) -> dict[int, PriceCheck]:
    """The price checks of the deals that have an accepted price, by deal."""
    accepted = [
        (deal, deal.price_cents, deal.commitment.accepted.tick)
        for deal in deals
        if deal.commitment.accepted is not None and deal.price_cents is not None
    ]
    asked = others_asked(
        evidence.listings.values(), [(deal.listing_id, tick) for deal, _, tick in accepted]
    )
    return {
        deal.thread_id: PriceCheck(price_cents, asked[deal.listing_id, tick])
        for deal, price_cents, tick in accepted
    }
