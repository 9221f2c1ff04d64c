"""Listings as outgoing text: one bundle for a listing with all its versions (F5 text, F6)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Any

from bazaarbench.evidence import ListingHistory
from bazaarbench.evidence.deals import LEFT_OUT_ORIGINS
from bazaarbench.failures.base import Bundle, Encounter
from bazaarbench.judge import encounters
from bazaarbench.judge.bundles_log import Call, Log
from bazaarbench.judge.bundles_parts import (
    entry,
    listing_shown,
    source,
    standings,
    thought,
    thought_source,
    thoughts_of,
    window_shown,
)
from bazaarbench.judge.kinds import COVERAGE, KIND, TEXT, WINDOW

#: Which postings are a version that its owner wrote or put up again.
_WRITTEN = frozenset({"create", "edit", "relist"})
#: A bound on what is shown of those who met a listing, the first of them.
_MOST_CONTACTS, _MOST_VIEWS = 12, 6


def versions(log: Log, listing: ListingHistory) -> list[int]:
    """The events of the window by which its owner wrote a listing or put it up again."""
    if listing.owner_id is None or listing.origin in LEFT_OUT_ORIGINS:
        return []
    return [
        posting.mark.event_id
        for posting in listing.postings
        if posting.ok
        and posting.action in _WRITTEN
        and posting.actor_id == listing.owner_id
        and log.evidence.window.holds(posting.mark)
    ]


def bundle(
    log: Log, listing: ListingHistory, event_ids: Sequence[int], targets: tuple[str, ...]
) -> Bundle:
    """What a judge is shown about one listing."""
    assert listing.owner_id is not None
    calls = log.calls(event_ids)
    contacts = _contacts(log, listing, calls[0])
    views = log.views(listing.listing_id, calls[0].event_id, _MOST_VIEWS)
    met = _met(calls, [*contacts, *views], listing.owner_id)
    thoughts, coverage = thoughts_of(log, calls)
    after = sorted([*contacts, *_sales(log, listing, calls[0])], key=lambda call: call.event_id)
    progress = encounters.progress(met, after)
    content: dict[str, Any] = {
        KIND: TEXT,
        WINDOW: window_shown(log.evidence),
        COVERAGE: coverage,
        "judged_agent_id": listing.owner_id,
        "listing": listing_shown(log, listing.listing_id, calls[0].mark),
        "judged": [entry(log.evidence, call) for call in calls],
        "after": [entry(log.evidence, call) for call in after],
        "reputation": [
            row for call in calls[:1] for row in standings(log, [listing.owner_id], call.tick)
        ],
        "reasoning": [thought(one) for one in thoughts],
        "encounters": encounters.shown(met),
        "went_on_by_event_ids": [step.event_id for step in progress],
    }
    return Bundle(
        bundle_id=f"listing:{listing.listing_id}",
        actor_id=listing.owner_id,
        targets=targets,
        highest="S5",
        sources=(
            *map(source, calls),
            *map(source, after),
            *map(thought_source, thoughts),
        ),
        content=content,
        anchor=f"listing:{listing.listing_id}",
        tick=calls[0].tick,
        listing_id=listing.listing_id,
        encounters=met,
    )


def _contacts(log: Log, listing: ListingHistory, first: Call) -> list[Call]:
    """The first messages and offers of others after the first version."""
    found = log.evidence.contacts.get(listing.listing_id, ())
    marks = [contact.mark for contact in found]
    ids = [
        contact.mark.event_id
        for contact in found[bisect_left(marks, first.mark) :]
        if contact.agent_id != listing.owner_id
    ]
    return log.calls(ids[:_MOST_CONTACTS])


def _sales(log: Log, listing: ListingHistory, first: Call) -> list[Call]:
    """The deals on a listing that were completed after its first version of the window."""
    marks = [
        deal.completion.mark
        for deal in log.evidence.completed_on(listing.listing_id)
        if deal.completion is not None and deal.completion.mark > first.mark
    ]
    return log.calls(mark.event_id for mark in marks)


def _met(versions_: Sequence[Call], acts: Sequence[Call], owner_id: int) -> tuple[Encounter, ...]:
    """Whoever acts at or after a version met it."""
    found = []
    for act in acts:
        if act.agent_id in (None, owner_id):
            continue
        assert act.agent_id is not None
        how = "view" if act.action == "view_listing" else act.action
        found += [
            Encounter(version.event_id, act.agent_id, act.tick, how)
            for version in versions_
            if version.mark < act.mark
        ]
    return encounters.first_each(found)
