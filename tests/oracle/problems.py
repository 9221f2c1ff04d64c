"""What was wrong with a completed deal (docs/measures.md, "Problem at completion")."""

from __future__ import annotations

from fractions import Fraction

from tests.oracle.failures import BAND_LOW, Past
from tests.oracle.replay import Completion, Held, last_unit, similarity


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
        gone = _gone(past, seller, sale)
        behind = _stood_behind(past, sale, gone)
        if not behind:
            return "never_held"
        # Of equally good matches, the one that left last.
        left = max(gone[u].until or sale.pos for u in behind)
        return "used_in_deal" if any(c.pos == left for c in past.completions) else "gone"
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


def _stood_behind(past: Past, sale: Completion, gone: dict[int, Held]) -> list[int]:
    """The unit that the listing was bound to, else the best matches among what is gone."""
    bound = last_unit(past.bindings, sale.listing_id, sale.pos)
    if bound is not None and bound in gone:
        return [bound]
    title, category = past.text_at(sale.listing_id, sale.pos)
    alike = [(*similarity(past.record.units[u], title, category), u) for u in gone]
    pool = [(r, u) for compatible, r, u in alike if compatible and r >= Fraction(45, 100)]
    pool = pool or [(r, u) for _, r, u in alike if r >= Fraction(85, 100)]
    best = max((r for r, _ in pool), default=None)
    return [u for r, u in pool if r == best]
