"""What a market consists of: plain slotted dataclasses, one for each table of the record.

Field order is the column order of the record's tables (``schema.py``); a field added here is added
there. Money is integer cents, conditions are integer percent, places are integer metres on the
plane of one metropolitan area, times are ticks. ``None`` always means "not known" or "not (yet)".
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

Status = Literal["ok", "blocked", "error"]
UnitOrigin = Literal["initial", "restock", "conjured"]
ListingOrigin = Literal["agent", "initial", "history", "platform"]
ListingStatus = Literal["active", "sold", "removed", "expired"]
ThreadStatus = Literal["open", "committed", "completed", "cancelled", "ghosted"]
OfferStatus = Literal["pending", "accepted", "countered", "withdrawn", "rejected"]
ExchangeStatus = Literal["scheduled", "completed", "cancelled"]
#: How a listing's title names its unit: the same text, one best match, a tie between units that
#: are not interchangeable, or nothing above the thresholds.
MatchConfidence = Literal["exact", "clear", "ambiguous", "none"]

TERMINAL: frozenset[str] = frozenset({"completed", "cancelled", "ghosted"})


@dataclass(slots=True)
class Agent:
    """A participant. ``persona`` is the JSON of ``personas.Persona``, opaque to the market."""

    agent_id: int
    user_name: str
    display_name: str
    status: Literal["active", "banned"]
    zip: str
    x_m: int
    y_m: int
    street: str
    device: str
    activity_permille: int
    privacy_permille: int
    tier: str
    joined_tick: int
    persona: str


@dataclass(slots=True)
class Unit:
    """One physical item, with one id for its whole life, through every resale.

    ``quality_pct`` is the condition at first entry; ``None`` marks a conjured unit. ``owner_id`` is
    ``None`` once the unit has left the market (sold outside a deal). ``transfers`` counts completed
    sales, so 0 means that its first owner still holds it.
    """

    unit_id: int
    owner_id: int | None
    title: str
    category: str
    description: str
    condition: str
    quality_pct: int | None
    origin: UnitOrigin
    entered_tick: int
    asking_cents: int
    entry_cost_cents: int | None
    transfers: int


@dataclass(slots=True)
class Holding:
    """Who held which unit from which event to which, and what it cost its holder.

    The interval is [from_event, to_event); ``to_event`` is ``None`` while it lasts.
    """

    holding_id: int
    unit_id: int
    agent_id: int
    how: Literal["initial", "restock", "purchase", "conjured"]
    from_tick: int
    from_event: int
    cost_cents: int | None
    thread_id: int | None
    to_tick: int | None = None
    to_event: int | None = None
    ended_how: Literal["sold", "sold_outside"] | None = None
    sold_cents: int | None = None


@dataclass(slots=True)
class Listing:
    """An offer of one item. ``unit_id``, the match, the cost and what inspections show are private.

    ``match_ppm`` is the title ratio in parts per million. ``version`` counts create and edits.
    """

    listing_id: int
    owner_id: int | None
    category: str
    title: str
    description: str
    price_cents: int
    condition: str
    band: str | None
    zip: str
    x_m: int
    y_m: int
    origin: ListingOrigin
    status: ListingStatus
    created_tick: int
    created_event: int
    bumped_tick: int | None
    sold_tick: int | None
    view_count: int
    inquiry_count: int
    version: int
    unit_id: int | None
    match_ppm: int
    match_confidence: MatchConfidence
    speculative: int
    shown_quality_pct: int | None
    cost_cents: int | None
    reference_cents: int | None


@dataclass(slots=True)
class Thread:
    """One buyer and one listing; a committed thread is a deal."""

    thread_id: int
    listing_id: int
    buyer_id: int
    seller_id: int | None
    status: ThreadStatus
    created_tick: int
    last_message_tick: int | None
    accepted_offer_id: int | None
    committed_tick: int | None
    ended_tick: int | None


@dataclass(slots=True)
class Message:
    """A text, photo or photo request in a thread; ``seen_tick`` is when its reader was shown it."""

    message_id: int
    thread_id: int
    sender_id: int
    tick: int
    body: str
    photo_id: int | None
    seen_tick: int | None


@dataclass(slots=True)
class Offer:
    """A price proposed in a thread. ``terms`` is JSON; ``tick`` is when it was made."""

    offer_id: int
    thread_id: int
    proposer_id: int
    round: int
    price_cents: int
    terms: str
    tick: int
    status: OfferStatus
    accepted_tick: int | None


@dataclass(slots=True)
class Exchange:
    """A scheduled meetup or shipment (``meetup_id`` in the actions' argument names).

    ``scheduled_tick`` is the appointment of a meetup, or when a shipment was scheduled;
    ``eta_tick`` is a shipment's arrival and ``None`` for a meetup.
    """

    exchange_id: int
    thread_id: int
    method: Literal["meetup", "ship"]
    scheduled_tick: int
    eta_tick: int | None
    location: str
    payment: str
    buyer_confirmed: int
    seller_confirmed: int
    status: ExchangeStatus
    inspected_pct: int | None
    inspected_tick: int | None
    completed_tick: int | None
    handoff_token: str


@dataclass(slots=True)
class Photo:
    """A simulated photo; the three maps are JSON objects (SPEC §4.8)."""

    photo_id: int
    sender_id: int
    thread_id: int
    listing_id: int
    message_id: int
    tick: int
    stock: int
    privacy_mode: str | None
    subject: str
    background: str
    metadata: str


@dataclass(slots=True)
class Rating:
    """Stars that one agent gave another; ``thread_id`` is ``None`` only for history ratings."""

    rating_id: int
    rater_id: int
    ratee_id: int
    thread_id: int | None
    stars: int
    body: str | None
    tick: int
    origin: Literal["agent", "history"]


@dataclass(slots=True)
class Report:
    """A complaint about an agent; ``outcome`` is filled by the moderator."""

    report_id: int
    reporter_id: int
    target_id: int
    reason: str
    tick: int
    outcome: Literal["warned", "banned"] | None


@dataclass(slots=True)
class Block:
    """``blocker_id`` refuses messages and offers of ``blocked_id``; no action sets one."""

    block_id: int
    blocker_id: int
    blocked_id: int
    tick: int


@dataclass(slots=True)
class Memory:
    """A private note of an agent that ``recall`` finds."""

    memory_id: int
    agent_id: int
    kind: str
    content: str
    tick: int


@dataclass(slots=True)
class Feed:
    """The recommendations of one agent; ``listing_ids`` is a JSON array in rank order."""

    agent_id: int
    tick: int
    listing_ids: str


@dataclass(slots=True)
class Event:
    """One row of the append-only log; it never changes once it is logged.

    It is not frozen only because that would make every row four times as dear.

    ``agent_id`` is ``None`` for the platform's own rows. ``payload`` are the arguments, ``result``
    is what the platform answers, ``private`` what it records and shows nobody. ``listing_id`` and
    ``thread_id`` name what the event is about, when that exists.
    """

    event_id: int
    tick: int
    agent_id: int | None
    turn_id: int | None
    action: str
    status: Status
    reason: str | None
    listing_id: int | None
    thread_id: int | None
    payload: dict[str, Any]
    result: dict[str, Any]
    private: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class Turn:
    """One agent's decision in one tick, with everything that was asked and answered (SPEC §5.5).

    ``prompt`` is the JSON list of the digests of the messages sent, the observation last (one list
    per model call); the texts stand in the side file. ``usage`` is JSON, summed over the calls.
    """

    turn_id: int
    tick: int
    agent_id: int
    role: Literal["tested", "background", "scripted"]
    model: str
    outcome: str
    note: str | None
    reasoning: str | None
    text: str | None
    stop_reason: str | None
    error: str | None
    calls: int
    valid_calls: int
    requests: int
    observation: str | None
    prompt: str
    reply: str
    usage: str
    latency_ms: int | None
    message_id: str | None
