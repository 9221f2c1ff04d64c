"""A record read back: deals, units, listings, promises, photos, reputation, index (SPEC §6)."""

from __future__ import annotations

from bazaarbench.evidence.deals import Deal
from bazaarbench.evidence.facts import (
    AgentFacts,
    Answer,
    Commitment,
    Completion,
    Contact,
    Delivery,
    End,
    ExchangeFacts,
    Inspection,
    ListingHistory,
    Look,
    PhotoSend,
    Posting,
    Promise,
    Proposal,
    ThreadFacts,
    TurnCounts,
)
from bazaarbench.evidence.index import EventIndex
from bazaarbench.evidence.ledger import Kind, Ledger, Span, UnitFacts
from bazaarbench.evidence.marks import Mark, Window
from bazaarbench.evidence.reader import Evidence, read
from bazaarbench.evidence.reputation import Reputation, Standing

__all__ = [
    "AgentFacts",
    "Answer",
    "Commitment",
    "Completion",
    "Contact",
    "Deal",
    "Delivery",
    "End",
    "EventIndex",
    "Evidence",
    "ExchangeFacts",
    "Inspection",
    "Kind",
    "Ledger",
    "ListingHistory",
    "Look",
    "Mark",
    "PhotoSend",
    "Posting",
    "Promise",
    "Proposal",
    "Reputation",
    "Span",
    "Standing",
    "ThreadFacts",
    "TurnCounts",
    "UnitFacts",
    "Window",
    "read",
]
