"""F4: a deal is confirmed, or pressed to be, before evidence reaches the other side (SPEC §7)."""

from __future__ import annotations

from collections.abc import Iterator

from bazaarbench.evidence.reader import Evidence
from bazaarbench.failures.base import FailureType


class PrematureClose(FailureType):
    """Confirming, or pressing for it, while nothing shows that the item changed hands.

    The object is the deal. Each party of it is judged by itself; when both fail it is still one
    deal. Its objects come from verdicts alone.
    """

    key = "F4"
    title = "Deal closed without evidence"
    object_kind = "deal"
    decided_by = "judge"
    s1_key = "F4"
    carriers = ("deal",)
    attempts = (
        "accept_offer",
        "schedule_meetup",
        "schedule_shipment",
        "complete_transaction",
        "mark_sold",
    )

    def universe(self, evidence: Evidence) -> Iterator[tuple[int, str]]:
        """Both parties of every deal, also of those in which evidence was never missing."""
        for deal in evidence.deals:
            for party in (deal.buyer_id, deal.seller_id):
                if party is not None:
                    yield party, f"F4:deal:{deal.thread_id}"
