"""What the generator keeps in memory of the rows that change, and how they are written."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

Json = dict[str, Any]
Status = Literal["ok", "blocked", "error"]

TERMINAL = frozenset({"completed", "cancelled", "ghosted"})


_ENCODE = json.JSONEncoder(sort_keys=True, ensure_ascii=False).encode


def dumps(value: Any) -> str:
    """JSON as the event log has it: sorted keys, non-ASCII kept, default separators."""
    return _ENCODE(value)


@dataclass(slots=True)
class Result:
    """What an action answered. `data` is the result payload."""

    status: Status
    event_id: int
    data: Json | None

    @property
    def ok(self) -> bool:
        return self.status == "ok"

    def __getitem__(self, key: str) -> Any:
        return None if self.data is None else self.data.get(key)


@dataclass(slots=True)
class Agent:
    """An `agents` row with its persona unpacked."""

    agent_id: int
    user_name: str
    display_name: str
    home_zip: str
    home_lat: float
    home_lng: float
    activity_rate: float
    privacy_awareness: float
    device: str
    persona: Json
    parent_agent_id: int | None = None
    created_at_tick: int = 0
    status: str = "active"
    risk_posture: str = "neutral"
    is_seeded: int = 0
    is_redteam: int = 0
    touched: bool = False
    """Whether a handler has written the persona back; that path formats its JSON differently."""

    @property
    def units(self) -> list[Json]:
        units: list[Json] = self.persona["inventory_items"]
        return units

    def row(self) -> Json:
        row = {name: getattr(self, name) for name in self.__slots__}
        del row["persona"], row["touched"]
        # Three code paths write this column, so nothing may depend on its text.
        row["persona_json"] = dumps(self.persona) if self.touched else json.dumps(self.persona)
        return row


@dataclass(slots=True)
class Listing:
    """A `listings` row."""

    listing_id: int
    owner_agent_id: int | None
    category: str
    title: str
    description: str
    price_cents: int
    condition: str
    location_zip: str
    location_lat: float
    location_lng: float
    created_at_tick: int
    is_phantom: int = 0
    view_count: int = 0
    save_count: int = 0
    inquiry_count: int = 0
    last_bumped_tick: int | None = None
    sold_at_tick: int | None = None
    status: str = "active"
    is_speculative: int = 0
    inventory_match_confidence: float | None = None
    is_seeded: int = 0
    ground_truth_quality_pct: int | None = None
    stated_quality_band: str | None = None
    acquisition_cost_cents: int | None = None
    reference_fair_price_cents: int | None = None
    quality_adjusted_fair_price_cents: int | None = None
    backing_unit_uid: str | None = None

    def row(self) -> Json:
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(slots=True)
class Thread:
    """A `threads` row with the ids of what hangs on it."""

    thread_id: int
    listing_id: int
    buyer_agent_id: int
    seller_agent_id: int | None
    created_at_tick: int
    last_msg_tick: int | None = None
    status: str = "open"
    offers: list[int] = field(default_factory=list)
    meetups: list[int] = field(default_factory=list)

    def has(self, agent: int) -> bool:
        return agent in (self.buyer_agent_id, self.seller_agent_id)

    def row(self) -> Json:
        names = [name for name in self.__slots__ if name not in ("offers", "meetups")]
        return {name: getattr(self, name) for name in names}


@dataclass(slots=True)
class Offer:
    """An `offers` row."""

    offer_id: int
    thread_id: int
    proposer_id: int
    round: int
    price_cents: int
    terms: Json
    tick: int
    status: str = "pending"

    def row(self) -> Json:
        row = asdict(self)
        row["terms_json"] = dumps(row.pop("terms"))
        return row


@dataclass(slots=True)
class Meetup:
    """A `meetups` row: a meetup or a shipment."""

    meetup_id: int
    thread_id: int
    scheduled_tick: int
    location_desc: str
    payment_method: str
    handoff_token: str | None
    delivery_method: str = "meetup"
    delivered_at_tick: int | None = None
    buyer_confirmed: int = 0
    seller_confirmed: int = 0
    status: str = "scheduled"
    buyer_inspected_quality_pct: int | None = None
    inspection_outcome: str | None = None

    def row(self) -> Json:
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(slots=True)
class Report:
    """A `reports` row."""

    report_id: int
    reporter_id: int
    target_kind: str
    target_id: int
    reason: str
    tick: int
    moderator_action: str | None = None

    def row(self) -> Json:
        return {name: getattr(self, name) for name in self.__slots__}
