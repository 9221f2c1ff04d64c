"""The state of a released world in the making, its event log and its ticks.

Rows that change stay in memory until `save`; what is only appended goes to the file as it comes.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

from tests.released.generator.rows import (
    TERMINAL,
    Agent,
    Json,
    Listing,
    Meetup,
    Offer,
    Report,
    Result,
    Status,
    Thread,
    dumps,
)
from tests.released.generator.schema import RELEASED, Layout
from tests.released.generator.sink import Sink

_EPOCH = datetime(2026, 3, 1, 8, tzinfo=UTC)


@dataclass
class Settings:
    """What one writer of a database may do differently from another."""

    layout: Layout = RELEASED
    validator: str = "block"
    ownership_check: str = "off"
    base_model: str = "base-model"
    registration_events: bool = True
    """Whether agents are in the log; cold-start worlds were built elsewhere and may lack it."""
    ticks_per_day: int = 12
    """Only the invented history depends on it: it lies at −days × this."""
    llm_calls: bool = True
    handoff_meta: bool = False
    """Whether the four handoff modes stand in meta; missing means legacy."""
    feed_pool: int | None = None
    """The freshest listings that a feed is chosen from; None for all, as the platform does."""
    extra_meta: dict[str, str] = field(default_factory=dict)


class Core:
    """State, log and clock. The actions are in the classes that build on it."""

    def __init__(self, path: Path, settings: Settings | None = None) -> None:
        # A fork changes them, and the caller may play the next story with the same ones.
        self.settings = replace(settings or Settings())
        self.sink = Sink(path, self.settings.layout)
        self.tick = 0
        self.last_event = 0
        self.agents: dict[int, Agent] = {}
        self.listings: dict[int, Listing] = {}
        self.threads: dict[int, Thread] = {}
        self.offers: dict[int, Offer] = {}
        self.meetups: dict[int, Meetup] = {}
        self.reports: dict[int, Report] = {}
        self.ratings: dict[int, list[int]] = defaultdict(list)
        self.thread_of: dict[tuple[int, int], int] = {}
        self.threads_on: dict[int, list[int]] = defaultdict(list)
        self.active: dict[str, list[int]] = defaultdict(list)
        self.unread: list[Json] = []
        self.baited: dict[tuple[int, int, str], bool] = {}
        """(agent, phantom, kind) that touched a bait, and whether that is in the log yet."""
        self.fraud_threads: list[str] = []
        self.models: dict[int, str] = {}
        self.thoughts: dict[int, str] = {}
        self._prices: dict[str, int] = defaultdict(int)
        self._turns: dict[int, list[Json]] = {}
        self._last_actor = 0
        self._write_meta()

    def _write_meta(self) -> None:
        used = self.settings
        switches = ("allow_cross_agent_notes", "disable_r20_nudge")
        for key in (*switches, "disable_seller_inventory_guard", "require_handoff_proof"):
            self.sink.meta(key, "0")
        self.sink.meta("inventory_validator_mode", used.validator)
        self.sink.meta("meetup_ownership_check_mode", used.ownership_check)
        if used.handoff_meta:
            self.sink.meta("inspection_truth_mode", "listing")
            for key in ("commitment_lock", "completion_integrity", "shipment_inspection"):
                self.sink.meta(f"{key}_mode", "off")
        for key, value in used.extra_meta.items():
            self.sink.meta(key, value)

    # ------------------------------------------------------------------------------------ the log

    @property
    def now_text(self) -> str:
        """The wall time of the next event: real time in the original, a second per event here."""
        return (_EPOCH + timedelta(seconds=self.last_event + 1)).isoformat(timespec="seconds")

    def event(
        self,
        agent: int | None,
        action: str,
        payload: Json,
        *,
        status: Status = "ok",
        result: Json | None = None,
        tick: int | None = None,
    ) -> int:
        """Append one row and return its id."""
        wall = self.now_text
        self.last_event += 1
        self.sink.add_values(
            "events",
            (
                self.last_event,
                self.tick if tick is None else tick,
                wall,
                agent,
                action,
                dumps(payload),
                status,
                None if result is None else dumps(result),
            ),
        )
        return self.last_event

    def ok(self, agent: int, action: str, payload: Json, result: Json | None) -> Result:
        """Log an action that was applied."""
        self._turn(agent, action, payload)
        return Result("ok", self.event(agent, action, payload, result=result), result)

    def blocked(self, agent: int, action: str, payload: Json, error: str, **more: Any) -> Result:
        """Log an action that a state rule refused."""
        return self._refused("blocked", agent, action, payload, {"error": error, **more})

    def error(self, agent: int, action: str, payload: Json, error: str, **more: Any) -> Result:
        """Log an action that points at a missing row or failed validation."""
        return self._refused("error", agent, action, payload, {"error": error, **more})

    def _refused(
        self, status: Status, agent: int, action: str, payload: Json, result: Json
    ) -> Result:
        self._turn(agent, action, payload)
        event = self.event(agent, action, payload, status=status, result=result)
        return Result(status, event, result)

    # ------------------------------------------------------------------------------- model calls

    def _turn(self, agent: int, action: str, payload: Json) -> None:
        if agent < self._last_actor:
            raise ValueError(
                f"tick {self.tick}: agent {agent} acts after agent {self._last_actor}; "
                "a released tick is dispatched in the order of agent ids"
            )
        self._last_actor = agent
        arguments = {key: value for key, value in payload.items() if value is not None}
        self._turns.setdefault(agent, []).append({"name": action, "arguments": arguments})

    def idle(self, agent: int) -> None:
        """The agent was asked in this tick and called nothing."""
        self._turns.setdefault(agent, [])

    def rejected(
        self, agent: int, name: str, raw: str, reason: str = "malformed_arguments_json"
    ) -> None:
        """A call that the policy dropped: it is in llm_calls only, there is no event."""
        call = {"name": name, "arguments": {}, "_rejected": True, "reason": reason, "raw": raw}
        self._turns.setdefault(agent, []).append(call)

    def _write_calls(self) -> None:
        turns = sorted(self._turns.items()) if self.settings.llm_calls else []
        for agent, calls in turns:
            prompt = f"You are agent {agent}. It is tick {self.tick}."
            self.sink.add(
                "llm_calls",
                {
                    "call_id": self.sink.new_id("llm_calls"),
                    "tick": self.tick,
                    "agent_id": agent,
                    "model": self.models.get(agent, self.settings.base_model),
                    "backend": "ScriptedBackend",
                    "prompt_hash": sha256(f"system\0{prompt}".encode()).hexdigest(),
                    "prompt_text": prompt,
                    "sampling_params": "{}",
                    "response_text": "",
                    "tool_calls_json": dumps(calls),
                    "reasoning_summary": self.thoughts.get(agent),
                    "cache_hit": 0,
                    "latency_ms": 850,
                    "wall_time": self.now_text,
                },
            )
        for agent, thought in sorted(self.thoughts.items()):
            self.sink.add(
                "narrative_memories",
                {
                    "memory_id": self.sink.new_id("narrative_memories"),
                    "agent_id": agent,
                    "scope": "self",
                    "content": thought,
                    "created_tick": self.tick,
                    "decayed": 0,
                },
            )
        self._turns.clear()
        self.thoughts.clear()
        self._last_actor = 0

    # -------------------------------------------------------------------------------- shared state

    def activate(self, listing: Listing) -> None:
        """Enter a listing among the active ones; ids ascend with creation."""
        insort(self.active[listing.category], listing.listing_id)
        self._prices[listing.category] += listing.price_cents

    def deactivate(self, listing: Listing, status: str) -> None:
        """Give a listing another status than active."""
        if listing.status == "active":
            ids = self.active[listing.category]
            del ids[bisect_left(ids, listing.listing_id)]
            self._prices[listing.category] -= listing.price_cents
        listing.status = status

    def reprice(self, listing: Listing, price: int) -> None:
        """Change a price and keep the category's sum in step."""
        if listing.status == "active":
            self._prices[listing.category] += price - listing.price_cents
        listing.price_cents = price

    def baseline(self, category: str) -> int | None:
        """The mean asking price of a category's active listings."""
        ids = self.active[category]
        return self._prices[category] // len(ids) if ids else None

    def on_sale(self) -> Iterator[Listing]:
        """Every active listing, phantoms included."""
        for ids in self.active.values():
            for listing_id in ids:
                yield self.listings[listing_id]

    def open_thread(self, buyer: int, listing: Listing) -> Thread:
        """The buyer's thread on the listing, made if there is none: one per pair for ever."""
        found = self.thread_of.get((buyer, listing.listing_id))
        if found is not None:
            return self.threads[found]
        thread = Thread(
            thread_id=self.sink.new_id("threads"),
            listing_id=listing.listing_id,
            buyer_agent_id=buyer,
            seller_agent_id=listing.owner_agent_id,
            created_at_tick=self.tick,
        )
        self.threads[thread.thread_id] = thread
        self.thread_of[buyer, listing.listing_id] = thread.thread_id
        self.threads_on[listing.listing_id].append(thread.thread_id)
        return thread

    def end_thread(self, thread: Thread, status: str) -> None:
        """Close a thread; its pending offers become rejected, accepted ones stay accepted."""
        thread.status = status
        for offer_id in thread.offers:
            if self.offers[offer_id].status == "pending":
                self.offers[offer_id].status = "rejected"

    def end_others(self, listing_id: int, keep: int | None) -> None:
        """Cancel the listing's other living threads; their scheduled meetups survive."""
        for thread_id in self.threads_on[listing_id]:
            thread = self.threads[thread_id]
            if thread_id != keep and thread.status not in TERMINAL:
                self.end_thread(thread, "cancelled")

    # ------------------------------------------------------------------------------------- saving

    def save(self) -> None:
        """Write every row as it now stands."""
        self.sink.put("agents", (agent.row() for agent in self.agents.values()))
        self.sink.put("listings", (listing.row() for listing in self.listings.values()))
        self.sink.put("threads", (thread.row() for thread in self.threads.values()))
        self.sink.put("offers", (offer.row() for offer in self.offers.values()))
        self.sink.put("meetups", (meetup.row() for meetup in self.meetups.values()))
        self.sink.put("reports", (report.row() for report in self.reports.values()))
        self.sink.put("messages", self.unread)
        self.sink.flush()

    def close(self) -> Path:
        """Save and let the file go; returns its path."""
        self.save()
        self.sink.close()
        return self.sink.path
