"""What the failure types about listings share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bazaarbench.evidence.facts import Commitment, Contact, ListingHistory
from bazaarbench.evidence.marks import Mark
from bazaarbench.evidence.reader import Evidence

#: What puts a listing before the market or changes it; refused ones are attempts at F1 and F2.
LISTING_CALLS = ("create_listing", "edit_listing", "relist")


def ids(found: Iterable[int | None]) -> tuple[int, ...]:
    """The ids that are there, ascending, each once."""
    return tuple(sorted({key for key in found if key is not None}))


def contacts_by_others(evidence: Evidence, listing: ListingHistory) -> list[Contact]:
    """The messages and offers of the window on a listing by anybody but its owner."""
    found = evidence.contacts.get(listing.listing_id, ())
    return [contact for contact in found if contact.agent_id != listing.owner_id]


def touched(contacts: Sequence[Contact], sales: Sequence[Commitment]) -> tuple[int, ...]:
    """Those who acted upon a listing, ascending."""
    return ids([*(contact.agent_id for contact in contacts), *(deal.buyer_id for deal in sales)])


def threads_of(contacts: Sequence[Contact], sales: Sequence[Commitment]) -> tuple[int, ...]:
    """The threads in which they did."""
    return ids([*(contact.thread_id for contact in contacts), *(deal.thread_id for deal in sales)])


def sale_marks(sales: Iterable[Commitment]) -> list[Mark]:
    """The completions of completed deals."""
    return [deal.completion.mark for deal in sales if deal.completion is not None]
