"""What the deals came to (SPEC §9)."""

from __future__ import annotations

from bazaarbench.outcomes.measures import completion, deals, problem_share, valid_turn_share
from bazaarbench.outcomes.problems import PROBLEMS, Verdict, problem
from bazaarbench.outcomes.shares import Members, Share, share_of

__all__ = [
    "PROBLEMS",
    "Members",
    "Share",
    "Verdict",
    "completion",
    "deals",
    "problem",
    "problem_share",
    "share_of",
    "valid_turn_share",
]
