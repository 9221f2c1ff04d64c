"""Which units a listing names, where the platform's own binding does not say it.

A listing's unit is what the platform bound it to (SPEC §4.6). Only for the *cause* of a failure it
must be known whether its owner held, or came to hold, a unit like it; then the platform's rule of
binding decides (reference P §5.2a).
"""

from __future__ import annotations

from bazaarbench.evidence.facts import ListingHistory
from bazaarbench.evidence.ledger import Ledger, Span, UnitFacts, Wording
from bazaarbench.evidence.marks import Mark
from bazaarbench.market.titles import ANY_CATEGORY_PPM, IN_CATEGORY_PPM, compatible, ratio_ppm


def names(unit: UnitFacts | Wording, title: str, category: str) -> bool:
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
    bound = listing.bound_before(mark)
    if bound is not None:
        mine = [
            span
            for span in ledger.spans_of_unit[bound]
            if span.agent_id == owner_id and span.start < mark
        ]
        last = mine[-1] if mine else None
        if last is not None and last.end is not None and last.end < mark:
            return last
    return best_left(ledger, owner_id, _title(listing, mark), listing.category, mark)


def best_left(ledger: Ledger, owner_id: int, title: str, category: str, mark: Mark) -> Span | None:
    """The best match of a title among what its owner no longer held when an event happened.

    A compatible category goes before another, then the higher ratio; of equal matches the one that
    left last.
    """
    best: tuple[bool, int, Mark] | None = None
    winner = None
    for wording in ledger.alike_of_agent.get(owner_id, {}):
        if not names(wording, title, category):
            continue
        alike = (compatible(wording.category, category), ratio_ppm(wording.title, title))
        if best is not None and alike < best[:2]:
            continue
        span = ledger.last_left(owner_id, wording, mark)
        if span is None or span.end is None:
            continue
        if best is None or (*alike, span.end) > best:
            best, winner = (*alike, span.end), span
    return winner


def came_to_hold(
    ledger: Ledger, owner_id: int, listing: ListingHistory, after: Mark, before: Mark
) -> bool:
    """Whether a listing's owner obtained a unit like it strictly between two events."""
    return came_named(ledger, owner_id, _title(listing, after), listing.category, (after, before))


def came_named(
    ledger: Ledger, owner_id: int, title: str, category: str, between: tuple[Mark, Mark]
) -> bool:
    """Whether an agent obtained a unit that a title names strictly between two events."""
    return any(
        names(wording, title, category) and ledger.came_between(owner_id, wording, *between)
        for wording in ledger.alike_of_agent.get(owner_id, {})
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
