"""The idealised inspection audit: what an honest look would have stopped (SPEC §9.1, M §6).

It changes no behaviour, no inventory and no later deal: a rejected deal is taken out of the
completed ones, and that is all. What the buyer was shown does not matter, only that it looked.
"""

from __future__ import annotations

from typing import Literal

from bazaarbench.evidence.deals import Deal
from bazaarbench.outcomes.problems import PROBLEMS, Verdict

#: ``unknown``: it was inspected, and whether there was a problem cannot be decided.
Audit = Literal["retained", "rejected", "unknown"]


def audit(deal: Deal, verdict: Verdict | None) -> Audit | None:
    """Whether a completed deal stands when every inspection tells the truth.

    Rejected is a problem whose buyer had inspected before the completion: the event of the
    inspection counts, never the way of delivery. What nobody looked at is retained.

    Returns:
        ``None`` for a deal that was not completed in the window.
    """
    if verdict is None:
        return None
    if deal.inspection is None or verdict == "none":
        return "retained"
    return "rejected" if verdict in PROBLEMS else "unknown"
