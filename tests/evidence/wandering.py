"""Random markets that get deep into deals: twins, relists, resales, surviving exchanges, bans.

The moves are mostly possible ones, so that most of what happens is applied; a few name anything.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from random import Random
from typing import Any

from bazaarbench.market.checks import BUILT_IN_CHECKS
from bazaarbench.market.entities import Event
from bazaarbench.market.platform import Platform
from bazaarbench.market.record import Record, RecordInfo
from bazaarbench.market.rules import PRESETS, Rules
from bazaarbench.market.state import Market
from tests.builders import Goods, call, end_tick, seed_listing, small_market

THINGS = (
    ("Solara K2 camera", "electronics"),
    ("Solara K2 camera", "electronics"),
    ("Solara K3 camera", "electronics"),
    ("Grand piano", "music"),
    ("Desk lamp", "home"),
    ("desk  LAMP", "home"),
)
RULES = (
    PRESETS["paper"],
    PRESETS["paper-base"],
    Rules(meetup_inspection="optional"),
    Rules(meetup_ownership_check="block"),
)
BANDS = (None, "brand_new", "like_new", "good", "fair", "damaged")
AGENTS = 6

#: Sees every event as soon as it is logged.
Watcher = Callable[[Market, Event], None]
Move = tuple[str, dict[str, Any]]


def wander(
    path: Path,
    seed: int,
    *,
    ticks: int = 50,
    calls_per_tick: int = 14,
    start: int = 0,
    watch: Watcher | None = None,
) -> Path:
    """Play a random market into a record."""
    rng = Random(seed)
    market = _market(rng, seed)
    info = RecordInfo(
        market_name="random",
        seed=seed,
        rules=market.rules,
        start_tick=start,
        end_tick=ticks,
        tested=tuple(sorted(rng.sample(range(1, AGENTS + 1), rng.randint(0, 3)))),
    )
    with Record.create(path, market, info) as record:
        platform = Platform(market, BUILT_IN_CHECKS)
        for _ in range(ticks):
            for _ in range(calls_per_tick):
                agent_id = rng.randint(1, AGENTS)
                action, arguments = _move(rng, market, agent_id)
                event = platform.perform(agent_id, None, call(action, arguments))
                if watch is not None:
                    watch(market, event)
            if rng.random() < 0.01:
                banned = market.agents[rng.randint(1, AGENTS)]
                banned.status = "banned"
                market.touch(banned)
            end_tick(market, record)
    return path


def _market(rng: Random, seed: int) -> Market:
    goods = [
        Goods(agent_id, *rng.choice(THINGS), quality=rng.choice([5, 34, 40, 60, 72, 82, 95]))
        for agent_id in range(1, AGENTS + 1)
        for _ in range(rng.randint(1, 4))
    ]
    privacy = rng.choice([0, 500, 900])
    market = small_market(
        goods, rules=rng.choice(RULES), agents=AGENTS, seed=seed, privacy_permille=privacy
    )
    market.tick = 0
    for unit_id in list(market.units):
        if rng.random() < 0.2:
            seed_listing(market, unit_id)
    market.tick = 1
    return market


def _move(rng: Random, market: Market, agent_id: int) -> Move:
    names = list(_MOVES)
    (name,) = rng.choices(names, [_MOVES[one][0] for one in names])
    return name, _MOVES[name][1](rng, market, agent_id)


def _one(rng: Random, wanted: Iterable[int], anything: Collection[int] = ()) -> int:
    """Mostly one of what is wanted."""
    found = sorted(wanted)
    if not found or rng.random() < 0.04:
        found = sorted(anything)
    return rng.choice(found) if found else 1


def _create(rng: Random, market: Market, agent_id: int) -> dict[str, Any]:
    held = sorted(market.units_of.get(agent_id, ()))
    past = sorted(market.past_units_of.get(agent_id, ()))
    pool = held if held and rng.random() < 0.7 else past
    title, category = rng.choice(THINGS)
    if pool and rng.random() < 0.8:
        unit = market.units[rng.choice(pool)]
        title, category = unit.title, unit.category
    return {
        "category": category,
        "title": title,
        "description": "",
        "price_cents": rng.randint(0, 9_999),
        "condition": rng.choice(["new", "good", "fair"]),
        "stated_quality_band": rng.choice(BANDS),
    }


def _own(rng: Random, market: Market, agent_id: int) -> dict[str, Any]:
    return {"listing_id": _one(rng, market.active_of_owner.get(agent_id, ()), market.listings)}


def _ended(rng: Random, market: Market, agent_id: int) -> dict[str, Any]:
    own = market.listings_of_owner.get(agent_id, [])
    ended = [one for one in own if market.listings[one].status != "active"]
    return {"listing_id": _one(rng, ended or own, market.listings)}


def _others(rng: Random, market: Market, agent_id: int) -> int:
    own = market.active_of_owner.get(agent_id, {})
    return _one(rng, market.active_listings.keys() - own.keys(), market.listings)


def _live(rng: Random, market: Market, agent_id: int) -> int:
    committed = market.committed_threads_of.get(agent_id, {})
    return _one(rng, market.open_threads_of.get(agent_id, {}) | committed, market.threads)


def _committed(rng: Random, market: Market, agent_id: int) -> int:
    return _one(rng, market.committed_threads_of.get(agent_id, ()), market.threads)


def _pending(rng: Random, market: Market, agent_id: int) -> int:
    return _one(rng, market.pending_for.get(agent_id, ()), market.offers)


def _scheduled(rng: Random, market: Market, agent_id: int) -> dict[str, Any]:
    mine = market.scheduled_of.get(agent_id, ())
    return {"meetup_id": _one(rng, mine, market.exchanges)}


#: How often each action is called, and its arguments.
_MOVES: dict[str, tuple[int, Callable[[Random, Market, int], dict[str, Any]]]] = {
    "create_listing": (12, _create),
    "edit_listing": (4, lambda r, m, a: {**_own(r, m, a), "price_cents": r.randint(1, 9_999)}),
    "relist": (5, _ended),
    "mark_sold": (2, _own),
    "message": (5, lambda r, m, a: {"body": "Hello.", "listing_id": _others(r, m, a)}),
    "request_photo": (2, lambda r, m, a: {"thread_id": _live(r, m, a), "focus_hint": ""}),
    "make_offer": (
        16,
        lambda r, m, a: {"listing_id": _others(r, m, a), "price_cents": r.randint(1, 9_999)},
    ),
    "counter_offer": (3, lambda r, m, a: {"offer_id": _pending(r, m, a), "price_cents": 5}),
    "accept_offer": (15, lambda r, m, a: {"offer_id": _pending(r, m, a)}),
    "schedule_meetup": (
        6,
        lambda r, m, a: {
            "thread_id": _committed(r, m, a),
            "location_desc": "",
            "scheduled_tick": max(0, m.tick + r.randint(-1, 3)),
            "payment_method": "cash",
        },
    ),
    "schedule_shipment": (
        4,
        lambda r, m, a: {
            "thread_id": _committed(r, m, a),
            "delivery_lag_ticks": r.randint(1, 6),
            "payment_method": "cash",
        },
    ),
    "inspect_at_meetup": (5, _scheduled),
    "complete_transaction": (11, _scheduled),
    "cancel_meetup": (1, lambda r, m, a: {**_scheduled(r, m, a), "reason": ""}),
    "leave_thread": (2, lambda r, m, a: {"thread_id": _live(r, m, a)}),
    "ghost": (2, lambda r, m, a: {"thread_id": _live(r, m, a)}),
    "send_photo": (
        3,
        lambda r, m, a: {
            "thread_id": _live(r, m, a),
            "listing_id": _others(r, m, a),
            "focus": "",
            "privacy_mode": r.choice(["paranoid", "normal", "trust-building"]),
        },
    ),
}
