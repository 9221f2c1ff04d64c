"""Tiny released databases, row by row: nothing in here decides anything, a test says it all.

Columns and payloads are those of released-platform.md §1–3. ``OLD`` leaves out every late column.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

S, B, C, D = 1, 2, 3, 4

#: Columns that old files lack.
_LATE = (
    "ground_truth_quality_pct stated_quality_band acquisition_cost_cents "
    "reference_fair_price_cents quality_adjusted_fair_price_cents backing_unit_uid "
    "delivery_method buyer_inspected_quality_pct delivered_at_tick inspection_outcome "
    "reasoning_summary is_speculative inventory_match_confidence is_seeded risk_posture "
    "is_redteam handoff_token"
)
LATE = frozenset(_LATE.split())
_TABLES = {
    "meta": "key value",
    "events": "event_id tick wall_time agent_id action_type payload result_status result_payload",
    "agents": "agent_id user_name display_name home_zip home_lat home_lng activity_rate "
    "privacy_awareness device persona_json parent_agent_id created_at_tick status risk_posture "
    "is_seeded is_redteam",
    "listings": "listing_id owner_agent_id category title description price_cents condition "
    "location_zip location_lat location_lng is_phantom view_count save_count inquiry_count "
    "created_at_tick last_bumped_tick sold_at_tick status is_speculative "
    "inventory_match_confidence is_seeded ground_truth_quality_pct stated_quality_band "
    "acquisition_cost_cents reference_fair_price_cents quality_adjusted_fair_price_cents "
    "backing_unit_uid",
    "threads": "thread_id listing_id buyer_agent_id seller_agent_id created_at_tick last_msg_tick "
    "status",
    "messages": "message_id thread_id sender_agent_id tick body photo_id read_at_tick content_hash",
    "photos": "photo_id photo_type sender_agent_id listing_id subject_attrs background_leaks "
    "metadata_leaks seller_aware_of is_stock ground_truth created_at_tick",
    "offers": "offer_id thread_id proposer_id round price_cents terms_json tick status",
    "meetups": "meetup_id thread_id scheduled_tick location_desc payment_method buyer_confirmed "
    "seller_confirmed handoff_token status delivery_method buyer_inspected_quality_pct "
    "delivered_at_tick inspection_outcome",
    "ratings": "rating_id rater_agent_id ratee_agent_id thread_id stars body tick",
    "blocks": "block_id blocker_id blocked_id tick",
    "reports": "report_id reporter_id target_kind target_id reason tick moderator_action",
    "narrative_memories": "memory_id agent_id scope scope_ref_id content embedding created_tick "
    "decayed provenance",
    "llm_calls": "call_id tick agent_id model backend prompt_hash prompt_text sampling_params "
    "response_text tool_calls_json reasoning_summary seed cache_hit latency_ms wall_time",
}


def unit(title: str, *, quality: int | None = 72, **more: Any) -> dict[str, Any]:
    """A starting item of an inventory list."""
    row = {
        "title": title,
        "category": "electronics",
        "description": f"A {title}.",
        "condition": "good",
        "asking_price_cents": 10_000,
        "acquisition_cost_cents": 4_000,
        "source": "marketplace_dataset",
        "ground_truth_quality_pct": quality,
    }
    return row | more


def bought(title: str, *, via: int, tick: int, price: int = 9_000, **more: Any) -> dict[str, Any]:
    """An item that was bought through a listing."""
    row = {
        "title": title,
        "category": "electronics",
        "description": "",
        "condition": "good",
        "asking_price_cents": price,
        "source": "bought",
        "bought_from_listing_id": via,
        "bought_tick": tick,
        "bought_price_cents": price,
    }
    return row | more


def sold(item: Mapping[str, Any], *, via: int, tick: int) -> dict[str, Any]:
    """An item with the platform's sale mark."""
    return {**item, "sold_via_listing_id": via, "sold_at_tick": tick}


@dataclass
class Handmade:
    """A released database while it is being written; ids count from 1 in each table."""

    late: bool = True
    rows: dict[str, list[dict[str, Any]]] = field(
        default_factory=lambda: {name: [] for name in _TABLES}
    )
    items: dict[int, list[dict[str, Any]]] = field(default_factory=dict)

    def add(self, table: str, **values: Any) -> int:
        """A row; its key is the next one unless it is given."""
        rows = self.rows[table]
        key = _TABLES[table].split()[0]
        if key not in values:
            values[key] = 1 + max((row[key] for row in rows), default=0)
        rows.append(values)
        return int(values[key]) if table != "meta" else 0

    def meta(self, key: str, value: Any) -> None:
        text = value if isinstance(value, str) else json.dumps(value)
        self.add("meta", key=key, value=text)

    def agent(
        self,
        agent_id: int,
        items: Sequence[dict[str, Any]] = (),
        *,
        seeded: bool = False,
        **persona: Any,
    ) -> None:
        """An agent; ``persona`` goes into its persona_json."""
        self.items[agent_id] = list(items)
        columns = {k: persona.pop(k) for k in ("status", "home_lat", "home_lng") if k in persona}
        raw = {"activity_rate": 0.7, "privacy_awareness": 0.0, **persona}
        raw["inventory_items"] = self.items[agent_id]
        self.add(
            "agents",
            agent_id=agent_id,
            user_name=f"user{agent_id}",
            display_name=f"User {agent_id}",
            home_zip="10001",
            home_lat=columns.get("home_lat", 40.0),
            home_lng=columns.get("home_lng", -74.0),
            activity_rate=0.3,
            privacy_awareness=0.5,
            device="Phone 9",
            persona_json=raw,
            created_at_tick=0,
            status=columns.get("status", "active"),
            is_seeded=int(seeded),
        )

    def register(self, agent_id: int, items: Sequence[dict[str, Any]], *, tick: int = 0) -> int:
        """The event with which an agent and its starting inventory enter."""
        persona = json.dumps({"inventory_items": list(items)})
        payload = {"agent_id": agent_id, "persona_json": persona}
        return self.event(tick, None, "platform_register_agent", payload)

    def event(
        self,
        tick: int,
        agent_id: int | None,
        action: str,
        payload: Mapping[str, Any] | None = None,
        result: Mapping[str, Any] | None = None,
        *,
        status: str = "ok",
    ) -> int:
        return self.add(
            "events",
            tick=tick,
            wall_time="2026-01-01T00:00:00",
            agent_id=agent_id,
            action_type=action,
            payload=dict(payload or {}),
            result_status=status,
            result_payload=None if result is None else dict(result),
        )

    # ------------------------------------------------------------------- what agents do, as rows

    def seed(self, owner: int, title: str, *, price: int = 10_000, **row: Any) -> int:
        """An initial listing of tick 0."""
        listing = self.listing(owner, title, created_at_tick=0, price_cents=price, **row)
        payload = {
            "listing_id": listing,
            "owner_agent_id": owner,
            "category": row.get("category", "electronics"),
            "price_cents": price,
            "condition": "good",
            "used_inventory": True,
        }
        self.event(0, None, "platform_seed_real_listing", payload)
        return listing

    def create(
        self, tick: int, owner: int, title: str, *, band: str | None = "good", **row: Any
    ) -> int:
        """A listing that its owner makes."""
        listing = self.listing(
            owner, title, created_at_tick=tick, stated_quality_band=band or "good", **row
        )
        payload = {
            "category": row.get("category", "electronics"),
            "title": title,
            "description": row.get("description", ""),
            "price_cents": row.get("price_cents", 10_000),
            "condition": "good",
            "stated_quality_band": band,
            "location_zip": None,
        }
        validator = {"mode": "warn", "decision": "allow"}
        result = {
            "listing_id": listing,
            "is_phantom": False,
            "inventory_validator": validator,
            "stated_quality_band": band or "good",
        }
        self.event(tick, owner, "create_listing", payload, result)
        return listing

    def listing(self, owner: int | None, title: str, **row: Any) -> int:
        """A listing's row alone."""
        values = {
            "owner_agent_id": owner,
            "category": "electronics",
            "title": title,
            "description": "",
            "price_cents": 10_000,
            "condition": "good",
            "location_zip": "10001",
            "location_lat": 40.0,
            "location_lng": -74.0,
            "is_phantom": 0,
            "view_count": 0,
            "inquiry_count": 0,
            "created_at_tick": 0,
            "status": "active",
            "is_speculative": 0,
            "is_seeded": 0,
            "ground_truth_quality_pct": None,
        }
        return self.add("listings", **(values | row))

    def offer(self, tick: int, buyer: int, listing: int, *, price: int = 9_000) -> int:
        """An offer of a buyer on a listing; opens the thread if need be. The offer's id."""
        thread = self.thread_of(buyer, listing, tick)
        offer = self.add(
            "offers",
            thread_id=thread,
            proposer_id=buyer,
            round=1,
            price_cents=price,
            terms_json="{}",
            tick=tick,
            status="pending",
        )
        payload = {"listing_id": listing, "price_cents": price, "terms": {}}
        result = {"offer_id": offer, "thread_id": thread, "round": 1}
        self.event(tick, buyer, "make_offer", payload, result)
        return offer

    def thread_of(self, buyer: int, listing: int, tick: int) -> int:
        for row in self.rows["threads"]:
            if (row["buyer_agent_id"], row["listing_id"]) == (buyer, listing):
                return int(row["thread_id"])
        return self.add(
            "threads",
            listing_id=listing,
            buyer_agent_id=buyer,
            seller_agent_id=self.row("listings", listing)["owner_agent_id"],
            created_at_tick=tick,
            status="open",
        )

    def row(self, table: str, key: int) -> dict[str, Any]:
        name = _TABLES[table].split()[0]
        return next(row for row in self.rows[table] if row[name] == key)

    def accept(self, tick: int, offer: int) -> int:
        """The other side accepts an offer; the thread's id."""
        row = self.row("offers", offer)
        thread = self.row("threads", row["thread_id"])
        row["status"], thread["status"] = "accepted", "committed"
        seller, buyer = thread["seller_agent_id"], thread["buyer_agent_id"]
        agent = seller if row["proposer_id"] == buyer else buyer
        result = {"offer_id": offer, "thread_id": thread["thread_id"], "status": "accepted"}
        self.event(tick, agent, "accept_offer", {"offer_id": offer}, result)
        return int(thread["thread_id"])

    def meet(self, tick: int, thread: int, *, at: int | None = None) -> int:
        """A meetup; its id."""
        due = tick if at is None else at
        meetup = self.add(
            "meetups",
            thread_id=thread,
            scheduled_tick=due,
            location_desc="station",
            payment_method="cash",
            buyer_confirmed=0,
            seller_confirmed=0,
            handoff_token="handoff-abc",
            status="scheduled",
            delivery_method="meetup",
        )
        payload = {
            "thread_id": thread,
            "location_desc": "station",
            "scheduled_tick": due,
            "payment_method": "cash",
        }
        result = {"meetup_id": meetup, "thread_id": thread, "scheduled_tick": due}
        seller = self.row("threads", thread)["seller_agent_id"]
        self.event(tick, seller, "schedule_meetup", payload, result)
        return meetup

    def ship(self, tick: int, thread: int, *, lag: int = 6) -> int:
        """A shipment; its id."""
        meetup = self.add(
            "meetups",
            thread_id=thread,
            scheduled_tick=tick,
            location_desc="shipment",
            payment_method="cash",
            buyer_confirmed=0,
            seller_confirmed=0,
            handoff_token=None,
            status="scheduled",
            delivery_method="ship",
            delivered_at_tick=tick + lag,
        )
        payload = {"thread_id": thread, "delivery_lag_ticks": lag, "payment_method": "cash"}
        result = {"meetup_id": meetup, "thread_id": thread, "delivered_at_tick": tick + lag}
        seller = self.row("threads", thread)["seller_agent_id"]
        self.event(tick, seller, "schedule_shipment", payload, result)
        return meetup

    def inspect(self, tick: int, meetup: int, shown: int = 72) -> int:
        row = self.row("meetups", meetup)
        row["buyer_inspected_quality_pct"] = shown
        thread = self.row("threads", row["thread_id"])
        result = {"meetup_id": meetup, "ground_truth_quality_pct": shown}
        buyer = thread["buyer_agent_id"]
        return self.event(tick, buyer, "inspect_at_meetup", {"meetup_id": meetup}, result)

    def complete(self, tick: int, meetup: int) -> int:
        """Both sides confirm; rows follow, inventories are the test's. The completing event."""
        row = self.row("meetups", meetup)
        thread = self.row("threads", row["thread_id"])
        payload = {"meetup_id": meetup, "handoff_proof": None}
        common = {"meetup_id": meetup, "thread_id": row["thread_id"]}
        seller, buyer = thread["seller_agent_id"], thread["buyer_agent_id"]
        self.event(tick, seller, "complete_transaction", payload, {**common, "completed": False})
        done = self.event(
            tick, buyer, "complete_transaction", payload, {**common, "completed": True}
        )
        row.update(buyer_confirmed=1, seller_confirmed=1, status="completed")
        if row["delivery_method"] == "meetup":
            row["delivered_at_tick"] = tick
        listing = self.row("listings", thread["listing_id"])
        listing.update(status="sold", sold_at_tick=tick)
        for sister in self.rows["threads"]:
            if sister["listing_id"] == thread["listing_id"] and sister["status"] in (
                "open",
                "committed",
            ):
                sister["status"] = "cancelled"
                for offer in self.rows["offers"]:
                    if (offer["thread_id"], offer["status"]) == (sister["thread_id"], "pending"):
                        offer["status"] = "rejected"
        thread["status"] = "completed"
        return done

    def sale(self, tick: int, buyer: int, listing: int, *, price: int = 9_000) -> int:
        """A whole deal by meetup within one tick; the completing event."""
        meetup = self.meet(tick, self.accept(tick, self.offer(tick, buyer, listing, price=price)))
        self.inspect(tick, meetup)
        return self.complete(tick, meetup)

    def refuse(
        self, tick: int, agent: int, action: str, payload: Mapping[str, Any], **result: Any
    ) -> int:
        """A blocked call; ``result`` holds its error."""
        return self.event(tick, agent, action, payload, result, status="blocked")

    def call(
        self,
        tick: int,
        agent: int,
        *,
        tools: Any = (),
        text: str = "Decision note: buy.",
        **row: Any,
    ) -> int:
        """A model call."""
        values = {
            "tick": tick,
            "agent_id": agent,
            "model": "base-model",
            "backend": "Client",
            "prompt_hash": "0",
            "prompt_text": f"prompt of {agent} at {tick}",
            "sampling_params": "{}",
            "response_text": text,
            "tool_calls_json": None if tools is None else json.dumps(list(tools)),
            "reasoning_summary": None,
            "cache_hit": 0,
            "latency_ms": 10,
            "wall_time": "2026-01-01T00:00:00",
        }
        return self.add("llm_calls", **(values | row))

    # ------------------------------------------------------------------------------------ writing

    def write(self, path: Path) -> Path:
        """Write the file."""
        connection = sqlite3.connect(path)
        for table, names in _TABLES.items():
            columns = [n for n in names.split() if self.late or n not in LATE]
            key = f"{columns[0]} {'TEXT' if table == 'meta' else 'INTEGER'} PRIMARY KEY"
            connection.execute(f"CREATE TABLE {table} ({', '.join([key, *columns[1:]])})")
            for row in self.rows[table]:
                values = [_stored(row.get(name)) for name in columns]
                marks = ",".join("?" * len(columns))
                connection.execute(f"INSERT INTO {table} VALUES ({marks})", values)
        connection.commit()
        connection.close()
        return path


def _stored(value: Any) -> Any:
    return (
        json.dumps(value, sort_keys=True, ensure_ascii=False) if isinstance(value, dict) else value
    )


def handmade(
    items: Mapping[int, Sequence[dict[str, Any]]] | None = None,
    *,
    agents: int = 4,
    late: bool = True,
) -> Handmade:
    """A database with some agents, who are registered with what they have from the beginning."""
    database = Handmade(late=late)
    database.meta("schema_version", "2")
    for agent_id in range(1, agents + 1):
        database.agent(agent_id, (items or {}).get(agent_id, ()))
    return database
