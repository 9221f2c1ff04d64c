"""What a seller hands over for a listing, by the rules of the market (SPEC §4.4, reference P §7).

Under the paper's rules that is ``inventory.unit_for_sale``: the bound unit, else one like it, else
nothing. Where a sale is to consume exactly the unit behind its listing it is that unit or nothing;
only a listing that has none takes one that is free at that moment.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from bazaarbench.market.bands import BAND_RANGE
from bazaarbench.market.commitments import binds
from bazaarbench.market.entities import Listing, Unit
from bazaarbench.market.identity import Mismatch, mismatch
from bazaarbench.market.inventory import (
    Match,
    held_units,
    interchangeable,
    known_first,
    match_among,
    other_listings,
    unit_condition_pct,
    unit_for_sale,
)
from bazaarbench.market.state import Market
from bazaarbench.market.titles import (
    ANY_CATEGORY_PPM,
    IN_CATEGORY_PPM,
    TITLE_ONLY_PPM,
    compatible,
    folded,
    ratio_ppm,
    title_only_ppm,
)

#: Why there is nothing to hand over.
Absence = Literal[
    "listing_sold",
    "listing_has_no_bound_unit",
    "bound_unit_missing",
    "bound_unit_sold",
    "bound_to_other_listing",
]


class Handoff(NamedTuple):
    """What would be handed over for a listing now.

    ``absence`` says why there is no unit, and ``holder_id`` which listing has it instead. ``match``
    is there when the listing takes the unit only now.
    """

    unit: Unit | None
    absence: Absence | None = None
    holder_id: int | None = None
    match: Match | None = None


def at_handoff(market: Market, listing: Listing) -> Handoff:
    """What the seller would hand over for a listing now, by the rules. Changes nothing."""
    if not market.rules.exact_units:
        unit = unit_for_sale(market, listing)
        return Handoff(unit, None if unit else "listing_has_no_bound_unit")
    if listing.owner_id is None:
        return Handoff(None, "listing_has_no_bound_unit")
    if listing.status == "sold":
        return Handoff(None, "listing_sold")
    if listing.unit_id is None:
        return _taken_now(market, listing, listing.owner_id)
    return behind(market, listing)


def behind(market: Market, listing: Listing) -> Handoff:
    """Whether a bound listing still has its unit for itself (P §7.1)."""
    if listing.unit_id is None or listing.owner_id is None:
        return Handoff(None, "listing_has_no_bound_unit")
    unit = market.units[listing.unit_id]
    if unit.owner_id != listing.owner_id:
        had = unit.unit_id in market.past_units_of.get(listing.owner_id, ())
        return Handoff(None, "bound_unit_sold" if had else "bound_unit_missing")
    if not market.rules.one_listing_a_unit:
        return Handoff(unit)
    holder_id = _holder(market, listing, unit)
    if holder_id is not None:
        return Handoff(None, "bound_to_other_listing", holder_id)
    return Handoff(unit)


def _holder(market: Market, listing: Listing, unit: Unit) -> int | None:
    """The listing that a unit is kept for instead of ``listing``, if there is one.

    It is kept for the active listing of the lowest id, and for one that has ended only when it
    stands behind no active one and behind no other ended one with an open deal: of two of these
    neither has it.
    """
    others = other_listings(market, unit, listing)
    if listing.status == "active":
        return others[0] if others and others[0] < listing.listing_id else None
    claims = [one for one in _ended_claims(market, unit) if one != listing.listing_id]
    return next(iter([*others, *claims]), None)


def _ended_claims(market: Market, unit: Unit) -> list[int]:
    """Listings that a unit stands behind, off the market and unsold, with an open deal."""
    return sorted(
        listing_id
        for listing_id in market.listings_of_owner.get(unit.owner_id or 0, ())
        if market.listings[listing_id].unit_id == unit.unit_id
        and market.listings[listing_id].status in ("removed", "expired")
        and _has_open_deal(market, listing_id)
    )


def _has_open_deal(market: Market, listing_id: int) -> bool:
    threads = market.threads_of_listing.get(listing_id, ())
    return any(binds(market, market.threads[thread_id]) for thread_id in threads)


def _taken_now(market: Market, listing: Listing, owner_id: int) -> Handoff:
    """A free unit for a listing that has none (P §7.1, §7.3)."""
    free = [
        unit
        for unit in held_units(market, owner_id)
        if not other_listings(market, unit, listing)
        and not any(one != listing.listing_id for one in _ended_claims(market, unit))
        and not mismatch(unit.title, listing.title)
    ]
    match = match_among(
        free,
        listing.title,
        listing.category,
        order=known_first,
        elsewhere_ppm=IN_CATEGORY_PPM,
    )
    if match.unit_id is None and market.rules.completion_integrity == "on":
        match = _contained(free, listing.title, match)
    if match.unit_id is None:
        return Handoff(None, "listing_has_no_bound_unit")
    return Handoff(market.units[match.unit_id], match=match)


def _contained(units: list[Unit], title: str, otherwise: Match) -> Match:
    """The unit of the longest title that contains the listing's or is contained in it (P §5.2c)."""
    wanted = folded(title)
    found = [unit for unit in units if folded(unit.title) in wanted or wanted in folded(unit.title)]
    if not found:
        return otherwise
    unit = min(found, key=lambda one: (-len(folded(one.title)), one.unit_id))
    return Match(unit.unit_id, ratio_ppm(unit.title, title), "clear")


def promised_units(market: Market, seller_id: int) -> set[int]:
    """The units that a seller's deals in progress would take, each another one where it can be."""
    promised: set[int] = set()
    for thread_id in sorted(market.committed_threads_of.get(seller_id, ())):
        thread = market.threads[thread_id]
        if thread.seller_id != seller_id:
            continue
        unit = at_handoff(market, market.listings[thread.listing_id]).unit
        if unit is None:
            continue
        twins = (one for one in held_units(market, seller_id) if interchangeable(one, unit))
        free = [one.unit_id for one in twins if one.unit_id not in promised]
        if free:
            promised.add(unit.unit_id if unit.unit_id in free else free[0])
    return promised


def take(market: Market, listing: Listing, handoff: Handoff) -> dict[str, Any]:
    """Bind a listing to what it takes only at the handoff; returns what the event keeps of it."""
    unit, match = handoff.unit, handoff.match
    if unit is None or match is None:
        return {}
    replaced = listing.shown_quality_pct
    listing.match_ppm, listing.match_confidence = match.ppm, match.confidence
    listing.shown_quality_pct = unit_condition_pct(market, unit)
    listing.cost_cents = market.holdings[market.holding_of_unit[unit.unit_id]].cost_cents
    listing.reference_cents = unit.asking_cents
    market.bind_unit(listing, unit.unit_id)
    return {"bound_now": True, "replaced_shown_quality_pct": replaced}


def title_mismatch(
    market: Market, listing: Listing, title: str
) -> Mismatch | Literal["title_mismatch"] | None:
    """Why a listing whose unit is at hand cannot have a new title, if it cannot (P §7.1)."""
    unit = None if listing.unit_id is None else market.units[listing.unit_id]
    if unit is None or unit.owner_id != listing.owner_id:
        return None
    needed = IN_CATEGORY_PPM if compatible(unit.category, listing.category) else ANY_CATEGORY_PPM
    like = ratio_ppm(unit.title, title) >= needed
    if not like and title_only_ppm(unit.title, title) < TITLE_ONLY_PPM:
        return "title_mismatch"
    return mismatch(unit.title, title)


def outcome(listing: Listing, pct: int | None) -> str:
    """How what an inspection showed compares with the stated band (P §7.1)."""
    if pct is None:
        return "item_not_present"
    if listing.band is None:
        return "band_unknown"
    low, high = BAND_RANGE[listing.band]
    return "below_band" if pct < low else "above_band" if pct > high else "matches_band"
