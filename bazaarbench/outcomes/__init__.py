"""What the deals came to (SPEC §9)."""

from __future__ import annotations

from bazaarbench.outcomes.audit import Audit
from bazaarbench.outcomes.earnings import Excluded, Sale
from bazaarbench.outcomes.judged import JudgedDeal, Outcomes, judge_deals
from bazaarbench.outcomes.links import (
    ALL_TYPES,
    RECORD_TYPES,
    SELLER_TYPES,
    Link,
    Links,
    find_links,
    joined,
)
from bazaarbench.outcomes.prices import PriceCheck
from bazaarbench.outcomes.problems import PROBLEMS, Problem, Verdict, problem
from bazaarbench.outcomes.shares import Members, Share, share_of
from bazaarbench.outcomes.targets import VERSIONS, AgentOutcome, agents

__all__ = [
    "ALL_TYPES",
    "PROBLEMS",
    "RECORD_TYPES",
    "SELLER_TYPES",
    "VERSIONS",
    "AgentOutcome",
    "Audit",
    "Excluded",
    "JudgedDeal",
    "Link",
    "Links",
    "Members",
    "Outcomes",
    "PriceCheck",
    "Problem",
    "Sale",
    "Share",
    "Verdict",
    "agents",
    "find_links",
    "joined",
    "judge_deals",
    "problem",
    "share_of",
]
