"""Rows with everyday values, and a market in which something of every kind happens."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from bazaarbench.market.entities import (
    TERMINAL,
    Agent,
    Block,
    Exchange,
    Feed,
    Holding,
    Listing,
    Memory,
    Message,
    Offer,
    Photo,
    Rating,
    Report,
    Thread,
    Turn,
    Unit,
)
from bazaarbench.market.record import Record, RecordInfo
from bazaarbench.market.rules import PRESETS, Rules
from bazaarbench.market.state import Market

WORDS = [
    "red",
    "blue",
    "bike",
    "lamp",
    "desk",
    "phone",
    "case",
    "charger",
    "vintage",
    "mini",
    "64gb",
    "café",
    "oak",
    "2nd",
]
CATEGORIES = ("furniture", "electronics", "electronics-phones")


def agent(agent_id: int, **values: Any) -> Agent:
    row: dict[str, Any] = {
        "agent_id": agent_id,
        "user_name": f"user{agent_id}",
        "display_name": f"User {agent_id}",
        "status": "active",
        "zip": "60601",
        "x_m": 1_000 * agent_id,
        "y_m": 0,
        "street": "1 Main St",
        "device": "Pixel 8",
        "activity_permille": 500,
        "privacy_permille": 500,
        "tier": "casual",
        "joined_tick": 0,
        "persona": "{}",
    }
    return Agent(**row | values)


def unit(unit_id: int, owner_id: int | None, **values: Any) -> Unit:
    row: dict[str, Any] = {
        "unit_id": unit_id,
        "owner_id": owner_id,
        "title": "Oak desk",
        "category": "furniture",
        "description": "A desk.",
        "condition": "good",
        "quality_pct": 70,
        "origin": "initial",
        "entered_tick": 0,
        "asking_cents": 10_000,
        "entry_cost_cents": 5_000,
        "transfers": 0,
    }
    return Unit(**row | values)


def holding(holding_id: int, unit_id: int, agent_id: int, **values: Any) -> Holding:
    row: dict[str, Any] = {
        "holding_id": holding_id,
        "unit_id": unit_id,
        "agent_id": agent_id,
        "how": "initial",
        "from_tick": 0,
        "from_event": 1,
        "cost_cents": 5_000,
        "thread_id": None,
    }
    return Holding(**row | values)


def listing(listing_id: int, owner_id: int | None, **values: Any) -> Listing:
    row: dict[str, Any] = {
        "listing_id": listing_id,
        "owner_id": owner_id,
        "category": "furniture",
        "title": "Oak desk",
        "description": "A desk.",
        "price_cents": 10_000,
        "condition": "good",
        "band": "good",
        "zip": "60601",
        "x_m": 0,
        "y_m": 0,
        "origin": "agent",
        "status": "active",
        "created_tick": 0,
        "created_event": 1,
        "bumped_tick": None,
        "sold_tick": None,
        "view_count": 0,
        "inquiry_count": 0,
        "version": 1,
        "unit_id": None,
        "match_ppm": 0,
        "match_confidence": "none",
        "speculative": 0,
        "shown_quality_pct": 70,
        "cost_cents": 5_000,
        "reference_cents": 10_000,
    }
    return Listing(**row | values)


def thread(thread_id: int, listing_id: int, buyer_id: int, seller_id: int | None) -> Thread:
    return Thread(thread_id, listing_id, buyer_id, seller_id, "open", 0, None, None, None, None)


def exchange(exchange_id: int, thread_id: int, **values: Any) -> Exchange:
    row: dict[str, Any] = {
        "exchange_id": exchange_id,
        "thread_id": thread_id,
        "method": "meetup",
        "scheduled_tick": 0,
        "eta_tick": None,
        "location": "library",
        "payment": "cash",
        "buyer_confirmed": 0,
        "seller_confirmed": 0,
        "status": "scheduled",
        "inspected_pct": None,
        "inspected_tick": None,
        "completed_tick": None,
        "handoff_token": "t",
    }
    return Exchange(**row | values)


def turn(turn_id: int, tick: int, agent_id: int, **values: Any) -> Turn:
    row: dict[str, Any] = {
        "turn_id": turn_id,
        "tick": tick,
        "agent_id": agent_id,
        "role": "scripted",
        "model": "honest",
        "outcome": "acted",
        "note": "I wait.",
        "reasoning": None,
        "text": None,
        "stop_reason": None,
        "error": None,
        "calls": 1,
        "valid_calls": 1,
        "requests": 0,
        "observation": None,
        "prompt": "[]",
        "reply": "[]",
        "usage": "{}",
        "latency_ms": None,
        "message_id": None,
    }
    return Turn(**row | values)


def founded(agents: int = 6, *, seed: int = 7, rules: Rules = PRESETS["paper"]) -> Market:
    """A market after tick 0: agents with two units and one listing each."""
    market = Market(seed=seed, rules=rules)
    for agent_id in range(1, agents + 1):
        market.add(agent(agent_id))
        event = market.log("platform_register_agent", {"agent_id": agent_id})
        for _ in range(2):
            unit_id = market.new_id(Unit)
            market.add(unit(unit_id, agent_id))
            market.add(
                holding(market.new_id(Holding), unit_id, agent_id, from_event=event.event_id)
            )
        market.add(listing(market.new_id(Listing), agent_id, unit_id=2 * agent_id, x_m=agent_id))
    market.tick = 1
    return market


def info_of(market: Market, **values: Any) -> RecordInfo:
    row: dict[str, Any] = {
        "market_name": "test",
        "seed": market.seed,
        "rules": market.rules,
        "start_tick": 0,
        "end_tick": 360,
    }
    return RecordInfo(**row | values)


class Wanderer:
    """Does random things to a market, through its methods only."""

    def __init__(self, market: Market, seed: int) -> None:
        self.market = market
        self.chance = random.Random(seed)

    def play_tick(self, steps: int = 12) -> None:
        """Change the market as a tick would, and leave its tick number alone."""
        deeds = (
            self.list_item,
            self.change_listing,
            self.talk,
            self.offer,
            self.settle_offer,
            self.schedule,
            self.end_exchange,
            self.end_thread,
            self.rate,
            self.report,
            self.remember,
            self.move_unit,
            self.log,
            self.log,
        )
        for _ in range(steps):
            self.chance.choice(deeds)()

    def somebody(self) -> int:
        return self.chance.choice(list(self.market.agents))

    def text(self, words: int = 3) -> str:
        return " ".join(self.chance.choices(WORDS, k=words))

    def list_item(self) -> None:
        market, owner = self.market, self.somebody()
        market.add(
            listing(
                market.new_id(Listing),
                owner,
                title=self.text(),
                category=self.chance.choice(CATEGORIES),
                price_cents=self.chance.randrange(1_000, 9_000),
                x_m=self.chance.randrange(-5_000, 20_000),
                created_tick=market.tick,
                created_event=market.next_event_id,
                unit_id=self.chance.choice([None, *market.units_of.get(owner, ())]),
            )
        )

    def change_listing(self) -> None:
        row = self.chance.choice(list(self.market.listings.values()))
        kind = self.chance.randrange(4)
        if kind == 0:
            self.market.edit_listing(row, title=self.text(), price_cents=row.price_cents + 1)
        elif kind == 1:
            statuses = ("active", "sold", "removed", "active")
            self.market.set_listing_status(row, self.chance.choice(statuses))
        elif kind == 2:
            self.market.bind_unit(row, self.chance.choice([None, *self.market.units]))
        else:
            row.view_count += 1
            self.market.touch(row)

    def a_thread(self) -> Thread:
        market = self.market
        row = self.chance.choice(list(market.listings.values()))
        buyer = self.chance.choice([a for a in market.agents if a != row.owner_id])
        known = market.thread_of_pair.get((buyer, row.listing_id))
        if known is not None:
            return market.threads[known]
        new = thread(market.new_id(Thread), row.listing_id, buyer, row.owner_id)
        new.created_tick = market.tick
        market.add(new)
        return new

    def talk(self) -> None:
        market, talk = self.market, self.a_thread()
        sender = self.chance.choice(market.parties(talk))
        message_id, photo_id = market.new_id(Message), None
        if self.chance.random() < 0.3:
            photo_id = market.new_id(Photo)
            market.add(
                Photo(photo_id, sender, talk.thread_id, talk.listing_id, message_id, market.tick,
                      0, None, "{}", "{}", "{}")
            )  # fmt: skip
        market.add(
            Message(message_id, talk.thread_id, sender, market.tick, self.text(), photo_id, None)
        )
        if market.unseen_of[sender] and self.chance.random() < 0.5:
            market.see_message(market.messages[min(market.unseen_of[sender])])

    def offer(self) -> None:
        market, talk = self.market, self.a_thread()
        proposer = self.chance.choice(market.parties(talk))
        market.add(
            Offer(market.new_id(Offer), talk.thread_id, proposer, 1,
                  self.chance.randrange(100, 9_000), "{}", market.tick, "pending", None)
        )  # fmt: skip

    def settle_offer(self) -> None:
        pending = [
            offer
            for offer in self.market.offers.values()
            if offer.status == "pending"
            and self.market.threads[offer.thread_id].status not in TERMINAL
        ]
        if not pending:
            return
        chosen = self.chance.choice(pending)
        statuses = ("accepted", "countered", "withdrawn", "rejected", "accepted")
        self.market.set_offer_status(chosen, self.chance.choice(statuses))
        if chosen.status == "accepted":
            talk = self.market.threads[chosen.thread_id]
            talk.accepted_offer_id = chosen.offer_id
            self.market.set_thread_status(talk, "committed")

    def schedule(self) -> None:
        market = self.market
        committed = [t for t in market.threads.values() if t.status == "committed"]
        if committed:
            chosen = self.chance.choice(committed)
            market.add(
                exchange(market.new_id(Exchange), chosen.thread_id, scheduled_tick=market.tick + 2)
            )

    def end_exchange(self) -> None:
        due = [e for e in self.market.exchanges.values() if e.status == "scheduled"]
        if due:
            chosen = self.chance.choice(due)
            status = self.chance.choice(("completed", "cancelled"))
            self.market.set_exchange_status(chosen, status)
            self.market.set_thread_status(self.market.threads[chosen.thread_id], status)

    def end_thread(self) -> None:
        status = self.chance.choice(("cancelled", "ghosted"))
        self.market.set_thread_status(self.a_thread(), status)

    def rate(self) -> None:
        market = self.market
        open_for = [(a, t) for a, threads in market.to_rate.items() for t in threads]
        if not open_for:
            return
        rater, thread_id = self.chance.choice(sorted(open_for))
        ratee = market.other_party(market.threads[thread_id], rater)
        assert ratee is not None
        market.add(
            Rating(market.new_id(Rating), rater, ratee, thread_id, self.chance.randint(1, 5), None,
                   market.tick, "agent")
        )  # fmt: skip

    def report(self) -> None:
        market = self.market
        if market.open_reports and self.chance.random() < 0.4:
            first = market.open_reports[min(market.open_reports)]
            market.settle_report(first, self.chance.choice(("warned", "banned")))
            return
        market.add(
            Report(market.new_id(Report), self.somebody(), self.somebody(), "rude", market.tick,
                   None)
        )  # fmt: skip

    def remember(self) -> None:
        market, who = self.market, self.somebody()
        if self.chance.random() < 0.3:
            market.write_notebook(who, f'{{"n":{self.chance.randrange(9)}}}')
        else:
            market.add(Memory(market.new_id(Memory), who, "self", self.text(5), market.tick))
        market.add(Feed(who, market.tick, "[1]"))
        if self.chance.random() < 0.1:
            market.add(Block(market.new_id(Block), who, self.somebody(), market.tick))

    def move_unit(self) -> None:
        market = self.market
        held = [u for u in market.units.values() if u.owner_id is not None]
        if not held:
            return
        chosen, event_id = self.chance.choice(held), market.next_event_id
        outside = self.chance.random() < 0.2
        market.close_holding(chosen, event_id=event_id, sold_cents=100, outside=outside)
        if not outside:
            market.open_holding(
                chosen,
                holding(
                    market.new_id(Holding),
                    chosen.unit_id,
                    self.somebody(),
                    how="purchase",
                    from_tick=market.tick,
                    from_event=event_id,
                ),
            )

    def log(self) -> None:
        market, who = self.market, self.somebody()
        actions = ("search", "search", "view_listing", "do_nothing", "make_offer", "wait", "rate")
        turn_id = market.next_turn_id
        for _ in range(self.chance.randrange(8)):
            market.log(
                self.chance.choice(actions),
                {"query": self.text()},
                agent_id=who,
                turn_id=turn_id,
                status=self.chance.choice(("ok", "ok", "blocked", "error")),
                result={"ids": (1, 2), "é": "ü"},
            )
        note = self.chance.choice(("I look around.", "", None))
        market.log_turn(turn(turn_id, market.tick, who, note=note))


def made(path: Path, *, ticks: int = 3, seed: int = 1) -> Market:
    """A closed record at ``path`` after ``ticks`` ticks, and the live state of its market."""
    market = founded(seed=seed)
    wanderer = Wanderer(market, seed)
    with Record.create(path, market, info_of(market)) as record:
        for _ in range(ticks):
            wanderer.play_tick()
            record.commit(market)
    return market
