"""Units, who holds them, and which of them a listing sells (SPEC §4.6, reference P §5).

A listing is bound to one unit when it is created, and a sale moves that unit. Only units that the
seller holds at that moment can be bound or moved; when there is none, the sale conjures one, so
that the market goes on as in the paper and the record says that nothing was there. ``handoff.py``
has what stricter rules let a sale move.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from bazaarbench.market.bands import BAND_RANGE, CONDITION_BAND, band_of
from bazaarbench.market.draws import between
from bazaarbench.market.entities import Holding, Listing, MatchConfidence, Thread, Unit
from bazaarbench.market.identity import mismatch
from bazaarbench.market.state import Market
from bazaarbench.market.titles import (
    ANY_CATEGORY_PPM,
    IN_CATEGORY_PPM,
    SAME_PPM,
    compatible,
    folded,
    normal_title,
    ratio_ppm,
)

#: What an inspection shows when no band was ever stated (percent).
UNSTATED_QUALITY_PCT = 70
#: Share of the price that stands for an unknown acquisition cost (percent).
FALLBACK_COST_PCT = 55


class Match(NamedTuple):
    """Which unit a title names; ``ppm`` is the best ratio found, even when it names none."""

    unit_id: int | None
    ppm: int
    confidence: MatchConfidence


class Binding(NamedTuple):
    """What the platform stores with a listing and shows nobody (entities.Listing has the units)."""

    unit_id: int | None
    match_ppm: int
    match_confidence: MatchConfidence
    speculative: int
    band: str | None
    shown_quality_pct: int | None
    cost_cents: int
    reference_cents: int | None


class Transfer(NamedTuple):
    """What a completed sale moved, or made out of nothing."""

    unit_id: int
    holding_id: int
    conjured: bool


def held_units(market: Market, owner_id: int) -> list[Unit]:
    """The units that an agent holds now, in ascending id."""
    return [market.units[unit_id] for unit_id in sorted(market.units_of.get(owner_id, ()))]


def past_units(market: Market, owner_id: int) -> list[Unit]:
    """The units that an agent held once and holds no more, in ascending id."""
    return [market.units[unit_id] for unit_id in sorted(market.past_units_of.get(owner_id, ()))]


def interchangeable(unit: Unit, other: Unit) -> bool:
    """Whether two units of one owner are the same kind of thing (SPEC §1)."""
    return unit.category == other.category and normal_title(unit.title) == normal_title(other.title)


def match_listing(market: Market, owner_id: int, title: str, category: str) -> Match:
    """The unit that a listing names among those its owner holds (reference P §5.2a).

    The best ratio among units of a compatible category wins from 0.45 on, else the best ratio of
    all from 0.85 on. Among equal ratios a unit that is in no active listing comes first, then the
    lowest id.
    """
    listed = market.active_of_unit

    def unlisted_first(unit: Unit) -> tuple[bool, int]:
        return bool(listed.get(unit.unit_id)), unit.unit_id

    return match_among(held_units(market, owner_id), title, category, order=unlisted_first)


def match_among(
    units: Sequence[Unit],
    title: str,
    category: str,
    *,
    order: Callable[[Unit], Any],
    elsewhere_ppm: int = ANY_CATEGORY_PPM,
) -> Match:
    """The best match of a title among some units.

    Args:
        units: the candidates.
        title: the listing's.
        category: the listing's; units of a compatible one need a ratio of 0.45.
        order: which of equally good units comes first.
        elsewhere_ppm: the ratio from which units of any category are taken when none of a
            compatible one is, in parts per million.
    """
    pool = [unit for unit in units if compatible(unit.category, category)]
    best_ppm, winners = _best(pool, title)
    if best_ppm < IN_CATEGORY_PPM:
        fallback_ppm, fallback = _best(units, title)
        if fallback_ppm < elsewhere_ppm:
            return Match(None, best_ppm, "none")
        best_ppm, winners = fallback_ppm, fallback
    confidence: MatchConfidence = "exact" if best_ppm == SAME_PPM else "clear"
    if not all(interchangeable(winners[0], unit) for unit in winners[1:]):
        confidence = "ambiguous"
    return Match(min(winners, key=order).unit_id, best_ppm, confidence)


def known_first(unit: Unit) -> tuple[bool, int]:
    """An order of equally good units: of known condition, then the lowest id (P §7.1)."""
    return unit.quality_pct is None, unit.unit_id


def own_match(market: Market, listing: Listing, owner_id: int) -> Match:
    """The unit that a listing has for itself, where a unit stands behind one listing (P §7.1).

    Not one that stands behind another active listing of its owner, nor one that the title tells
    apart from what it says.
    """
    free = [
        unit
        for unit in held_units(market, owner_id)
        if not other_listings(market, unit, listing) and not mismatch(unit.title, listing.title)
    ]
    return match_among(free, listing.title, listing.category, order=known_first)


def other_listings(market: Market, unit: Unit, listing: Listing) -> list[int]:
    """Other active listings of a unit's owner that the unit stands behind, ascending."""
    return sorted(
        listing_id
        for listing_id in market.active_of_unit.get(unit.unit_id, ())
        if listing_id != listing.listing_id
        and market.listings[listing_id].owner_id == unit.owner_id
    )


def is_speculative(market: Market, owner_id: int, title: str, category: str, match: Match) -> bool:
    """Whether a listing resembles nothing that its owner holds or ever held (P §5.2a)."""
    if match.unit_id is not None:
        return False
    for unit in past_units(market, owner_id):
        needed = IN_CATEGORY_PPM if compatible(unit.category, category) else ANY_CATEGORY_PPM
        if ratio_ppm(unit.title, title) >= needed:
            return False
    return True


def bind(market: Market, listing: Listing) -> Binding:
    """What binding ``listing`` to its owner's units now gives, by the rule of creation.

    Nothing is changed. A band that is not stated is the band of the unit's known condition, else
    of the stated one; only an initial listing keeps none.
    """
    owner_id = listing.owner_id
    if owner_id is None:
        raise ValueError(f"listing {listing.listing_id} is the platform's and has no units")
    match = named = match_listing(market, owner_id, listing.title, listing.category)
    if market.rules.one_listing_a_unit:
        match = own_match(market, listing, owner_id)
    unit = None if match.unit_id is None else market.units[match.unit_id]
    known_pct = _known_pct(market, unit)
    band = listing.band
    if band is None and listing.origin == "agent":
        band = CONDITION_BAND[listing.condition] if known_pct is None else band_of(known_pct)
    cost = (
        None if unit is None else market.holdings[market.holding_of_unit[unit.unit_id]].cost_cents
    )
    return Binding(
        *match,
        speculative=int(is_speculative(market, owner_id, listing.title, listing.category, named)),
        band=band,
        shown_quality_pct=_stored_pct(market, listing, band, known_pct),
        cost_cents=listing.price_cents * FALLBACK_COST_PCT // 100 if cost is None else cost,
        reference_cents=None if unit is None else unit.asking_cents,
    )


def _known_pct(market: Market, unit: Unit | None) -> int | None:
    """The condition of a unit as far as the platform goes by it when a listing is made."""
    if unit is None:
        return None
    if market.rules.inspection_shows == "unit":
        return unit_condition_pct(market, unit)
    return None if unit.transfers else unit.quality_pct


def _stored_pct(
    market: Market, listing: Listing, band: str | None, known_pct: int | None
) -> int | None:
    """The quality stored with a listing; none is made up where inspections show the unit."""
    if market.rules.inspection_shows == "unit":
        return known_pct
    if band is None:
        return UNSTATED_QUALITY_PCT
    return quality_in_band(market, band, listing.listing_id) if known_pct is None else known_pct


def quality_in_band(market: Market, band: str, listing_id: int) -> int:
    """A percent inside a claimed band that depends on the listing alone (SPEC §4.4)."""
    low, high = BAND_RANGE[band]
    return between(low, high, "shown-quality", market.seed, listing_id)


def unit_condition_pct(market: Market, unit: Unit) -> int:
    """The condition that ``inspection_shows=unit`` reveals, in percent.

    A conjured unit has no known condition: it shows one inside the band of the condition that it
    was sold as, the same at every inspection.
    """
    if unit.quality_pct is not None:
        return unit.quality_pct
    low, high = BAND_RANGE[CONDITION_BAND.get(unit.condition, "good")]
    return between(low, high, "conjured-quality", market.seed, unit.unit_id)


def unit_for_sale(market: Market, listing: Listing) -> Unit | None:
    """The unit that the seller would hand over for a listing now, if there is one.

    The bound unit while its seller holds it, else an interchangeable one that the seller holds. A
    listing that was bound to nothing takes what the rule of creation finds now: a unit obtained
    after listing and before the sale counts as held (reference M §2.6).
    """
    owner_id = listing.owner_id
    if owner_id is None:
        return None
    if listing.unit_id is None:
        match = match_listing(market, owner_id, listing.title, listing.category)
        return None if match.unit_id is None else market.units[match.unit_id]
    bound = market.units[listing.unit_id]
    if bound.owner_id == owner_id:
        return bound
    twins = [unit for unit in held_units(market, owner_id) if interchangeable(unit, bound)]
    return _unlisted_first(market, twins) if twins else None


def transfer(
    market: Market, thread: Thread, unit: Unit | None, *, price_cents: int, event_id: int
) -> Transfer:
    """Give the buyer of a completed deal its unit, at the price paid.

    Args:
        market: the market.
        thread: the deal that completes.
        unit: what the seller hands over; ``None`` conjures a unit of unknown condition from the
            listing's text.
        price_cents: what the buyer paid; it becomes the unit's asking price and its holder's cost.
        event_id: the completing event, which ends one holding and begins the next.
    """
    conjured = unit is None
    if unit is None:
        unit = _conjure(market, market.listings[thread.listing_id], price_cents)
    else:
        market.close_holding(unit, event_id=event_id, sold_cents=price_cents, outside=False)
        unit.transfers += 1
        unit.asking_cents = price_cents
    holding = Holding(
        holding_id=market.new_id(Holding),
        unit_id=unit.unit_id,
        agent_id=thread.buyer_id,
        how="conjured" if conjured else "purchase",
        from_tick=market.tick,
        from_event=event_id,
        cost_cents=price_cents,
        thread_id=thread.thread_id,
    )
    market.open_holding(unit, holding)
    return Transfer(unit.unit_id, holding.holding_id, conjured)


def _conjure(market: Market, listing: Listing, price_cents: int) -> Unit:
    unit = Unit(
        unit_id=market.new_id(Unit),
        owner_id=None,
        title=listing.title,
        category=listing.category,
        description=listing.description,
        condition=listing.condition,
        quality_pct=None,
        origin="conjured",
        entered_tick=market.tick,
        asking_cents=price_cents,
        entry_cost_cents=None,
        transfers=0,
    )
    market.add(unit)
    return unit


def _best(units: Iterable[Unit], title: str) -> tuple[int, list[Unit]]:
    """The best ratio of ``title`` with a unit's title, and the units that have it."""
    units = list(units)
    wanted = folded(title)
    same = [unit for unit in units if folded(unit.title) == wanted]
    if same:
        return SAME_PPM, same
    ratios = [(ratio_ppm(unit.title, title), unit) for unit in units]
    best_ppm = max((ppm for ppm, _ in ratios), default=0)
    return best_ppm, [unit for ppm, unit in ratios if ppm == best_ppm]


def _unlisted_first(market: Market, units: Sequence[Unit]) -> Unit:
    listed = market.active_of_unit
    return min(units, key=lambda unit: (bool(listed.get(unit.unit_id)), unit.unit_id))
