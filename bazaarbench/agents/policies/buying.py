"""Buying, as an honest agent does: look, ask, offer within the limit, bargain, walk away."""

from __future__ import annotations

from bazaarbench.agents.policies import words
from bazaarbench.agents.policies.desk import Desk, Row

#: Conversations as a buyer, and deals in progress, that an agent carries at a time.
_MAX_THREADS = 4
_MAX_DEALS = 3
#: What a seller's floor leaves open at most, in permille: offers below are a waste of time.
_LEAST_OFFER_PERMILLE = 860
_OFFER_PATIENCE_TICKS = 7
_QUIET_TICKS = 10
_LAST_ROUND = 4

_GOAL_FIRST_PERMILLE = 650
#: How much dearer a stated band makes the same price feel.
_BAND_WEIGHT_PERCENT = {
    "brand_new": 80,
    "like_new": 90,
    "fair": 110,
    "damaged": 125,
    "for_parts": 140,
}
_QUESTION_PERMILLE = 240
_PHOTO_PERMILLE = 220
_PROFILE_PERMILLE = 120


def bargain(desk: Desk) -> None:
    """Carry the conversations as a buyer on."""
    deals = _deals(desk)
    for row in desk.data["active_threads"]:
        if row["role"] != "buyer" or desk.busy:
            continue
        pending = row["last_pending_offer"]
        if pending is None:
            _go_on(desk, row, deals)
        elif pending["by"] == "them":
            deals += _answer(desk, row, pending, deals)
        elif desk.tick >= pending["tick"] + _OFFER_PATIENCE_TICKS + desk.trait(
            8, "patience", row["thread_id"]
        ):
            desk.do(
                "withdraw_offer",
                f"No answer on {row['title']} for days",
                offer_id=pending["offer_id"],
            )


def _deals(desk: Desk) -> int:
    return sum(
        row["role"] == "buyer"
        for section in ("accepted_deals", "scheduled_exchanges")
        for row in desk.data[section]
    )


def limit_cents(desk: Desk, row: Row, asking: str = "asking_price_cents") -> int:
    """The most that the agent pays for something: its ceiling, and never more than is asked."""
    asked: int = row[asking]
    return min(desk.facts.ceiling_cents, asked)


def _answer(desk: Desk, row: Row, pending: Row, deals: int) -> int:
    """Answer a seller's counter; returns 1 when it makes a deal."""
    limit = limit_cents(desk, row)
    price = pending["price_cents"]
    if price <= limit and deals < _MAX_DEALS:
        desk.do(
            "accept_offer",
            f"Buy {row['title']} for {price} cents, limit {limit}",
            offer_id=pending["offer_id"],
        )
        return 1
    if price <= limit or pending["round"] >= _LAST_ROUND or limit * 1000 < price * 900:
        desk.do(
            "leave_thread",
            f"{row['title']} does not fit the limit of {limit} cents",
            thread_id=row["thread_id"],
        )
    else:
        desk.do(
            "counter_offer",
            f"Offer {limit} cents for {row['title']}, the limit",
            offer_id=pending["offer_id"],
            price_cents=limit,
        )
    return 0


def _go_on(desk: Desk, row: Row, deals: int) -> None:
    """A conversation without a pending offer: make one, or end it when it went nowhere."""
    last = row["last_message_tick"]
    quiet = desk.tick - (row["opened_tick"] if last is None else last)
    fits = row["asking_price_cents"] * _LEAST_OFFER_PERMILLE <= desk.facts.ceiling_cents * 1000
    if quiet >= _QUIET_TICKS or not fits:
        way_out = "ghost" if desk.chance(550, "ghost", row["thread_id"]) else "leave_thread"
        desk.do(way_out, f"{row['title']} leads nowhere", thread_id=row["thread_id"])
    elif quiet >= 1 and deals < _MAX_DEALS and desk.tick < row["opened_tick"] + _QUIET_TICKS:
        offer(desk, row["listing_id"], row["asking_price_cents"], row["title"])


def offer(desk: Desk, listing_id: int, asking_cents: int, title: str) -> None:
    """Offer something between the least that can succeed and the asking price, within the limit."""
    keen = 1000 - desk.facts.haggle_permille // 9
    share = keen - desk.below(1000 - _LEAST_OFFER_PERMILLE, "offer", listing_id) // 2
    limit = min(desk.facts.ceiling_cents, asking_cents)
    price = min(limit, max(asking_cents * share // 1000, 1))
    desk.do(
        "make_offer",
        f"Offer {price} cents for {title}, limit {limit}",
        listing_id=listing_id,
        price_cents=price,
    )


# ------------------------------------------------------------------------------------- looking


def look_for(desk: Desk) -> bool:
    """Approach one listing that is worth it; returns whether there was one."""
    threads = desk.data["active_threads"]
    buying = sum(row["role"] == "buyer" for row in threads)
    if buying >= _MAX_THREADS or len(threads) >= 10 or _deals(desk) >= _MAX_DEALS:
        return False
    candidate = _candidate(desk)
    if candidate is None:
        return False
    listing_id, title = candidate["listing_id"], candidate["title"]
    way = desk.below(1000, "approach", listing_id)
    if way < _QUESTION_PERMILLE:
        question = words.QUESTIONS[desk.below(len(words.QUESTIONS), "question", listing_id)]
        desk.do("message", f"Ask about {title}", listing_id=listing_id, body=question)
        return True
    if way < _QUESTION_PERMILLE + _PROFILE_PERMILLE:
        desk.do("view_profile", "See who sells", user_agent_id=candidate["seller_id"])
    elif way < _QUESTION_PERMILLE + 2 * _PROFILE_PERMILLE:
        desk.do("view_listing", f"Read more about {title}", listing_id=listing_id)
    offer(desk, listing_id, candidate["price_cents"], title)
    return True


def ask_for_photo(desk: Desk) -> None:
    """Ask for a photo in one conversation whose offer waits for an answer."""
    for row in desk.data["active_threads"]:
        pending = row["last_pending_offer"]
        if row["role"] != "buyer" or row["last_message_tick"] is not None or pending is None:
            continue
        if pending["by"] == "you" and desk.chance(_PHOTO_PERMILLE, "photo", row["thread_id"]):
            hint = words.PHOTO_HINTS[desk.below(len(words.PHOTO_HINTS), "hint", row["thread_id"])]
            desk.do(
                "request_photo",
                f"See {row['title']} before going on",
                thread_id=row["thread_id"],
                focus_hint=hint,
            )
            return


def _candidate(desk: Desk) -> Row | None:
    """Something on offer that the agent can afford and is not already after, goal first."""
    ceiling = desk.facts.ceiling_cents
    known = {row["listing_id"] for row in desk.data["active_threads"]}
    for section in ("accepted_deals", "scheduled_exchanges", "to_rate"):
        known.update(row["listing_id"] for row in desk.data[section])
    tried = {
        event["arguments"].get("listing_id")
        for event in desk.data["history"]
        if event["action"] in ("make_offer", "message")
    }
    offered = [*desk.data["feed"]]
    for found in desk.data["discovery_results"]:
        offered.extend(found.get("hits", (found,)))
    affordable = [
        row
        for row in offered
        if row["price_cents"] * _LEAST_OFFER_PERMILLE <= ceiling * 1000
        and row["listing_id"] not in known
        and row["listing_id"] not in tried
        and row["seller_id"] not in (None, desk.agent_id)
    ]
    if not affordable:
        return None
    goal = desk.facts.goal_category
    wanted = [row for row in affordable if row["category"] == goal]
    if wanted and desk.roll(1000) < _GOAL_FIRST_PERMILLE:
        affordable = wanted
    one: Row = affordable[desk.roll(len(affordable))]
    other: Row = affordable[desk.roll(len(affordable))]
    return min(one, other, key=lambda row: _dearness(desk, row))


def _dearness(desk: Desk, row: Row) -> int:
    """A price against the average asking price of its category, weighed by the stated band."""
    baseline = desk.data["market_baselines"].get(row["category"])
    average: int = baseline["avg"] if baseline else row["price_cents"]
    weight = _BAND_WEIGHT_PERCENT.get(row["band"], 100)
    return int(row["price_cents"]) * 10 * weight // max(average, 1)


def look_around(desk: Desk) -> None:
    """Search, browse, pin: what may turn up something later."""
    way = desk.roll(1000)
    goal = desk.facts.goal_category
    if way < 420:
        words_of_goal = desk.facts.goal_title.split()
        query = words_of_goal[desk.roll(min(3, len(words_of_goal)))]
        desk.do("search", f"Look for {query}", query=query, max_price_cents=_reach(desk))
    elif way < 800:
        desk.do("browse_category", f"See what there is in {goal}", category=goal)
    else:
        dear = [
            row
            for row in desk.data["feed"]
            if row["price_cents"] * _LEAST_OFFER_PERMILLE > desk.facts.ceiling_cents * 1000
        ]
        if dear:
            row = dear[desk.roll(len(dear))]
            desk.do(
                "pin", f"{row['title']} is above the limit for now", listing_id=row["listing_id"]
            )


def _reach(desk: Desk) -> int:
    return desk.facts.ceiling_cents * 1000 // _LEAST_OFFER_PERMILLE
