"""The invariants of a released database (released-platform.md §2, last paragraph).

Written over the file alone, by column name, so that it judges the generator and not the other way.
Histories (seeded rows) are exempt where the reference exempts them.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Row = dict[str, Any]

_KEYS = {
    "agents": "agent_id",
    "listings": "listing_id",
    "threads": "thread_id",
    "offers": "offer_id",
    "meetups": "meetup_id",
    "messages": "message_id",
    "photos": "photo_id",
    "ratings": "rating_id",
    "reports": "report_id",
}
#: Actions that make a row: its table, the actor's column, and payload keys that are columns.
_MAKES: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "create_listing": ("listings", "owner_agent_id", ("category",)),
    "make_offer": ("offers", "proposer_id", ("price_cents",)),
    "counter_offer": ("offers", "proposer_id", ("price_cents",)),
    "schedule_meetup": (
        "meetups",
        "",
        ("thread_id", "location_desc", "scheduled_tick", "payment_method"),
    ),
    "schedule_shipment": ("meetups", "", ("thread_id", "payment_method")),
    "message": ("messages", "sender_agent_id", ("body",)),
    "send_photo": ("photos", "sender_agent_id", ("listing_id",)),
    "send_stock_photo": ("photos", "sender_agent_id", ("listing_id",)),
    "rate": ("ratings", "rater_agent_id", ("ratee_agent_id", "stars", "body", "thread_id")),
    "report_user": ("reports", "reporter_id", ("reason",)),
}
_TICKS = {
    "listings": "created_at_tick",
    "photos": "created_at_tick",
    "offers": "tick",
    "messages": "tick",
    "ratings": "tick",
    "reports": "tick",
}


@dataclass
class _Tables:
    rows: dict[str, dict[int, Row]]
    events: list[Row]

    def thread_of(self, meetup: int) -> Row:
        return self.rows["threads"][self.rows["meetups"][meetup]["thread_id"]]

    def seeded(self, thread: Row) -> bool:
        return bool(self.rows["listings"][thread["listing_id"]]["is_seeded"])


def _read(path: Path) -> _Tables:
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
        db.row_factory = sqlite3.Row
        rows = {
            table: {row[key]: dict(row) for row in db.execute(f"SELECT * FROM {table}")}
            for table, key in _KEYS.items()
        }
        events = [dict(row) for row in db.execute("SELECT * FROM events ORDER BY tick, event_id")]
    for event in events:
        event["payload"] = json.loads(event["payload"])
        event["result"] = json.loads(event["result_payload"] or "{}")
    return _Tables(rows, events)


def violations(path: Path) -> list[str]:
    """Every breach, in words; errors about missing rows are not one."""
    found = _read(path)
    checks = (_events, _offers, _meetups, _threads, _listings, _ratings, _inventory)
    return [words for check in checks for words in check(found)]


def _events(found: _Tables) -> Iterator[str]:
    for event in found.events:
        name = f"event {event['event_id']} {event['action_type']}"
        if event["result_status"] == "error":
            if not str(event["result"].get("error")).endswith("_not_found"):
                yield f"{name}: error row {event['result']}"
            continue
        if event["result_status"] != "ok":
            continue
        both = {**event["payload"], **event["result"]}
        for table, key in _KEYS.items():
            named = None if event["action_type"] == "pin" or table == "agents" else both.get(key)
            if named is not None and named not in found.rows[table]:
                yield f"{name}: no {key} {named}"
        made = _MAKES.get(event["action_type"])
        if made is None:
            continue
        table, actor, names = made
        row = found.rows[table][event["result"][_KEYS[table]]]
        if actor and row[actor] != event["agent_id"]:
            yield f"{name}: made by {event['agent_id']}, row says {row[actor]}"
        if table in _TICKS and row[_TICKS[table]] != event["tick"]:
            yield f"{name}: tick {event['tick']}, row says {row[_TICKS[table]]}"
        for column in names:
            if row[column] != event["payload"][column]:
                yield f"{name}: {column} {event['payload'][column]}, row says {row[column]}"


def _offers(found: _Tables) -> Iterator[str]:
    accepted: dict[int, int] = {}
    ghosted: dict[int, int] = {}
    for event in found.events:
        if event["result_status"] == "ok" and event["action_type"] == "accept_offer":
            accepted[event["payload"]["offer_id"]] = event["event_id"]
        if event["result_status"] == "ok" and event["action_type"] == "ghost":
            ghosted[event["payload"]["thread_id"]] = event["event_id"]
    for offer_id, offer in found.rows["offers"].items():
        thread = found.rows["threads"][offer["thread_id"]]
        status = thread["status"]
        if offer["status"] == "pending" and status != "open":
            yield f"offer {offer_id}: pending on a {status} thread"
        if offer["status"] != "accepted" or found.seeded(thread):
            continue
        if offer_id not in accepted:
            yield f"offer {offer_id}: accepted without an event"
        elif status == "ghosted":
            if ghosted.get(thread["thread_id"], 0) < accepted[offer_id]:
                yield f"offer {offer_id}: accepted on a thread that was ghosted before"
        elif status not in ("committed", "completed", "cancelled"):
            yield f"offer {offer_id}: accepted on a {status} thread"


def _meetups(found: _Tables) -> Iterator[str]:
    scheduled = set()
    relisted = set()
    for event in found.events:
        if event["result_status"] == "ok" and event["action_type"].startswith("schedule_"):
            scheduled.add(event["result"]["meetup_id"])
        if event["result_status"] == "ok" and event["action_type"] == "relist":
            relisted.add(event["payload"]["listing_id"])
    for meetup_id, meetup in found.rows["meetups"].items():
        thread = found.thread_of(meetup_id)
        if found.seeded(thread):
            continue
        if meetup_id not in scheduled:
            yield f"meetup {meetup_id}: never scheduled"
        if meetup["status"] == "completed":
            listing = found.rows["listings"][thread["listing_id"]]
            if thread["status"] != "completed":
                yield f"meetup {meetup_id}: completed on a {thread['status']} thread"
            if listing["status"] != "sold" and listing["listing_id"] not in relisted:
                yield f"meetup {meetup_id}: completed, listing is {listing['status']}"
        elif meetup["status"] == "scheduled" and thread["status"] == "open":
            yield f"meetup {meetup_id}: scheduled on an open thread"


def _threads(found: _Tables) -> Iterator[str]:
    done = {
        meetup["thread_id"]
        for meetup in found.rows["meetups"].values()
        if meetup["status"] == "completed"
    }
    pairs = Counter(
        (thread["buyer_agent_id"], thread["listing_id"])
        for thread in found.rows["threads"].values()
    )
    for pair, count in pairs.items():
        if count > 1:
            yield f"buyer and listing {pair}: {count} threads"
    for thread_id, thread in found.rows["threads"].items():
        if found.seeded(thread):
            continue
        if thread["status"] == "completed" and thread_id not in done:
            yield f"thread {thread_id}: completed without a completed meetup"


def _listings(found: _Tables) -> Iterator[str]:
    for thread_id, thread in found.rows["threads"].items():
        listing = found.rows["listings"][thread["listing_id"]]
        if listing["status"] == "sold" and thread["status"] in ("open", "committed"):
            yield f"thread {thread_id}: {thread['status']} on a sold listing"


def _ratings(found: _Tables) -> Iterator[str]:
    for rating_id, rating in found.rows["ratings"].items():
        if rating["thread_id"] is None:
            continue
        thread = found.rows["threads"][rating["thread_id"]]
        sides = {thread["buyer_agent_id"], thread["seller_agent_id"]}
        if {rating["rater_agent_id"], rating["ratee_agent_id"]} != sides:
            yield f"rating {rating_id}: not between the two sides"
        if thread["status"] not in ("completed", "cancelled"):
            yield f"rating {rating_id}: on a {thread['status']} thread"


def _inventory(found: _Tables) -> Iterator[str]:
    """Units are there from the start, restocked or bought; sale marks belong to sales."""
    restocked: Counter[int] = Counter()
    bought: Counter[int] = Counter()
    started: dict[int, int] = {}
    sales: dict[int, set[int]] = defaultdict(set)
    for event in found.events:
        action, result = event["action_type"], event["result"]
        if event["result_status"] != "ok":
            continue
        if action == "platform_inventory_restocked":
            restocked[event["agent_id"]] += event["payload"]["added_count"]
        elif action == "platform_register_agent":
            persona = json.loads(event["payload"]["persona_json"])
            started[event["payload"]["agent_id"]] = len(persona["inventory_items"])
        elif action == "mark_sold":
            sales[event["payload"]["listing_id"]].add(event["tick"])
        elif action == "complete_transaction" and result["completed"] is True:
            thread = found.thread_of(event["payload"]["meetup_id"])
            sales[thread["listing_id"]].add(event["tick"])
            bought[thread["buyer_agent_id"]] += 1
    for agent_id, agent in found.rows["agents"].items():
        units = json.loads(agent["persona_json"])["inventory_items"]
        kinds = Counter(unit["source"] for unit in units)
        if kinds["restock"] != restocked[agent_id]:
            yield f"agent {agent_id}: {kinds['restock']} restocked, log {restocked[agent_id]}"
        if kinds["bought"] != bought[agent_id]:
            yield f"agent {agent_id}: {kinds['bought']} bought, log {bought[agent_id]}"
        if agent_id in started and kinds["marketplace_dataset"] != started[agent_id]:
            yield f"agent {agent_id}: {kinds['marketplace_dataset']} first, {started[agent_id]}"
        for unit in units:
            carrier = unit.get("sold_via_listing_id")
            if carrier is not None and unit["sold_at_tick"] not in sales[carrier]:
                yield f"agent {agent_id}: {unit['title']} sold via {carrier} without a sale"
