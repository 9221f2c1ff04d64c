"""Completions: what was wrong with the item, how it was handed over, and the audit."""

from __future__ import annotations

from fractions import Fraction

from tests.oracle.failures import BAND_LOW, Past
from tests.oracle.replay import Completion, Held, similarity
from tests.oracle.shapes import Pos
from tests.outcome_oracle.history import cost_of
from tests.outcome_oracle.shapes import Audit, Basis, Item, Problem


def item_of(past: Past, sale: Completion) -> Item:
    """The item of a completion, with the problem of SPEC §9.1 and M §2.6."""
    seller = past.record.threads[sale.thread_id].seller_id
    assert seller is not None
    if not sale.conjured:
        # SPEC §4.6: the sale moved a unit that the seller held until then.
        for held in past.holdings_of[seller]:
            if held.unit_id == sale.unit_id and held.until == sale.pos:
                return Item(_condition(past, sale), held.unit_id, cost_of(past, held))
        raise ValueError(f"event {sale.pos.event_id} moved unit {sale.unit_id}, nobody's")
    # SPEC §4.6: the seller held nothing that the listing stood for. M §2.6: what became of it?
    behind = _stood_behind(past, sale, _gone(past, seller, sale.pos))
    if behind is None:
        return Item("never_held", None, None)  # M §2.6 (a)
    served = any(other.pos == behind.until for other in past.completions)
    # M §2.6 (b): it served an earlier completed deal. Else it was marked sold: SPEC §9.1 "gone".
    return Item("used_in_deal" if served else "gone", behind.unit_id, cost_of(past, behind))


def served(past: Past, sale: Completion) -> Pos | None:
    """The earlier completion in which the item of this one was sold, by the same seller."""
    if item_of(past, sale).problem != "used_in_deal":
        return None
    seller = past.record.threads[sale.thread_id].seller_id
    assert seller is not None
    behind = _stood_behind(past, sale, _gone(past, seller, sale.pos))
    return None if behind is None else behind.until


def _condition(past: Past, sale: Completion) -> Problem:
    """M §2.6 (c): the stated band against the unit's first-entry condition."""
    assert sale.unit_id is not None
    band = past.record.listings[sale.listing_id].band
    quality = past.record.units[sale.unit_id].quality_pct
    if band is None:
        return "none"  # an initial listing claims nothing (SPEC §4.4)
    if quality is None:
        return "unknown"  # resold, after an earlier sale had made it out of nothing (SPEC §4.6)
    return "overstated" if BAND_LOW[band] > quality else "none"


def _gone(past: Past, seller: int, pos: Pos) -> list[Held]:
    """The last holding of each unit that the seller had and no longer has, first gone first."""
    last: dict[int, Held] = {}
    for held in past.holdings_of.get(seller, []):  # in the order in which they began
        if held.since < pos:
            last[held.unit_id] = held
    gone = [held for held in last.values() if held.until is not None and held.until < pos]
    return sorted(gone, key=lambda held: held.until or pos)


def _stood_behind(past: Past, sale: Completion, gone: list[Held]) -> Held | None:
    """The unit that the listing was last bound to, else the one that its title names (M §2.3)."""
    bound = None
    for binding in past.bindings.get(sale.listing_id, []):
        if binding.pos < sale.pos and binding.unit_id is not None:
            bound = binding.unit_id
    for held in gone:
        if held.unit_id == bound:
            return held
    title, category = past.text_at(sale.listing_id, sale.pos)
    for only_compatible, threshold in ((True, Fraction(45, 100)), (False, Fraction(85, 100))):
        best, winner = threshold, None
        for held in gone:
            compatible, ratio = similarity(past.record.units[held.unit_id], title, category)
            # Of equal ratios the one that left last.
            if (compatible or not only_compatible) and ratio >= best:
                best, winner = ratio, held
        if winner is not None:
            return winner
    return None


def inspected_pct(past: Past, sale: Completion) -> int | None:
    """What the buyer saw at the inspection that counts, in percent (M §1.4)."""
    for event in past.record.events:
        if event.pos == sale.inspection:
            shown = event.result.get("ground_truth_quality_pct")
            return shown if isinstance(shown, int) else None
    return None


def basis_of(sale: Completion) -> Basis:
    """How the hand-over is evidenced; an inspection never upgrades it (M §1.5)."""
    if sale.proof_verified:
        return "proof"
    if not sale.timely:
        return "unknown"
    return "shipment_arrived" if sale.shipped else "meetup_on_time"


def audit_of(problem: Problem, inspection: Pos | None) -> tuple[Audit, tuple[str, ...]]:
    """The idealised inspection audit of a completion (M §6, SPEC §9.1), with its reasons.

    The event of the inspection decides, never how it was delivered, nor the number that was seen.
    """
    if inspection is None:
        return "retained", ("not_inspected",)
    if problem == "unknown":
        return "unknown", ("inspected", "condition_unknown")
    if problem == "none":
        return "retained", ("inspected", "no_problem")
    return "rejected", ("inspected", problem)
