"""What holds for every sequence of calls (SPEC §4.2, §4.6; DESIGN §6).

Random walks: calls with arguments that are mostly plausible, by agents that are mostly the right
ones, so that they get deep into deals; the rest is wrong in every way that a model can be.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import fields
from itertools import pairwise
from operator import attrgetter
from random import Random
from typing import Any

import pytest

from bazaarbench.market.calls import ToolCall
from bazaarbench.market.checks import BUILT_IN_CHECKS
from bazaarbench.market.entities import TERMINAL, Event, Turn
from bazaarbench.market.load import differences
from bazaarbench.market.platform import Platform
from bazaarbench.market.rules import PRESETS, Rules
from bazaarbench.market.schema import TABLES, columns
from bazaarbench.market.state import Market
from tests.builders import B, C, Goods, S, end_tick, small_market
from tests.market.stages import TITLE

WALKS = 24
STEPS = 700
GOODS = (
    Goods(S, TITLE),
    Goods(S, TITLE),
    Goods(S, "Garden shredder 2400 W", "tools"),
    Goods(B, TITLE),
    Goods(C, "Oak desk 140 cm", "home-goods"),
)
RULES = (
    PRESETS["paper"],
    PRESETS["paper-base"],
    Rules(meetup_ownership_check="block", meetup_inspection="optional"),
    Rules(inspection_shows="unit", listing_inventory_check="off", meetup_ownership_check="off"),
    PRESETS["truthful"],
    PRESETS["informed"],
    Rules(commitment_lock="on", apply_order="hashed"),
    Rules(completion_integrity="on", shipment_inspection="on_arrival"),
)
#: Under these nothing is sold that is not there, and no listing is promised twice.
STRICT = PRESETS["truthful"]
#: What the log itself changes with every row; the two indexes of places and words have no copy.
NOT_STATE = {"next_event_id", "new_events", "history", "discoveries", "search", "grid"}


class Walk:
    """Draws calls for a market as it stands."""

    def __init__(self, rng: Random, market: Market) -> None:
        self.rng, self.market = rng, market

    def row(self, table: str) -> int:
        """An id of the table, mostly a recent one, sometimes one too many."""
        last = self.market.last_id.get(table, 0)
        if self.rng.random() < 0.06:
            return last + 1
        return max(1, last - min(self.rng.randint(0, 4), self.rng.randint(0, 4)))

    def cents(self) -> Any:
        if self.rng.random() < 0.1:
            return self.rng.choice([-1, "5", 0.5, True])
        return self.rng.choice([0, 900, 2_000.0, 5_000, 8_000])

    def text(self) -> str:
        return self.rng.choice(["hello"] * 6 + ["", "a\0b", "\ud800x"])

    def title(self) -> str:
        return self.rng.choice([TITLE, TITLE, f"{TITLE} 64 GB", "Oak desk 140 cm", "Violin", "a"])

    def actor(self, thread_id: int | None, listing_id: int | None = None) -> int:
        """Mostly somebody who takes part."""
        if self.rng.random() < 0.75:
            thread = self.market.threads.get(thread_id or 0)
            if thread is not None:
                return self.rng.choice(self.market.parties(thread))
            listing = self.market.listings.get(listing_id or 0)
            if listing is not None and listing.owner_id is not None:
                return listing.owner_id
        return self.rng.choice([S, B, C])

    def call(self) -> tuple[int, ToolCall]:
        names = sorted(MAKERS)
        name = self.rng.choices(names, [MAKERS[n][0] for n in names])[0]
        agent, arguments = MAKERS[name][1](self)
        return agent, ToolCall(name, arguments)


def on_listing(w: Walk) -> tuple[int, dict[str, Any]]:
    listing_id = w.row("listings")
    return w.actor(None, listing_id), {"listing_id": listing_id}


def in_thread(w: Walk) -> tuple[int, dict[str, Any]]:
    thread_id = w.row("threads")
    return w.actor(thread_id), {"thread_id": thread_id}


def on_offer(w: Walk) -> tuple[int, dict[str, Any]]:
    offer_id = w.row("offers")
    offer = w.market.offers.get(offer_id)
    return w.actor(offer.thread_id if offer else None), {"offer_id": offer_id}


def on_exchange(w: Walk) -> tuple[int, dict[str, Any]]:
    meetup_id = w.row("exchanges")
    exchange = w.market.exchanges.get(meetup_id)
    return w.actor(exchange.thread_id if exchange else None), {"meetup_id": meetup_id}


def create(w: Walk) -> tuple[int, dict[str, Any]]:
    return w.actor(None), {
        "category": w.rng.choice(["electronics", "electronics-tablets", "tools", "home-goods"]),
        "title": w.title(),
        "description": w.text(),
        "price_cents": w.cents(),
        "condition": w.rng.choice(["new", "good", "good", "poor", "good", "mint"]),
        "stated_quality_band": w.rng.choice([None, "like_new", "damaged"]),
    }


def with_more(
    make: Callable[[Walk], tuple[int, dict[str, Any]]], **more: Callable[[Walk], Any]
) -> Callable[[Walk], tuple[int, dict[str, Any]]]:
    def maker(w: Walk) -> tuple[int, dict[str, Any]]:
        agent, arguments = make(w)
        return agent, arguments | {name: value(w) for name, value in more.items()}

    return maker


def as_other(make: Callable[[Walk], tuple[int, dict[str, Any]]]) -> Any:
    """Mostly by somebody else than who would be asked first."""
    return lambda w: (w.rng.choice([S, B, C]), make(w)[1])


def somebody(w: Walk) -> tuple[int, dict[str, Any]]:
    return w.actor(None), {}


MAKERS: dict[str, tuple[float, Callable[[Walk], tuple[int, dict[str, Any]]]]] = {
    "create_listing": (6, create),
    "edit_listing": (2, with_more(on_listing, price_cents=Walk.cents, title=Walk.title)),
    "bump_listing": (1, on_listing),
    "mark_sold": (1, on_listing),
    "relist": (3, on_listing),
    "view_listing": (2, on_listing),
    "search": (
        2,
        with_more(
            somebody,
            query=lambda w: w.rng.choice(["tablet", "?", ""]),
            max_distance_km=lambda w: w.rng.choice([None, 1, 0.5, -1]),
        ),
    ),
    "message": (4, with_more(as_other(on_listing), body=Walk.text)),
    "read": (2, in_thread),
    "leave_thread": (0.5, in_thread),
    "ghost": (0.5, in_thread),
    "send_photo": (
        3,
        with_more(in_thread, listing_id=lambda w: w.row("listings"), focus=Walk.text),
    ),
    "make_offer": (9, with_more(as_other(on_listing), price_cents=Walk.cents)),
    "counter_offer": (2, with_more(on_offer, price_cents=Walk.cents)),
    "accept_offer": (12, on_offer),
    "withdraw_offer": (1, on_offer),
    "schedule_meetup": (
        8,
        with_more(
            in_thread,
            location_desc=Walk.text,
            scheduled_tick=lambda w: w.market.tick + w.rng.randint(-1, 1),
            payment_method=lambda w: w.rng.choice(["cash"] * 5 + ["gold"]),
        ),
    ),
    "schedule_shipment": (6, with_more(in_thread, payment_method=lambda w: "venmo")),
    "inspect_at_meetup": (8, on_exchange),
    "complete_transaction": (24, on_exchange),
    "cancel_meetup": (1, with_more(on_exchange, reason=Walk.text)),
    "rate": (
        4,
        with_more(
            somebody,
            ratee_agent_id=lambda w: w.rng.randint(1, 4),
            stars=lambda w: w.rng.randint(0, 5),
        ),
    ),
    "report_user": (
        1,
        with_more(somebody, user_agent_id=lambda w: w.rng.randint(1, 4), reason=Walk.text),
    ),
    "no_such_tool": (1, somebody),
}
VALUES = {table: attrgetter(*columns(table)) for table in TABLES}


def snapshot(market: Market) -> dict[str, Any]:
    """All rows and indexes as they are now, without what a mere look at an index leaves."""
    kept: dict[str, Any] = {}
    for field in fields(Market):
        value = getattr(market, field.name)
        if field.name in TABLES:
            kept[field.name] = {key: VALUES[field.name](row) for key, row in value.items()}
        elif field.name not in NOT_STATE:
            kept[field.name] = plain(value)
    return kept


def plain(value: Any) -> Any:
    if isinstance(value, dict):
        copy = {key: plain(item) for key, item in value.items()}
        return {key: item for key, item in copy.items() if item not in ({}, [], set())}
    if isinstance(value, list | set):
        return type(value)(value)
    if hasattr(value, "stars") and hasattr(value, "count"):
        return (value.count, value.stars)
    return value


def rebuilt(market: Market) -> Market:
    """A market from copies of the rows alone, as ``load`` builds it from a record."""
    fresh = Market(seed=market.seed, rules=market.rules, tick=market.tick)
    for table, entity in TABLES.items():
        if entity not in (Event, Turn):
            for row in getattr(market, table).values():
                fresh.add(entity(*VALUES[table](row)), stored=True)
    return fresh


def check_units(market: Market) -> None:
    """Every unit has one unbroken chain of holdings, and its owner is who holds it last."""
    chains = defaultdict(list)
    for holding in market.holdings.values():
        chains[holding.unit_id].append(holding)
    assert chains.keys() == market.units.keys()
    for unit_id, chain in chains.items():
        unit = market.units[unit_id]
        for earlier, later in pairwise(chain):
            assert (earlier.to_event, earlier.sold_cents) == (later.from_event, later.cost_cents)
            assert earlier.ended_how == "sold"
        assert unit.transfers == len(chain) - 1
        last = chain[-1]
        assert unit.owner_id == (last.agent_id if last.to_event is None else None)
        assert (last.ended_how == "sold_outside") is (unit.owner_id is None)
        holders = [a for a, held in market.units_of.items() if unit_id in held]
        assert holders == ([] if unit.owner_id is None else [unit.owner_id])
    completed = [t for t in market.threads.values() if t.status == "completed"]
    assert len(completed) == sum(unit.transfers for unit in market.units.values()) + sum(
        unit.origin == "conjured" for unit in market.units.values()
    )
    assert sum(unit.origin == "initial" for unit in market.units.values()) == len(GOODS)


def check_deals(market: Market) -> None:
    """Offers, threads, listings and exchanges agree (reference P §2, last paragraph)."""
    for offer in market.offers.values():
        thread = market.threads[offer.thread_id]
        if offer.status == "pending":
            assert thread.status == "open"
        if offer.status == "accepted":
            assert thread.accepted_offer_id == offer.offer_id
            assert thread.committed_tick is not None
    for thread in market.threads.values():
        assert (thread.ended_tick is not None) is (thread.status in TERMINAL)
        assert thread.buyer_id != thread.seller_id
        exchanges = [
            market.exchanges[x] for x in market.exchanges_of_thread.get(thread.thread_id, ())
        ]
        assert sum(x.status == "scheduled" for x in exchanges) <= 1
        done = [x for x in exchanges if x.status == "completed"]
        assert len(done) == (thread.status == "completed")
        assert all(x.buyer_confirmed and x.seller_confirmed for x in done)
    for listing in market.listings.values():
        if listing.status == "sold":
            threads = [
                market.threads[t] for t in market.threads_of_listing.get(listing.listing_id, ())
            ]
            assert all(thread.status in TERMINAL for thread in threads)
    pairs = [(t.buyer_id, t.listing_id) for t in market.threads.values()]
    assert len(pairs) == len(set(pairs))
    rated = [(r.thread_id, r.rater_id) for r in market.ratings.values()]
    assert len(rated) == len(set(rated))


def check_strict(market: Market) -> None:
    """What holds of every market that was played under ``truthful`` from its beginning."""
    for listing_id in market.listings:
        threads = [market.threads[t] for t in market.threads_of_listing.get(listing_id, ())]
        assert sum(thread.status == "committed" for thread in threads) <= 1
    for exchange in market.exchanges.values():
        if exchange.status == "scheduled":
            assert market.threads[exchange.thread_id].status == "committed"
        if exchange.status == "completed":
            assert exchange.inspected_pct is not None
    for unit_id, listing_ids in market.active_of_unit.items():
        owner_id = market.units[unit_id].owner_id
        assert sum(market.listings[i].owner_id == owner_id for i in listing_ids) <= 1


@pytest.mark.parametrize("seed", range(WALKS))
def test_each_call_is_one_row_and_only_an_applied_one_changes_the_market(seed: int) -> None:
    met = walk(seed)  # asserts after every call
    assert sum(met[key] for key in met if " " in key) == STEPS


def walk(seed: int) -> Counter[str]:
    rng = Random(seed)
    market = small_market(GOODS, rules=RULES[seed % len(RULES)])
    platform = Platform(market, BUILT_IN_CHECKS)
    draw = Walk(rng, market)
    met: Counter[str] = Counter()
    before = snapshot(market)
    for _ in range(STEPS):
        if rng.random() < 0.05:
            end_tick(market)
            before = snapshot(market)
        agent_id, call = draw.call()
        rows = len(market.new_events)
        event = platform.perform(agent_id, None, call)
        after = snapshot(market)
        added = market.new_events[rows:]
        assert added[0] is event
        assert [row.action for row in added[1:]] in ([], ["fraud_discovered"])
        if event.status != "ok":
            assert len(added) == 1
            assert after == before, (event.action, event.reason)
        before = after
        met[f"{event.action} {event.status}"] += 1
        met["completed"] += event.result.get("completed", False)
        met["conjured"] += event.private.get("conjured", False)
        met["fraud"] += len(added) - 1
    check_units(market)
    check_deals(market)
    if market.rules == STRICT:
        check_strict(market)
        assert not met["conjured"]
    assert set(differences(market, rebuilt(market))) <= {
        "next_event_id",
        "new_events",
        "history",
        "discoveries",
        "dirty",
    }
    return met


def test_the_walks_reach_what_they_are_to_test() -> None:
    met = sum((walk(seed) for seed in range(WALKS, WALKS + 8)), Counter[str]())
    for name in MAKERS.keys() - {"no_such_tool"}:
        assert met[f"{name} ok"] >= 3, name
        assert met[f"{name} error"] + met[f"{name} blocked"] >= 3, name
    assert met["completed"] >= 20
    assert met["conjured"] >= 5
    assert met["fraud"] >= 3
