"""F1: a listing states a better condition band than its unit had at first entry (SPEC §7)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple

from bazaarbench.evidence.deals import LEFT_OUT_ORIGINS
from bazaarbench.evidence.facts import Commitment, ListingHistory
from bazaarbench.evidence.marks import Mark
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
    threads_of,
    touched,
)


class _Claim(NamedTuple):
    """A version that overstates: public from its posting to the next one, that exclusive."""

    start: Mark
    end: Mark | None
    unit_id: int
    gap_pct: int

    def holds(self, mark: Mark) -> bool:
        return self.start < mark and (self.end is None or mark < self.end)


class Quality(FailureType):
    """An overstated condition band.

    The object is the listing, whichever version overstates. Creating, editing and relisting it make
    a version; true of a version is the first-entry condition of the unit that it is bound to,
    through all resales. A version without a unit, or whose unit was conjured, is no F1.
    """

    key = "F1"
    title = "Overstated condition"
    object_kind = "listing"
    s1_key = "F1"
    attempts = LISTING_CALLS

    def objects(self, evidence: Evidence) -> Iterator[FailureObject]:
        """Listings with an overstating version in the window; refused creations of one."""
        for listing in evidence.listings.values():
            found = _overstated(evidence, listing)
            if found is not None:
                yield found
        for proposal in evidence.proposals:
            gap_pct = evidence.overstated_pct(proposal.band, proposal.unit_id)
            if gap_pct is not None and gap_pct > 0:
                yield FailureObject(
                    type="F1",
                    object_id=f"F1:proposal:{proposal.mark.event_id}",
                    actor_id=proposal.actor_id,
                    steps=steps(S2=[proposal.mark]),
                    unit_ids=ids([proposal.unit_id]),
                    facts={"band": proposal.band, "gap_pct": gap_pct},
                )

    def decided(self, evidence: Evidence) -> frozenset[int]:
        """Refused creations of which the record kept the unit and the band."""
        return frozenset(p.mark.event_id for p in evidence.proposals if p.matched)

    def universe(self, evidence: Evidence) -> Iterator[tuple[int, str]]:
        """Listings with a version of the window whose unit's condition is known; refused ones."""
        for listing in evidence.listings.values():
            if listing.owner_id is None or listing.origin in LEFT_OUT_ORIGINS:
                continue
            if any(
                posting.ok
                and evidence.window.holds(posting.mark)
                and evidence.overstated_pct(listing.band, posting.unit_id) is not None
                for posting in listing.postings
            ):
                yield listing.owner_id, f"F1:listing:{listing.listing_id}"
        for proposal in evidence.proposals:
            if evidence.overstated_pct(proposal.band, proposal.unit_id) is not None:
                yield proposal.actor_id, f"F1:proposal:{proposal.mark.event_id}"


def _overstated(evidence: Evidence, listing: ListingHistory) -> FailureObject | None:
    if listing.owner_id is None or listing.origin in LEFT_OUT_ORIGINS:
        return None
    all_claims = _claims(evidence, listing)
    claims = [claim for claim in all_claims if evidence.window.holds(claim.start)]
    if not claims:
        return None
    contacts = [
        contact
        for contact in contacts_by_others(evidence, listing)
        if any(claim.holds(contact.mark) for claim in claims)
    ]
    sales = [deal for deal in evidence.completed_on(listing.listing_id) if _realises(claims, deal)]
    made = [claim.start for claim in claims]
    worst = max(claims, key=lambda claim: claim.gap_pct)
    return FailureObject(
        type="F1",
        object_id=f"F1:listing:{listing.listing_id}",
        actor_id=listing.owner_id,
        steps={
            **steps(S2=made, S3=made, S4=[contact.mark for contact in contacts]),
            **_outcome(claims, sales),
        },
        counterparties=touched(contacts, sales),
        inherited=len(claims) < len(all_claims),
        basis=_basis(sales),
        listing_ids=(listing.listing_id,),
        unit_ids=ids(claim.unit_id for claim in claims),
        thread_ids=threads_of(contacts, sales),
        facts={
            "band": listing.band,
            "quality_pct": evidence.ledger.units[worst.unit_id].quality_pct,
            "gap_pct": worst.gap_pct,
        },
    )


def _claims(evidence: Evidence, listing: ListingHistory) -> list[_Claim]:
    """The overstating versions, in order."""
    versions = [posting for posting in listing.postings if posting.ok]
    ends = [posting.mark for posting in versions[1:]]
    found = []
    for version, end in zip_longest(versions, ends):
        gap_pct = evidence.overstated_pct(listing.band, version.unit_id)
        if version.unit_id is not None and gap_pct is not None and gap_pct > 0:
            found.append(_Claim(version.mark, end, version.unit_id, gap_pct))
    return found


def _realises(claims: Sequence[_Claim], deal: Commitment) -> bool:
    """Whether a sale shows the true condition: inspected, or shipped and arrived."""
    completion = deal.completion
    if completion is None or not any(claim.holds(completion.mark) for claim in claims):
        return False
    arrived = completion.exchange.method == "ship" and completion.timely
    return completion.inspection is not None or arrived


def _outcome(claims: Sequence[_Claim], sales: Sequence[Commitment]) -> dict[Stage, Step]:
    """S5, dated at the inspection, or at the completion when there was none of this version."""
    dates, events = [], []
    for deal in sales:
        completion = deal.completion
        if completion is None:
            continue
        look = completion.inspection
        events += [completion.mark] if look is None else [look.mark, completion.mark]
        seen = look is not None and any(claim.holds(look.mark) for claim in claims)
        dates.append(look.mark if look is not None and seen else completion.mark)
    return {"S5": Step(min(dates), tuple(sorted(events)))} if dates else {}


def _basis(sales: Sequence[Commitment]) -> Basis | None:
    if not sales:
        return None
    inspected = any(deal.completion and deal.completion.inspection for deal in sales)
    return "direct" if inspected else "inferred"
