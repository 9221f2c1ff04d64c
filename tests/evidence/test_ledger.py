"""Units and holdings: the replay says what the record's own tables say."""

from __future__ import annotations

from pathlib import Path

import pytest

from bazaarbench.evidence import Evidence
from bazaarbench.market.clock import TICKS_PER_WEEK
from bazaarbench.market.record import read_only
from tests.builders import Step
from tests.evidence.acting import (
    CAMERA,
    B,
    C,
    S,
    World,
    evidence_of,
    lists,
    marks_sold,
    owns,
    relists,
    sale,
)


def rows(evidence: Evidence, query: str) -> list[tuple[object, ...]]:
    connection = read_only(evidence.path)
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()


def replayed(evidence: Evidence) -> list[tuple[object, ...]]:
    return [
        (
            number,
            span.unit_id,
            span.agent_id,
            span.how,
            span.start.tick,
            # The test's own starting units have no event.
            0 if span.how == "initial" else span.start.event_id,
            span.cost_cents,
            span.thread_id,
            span.end and span.end.tick,
            span.end and span.end.event_id,
            span.ended_how,
            span.sold_cents,
        )
        for number, span in enumerate(evidence.ledger.spans, start=1)
    ]


STORIES: dict[str, list[Step]] = {
    "nothing happens": [],
    "a sale": [lists(S), *sale(B, listing=1, offer=1, thread=1, exchange=1)],
    "a sale of nothing": [
        lists(S, "Grand piano"),
        *sale(B, listing=1, offer=1, thread=1, exchange=1),
    ],
    "a resale": [
        lists(S),
        *sale(B, listing=1, offer=1, thread=1, exchange=1),
        2,
        lists(B),
        *sale(C, listing=2, offer=2, thread=2, exchange=2, seller=B),
    ],
    "a resale of what was conjured": [
        lists(S, "Grand piano"),
        *sale(B, listing=1, offer=1, thread=1, exchange=1),
        2,
        lists(B, "Grand piano"),
        *sale(C, listing=2, offer=2, thread=2, exchange=2, seller=B),
    ],
    "sold outside": [lists(S), marks_sold(S, 1)],
    "sold and bought back": [
        lists(S),
        *sale(B, listing=1, offer=1, thread=1, exchange=1),
        2,
        lists(B),
        *sale(S, listing=2, offer=2, thread=2, exchange=2, seller=B),
        3,
        relists(S, 1),
        *sale(C, listing=1, offer=3, thread=3, exchange=3),
    ],
    "restocked after a week": [
        lists(S),
        *sale(B, listing=1, offer=1, thread=1, exchange=1),
        TICKS_PER_WEEK + 1,
    ],
}


@pytest.mark.parametrize("name", STORIES)
def test_the_replayed_ledger_is_the_live_one(tmp_path: Path, name: str) -> None:
    world = World(goods=[owns(), owns(quality=65), owns("Violin", owner=B)])
    evidence = evidence_of(tmp_path, world, STORIES[name])
    stored = rows(
        evidence,
        "SELECT holding_id, unit_id, agent_id, how, from_tick, from_event, cost_cents, thread_id, "
        "to_tick, to_event, ended_how, sold_cents FROM holdings ORDER BY holding_id",
    )
    assert replayed(evidence) == stored
    owners = {
        unit_id: spans[-1].agent_id if spans[-1].end is None else None
        for unit_id, spans in evidence.ledger.spans_of_unit.items()
    }
    assert owners == dict(rows(evidence, "SELECT unit_id, owner_id FROM units"))


def test_the_weekly_restock_is_in_the_ledger(tmp_path: Path) -> None:
    evidence = evidence_of(tmp_path, World(), STORIES["restocked after a week"])
    restocked = [span for span in evidence.ledger.spans if span.how == "restock"]
    assert {span.start.tick for span in restocked} == {TICKS_PER_WEEK}
    assert S in {span.agent_id for span in restocked}


def test_a_unit_keeps_its_first_entry_condition_through_resales(tmp_path: Path) -> None:
    evidence = evidence_of(tmp_path, World(goods=[owns(quality=64)]), STORIES["a resale"])
    spans = evidence.ledger.spans_of_unit[1]
    assert [span.agent_id for span in spans] == [S, B, C]
    assert evidence.ledger.units[1].quality_pct == 64


def test_what_is_held_at_an_event_is_what_was_held_before_its_effect(tmp_path: Path) -> None:
    evidence = evidence_of(tmp_path, World(), STORIES["a sale"])
    (commitment,) = evidence.commitments.values()
    assert commitment.completion is not None
    sold, kind = commitment.completion.mark, evidence.ledger.kind(1)
    after = sold._replace(event_id=sold.event_id + 1)
    assert evidence.ledger.count(S, kind, sold) == 1
    assert evidence.ledger.count(S, kind, after) == 0
    assert evidence.ledger.count(B, kind, sold) == 0
    assert evidence.ledger.count(B, kind, after) == 1


def test_units_are_interchangeable_by_title_and_category_alone(tmp_path: Path) -> None:
    world = World(
        goods=[
            owns(),
            owns(CAMERA.upper().replace(" ", "  "), quality=5),
            owns(category="toys"),
            owns(CAMERA + " bag"),
        ]
    )
    ledger = evidence_of(tmp_path, world, []).ledger
    assert ledger.kind(1) == ledger.kind(2)
    assert len({ledger.kind(1), ledger.kind(3), ledger.kind(4)}) == 3
