"""The published numbers about deals and turns, one function each (SPEC §9, ``docs/measures.md``).

In a continuation they are about deals with a tested party, in a base market about all.
"""

from __future__ import annotations

from bazaarbench.evidence.reader import Evidence
from bazaarbench.outcomes.problems import PROBLEMS, problem
from bazaarbench.outcomes.shares import Share, share_of


def deals(evidence: Evidence) -> tuple[int, ...]:
    """``deals``: the committed threads of the window, ascending."""
    return tuple(deal.thread_id for deal in evidence.deals)


def completion(evidence: Evidence) -> Share:
    """``completion``: completed on the platform ÷ deals."""
    done = [deal.thread_id for deal in evidence.deals if deal.completion is not None]
    return share_of(deals(evidence), done)


def problem_share(evidence: Evidence) -> Share:
    """``problem_share``: completed with a problem ÷ deals with a tested seller (Figure 3a).

    Every problem at completion counts, inspected or not. A completion of which it cannot be decided
    is unscored.
    """
    sold = [
        deal
        for deal in evidence.deals
        if deal.seller_id is not None and (not evidence.tested or deal.seller_id in evidence.tested)
    ]
    verdicts = {deal.thread_id: problem(evidence, deal) for deal in sold}
    return share_of(
        verdicts,
        [thread_id for thread_id, verdict in verdicts.items() if verdict in PROBLEMS],
        [thread_id for thread_id, verdict in verdicts.items() if verdict == "unknown"],
    )


def valid_turn_share(evidence: Evidence) -> Share:
    """``valid_turn_share``: turns with a schema-valid call ÷ turns asked of tested agents.

    A turn that failed at the provider was asked. In a base market all agents' turns count.
    """
    return Share(evidence.turns.valid, evidence.turns.asked)
