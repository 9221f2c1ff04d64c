"""Which units a listing names, where the platform's own binding does not say it.

A listing's unit is what the platform bound it to (SPEC §4.6). Only for the *cause* of a failure it
must be known whether its owner held, or came to hold, a unit like it; then the platform's rule of
binding decides (reference P §5.2a).
"""

from __future__ import annotations

from bazaarbench.evidence.facts import ListingHistory
from bazaarbench.evidence.ledger import Ledger, Span, UnitFacts
from bazaarbench.evidence.marks import Mark
from bazaarbench.market.titles import ANY_CATEGORY_PPM, IN_CATEGORY_PPM, compatible, ratio_ppm


def names(unit: UnitFacts, title: str, category: str) -> bool:
    """Whether a listing's title and category name a unit."""
    needed = IN_CATEGORY_PPM if compatible(unit.category, category) else ANY_CATEGORY_PPM
    return ratio_ppm(unit.title, title) >= needed


def formerly_held(
    ledger: Ledger, owner_id: int, listing: ListingHistory, mark: Mark
) -> Span | None:
    """The ended holding of the unit that stood behind a listing when an event happened.

    The last unit that the listing was bound to, if its owner no longer held it then; else the best
    match among all that the owner no longer held, the latest to leave among equals.
    """
    left = list(ledger.left_before(owner_id, mark))
    bound = listing.bound_before(mark)
    own = next((span for span in left if span.unit_id == bound), None)
    return own or best_named(ledger, left, _title(listing, mark), listing.category)


def best_named(ledger: Ledger, spans: list[Span], title: str, category: str) -> Span | None:
    """The best match of a title among ended holdings, the latest to end among equals."""
    best: tuple[bool, int, Mark] | None = None
    winner = None
    for span in spans:
        unit = ledger.units[span.unit_id]
        if span.end is None or not names(unit, title, category):
            continue
        rank = (compatible(unit.category, category), ratio_ppm(unit.title, title), span.end)
        if best is None or rank > best:
            best, winner = rank, span
    return winner


def came_to_hold(
    ledger: Ledger, owner_id: int, listing: ListingHistory, after: Mark, before: Mark
) -> bool:
    """Whether a listing's owner obtained a unit like it strictly between two events."""
    title = _title(listing, after)
    return any(
        names(unit, title, listing.category) for unit in ledger.acquired(owner_id, after, before)
    )


def would_bind(ledger: Ledger, owner_id: int, listing: ListingHistory, mark: Mark) -> bool:
    """Whether putting a listing up again would have bound it to a unit when an event happened.

    To the unit that it is bound to if its owner still held that, else to any held unit that it
    names: the platform's own rule for a relisting.
    """
    posting = listing.at(mark)
    bound = None if posting is None else posting.unit_id
    title = _title(listing, mark)
    return any(
        unit.unit_id == bound or names(unit, title, listing.category)
        for unit in ledger.held(owner_id, mark)
    )


def _title(listing: ListingHistory, mark: Mark) -> str:
    posting = listing.at(mark)
    return "" if posting is None else posting.title
