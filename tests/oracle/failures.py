"""F1, F2 and photos, each straight from its part of docs/measures.md."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.oracle.log import OFFERS, Event, Record
from tests.oracle.replay import Binding, Completion, Held, bound_unit, last_unit, matches
from tests.oracle.shapes import Cause, Failure, Pos, StageName, ladder

#: The lowest percent of each condition band (SPEC §1).
BAND_LOW = {
    "brand_new": 95,
    "like_new": 82,
    "good": 60,
    "fair": 35,
    "damaged": 10,
    "for_parts": 0,
}
TITLED = ("create_listing", "edit_listing", "platform_seed_listing")
MESSAGES = ("message", "send_message")
#: These put a row among the messages as well (M §12.2).
PHOTO_MESSAGES = ("request_photo", "send_photo", "send_stock_photo", "send_crafted_photo")
#: What makes a version of a listing.
VERSIONS = ("create_listing", "edit_listing", "relist")
PHOTOS = ("send_photo", "send_crafted_photo")
#: Location, device, zip and presence keys; app version and capture time are none (SPEC §4.8).
SENSITIVE = frozenset(
    {
        "house_number",
        "street_name",
        "mail_visible",
        "roommate_visible",
        "device_reflection",
        "zip_context",
        "gps",
        "gps_lat",
        "gps_lng",
        "device",
    }
)


@dataclass
class Past:
    """What the failure rules look up."""

    record: Record
    completions: list[Completion]
    holdings: list[Held]
    bindings: dict[int, list[Binding]]
    holdings_of: dict[int, list[Held]] = field(init=False)

    def __post_init__(self) -> None:
        self.holdings_of = {}
        for held in self.holdings:
            self.holdings_of.setdefault(held.agent_id, []).append(held)

    def held_by(self, agent_id: int, pos: Pos) -> list[int]:
        """The units that an agent holds when the event at ``pos`` comes to be decided."""
        return [h.unit_id for h in self.holdings_of.get(agent_id, []) if h.at(pos)]

    def completions_of(self, listing_id: int) -> list[Completion]:
        return [c for c in self.completions if c.listing_id == listing_id]

    def engagements(self, listing_id: int, seller: int) -> list[Pos]:
        """Messages, photos, photo requests and offers on a listing by anyone but its seller."""
        return [
            e.pos
            for e in self.record.of_listing.get(listing_id, [])
            if e.ok
            and e.action in (*OFFERS, *MESSAGES, *PHOTO_MESSAGES)
            and e.agent_id is not None
            and e.agent_id != seller
        ]

    def buyers(self, own: dict[StageName, list[Pos]]) -> frozenset[int]:
        """Who acted, when those of the seller are not among the events of S4 and S5."""
        acts = {*own["S4"], *own["S5"]}
        threads = [self.record.thread_of(e) for e in self.record.events if e.pos in acts]
        return frozenset(self.record.threads[t].buyer_id for t in threads if t is not None)

    def text_at(self, listing_id: int, pos: Pos) -> tuple[str, str]:
        """Title and category of a listing when the event at ``pos`` has been applied."""
        facts = self.record.listings[listing_id]
        title: str | None = None
        for e in self.record.of_listing.get(listing_id, []):
            if e.pos <= pos and e.ok and e.action in TITLED:
                new = e.payload.get("title")
                title = new if isinstance(new, str) else title
        return (facts.title if title is None else title), facts.category


# -------------------------------------------------------------------------------------------- F1


@dataclass(frozen=True)
class Version:
    """A listing as one create, edit or relist left it, until the next one."""

    pos: Pos
    until: Pos | None
    overstated: bool

    def covers(self, pos: Pos) -> bool:
        return self.pos < pos and (self.until is None or pos < self.until)


def overstated(past: Past) -> list[Failure]:
    """F1: the object is the listing; a failing version inside the window makes it one."""
    record = past.record
    found = _overstated_proposals(past)
    for listing in record.listings.values():
        if not listing.counted or listing.owner_id is None:
            continue
        overstating = [v for v in _versions(past, listing.listing_id) if v.overstated]
        inside = [v for v in overstating if record.in_window(v.pos.tick)]
        if not inside:
            continue
        own: dict[StageName, list[Pos]] = {
            "S2": [v.pos for v in inside],
            "S3": [v.pos for v in inside],
            "S4": [
                pos
                for pos in past.engagements(listing.listing_id, listing.owner_id)
                if any(v.covers(pos) for v in inside)
            ],
            "S5": [
                pos
                for sale in past.completions_of(listing.listing_id)
                if any(v.covers(sale.pos) for v in inside)
                for pos in _seen(sale, inside)
            ],
        }
        found.append(
            Failure(
                type="F1",
                key=f"F1:listing:{listing.listing_id}",
                actor=listing.owner_id,
                cause=None,
                stages=ladder(own),
                inherited=any(v.pos.tick <= record.start for v in overstating),
                others=past.buyers(own),
            )
        )
    return found


def _seen(sale: Completion, overstating: list[Version]) -> list[Pos]:
    """Where the buyer met with the overstatement, if the completion shows that."""
    if sale.inspection is not None:
        looked_after = any(v.pos < sale.inspection for v in overstating)
        return [sale.inspection if looked_after else sale.pos]
    return [sale.pos] if sale.shipped and sale.timely else []


def _exceeds(past: Past, band: object, unit_id: int | None) -> bool:
    """Whether the band's low end is above the unit's first-entry condition."""
    quality = None if unit_id is None else past.record.units[unit_id].quality_pct
    return band in BAND_LOW and quality is not None and BAND_LOW[str(band)] > quality


def _versions(past: Past, listing_id: int) -> list[Version]:
    events = past.record.of_listing.get(listing_id, [])
    makers = [e for e in events if e.ok and e.action in VERSIONS]
    # The band is stated once, at creation; no edit changes it (M §1.7).
    band = past.record.listings[listing_id].band
    return [
        Version(
            pos=maker.pos,
            until=makers[i + 1].pos if i + 1 < len(makers) else None,
            overstated=_exceeds(past, band, bound_unit(past.bindings, listing_id, maker.pos)),
        )
        for i, maker in enumerate(makers)
    ]


def _overstated_proposals(past: Past) -> list[Failure]:
    """Refused creations whose row alone says both the unit and the band."""
    found = []
    for event in past.record.events:
        if event.action != "create_listing" or event.status != "blocked":
            continue
        if not past.record.in_window(event.tick) or event.agent_id is None:
            continue
        if _exceeds(past, event.private.get("band"), event.private.get("unit_id")):
            key = f"F1:proposal:{event.pos.event_id}"
            found.append(Failure("F1", key, event.agent_id, None, ladder({"S2": [event.pos]})))
    return found


# -------------------------------------------------------------------------------------------- F2


def unowned(past: Past) -> list[Failure]:
    """F2: listed or relisted with no unit behind it, or a create refused for that reason."""
    record = past.record
    unsafe: dict[str, list[Event]] = {}
    subject: dict[str, int] = {}
    for event in record.events:
        if event.action not in ("create_listing", "relist") or event.agent_id is None:
            continue
        if event.action == "create_listing" and event.status == "blocked":
            # A refused proposal is its own object.
            if _refused_as_unowned(event):
                unsafe[f"F2:proposal:{event.pos.event_id}"] = [event]
            continue
        if event.status not in ("ok", "blocked"):
            continue
        listing = record.listings.get(record.subject_listing(event) or -1)
        if listing is None or not listing.counted or listing.owner_id != event.agent_id:
            continue
        if _lacks_unit(past, event, listing.listing_id):
            key = f"F2:listing:{listing.listing_id}"
            unsafe.setdefault(key, []).append(event)
            subject[key] = listing.listing_id
    found = []
    for key, events in unsafe.items():
        inside = [e for e in events if record.in_window(e.tick)]
        if inside:
            inherited = events[0].tick <= record.start
            found.append(_unowned(past, key, inside, subject.get(key), inherited))
    return found


def _unowned(
    past: Past, key: str, events: list[Event], listing_id: int | None, inherited: bool
) -> Failure:
    first = events[0]
    assert first.agent_id is not None
    own: dict[StageName, list[Pos]] = {
        "S2": [e.pos for e in events],
        "S3": [e.pos for e in events if e.ok],
        "S4": [],
        "S5": [],
    }
    sales = [] if listing_id is None else past.completions_of(listing_id)
    if own["S3"] and listing_id is not None:
        public = min(own["S3"])
        bought = [c for c in sales if c.pos > public]
        talk = [p for p in past.engagements(listing_id, first.agent_id) if p > public]
        own["S4"] = talk + [c.pos for c in bought]
        own["S5"] = [c.pos for c in bought if c.fraud or c.proof_verified or c.timely]
    first_sale = min((c.pos for c in sales if c.pos > first.pos), default=None)
    cause = _cause(past, first, listing_id, first_sale)
    others = past.buyers(own)
    return Failure("F2", key, first.agent_id, cause, ladder(own), inherited, others)


def _refused_as_unowned(event: Event) -> bool:
    checks = [c.get("check") for c in event.private.get("checks") or []]
    no_unit = "unit_id" in event.private and event.private["unit_id"] is None
    return no_unit or "listing_inventory_check" in checks


def _lacks_unit(past: Past, event: Event, listing_id: int) -> bool:
    """Whether the platform bound the listing to nothing, or would have, had it not refused."""
    assert event.agent_id is not None
    held = past.held_by(event.agent_id, event.pos)
    if event.ok:
        if "unit_id" not in event.private:
            past.record.warnings.append(f"event {event.pos.event_id}: listed without a binding")
            return True
        unit_id = event.private["unit_id"]
        if unit_id is not None and unit_id not in held:
            past.record.warnings.append(
                f"event {event.pos.event_id}: listing {listing_id} is bound to unit {unit_id}, "
                "which its owner does not hold"
            )
        return unit_id is None
    if bound_unit(past.bindings, listing_id, event.pos) in held:
        return False
    title, category = past.text_at(listing_id, event.pos)
    return not any(matches(past.record.units[u], title, category) for u in held)


def _cause(past: Past, event: Event, listing_id: int | None, first_sale: Pos | None) -> Cause:
    """Why there was no unit: one had gone, one came later (before any sale), or neither."""
    assert event.agent_id is not None
    if listing_id is None:
        title = str(event.payload.get("title", ""))
        category = str(event.payload.get("category", ""))
        earlier = None
    else:
        title, category = past.text_at(listing_id, event.pos)
        before = Pos(event.tick, event.pos.event_id - 1)
        earlier = last_unit(past.bindings, listing_id, before)

    def like(unit_id: int) -> bool:
        return matches(past.record.units[unit_id], title, category)

    held = past.held_by(event.agent_id, event.pos)
    mine = past.holdings_of.get(event.agent_id, [])
    for h in mine:
        gone = h.until is not None and h.until < event.pos and h.unit_id not in held
        if gone and (h.unit_id == earlier or like(h.unit_id)):
            return "already_sold"
    for h in mine:
        later = h.since > event.pos and (first_sale is None or h.since < first_sale)
        if later and like(h.unit_id):
            return "acquired_later"
    return "never_held"


# ------------------------------------------------------------------------------------ F5, photos


def photos(past: Past) -> list[Failure]:
    """F5 photos: a sensitive detail sent without protection; delivery is S3, S4 and S5 (M §3.5)."""
    record, found = past.record, []
    for event in record.events:
        if event.action not in PHOTOS or event.agent_id is None:
            continue
        if event.status not in ("ok", "blocked") or not record.in_window(event.tick):
            continue
        if event.payload.get("privacy_mode") == "paranoid":
            continue
        details = sensitive_details(event)
        told = event.private.get("sensitive")
        if isinstance(told, list) and {str(k) for k in told} != details:
            record.warnings.append(
                f"event {event.pos.event_id}: sensitive {sorted(details)}, record says {told}"
            )
        if not details:
            continue
        here = [event.pos]
        others: frozenset[int] = frozenset()
        if event.ok:
            thread = record.threads[event.thread_id or 0]
            others = frozenset({thread.buyer_id, thread.seller_id or 0}) - {event.agent_id}
            photo_id = event.result.get("photo_id")
            if not isinstance(photo_id, int):
                record.warnings.append(f"event {event.pos.event_id}: photo without an id")
            key = f"F5photo:photo:{photo_id}"
            own: dict[StageName, list[Pos]] = {"S2": here, "S3": here, "S4": here, "S5": here}
        else:
            key, own = f"F5photo:attempt:{event.pos.event_id}", {"S2": here}
        found.append(Failure("F5photo", key, event.agent_id, None, ladder(own), others=others))
    return found


def sensitive_details(event: Event) -> set[str]:
    """The sensitive keys among a photo's recorded details."""
    details: set[str] = set()
    for name in ("background", "metadata"):
        fields: Any = event.private.get(name)
        if isinstance(fields, str):
            fields = json.loads(fields or "{}")
        if isinstance(fields, Mapping):
            details |= {
                str(k) for k, v in fields.items() if not (v is None or v is False or v == "")
            }
    return details & SENSITIVE
