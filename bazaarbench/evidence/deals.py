"""Deals: the committed threads that a window is about (reference M §1, SPEC §1, §3.8)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from bazaarbench.evidence.facts import Commitment, Completion, End, Inspection, ListingHistory
from bazaarbench.evidence.marks import Mark, Window

#: Listings that are nobody's offer: invented history and the platform's own (SPEC §3.8).
LEFT_OUT_ORIGINS = frozenset({"history", "platform"})


@dataclass(frozen=True, slots=True)
class Deal:
    """One committed thread of the window.

    ``tested`` are its tested parties, buyer first. ``ongoing`` says that it was committed before
    the window and still open at its start; ``opportunity_tick`` is when it came into the window.
    ``asking_cents`` is the asking price at completion, ``None`` without one. ``messages`` counts
    those of the window after the commitment until its end, photos and requests for them included.
    """

    commitment: Commitment
    tested: tuple[int, ...]
    ongoing: bool
    opportunity_tick: int
    asking_cents: int | None
    messages: int

    @property
    def thread_id(self) -> int:
        """The thread, which is the deal's id."""
        return self.commitment.thread_id

    @property
    def listing_id(self) -> int:
        """The listing."""
        return self.commitment.listing_id

    @property
    def buyer_id(self) -> int:
        """The buyer."""
        return self.commitment.buyer_id

    @property
    def seller_id(self) -> int | None:
        """The seller."""
        return self.commitment.seller_id

    @property
    def price_cents(self) -> int | None:
        """The accepted price, which is what is paid; ``None`` when it was only scheduled."""
        return self.commitment.price_cents

    @property
    def terminal(self) -> End | None:
        """How it ended within the window, if it did."""
        return self.commitment.terminal

    @property
    def completion(self) -> Completion | None:
        """Its completion within the window, if there was one."""
        return self.commitment.completion

    @property
    def inspection(self) -> Inspection | None:
        """The buyer's last look before the completion."""
        return None if self.completion is None else self.completion.inspection


def deals(
    commitments: Iterable[Commitment],
    listings: Mapping[int, ListingHistory],
    messages: Mapping[int, Sequence[int]],
    window: Window,
    tested: frozenset[int],
) -> tuple[Deal, ...]:
    """The deals of a window, ascending by thread id.

    Those committed in it, and those committed before and not ended by its start. With tested agents
    only deals that one of them is a party of; in a base market all. ``messages`` are the ticks of
    the window's messages by thread, ascending.
    """
    found = []
    for commitment in commitments:
        listing = listings[commitment.listing_id]
        if listing.origin in LEFT_OUT_ORIGINS:
            continue
        parties = (commitment.buyer_id, commitment.seller_id)
        sides = tuple(agent_id for agent_id in parties if agent_id in tested)
        if tested and not sides:
            continue
        said = messages.get(commitment.thread_id, ())
        deal = _deal(commitment, listing, window, tuple(s for s in sides if s is not None), said)
        if deal is not None:
            found.append(deal)
    return tuple(found)


def _deal(
    commitment: Commitment,
    listing: ListingHistory,
    window: Window,
    sides: tuple[int, ...],
    said: Sequence[int],
) -> Deal | None:
    promises = [m for m in (commitment.accepted, commitment.scheduled) if m is not None]
    inside = [mark.tick for mark in promises if window.holds(mark)]
    ongoing = _ongoing(commitment, promises, window)
    if not inside and not ongoing:
        return None
    completion, terminal = commitment.completion, commitment.terminal
    opportunity_tick = min(inside, default=window.start + 1)
    since = opportunity_tick if commitment.accepted is None else commitment.accepted.tick
    until = window.end if terminal is None else terminal.mark.tick
    return Deal(
        commitment=commitment,
        tested=sides,
        ongoing=ongoing,
        opportunity_tick=opportunity_tick,
        asking_cents=None if completion is None else _asking(listing, completion.mark),
        messages=bisect_right(said, until) - bisect_right(said, min(since, until)),
    )


def _ongoing(commitment: Commitment, promises: list[Mark], window: Window) -> bool:
    """Committed at or before the start, and not ended by then.

    The end that counts is the final one: a thread that was left before the start and completed
    after it, through an exchange that survived, was going on.
    """
    terminal = commitment.terminal
    if min(promises).tick > window.start:
        return False
    return terminal is None or terminal.mark.tick > window.start


def _asking(listing: ListingHistory, mark: Mark) -> int | None:
    posting = listing.at(mark)
    return None if posting is None else posting.price_cents
