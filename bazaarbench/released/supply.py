"""What the released platform does by itself: agents, supply, feeds, moderation (P §2, §4)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from bazaarbench.market.entities import Unit
from bazaarbench.released.calls import Call, Rebuilt
from bazaarbench.released.people import Item, Person, read_items, read_persona
from bazaarbench.released.postings import take_down
from bazaarbench.released.stock import At
from bazaarbench.released.values import mapping, whole


def registered(market: Rebuilt, call: Call) -> None:
    """An agent joins with its starting inventory.

    The payload holds the persona of that moment; its inventory says how many rows of the list were
    there from the beginning, whatever their source says.
    """
    person = market.people.get(whole(call.payload.get("agent_id")) or 0)
    if person is None:
        raise market.contradiction(call, "registers an agent that does not exist")
    raw = read_persona(call.payload.get("persona_json"))
    count = 0 if raw is None else len(read_items(person.agent.agent_id, raw))
    call.payload, call.private = introduce(market, person, call.at, at_least=count)


def introduce(
    market: Rebuilt, person: Person, at: At, *, at_least: int = 0
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Payload and private part of an agent's first event; its units enter the market.

    Args:
        market: what the log works on.
        person: who joins.
        at: when.
        at_least: how many rows of its list belong to the beginning at least.
    """
    agent = person.agent
    units = [
        market.stock.enter(item, at, "initial")
        for item in person.items
        if not market.stock.has_come(item) and _from_the_start(market, item, at_least)
    ]
    payload = {
        "agent_id": agent.agent_id,
        "user_name": agent.user_name,
        "display_name": agent.display_name,
        "zip": agent.zip,
        "joined_tick": agent.joined_tick,
    }
    return payload, {"tier": agent.tier, "units": [_facts(unit) for unit in units]}


def _from_the_start(market: Rebuilt, item: Item, at_least: int) -> bool:
    """Whether an item was there when its owner joined, or came by nothing that the log knows."""
    if item.lineage == "initial" or item.place < at_least:
        return True
    if market.foresight.brings(item):
        return False
    lost_after = market.run.last_tick if market.run.cut else market.run.gap
    if lost_after is not None and (item.came_tick or 0) > lost_after:
        return False
    market.book.notes["items_without_event"] += 1
    return True


def restocked(market: Rebuilt, call: Call) -> None:
    """An agent is given new units."""
    agent_id = call.agent_id or 0
    person = market.people.get(agent_id)
    if person is None:
        raise market.contradiction(call, "restocks an agent that does not exist")
    items = market.stock.restocked(agent_id, call.listed)
    units = [market.stock.enter(item, call.at, "restock") for item in items]
    old = call.payload | call.result
    call.agent_id = None
    call.payload = {
        "agent_id": agent_id,
        "added": len(units),
        "sales": old.get("sales_window_count"),
        "tier": old.get("marketplace_tier"),
    }
    call.result, call.private = {}, {"units": [_facts(unit) for unit in units]}


def _facts(unit: Unit) -> dict[str, Any]:
    return {
        "unit_id": unit.unit_id,
        "title": unit.title,
        "category": unit.category,
        "condition": unit.condition,
        "quality_pct": unit.quality_pct,
        "cost_cents": unit.entry_cost_cents,
        "asking_cents": unit.asking_cents,
    }


def refreshed(market: Rebuilt, call: Call) -> None:
    """Recommendations: the newest ones are kept, the event counts them."""
    feeds = mapping(call.payload.get("feeds") or call.result.get("feeds"))
    for agent_id, listing_ids in feeds.items():
        market.feeds[int(agent_id)] = (call.tick, _ids(market, listing_ids))
    call.action = "platform_feed_refresh"
    call.payload = {"feeds": len(feeds), "k": call.payload.get("k")}
    call.result = {}


def _ids(market: Rebuilt, listing_ids: Iterable[Any]) -> str:
    known = [one for one in listing_ids if one in market.book.listings]
    return json.dumps(known, separators=(",", ":"))


def moderated(market: Rebuilt, call: Call) -> None:
    """A verdict: a listing is taken down, or an agent banned."""
    payload = call.payload
    verdict = payload.get("verdict")
    if payload.get("target_kind") == "listing":
        listing = market.book.listings.get(payload.get("target_id", 0))
        call.listing_id = None if listing is None else listing.listing_id
        if listing is not None and verdict == "takedown" and listing.status == "active":
            take_down(market, listing, "removed")
        return
    person = market.people.get(payload.get("target_id", 0))
    if person is not None and verdict == "ban":
        person.agent.status = "banned"
    call.payload = {
        "report_id": payload.get("report_id"),
        "agent_id": payload.get("target_id"),
        "verdict": "banned" if verdict == "ban" else verdict,
        "distinct_reporters": payload.get("distinct_reporters"),
    }


def defrauded(market: Rebuilt, call: Call) -> None:
    """The platform notes that a shipment of a speculative listing was completed."""
    call.agent_id = None
