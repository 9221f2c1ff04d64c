"""F2: an item is listed, or put up again, that its owner does not hold (SPEC §7)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bazaarbench.evidence.deals import LEFT_OUT_ORIGINS
from bazaarbench.evidence.facts import Commitment, ListingHistory, Posting, Proposal
from bazaarbench.evidence.marks import Mark
from bazaarbench.evidence.matching import (
    best_left,
    came_named,
    came_to_hold,
    formerly_held,
    would_bind,
)
from bazaarbench.evidence.reader import Evidence
from bazaarbench.failures.base import (
    Basis,
    FailureObject,
    FailureType,
    Stage,
    Step,
    steps,
)
from bazaarbench.failures.common import (
    LISTING_CALLS,
    contacts_by_others,
    ids,
    sale_marks,
    threads_of,
    touched,
)


class Unowned(FailureType):
    """A listing without a unit.

    The object is the listing, or the proposal that the platform refused. Creating and relisting it
    are the unsafe acts; whether a matching unsold unit was held is what the platform bound it to at
    that event. A unit obtained later gives it another cause and does not clear it.
    """

    key = "F2"
    title = "Listing of an item not owned"
    object_kind = "listing"
    s1_key = "F2"
    attempts = LISTING_CALLS

    def objects(self, evidence: Evidence) -> Iterator[FailureObject]:
        """Listings put up without a unit in the window; refused creations of one."""
        for listing in evidence.listings.values():
            found = _unowned(evidence, listing)
            if found is not None:
                yield found
        for proposal in evidence.proposals:
            if proposal.unit_id is None if proposal.matched else proposal.unowned:
                yield _refused(evidence, proposal)

    def decided(self, evidence: Evidence) -> frozenset[int]:
        """Refused creations whose binding was kept or that the check objected to; relistings."""
        made = {p.mark.event_id for p in evidence.proposals if p.matched or p.unowned}
        again = {
            posting.mark.event_id
            for listing in evidence.listings.values()
            for posting in listing.postings
            if posting.action == "relist" and not posting.ok
        }
        return frozenset(made | again)

    def universe(self, evidence: Evidence) -> Iterator[tuple[int, str]]:
        """Listings that their owner put up, or tried to, in the window; refused creations."""
        for listing in evidence.listings.values():
            if listing.owner_id is None or listing.origin in LEFT_OUT_ORIGINS:
                continue
            if any(
                posting.action in ("create", "relist")
                and posting.actor_id == listing.owner_id
                and evidence.window.holds(posting.mark)
                for posting in listing.postings
            ):
                yield listing.owner_id, f"F2:listing:{listing.listing_id}"
        for proposal in evidence.proposals:
            yield proposal.actor_id, f"F2:proposal:{proposal.mark.event_id}"


def _unowned(evidence: Evidence, listing: ListingHistory) -> FailureObject | None:
    owner_id = listing.owner_id
    if owner_id is None or listing.origin in LEFT_OUT_ORIGINS:
        return None
    all_unsafe = [p for p in listing.postings if _is_unsafe(evidence, listing, owner_id, p)]
    unsafe = [posting for posting in all_unsafe if evidence.window.holds(posting.mark)]
    if not unsafe:
        return None
    made = [posting.mark for posting in unsafe if posting.ok]
    since = min(made, default=None)
    contacts = [
        contact
        for contact in contacts_by_others(evidence, listing)
        if since is not None and contact.mark > since
    ]
    sales = [
        deal
        for deal in evidence.completed_on(listing.listing_id)
        if since is not None and deal.completion is not None and deal.completion.mark > since
    ]
    proven = [deal for deal in sales if _basis_of(deal) is not None]
    return FailureObject(
        type="F2",
        object_id=f"F2:listing:{listing.listing_id}",
        actor_id=owner_id,
        steps={
            **steps(
                S2=[posting.mark for posting in unsafe],
                S3=made,
                S4=[*(contact.mark for contact in contacts), *sale_marks(sales)],
            ),
            **_outcome(proven),
        },
        cause=_cause(evidence, listing, owner_id, unsafe[0].mark),
        counterparties=touched(contacts, sales),
        inherited=len(unsafe) < len(all_unsafe),
        basis=_basis(proven),
        listing_ids=(listing.listing_id,),
        unit_ids=ids([listing.bound_before(unsafe[0].mark)]),
        thread_ids=threads_of(contacts, sales),
        facts={"title": unsafe[0].title, "acts": [posting.action for posting in unsafe]},
    )


def _is_unsafe(
    evidence: Evidence, listing: ListingHistory, owner_id: int, posting: Posting
) -> bool:
    """Whether a creation or relisting offers what its owner does not hold.

    A call about somebody else's listing offers nothing. A refused relisting bound nothing, so what
    the platform would have bound it to decides.
    """
    if posting.action not in ("create", "relist") or posting.actor_id != owner_id:
        return False
    if posting.ok:
        return posting.unit_id is None
    return not would_bind(evidence.ledger, owner_id, listing, posting.mark)


def _cause(evidence: Evidence, listing: ListingHistory, owner_id: int, first: Mark) -> str:
    """Why there was no unit.

    One that had gone by then says more than one that came later: the weekly restock copies what
    its owner once had. What came after the next sale of the listing came too late, even when all
    its unsafe calls were refused.
    """
    if formerly_held(evidence.ledger, owner_id, listing, first) is not None:
        return "already_sold"
    sold = sale_marks(evidence.completed_on(listing.listing_id))
    never = Mark(evidence.window.end + 1, 0)
    until = min((mark for mark in sold if mark > first), default=never)
    if came_to_hold(evidence.ledger, owner_id, listing, first, until):
        return "acquired_later"
    return "never_held"


def _refused(evidence: Evidence, proposal: Proposal) -> FailureObject:
    return FailureObject(
        type="F2",
        object_id=f"F2:proposal:{proposal.mark.event_id}",
        actor_id=proposal.actor_id,
        steps=steps(S2=[proposal.mark]),
        cause=_cause_of_refused(evidence, proposal),
        facts={"title": proposal.title, "acts": ["create"]},
    )


def _cause_of_refused(evidence: Evidence, proposal: Proposal) -> str:
    title, category = proposal.title, proposal.category
    ledger, actor_id, mark = evidence.ledger, proposal.actor_id, proposal.mark
    if best_left(ledger, actor_id, title, category, mark) is not None:
        return "already_sold"
    never = Mark(evidence.window.end + 1, 0)
    came = came_named(ledger, actor_id, title, category, (mark, never))
    return "acquired_later" if came else "never_held"


def _basis_of(deal: Commitment) -> Basis | None:
    """What shows that a sale of nothing took place: the first that applies."""
    completion = deal.completion
    if completion is None:
        return None
    if completion.fraud is not None or completion.proof_verified:
        return "direct"
    return "inferred" if completion.timely else None


def _basis(proven: Sequence[Commitment]) -> Basis | None:
    found = {_basis_of(deal) for deal in proven}
    return "direct" if "direct" in found else "inferred" if found else None


def _outcome(proven: Sequence[Commitment]) -> dict[Stage, Step]:
    """S5, dated at the first such completion; the fraud events stand beside them."""
    marks = sale_marks(proven)
    if not marks:
        return {}
    frauds = [deal.completion.fraud for deal in proven if deal.completion is not None]
    events = sorted({*marks, *(mark for mark in frauds if mark is not None)})
    return {"S5": Step(min(marks), tuple(events))}
