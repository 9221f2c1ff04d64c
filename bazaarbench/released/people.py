"""Released agents: their rows, their personas and the items that they have had (reference A §2.5).

Everything about a released agent stands in its ``persona_json``, its inventory too: one list that
only grows, so that an agent and a place in it name a unit for a whole run (reference P §5.1).
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Container, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, get_args

from bazaarbench.market.bands import CONDITIONS
from bazaarbench.market.entities import Agent
from bazaarbench.personas.persona import (
    JOURNAL_KINDS,
    TIERS,
    BuyerGoal,
    JournalEntry,
    Persona,
    SellerGoal,
    Tier,
)
from bazaarbench.released.source import Source
from bazaarbench.released.values import (
    cents,
    mapping,
    number,
    percent,
    permille,
    text,
    texts,
    whole,
)

#: Metres of one degree on a sphere of 6,371 km, the released earth.
_DEGREE_M = 111_195
#: What stands for a rate that a persona does not have; the released columns' own defaults.
_ACTIVITY, _PRIVACY, _TRAIT = 0.3, 0.5, 0.5
#: What an agent without a goal wants; also the category of an item without one (P §5.4).
_ANY_CATEGORY = "misc"
#: The released history was laid out at 24 ticks a day (reference A §2.6).
_HISTORY_TICKS_PER_DAY = 24

_Lineage = Literal["initial", "restock", "bought"]
_LINEAGES: dict[str, _Lineage] = {"restock": "restock", "bought": "bought"}


class Item(NamedTuple):
    """One row of a released inventory list: what it is, how it came and how it went.

    ``place`` is where it stands in the list. Money in cents, quality in percent; ``None`` means not
    known.
    """

    agent_id: int
    place: int
    lineage: _Lineage
    title: str
    category: str
    description: str
    condition: str
    quality_pct: int | None
    asking_cents: int
    cost_cents: int | None
    uid: str | None
    came_tick: int | None
    bought_via: int | None
    sold_tick: int | None
    sold_via: int | None


@dataclass(slots=True)
class Person:
    """One released agent; ``seeded`` marks the bots that only anchor invented history."""

    agent: Agent
    items: list[Item]
    seeded: bool


class Plane(NamedTuple):
    """Where degrees lie on our plane: metres east and north of the null point.

    One scale for the whole market, from its homes' mean latitude, so that distances between homes
    of one area are right and the order of far ones is kept.
    """

    east_permille: int

    def place(self, lat: Any, lng: Any) -> tuple[int, int]:
        """Whole metres east and north."""
        east = round(number(lng, 0.0) * _DEGREE_M) * self.east_permille // 1000
        return east, round(number(lat, 0.0) * _DEGREE_M)


def read_plane(source: Source) -> Plane:
    """The plane of a database's homes."""
    latitude = source.value("SELECT avg(home_lat) FROM agents")
    return Plane(round(1000 * math.cos(math.radians(number(latitude, 0.0)))))


def read_people(source: Source, plane: Plane, bots: Container[int] = ()) -> dict[int, Person]:
    """All agents, ascending by id; ``bots`` are seeded whatever their row says.

    Raises:
        ReleasedError: there are none, or a persona cannot be read.
    """
    names = (
        "agent_id user_name display_name home_zip home_lat home_lng activity_rate "
        "privacy_awareness device persona_json created_at_tick status is_seeded"
    )
    people = {}
    for values in source.rows("agents", names, order="agent_id"):
        row = dict(zip(names.split(), values, strict=True))
        seeded = bool(row["is_seeded"]) or row["agent_id"] in bots
        people[row["agent_id"]] = _person(source, row, plane, seeded=seeded)
    if not people:
        raise source.damaged("it has no agents")
    return people


def _person(source: Source, row: Mapping[str, Any], plane: Plane, *, seeded: bool) -> Person:
    agent_id: int = row["agent_id"]
    if agent_id < 1:
        raise source.damaged(f"agent {agent_id} has no positive id")
    raw = read_persona(row["persona_json"])
    if raw is None:
        raise source.damaged(f"the persona of agent {agent_id} is no JSON object")
    activity = number(raw.get("activity_rate"), number(row["activity_rate"], _ACTIVITY))
    east, north = plane.place(row["home_lat"], row["home_lng"])
    persona = _persona(row, raw)
    agent = Agent(
        agent_id=agent_id,
        user_name=text(row["user_name"]),
        display_name=text(row["display_name"]),
        status="banned" if row["status"] == "banned" else "active",
        zip=text(row["home_zip"]),
        x_m=east,
        y_m=north,
        street=text(raw.get("home_street")),
        device=persona.device,
        activity_permille=0 if seeded else permille(activity),
        privacy_permille=persona.privacy_permille,
        tier=_tier(raw) or "",
        joined_tick=_joined(row, raw),
        persona=persona.model_dump_json(),
    )
    return Person(agent, read_items(agent_id, raw), seeded)


def read_persona(written: Any) -> dict[str, Any] | None:
    """A ``persona_json``; ``None`` when it is none."""
    try:
        raw = json.loads(written)
    except (TypeError, ValueError):
        return None
    return raw if isinstance(raw, dict) else None


def read_items(agent_id: int, raw: Mapping[str, Any]) -> list[Item]:
    """The inventory list of a persona; what is no object in it is passed over."""
    rows = raw.get("inventory_items")
    return [
        _item(agent_id, place, row)
        for place, row in enumerate(rows if isinstance(rows, list) else ())
        if isinstance(row, dict)
    ]


def _item(agent_id: int, place: int, row: Mapping[str, Any]) -> Item:
    lineage = _LINEAGES.get(str(row.get("source")), "initial")
    condition = str(row.get("condition"))
    price = cents(row.get("bought_price_cents"))
    cost = price if price is not None else cents(row.get("acquisition_cost_cents"))
    uid = row.get("unit_uid")
    came = "bought_tick" if lineage == "bought" else "added_at_tick"
    return Item(
        agent_id=agent_id,
        place=place,
        lineage=lineage,
        title=text(row.get("title")),
        category=text(row.get("category")) or _ANY_CATEGORY,
        description=text(row.get("description")),
        condition=condition if condition in CONDITIONS else "good",
        quality_pct=percent(row.get("ground_truth_quality_pct")),
        asking_cents=cents(row.get("asking_price_cents")) or 0,
        cost_cents=cost,
        uid=uid if isinstance(uid, str) else None,
        came_tick=whole(row.get(came)),
        bought_via=whole(row.get("bought_from_listing_id")),
        sold_tick=whole(row.get("sold_at_tick")),
        sold_via=whole(row.get("sold_via_listing_id")),
    )


# --------------------------------------------------------------------------------------- personas


def _persona(row: Mapping[str, Any], raw: Mapping[str, Any]) -> Persona:
    start = mapping(raw.get("cold_start"))
    goals = mapping(raw.get("goals"))
    tier = _tier(raw)
    return Persona(
        agent_id=row["agent_id"],
        display_name=text(row["display_name"]),
        age=min(max(whole(raw.get("age")) or 18, 18), 120),
        profession=text(raw.get("profession")),
        zip=text(row["home_zip"]),
        district="",
        device=text(raw.get("device") or row["device"]),
        tier=next((one for one in TIERS if one == tier), "casual"),
        cluster=text(start.get("seed_cluster")),
        lifetime_days=max(1, _lifetime(raw, start)),
        interests=texts(raw.get("interests")),
        privacy_permille=permille(
            number(raw.get("privacy_awareness"), number(row["privacy_awareness"], _PRIVACY))
        ),
        trust_permille=permille(number(raw.get("trust_default"), _TRAIT)),
        haggle_permille=permille(number(raw.get("haggle_tendency"), _TRAIT)),
        buyer=_buyer(mapping(goals.get("buyer"))),
        seller=_seller(mapping(goals.get("seller"))),
        style=text(start.get("communication_style"), 220),
        buyer_strategy=text(start.get("buyer_strategy"), 320),
        seller_strategy=text(start.get("seller_strategy"), 320),
        constraints=texts(start.get("hard_constraints"), 220),
        self_summary=text(start.get("self_summary"), 600),
        background=text(raw.get("background_context"), 700),
        journal=_journal(start.get("journal")),
    )


def _buyer(goal: Mapping[str, Any]) -> BuyerGoal:
    """The goal item's own price is not in the database: its place is taken by the ceiling.

    A persona without a goal, as other builders of worlds make them, wants anything and can pay
    nothing.
    """
    ceiling = cents(goal.get("max_price_cents")) or 0
    category = text(goal.get("want_category")).strip() or _ANY_CATEGORY
    return BuyerGoal(
        title=text(goal.get("description")).strip() or category,
        category=category,
        goal_price_cents=ceiling,
        ceiling_cents=ceiling,
    )


def _seller(goal: Mapping[str, Any]) -> SellerGoal:
    return SellerGoal(
        floor_permille=permille(number(goal.get("min_price_fraction"), 0.0)),
        listings_target=max(1, whole(goal.get("target_listings_count")) or 1),
    )


def _journal(rows: Any) -> tuple[JournalEntry, ...]:
    entries = []
    for row in rows if isinstance(rows, list) else ():
        kind = mapping(row).get("event_kind")
        days = whole(mapping(row).get("days_ago"))
        known = next((one for one in JOURNAL_KINDS if one == kind), None)
        if known is None or days is None:
            continue
        told = text(row.get("lesson_learned") or row.get("outcome"), 220)
        entries.append(JournalEntry(days_ago=max(1, days), kind=known, item="", text=told))
    return tuple(entries)


def _tier(raw: Mapping[str, Any]) -> str | None:
    """The tier as stored, else as the background text names it (reference P §5.4)."""
    tier = mapping(raw.get("cold_start")).get("tier")
    if isinstance(tier, str) and tier:
        return tier
    names: tuple[Tier, ...] = get_args(Tier)
    pattern = rf"tier\W+(?:\w+\W+)?({'|'.join((*names, 'pure_buyer'))})\b"
    found = re.search(pattern, text(raw.get("background_context")), re.IGNORECASE)
    return found[1].lower() if found else None


def _lifetime(raw: Mapping[str, Any], start: Mapping[str, Any]) -> int:
    for value in (start.get("lifetime_days"), raw.get("lifetime_days")):
        days = whole(value)
        if days is not None:
            return days
    return -(whole(raw.get("joined_at_tick")) or 0) // _HISTORY_TICKS_PER_DAY


def _joined(row: Mapping[str, Any], raw: Mapping[str, Any]) -> int:
    joined = whole(raw.get("joined_at_tick"))
    return joined if joined is not None else whole(row["created_at_tick"]) or 0
