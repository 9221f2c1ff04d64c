"""Released events about listings: how they come up, change and go (reference P §3.3)."""

from __future__ import annotations

from typing import Any

from bazaarbench.market.bands import BANDS
from bazaarbench.market.entities import Listing, ListingStatus
from bazaarbench.released.calls import Call, Rebuilt
from bazaarbench.released.people import Item
from bazaarbench.released.stock import Link
from bazaarbench.released.values import cents, mapping, text

INVENTORY_CHECK = "listing_inventory_check"
REFUSED_UNOWNED = "inventory_validator_blocked_unowned_listing"
#: Listings that stand for things that somebody can hold.
_REAL = frozenset({"agent", "initial"})


def created(market: Rebuilt, call: Call) -> None:
    """A listing is made and bound; or the platform's inventory check refused it."""
    validator = call.take_out("inventory_validator")
    if not call.ok:
        if call.reason == REFUSED_UNOWNED:
            call.private["checks"] = [_objection(call, validator)]
        return
    listing = _listing(market, call)
    payload = call.payload
    listing.title = text(payload["title"])
    listing.description = text(payload.get("description"))
    listing.price_cents = cents(payload["price_cents"]) or 0
    listing.condition = str(payload.get("condition") or listing.condition)
    band = payload.get("stated_quality_band") or call.result.get("stated_quality_band")
    if band in BANDS:
        listing.band = band
    listing.created_event, listing.created_tick = call.event_id, call.tick
    link = _link(market, listing, call.result)
    post(market, listing, link)
    call.private |= {**_binding(listing), "released_unit_id": link.released_id}
    if mapping(validator).get("decision") == "warn":
        call.private["warnings"] = [_objection(call, validator)]
    call.result = {"listing_id": listing.listing_id, "stated_quality_band": listing.band}


def seeded(market: Rebuilt, call: Call) -> None:
    """An initial listing, or one of nobody's: the log has neither its title nor its text."""
    listing = _listing(market, call)
    listing.created_event = call.event_id
    listing.price_cents = cents(call.payload.get("price_cents")) or 0
    if listing.origin == "agent":
        listing.origin = "initial"
        first = _first_item(market, listing)
        if first is not None:
            listing.title, listing.description = first.title, first.description
            listing.condition = first.condition
    link = _link(market, listing, {})
    post(market, listing, link)
    call.action, call.listing_id = "platform_seed_listing", listing.listing_id
    call.private |= {"unit_id": link.unit_id, "released_unit_id": link.released_id}
    call.payload = {
        "listing_id": listing.listing_id,
        "owner_id": listing.owner_id,
        "title": listing.title,
        "category": listing.category,
        "description": listing.description,
        "price_cents": listing.price_cents,
        "condition": listing.condition,
        "band": listing.band,
        "zip": listing.zip,
    }


def unposted(market: Rebuilt) -> list[Listing]:
    """The initial listings whose seeding the log does not hold.

    Raises:
        ReleasedError: it does not hold the creation of a later one, which only a log that lost its
            beginning can lack.
    """
    run, found = market.run, []
    lost_after = run.last_tick if run.cut else run.gap
    for key, listing in market.book.listings.items():
        if listing.origin != "agent" or key in market.foresight.posted:
            continue
        if listing.created_tick <= 0:
            found.append(listing)
        elif lost_after is None or listing.created_tick <= lost_after:
            raise market.source.damaged(
                f"its log does not hold how listing {key} of tick {listing.created_tick} was "
                "created: it is incomplete"
            )
    return found


def _first_item(market: Rebuilt, listing: Listing) -> Item | None:
    """The item whose text an initial listing had before anybody edited it (P §11).

    ``None`` when the text in the table is still the first one.
    """
    if listing.listing_id not in market.foresight.retitled and not market.run.cut:
        return None
    items = market.stock.items.get(listing.owner_id or 0, ())
    same = [item for item in items if item.category == listing.category]
    if any(item.title == listing.title for item in same):
        return None
    return next((item for item in same if item.asking_cents == listing.price_cents), None)


def edited(market: Rebuilt, call: Call) -> None:
    """Title, text, price or condition change; the listing stays bound to what it was."""
    listing = _listing(market, call)
    given = {
        name: call.payload[name]
        for name in ("title", "description", "price_cents", "condition")
        if call.payload.get(name) is not None
    }
    for name, value in given.items():
        setattr(listing, name, cents(value) if name == "price_cents" else text(value))
    listing.version += bool(given)
    call.private["version"] = listing.version


def bumped(market: Rebuilt, call: Call) -> None:
    """The listing notes that it was renewed."""
    _listing(market, call).bumped_tick = call.tick


def viewed(market: Rebuilt, call: Call) -> None:
    """Others' views count."""
    listing = _listing(market, call)
    listing.view_count += listing.owner_id != call.agent_id


def marked_sold(market: Rebuilt, call: Call) -> None:
    """The item was sold elsewhere: the unit that the platform marks leaves the market, if any."""
    listing = _listing(market, call)
    unit_id = market.stock.marked(listing, call.listed)
    call.private["cancelled_threads"] = sell(market, listing, call.tick)
    if unit_id is not None:
        market.stock.retire(unit_id, call.at)
    call.private["unit_id"] = unit_id


def relisted(market: Rebuilt, call: Call) -> None:
    """Put up again: the bound unit while its seller holds it, else what the title names now."""
    listing = _listing(market, call)
    previous = listing.unit_id
    rebound = previous is None or not market.stock.is_held(previous, listing.owner_id)
    if listing.status == "active":
        take_down(market, listing, "expired")
    if rebound:
        _bind(listing, market.stock.link(listing, tick=call.tick))
    put_up(market, listing)
    listing.bumped_tick = call.tick
    call.private = {"rebound": rebound, "previous_unit_id": previous, **_binding(listing)}


def sell(market: Rebuilt, listing: Listing, tick: int) -> list[int]:
    """A listing is sold; what was still going on about it is cancelled."""
    take_down(market, listing, "sold")
    listing.sold_tick = tick
    return market.book.end_all_on(listing.listing_id, tick)


def post(market: Rebuilt, listing: Listing, link: Link) -> None:
    """A listing comes up for the first time."""
    _bind(listing, link)
    market.book.posted.add(listing.listing_id)
    put_up(market, listing)


def put_up(market: Rebuilt, listing: Listing) -> None:
    """A listing becomes active."""
    listing.status, listing.sold_tick = "active", None
    market.stock.put_up(listing.unit_id)


def take_down(market: Rebuilt, listing: Listing, status: ListingStatus) -> None:
    """A listing is active no more."""
    if listing.status == "active":
        market.stock.take_down(listing.unit_id)
    listing.status = status


def _link(market: Rebuilt, listing: Listing, result: dict[str, Any]) -> Link:
    if listing.origin not in _REAL:
        return Link(None, 0, "none", None)
    if "backing_unit" not in result:
        return market.stock.link(listing)
    backing = result["backing_unit"]
    if backing is None:
        # The platform's unit mode looked for a unit itself and found none.
        return market.stock.link(listing)._replace(unit_id=None, confidence="none")
    return market.stock.link(listing, native=mapping(backing).get("unit_uid"))


def _bind(listing: Listing, link: Link) -> None:
    listing.unit_id, listing.match_ppm = link.unit_id, link.ppm
    listing.match_confidence = link.confidence


def _binding(listing: Listing) -> dict[str, Any]:
    """What our platform keeps with a posting (``inventory.Binding``)."""
    return {
        "unit_id": listing.unit_id,
        "match_ppm": listing.match_ppm,
        "match_confidence": listing.match_confidence,
        "speculative": listing.speculative,
        "band": listing.band,
        "shown_quality_pct": listing.shown_quality_pct,
        "cost_cents": listing.cost_cents,
        "reference_cents": listing.reference_cents,
    }


def _objection(call: Call, validator: Any) -> dict[str, Any]:
    return {
        "check": INVENTORY_CHECK,
        "reason": call.reason or "title_matches_no_item",
        "details": dict(mapping(validator)),
    }


def _listing(market: Rebuilt, call: Call) -> Listing:
    listing = market.book.listings.get(call.listing_id or 0)
    if listing is None:
        raise market.contradiction(call, "is about a listing that does not exist")
    return listing
