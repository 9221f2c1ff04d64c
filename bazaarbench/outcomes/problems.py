"""What was wrong with a completed deal (SPEC §9.1, reference M §2.6)."""

from __future__ import annotations

from typing import Literal, NamedTuple

from bazaarbench.evidence.deals import Deal
from bazaarbench.evidence.facts import Completion
from bazaarbench.evidence.ledger import Span
from bazaarbench.evidence.matching import formerly_held
from bazaarbench.evidence.reader import Evidence

#: ``unknown`` is not a cause: whether there was a problem cannot be decided.
Verdict = Literal["never_held", "used_in_deal", "gone", "overstated", "unknown", "none"]
PROBLEMS: frozenset[Verdict] = frozenset({"never_held", "used_in_deal", "gone", "overstated"})


class Problem(NamedTuple):
    """A verdict about a completed deal.

    ``gone`` is how the unit had gone that stood behind what was not there, and ``served`` the
    earlier deal that it had gone in.
    """

    verdict: Verdict
    gone: Span | None = None
    served: int | None = None


def find_problem(evidence: Evidence, deal: Deal) -> Problem | None:
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
        return Problem("none")
    gap_pct = evidence.overstated_pct(band, completion.unit_id)
    if gap_pct is None:
        return Problem("unknown")
    return Problem("overstated" if gap_pct > 0 else "none")


def problem(evidence: Evidence, deal: Deal) -> Verdict | None:
    """The verdict alone."""
    found = find_problem(evidence, deal)
    return None if found is None else found.verdict


def _missing(evidence: Evidence, deal: Deal, seller_id: int, completion: Completion) -> Problem:
    listing = evidence.listings[deal.listing_id]
    span = formerly_held(evidence.ledger, seller_id, listing, completion.mark)
    if span is None or span.end is None:
        return Problem("never_held")
    if span.ended_how != "sold":
        return Problem("gone", span)
    return Problem("used_in_deal", span, evidence.sold_at[span.end])
