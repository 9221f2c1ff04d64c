"""Tiny records written row by row, for stories whose outcome is worked out by hand."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

from bazaarbench.market.schema import columns, ddl

#: Values for the columns that a story does not care about, by table.
_FILL: dict[str, dict[str, Any]] = {
    "units": {
        "description": "",
        "condition": "good",
        "origin": "initial",
        "entered_tick": 0,
        "asking_cents": 1000,
        "transfers": 0,
    },
    "listings": {
        "description": "",
        "price_cents": 1000,
        "condition": "good",
        "zip": "",
        "x_m": 0,
        "y_m": 0,
        "origin": "agent",
        "status": "active",
        "created_tick": 0,
        "created_event": 0,
        "view_count": 0,
        "inquiry_count": 0,
        "version": 1,
        "match_ppm": 0,
        "match_confidence": "none",
        "speculative": 0,
    },
    "threads": {"status": "open", "created_tick": 0},
    "exchanges": {
        "location": "",
        "payment": "",
        "buyer_confirmed": 0,
        "seller_confirmed": 0,
        "status": "scheduled",
        "handoff_token": "tok",
    },
}


class Story:
    """One record in the making; every method writes at once and event ids count up from 1."""

    def __init__(
        self, path: Path, *, start: int = 360, end: int = 444, tested: tuple[int, ...] = ()
    ) -> None:
        self.path = path
        self.db = sqlite3.connect(path)
        for statement in ddl():
            self.db.execute(statement)
        info = {"start_tick": start, "end_tick": end, "tested": list(tested), "rules": {}}
        self.db.execute("INSERT INTO meta VALUES ('info', ?)", (json.dumps(info),))
        self.next_event = 1
        self.sellers: dict[int, int] = {}
        self.listing_of: dict[int, int] = {}

    def row(self, table: str, **values: Any) -> None:
        names = columns(table)
        full = {**_FILL.get(table, {}), **values}
        assert set(full) <= set(names), sorted(set(full) - set(names))
        marks = ", ".join("?" for _ in names)
        self.db.execute(f"INSERT INTO {table} VALUES ({marks})", [full.get(name) for name in names])

    def event(  # noqa: PLR0913  (the columns of an event row)
        self,
        tick: int,
        action: str,
        agent: int | None,
        *,
        status: str = "ok",
        reason: str | None = None,
        listing: int | None = None,
        thread: int | None = None,
        payload: dict[str, Any] | None = None,
        result: dict[str, Any] | None = None,
        private: dict[str, Any] | None = None,
    ) -> int:
        if listing is None and thread is not None:
            listing = self.listing_of[thread]
        event_id = self.next_event
        self.next_event += 1
        self.row(
            "events",
            event_id=event_id,
            tick=tick,
            agent_id=agent,
            action=action,
            status=status,
            reason=reason,
            listing_id=listing,
            thread_id=thread,
            payload=json.dumps(payload or {}),
            result=json.dumps(result or {}),
            private=json.dumps(private or {}),
        )
        return event_id

    # ---------------------------------------------------------------------------- shorter to say

    def unit(
        self, unit_id: int, title: str, *, quality: int | None = 70, category: str = "x"
    ) -> None:
        """A unit's unchanging facts; ``own`` or a sale gives it a holder."""
        self.row("units", unit_id=unit_id, title=title, category=category, quality_pct=quality)

    def own(self, tick: int, agent: int, *unit_ids: int, restock: bool = False) -> int:
        units = [{"unit_id": u, "agent_id": agent} for u in unit_ids]
        name = "platform_restock" if restock else "platform_register_agent"
        return self.event(tick, name, None, payload={"agent_id": agent}, private={"units": units})

    def list(
        self,
        tick: int,
        agent: int,
        listing_id: int,
        title: str,
        unit_id: int | None,
        *,
        band: str = "good",
        category: str = "x",
    ) -> int:
        self.row(
            "listings",
            listing_id=listing_id,
            owner_id=agent,
            title=title,
            category=category,
            band=band,
        )
        self.sellers[listing_id] = agent
        return self.event(
            tick,
            "create_listing",
            agent,
            listing=listing_id,
            payload={"title": title, "category": category},
            result={"listing_id": listing_id, "stated_quality_band": band},
            private={"unit_id": unit_id, "band": band},
        )

    def thread(self, thread_id: int, listing_id: int, buyer: int) -> None:
        self.listing_of[thread_id] = listing_id
        self.row(
            "threads",
            thread_id=thread_id,
            listing_id=listing_id,
            buyer_id=buyer,
            seller_id=self.sellers[listing_id],
        )

    def offer(self, tick: int, agent: int, thread: int) -> int:
        return self.event(tick, "make_offer", agent, thread=thread)

    def accept(self, tick: int, agent: int, thread: int, *, status: str = "ok") -> int:
        return self.event(tick, "accept_offer", agent, thread=thread, status=status)

    def meet(self, tick: int, agent: int, thread: int, exchange_id: int, at: int) -> int:
        self.row(
            "exchanges",
            exchange_id=exchange_id,
            thread_id=thread,
            method="meetup",
            scheduled_tick=at,
        )
        return self.event(
            tick,
            "schedule_meetup",
            agent,
            thread=thread,
            result={"meetup_id": exchange_id, "scheduled_tick": at},
        )

    def ship(self, tick: int, agent: int, thread: int, exchange_id: int, eta: int) -> int:
        self.row(
            "exchanges",
            exchange_id=exchange_id,
            thread_id=thread,
            method="ship",
            scheduled_tick=tick,
            eta_tick=eta,
        )
        return self.event(
            tick,
            "schedule_shipment",
            agent,
            thread=thread,
            result={"meetup_id": exchange_id, "delivered_at_tick": eta},
        )

    def inspect(self, tick: int, agent: int, thread: int, exchange_id: int) -> int:
        return self.event(
            tick, "inspect_at_meetup", agent, thread=thread, payload={"meetup_id": exchange_id}
        )

    def confirm(
        self,
        tick: int,
        agent: int,
        thread: int,
        exchange_id: int,
        *,
        unit: int | None = None,
        conjured: bool = False,
        proof: str | None = None,
    ) -> int:
        """A confirmation; with a unit it is the second one, and completes the deal."""
        payload: dict[str, Any] = {"meetup_id": exchange_id}
        if proof is not None:
            payload["handoff_proof"] = proof
        return self.event(
            tick,
            "complete_transaction",
            agent,
            thread=thread,
            payload=payload,
            result={"completed": unit is not None},
            private={} if unit is None else {"unit_id": unit, "conjured": conjured},
        )

    def saved(self) -> Path:
        self.db.commit()
        self.db.close()
        return self.path
