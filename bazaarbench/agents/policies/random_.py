"""Any of the 31 actions, with arguments that could make sense.

It knows no rules, limits or promises, and is the source of every odd case that measures have to get
right: second listings of one unit, relists, promises to several buyers, surviving appointments.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from bazaarbench.agents.policies import words
from bazaarbench.agents.policies.desk import Desk, Row
from bazaarbench.agents.policy import Play, ScriptPrompt
from bazaarbench.market.bands import BANDS, CONDITIONS

#: Arguments of an action; ``None`` when nothing in the observation fits.
Maker = Callable[[Desk, int], dict[str, Any] | None]

_MAX_ACTIONS = 3
_PAYMENTS = ("cash", "on_platform", "venmo", "zelle")


class Random:
    """Acts at random."""

    name = "random"

    def act(self, prompt: ScriptPrompt) -> Play:
        """Decide one turn."""
        desk = Desk(prompt)
        for place in range(1 + desk.below(_MAX_ACTIONS, "number")):
            name = _WEIGHTED[desk.below(len(_WEIGHTED), "action", place)]
            arguments = _MAKERS[name](desk, place)
            if arguments is not None:
                desk.do(name, f"Try {name}", **arguments)
        if not desk.calls:
            desk.do("do_nothing", "Nothing fits")
        return desk.play()


def _one(
    desk: Desk, place: int, rows: Sequence[Row], name: str, **extra: Any
) -> dict[str, Any] | None:
    """The argument ``name`` from one of the rows, with further arguments."""
    if not rows:
        return None
    row = rows[desk.below(len(rows), name, place)]
    return {name: row[name], **extra}


def _offered(desk: Desk) -> list[Row]:
    rows = list(desk.data["feed"])
    for found in desk.data["discovery_results"]:
        rows.extend(found.get("hits", (found,)))
    return rows


def _threads(desk: Desk) -> list[Row]:
    sections = ("active_threads", "accepted_deals", "scheduled_exchanges")
    return [row for section in sections for row in desk.data[section]]


def _pending(desk: Desk, by: str) -> list[Row]:
    mine = [row["last_pending_offer"] for row in desk.data["active_threads"]]
    rows = [row for row in mine if row is not None and row["by"] == by]
    return [*rows, *desk.data["offers_on_listings"]] if by == "them" else rows


def _own_listings(desk: Desk) -> list[Row]:
    return [*desk.data["own_listings"]]


def _past_listings(desk: Desk) -> list[Row]:
    return [row for row in desk.data["to_rate"] if row["role"] == "seller"]


def _exchanges(desk: Desk) -> list[Row]:
    return [*desk.data["scheduled_exchanges"]]


def _some_price(desk: Desk, place: int, base: int) -> int:
    return base * (600 + desk.below(600, "price", place)) // 1000


def _create(desk: Desk, place: int) -> dict[str, Any] | None:
    """Mostly an own unit, at times something seen elsewhere; any band, or none."""
    sources = [*desk.data["own_units"], *desk.data["own_units"], *desk.data["feed"]]
    if not sources:
        return None
    item = sources[desk.below(len(sources), "item", place)]
    band = (*BANDS, None)[desk.below(len(BANDS) + 1, "band", place)]
    claim = {} if band is None else {"stated_quality_band": band}
    return {
        "category": item["category"],
        "title": item["title"][:120],
        "description": "For sale.",
        "price_cents": 500 + desk.below(40_000, "price", place),
        "condition": CONDITIONS[desk.below(len(CONDITIONS), "condition", place)],
        **claim,
    }


def _offer(desk: Desk, place: int) -> dict[str, Any] | None:
    rows = _offered(desk)
    if not rows:
        return None
    row = rows[desk.below(len(rows), "listing", place)]
    price = _some_price(desk, place, row["price_cents"])
    return {"listing_id": row["listing_id"], "price_cents": price}


def _counter(desk: Desk, place: int) -> dict[str, Any] | None:
    rows = _pending(desk, "them")
    if not rows:
        return None
    row = rows[desk.below(len(rows), "offer", place)]
    price = _some_price(desk, place, row["price_cents"])
    return {"offer_id": row["offer_id"], "price_cents": price}


def _meetup(desk: Desk, place: int) -> dict[str, Any] | None:
    tick = max(0, desk.tick - 1 + desk.below(6, "tick", place))
    return _one(
        desk,
        place,
        desk.data["accepted_deals"],
        "thread_id",
        location_desc=words.PLACES[desk.below(len(words.PLACES), "where", place)],
        scheduled_tick=tick,
        payment_method=_PAYMENTS[desk.below(len(_PAYMENTS), "how", place)],
    )


def _shipment(desk: Desk, place: int) -> dict[str, Any] | None:
    return _one(
        desk,
        place,
        desk.data["accepted_deals"],
        "thread_id",
        delivery_lag_ticks=1 + desk.below(6, "lag", place),
        payment_method="on_platform",
    )


def _photo(desk: Desk, place: int) -> dict[str, Any] | None:
    rows = _threads(desk)
    if not rows:
        return None
    row = rows[desk.below(len(rows), "thread", place)]
    modes = ("paranoid", "normal", "trust-building")
    return {
        "thread_id": row["thread_id"],
        "listing_id": row["listing_id"],
        "focus": words.PHOTO_FOCUS[desk.below(len(words.PHOTO_FOCUS), "focus", place)],
        "privacy_mode": modes[desk.below(len(modes), "mode", place)],
    }


def _stock_photo(desk: Desk, place: int) -> dict[str, Any] | None:
    rows = _threads(desk)
    if not rows:
        return None
    row = rows[desk.below(len(rows), "thread", place)]
    return {"thread_id": row["thread_id"], "listing_id": row["listing_id"]}


def _message(desk: Desk, place: int) -> dict[str, Any] | None:
    body = words.QUESTIONS[desk.below(len(words.QUESTIONS), "words", place)]
    if desk.chance(500, "known", place):
        return _one(desk, place, _threads(desk), "thread_id", body=body)
    return _one(desk, place, _offered(desk), "listing_id", body=body)


def _rating(desk: Desk, place: int) -> dict[str, Any] | None:
    rows = desk.data["to_rate"]
    if not rows:
        return None
    row = rows[desk.below(len(rows), "rate", place)]
    return {
        "ratee_agent_id": row["counterparty_id"],
        "stars": 1 + desk.below(5, "stars", place),
        "thread_id": row["thread_id"],
    }


def _somebody(desk: Desk, place: int) -> int | None:
    rows = _offered(desk)
    if not rows:
        return None
    seller_id: int | None = rows[desk.below(len(rows), "who", place)]["seller_id"]
    return seller_id


def _profile(desk: Desk, place: int) -> dict[str, Any] | None:
    who = _somebody(desk, place)
    return None if who is None else {"user_agent_id": who}


def _report(desk: Desk, place: int) -> dict[str, Any] | None:
    who = _somebody(desk, place)
    return None if who is None else {"user_agent_id": who, "reason": "Something seemed wrong."}


def _word_of_goal(desk: Desk, place: int) -> str:
    parts: list[str] = desk.facts.goal_title.split()
    return parts[desk.below(len(parts), "word", place)]


_MAKERS: dict[str, Maker] = {
    "accept_offer": lambda d, p: _one(d, p, _pending(d, "them"), "offer_id"),
    "browse_category": lambda d, p: {"category": d.facts.goal_category},
    "bump_listing": lambda d, p: _one(d, p, _own_listings(d), "listing_id"),
    "cancel_meetup": lambda d, p: _one(d, p, _exchanges(d), "meetup_id", reason="No time."),
    "complete_transaction": lambda d, p: _one(d, p, _exchanges(d), "meetup_id"),
    "counter_offer": _counter,
    "create_listing": _create,
    "do_nothing": lambda d, p: {},
    "edit_listing": lambda d, p: _one(
        d, p, _own_listings(d), "listing_id", price_cents=500 + d.below(40_000, "edit", p)
    ),
    "ghost": lambda d, p: _one(d, p, _threads(d), "thread_id"),
    "inspect_at_meetup": lambda d, p: _one(d, p, _exchanges(d), "meetup_id"),
    "leave_thread": lambda d, p: _one(d, p, _threads(d), "thread_id"),
    "make_offer": _offer,
    "mark_sold": lambda d, p: _one(d, p, _own_listings(d), "listing_id"),
    "message": _message,
    "pin": lambda d, p: _one(d, p, _offered(d), "listing_id"),
    "rate": _rating,
    "read": lambda d, p: _one(d, p, _threads(d), "thread_id"),
    "recall": lambda d, p: {"query": _word_of_goal(d, p)},
    "relist": lambda d, p: _one(d, p, _past_listings(d), "listing_id"),
    "report_user": _report,
    "request_photo": lambda d, p: _one(
        d, p, _threads(d), "thread_id", focus_hint=words.PHOTO_HINTS[0]
    ),
    "schedule_meetup": _meetup,
    "schedule_shipment": _shipment,
    "search": lambda d, p: {"query": _word_of_goal(d, p)},
    "send_photo": _photo,
    "send_stock_photo": _stock_photo,
    "view_listing": lambda d, p: _one(d, p, _offered(d), "listing_id"),
    "view_profile": _profile,
    "wait": lambda d, p: {"ticks": 1 + d.below(4, "ticks", p)},
    "withdraw_offer": lambda d, p: _one(d, p, _pending(d, "you"), "offer_id"),
}

#: How often an action is tried beside the others; one where nothing is said.
_WEIGHTS: dict[str, int] = {
    "accept_offer": 9,
    "complete_transaction": 9,
    "counter_offer": 2,
    "create_listing": 4,
    "ghost": 1,
    "inspect_at_meetup": 6,
    "make_offer": 9,
    "message": 3,
    "rate": 3,
    "relist": 4,
    "schedule_meetup": 5,
    "schedule_shipment": 4,
    "search": 2,
    "view_listing": 2,
}
_WEIGHTED: tuple[str, ...] = tuple(
    name for name in sorted(_MAKERS) for _ in range(_WEIGHTS.get(name, 1))
)
