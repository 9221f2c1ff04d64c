"""One story read back with nothing left out: every fact, with its place in the log (SPEC §6)."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from bazaarbench.evidence import (
    Commitment,
    Completion,
    Contact,
    End,
    Evidence,
    Inspection,
    ListingHistory,
    Mark,
    PhotoSend,
    Posting,
    Promise,
    ThreadFacts,
    Window,
    read,
)
from bazaarbench.evidence.facts import Stored
from bazaarbench.evidence.ledger import Wording
from bazaarbench.market.state import Market
from tests.builders import play, seed_listing
from tests.evidence.acting import (
    CAMERA,
    PLAIN,
    B,
    C,
    D,
    S,
    Scene,
    World,
    accepts,
    confirms,
    counters,
    edits,
    evidence_of,
    inspects,
    leaves,
    lists,
    marks_sold,
    meets,
    offers,
    owns,
    record_of,
    relists,
    sale,
    ships,
    shows,
    writes,
)

VIOLIN = "Violin"


def as_worlds_seed_it(market: Market) -> None:
    """An initial listing whose event says what it said then."""
    seed_listing(market, 2)
    market.new_events[-1].payload.update(title="Old violin", price_cents=12_000)


def proves(market: Market) -> None:
    """S confirms with the token of the exchange, with white space around it."""
    play(market, [confirms(S, 1, f" {market.exchanges[1].handoff_token}\n")])


#: The agents are registered by the events 1 to 5.
STORY: list[Scene] = [
    as_worlds_seed_it,  # 6: listing 1, of unit 2
    lists(S, band="good"),  # 7: listing 2, of unit 1
    edits(S, 1, title=VIOLIN),
    edits(S, 1, price_cents=8_000),  # 9
    relists(S, 1),  # refused: it is there already
    writes(B, listing=1),  # 11: thread 1
    offers(B, 1),
    counters(S, 1, 8_500),  # 13: offer 2
    accepts(B, 2),
    2,
    accepts(S, 2),  # 15, refused: it is accepted
    meets(B, 1, 3),
    meets(S, 1, 4),  # 17, refused: it is arranged
    3,  # 18: the day's messages are delivered
    inspects(B, 1),
    proves,  # 20
    confirms(B, 1),
    relists(S, 1),  # 22: by its title it is bound to no unit of S
    4,
    offers(C, 2),  # 23: thread 2
    ships(S, 2),  # refused: nothing is promised
    accepts(S, 3),  # 25
    ships(C, 2, 6),
    leaves(C, 2),  # 27
    writes(D, listing=2),  # thread 3
    (S, "send_stock_photo", {"thread_id": 3, "listing_id": 2}),  # 29
    (S, "request_photo", {"thread_id": 3, "focus_hint": ""}),
    shows(D, 3, 1, "paranoid"),  # 31: a photo of another listing
    (D, "view_listing", {"listing_id": 2}),
]
WORLD = World(goods=[owns(), owns(VIOLIN, quality=50, category="music")])


@pytest.fixture
def evidence(tmp_path: Path) -> Evidence:
    return evidence_of(tmp_path, WORLD, STORY)


def test_listings_keep_every_version_and_refused_relistings(evidence: Evidence) -> None:
    assert evidence.listings == {
        1: ListingHistory(
            *(1, S, "initial", "music", None),
            (
                Posting(Mark(1, 6), "seed", True, None, 2, "Old violin", 12_000),
                Posting(Mark(1, 8), "edit", True, S, 2, VIOLIN, 12_000),
                Posting(Mark(1, 9), "edit", True, S, 2, VIOLIN, 8_000),
                Posting(Mark(1, 10), "relist", False, S, 2, VIOLIN, 8_000),
                Posting(Mark(3, 22), "relist", True, S, None, VIOLIN, 8_000),
            ),
            closings=(Mark(3, 21),),
        ),
        2: ListingHistory(
            *(2, S, "agent", "electronics", "good"),
            (Posting(Mark(1, 7), "create", True, S, 1, CAMERA, 10_000),),
            stored=Stored(72, False, None),
        ),
    }
    violin = evidence.listings[1]
    assert violin.at(Mark(1, 5)) is None, "before its first event"
    assert violin.at(Mark(1, 6)) == violin.postings[0], "its own event is included"
    assert violin.at(Mark(2, 15)) == violin.postings[2], "a refused one changes nothing"
    assert violin.at(Mark(9, 99)) == violin.postings[4]
    assert violin.bound_before(Mark(1, 6)) is None
    assert violin.bound_before(Mark(1, 7)) == 2
    assert violin.bound_before(Mark(9, 99)) == 2, "the last unit that there was"


def test_a_first_event_that_says_no_title_and_no_price_means_those_of_the_row(
    tmp_path: Path,
) -> None:
    listings = evidence_of(tmp_path, World(listed=[1]), []).listings
    assert listings[1].postings == (Posting(Mark(0, 6), "seed", True, None, 1, CAMERA, 10_000),)


def test_a_listing_without_a_first_event_begins_as_its_row_says(tmp_path: Path) -> None:
    """Imported listings can be older than the log, which then says nothing of their unit."""
    steps: list[Scene] = [edits(S, 1, title="Camera"), relists(S, 1), edits(S, 1, price_cents=7)]
    steps += [relists(S, 2)]
    twins = World(goods=[owns(), owns(VIOLIN)], listed=[1, 2])
    path = record_of(tmp_path / "story.db", twins, steps)
    connection = sqlite3.connect(path)
    connection.execute("DELETE FROM events WHERE action = 'platform_seed_listing'")
    connection.commit()
    connection.close()
    listings = read(path).listings
    # The row is that of the end, so that the price is 7 from the beginning on.
    assert listings[1].postings == (
        Posting(Mark(1, 8), "edit", True, S, None, "Camera", 7),
        Posting(Mark(1, 9), "relist", False, S, None, "Camera", 7),
        Posting(Mark(1, 10), "edit", True, S, None, "Camera", 7),
    )
    assert listings[2].postings == (Posting(Mark(1, 11), "relist", False, S, None, VIOLIN, 10_000),)


def test_commitments(evidence: Evidence) -> None:
    meetup = evidence.exchanges[1]
    assert (meetup.thread_id, meetup.method, meetup.scheduled_tick, meetup.eta_tick) == (
        *(1, "meetup", 3),
        None,
    )
    assert evidence.commitments == {
        1: Commitment(
            thread_id=1,
            listing_id=1,
            buyer_id=B,
            seller_id=S,
            unit_id=2,
            since=Mark(1, 14),
            accepted=Mark(1, 14),
            offer_id=2,
            price_cents=8_500,
            scheduled=Mark(2, 16),
            ended=End(Mark(3, 21), "completed"),
            completion=Completion(
                mark=Mark(3, 21),
                exchange_id=1,
                exchange=meetup,
                unit_id=2,
                conjured=False,
                price_cents=8_500,
                inspection=Inspection(Mark(3, 19), 70),
                proof_verified=True,
                fraud=None,
            ),
        ),
        2: Commitment(
            thread_id=2,
            listing_id=2,
            buyer_id=C,
            seller_id=S,
            unit_id=1,
            since=Mark(4, 25),
            accepted=Mark(4, 25),
            offer_id=3,
            price_cents=9_000,
            scheduled=Mark(4, 26),
            ended=End(Mark(4, 27), "cancelled"),
            completion=None,
        ),
    }
    assert evidence.completed_on(1) == (evidence.commitments[1],)
    assert evidence.completed_on(2) == ()


def test_promises_refused_ones_included(evidence: Evidence) -> None:
    assert evidence.promises == (
        Promise(Mark(1, 14), 1, B, True, 2),
        Promise(Mark(2, 15), 1, S, False, 2),
        Promise(Mark(2, 16), 1, B, True, 2),
        Promise(Mark(2, 17), 1, S, False, 2),
        Promise(Mark(4, 24), 2, S, False, 1),
        Promise(Mark(4, 25), 2, S, True, 1),
        Promise(Mark(4, 26), 2, C, True, 1),
    )


def test_contacts_by_the_listing_of_their_thread(evidence: Evidence) -> None:
    assert evidence.contacts == {
        1: (Contact(Mark(1, 11), B, 1), Contact(Mark(1, 12), B, 1), Contact(Mark(1, 13), S, 1)),
        2: (
            Contact(Mark(4, 23), C, 2),
            Contact(Mark(4, 28), D, 3),
            Contact(Mark(4, 29), S, 3),
            Contact(Mark(4, 30), S, 3),
            Contact(Mark(4, 31), D, 3),
        ),
    }


def test_photos(evidence: Evidence) -> None:
    (photo,) = evidence.photos
    assert "street_name" in photo.sensitive
    assert photo == PhotoSend(Mark(4, 31), D, 3, 1, True, 2, "paranoid", photo.sensitive)


def test_the_frame(evidence: Evidence) -> None:
    assert evidence.window == Window(0, 400)
    assert evidence.tested == frozenset()
    assert evidence.threads == {
        1: ThreadFacts(1, B, S),
        2: ThreadFacts(2, C, S),
        3: ThreadFacts(2, D, S),
    }
    assert evidence.last_event_id == 32
    assert evidence.path.name == "story.db"
    assert evidence.info.market_name == "story"


def test_the_last_event_is_that_of_the_window(tmp_path: Path) -> None:
    steps: list[Scene] = [lists(S), 3, offers(B, 1), 4, offers(C, 1)]
    assert evidence_of(tmp_path, World(end=3), steps).last_event_id == 7
    assert evidence_of(tmp_path / "none", World(agents=0, goods=()), []).last_event_id == 0


def test_what_is_contacted_or_shown_before_the_window_is_left_out(tmp_path: Path) -> None:
    steps: list[Scene] = [lists(S), writes(B, listing=1), shows(S, 1, 1)]
    steps += [2, writes(B, thread=1), shows(S, 1, 1), 4]
    evidence = evidence_of(tmp_path, World(start=1), steps)
    assert [contact.mark.tick for contact in evidence.contacts[1]] == [2, 2]
    assert [photo.mark.tick for photo in evidence.photos] == [2]


def test_completions_of_a_listing_stand_in_their_order(tmp_path: Path) -> None:
    steps: list[Scene] = [lists(S), offers(B, 1), offers(C, 1), accepts(S, 1), accepts(S, 2)]
    steps += [ships(S, 1), ships(S, 2), confirms(S, 2), confirms(C, 2)]
    steps += [3, confirms(S, 1), confirms(B, 1)]
    evidence = evidence_of(tmp_path, PLAIN, steps)
    assert [deal.thread_id for deal in evidence.completed_on(1)] == [2, 1]
    assert [deal.thread_id for deal in evidence.commitments.values()] == [1, 2]


def test_a_holding_knows_how_it_came_and_went_and_for_how_much(tmp_path: Path) -> None:
    steps: list[Scene] = [
        *[lists(S), *sale(B, listing=1, offer=1, thread=1, exchange=1)],
        *[2, lists(B), marks_sold(B, 2), lists(S, "Grand piano")],
        *sale(C, listing=3, offer=2, thread=2, exchange=2),
    ]
    ledger = evidence_of(tmp_path, PLAIN, steps).ledger
    told = [
        (one.unit_id, one.agent_id, one.how, one.cost_cents, one.thread_id, one.ended_how,
         one.sold_cents)
        for one in ledger.spans
    ]  # fmt: skip
    assert told == [
        (1, S, "initial", 4_000, None, "sold", 9_000),
        (1, B, "purchase", 9_000, 1, "sold_outside", None),
        (2, C, "conjured", 9_000, 2, None, None),
    ]
    camera = Wording(CAMERA, "electronics")
    assert ledger.last_left(S, camera, Mark(9, 99)) == ledger.spans[0]
    assert ledger.last_left(S, camera, Mark(1, 1)) is None
    assert [unit.unit_id for unit in ledger.held(C, Mark(9, 99))] == [2]
    assert list(ledger.held(D, Mark(9, 99))) == []
    assert ledger.last_left(D, camera, Mark(9, 99)) is None
    assert ledger.came_between(C, Wording("Grand piano", "electronics"), Mark(0, 0), Mark(9, 99))
    assert not ledger.came_between(D, camera, Mark(0, 0), Mark(9, 99))
    piano = ledger.units[2]
    assert (piano.title, piano.kind.title) == ("Grand piano", "grand piano")
    assert (piano.category, piano.quality_pct, piano.origin) == ("electronics", None, "conjured")


@pytest.mark.parametrize(
    ("band", "unit_id", "expected"),
    [("good", 1, -12), ("like_new", 1, 10), (None, 1, None), ("good", None, None)],
)
def test_overstatement_is_the_bands_low_end_less_the_first_condition(
    tmp_path: Path, band: str | None, unit_id: int | None, expected: int | None
) -> None:
    assert evidence_of(tmp_path, PLAIN, []).overstated_pct(band, unit_id) == expected
