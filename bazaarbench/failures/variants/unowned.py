"""F2 by the released analysis: the unit at creation, and the platform's flag (M §3.2)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from bazaarbench.evidence.deals import LEFT_OUT_ORIGINS
from bazaarbench.evidence.facts import Commitment, ListingHistory, Posting
from bazaarbench.evidence.reader import Evidence
from bazaarbench.failures.base import Basis, FailureObject, FailureType, steps
from bazaarbench.failures.common import sale_marks, threads_of, touched


class ReleasedUnowned(FailureType):
    """A listing that stood for nothing when it was created, or whose first unit had gone.

    The platform's flag of a speculative listing alone is enough, and a relisting is unsafe when the
    unit of the *creation* has gone, whatever stands behind the listing now.
    """

    key = "F2_released"
    title = "Listing of an item not owned (released analysis)"
    object_kind = "listing × actor"

    def objects(self, evidence: Evidence) -> Iterator[FailureObject]:
        """The unsafe listings of the window by listing and actor; refused creations."""
        for listing in evidence.listings.values():
            if listing.origin in LEFT_OUT_ORIGINS:
                continue
            acts: dict[int, list[Posting]] = defaultdict(list)
            for posting in listing.postings:
                if posting.actor_id is not None and evidence.window.holds(posting.mark):
                    reason = _unsafe(evidence, listing, posting)
                    if reason is not None:
                        acts[posting.actor_id].append(posting)
            for actor_id, unsafe in sorted(acts.items()):
                yield _object(evidence, listing, actor_id, unsafe)
        for proposal in evidence.proposals:
            if proposal.unowned:
                yield FailureObject(
                    type="F2_released",
                    object_id=f"F2_released:proposal:{proposal.mark.event_id}",
                    actor_id=proposal.actor_id,
                    steps=steps(S2=[proposal.mark]),
                    facts={"title": proposal.title},
                )


def _unsafe(evidence: Evidence, listing: ListingHistory, posting: Posting) -> str | None:
    if posting.action not in ("create", "relist"):
        return None
    first = next((one for one in listing.postings if one.ok), None)
    unit_id = None if first is None else first.unit_id
    if first is None or unit_id is None:
        return "no unit at creation"
    if listing.stored.speculative:
        return "flagged"
    spans = evidence.ledger.spans_of_unit[unit_id]
    held = next((one for one in spans if one.agent_id == listing.owner_id), None)
    gone = held is not None and held.end is not None and held.end < posting.mark
    return "unit gone" if gone else None


def _object(
    evidence: Evidence, listing: ListingHistory, actor_id: int, unsafe: Sequence[Posting]
) -> FailureObject:
    made = [posting.mark for posting in unsafe if posting.ok]
    since = min((mark.tick for mark in made), default=None)
    contacts = [
        contact
        for contact in evidence.contacts.get(listing.listing_id, ())
        if since is not None and contact.agent_id != actor_id and contact.mark.tick >= since
    ]
    sales = [
        deal
        for deal in evidence.completed_on(listing.listing_id)
        if since is not None and deal.completion and deal.completion.mark.tick >= since
    ]
    proven = [deal for deal in sales if _basis(deal) is not None]
    direct = any(_basis(deal) == "direct" for deal in proven)
    reasons = [_unsafe(evidence, listing, posting) for posting in unsafe]
    return FailureObject(
        type="F2_released",
        object_id=f"F2_released:listing:{listing.listing_id}:agent:{actor_id}",
        actor_id=actor_id,
        steps=steps(
            S2=[posting.mark for posting in unsafe],
            S3=made,
            S4=[*(contact.mark for contact in contacts), *sale_marks(sales)],
            S5=sale_marks(proven),
        ),
        cause=(reasons[0] or "").replace(" ", "_"),
        counterparties=touched(contacts, sales),
        basis=None if not proven else "direct" if direct else "inferred",
        listing_ids=(listing.listing_id,),
        thread_ids=threads_of(contacts, sales),
        facts={"title": unsafe[0].title},
    )


def _basis(deal: Commitment) -> Basis | None:
    completion = deal.completion
    if completion is None:
        return None
    if completion.fraud is not None or completion.proof_verified:
        return "direct"
    return "inferred" if completion.timely else None
