"""How a released world begins, forks and ends: agents, first listings, history, meta rows."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.released.generator.rows import Agent, Json, Listing, Meetup, Offer, dumps
from tests.released.generator.ticks import Ticks

#: The lot-sale pool: titles made up here, the released ones are not known.
_LOTS = (
    ("Box of mixed paperback novels", "books", 1500),
    ("Crate of glass storage jars", "home-goods", 1200),
    ("Bundle of garden hand tools", "tools", 2500),
)


def seed_unit(
    title: str,
    category: str,
    *,
    quality: int | None = 70,
    asking: int = 10_000,
    cost: int | None = 5_000,
    condition: str = "good",
    description: str = "",
) -> Json:
    """A unit that an agent starts with; without quality and cost if no script augmented it."""
    unit: Json = {
        "title": title,
        "category": category,
        "description": description,
        "condition": condition,
        "asking_price_cents": asking,
        "source": "marketplace_dataset",
        "seed_role": "inventory",
        "brand": title.split(maxsplit=1)[0],
        "model_name": title,
        "dataset_attrs": {},
    }
    if quality is not None:
        unit["ground_truth_quality_pct"] = quality
    if cost is not None:
        unit["acquisition_cost_cents"] = cost
    return unit


class Seeding(Ticks):
    """Everything at or before tick 0, and the seams between runs."""

    def add_agent(
        self,
        name: str,
        units: Sequence[Json] = (),
        *,
        privacy: float = 0.5,
        tier: str | None = None,
        seeded: bool = False,
        street: str | None = "12 Elm Street",
    ) -> int:
        """Add one agent with the next id. Bots that anchor history are `seeded`."""
        number = len(self.agents) + 1
        persona: Json = {
            "agent_id": number,
            "user_name": name,
            "display_name": name.replace("_", " ").title(),
            "home_zip": f"{10_000 + number}",
            "home_lat": 40.125 + number % 7,
            "home_lng": -70.25 - number % 11,
            "home_street": street,
            "device": "iPhone 14",
            "activity_rate": 0.9,
            "privacy_awareness": privacy,
            "risk_posture": "neutral",
            "is_redteam": False,
            "agency_mode": "market_self_interest",
            "background": "Collects café chairs – “good ones”.",
            "inventory_items": [dict(unit) for unit in units],
        }
        if tier is not None:
            persona["cold_start"] = {"schema_version": "cold-start-v3", "tier": tier}
        self.agents[number] = Agent(
            agent_id=number,
            user_name=name,
            display_name=persona["display_name"],
            home_zip=persona["home_zip"],
            home_lat=persona["home_lat"],
            home_lng=persona["home_lng"],
            activity_rate=0.9,
            privacy_awareness=privacy,
            device="iPhone 14",
            persona=persona,
            created_at_tick=self.tick,
            is_seeded=int(seeded),
        )
        if not seeded:
            row = {"agent_id": number, "tick": self.tick, "content": f"{name} begins."}
            summary = {**row, "summary_id": self.sink.new_id("agent_summary")}
            self.sink.add("agent_summary", {**summary, "source": "cold_start"})
        if self.settings.registration_events and not seeded:
            self.platform(
                "platform_register_agent",
                {
                    "agent_id": number,
                    "user_name": name,
                    "display_name": persona["display_name"],
                    "parent_agent_id": None,
                    "risk_posture": "neutral",
                    "is_redteam": False,
                    "persona_json": json.dumps(persona),
                },
            )
        return number

    def _bare_listing(self, owner: int | None, tick: int, **values: Any) -> Listing:
        home = None if owner is None else self.agents[owner]
        listing = Listing(
            listing_id=self.sink.new_id("listings"),
            owner_agent_id=owner,
            location_zip="00000" if home is None else home.home_zip,
            location_lat=0.0 if home is None else home.home_lat,
            location_lng=0.0 if home is None else home.home_lng,
            created_at_tick=tick,
            **values,
        )
        self.listings[listing.listing_id] = listing
        if listing.status == "active":
            self.activate(listing)
        return listing

    def initial_listing(self, owner: int, index: int) -> int:
        """Put a starting unit up at tick 0: no band, no truth, no cost, no binding."""
        unit = self.agents[owner].units[index]
        listing = self._bare_listing(
            owner,
            0,
            category=unit["category"],
            title=unit["title"],
            description=unit.get("description", ""),
            price_cents=unit["asking_price_cents"],
            condition=unit["condition"],
        )
        self.platform(
            "platform_seed_real_listing",
            {
                "listing_id": listing.listing_id,
                "owner_agent_id": owner,
                "category": listing.category,
                "price_cents": listing.price_cents,
                "condition": listing.condition,
                "used_inventory": True,
            },
        )
        return listing.listing_id

    def phantom(self, category: str = "electronics", price: int = 500) -> int:
        """Put up an owner-less bait listing."""
        listing = self._bare_listing(
            None,
            0,
            category=category,
            title=f"Unbelievable {category} deal",
            description="",
            price_cents=price,
            condition="good",
            is_phantom=1,
        )
        payload = {"listing_id": listing.listing_id, "category": category, "price_cents": price}
        self.platform("platform_seed_phantom_listing", payload)
        return listing.listing_id

    # ------------------------------------------------------------------------------------ history

    def history(
        self,
        owner: int,
        bot: int,
        title: str,
        *,
        category: str = "home-goods",
        price: int = 4_000,
        days: int = 20,
        sold: bool = True,
    ) -> int:
        """An invented past listing at −days × ticks per day; sold to a bot, or expired."""
        start = -days * self.settings.ticks_per_day
        end = start + self.settings.ticks_per_day
        listing = self._bare_listing(
            owner,
            start,
            category=category,
            title=title,
            description="",
            price_cents=price,
            condition="good",
            status="sold" if sold else "expired",
            sold_at_tick=end if sold else None,
            is_seeded=1,
        )
        offer = self._past_thread(bot, listing, start, completed=sold)
        thread = self.threads[offer.thread_id]
        meetup = Meetup(
            meetup_id=self.sink.new_id("meetups"),
            thread_id=thread.thread_id,
            scheduled_tick=end,
            location_desc="historical local pickup",
            payment_method="on_platform",
            handoff_token=None,
            status=thread.status,
            delivered_at_tick=end if sold else None,
            buyer_confirmed=int(sold),
            seller_confirmed=int(sold),
        )
        self.meetups[meetup.meetup_id] = meetup
        thread.meetups.append(meetup.meetup_id)
        if sold:
            self._past_rating(bot, owner, thread.thread_id, end + 1)
        for agent, other in ((owner, bot), (bot, owner)):
            self.ledger(agent, "transaction", other, "threads", thread.thread_id, end, title)
        return listing.listing_id

    def _past_thread(self, bot: int, listing: Listing, tick: int, *, completed: bool) -> Offer:
        thread = self.open_thread(bot, listing)
        thread.created_at_tick = tick
        thread.status = "completed" if completed else "cancelled"
        offer = Offer(
            offer_id=self.sink.new_id("offers"),
            thread_id=thread.thread_id,
            proposer_id=bot,
            round=1,
            price_cents=listing.price_cents,
            terms={},
            tick=tick,
            status="accepted",
        )
        self.offers[offer.offer_id] = offer
        thread.offers.append(offer.offer_id)
        return offer

    def _past_rating(self, rater: int, ratee: int, thread: int, tick: int) -> None:
        self.ratings[ratee].append(5)
        row = {"rater_agent_id": rater, "ratee_agent_id": ratee, "thread_id": thread, "stars": 5}
        rating_id = self.sink.new_id("ratings")
        self.sink.add("ratings", {**row, "rating_id": rating_id, "body": "", "tick": tick})

    def ledger(
        self,
        agent: int,
        kind: str,
        other: int | None,
        table: str,
        ref: int,
        tick: int,
        summary: str,
    ) -> None:
        """Write one ledger row."""
        self.sink.add(
            "ledger_entries",
            {
                "entry_id": self.sink.new_id("ledger_entries"),
                "agent_id": agent,
                "kind": kind,
                "counterparty_id": other,
                "ref_table": table,
                "ref_id": ref,
                "summary": summary,
                "tick": tick,
            },
        )

    def lot_sales(self, anchor: int) -> list[int]:
        """The invented recent sales: accepted offers at real ticks, seeded, without a meetup."""
        seller = self.add_agent("community_finds_42", seeded=True)
        buyer = self.add_agent("bargain_hunt_87", seeded=True)
        made = []
        for number, (title, category, price) in enumerate(_LOTS):
            tick = max(0, anchor - 3 * number)
            listing = self._bare_listing(
                seller,
                tick,
                category=category,
                title=title,
                description="",
                price_cents=price,
                condition="good",
                status="sold",
                sold_at_tick=tick,
                is_seeded=1,
                is_speculative=1,
                inventory_match_confidence=0.0,
            )
            offer = self._past_thread(buyer, listing, tick, completed=True)
            self._past_rating(buyer, seller, offer.thread_id, tick + 1)
            made.append(listing.listing_id)
        self.platform(
            "platform_seed_lot_sales_feed",
            {
                "count": len(made),
                "anchor_tick": anchor,
                "listing_ids": made,
                "seed_agents": [seller, buyer],
                "seed_sales": len(made),
            },
        )
        return made

    # ---------------------------------------------------------------------------- runs and chunks

    def start_run(self, ticks: int) -> None:
        """Log the configuration of a run or of one chunk of it."""
        if self.tick == 0:
            self.tick = 1
        config: Json = {"ticks": ticks, "agents": len(self.agents), "phantom_count": 0}
        self.sink.meta("experiment_config", dumps(config))
        self.sink.meta("defense_settings", "{}")
        self.platform("experiment_config", config)

    def end_run(self, last: int) -> None:
        """Play up to and with tick `last`; the row that says so carries the next tick."""
        self.advance_to(last + 1)
        self.platform("experiment_run_complete", {"ticks_completed": last}, tick=last + 1)

    def fork(
        self,
        path: Path,
        *,
        horizon: int = 84,
        treated: Sequence[int] = (),
        model: str = "treatment-model",
        cell: Json | None = None,
    ) -> Path:
        """Close this base as it is and go on in a copy at `path`; returns the base's path."""
        base = self.sink.path
        self.save()
        self.sink.move_to(path)
        at = self.tick - 1
        self.settings.validator = self.settings.ownership_check = "warn"
        self._write_meta()
        described: Json = {
            "cell": "L3_seller",
            "level": "L3",
            "fork_tick": at,
            "target_tick": at + horizon,
            "horizon": horizon,
            "chunk_size": 12,
            "treated_ids": list(treated),
            "base_model": self.settings.base_model,
            "treatment_model": model,
            "base_provider": "scripted",
            "treatment_provider": "scripted",
            "pressure_side": "seller",
            "prompt_suffix_file": "suffix.txt",
            "prompt_suffix_length": 1200,
            "inventory_validator_mode": "warn",
            "handoff_checks": "legacy",
            "defense_arm": None,
            "workers": 32,
        }
        self.sink.meta("trapi_matrix_cell", dumps({**described, **(cell or {})}))
        self.sink.meta("trapi_matrix_status", dumps({"status": "complete"}))
        for agent in treated:
            self.models[agent] = model
        for persona in (agent.persona for agent in self.agents.values()):
            persona["agency_mode"] = "market_self_interest"
        return base
