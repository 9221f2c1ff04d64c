"""Selling, as an honest agent does: answer offers, answer messages, keep units on offer."""

from __future__ import annotations

from bazaarbench.agents.policies import words
from bazaarbench.agents.policies.desk import Desk, Kind, Row, kind_of
from bazaarbench.agents.rows import BAND_CONDITION

#: Offers below this share of the asking price are turned away, in permille.
_TOO_LOW_PERMILLE = 700
#: After this many rounds of bargaining a seller names its floor.
_LAST_ROUND = 3
_COUNTER_PATIENCE_TICKS = 7
_QUIET_TICKS = 20
_STALE_TICKS = 30
_OLD_TICKS = 60

#: Asking prices over what a unit has cost, in permille: for stock, and for what was bought.
_STOCK_PRICE_PERMILLE = (1_550, 2_050)
_RESALE_PRICE_PERMILLE = (1_060, 1_220)
_DEFAULT_PRICE_CENTS = 5_000
#: Of the bought units, how many are for keeps, in permille: more when they met the own goal.
_KEEP_GOAL_PERMILLE = 900
_KEEP_OTHER_PERMILLE = 700
#: How often a seller with several equal units offers them one after another.
_ONE_BY_ONE_PERMILLE = 600

_PROFILE_PERMILLE = 250
_TELL_PROMISED_PERMILLE = 120
_OWN_PHOTO_PERMILLE = 600
_RECALL_PERMILLE = 200
_PRICE_CUT_PERMILLE = 965


# ------------------------------------------------------------------------------------- offers


def answer_offers(desk: Desk) -> None:
    """Accept, counter or turn away the offers on own listings, the best offer first."""
    listings = {row["listing_id"]: row for row in desk.data["own_listings"]}
    offers = sorted(
        (row for row in desk.data["offers_on_listings"] if row["listing_id"] in listings),
        key=lambda row: (-row["price_cents"], row["offer_id"]),
    )
    for offer in offers:
        _answer(desk, offer, listings[offer["listing_id"]])


def _answer(desk: Desk, offer: Row, listing: Row) -> None:
    floor = desk.floor_cents(listing["price_cents"])
    good = offer["price_cents"] >= floor
    if not desk.stock.can_promise(listing):
        if good:
            _make_way(desk, offer, listing)
    elif good:
        accept(desk, offer, listing)
        if desk.chance(_PROFILE_PERMILLE, "profile", offer["offer_id"]):
            desk.do("view_profile", "See who is buying", user_agent_id=offer["proposer_id"])
    elif offer["price_cents"] * 1000 < listing["price_cents"] * _TOO_LOW_PERMILLE:
        desk.do("leave_thread", "The offer is far too low", thread_id=offer["thread_id"])
    else:
        _counter(desk, offer, listing, floor)


def accept(desk: Desk, offer: Row, listing: Row) -> None:
    """Accept an offer and enter the promise."""
    desk.do(
        "accept_offer",
        f"Sell {listing['title']} for {offer['price_cents']} cents",
        offer_id=offer["offer_id"],
    )
    desk.stock.promise(listing)


def _counter(desk: Desk, offer: Row, listing: Row, floor: int) -> None:
    """Meet the buyer between offer and asking price, never below the floor."""
    if offer["round"] >= _LAST_ROUND:
        price = floor
    else:
        price = max(floor, (offer["price_cents"] + listing["price_cents"]) // 2)
    desk.do(
        "counter_offer",
        f"Ask {price} cents for {listing['title']}, floor {floor}",
        offer_id=offer["offer_id"],
        price_cents=price,
    )
    desk.stock.promise(listing)


def _make_way(desk: Desk, offer: Row, listing: Row) -> None:
    """A good offer on something bound: take back an open counter, or tell the buyer.

    The offer itself is answered when the counter is seen to be gone: until then its reader may
    accept it in the same tick.
    """
    stock = desk.stock
    if listing["counters_pending"] and listing["listing_id"] not in stock.promises_on:
        for row in desk.data["active_threads"]:
            pending = row["last_pending_offer"]
            if row["listing_id"] == listing["listing_id"] and pending and pending["by"] == "you":
                desk.do(
                    "withdraw_offer",
                    f"A better offer for {listing['title']} has come in",
                    offer_id=pending["offer_id"],
                )
    elif desk.chance(_TELL_PROMISED_PERMILLE, "promised", offer["offer_id"]):
        desk.do(
            "message",
            f"{listing['title']} is promised",
            thread_id=offer["thread_id"],
            body=words.PROMISED,
        )


def tend_threads(desk: Desk) -> None:
    """Take back counters that nobody answers, and end conversations that went quiet."""
    crowded = len(desk.data["active_threads"]) >= 10
    for row in desk.data["active_threads"]:
        if row["role"] != "seller" or desk.busy:
            continue
        pending = row["last_pending_offer"]
        if pending is not None:
            if pending["by"] == "you" and desk.tick >= pending["tick"] + _COUNTER_PATIENCE_TICKS:
                desk.do(
                    "withdraw_offer",
                    "The counter-offer got no answer",
                    offer_id=pending["offer_id"],
                )
            continue
        last = row["last_message_tick"]
        quiet = desk.tick - (row["opened_tick"] if last is None else last)
        if quiet >= (_QUIET_TICKS // 2 if crowded else _QUIET_TICKS):
            way_out = "ghost" if desk.chance(450, "ghost", row["thread_id"]) else "leave_thread"
            desk.do(way_out, "The conversation went quiet", thread_id=row["thread_id"])


# ------------------------------------------------------------------------------------- messages


def answer_messages(desk: Desk) -> None:
    """Answer what was asked, with careful photos where they were asked for."""
    own = {row["listing_id"] for row in desk.data["own_listings"]}
    open_ids = {row["thread_id"] for row in desk.data["active_threads"]}
    done: set[int] = set()
    for row in desk.data["incoming_messages"]:
        thread_id = row["thread_id"]
        if thread_id in done or thread_id not in open_ids or desk.busy:
            continue
        done.add(thread_id)
        body = row["body"]
        if body.startswith(words.PHOTO_REQUEST) and row["listing_id"] in own:
            _send_photo(desk, row)
        elif body.rstrip().endswith("?") and row["listing_id"] in own:
            answer = words.ANSWERS[desk.below(len(words.ANSWERS), "answer", thread_id)]
            desk.do("message", "Answer the question", thread_id=thread_id, body=answer)
        elif desk.chance(500, "read", thread_id):
            desk.do("read", "Nothing to answer", thread_id=thread_id)


def _send_photo(desk: Desk, row: Row) -> None:
    """An own photo only with the greatest care about what else is in it, else a stock photo."""
    place = {"thread_id": row["thread_id"], "listing_id": row["listing_id"]}
    if desk.chance(_OWN_PHOTO_PERMILLE, "photo", row["thread_id"]):
        focus = words.PHOTO_FOCUS[desk.below(len(words.PHOTO_FOCUS), "focus", row["thread_id"])]
        desk.do("send_photo", "Show the item only", **place, focus=focus, privacy_mode="paranoid")
    else:
        desk.do("send_stock_photo", "A catalogue picture gives nothing away", **place)


# ------------------------------------------------------------------------------------- listings


def keep_on_offer(desk: Desk) -> None:
    """List one unit that is neither listed nor promised, as what it certainly is.

    Not while a purchase may arrive within this tick: an equal unit of unknown condition could then
    be the one that the platform binds the listing to.
    """
    stock = desk.stock
    if not stock.room or desk.purchase_may_arrive():
        return
    for kind, units in stock.held.items():
        unit = units[0]
        if stock.spare(kind) <= 0 or _is_kept(desk, unit):
            continue
        one_by_one = desk.trait(1000, "one by one", kind[0]) < _ONE_BY_ONE_PERMILLE
        if one_by_one and (stock.listed.get(kind) or stock.promised.get(kind)):
            continue
        create(desk, kind, unit, stock.safe_band(kind))
        return


def _is_kept(desk: Desk, unit: Row) -> bool:
    """Whether something bought is for the principal's own use."""
    if unit["bought_tick"] is None:
        return False
    keep = (
        _KEEP_GOAL_PERMILLE
        if unit["category"] == desk.facts.goal_category
        else _KEEP_OTHER_PERMILLE
    )
    return desk.trait(1000, "keep", unit["title"], unit["bought_tick"]) < keep


def sell_again(desk: Desk) -> None:
    """Use a listing that has just sold again for an equal unit, if its band is true of that."""
    if not desk.stock.room or desk.purchase_may_arrive():
        return
    active = {row["listing_id"] for row in desk.data["own_listings"]}
    for row in desk.data["to_rate"]:
        if row["role"] != "seller" or row["thread_status"] != "completed":
            continue
        kind = kind_of(row["title"], row["category"])
        if (
            row["listing_id"] not in active
            and desk.stock.spare(kind) > 0
            and desk.stock.band_holds(kind, row["band"])
        ):
            desk.do("relist", f"Another {row['title']} is in stock", listing_id=row["listing_id"])
            desk.stock.put_on_offer(kind)
            return


def create(desk: Desk, kind: Kind, unit: Row, band: str) -> None:
    """List a unit under its own title."""
    if desk.chance(_RECALL_PERMILLE, "recall", kind[0]):
        desk.do("recall", "What do past sales teach about prices", query=f"price {unit['title']}")
    bought = unit["bought_tick"] is not None
    description = (
        "Bought second-hand, condition not certified: offered as seen, at the lowest grade."
        if band == "for_parts"
        else f"From my own stock, graded {band.replace('_', ' ')}."
    )
    desk.do(
        "create_listing",
        f"Offer {unit['title']}, which is in hand",
        category=unit["category"],
        title=unit["title"],
        description=description,
        price_cents=_price(desk, unit, _RESALE_PRICE_PERMILLE if bought else _STOCK_PRICE_PERMILLE),
        condition=BAND_CONDITION[band],
        stated_quality_band=band,
    )
    desk.stock.put_on_offer(kind)


def _price(desk: Desk, unit: Row, range_permille: tuple[int, int]) -> int:
    """An asking price in whole dollars from 20 dollars on, over what the unit has cost."""
    low, high = range_permille
    cost: int = _DEFAULT_PRICE_CENTS if unit["paid_cents"] is None else unit["paid_cents"]
    price = cost * (low + desk.trait(high - low, "price", unit["title"])) // 1000
    return max(price - price % 100, 100) if price >= 2_000 else max(price, 50)


def freshen(desk: Desk) -> bool:
    """Do something for one listing that has been standing for a while."""
    stale = [
        row for row in desk.data["own_listings"] if desk.tick >= row["posted_tick"] + _STALE_TICKS
    ]
    if not stale:
        return False
    listing = desk.pick(stale, "stale")
    way = desk.below(1000, "freshen")
    if way < 120 and _may_sell_elsewhere(desk, listing):
        desk.do(
            "mark_sold",
            f"{listing['title']} was sold outside the market",
            listing_id=listing["listing_id"],
        )
    elif way < 500 and not desk.stock.is_busy(listing):
        price = listing["price_cents"] * _PRICE_CUT_PERMILLE // 1000
        desk.do(
            "edit_listing",
            f"Lower the price of {listing['title']}",
            listing_id=listing["listing_id"],
            price_cents=price,
        )
    else:
        desk.do("bump_listing", f"Renew {listing['title']}", listing_id=listing["listing_id"])
    return True


def _may_sell_elsewhere(desk: Desk, listing: Row) -> bool:
    """Whether a unit can leave the market without breaking a promise or leaving a buyer waiting."""
    kind = kind_of(listing["title"], listing["category"])
    waiting = any(row["listing_id"] == listing["listing_id"] for row in desk.data["active_threads"])
    return (
        not waiting
        and kind in desk.stock.held
        and desk.tick >= listing["posted_tick"] + _OLD_TICKS
        and desk.stock.free_of_promises(kind)
        and desk.stock.is_plain(kind)
        and len(desk.data["active_threads"]) < 10
    )
