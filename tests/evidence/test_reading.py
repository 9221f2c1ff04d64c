"""Reading a record: index, reputation, refusal of what is none."""

from __future__ import annotations

import hashlib
import sqlite3
from pathlib import Path

import pytest

from bazaarbench.errors import RecordError
from bazaarbench.evidence import read
from bazaarbench.market.entities import Rating
from bazaarbench.market.state import Market
from tests.evidence.acting import (
    PLAIN,
    B,
    C,
    S,
    World,
    accepts,
    confirms,
    counters,
    evidence_of,
    lists,
    marks_sold,
    meets,
    offers,
    owns,
    record_of,
    relists,
    sale,
    shows,
    writes,
)

SALE = [lists(S), *sale(B, listing=1, offer=1, thread=1, exchange=1)]


def test_reading_changes_nothing(tmp_path: Path) -> None:
    path = record_of(tmp_path / "story.db", PLAIN, SALE)
    before = hashlib.sha256(path.read_bytes()).hexdigest()
    files = sorted(tmp_path.iterdir())
    evidence = read(path)
    assert evidence.index.events("listing", 1)
    assert evidence.reputation.at(S, 1).ratings == 0
    assert hashlib.sha256(path.read_bytes()).hexdigest() == before
    assert sorted(tmp_path.iterdir()) == files


def test_the_index_finds_every_event_about_a_thing(tmp_path: Path) -> None:
    steps = [*SALE, 2, relists(S, 1), writes(C, listing=1), shows(C, 2, 1), marks_sold(S, 1)]
    index = evidence_of(tmp_path, PLAIN, steps).index
    # Events 1–5 registered the agents, 6 listed, 7–12 were the sale.
    assert index.events("listing", 1)[:7] == (6, 7, 8, 9, 10, 11, 12)
    assert index.events("thread", 1) == (7, 8, 9, 10, 11, 12)
    assert index.events("offer", 1) == (7, 8)
    assert index.events("exchange", 1) == (9, 10, 11, 12)
    assert index.events("unit", 1)[:4] == (1, 6, 10, 12)
    assert len(index.events("photo", 1)) == 1
    assert index.events("agent", B) == (2, 7, 8, 9, 10, 11, 12)
    assert index.events("unit", 99) == ()


def test_an_event_is_about_all_that_its_arguments_lead_to(tmp_path: Path) -> None:
    """The platform does not look what a banned agent's call is about: its row has no columns."""

    def ban(market: Market) -> None:
        market.agents[S].status = "banned"

    def supply(market: Market) -> None:
        market.log("platform_inventory_restocked", {"agent_id": C}, private={})

    steps = [lists(S), offers(B, 1), accepts(S, 1), meets(S, 1, 5), ban]
    steps += [confirms(S, 1), supply, counters(S, 1)]
    index = evidence_of(tmp_path, PLAIN, steps).index
    about = [("exchange", 1), ("thread", 1), ("listing", 1), ("agent", B), ("agent", S)]
    assert {thing: index.events(*thing) for thing in about} == {
        ("exchange", 1): (9, 10),
        ("thread", 1): (7, 8, 9, 10),
        ("listing", 1): (6, 7, 8, 9, 10),
        ("agent", B): (2, 7, 8, 9, 10),
        ("agent", S): (1, 6, 7, 8, 9, 10, 12),
    }
    assert index.events("offer", 1) == (7, 8, 12)
    assert index.events("agent", C) == (3, 11), "a supply event is about its agent"


def test_a_unit_that_a_listing_was_bound_to_before_is_indexed(tmp_path: Path) -> None:
    twins = World(goods=[owns(), owns(quality=65)])
    evidence = evidence_of(tmp_path, twins, [*SALE, 2, relists(S, 1)])
    assert evidence.index.events("unit", 1) == (1, 6, 10, 12, 13)
    assert evidence.index.events("unit", 2) == (1, 13)


def test_the_index_ends_with_the_window(tmp_path: Path) -> None:
    evidence = evidence_of(tmp_path, World(end=2), [lists(S), 2, offers(B, 1), 3, offers(C, 1)])
    assert evidence.index.events("listing", 1) == (6, 7)


def test_reputation_is_that_of_the_tick(tmp_path: Path) -> None:
    def rated(market: Market) -> None:
        for number, (tick, stars) in enumerate([(-9, 5), (3, 1), (3, 2), (7, 4)], start=1):
            market.add(Rating(number, B, S, None, stars, None, tick, "history"))

    reputation = evidence_of(tmp_path, World(end=5), [rated]).reputation
    assert [tuple(reputation.at(S, tick)) for tick in (-10, -9, 2, 3, 99)] == [
        (0, 0),
        (1, 5),
        (1, 5),
        (3, 8),
        (3, 8),  # tick 7 is after the end
    ]
    assert reputation.at(C, 9).ratings == 0


def test_the_order_of_the_log_is_checked(tmp_path: Path) -> None:
    path = record_of(tmp_path / "story.db", PLAIN, [lists(S), 2, offers(B, 1), accepts(S, 1)])
    connection = sqlite3.connect(path)
    connection.execute("UPDATE events SET tick = 0 WHERE action = 'accept_offer'")
    connection.commit()
    connection.close()
    with pytest.raises(RecordError, match=r"event \d+ \(accept_offer, tick 0\) comes after"):
        read(path)


def test_a_completion_of_what_was_never_committed_is_damage(tmp_path: Path) -> None:
    path = record_of(tmp_path / "story.db", PLAIN, SALE)
    connection = sqlite3.connect(path)
    connection.execute("DELETE FROM events WHERE action IN ('accept_offer', 'schedule_meetup')")
    connection.commit()
    connection.close()
    with pytest.raises(RecordError, match="completes thread 1, which was not committed"):
        read(path)


@pytest.mark.parametrize("content", [b"", b"not a database", b"SQLite format 3\0" + b"\0" * 200])
def test_what_is_no_record_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other.db"
    path.write_bytes(content)
    with pytest.raises(RecordError, match=r"other\.db"):
        read(path)


def test_a_missing_record_is_named(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match=r"gone\.db"):
        read(tmp_path / "gone.db")
