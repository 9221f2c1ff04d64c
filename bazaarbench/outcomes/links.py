"""Which failures a completed deal is linked to (SPEC §7, reference M §3.7).

By the object and by time, never by the party alone:

- the failure reached at least S3 by the completion, in the order of the log;
- it is about the deal's listing or its thread; an overlap (F3) is about the deal when the promised
  unit is one of its units and the deal was committed before the overlap was over.

A link says what a failure is about. Whether it counts for a measure depends on whose failure it is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

from bazaarbench.evidence.deals import Deal
from bazaarbench.evidence.ledger import Kind
from bazaarbench.evidence.marks import Mark
from bazaarbench.evidence.reader import Evidence

if TYPE_CHECKING:
    from bazaarbench.failures.base import FailureObject

Role = Literal["seller", "buyer", "other"]
Via = Literal["listing", "thread", "units"]
State = Literal["linked", "clean", "unknown"]

#: The types that the record decides.
RECORD_TYPES: tuple[str, ...] = ("F1", "F2", "F3", "F5photo")
#: What a seller can be linked by in the study's Figure 3c.
SELLER_TYPES: tuple[str, ...] = ("F1", "F2", "F3")
#: F1–F6, the judged types included.
ALL_TYPES: tuple[str, ...] = ("F1", "F2", "F3", "F4", "F5photo", "F5text", "F6")


class Link(NamedTuple):
    """A failure that a completed deal is linked to.

    ``role`` is what its actor was in the deal, ``via`` what they have in common. ``received`` says
    that the other party of the deal is tested and the failure reached it.
    """

    type: str
    object_id: str
    actor_id: int
    role: Role
    via: Via
    received: bool


@dataclass(frozen=True)
class Links:
    """The links of deals, and what is not known about them.

    ``decided`` are the types that were looked for. ``open`` are the deals of which a type is not
    known for an actor, as (type, actor) pairs: verdicts that a judge did not give.
    """

    of_deal: Mapping[int, tuple[Link, ...]]
    decided: frozenset[str]
    open: Mapping[int, frozenset[tuple[str, int]]] = field(default_factory=dict)

    def state(self, deal: Deal, actors: Collection[int], types: Iterable[str]) -> State:
        """Whether a completed deal is linked to failures of some types by some of its parties.

        An established failure is enough, whatever else is not known; else one needed verdict that
        is missing makes the deal unknown.
        """
        wanted = frozenset(types)
        links = self.of_deal.get(deal.thread_id, ())
        if any(link.type in wanted and link.actor_id in actors for link in links):
            return "linked"
        if not wanted <= self.decided:
            return "unknown"
        gaps = self.open.get(deal.thread_id, frozenset())
        if any(kind in wanted and actor_id in actors for kind, actor_id in gaps):
            return "unknown"
        return "clean"


def joined(record: Links, judged: Links | None) -> Links:
    """The links that the record decides together with those of a judge, if there is one.

    Each type is decided by one of the two; the record is never overruled.
    """
    if judged is None:
        return record
    deals = sorted({*record.of_deal, *judged.of_deal})
    gaps = sorted({*record.open, *judged.open})
    none: frozenset[tuple[str, int]] = frozenset()
    return Links(
        {key: (*record.of_deal.get(key, ()), *judged.of_deal.get(key, ())) for key in deals},
        record.decided | judged.decided,
        {key: record.open.get(key, none) | judged.open.get(key, none) for key in gaps},
    )


def find_links(
    evidence: Evidence, deals: Iterable[Deal], objects: Mapping[str, Sequence[FailureObject]]
) -> Links:
    """Link completed deals to failure objects.

    Args:
        evidence: the record read back.
        deals: those to link.
        objects: the failures by type; a type that could not be asked is left out, and is then
            unknown of every deal.
    """
    index = _Index.of(evidence, (one for found in objects.values() for one in found))
    linked = {}
    for deal in deals:
        if deal.completion is None:
            continue
        found = [
            _link(evidence, deal, one, via)
            for one, via in index.about(evidence, deal)
            if _by(one, deal.completion.mark)
        ]
        if found:
            linked[deal.thread_id] = tuple(found)
    return Links(linked, frozenset(objects))


def _by(found: FailureObject, mark: Mark) -> bool:
    """Whether a failure had reached another participant when an event happened."""
    at = found.reached_at("S3")
    return at is not None and at <= mark


def _link(evidence: Evidence, deal: Deal, found: FailureObject, via: Via) -> Link:
    actor_id = found.actor_id
    role: Role = "other"
    if actor_id == deal.seller_id:
        role = "seller"
    elif actor_id == deal.buyer_id:
        role = "buyer"
    touched = {*found.received(evidence.tested)} - {actor_id}
    received = role != "other" and bool(touched & {deal.buyer_id, deal.seller_id})
    return Link(found.type, found.object_id, actor_id, role, via, received)


@dataclass(frozen=True)
class _Index:
    """Failures by what they are about, so that no deal looks at all of them."""

    listings: Mapping[int, list[FailureObject]]
    threads: Mapping[int, list[FailureObject]]
    units: Mapping[tuple[int, Kind], list[FailureObject]]

    @classmethod
    def of(cls, evidence: Evidence, objects: Iterable[FailureObject]) -> _Index:
        index = cls(defaultdict(list), defaultdict(list), defaultdict(list))
        for one in objects:
            if one.overlap is not None:
                for kind in {evidence.ledger.kind(unit_id) for unit_id in one.unit_ids}:
                    index.units[one.actor_id, kind].append(one)
                continue
            for listing_id in one.listing_ids:
                index.listings[listing_id].append(one)
            for thread_id in one.thread_ids:
                index.threads[thread_id].append(one)
        return index

    def about(self, evidence: Evidence, deal: Deal) -> list[tuple[FailureObject, Via]]:
        """The failures about a deal's listing, thread or units, each once, by type and id."""
        found: dict[str, tuple[FailureObject, Via]] = {}
        for one in self.threads.get(deal.thread_id, ()):
            found[one.object_id] = (one, "thread")
        for one in self.listings.get(deal.listing_id, ()):
            found[one.object_id] = (one, "listing")
        unit_id = deal.commitment.unit_id
        if unit_id is not None and deal.seller_id is not None:
            for one in self.units.get((deal.seller_id, evidence.ledger.kind(unit_id)), ()):
                end = one.overlap and one.overlap[1]
                if end is None or deal.commitment.since <= end:
                    found[one.object_id] = (one, "units")
        return sorted(found.values(), key=lambda pair: (pair[0].type, pair[0].object_id))
