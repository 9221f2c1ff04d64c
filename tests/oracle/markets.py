"""Stress markets: a few agents on a real platform who do all that the measures are about.

They see the whole market and draw what to do by keyed hashes, so that a seed always gives the same
market. What they do is mostly foul play, and much of it is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bazaarbench.market.bands import BAND_RANGE, BANDS, CONDITIONS
from bazaarbench.market.calls import ToolCall
from bazaarbench.market.checks import BUILT_IN_CHECKS
from bazaarbench.market.draws import below, between, chance, choice, shuffled
from bazaarbench.market.dynamics import end_of_tick
from bazaarbench.market.entities import TERMINAL, Exchange, Listing, Thread
from bazaarbench.market.meta import RecordInfo
from bazaarbench.market.platform import Platform
from bazaarbench.market.record import Record
from bazaarbench.market.rules import PRESETS, Rules
from bazaarbench.market.state import Market
from bazaarbench.worlds import WorldSpec, found_market
from tests.builders import Goods, small_market

RULES: tuple[Rules, ...] = (
    PRESETS["paper"],
    PRESETS["paper-base"],
    Rules(meetup_inspection="optional"),
    Rules(listing_inventory_check="block", meetup_ownership_check="block"),
    Rules(inspection_shows="unit", meetup_inspection="optional"),
    Rules(listing_inventory_check="off", handoff_proof="required"),
)
#: Near-twins, a part of a category, and words that only look different.
TITLES: tuple[tuple[str, str], ...] = (
    ("Blue desk lamp", "home"),
    ("blue  desk Lamp", "home"),
    ("Blue desk lamp, brass", "home"),
    ("Road bike 54 cm", "sports"),
    ("Road bike 56 cm", "sports-bikes"),
    ("Oak chair", "home-chairs"),
    ("Tablet 10 inch", "electronics"),
)
STRANGE_TITLES = ("Gold watch with a box", "Zzz", "Vintage violin bow", "Lamp")
PRIVACY = ("paranoid", "normal", "trust-building")
#: Ticks that are played: the restock of tick 84 and some trade with what it brought.
LAST_TICK = 92

Move = Callable[["Rogue"], tuple[str, dict[str, Any]] | None]


@dataclass(frozen=True)
class Rogue:
    """One agent at one moment: what it can find out, and its draws."""

    market: Market
    agent_id: int
    key: tuple[object, ...]
    calm: bool

    def pick(self, options: Sequence[Any], what: str) -> Any:
        return choice(options, *self.key, what) if options else None

    def chance(self, permille: int, what: str) -> bool:
        return chance(permille, *self.key, what)

    def between(self, low: int, high: int, what: str) -> int:
        return between(low, high, *self.key, what)

    def own(self, *, active: bool) -> list[Listing]:
        ids = sorted(self.market.listings_of_owner.get(self.agent_id, ()))
        mine = [self.market.listings[i] for i in ids]
        return [x for x in mine if (x.status == "active") == active]

    def threads(self) -> list[Thread]:
        """Its own threads; now and then everybody's."""
        stranger = self.chance(30, "stranger")
        return [
            t
            for t in self.market.threads.values()
            if stranger or self.agent_id in (t.buyer_id, t.seller_id)
        ]

    def exchanges(self) -> list[Exchange]:
        mine = {t.thread_id for t in self.threads()}
        return [
            x
            for x in self.market.exchanges.values()
            if x.thread_id in mine and (x.status == "scheduled" or self.chance(20, "over"))
        ]


def stress_market(path: Path, seed: int) -> Path:
    """Play the market of a seed and leave its record at ``path``."""
    rules = RULES[seed % len(RULES)]
    market = _founded(seed, rules)
    agents = tuple(market.agents)
    start = 0 if seed % 4 == 0 else between(20, 70, seed, "start")
    tested = () if start == 0 else tuple(sorted(shuffled(agents, seed, "tested")[:3]))
    info = RecordInfo(
        market_name=f"stress-{seed}",
        seed=seed,
        rules=rules,
        start_tick=start,
        end_tick=LAST_TICK - (3 if seed % 5 == 0 else 0),
        tested=tested,
    )
    with Record.create(path, market, info) as record:
        _play(market, record, seed)
    return path


def _founded(seed: int, rules: Rules) -> Market:
    if seed % 6 == 5:
        return found_market(WorldSpec(name="stress", seed=seed, agents=10), rules)
    goods = []
    agents = between(5, 8, seed, "agents")
    for agent_id in range(1, agents + 1):
        for i in range(between(1, 4, seed, agent_id, "units")):
            # Two draws of three come from few titles, so that twins are common.
            titles = TITLES[:2] if chance(400, seed, agent_id, i, "twin") else TITLES
            title, category = choice(titles, seed, agent_id, i, "title")
            quality = between(5, 100, seed, agent_id, i, "quality")
            goods.append(Goods(agent_id, title, category, quality))
    return small_market(goods, rules=rules, agents=agents, seed=seed, privacy_permille=400)


def _play(market: Market, record: Record, seed: int) -> None:
    platform = Platform(market, BUILT_IN_CHECKS)
    outcast = choice(tuple(market.agents), seed, "outcast") if seed % 3 == 1 else None
    calm = seed % 7 == 3
    while market.tick <= LAST_TICK:
        for agent_id in sorted(market.agents):
            if not chance(650, seed, agent_id, market.tick, "acts"):
                continue
            for turn in range(between(1, 4, seed, agent_id, market.tick, "calls")):
                rogue = Rogue(market, agent_id, (seed, agent_id, market.tick, turn), calm)
                name, arguments = _call(rogue, outcast)
                platform.perform(agent_id, None, ToolCall(name, arguments))
        end_of_tick(market, {})
        record.commit(market)


def _call(rogue: Rogue, outcast: int | None) -> tuple[str, dict[str, Any]]:
    # Four who report ban; from then on everything that the outcast tries is refused.
    reports = outcast not in (None, rogue.agent_id) and rogue.market.tick > 30
    if reports and rogue.chance(60, "report"):
        return "report_user", {"user_agent_id": outcast, "reason": "scam"}
    # In a calm market nobody calls off, so that promises end in completions alone.
    moves = [m for m in MOVES if m[1] not in CALLING_OFF or not rogue.calm]
    total = sum(weight for weight, _ in moves)
    for attempt in range(12):
        at = below(total, *rogue.key, "move", attempt)
        for weight, move in moves:
            at -= weight
            if at < 0:
                made = move(rogue)
                break
        if made is not None:
            return made
    return "do_nothing", {}


# ---------------------------------------------------------------------------------------- selling


def _create(rogue: Rogue) -> tuple[str, dict[str, Any]]:
    market, kind = rogue.market, rogue.between(0, 99, "what")
    held = [market.units[u] for u in sorted(market.units_of.get(rogue.agent_id, ()))]
    gone = [market.units[u] for u in sorted(market.past_units_of.get(rogue.agent_id, ()))]
    pool = held if kind < 60 else gone if kind < 75 else list(market.units.values())
    unit = rogue.pick(pool or list(market.units.values()), "unit")
    title, category = unit.title, unit.category
    if kind >= 92:
        title = rogue.pick(STRANGE_TITLES, "strange")
    elif rogue.chance(300, "reword"):
        title = rogue.pick(
            (f"{title}!", title.upper(), f"{title} as new", title[: max(3, len(title) // 2)]), "how"
        )
    if rogue.chance(120, "elsewhere"):
        category = rogue.pick(("home", "sports", "electronics-audio", "toys"), "category")
    arguments = {
        "category": category,
        "title": title[:120],
        "description": "",
        "price_cents": rogue.between(500, 20_000, "price"),
        "condition": rogue.pick(CONDITIONS, "condition"),
    }
    if rogue.chance(800, "states"):
        arguments["stated_quality_band"] = _band(rogue, unit.quality_pct)
    return "create_listing", arguments


def _band(rogue: Rogue, quality: int | None) -> str:
    """The true band, the next better one, or any; bounds of bands are hit by chance."""
    true = next(b for b in BANDS if BAND_RANGE[b][0] <= (50 if quality is None else quality))
    better = BANDS[max(0, BANDS.index(true) - 1)]
    return str(rogue.pick((true, better, rogue.pick(BANDS, "any")), "band"))


def _edit(rogue: Rogue) -> tuple[str, dict[str, Any]] | None:
    listing = rogue.pick(rogue.own(active=not rogue.chance(50, "sold")), "listing")
    if listing is None:
        return None
    given: dict[str, Any] = {"listing_id": listing.listing_id}
    if rogue.chance(500, "reprice"):
        given["price_cents"] = rogue.between(500, 20_000, "price")
    if rogue.chance(300, "retitle"):
        given["title"] = rogue.pick([t for t, _ in TITLES] + list(STRANGE_TITLES), "title")
    return "edit_listing", given


def _mark_sold(rogue: Rogue) -> tuple[str, dict[str, Any]] | None:
    listing = rogue.pick(rogue.own(active=not rogue.chance(50, "sold")), "listing")
    return None if listing is None else ("mark_sold", {"listing_id": listing.listing_id})


def _relist(rogue: Rogue) -> tuple[str, dict[str, Any]] | None:
    pool = rogue.own(active=rogue.chance(80, "active"))
    if rogue.chance(30, "strangers"):
        pool = list(rogue.market.listings.values())
    listing = rogue.pick(pool, "listing")
    return None if listing is None else ("relist", {"listing_id": listing.listing_id})


# ------------------------------------------------------------------------------------ negotiating


def _offer(rogue: Rogue) -> tuple[str, dict[str, Any]] | None:
    pool = [
        x
        for x in rogue.market.listings.values()
        if x.owner_id not in (None, rogue.agent_id)
        and (x.status == "active" or rogue.chance(20, "sold"))
    ]
    listing = rogue.pick(pool, "listing")
    if listing is None:
        return None
    price = rogue.between(400, 15_000, "price")
    return "make_offer", {"listing_id": listing.listing_id, "price_cents": price}


def _pending(rogue: Rogue) -> list[int]:
    threads = {t.thread_id for t in rogue.threads()}
    return [
        o.offer_id
        for o in rogue.market.offers.values()
        if o.thread_id in threads
        and (o.status == "pending" or rogue.chance(15, "settled"))
        and (o.proposer_id != rogue.agent_id or rogue.chance(40, "own"))
    ]


def _accept(rogue: Rogue) -> tuple[str, dict[str, Any]] | None:
    offer_id = rogue.pick(_pending(rogue), "offer")
    if rogue.chance(15, "ahead"):
        offer_id = len(rogue.market.offers) + rogue.between(0, 6, "guess")
    return None if offer_id is None else ("accept_offer", {"offer_id": offer_id})


def _counter(rogue: Rogue) -> tuple[str, dict[str, Any]] | None:
    offer_id = rogue.pick(_pending(rogue), "offer")
    price = rogue.between(400, 15_000, "price")
    return (
        None
        if offer_id is None
        else ("counter_offer", {"offer_id": offer_id, "price_cents": price})
    )


def _withdraw(rogue: Rogue) -> tuple[str, dict[str, Any]] | None:
    mine = [o.offer_id for o in rogue.market.offers.values() if o.proposer_id == rogue.agent_id]
    offer_id = rogue.pick(mine, "offer")
    return None if offer_id is None else ("withdraw_offer", {"offer_id": offer_id})


# ------------------------------------------------------------------------------------- exchanging


def _schedule(rogue: Rogue) -> tuple[str, dict[str, Any]] | None:
    pool = [
        t.thread_id
        for t in rogue.threads()
        if (t.status == "committed" and rogue.market.scheduled_exchange(t.thread_id) is None)
        or rogue.chance(40, f"hopeless{t.thread_id}")
    ]
    thread_id = rogue.pick(pool, "thread")
    if thread_id is None:
        return None
    if rogue.chance(500, "ship"):
        lag = rogue.between(1, 7, "lag")
        return "schedule_shipment", {
            "thread_id": thread_id,
            "delivery_lag_ticks": lag,
            "payment_method": "venmo",
        }
    at = max(0, rogue.market.tick + rogue.between(-1, 5, "at"))
    return "schedule_meetup", {
        "thread_id": thread_id,
        "location_desc": "Square",
        "scheduled_tick": at,
        "payment_method": "cash",
    }


def _inspect(rogue: Rogue) -> tuple[str, dict[str, Any]] | None:
    pool = [
        x.exchange_id for x in rogue.exchanges() if x.method == "meetup" or rogue.chance(30, "ship")
    ]
    exchange_id = rogue.pick(pool, "exchange")
    return None if exchange_id is None else ("inspect_at_meetup", {"meetup_id": exchange_id})


def _confirm(rogue: Rogue) -> tuple[str, dict[str, Any]] | None:
    exchange = rogue.pick(rogue.exchanges(), "exchange")
    return None if exchange is None else _confirmation(rogue, exchange)


def _confirm_ended(rogue: Rogue) -> tuple[str, dict[str, Any]] | None:
    """A confirmation of an exchange that survives on an ended thread."""
    pool = [
        x
        for x in rogue.exchanges()
        if x.status == "scheduled" and rogue.market.threads[x.thread_id].status in TERMINAL
    ]
    exchange = rogue.pick(pool, "exchange")
    return None if exchange is None else _confirmation(rogue, exchange)


def _confirmation(rogue: Rogue, exchange: Exchange) -> tuple[str, dict[str, Any]]:
    arguments: dict[str, Any] = {"meetup_id": exchange.exchange_id}
    needed = rogue.market.rules.handoff_proof == "required"
    if needed or rogue.chance(150, "proof"):
        token = exchange.handoff_token
        proofs = (token, token, token, f" {token} ", "handoff-wrong", "")
        arguments["handoff_proof"] = rogue.pick(proofs, "token")
    return "complete_transaction", arguments


def _cancel(rogue: Rogue) -> tuple[str, dict[str, Any]] | None:
    exchange = rogue.pick(rogue.exchanges(), "exchange")
    return (
        None
        if exchange is None
        else ("cancel_meetup", {"meetup_id": exchange.exchange_id, "reason": "no time"})
    )


def _leave(rogue: Rogue) -> tuple[str, dict[str, Any]] | None:
    pool = [t.thread_id for t in rogue.threads() if t.status == "committed"]
    pool = pool or [t.thread_id for t in rogue.threads()]
    thread_id = rogue.pick(pool, "thread")
    name = rogue.pick(("leave_thread", "ghost"), "how")
    return None if thread_id is None else (name, {"thread_id": thread_id})


# ---------------------------------------------------------------------------------------- talking


def _message(rogue: Rogue) -> tuple[str, dict[str, Any]] | None:
    thread = rogue.pick(rogue.threads(), "thread")
    if thread is not None and rogue.chance(700, "known"):
        return "message", {"thread_id": thread.thread_id, "body": "Still there?"}
    listing = rogue.pick([x for x in rogue.market.listings.values() if x.owner_id], "listing")
    return (
        None
        if listing is None
        else ("message", {"listing_id": listing.listing_id, "body": "Is it free?"})
    )


def _photo(rogue: Rogue) -> tuple[str, dict[str, Any]] | None:
    thread = rogue.pick(rogue.threads(), "thread")
    if thread is None:
        return None
    what = rogue.between(0, 99, "what")
    if what < 20:
        return "request_photo", {"thread_id": thread.thread_id, "focus_hint": "the back"}
    listing_id = thread.listing_id
    if rogue.chance(150, "other"):
        listing_id = rogue.pick(list(rogue.market.listings), "listing")
    arguments: dict[str, Any] = {"thread_id": thread.thread_id, "listing_id": listing_id}
    if what < 35:
        return "send_stock_photo", arguments
    arguments["focus"] = ""
    if rogue.chance(800, "mode"):
        arguments["privacy_mode"] = rogue.pick(PRIVACY, "privacy")
    return "send_photo", arguments


def _nonsense(rogue: Rogue) -> tuple[str, dict[str, Any]]:
    made: tuple[str, dict[str, Any]] = rogue.pick(
        (
            ("accept_offer", {"offer_id": 9_999}),
            ("relist", {"listing_id": 9_999}),
            ("create_listing", {"title": "x"}),
            ("send_photo", {"thread_id": 9_999, "listing_id": 1, "focus": ""}),
            ("steal", {}),
        ),
        "nonsense",
    )
    return made


MOVES: tuple[tuple[int, Move], ...] = (
    (13, _create),
    (6, _edit),
    (3, _mark_sold),
    (8, _relist),
    (30, _offer),
    (30, _accept),
    (6, _counter),
    (2, _withdraw),
    (25, _schedule),
    (16, _inspect),
    (45, _confirm),
    (8, _confirm_ended),
    (4, _cancel),
    (5, _leave),
    (8, _message),
    (10, _photo),
    (1, _nonsense),
)
CALLING_OFF = (_mark_sold, _cancel, _leave)
