"""Passive actions, discovery and reputation (released-platform.md §3.1, §3.2, §3.7)."""

from __future__ import annotations

import re
from typing import Any

from tests.released.generator.rows import TERMINAL, Json, Listing, Report, Result
from tests.released.generator.seeding import Seeding

_LIMIT = 25
_SHOWN = 5


class Looking(Seeding):
    """What an agent does without touching anybody's goods."""

    def do_nothing(self, agent: int) -> Result:
        return self.ok(agent, "do_nothing", {}, None)

    def wait(self, agent: int, *, ticks: int) -> Result:
        return self.ok(agent, "wait", {"ticks": ticks}, {"ticks": ticks})

    def pin(self, agent: int, *, listing_id: int) -> Result:
        return self.ok(agent, "pin", {"listing_id": listing_id}, {"listing_id": listing_id})

    def recall(self, agent: int, *, query: str, top_k: int = 5) -> Result:
        payload = {"query": query, "top_k": top_k}
        return self.ok(agent, "recall", payload, {"query": query, "hits": []})

    def read(self, agent: int, *, thread_id: int) -> Result:
        payload = {"thread_id": thread_id}
        thread = self.threads.get(thread_id)
        if thread is None:
            return self.error(agent, "read", payload, "thread_not_found")
        if not thread.has(agent):
            return self.blocked(agent, "read", payload, "not_a_participant")
        marked = 0
        for message in self.unread:
            mine = message["sender_agent_id"] == agent
            if message["thread_id"] == thread_id and not mine and message["read_at_tick"] is None:
                message["read_at_tick"] = self.tick
                marked += 1
        return self.ok(agent, "read", payload, {"thread_id": thread_id, "marked_read": marked})

    def view_profile(self, agent: int, *, user_agent_id: int) -> Result:
        payload = {"user_agent_id": user_agent_id}
        user = self.agents.get(user_agent_id)
        if user is None:
            return self.error(agent, "view_profile", payload, "user_not_found")
        stars = self.ratings[user_agent_id]
        return self.ok(
            agent,
            "view_profile",
            payload,
            {
                "agent_id": user_agent_id,
                "user_name": user.user_name,
                "display_name": user.display_name,
                "home_zip": user.home_zip,
                "account_age_ticks": self.tick - user.created_at_tick,
                "status": user.status,
                "rating_count": len(stars),
                "rating_avg": sum(stars) / len(stars) if stars else None,
            },
        )

    # ---------------------------------------------------------------------------------- discovery

    def search(
        self,
        agent: int,
        *,
        query: str,
        category: str | None = None,
        max_price_cents: int | None = None,
        max_distance_km: float | None = None,
    ) -> Result:
        hits = self._found(agent, category, max_price_cents, query)
        payload = {
            "query": query,
            "category": category,
            "max_price_cents": max_price_cents,
            "max_distance_km": max_distance_km,
        }
        result = {
            "query": query,
            "category": category,
            "max_price_cents": max_price_cents,
            "hit_count": len(hits),
            "hit_preview": [_preview(listing) for listing in hits[:_SHOWN]],
        }
        return self.ok(agent, "search", payload, result)

    def browse_category(self, agent: int, *, category: str) -> Result:
        hits = self._found(agent, category, None, "")
        shown = [_preview(listing) for listing in hits[:_SHOWN]]
        result = {"category": category, "hit_count": len(hits), "hit_preview": shown}
        return self.ok(agent, "browse_category", {"category": category}, result)

    def _found(
        self, agent: int, category: str | None, cap: int | None, query: str
    ) -> list[Listing]:
        words = {word for word in re.findall("[a-z0-9]+", query.lower()) if len(word) >= 2}
        groups = [self.active[category]] if category else list(self.active.values())
        found: list[Listing] = []
        for ids in groups:
            kept = 0
            for listing_id in reversed(ids):
                listing = self.listings[listing_id]
                # Ids ascend with creation, so only ties of one tick can still change the order.
                if kept >= _LIMIT and listing.created_at_tick < found[-1].created_at_tick:
                    break
                fits = not words or _mentions(listing, words)
                if fits and self._shown_to(agent, listing, cap):
                    found.append(listing)
                    kept += 1
        found.sort(key=lambda row: (-row.created_at_tick, row.price_cents, -row.listing_id))
        return found[:_LIMIT]

    def _shown_to(self, agent: int, listing: Listing, cap: int | None) -> bool:
        owner = listing.owner_agent_id
        if listing.is_phantom or owner is None or owner == agent:
            return False
        if cap is not None and listing.price_cents > cap:
            return False
        return self.agents[owner].status != "banned"

    def view_listing(self, agent: int, *, listing_id: int) -> Result:
        payload = {"listing_id": listing_id}
        listing = self.listings.get(listing_id)
        if listing is None:
            return self.error(agent, "view_listing", payload, "listing_not_found")
        if listing.status != "active":
            return self.blocked(agent, "view_listing", payload, "listing_not_active")
        shown = _preview(listing, whole=True)
        if listing.owner_agent_id != agent:
            listing.view_count += 1
        return self.ok(agent, "view_listing", payload, shown)

    # --------------------------------------------------------------------------------- reputation

    def rate(
        self,
        agent: int,
        *,
        ratee_agent_id: int,
        stars: int,
        body: str | None = None,
        thread_id: int | None = None,
    ) -> Result:
        payload: Json = {
            "ratee_agent_id": ratee_agent_id,
            "stars": stars,
            "body": body,
            "thread_id": thread_id,
        }
        if ratee_agent_id == agent:
            return self.blocked(agent, "rate", payload, "cannot_rate_self")
        if ratee_agent_id not in self.agents:
            return self.error(agent, "rate", payload, "ratee_not_found")
        if thread_id is not None:
            thread = self.threads.get(thread_id)
            if thread is None:
                return self.error(agent, "rate", payload, "thread_not_found")
            if not (thread.has(agent) and thread.has(ratee_agent_id)):
                return self.blocked(agent, "rate", payload, "not_a_participant")
            if thread.status not in TERMINAL - {"ghosted"}:
                code = f"thread_not_terminal_{thread.status}"
                return self.blocked(agent, "rate", payload, code)
        self.ratings[ratee_agent_id].append(stars)
        row: dict[str, Any] = {
            "rating_id": self.sink.new_id("ratings"),
            "rater_agent_id": agent,
            "tick": self.tick,
            **payload,
        }
        self.sink.add("ratings", row)
        result = {"rating_id": row["rating_id"], "ratee_agent_id": ratee_agent_id, "stars": stars}
        return self.ok(agent, "rate", payload, result)

    def report_user(self, agent: int, *, user_agent_id: int, reason: str) -> Result:
        payload = {"user_agent_id": user_agent_id, "reason": reason}
        if user_agent_id == agent:
            return self.blocked(agent, "report_user", payload, "cannot_report_self")
        if user_agent_id not in self.agents:
            return self.error(agent, "report_user", payload, "user_not_found")
        report = Report(
            self.sink.new_id("reports"), agent, "user", user_agent_id, reason, self.tick
        )
        self.reports[report.report_id] = report
        result = {"report_id": report.report_id, "target_id": user_agent_id}
        return self.ok(agent, "report_user", payload, result)

    # ------------------------------------------------------------------------------- calls gone bad

    def malformed(self, agent: int, action: str, raw: Any) -> Result:
        """Arguments that fail validation are logged as they came."""
        if isinstance(raw, dict):
            payload: Json = raw
        else:
            payload = {
                "_malformed_args": True,
                "source": "dispatch",
                "raw_args_type": type(raw).__name__,
                "raw_args_repr": repr(raw)[:500],
            }
        detail = [{"type": "missing", "loc": ["listing_id"], "msg": "Field required"}]
        return self.error(agent, action, payload, "validation", detail=detail)

    def handler_exception(self, agent: int, action: str, payload: Json, detail: str) -> Result:
        """A handler that raised: all its effects are rolled back, a row of its own stays."""
        return self.error(agent, action, payload, "handler_exception", detail=detail)

    def stub(self, agent: int, action: str) -> Result:
        """An action of the enumeration that nothing handles."""
        result = {"stubbed": True, "action": action, "error": "handler_not_implemented"}
        return self._refused("blocked", agent, action, {}, result)

    def policy_error(self, agent: int, detail: str) -> int:
        """The policy itself failed; no call was dispatched."""
        payload = {
            "error": "policy_decide_exception",
            "source": "policy",
            "policy_class": "ScriptedPolicy",
            "detail": detail,
            "raw_type": "NoneType",
            "raw_repr": "None",
        }
        return self.event(agent, "policy_error", payload, status="error", result=payload)


def _mentions(listing: Listing, words: set[str]) -> bool:
    text = f"{listing.title} {listing.description} {listing.category}".lower()
    return all(word in text for word in words)


def _preview(listing: Listing, *, whole: bool = False) -> Json:
    shown: Json = {
        "listing_id": listing.listing_id,
        "owner_agent_id": listing.owner_agent_id,
        "category": listing.category,
        "title": listing.title,
        "price_cents": listing.price_cents,
        "condition": listing.condition,
        "location_zip": listing.location_zip,
        "is_phantom": bool(listing.is_phantom),
        "view_count": listing.view_count,
        "inquiry_count": listing.inquiry_count,
    }
    if listing.stated_quality_band is not None:
        shown["stated_quality_band"] = listing.stated_quality_band
    if whole:
        shown["description"] = listing.description
    else:
        text = " ".join(listing.description.split())
        shown["description_preview"] = text[:157] + "..." if len(text) > 160 else text
    return shown
