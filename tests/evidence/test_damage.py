"""A damaged record is refused, and the message says which row and what is wrong with it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from bazaarbench import saved_states
from bazaarbench.errors import RecordError
from bazaarbench.evidence import read
from bazaarbench.failures.builtin import FAILURE_TYPES
from bazaarbench.findings import build
from bazaarbench.market.load import load
from bazaarbench.market.record import digest, read_only
from bazaarbench.market.state import Market
from tests.evidence.acting import (
    PLAIN,
    B,
    C,
    S,
    Scene,
    World,
    accepts,
    confirms,
    edits,
    leaves,
    lists,
    marks_sold,
    meets,
    offers,
    record_of,
    relists,
    ships,
    shows,
    writes,
)


def banned(market: Market) -> None:
    market.agents[C].status = "banned"


#: One row of every kind that must say whom or what it is about. The first event is 6, or 7 with the
#: initial listing of LISTED.
EVERYTHING: list[Scene] = [
    *[lists(S, "Grand piano"), edits(S, 1, price_cents=9_000), writes(B, listing=1)],
    *[shows(S, 1, 1), offers(B, 1), accepts(S, 1), ships(S, 1), confirms(S, 1), confirms(B, 1)],
    *[relists(S, 1), offers(C, 1), accepts(S, 2), meets(S, 2, 9), leaves(C, 2), marks_sold(S, 1)],
    shows(C, 2, 1),  # refused
    *[banned, lists(C)],
]
LISTED = World(listed=[1], agents=4, goods=PLAIN.goods)


@pytest.mark.parametrize(
    ("world", "action", "column", "missing"),
    [
        (LISTED, "platform_seed_listing", "listing_id", "listing"),
        (PLAIN, "create_listing", "listing_id", "listing"),
        (PLAIN, "create_listing", "agent_id", "agent"),
        (PLAIN, "edit_listing", "listing_id", "listing"),
        (PLAIN, "mark_sold", "listing_id", "listing"),
        (PLAIN, "message", "thread_id", "thread"),
        (PLAIN, "message", "agent_id", "agent"),
        (PLAIN, "send_photo", "agent_id", "agent"),
        (PLAIN, "send_photo", "thread_id", "thread"),
        (PLAIN, "accept_offer", "agent_id", "agent"),
        (PLAIN, "schedule_meetup", "agent_id", "agent"),
        (PLAIN, "leave_thread", "thread_id", "thread"),
        (PLAIN, "fraud_discovered", "thread_id", "thread"),
    ],
)
def test_a_row_that_names_nobody_is_damage(
    tmp_path: Path, world: World, action: str, column: str, missing: str
) -> None:
    path = record_of(tmp_path / "story.db", world, EVERYTHING)
    refused = (("create_listing", "agent_id"), ("send_photo", "agent_id"))
    status = "blocked" if (action, column) in refused else "ok"
    connection = sqlite3.connect(path)
    where = "FROM events WHERE action = ? AND status = ? ORDER BY event_id"
    event_id, tick = connection.execute(
        f"SELECT event_id, tick {where}", (action, status)
    ).fetchone()
    connection.execute(f"UPDATE events SET {column} = NULL WHERE event_id = ?", (event_id,))
    connection.commit()
    connection.close()
    with pytest.raises(RecordError) as caught:
        read(path)
    assert str(caught.value) == (
        f"the record is damaged: event {event_id} ({action}, tick {tick}) names no {missing}. "
        "Restore it from a copy, or run the market again."
    )


def test_rows_of_one_tick_are_in_order(tmp_path: Path) -> None:
    """Only a tick that goes back is damage; the first row may be of any tick."""
    steps: list[Scene] = [3, lists(S), offers(B, 1), 4, accepts(S, 1)]
    assert len(read(record_of(tmp_path / "story.db", PLAIN, steps)).commitments) == 1


def test_the_message_says_after_which_tick_a_row_comes(tmp_path: Path) -> None:
    path = record_of(tmp_path / "story.db", PLAIN, [lists(S), 2, offers(B, 1), accepts(S, 1)])
    connection = sqlite3.connect(path)
    connection.execute("UPDATE events SET tick = 1 WHERE action = 'accept_offer'")
    connection.commit()
    connection.close()
    with pytest.raises(RecordError, match=r"\(accept_offer, tick 1\) comes after one of tick 2\."):
        read(path)


def scribble(path: Path, table: str) -> None:
    """Overwrite the page where a table begins; the file still opens."""
    connection = sqlite3.connect(path)
    query = "SELECT rootpage FROM sqlite_schema WHERE name = ?"
    (page,) = connection.execute(query, (table,)).fetchone()
    connection.close()
    content = path.read_bytes()
    size = int.from_bytes(content[16:18], "big")
    path.write_bytes(content[: (page - 1) * size] + b"\xff" * size + content[page * size :])


def test_damaged_pages_are_named_while_reading(tmp_path: Path) -> None:
    path = record_of(tmp_path / "story.db", PLAIN, [lists(S)])
    scribble(path, "listings")
    with pytest.raises(RecordError, match=r"^cannot read .*story\.db: "):
        read(path)


@pytest.mark.parametrize(("part", "table"), [("index", "events"), ("reputation", "ratings")])
def test_damaged_pages_are_named_by_what_is_read_later(
    tmp_path: Path, part: str, table: str
) -> None:
    path = record_of(tmp_path / "story.db", PLAIN, [lists(S)])
    evidence = read(path)
    scribble(path, table)
    with pytest.raises(RecordError, match=r"^cannot read .*story\.db: "):
        getattr(evidence, part)


def test_settings_that_cannot_be_read_are_named_with_their_file(tmp_path: Path) -> None:
    path = record_of(tmp_path / "story.db", PLAIN, [lists(S)])
    connection = sqlite3.connect(path)
    connection.execute("UPDATE meta SET value = '{' WHERE key = 'info'")
    connection.commit()
    connection.close()
    with pytest.raises(RecordError, match=r"story\.db"):
        read(path)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE listings SET title = CAST(x'ff' AS TEXT)",
        "DROP TABLE ticks",
        "DROP TABLE events",
        "UPDATE events SET payload = '{'",
        "UPDATE events SET payload = '{}', private = '{}' WHERE action = 'create_listing'",
        "UPDATE meta SET value = '{}' WHERE key = 'info'",
        "UPDATE threads SET listing_id = 99",
    ],
)
def test_whatever_a_record_lacks_is_damage_to_every_reader(tmp_path: Path, statement: str) -> None:
    """Each reader either does not look there or says which file is damaged."""
    path = record_of(tmp_path / "story.db", PLAIN, EVERYTHING)
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA ignore_check_constraints=ON")
    connection.execute(statement)
    connection.commit()
    connection.close()
    refusals = []
    readers: list[Callable[[Path], object]] = [
        lambda record: build(record, FAILURE_TYPES),
        lambda record: load(read_only(record)),
        lambda record: saved_states.resolve(str(record)),
        digest,
        read,
    ]
    for reader in readers:
        try:
            reader(path)
        except RecordError as error:
            refusals.append(str(error))
    assert refusals
    assert all("story.db" in one for one in refusals)
