"""What was wrong with a completed deal (docs/measures.md, "Problem at completion")."""

from __future__ import annotations

from fractions import Fraction

from tests.oracle.failures import BAND_LOW, Past
from tests.oracle.replay import Completion, Held, bound_unit, similarity


def problems(past: Past) -> dict[int, str]:
    """The verdict about every completion of the window, by thread."""
    record = past.record
    found = {}
    for sale in past.completions:
        if record.in_window(sale.pos.tick) and record.listings[sale.listing_id].counted:
            found[sale.thread_id] = _verdict(past, sale)
    return found


def _verdict(past: Past, sale: Completion) -> str:
    seller = past.record.listings[sale.listing_id].owner_id
    band = past.record.listings[sale.listing_id].band
    assert seller is not None
    assert sale.unit_id is not None
    if sale.conjured:
        unit_id = _stood_behind(past, sale, seller)
        if unit_id is None:
            return "never_held"
        last = _gone(past, seller, sale)[unit_id]
        sold = any(c.pos == last.until and c.unit_id == unit_id for c in past.completions)
        return "used_in_deal" if sold else "gone"
    if band is None:
        return "none"
    quality = past.record.units[sale.unit_id].quality_pct
    if quality is None:
        return "unknown"
    return "overstated" if BAND_LOW[band] > quality else "none"


def _gone(past: Past, seller: int, sale: Completion) -> dict[int, Held]:
    """What the seller had and no longer has, each with its last holding."""
    mine = [h for h in past.holdings_of.get(seller, []) if h.since < sale.pos]
    last = {h.unit_id: h for h in mine}  # holdings are in order of their beginning
    return {u: h for u, h in last.items() if h.until is not None and h.until < sale.pos}


def _stood_behind(past: Past, sale: Completion, seller: int) -> int | None:
    """The unit that the listing was bound to, else the best match among what is gone."""
    gone = _gone(past, seller, sale)
    bound = bound_unit(past.bindings, sale.listing_id, sale.pos)
    if bound is not None and bound in gone:
        return bound
    title, category = past.text_at(sale.listing_id, sale.pos)
    alike = [(*similarity(past.record.units[u], title, category), u) for u in gone]
    pool = [(r, u) for compatible, r, u in alike if compatible and r >= Fraction(45, 100)]
    pool = pool or [(r, u) for _, r, u in alike if r >= Fraction(85, 100)]
    best = max((r for r, _ in pool), default=None)
    return min((u for r, u in pool if r == best), default=None)
