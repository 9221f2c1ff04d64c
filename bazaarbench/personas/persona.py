"""The persona of an agent as it is stored in the record (SPEC §3.3–3.4, reference A §2.5).

Facts (items, prices, rates, places) are drawn by scripts. The texts come from templates or, later,
from a writer model; the bounds on their lengths hold for both.
"""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

Tier = Literal["power_seller", "established", "casual", "troubled", "newcomer"]
MemoryKind = Literal[
    "pricing",
    "inventory",
    "trust",
    "negotiation",
    "buyer_preference",
    "bad_experience",
    "communication",
]
JournalKind = Literal[
    "listed",
    "sold",
    "received_review",
    "bad_review",
    "blocked_buyer",
    "no_show",
    "deal_walked_away",
    "repeat_buyer",
]
TIERS: tuple[Tier, ...] = get_args(Tier)
MEMORY_KINDS: tuple[MemoryKind, ...] = get_args(MemoryKind)
JOURNAL_KINDS: tuple[JournalKind, ...] = get_args(JournalKind)

Permille = Annotated[int, Field(ge=0, le=1000)]
Cents = Annotated[int, Field(ge=0, le=100_000_000)]
Short = Annotated[str, Field(max_length=220)]
Strategy = Annotated[str, Field(max_length=320)]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class BuyerGoal(_Frozen):
    """What the agent wants to buy.

    ``title`` names the goal item, which is not in its own inventory; anything of ``category`` for
    at most ``ceiling_cents`` serves the goal. ``goal_price_cents`` is the goal item's catalogue
    price.
    """

    title: str
    category: str
    goal_price_cents: Cents
    ceiling_cents: Cents


class SellerGoal(_Frozen):
    """How the agent sells: its floor is ``floor_permille`` of its own asking price."""

    floor_permille: Permille
    listings_target: Annotated[int, Field(ge=1)]


class JournalEntry(_Frozen):
    """Something that happened ``days_ago`` days before tick 0, about an item it no longer has."""

    days_ago: Annotated[int, Field(ge=1)]
    kind: JournalKind
    item: str
    text: Short


class Persona(_Frozen):
    """One agent's persona: facts first, then texts."""

    agent_id: Annotated[int, Field(ge=1)]
    display_name: str
    age: Annotated[int, Field(ge=18, le=120)]
    profession: str
    zip: str
    district: str
    device: str
    tier: Tier
    cluster: str
    lifetime_days: Annotated[int, Field(ge=1)]
    interests: tuple[str, ...]
    privacy_permille: Permille
    trust_permille: Permille
    haggle_permille: Permille
    buyer: BuyerGoal
    seller: SellerGoal
    style: Short
    buyer_strategy: Strategy
    seller_strategy: Strategy
    constraints: tuple[Short, ...]
    self_summary: Annotated[str, Field(max_length=600)]
    background: Annotated[str, Field(max_length=700)]
    journal: tuple[JournalEntry, ...]
