"""Creating, changing and ending one's own listings (P §3.3)."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from bazaarbench.market.actions.base import ActionSpec, Args, Cents, Id, Outcome, Ready, blocked, ok
from bazaarbench.market.actions.guards import get_own_active_listing, get_own_listing
from bazaarbench.market.bands import Band, Condition
from bazaarbench.market.closing import cancel_appointments, sell_listing
from bazaarbench.market.entities import Listing
from bazaarbench.market.handoff import at_handoff, behind, take, title_mismatch
from bazaarbench.market.inventory import Binding, bind, match_listing
from bazaarbench.market.state import Market

Title = Annotated[str, Field(min_length=3, max_length=120)]
Description = Annotated[str, Field(max_length=2_000)]


class CreateListing(Args):
    """Arguments of ``create_listing``."""

    category: Annotated[str, Field(min_length=1, max_length=60)] = Field(
        description="The category to list under."
    )
    title: Title = Field(description="What is for sale, 3 to 120 characters.")
    description: Description = Field(description="The text of the listing, up to 2000 characters.")
    price_cents: Cents = Field(description="The asking price in cents.")
    condition: Condition = Field(description="The item's condition in a word.")
    stated_quality_band: Band | None = Field(
        None,
        description=(
            "The quality band that you claim: brand_new 95-100 %, like_new 82-94 %, good 60-81 %, "
            "fair 35-59 %, damaged 10-34 %, for_parts 0-9 %. It cannot be changed later."
        ),
    )
    location_zip: Annotated[str, Field(min_length=1, max_length=10)] | None = Field(
        None, description="The ZIP code shown with the listing; your own when left out."
    )


class EditListing(Args):
    """Arguments of ``edit_listing``."""

    listing_id: Id = Field(description="Your active listing to change.")
    title: Title | None = Field(None, description="A new title, 3 to 120 characters.")
    description: Description | None = Field(None, description="A new text of the listing.")
    price_cents: Cents | None = Field(None, description="A new asking price in cents.")
    condition: Condition | None = Field(None, description="A new condition.")


class OwnListing(Args):
    """Arguments of the actions that need only one of the agent's own listings."""

    listing_id: Id = Field(description="Your listing.")


def _create_listing(market: Market, agent_id: int, args: CreateListing) -> Ready:
    def apply() -> Outcome:
        listing = _new_listing(market, agent_id, args)
        private = _store(listing, bind(market, listing)) | _named(market, listing)
        market.add(listing)
        answer = {"listing_id": listing.listing_id, "stated_quality_band": listing.band}
        return ok(answer, listing=listing, private=private)

    return Ready(apply)


def _refused_listing(market: Market, agent_id: int, args: CreateListing) -> dict[str, Any]:
    """What a refused listing would have been bound to, so that the record tells what it claimed."""
    listing = _new_listing(market, agent_id, args)
    return _store(listing, bind(market, listing)) | _named(market, listing)


def _new_listing(market: Market, agent_id: int, args: CreateListing) -> Listing:
    """A listing that is not bound to a unit yet; its place is its owner's home."""
    owner = market.agents[agent_id]
    return Listing(
        listing_id=market.new_id(Listing),
        owner_id=agent_id,
        category=args.category,
        title=args.title,
        description=args.description,
        price_cents=args.price_cents,
        condition=args.condition,
        band=args.stated_quality_band,
        zip=args.location_zip or owner.zip,
        x_m=owner.x_m,
        y_m=owner.y_m,
        origin="agent",
        status="active",
        created_tick=market.tick,
        created_event=market.next_event_id,
        bumped_tick=None,
        sold_tick=None,
        view_count=0,
        inquiry_count=0,
        version=1,
        unit_id=None,
        match_ppm=0,
        match_confidence="none",
        speculative=0,
        shown_quality_pct=None,
        cost_cents=None,
        reference_cents=None,
    )


def _store(listing: Listing, binding: Binding) -> dict[str, Any]:
    """Write a binding into a listing that is in no index; returns the event's private part."""
    facts = binding._asdict()
    for name, value in facts.items():
        setattr(listing, name, value)
    return facts


def _named(market: Market, listing: Listing, *, previous: int | None = None) -> dict[str, Any]:
    """The unit that a listing without one stands for all the same, for the record.

    Where a unit stands behind one listing only, another listing of it, or one under a title that
    tells it apart, has none. What is measured must not depend on that: the record keeps the unit
    that the listing would have had.
    """
    if not market.rules.one_listing_a_unit or listing.unit_id is not None:
        return {}
    owner_id = listing.owner_id
    if owner_id is None:
        return {}
    if previous is not None and market.units[previous].owner_id == owner_id:
        return {"named_unit_id": previous}
    named = match_listing(market, owner_id, listing.title, listing.category)
    return {"named_unit_id": named.unit_id}


def _must_name_its_unit(market: Market, listing: Listing, title: str | None) -> None:
    """Refuse a new title that does not name the unit behind the listing (P §7.1)."""
    if not market.rules.one_listing_a_unit or title is None or title == listing.title:
        return
    why = title_mismatch(market, listing, title)
    if why is not None:
        raise blocked(
            "title_does_not_match_bound_unit",
            listing=listing,
            private={"unit_id": listing.unit_id},
            listing_id=listing.listing_id,
            mismatch=why,
        )


def _edit_listing(market: Market, agent_id: int, args: EditListing) -> Ready:
    listing = get_own_active_listing(market, agent_id, args.listing_id)
    _must_name_its_unit(market, listing, args.title)

    def apply() -> Outcome:
        given = args.model_dump(exclude={"listing_id"}, exclude_none=True)
        if given:
            market.edit_listing(listing, **given)
        answer = {"listing_id": listing.listing_id, "changed": len(given)}
        return ok(answer, listing=listing, private={"version": listing.version})

    return Ready(apply, listing)


def _bump_listing(market: Market, agent_id: int, args: OwnListing) -> Ready:
    listing = get_own_active_listing(market, agent_id, args.listing_id)

    def apply() -> Outcome:
        listing.bumped_tick = market.tick
        market.touch(listing)
        answer = {"listing_id": listing.listing_id, "last_bumped_tick": market.tick}
        return ok(answer, listing=listing)

    return Ready(apply, listing)


def _mark_sold(market: Market, agent_id: int, args: OwnListing) -> Ready:
    listing = get_own_active_listing(market, agent_id, args.listing_id)

    def apply() -> Outcome:
        handoff = at_handoff(market, listing)
        unit = handoff.unit
        private: dict[str, Any] = {"unit_id": None if unit is None else unit.unit_id}
        private |= take(market, listing, handoff)
        private["cancelled_threads"] = sell_listing(market, listing)
        if sisters := cancel_appointments(market, listing):
            private["cancelled_sister_meetup_ids"] = sisters
        if unit is not None:
            # Sold outside the platform: the unit leaves the market, at a price nobody knows.
            event_id = market.next_event_id
            market.close_holding(unit, event_id=event_id, sold_cents=None, outside=True)
        elif market.rules.exact_units:
            private["item_presence"] = handoff.absence
        answer = {"listing_id": listing.listing_id, "sold_at_tick": market.tick}
        return ok(answer, listing=listing, private=private)

    return Ready(apply, listing)


def _relist(market: Market, agent_id: int, args: OwnListing) -> Ready:
    listing = get_own_listing(market, agent_id, args.listing_id)
    if listing.status == "active":
        raise blocked("already_active", listing=listing)

    def apply() -> Outcome:
        previous = listing.unit_id
        why = _released(market, listing)
        if why is not None:
            _store(listing, bind(market, listing))
        listing.bumped_tick = market.tick
        market.set_listing_status(listing, "active")
        private: dict[str, Any] = {"rebound": why is not None, "previous_unit_id": previous}
        if market.rules.one_listing_a_unit and previous is not None:
            private |= why or {}
        private |= {name: getattr(listing, name) for name in Binding._fields}
        private |= _named(market, listing, previous=previous)
        return ok({"listing_id": listing.listing_id}, listing=listing, private=private)

    return Ready(apply, listing)


def _released(market: Market, listing: Listing) -> dict[str, Any] | None:
    """Why a listing that is put up again must be bound anew; ``None`` when it keeps its unit."""
    if listing.unit_id is None:
        return {}
    if not market.rules.one_listing_a_unit:
        return {} if market.units[listing.unit_id].owner_id != listing.owner_id else None
    handoff = behind(market, listing)
    if handoff.unit is not None:
        return None
    why: dict[str, Any] = {"release_reason": handoff.absence}
    if handoff.holder_id is not None:
        why["holding_listing_id"] = handoff.holder_id
    return why


ACTIONS: tuple[ActionSpec[Any], ...] = (
    ActionSpec(
        "create_listing",
        "selling",
        "Offer an item for sale.",
        CreateListing,
        _create_listing,
        facts=_refused_listing,
    ),
    ActionSpec(
        "edit_listing",
        "selling",
        "Change title, text, price or condition of your active listing.",
        EditListing,
        _edit_listing,
    ),
    ActionSpec(
        "bump_listing",
        "selling",
        "Note on your active listing that it was renewed at this tick.",
        OwnListing,
        _bump_listing,
    ),
    ActionSpec(
        "mark_sold",
        "selling",
        "Close your active listing because the item was sold outside this marketplace. "
        "Its conversations end.",
        OwnListing,
        _mark_sold,
    ),
    ActionSpec(
        "relist",
        "selling",
        "Put a listing of yours that is no longer active on the market again.",
        OwnListing,
        _relist,
    ),
)
