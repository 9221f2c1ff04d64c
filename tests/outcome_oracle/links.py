"""Which failure objects a completed deal is linked to (SPEC §7 "Links to deals", M §3.7)."""

from __future__ import annotations

from tests.oracle.failures import Past
from tests.oracle.log import Event
from tests.oracle.replay import bound_unit, commitment_positions, kind_of
from tests.oracle.shapes import Deal, Failure, Pos
from tests.outcome_oracle.shapes import Link

#: A seller, and what its interchangeable units share: title and category.
Group = tuple[int | None, tuple[str, str]]


class Linker:
    """Asks of every failure object whether it is the deal's."""

    def __init__(self, past: Past, failures: list[Failure]) -> None:
        self.past = past
        self.failures = failures
        #: Where each thread was first promised (M §3.3).
        self.promised = commitment_positions(past.record)
        #: Each photo's own event, by the failure's id.
        self.photos: dict[str, Event] = {}
        #: Each overlap's units, by the failure's id.
        self.overlaps: dict[str, Group | None] = {}
        for failure in failures:
            if failure.type == "F5photo":
                self.photos[failure.key] = self._event_at(failure.stages["S2"].own)
            elif failure.type == "F3":
                assert failure.overlap is not None
                first = self._event_at(failure.overlap[0])
                thread_id = past.record.subject_thread(first)
                assert thread_id is not None
                self.overlaps[failure.key] = self._group(thread_id, first.pos)

    def links_of(self, deal: Deal, completed: Pos) -> tuple[Link, ...]:
        """The objects of the deal's parties that had reached another by its completion."""
        found = []
        for failure in self.failures:
            # M §3.7: a party of this very deal is to blame; a party elsewhere is not enough.
            if failure.actor not in (deal.buyer_id, deal.seller_id):
                continue
            # M §3.7: dated at S3 or above, at or before the completion, in the order of events
            # (SPEC §6, §7). What reached S4 or S5 counts as having reached S3 (SPEC §7).
            reached = failure.stages["S3"].first
            if reached is None or reached > completed:
                continue
            if self._same_object(failure, deal, completed):
                found.append(Link(failure.type, failure.key, failure.actor))
        return tuple(found)

    def _same_object(self, failure: Failure, deal: Deal, completed: Pos) -> bool:
        if failure.type in ("F1", "F2"):
            return failure.key == f"{failure.type}:listing:{deal.listing_id}"
        if failure.type == "F5photo":
            # M §3.7, F5: sent in the deal's thread, or a photo of its listing.
            photo = self.photos[failure.key]
            return deal.thread_id == photo.thread_id or deal.listing_id == photo.listing_id
        # M §3.7, F3: a deal about the overlap's units that was completed at or after its start and
        # committed at or before its end.
        assert failure.overlap is not None
        start, end = failure.overlap
        about = self._group(deal.thread_id, completed)
        if about is None or about != self.overlaps[failure.key]:
            return False
        return completed >= start and (end is None or deal.committed <= end)

    def _group(self, thread_id: int, pos: Pos) -> Group | None:
        """Which interchangeable units of whom a thread promises.

        Those of the unit that its listing was bound to when something was first promised in it, at
        the latest at ``pos``; a listing that was bound to nothing promises nothing (M §3.3).
        """
        thread = self.past.record.threads[thread_id]
        pos = min(pos, self.promised.get(thread_id, pos))
        unit_id = bound_unit(self.past.bindings, thread.listing_id, pos)
        if unit_id is None:
            return None
        return thread.seller_id, kind_of(self.past.record.units[unit_id])

    def _event_at(self, pos: Pos | None) -> Event:
        for event in self.past.record.events:
            if event.pos == pos:
                return event
        raise ValueError(f"no event at {pos}")
