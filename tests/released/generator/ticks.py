"""What the platform does by itself (released-platform.md §4, §5.4, §8)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import Any

from tests.released.generator.core import Core, Settings
from tests.released.generator.matching import BANDS
from tests.released.generator.rows import Agent, Listing

FEED_SIZE = 10
RESTOCK_EVERY = 84
_TIERS = {
    "power_seller": 1.0,
    "established": 0.75,
    "casual": 0.35,
    "newcomer": 0.25,
    "troubled": 0.15,
    "pure_buyer": 0.0,
}


def _kilometres(agent: Agent, listing: Listing) -> float:
    first, second = math.radians(agent.home_lat), math.radians(listing.location_lat)
    east = math.radians(listing.location_lng - agent.home_lng)
    chord = (
        math.sin((second - first) / 2) ** 2
        + math.cos(first) * math.cos(second) * math.sin(east / 2) ** 2
    )
    return 2 * 6371 * math.asin(math.sqrt(chord))


class Ticks(Core):
    """The platform's own rows."""

    restock_seed: int | None = None
    """Set to let D_restock draw on its days; stories say themselves what arrives."""

    def __init__(self, path: Path, settings: Settings | None = None) -> None:
        super().__init__(path, settings)
        self._arriving: list[tuple[int, list[tuple[dict[str, Any], int]], int]] = []

    def advance_to(self, tick: int) -> None:
        """End ticks until the clock shows `tick`."""
        while self.tick < tick:
            self.end_tick()

    def end_tick(self) -> None:
        """Write the tick's model calls, run the dynamics in registration order, move the clock."""
        self._write_calls()
        if self.tick > 0:
            self._deliver()
            if self.tick % 5 == 0:
                self._refresh_feeds()
            if self.tick % 12 == 0:
                self._age_listings()
            self._trip()
            if self.tick % 4 == 0:
                self._moderate()
            for agent, arrivals, sales in self._arriving:
                self._restock(agent, arrivals, sales)
            self._arriving.clear()
            if self.restock_seed is not None and self.tick % RESTOCK_EVERY == 0:
                self._restock_all(Random(f"{self.restock_seed}|{self.tick}"))
        self.tick += 1

    def platform(self, action: str, payload: dict[str, Any], *, tick: int | None = None) -> int:
        """Log a row of the platform's own."""
        return self.event(None, action, payload, tick=tick)

    def _deliver(self) -> None:
        waiting = []
        delivered = 0
        for message in self.unread:
            seller = self.threads[message["thread_id"]].seller_agent_id
            if message["tick"] < self.tick and seller is not None:
                if message["read_at_tick"] is None:
                    message["read_at_tick"] = self.tick
                    delivered += 1
                self.sink.add("messages", message)
            else:
                waiting.append(message)
        self.unread = waiting
        self.platform("platform_message_delivery", {"delivered": delivered})

    def _refresh_feeds(self) -> None:
        listings = sorted(self.on_sale(), key=lambda listing: listing.listing_id)
        if self.settings.feed_pool is not None:
            listings = listings[-self.settings.feed_pool :]
        feeds = {
            str(agent.agent_id): self._feed(agent, listings)
            for agent in self.agents.values()
            if agent.status == "active"
        }
        self.platform("platform_recsys_refresh", {"feeds": feeds, "k": FEED_SIZE})

    def _feed(self, agent: Agent, listings: Iterable[Listing]) -> list[int]:
        scored = []
        for listing in listings:
            owner = listing.owner_agent_id
            if owner == agent.agent_id:
                continue
            if owner is not None and self.agents[owner].status == "banned":
                continue
            age = max(0, self.tick - listing.created_at_tick)
            near = 0.5 / (1 + _kilometres(agent, listing))
            scored.append((-(near + 0.5 * math.exp(-age / 12)), listing.listing_id))
        return [listing_id for _, listing_id in sorted(scored)[:FEED_SIZE]]

    def _age_listings(self) -> None:
        aged = sum(
            1
            for listing in self.on_sale()
            if not listing.is_phantom and self.tick - listing.created_at_tick >= 12
        )
        self.platform("platform_listing_aged", {"aged_active_count": aged})

    def _trip(self) -> None:
        for (agent, listing, kind), logged in self.baited.items():
            if not logged:
                self.baited[agent, listing, kind] = True
                self.platform(
                    "platform_phantom_tripwire",
                    {
                        "agent_id": agent,
                        "listing_id": listing,
                        "kind": kind,
                        "trigger_tick": self.tick,
                    },
                )

    def _moderate(self) -> None:
        for report in self.reports.values():
            if report.moderator_action is not None:
                continue
            reporters = {
                other.reporter_id
                for other in self.reports.values()
                if (other.target_kind, other.target_id) == (report.target_kind, report.target_id)
                and other.tick > self.tick - 672
            }
            if len(reporters) < 3:
                continue
            # The 31 actions report users only, so nothing is ever taken down.
            report.moderator_action = "ban" if len(reporters) >= 4 else "warned"
            if report.moderator_action == "ban":
                self.agents[report.target_id].status = "banned"
            self.platform(
                "platform_moderator_action",
                {
                    "report_id": report.report_id,
                    "target_kind": report.target_kind,
                    "target_id": report.target_id,
                    "verdict": report.moderator_action,
                    "distinct_reporters": len(reporters),
                },
            )

    # ------------------------------------------------------------------------------------ restock

    def restock(
        self, agent: int, arrivals: list[tuple[dict[str, Any], int]], *, sales: int = 0
    ) -> None:
        """Let units arrive, (template, quality) each: after all actions of this tick, as always."""
        self._arriving.append((agent, arrivals, sales))

    def _restock(self, agent: int, arrivals: list[tuple[dict[str, Any], int]], sales: int) -> None:
        owner = self.agents[agent]
        tier = owner.persona.get("cold_start", {}).get("tier")
        for template, quality in arrivals:
            asking = template.get("asking_price_cents", 1000)
            owner.units.append(
                {
                    "title": template["title"],
                    "category": template.get("category", "misc"),
                    "condition": template.get("condition", "good"),
                    "asking_price_cents": asking,
                    "ground_truth_quality_pct": quality,
                    "acquisition_cost_cents": asking * 55 // 100,
                    "stated_quality_band": template.get("stated_quality_band", "good"),
                    "source": "restock",
                    "added_at_tick": self.tick,
                    "restock_tier": tier,
                    "restock_reason": "recent_sales" if sales else "background_supply",
                }
            )
        owner.touched = True
        self.event(
            agent,
            "platform_inventory_restocked",
            {
                "added_count": len(arrivals),
                "sales_window_count": sales,
                "marketplace_tier": tier,
                "templates_used": [template["title"] for template, _ in arrivals],
            },
        )

    def _restock_all(self, draw: Random) -> None:
        sales: dict[int, int] = {}
        for meetup in self.meetups.values():
            thread = self.threads[meetup.thread_id]
            arrived = meetup.delivered_at_tick
            if meetup.status == thread.status == "completed" and arrived is not None:
                seller = thread.seller_agent_id
                if max(0, self.tick - RESTOCK_EVERY) <= arrived < self.tick and seller:
                    sales[seller] = sales.get(seller, 0) + 1
        counts: dict[int, int] = {}
        for agent in self.agents.values():
            if agent.status != "active" or agent.is_seeded or not agent.units:
                continue
            sold = sales.get(agent.agent_id, 0)
            tier = agent.persona.get("cold_start", {}).get("tier")
            chance = 1.0 if sold or tier is None else _TIERS.get(tier, 0.35)
            base = 1 if draw.random() < chance else 0
            counts[agent.agent_id] = min(6, int(base + 0.5 * sold))
        for agent_id, count in counts.items():
            arrivals = []
            for _ in range(count):
                template = draw.choice(self.agents[agent_id].units)
                low, high = BANDS[template.get("stated_quality_band", "good")]
                arrivals.append((template, draw.randint(low, high)))
            if arrivals:
                self._restock(agent_id, arrivals, sales.get(agent_id, 0))
