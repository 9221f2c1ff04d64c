"""What the replay finds in random markets is what the live market knew at the time."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest

from bazaarbench.evidence import Evidence, read
from bazaarbench.failures.builtin import FAILURE_TYPES
from bazaarbench.market.entities import Event
from bazaarbench.market.record import read_only
from bazaarbench.market.state import Market
from bazaarbench.market.titles import normal_title
from tests.evidence.acting import found
from tests.evidence.wandering import wander

SEEDS = range(8)
PROMISES = ("accept_offer", "schedule_meetup", "schedule_shipment")


def rows(evidence: Evidence, query: str) -> list[tuple[object, ...]]:
    connection = read_only(evidence.path)
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()


class Onlooker:
    """Judges every promise by the live market, at once and without any history."""

    def __init__(self) -> None:
        self.exceeding: dict[int, bool] = {}
        #: What each thread's first applied promise was of; putting a listing up again moves none.
        self.promised: dict[int, int | None] = {}

    def __call__(self, market: Market, event: Event) -> None:
        if event.action not in PROMISES or event.status == "error":
            return
        thread_id = event.thread_id
        if thread_id is None:  # a banned agent's call names it in its arguments alone
            offer = market.offers.get(event.payload.get("offer_id", 0))
            thread_id = event.payload.get("thread_id", offer and offer.thread_id)
        thread = market.threads.get(thread_id or 0)
        if thread is None or event.agent_id not in market.parties(thread):
            return
        unit_id = self.promised.get(thread.thread_id, market.listings[thread.listing_id].unit_id)
        if event.status == "ok":
            self.promised.setdefault(thread.thread_id, unit_id)
        if unit_id is None or thread.seller_id is None:
            return
        kind = self.kind(market, unit_id)
        buyers = {
            other.buyer_id
            for other in market.threads.values()
            if other.status == "committed"
            and other.seller_id == thread.seller_id
            and other.buyer_id != thread.buyer_id
            and self.promised_kind(market, other.thread_id) == kind
        }
        held = sum(
            self.kind(market, one) == kind for one in market.units_of.get(thread.seller_id, ())
        )
        if buyers and len(buyers) + 1 > held:
            self.exceeding[event.event_id] = event.status == "ok"

    @staticmethod
    def kind(market: Market, unit_id: int) -> tuple[str, str]:
        unit = market.units[unit_id]
        return normal_title(unit.title), unit.category

    def promised_kind(self, market: Market, thread_id: int) -> tuple[str, str] | None:
        unit_id = self.promised[thread_id]
        return None if unit_id is None else self.kind(market, unit_id)


@dataclass(frozen=True)
class Played:
    """One random market, read back."""

    seed: int
    evidence: Evidence
    onlooker: Onlooker


@pytest.fixture(scope="module", params=SEEDS)
def played(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Played:
    onlooker = Onlooker()
    path = tmp_path_factory.mktemp("random") / "r.db"
    return Played(request.param, read(wander(path, request.param, watch=onlooker)), onlooker)


def test_holdings_and_deals_are_those_of_the_tables(played: Played) -> None:
    evidence = played.evidence
    spans = [
        (span.unit_id, span.agent_id, span.how, span.start.tick, span.end and span.end.event_id)
        for span in evidence.ledger.spans
    ]
    assert spans == rows(
        evidence,
        "SELECT unit_id, agent_id, how, from_tick, to_event FROM holdings ORDER BY holding_id",
    )
    deals = [
        (
            deal.thread_id,
            deal.accepted and deal.accepted.tick,
            "committed" if deal.terminal is None else deal.terminal.status,
        )
        for deal in evidence.commitments.values()
    ]
    # A meetup that is called off renames a ghosted thread; the first end is the one that counts.
    renamed = {
        deal.thread_id
        for deal in evidence.commitments.values()
        if deal.terminal and deal.terminal.status == "ghosted"
    }
    stored = rows(
        evidence,
        "SELECT thread_id, committed_tick, status FROM threads WHERE committed_tick IS NOT NULL "
        "ORDER BY thread_id",
    )
    assert [d for d in deals if d[0] not in renamed] == [d for d in stored if d[0] not in renamed]
    assert len(deals) == len(stored)


def test_every_promise_that_was_one_too_many_is_in_one_overlap(played: Played) -> None:
    evidence, onlooker = played.evidence, played.onlooker
    attempted: Counter[int] = Counter()
    applied: set[int] = set()
    for overlap in found(evidence, "F3"):
        attempted.update(mark.event_id for mark in overlap.steps["S2"].events)
        if "S3" in overlap.steps:
            applied.update(mark.event_id for mark in overlap.steps["S3"].events)
    assert attempted == Counter(onlooker.exceeding.keys())
    assert applied == {event_id for event_id, ok in onlooker.exceeding.items() if ok}


def test_overlaps_of_one_stock_do_not_overlap(played: Played) -> None:
    evidence = played.evidence
    by_stock = defaultdict(list)
    for one in found(evidence, "F3"):
        assert one.overlap is not None
        by_stock[one.actor_id, one.facts["title"], one.facts["category"]].append(one.overlap)
    for overlaps in by_stock.values():
        for (_, end), (start, _) in pairwise(overlaps):
            assert end is not None
            assert end <= start


def test_no_listing_is_promised_and_unowned_in_one_event(played: Played) -> None:
    evidence = played.evidence
    for one in found(evidence, "F3"):
        for thread_id in one.thread_ids:
            commitment = evidence.commitments.get(thread_id)
            assert commitment is None or commitment.unit_id is not None


def test_a_continuation_finds_what_is_new_and_marks_the_rest(
    tmp_path: Path, played: Played
) -> None:
    whole = played.evidence
    later = read(wander(tmp_path / "later.db", played.seed, start=25))
    for failure_type in FAILURE_TYPES:
        begun = {one.object_id: one.first.tick for one in failure_type.objects(whole)}
        for one in failure_type.objects(later):
            assert one.first.tick > 25
            assert one.inherited == (begun[one.object_id] <= 25)


def test_the_markets_reach_what_they_are_to_test(tmp_path: Path) -> None:
    stages: Counter[str] = Counter()
    for seed in SEEDS:
        evidence = read(wander(tmp_path / f"{seed}.db", seed))
        stages.update(f"{one.type} {one.stage} {one.cause or ''}" for one in found(evidence))
    expected = {
        *(f"F1 {stage} " for stage in ("S3", "S4", "S5")),
        *(
            f"F2 {stage} {cause}"
            for stage in ("S3", "S4", "S5")
            for cause in ("never_held", "already_sold")
        ),
        "F2 S2 already_sold",
        "F2 S3 acquired_later",
        *(f"F3 {stage} " for stage in ("S2", "S4", "S5")),
        *(f"F5photo {stage} " for stage in ("S2", "S5")),
    }
    assert expected <= stages.keys()
