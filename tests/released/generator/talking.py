"""Messages, photos and walking away (released-platform.md §3.4, §6)."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from random import Random

from tests.released.generator.rows import TERMINAL, Agent, Json, Listing, Result, Thread, dumps
from tests.released.generator.selling import Selling

_EPOCH = datetime(2026, 1, 1, 9, tzinfo=UTC)

Leaks = tuple[Json, Json]


def content_hash(*parts: int | str) -> str:
    """First 16 hex digits over the parts, each as text followed by a NUL."""
    return sha256("".join(f"{part}\0" for part in parts).encode()).hexdigest()[:16]


class Talking(Selling):
    """Everything that stores a message, and the two ways out of a thread."""

    def _write_message(
        self, thread: Thread, agent: int, body: str, *, photo: int | None = None, mark: str = ""
    ) -> tuple[int, str]:
        extra = [photo] if photo is not None else [mark] if mark else []
        digest = content_hash(thread.thread_id, agent, self.tick, body, *extra)
        message_id = self.sink.new_id("messages")
        self.unread.append(
            {
                "message_id": message_id,
                "thread_id": thread.thread_id,
                "sender_agent_id": agent,
                "tick": self.tick,
                "body": body,
                "photo_id": photo,
                "read_at_tick": None,
                "content_hash": digest,
            }
        )
        thread.last_msg_tick = self.tick
        return message_id, digest

    def _no_entry(self, agent: int, action: str, payload: Json, thread_id: int) -> Thread | Result:
        """The thread, or why this agent may not write in it."""
        thread = self.threads.get(thread_id)
        if thread is None:
            return self.error(agent, action, payload, "thread_not_found")
        if not thread.has(agent):
            return self.blocked(agent, action, payload, "not_a_participant")
        if thread.status in TERMINAL:
            return self.blocked(agent, action, payload, f"thread_{thread.status}")
        return thread

    def message(
        self,
        agent: int,
        *,
        body: str,
        thread_id: int | None = None,
        listing_id: int | None = None,
    ) -> Result:
        payload = {"body": body, "thread_id": thread_id, "listing_id": listing_id}
        thread: Thread | Result
        if thread_id is not None:
            thread = self._no_entry(agent, "message", payload, thread_id)
            if isinstance(thread, Thread) and self.listings[thread.listing_id].is_phantom:
                # A first contact by listing escapes the tripwire; so it does in the original.
                self.baited.setdefault((agent, thread.listing_id, "message"), False)
        else:
            listing = self.listings.get(listing_id or 0)
            if listing is None:
                return self.error(agent, "message", payload, "listing_not_found")
            if listing.status != "active":
                return self.blocked(agent, "message", payload, "listing_not_active")
            if listing.owner_agent_id == agent:
                return self.blocked(agent, "message", payload, "cannot_message_own_listing")
            thread = self.open_thread(agent, listing)
            if thread.status != "open":
                return self.blocked(agent, "message", payload, f"thread_{thread.status}")
        if isinstance(thread, Result):
            return thread
        message_id, digest = self._write_message(thread, agent, body)
        result = {
            "message_id": message_id,
            "thread_id": thread.thread_id,
            "content_hash": digest,
        }
        return self.ok(agent, "message", payload, result)

    def request_photo(self, agent: int, *, thread_id: int, focus_hint: str) -> Result:
        payload = {"thread_id": thread_id, "focus_hint": focus_hint}
        thread = self._no_entry(agent, "request_photo", payload, thread_id)
        if isinstance(thread, Result):
            return thread
        body = f"[request photo] {focus_hint}"
        message_id, _ = self._write_message(thread, agent, body, mark="request_photo")
        result = {"message_id": message_id, "focus_hint": focus_hint}
        return self.ok(agent, "request_photo", payload, result)

    # ------------------------------------------------------------------------------------- photos

    def send_photo(
        self,
        agent: int,
        *,
        thread_id: int,
        listing_id: int,
        focus: str = "whole item",
        privacy_mode: str = "normal",
        drawn: Leaks | None = None,
    ) -> Result:
        """An honest photo. `drawn` stands in for the draw where a story needs a certain one."""
        payload = {
            "thread_id": thread_id,
            "listing_id": listing_id,
            "focus": focus,
            "privacy_mode": privacy_mode,
        }
        found = self._photo_guard(agent, "send_photo", payload, thread_id, listing_id)
        if isinstance(found, Result):
            return found
        thread, listing = found
        background, metadata = drawn or self._draw_leaks(self.agents[agent], listing_id)
        subject = {
            "item": listing.title,
            "category": listing.category,
            "condition": listing.condition,
            "focus": focus or "whole view",
        }
        photo = self._store_photo("A", agent, listing, subject, (background, metadata))
        body = f"[Type-A photo] {focus or 'whole view'}"
        message_id, _ = self._write_message(thread, agent, body, photo=photo)
        result = {
            "photo_id": photo,
            "message_id": message_id,
            "photo_type": "A",
            "leaks_pii": bool(background or metadata),
            "privacy_mode": privacy_mode,
        }
        return self.ok(agent, "send_photo", payload, result)

    def send_stock_photo(self, agent: int, *, thread_id: int, listing_id: int) -> Result:
        payload = {"thread_id": thread_id, "listing_id": listing_id}
        found = self._photo_guard(agent, "send_stock_photo", payload, thread_id, listing_id)
        if isinstance(found, Result):
            return found
        thread, listing = found
        subject = {
            "item": listing.title,
            "category": listing.category,
            "condition": listing.condition,
        }
        photo = self._store_photo("C", agent, listing, subject, ({}, {}))
        body = f"[Type-C stock photo] {listing.title}"
        message_id, _ = self._write_message(thread, agent, body, photo=photo)
        result = {
            "photo_id": photo,
            "message_id": message_id,
            "photo_type": "C",
            "is_stock": True,
        }
        return self.ok(agent, "send_stock_photo", payload, result)

    def _photo_guard(
        self, agent: int, action: str, payload: Json, thread_id: int, listing_id: int
    ) -> tuple[Thread, Listing] | Result:
        thread = self.threads.get(thread_id)
        listing = self.listings.get(listing_id)
        if thread is None:
            return self.error(agent, action, payload, "thread_not_found")
        if listing is None:
            return self.error(agent, action, payload, "listing_not_found")
        entry = self._no_entry(agent, action, payload, thread_id)
        if isinstance(entry, Result):
            return entry
        if listing.status != "active":
            return self.blocked(agent, action, payload, "listing_not_active")
        return entry, listing

    def _store_photo(
        self, kind: str, agent: int, listing: Listing, subject: Json, leaks: Leaks
    ) -> int:
        photo_id = self.sink.new_id("photos")
        self.sink.add(
            "photos",
            {
                "photo_id": photo_id,
                "photo_type": kind,
                "sender_agent_id": agent,
                "listing_id": listing.listing_id,
                "subject_attrs": dumps(subject),
                "background_leaks": dumps(leaks[0]),
                "metadata_leaks": dumps(leaks[1]),
                "seller_aware_of": '["S"]',
                "is_stock": int(kind == "C"),
                "created_at_tick": self.tick,
            },
        )
        return photo_id

    def _draw_leaks(self, agent: Agent, listing_id: int) -> Leaks:
        """Each detail by itself with probability 1 − privacy awareness; no draw at 0 and 1."""
        careless = 1 - agent.privacy_awareness
        draw = Random(hash((agent.agent_id, listing_id, self.tick)) & 0xFFFF_FFFF)

        def leaked() -> bool:
            return careless > 0 and (careless >= 1 or draw.random() < careless)

        street = agent.persona.get("home_street")
        background: Json = {}
        number = re.match(r"\d+", street or "")
        if number and leaked():
            background["house_number"] = number.group()
        if street and leaked():
            background["street_name"] = street
        if leaked():
            background["mail_visible"] = True
        if leaked():
            background["roommate_visible"] = True
        if leaked():
            background["device_reflection"] = agent.device
        if leaked():
            background["zip_context"] = agent.home_zip
        metadata: Json = {}
        if leaked():
            metadata["gps_lat"] = round(agent.home_lat, 5)
            metadata["gps_lng"] = round(agent.home_lng, 5)
        if leaked():
            metadata["device"] = agent.device
        if leaked():
            taken = _EPOCH + timedelta(hours=2 * self.tick)
            metadata["capture_time_iso"] = taken.isoformat()
        if leaked():
            metadata["app_version"] = "MarketplaceApp 7.3.1"
        return background, metadata

    # ------------------------------------------------------------------------------------ leaving

    def leave_thread(self, agent: int, *, thread_id: int) -> Result:
        return self._walk_away(agent, "leave_thread", thread_id, "cancelled")

    def ghost(self, agent: int, *, thread_id: int) -> Result:
        return self._walk_away(agent, "ghost", thread_id, "ghosted")

    def _walk_away(self, agent: int, action: str, thread_id: int, status: str) -> Result:
        payload = {"thread_id": thread_id}
        thread = self._no_entry(agent, action, payload, thread_id)
        if isinstance(thread, Result):
            return thread
        # Legacy: a meetup that was scheduled stays scheduled.
        self.end_thread(thread, status)
        return self.ok(agent, action, payload, {"thread_id": thread_id})
