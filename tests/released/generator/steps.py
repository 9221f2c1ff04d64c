"""Short ways to say a step: who calls what at which tick."""

from __future__ import annotations

from typing import Any

from tests.released.generator.rows import Json
from tests.released.generator.script import Goods, Step

BIKE = Goods("Trek Marlin 5 mountain bike", "sports")
LAMP = Goods("Brass banker desk lamp", "home-goods")
PHONE = Goods("Apple iPhone 12 64GB", "electronics-phones")
CAMERA = Goods("Sony Alpha camera", "electronics")


def lists(
    tick: int,
    who: str,
    name: str,
    goods: Goods,
    band: str | None = "good",
    price: int = 10_000,
    condition: str = "good",
) -> Step:
    """Put a thing up under a name."""
    args = {
        "category": goods.category,
        "title": goods.title,
        "price_cents": price,
        "condition": condition,
        "stated_quality_band": band,
    }
    return Step(tick, who, "create_listing", args, name)


def edits(tick: int, who: str, listing: str, **changes: Any) -> Step:
    """Change title, description, price or condition."""
    return Step(tick, who, "edit_listing", {"listing_id": listing, **changes})


def relists(tick: int, who: str, listing: str) -> Step:
    """Make a listing active again."""
    return Step(tick, who, "relist", {"listing_id": listing}, f"relist {listing}")


def marks_sold(tick: int, who: str, listing: str) -> Step:
    """Close a listing as sold elsewhere."""
    return Step(tick, who, "mark_sold", {"listing_id": listing})


def writes(tick: int, who: str, where: str, body: str = "Is it still there?") -> Step:
    """Write in a thread ("L/B"), or for the first time about a listing ("L")."""
    key = "thread_id" if "/" in where else "listing_id"
    return Step(tick, who, "message", {"body": body, key: where})


def offers(tick: int, who: str, listing: str, price: int = 9_000, name: str = "") -> Step:
    """Offer on a listing; the offer is named like the thread unless told otherwise."""
    args = {"listing_id": listing, "price_cents": price}
    return Step(tick, who, "make_offer", args, name or f"{listing}/{who}")


def counters(tick: int, who: str, offer: str, price: int, name: str) -> Step:
    """Answer an offer with another one."""
    return Step(tick, who, "counter_offer", {"offer_id": offer, "price_cents": price}, name)


def accepts(tick: int, who: str, offer: str) -> Step:
    """Accept an offer."""
    return Step(tick, who, "accept_offer", {"offer_id": offer}, f"accept {offer}")


def withdraws(tick: int, who: str, offer: str) -> Step:
    """Take one's own offer back."""
    return Step(tick, who, "withdraw_offer", {"offer_id": offer})


def meets(tick: int, who: str, thread: str, at: int) -> Step:
    """Schedule a meetup for tick `at`."""
    args = {"thread_id": thread, "scheduled_tick": at}
    return Step(tick, who, "schedule_meetup", args, thread)


def ships(tick: int, who: str, thread: str, lag: int = 6) -> Step:
    """Send it; it is due `lag` ticks later."""
    args = {"thread_id": thread, "delivery_lag_ticks": lag}
    return Step(tick, who, "schedule_shipment", args, thread)


def inspects(tick: int, who: str, thread: str) -> Step:
    """Look at it at the meetup."""
    return Step(tick, who, "inspect_at_meetup", {"meetup_id": thread})


def completes(tick: int, who: str, thread: str, proof: str | None = None) -> Step:
    """Confirm; `proof` "the token" stands for the exact one."""
    args = {"meetup_id": thread, "handoff_proof": proof}
    return Step(tick, who, "complete_transaction", args)


def cancels(tick: int, who: str, thread: str) -> Step:
    """Call the meetup or shipment off."""
    return Step(tick, who, "cancel_meetup", {"meetup_id": thread, "reason": "plans changed"})


def leaves(tick: int, who: str, thread: str) -> Step:
    """Leave the thread."""
    return Step(tick, who, "leave_thread", {"thread_id": thread})


def ghosts(tick: int, who: str, thread: str) -> Step:
    """Fall silent."""
    return Step(tick, who, "ghost", {"thread_id": thread})


def rates(tick: int, who: str, whom: str, stars: int, thread: str | None = None) -> Step:
    """Rate somebody."""
    args = {"ratee_agent_id": whom, "stars": stars, "thread_id": thread}
    return Step(tick, who, "rate", args)


def photographs(
    tick: int,
    who: str,
    thread: str,
    name: str,
    mode: str = "normal",
    drawn: tuple[Json, Json] | None = None,
) -> Step:
    """Send a photo of the thread's listing."""
    listing = thread.partition("/")[0]
    args = {"thread_id": thread, "listing_id": listing, "privacy_mode": mode, "drawn": drawn}
    return Step(tick, who, "send_photo", args, name)


# ------------------------------------------------------------------------------------- whole deals


def promise(tick: int, seller: str, thread: str, price: int = 9_000) -> tuple[Step, ...]:
    """An offer at `tick`, accepted a tick later."""
    listing, _, buyer = thread.partition("/")
    return offers(tick, buyer, listing, price), accepts(tick + 1, seller, thread)


def handover(tick: int, seller: str, thread: str) -> tuple[Step, ...]:
    """The buyer inspects at `tick` and both confirm."""
    buyer = thread.partition("/")[2]
    return (
        inspects(tick, buyer, thread),
        completes(tick, buyer, thread),
        completes(tick, seller, thread),
    )


def meet_sale(tick: int, seller: str, thread: str, price: int = 9_000) -> tuple[Step, ...]:
    """Offered at t, accepted and fixed at t + 1, met, inspected and completed at t + 2."""
    return (
        *promise(tick, seller, thread, price),
        meets(tick + 1, seller, thread, tick + 2),
        *handover(tick + 2, seller, thread),
    )


def ship_sale(
    tick: int, seller: str, thread: str, price: int = 9_000, *, done: int | None = None
) -> tuple[Step, ...]:
    """Offered at t, accepted and sent at t + 1, due at t + 7, confirmed by both then or at done."""
    buyer = thread.partition("/")[2]
    when = tick + 7 if done is None else done
    return (
        *promise(tick, seller, thread, price),
        ships(tick + 1, seller, thread),
        completes(when, buyer, thread),
        completes(when, seller, thread),
    )


def arrives(tick: int, who: str, *arrivals: tuple[Goods, int], sales: int = 0) -> Step:
    """Restock: goods and their quality."""
    made = [(goods.unit(), quality) for goods, quality in arrivals]
    return Step(tick, who, "restock", {"arrivals": made, "sales": sales})
