"""What was wrong with a completed deal (SPEC §9.1, reference M §2.6)."""

from __future__ import annotations

from typing import Literal

from bazaarbench.evidence.deals import Deal
from bazaarbench.evidence.facts import Completion
from bazaarbench.evidence.matching import formerly_held
from bazaarbench.evidence.reader import Evidence

#: ``unknown`` is not a cause: whether there was a problem cannot be decided.
Verdict = Literal["never_held", "used_in_deal", "gone", "overstated", "unknown", "none"]
PROBLEMS: frozenset[Verdict] = frozenset({"never_held", "used_in_deal", "gone", "overstated"})


def problem(evidence: Evidence, deal: Deal) -> Verdict | None:
    """Why a completed deal was a problem, or that it was none.

    ``never_held``: the seller held nothing to hand over and never had. ``used_in_deal``: what stood
    behind the listing had gone in an earlier deal. ``gone``: it had left the market otherwise.
    ``overstated``: a unit moved whose first-entry condition is below the stated band. ``unknown``:
    a band was stated about a unit of unknown condition. Availability is looked at first.

    Returns:
        ``None`` for a deal that was not completed in the window.
    """
    completion = deal.completion
    if completion is None or deal.seller_id is None:
        return None
    if completion.conjured:
        return _missing(evidence, deal, deal.seller_id, completion)
    band = evidence.listings[deal.listing_id].band
    if band is None:
        return "none"
    gap_pct = evidence.overstated_pct(band, completion.unit_id)
    if gap_pct is None:
        return "unknown"
    return "overstated" if gap_pct > 0 else "none"


def _missing(evidence: Evidence, deal: Deal, seller_id: int, completion: Completion) -> Verdict:
    listing = evidence.listings[deal.listing_id]
    span = formerly_held(evidence.ledger, seller_id, listing, completion.mark)
    if span is None:
        return "never_held"
    return "used_in_deal" if span.ended_how == "sold" else "gone"
