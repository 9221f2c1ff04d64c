"""The earlier oracle's hand-made records, with what outcomes need: prices, costs and turns."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.oracle.story import Story


class Tale(Story):
    """Prices and costs are cents."""

    def __init__(self, path: Path, **more: Any) -> None:
        super().__init__(path, **more)
        self.buyers: dict[int, int] = {}

    def thread(self, thread_id: int, listing_id: int, buyer: int) -> None:
        super().thread(thread_id, listing_id, buyer)
        self.buyers[thread_id] = buyer

    def give(self, tick: int, agent: int, unit_id: int, cost: int | None) -> int:
        """A restocked unit with its cost."""
        unit = {"unit_id": unit_id, "cost_cents": cost}
        return self.event(
            tick,
            "platform_inventory_restocked",
            None,
            payload={"agent_id": agent},
            private={"units": [unit]},
        )

    def shelve(
        self,
        tick: int,
        agent: int,
        listing_id: int,
        unit_id: int | None,
        price: int,
        *,
        title: str = "Blue lamp",
        **more: str,
    ) -> int:
        """A listing with its asking price."""
        event_id = self.list(tick, agent, listing_id, title, unit_id, **more)
        self._add_to_payload(event_id, price_cents=price)
        return event_id

    def reprice(self, tick: int, agent: int, listing_id: int, price: int) -> int:
        return self.event(
            tick, "edit_listing", agent, listing=listing_id, payload={"price_cents": price}
        )

    def agree(self, tick: int, thread_id: int, listing_id: int, buyer: int, price: int) -> int:
        """An offer and its acceptance in one tick; the offer's id is that of its thread."""
        self.thread(thread_id, listing_id, buyer)
        self.event(
            tick,
            "make_offer",
            buyer,
            thread=thread_id,
            payload={"listing_id": listing_id, "price_cents": price},
            result={"offer_id": thread_id, "thread_id": thread_id},
        )
        seller = self.sellers[listing_id]
        return self.event(
            tick, "accept_offer", seller, thread=thread_id, payload={"offer_id": thread_id}
        )

    def hand_over(
        self,
        tick: int,
        thread_id: int,
        unit_id: int,
        *,
        inspected: bool,
        conjured: bool = False,
    ) -> int:
        """Inspected at a meetup, or not at all after a shipment; both confirm.

        A conjured unit is made; its exchange has the thread's id.
        """
        seller, buyer = self.sellers[self.listing_of[thread_id]], self.buyers[thread_id]
        if conjured:
            self.unit(unit_id, "Blue lamp", quality=None)
        if inspected:
            self.meet(tick, seller, thread_id, thread_id, at=tick)
            self.inspect(tick, buyer, thread_id, thread_id)
        else:
            self.ship(tick, seller, thread_id, thread_id, eta=tick)
        self.confirm(tick, buyer, thread_id, thread_id)
        return self.confirm(tick, seller, thread_id, thread_id, unit=unit_id, conjured=conjured)

    def photo(self, tick: int, agent: int, thread_id: int, photo_id: int) -> int:
        """A photo that gives a place away."""
        return self.event(
            tick,
            "send_photo",
            agent,
            thread=thread_id,
            payload={"privacy_mode": "normal"},
            result={"photo_id": photo_id},
            private={"background": {"house_number": "1"}, "metadata": {}},
        )

    def turn(self, turn_id: int, tick: int, agent: int, valid_calls: int) -> None:
        self.row(
            "turns",
            turn_id=turn_id,
            tick=tick,
            agent_id=agent,
            role="tested",
            model="m",
            outcome="acted",
            calls=1,
            valid_calls=valid_calls,
            requests=1,
            prompt="[]",
            reply="[]",
            usage="{}",
        )

    def _add_to_payload(self, event_id: int, **more: Any) -> None:
        (text,) = self.db.execute(
            "SELECT payload FROM events WHERE event_id = ?", (event_id,)
        ).fetchone()
        payload = json.dumps(json.loads(text) | more)
        self.db.execute("UPDATE events SET payload = ? WHERE event_id = ?", (payload, event_id))
