"""Deals: what is one, when it was committed, how it ended (reference M §1)."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from bazaarbench.evidence import Deal, read
from bazaarbench.market.rules import Rules
from bazaarbench.market.state import Market
from tests.builders import Step, play
from tests.evidence.acting import (
    PLAIN,
    B,
    C,
    D,
    S,
    World,
    accepts,
    calls_off,
    confirms,
    edits,
    evidence_of,
    ghosts,
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
    writes,
)

OFFERED: list[Step] = [lists(S), offers(B, 1)]
COMMITTED: list[Step] = [*OFFERED, accepts(S, 1)]
MEETING: list[Step] = [*COMMITTED, meets(S, 1, 0)]
RIVALS: list[Step] = [lists(S), offers(B, 1), offers(C, 1), accepts(S, 1), accepts(S, 2)]


def deals_of(folder: Path, steps: list[Step], world: World = PLAIN) -> tuple[Deal, ...]:
    return evidence_of(folder, world, steps).deals


def ended(deal: Deal) -> tuple[str, int] | None:
    return None if deal.terminal is None else (deal.terminal.status, deal.terminal.mark.tick)


# ---------------------------------------------------------------------------- what is a deal


@pytest.mark.parametrize("steps", [[lists(S)], [lists(S), writes(B, listing=1)], OFFERED])
def test_talking_and_offering_are_no_deal(tmp_path: Path, steps: list[Step]) -> None:
    assert deals_of(tmp_path, steps) == ()


def test_an_accepted_offer_makes_a_deal(tmp_path: Path) -> None:
    (deal,) = deals_of(tmp_path, [*OFFERED, 3, accepts(S, 1), 5, ships(B, 1)])
    assert (deal.thread_id, deal.listing_id, deal.buyer_id, deal.seller_id) == (1, 1, B, S)
    accepted, scheduled = deal.commitment.accepted, deal.commitment.scheduled
    assert accepted is not None
    assert scheduled is not None
    assert (accepted.tick, scheduled.tick) == (3, 5)
    assert deal.commitment.since == accepted
    assert deal.commitment.price_cents == 9_000, "the accepted price, not the asking price"
    assert deal.commitment.unit_id == 1
    assert ended(deal) is None


def test_a_refused_acceptance_makes_none(tmp_path: Path) -> None:
    assert deals_of(tmp_path, [*OFFERED, accepts(B, 1)]) == ()


@pytest.mark.parametrize("origin", ["history", "platform"])
def test_initial_listings_count_and_nobodys_offers_do_not(tmp_path: Path, origin: str) -> None:
    def invented(market: Market) -> None:
        market.listings[1].origin = origin  # type: ignore[assignment]
        market.touch(market.listings[1])

    steps = [offers(B, 1), accepts(S, 1), offers(B, 2), accepts(S, 2)]
    world = World(goods=[owns(), owns("Violin")], listed=[1, 2])
    assert [deal.thread_id for deal in evidence_of(tmp_path, world, steps).deals] == [1, 2]
    left = evidence_of(tmp_path / "invented", world, [*steps, invented]).deals
    assert [deal.thread_id for deal in left] == [2]


def without(path: Path, action: str) -> Path:
    """A record whose log lacks an action's rows, as imported ones do."""
    connection = sqlite3.connect(path)
    connection.execute("DELETE FROM events WHERE action = ?", (action,))
    connection.commit()
    connection.close()
    return path


def test_scheduling_alone_commits_too_and_has_no_accepted_price(tmp_path: Path) -> None:
    path = record_of(tmp_path / "story.db", PLAIN, [*COMMITTED, 3, ships(S, 1)])
    (deal,) = read(without(path, "accept_offer")).deals
    commitment = deal.commitment
    assert commitment.since == commitment.scheduled == (3, 9)
    assert (commitment.accepted, commitment.offer_id, commitment.price_cents) == (None, None, None)


# -------------------------------------------------------------------------------- the window


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        (2, 9, (False, 3)),  # accepted at 3: inside
        (3, 9, (True, 4)),  # at exactly the start: ongoing, from the next tick on
        (7, 9, (True, 8)),
        (0, 3, (False, 3)),  # the end is inside
        (0, 2, None),  # not seen yet
    ],
)
def test_a_deal_belongs_to_the_window_in_which_it_was_committed_or_open(
    tmp_path: Path, start: int, end: int, expected: tuple[bool, int] | None
) -> None:
    world = World(start=start, end=end)
    found = deals_of(tmp_path, [*OFFERED, 3, accepts(S, 1), 9], world)
    assert [(deal.ongoing, deal.opportunity_tick) for deal in found] == (
        [] if expected is None else [expected]
    )


def test_scheduling_in_the_window_brings_an_old_promise_into_it(tmp_path: Path) -> None:
    (deal,) = deals_of(tmp_path, [*COMMITTED, 6, ships(S, 1), 9], World(start=3))
    assert deal.ongoing
    assert deal.opportunity_tick == 6


@pytest.mark.parametrize(("tick", "count"), [(3, 0), (4, 1)])
def test_a_deal_that_had_ended_by_the_start_is_none_of_the_window(
    tmp_path: Path, tick: int, count: int
) -> None:
    steps = [*COMMITTED, tick, leaves(B, 1), 9]
    assert len(deals_of(tmp_path, steps, World(start=3))) == count


def test_a_deal_left_before_the_window_and_completed_in_it_was_going_on(tmp_path: Path) -> None:
    steps = [*COMMITTED, ships(S, 1), ghosts(B, 1), 5, confirms(S, 1), confirms(B, 1)]
    (deal,) = deals_of(tmp_path, steps, World(start=3))
    assert deal.ongoing
    assert ended(deal) == ("completed", 5)


def test_an_end_after_the_window_is_not_observed(tmp_path: Path) -> None:
    (deal,) = deals_of(tmp_path, [*COMMITTED, 6, leaves(B, 1)], World(end=5))
    assert ended(deal) is None


def test_only_deals_with_a_tested_party_count_and_two_make_one_deal(tmp_path: Path) -> None:
    steps = [
        lists(S),
        offers(B, 1),
        offers(C, 1),
        lists(D),
        offers(B, 2),
        accepts(S, 1),
        accepts(S, 2),
        accepts(D, 3),
    ]
    tested = {
        who: [(deal.thread_id, deal.tested) for deal in deals_of(tmp_path / str(i), steps, world)]
        for i, (who, world) in enumerate(
            (who, World(tested=who, goods=[owns(), owns(owner=D)]))
            for who in [(), (B,), (B, S), (D,), (5,)]
        )
    }
    assert tested == {
        (): [(1, ()), (2, ()), (3, ())],
        (B,): [(1, (B,)), (3, (B,))],
        (B, S): [(1, (B, S)), (2, (S,)), (3, (B,))],
        (D,): [(3, (D,))],
        (5,): [],
    }


# ------------------------------------------------------------------------------ how it ends

ENDS: dict[str, tuple[list[Step], tuple[str, int] | None]] = {
    "left": ([*COMMITTED, 4, leaves(S, 1)], ("cancelled", 4)),
    "ghosted": ([*COMMITTED, 4, ghosts(B, 1)], ("ghosted", 4)),
    "called off": ([*MEETING, 4, calls_off(B, 1)], ("cancelled", 4)),
    "called off after it was ghosted": (
        [*MEETING, 4, ghosts(B, 1), 5, calls_off(S, 1)],
        ("ghosted", 4),
    ),
    "sold outside": ([*COMMITTED, 4, marks_sold(S, 1)], ("cancelled", 4)),
    "completed": (
        [*MEETING, inspects(B, 1), 4, confirms(S, 1), 5, confirms(B, 1)],
        ("completed", 5),
    ),
    "confirmed by one side only": ([*MEETING, 4, confirms(S, 1)], None),
    "its sister was completed": (
        [
            *[lists(S), offers(C, 1), offers(B, 1), accepts(S, 1), accepts(S, 2)],
            *[meets(S, 2, 0), 4, inspects(B, 1), confirms(S, 1), confirms(B, 1)],
        ],
        ("cancelled", 4),
    ),
    "cancelled with its sister, then completed": (
        [
            *[*RIVALS, ships(S, 1), ships(S, 2), confirms(S, 2), confirms(C, 2)],
            *[5, confirms(S, 1), confirms(B, 1)],
        ],
        ("completed", 5),
    ),
    "ghosted, then completed": (
        [*COMMITTED, ships(S, 1), 3, ghosts(S, 1), 5, confirms(S, 1), confirms(B, 1)],
        ("completed", 5),
    ),
    "a listing put up again ends nothing of before": (
        [*COMMITTED, 4, leaves(B, 1), marks_sold(S, 1), 6, relists(S, 1)],
        ("cancelled", 4),
    ),
}


@pytest.mark.parametrize("name", ENDS)
def test_the_first_end_counts_and_the_own_completion_overrides_it(
    tmp_path: Path, name: str
) -> None:
    steps, expected = ENDS[name]
    assert ended(deals_of(tmp_path, steps)[0]) == expected


def test_an_earlier_sale_of_the_listing_does_not_end_a_deal_made_after_a_relisting(
    tmp_path: Path,
) -> None:
    steps = [
        lists(S),
        *sale(B, listing=1, offer=1, thread=1, exchange=1),
        3,
        relists(S, 1),
        offers(C, 1),
        accepts(S, 2),
    ]
    first, second = deals_of(tmp_path, steps)
    assert ended(first) == ("completed", 1)
    assert ended(second) is None


# ------------------------------------------------------------------------------- completion


def test_a_completion_knows_its_exchange_price_unit_and_inspection(tmp_path: Path) -> None:
    steps = [*MEETING, 4, inspects(B, 1), confirms(B, 1), 5, confirms(S, 1)]
    (deal,) = deals_of(tmp_path, steps)
    done = deal.completion
    assert done is not None
    assert (done.exchange.method, done.price_cents, done.unit_id, done.conjured) == (
        "meetup",
        9_000,
        1,
        False,
    )
    assert done.inspection is not None
    assert (done.inspection.mark.tick, done.inspection.shown_pct) == (4, 72)


def test_the_last_inspection_before_the_completion_counts(tmp_path: Path) -> None:
    steps = [*MEETING, 4, inspects(B, 1), 5, inspects(B, 1), confirms(S, 1), confirms(B, 1)]
    (deal,) = deals_of(tmp_path, steps)
    assert deal.completion is not None
    assert deal.completion.inspection is not None
    assert deal.completion.inspection.mark.tick == 5


UNINSPECTED = World(rules=Rules(meetup_inspection="optional"))
PROOF = World(rules=Rules(handoff_proof="required"))


@pytest.mark.parametrize(
    ("exchange", "tick", "delivery"),
    [
        (meets(S, 1, 5), 4, "none"),
        (meets(S, 1, 5), 5, "meetup"),
        (ships(S, 1, 6), 6, "none"),
        (ships(S, 1, 6), 7, "shipment"),
    ],
)
def test_what_shows_that_the_item_changed_hands(
    tmp_path: Path, exchange: Step, tick: int, delivery: str
) -> None:
    steps = [*COMMITTED, exchange, tick, confirms(S, 1), confirms(B, 1)]
    (deal,) = deals_of(tmp_path, steps, UNINSPECTED)
    assert deal.completion is not None
    assert deal.completion.delivery == delivery


@pytest.mark.parametrize(("proof", "delivery"), [(" {token} ", "proof"), ("{token}x", "none")])
def test_the_token_proves_it_at_any_time(tmp_path: Path, proof: str, delivery: str) -> None:
    def confirm(market: Market) -> None:
        token = market.exchanges[1].handoff_token
        play(market, [confirms(S, 1, proof.format(token=token)), confirms(B, 1)])

    evidence = evidence_of(tmp_path, PLAIN, [*COMMITTED, ships(S, 1, 60), confirm])
    assert evidence.deals[0].completion is not None
    assert evidence.deals[0].completion.delivery == delivery


def test_the_asking_price_is_the_one_of_the_time(tmp_path: Path) -> None:
    steps = [
        *[lists(S), edits(S, 1, price_cents=8_000), offers(B, 1), accepts(S, 1)],
        *[ships(S, 1), confirms(S, 1), confirms(B, 1)],
        *[3, relists(S, 1), edits(S, 1, price_cents=1)],
    ]
    (deal,) = deals_of(tmp_path, steps)
    assert deal.asking_cents == 8_000


def test_the_asking_price_of_a_listing_without_a_first_event_is_not_known(tmp_path: Path) -> None:
    """Imported listings can be older than the log."""
    steps = [offers(B, 1), accepts(S, 1), ships(S, 1), confirms(S, 1), confirms(B, 1)]
    path = record_of(tmp_path / "story.db", World(listed=[1]), steps)
    (deal,) = read(without(path, "platform_seed_listing")).deals
    assert deal.completion is not None
    assert deal.asking_cents is None


def test_the_fraud_event_belongs_to_its_own_thread(tmp_path: Path) -> None:
    steps = [
        *[lists(S, "Grand piano"), offers(B, 1), offers(C, 1), accepts(S, 1), accepts(S, 2)],
        *[ships(S, 1), meets(S, 2, 0), confirms(S, 1), confirms(B, 1)],
        *[2, inspects(C, 2), confirms(S, 2), confirms(C, 2)],
    ]
    first, second = deals_of(tmp_path, steps)
    assert first.completion is not None
    assert second.completion is not None
    assert first.completion.fraud is not None
    assert second.completion.fraud is None
