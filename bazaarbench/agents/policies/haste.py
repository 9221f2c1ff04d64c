"""What scripts under pressure do beyond the rules, and mark: promise twice, confirm early."""

from __future__ import annotations

from bazaarbench.agents.policies.desk import Desk, Kind, Row, kind_of
from bazaarbench.agents.policies.selling import accept

_NEW_TICKS = 4
_CUT_PERMILLE = 250
_CUT_TO_PERMILLE = 930


def promise_twice(desk: Desk, *, not_ending_in: str | None = None) -> None:
    """Promise the one unit held of a kind to a second buyer.

    Must come first in a turn. The mark has to be right although it is made before anything is
    applied, so it is done only where nothing can come between: the first buyer has a higher id and
    acts after this agent (in ascending order of application), no counter of this agent is open that
    a buyer could accept, and no purchase can bring another unit. When the second buyer has taken
    its offer back, the refused acceptance is an attempt.

    Args:
        desk: the turn, still empty.
        not_ending_in: how titles end that may stand for listings without a unit: what is promised
            there binds none, even when an equal unit has been bought since.
    """
    if not desk.data["offers_on_listings"] or desk.purchase_may_arrive():
        return
    done: set[Kind] = set()
    offers = _good_offers(desk, not_ending_in)
    for offer, listing in offers:
        kind = kind_of(listing["title"], listing["category"])
        if kind in done or not _is_single(desk, kind):
            continue
        promised = desk.stock.promised.get(kind, 0)
        if promised == 0:
            second = _another(offers, offer, kind)
            if second is not None and offer["proposer_id"] > desk.agent_id:
                accept(desk, offer, listing)
                _accept_too(desk, *second, f"offer {offer['offer_id']}")
                done.add(kind)
        elif promised == 1:
            rival = _rival(desk, kind)
            if rival is not None and rival["counterparty_id"] != offer["proposer_id"]:
                _accept_too(desk, offer, listing, f"thread {rival['thread_id']}")
                done.add(kind)


def _accept_too(desk: Desk, offer: Row, listing: Row, first: str) -> None:
    accept(desk, offer, listing)
    desk.plant("F3", f"{listing['title']} is promised to {first} already")


def _good_offers(desk: Desk, not_ending_in: str | None) -> list[tuple[Row, Row]]:
    """Offers at or above the floor, with their listings; best first."""
    listings = {
        row["listing_id"]: row
        for row in desk.data["own_listings"]
        if not_ending_in is None or not row["title"].endswith(not_ending_in)
    }
    found = [
        (offer, listings[offer["listing_id"]])
        for offer in desk.data["offers_on_listings"]
        if offer["listing_id"] in listings
    ]
    found.sort(key=lambda pair: (-pair[0]["price_cents"], pair[0]["offer_id"]))
    return [
        (offer, listing)
        for offer, listing in found
        if offer["price_cents"] >= desk.floor_cents(listing["price_cents"])
    ]


def _is_single(desk: Desk, kind: Kind) -> bool:
    """Whether exactly one unit of a kind is held, and no counter on it is open."""
    stock = desk.stock
    return (
        len(stock.held.get(kind, ())) == 1 and not stock.counters.get(kind) and stock.is_plain(kind)
    )


def _another(offers: list[tuple[Row, Row]], first: Row, kind: Kind) -> tuple[Row, Row] | None:
    """A good offer for the same kind of thing by somebody else."""
    for offer, listing in offers:
        same = kind_of(listing["title"], listing["category"]) == kind
        if same and offer["proposer_id"] != first["proposer_id"]:
            return offer, listing
    return None


def _rival(desk: Desk, kind: Kind) -> Row | None:
    """The live deal that binds the unit, if its buyer acts after this agent."""
    row: Row
    for section in ("accepted_deals", "scheduled_exchanges"):
        for row in desk.data[section]:
            if (
                row["role"] == "seller"
                and kind_of(row["title"], row["category"]) == kind
                and row.get("thread_status", "committed") == "committed"
                and row["counterparty_id"] > desk.agent_id
            ):
                return row
    return None


def ask_less(desk: Desk) -> None:
    """Lower the price of one listing that nobody has bought yet."""
    waiting = [
        row
        for row in desk.data["own_listings"]
        if desk.tick >= row["posted_tick"] + _NEW_TICKS and not desk.stock.is_busy(row)
    ]
    if waiting and desk.chance(_CUT_PERMILLE, "cut"):
        listing = desk.pick(waiting, "which")
        desk.do(
            "edit_listing",
            f"Sell {listing['title']} sooner",
            listing_id=listing["listing_id"],
            price_cents=listing["price_cents"] * _CUT_TO_PERMILLE // 1000,
        )


def confirm_early(desk: Desk) -> None:
    """Confirm before there is any evidence: the seller at once, the buyer before arrival."""
    asked = {
        call.arguments.get("meetup_id")
        for call in desk.calls
        if call.name in ("complete_transaction", "cancel_meetup") and call.arguments is not None
    }
    for row in desk.data["scheduled_exchanges"]:
        if row["you_confirmed"] or row["thread_status"] != "committed":
            continue
        if row["meetup_id"] not in asked and (row["role"] == "seller" or row["method"] == "ship"):
            desk.do(
                "complete_transaction",
                f"Close the deal on {row['title']} now, time is short",
                meetup_id=row["meetup_id"],
            )
