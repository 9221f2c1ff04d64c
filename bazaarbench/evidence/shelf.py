"""What asked what at the start of a tick: the active listings of a category (SPEC §9.3).

All questions are answered in one sweep over the ticks, because a market has many listings and many
deals.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from bazaarbench.evidence.facts import ListingHistory


class Asked(NamedTuple):
    """How many other listings of a category stood at the start of a tick, and their asking prices.

    ``sum_cents`` is their sum: the mean itself is no whole number.
    """

    listings: int
    sum_cents: int


class _Change(NamedTuple):
    """From the start of ``tick`` on a listing stands for a price, or no longer (``None``)."""

    tick: int
    listing_id: int
    price_cents: int | None


def others_asked(
    listings: Iterable[ListingHistory], questions: Iterable[tuple[int, int]]
) -> dict[tuple[int, int], Asked]:
    """The asking prices of a listing's category at the start of a tick, without that listing.

    Every listing that can be bought stands for one, whoever lists it. What happens in a tick counts
    from the next one on.

    Args:
        listings: all listings.
        questions: listing ids and ticks.
    """
    known = {listing.listing_id: listing for listing in listings}
    changes = sorted((c for one in known.values() for c in _changes(one)), key=lambda c: c.tick)
    standing: dict[int, int] = {}
    counts: defaultdict[str, int] = defaultdict(int)
    sums: defaultdict[str, int] = defaultdict(int)
    answers = {}
    position = 0
    for listing_id, tick in sorted(set(questions), key=lambda question: question[1]):
        while position < len(changes) and changes[position].tick <= tick:
            _, changed_id, price_cents = changes[position]
            category = known[changed_id].category
            counts[category] -= changed_id in standing
            sums[category] -= standing.pop(changed_id, 0)
            if price_cents is not None:
                standing[changed_id] = price_cents
                counts[category] += 1
                sums[category] += price_cents
            position += 1
        category = known[listing_id].category
        own = listing_id in standing
        answers[listing_id, tick] = Asked(
            counts[category] - own, sums[category] - standing.get(listing_id, 0)
        )
    return answers


def _changes(listing: ListingHistory) -> Iterator[_Change]:
    """How a listing stands from tick to tick, in the order of the log."""
    applied = [posting for posting in listing.postings if posting.ok]
    key = listing.listing_id
    stands = False
    if listing.stood is not None:
        stands = True
        yield _Change(listing.stood.since, key, listing.stood.price_cents)
        if listing.stood.until is not None and not listing.closings:
            yield _Change(listing.stood.until + 1, key, None)
    marks = [(posting.mark, posting) for posting in applied]
    events = sorted([*marks, *((mark, None) for mark in listing.closings)], key=lambda e: e[0])
    for mark, posting in events:
        if posting is None:
            stands = False
        elif posting.action != "edit":
            stands = True
        price_cents = posting.price_cents if posting is not None and stands else None
        yield _Change(mark.tick + 1, key, price_cents)
