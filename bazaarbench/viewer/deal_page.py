"""The page of one deal: everything that is known of it (SPEC §11.1)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from bazaarbench.errors import RecordError
from bazaarbench.findings import DealRow, ObjectRow
from bazaarbench.market.record import read_texts
from bazaarbench.market.texts import TextStore
from bazaarbench.viewer.claims import Claim, Unit, claims_of, unit_ids, units_of
from bazaarbench.viewer.commitments import Bars, bars_of, rivals_of
from bazaarbench.viewer.inspect_links import deal_link
from bazaarbench.viewer.judging import DealVerdicts, verdicts_of
from bazaarbench.viewer.links import Links
from bazaarbench.viewer.opened import Opened, Shelf
from bazaarbench.viewer.page import Page, PageMissing
from bazaarbench.viewer.reasons import memberships
from bazaarbench.viewer.rows import EventRow, events, table_rows
from bazaarbench.viewer.timeline import Timeline, timeline
from bazaarbench.viewer.words import audit_story


@dataclass(frozen=True)
class Told:
    """What only the record can tell of a deal."""

    title: str
    listing: dict[str, Any] | None
    claims: tuple[Claim, ...]
    units: tuple[Unit, ...]
    exchanges: tuple[dict[str, Any], ...]
    confirmations: tuple[EventRow, ...]
    inspections: tuple[EventRow, ...]
    bars: Bars | None
    story: Timeline
    cited: dict[int, EventRow]


def deal_page(shelf: Shelf, opened: Opened, thread_id: int, inspect_view: str | None) -> Page:
    """A deal.

    Raises:
        PageMissing: the run has no such deal.
    """
    deal = opened.deals.get(thread_id)
    if deal is None:
        raise PageMissing(
            f"Run {opened.source.name} has no deal {thread_id} that is measured: "
            + (
                "a deal is a committed thread of the window with a tested party."
                if opened.findings.tested
                else "a deal is a committed thread of the window."
            )
        )
    objects = opened.objects_of(deal)
    told: Told | None = None
    missing = ""
    try:
        told = _told(shelf, opened, deal, objects)
    except RecordError as error:
        missing = str(error)
    order = [one.thread for one in opened.findings.deals]
    at = order.index(thread_id)
    path = Links("", opened.key).deal(thread_id)
    return Page(
        path=path,
        template="deal.html.j2",
        key=opened.key,
        values={
            "opened": opened,
            "deal": deal,
            "told": told,
            "missing": missing,
            "objects": objects,
            "audit": list(audit_story(deal)),
            "part": opened.parts.get(thread_id),
            "memberships": memberships(opened, deal),
            "verdicts": _verdicts(opened, deal, told),
            "linked": {link.object: link for link in deal.links},
            "before": order[at - 1] if at else None,
            "after": order[at + 1] if at + 1 < len(order) else None,
            "inspect": deal_link(opened.source, inspect_view, deal),
        },
    )


def _verdicts(opened: Opened, deal: DealRow, told: Told | None) -> DealVerdicts:
    if told is None:
        return verdicts_of(opened, deal, (), ())
    own = {
        row.event_id
        for moment in told.story.moments
        for step in moment.steps
        if step.lane != "elsewhere"
        for row in step.calls
    }
    return verdicts_of(opened, deal, own, set(told.story.turn_ids))


def _told(shelf: Shelf, opened: Opened, deal: DealRow, objects: list[ObjectRow]) -> Told:
    evidence = shelf.evidence(opened)
    rivals = rivals_of(evidence, deal)
    with opened.reading() as connection, texts_of(opened) as texts:
        index = shelf.index(opened, connection)
        story = timeline(
            connection,
            texts,
            index,
            evidence,
            deal,
            [one.thread_id for one in rivals if one.thread_id != deal.thread],
        )
        own = events(connection, index.of_thread(deal.thread))
        listings = table_rows(connection, "listings", "listing_id = ?", (deal.listing,))
        claims = claims_of(evidence, deal.listing)
        return Told(
            title=_title(listings, claims),
            listing=listings[0] if listings else None,
            claims=tuple(claims),
            units=tuple(units_of(connection, unit_ids(evidence, deal))),
            exchanges=tuple(table_rows(connection, "exchanges", "thread_id = ?", (deal.thread,))),
            confirmations=_named(own, "complete_transaction"),
            inspections=_named(own, "inspect_at_meetup"),
            bars=bars_of(evidence, deal, rivals, objects),
            story=story,
            cited={row.event_id: row for row in events(connection, _cited(objects))},
        )


def _cited(objects: list[ObjectRow]) -> set[int]:
    """The events that failures cite, for links to their turns."""
    steps = [step for item in objects for step in item.steps.values()]
    return {event_id for step in steps for _, event_id in step.events}


def _title(listings: list[dict[str, Any]], claims: list[Claim]) -> str:
    if claims:
        return claims[0].title
    return str(listings[0]["title"]) if listings else ""


def _named(rows: list[EventRow], action: str) -> tuple[EventRow, ...]:
    return tuple(row for row in rows if row.action == action)


@contextmanager
def texts_of(opened: Opened) -> Iterator[TextStore | None]:
    """The texts of a run's record; ``None`` when they cannot be read."""
    if opened.record is None:
        yield None
        return
    with read_texts(opened.record) as texts:
        yield texts
