"""The planted stories are what their tables say, as far as the raw databases can tell."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.released.generator import audit
from tests.released.generator.script import CAST, Deal, Played, Story, play
from tests.released.stories import BY_NAME, STORIES


@pytest.fixture(scope="module", params=STORIES, ids=list(BY_NAME))
def played(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Played:
    story: Story = request.param
    return play(story, tmp_path_factory.mktemp(story.name))


def test_there_are_enough_stories_and_no_two_of_a_name() -> None:
    assert len(STORIES) == len(BY_NAME) >= 40
    kinds = {failure.kind for story in STORIES for failure in story.failures}
    assert kinds == {"F1", "F2", "F3", "F5"}


def connect(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    db.row_factory = sqlite3.Row
    return db


def inventories(db: sqlite3.Connection) -> dict[tuple[int, int], dict[str, Any]]:
    return {
        (agent, index): unit
        for agent, text in db.execute("SELECT agent_id, persona_json FROM agents")
        for index, unit in enumerate(json.loads(text)["inventory_items"])
    }


def test_units(played: Played) -> None:
    story = played.story
    with closing(connect(played.path)) as db:
        stored = inventories(db)
    assert {played.row(unit.ref) for unit in story.units} == set(stored)
    by_ref = {unit.ref: unit for unit in story.units}
    for unit in story.units:
        row = stored[played.row(unit.ref)]
        kind = {"bought": "bought", "restock": "restock"}.get(row["source"], "seed")
        assert kind == unit.lineage
        assert row.get("bought_tick", row.get("added_at_tick", 0)) == unit.born
        sold = (row.get("sold_at_tick"), row.get("sold_via_listing_id"))
        expected = unit.sold and (unit.sold[0], played.listings[unit.sold[1]])
        assert sold == (expected or (None, None))
        if unit.lineage != "bought":
            assert row.get("ground_truth_quality_pct") == unit.quality
        else:
            assert "ground_truth_quality_pct" not in row
        if unit.root is not None:
            assert by_ref[unit.root].quality == unit.quality
            assert by_ref[unit.root].lineage != "bought"
        if unit.source is not None:
            # What was bought is what the sale used up at the seller's.
            used = by_ref[unit.source]
            assert used.root == unit.root
            assert used.sold is not None
            assert used.sold[0] == unit.born
            assert played.listings[used.sold[1]] == row["bought_from_listing_id"]
        elif unit.lineage == "bought":
            carriers = [other.sold for other in story.units if other.sold is not None]
            taken = [sale for sale in carriers if sale[0] == unit.born]
            assert row["bought_from_listing_id"] not in [played.listings[s[1]] for s in taken]


def _deal_rows(db: sqlite3.Connection, played: Played) -> dict[int, dict[str, Any]]:
    """What the log alone says of every thread that was promised or scheduled, seeds apart."""
    owner = {number: name for name, number in played.threads.items()}
    found: dict[int, dict[str, Any]] = defaultdict(dict)
    listing_threads = defaultdict(list)
    for row in db.execute("SELECT thread_id, listing_id FROM threads"):
        listing_threads[row["listing_id"]].append(row["thread_id"])
    last = played.story.end
    for row in db.execute(
        "SELECT * FROM events WHERE result_status = 'ok' AND tick <= ? ORDER BY event_id", (last,)
    ):
        payload = json.loads(row["payload"])
        result = json.loads(row["result_payload"] or "{}")
        action, tick, thread = row["action_type"], row["tick"], result.get("thread_id")
        if action == "accept_offer":
            ((price,),) = db.execute(
                "SELECT price_cents FROM offers WHERE offer_id = ?", (payload["offer_id"],)
            ).fetchall()
            found[thread] = {"commit": tick, "price": price, "name": owner[thread]}
        ends = {"cancel_meetup": "cancelled", "leave_thread": "cancelled", "ghost": "ghosted"}
        ended: list[tuple[int, str]] = []
        if action in ends:
            ended = [(thread or payload["thread_id"], ends[action])]
        elif action == "mark_sold":
            ended = [(each, "cancelled") for each in listing_threads[payload["listing_id"]]]
        elif action == "complete_transaction" and result["completed"]:
            ((listing,),) = db.execute(
                "SELECT listing_id FROM threads WHERE thread_id = ?", (thread,)
            ).fetchall()
            ended = [(each, "cancelled") for each in listing_threads[listing] if each != thread]
            found[thread].update(end=tick, status="completed")
            found[thread]["inspected"] = result["buyer_inspected_quality_pct"]
        for number, status in ended:
            if number in found and "end" not in found[number]:
                found[number].update(end=tick, status=status)
    return {number: row for number, row in found.items() if "commit" in row}


def test_deals(played: Played) -> None:
    story = played.story
    with closing(connect(played.path)) as db:
        stored = {row["name"]: row for row in _deal_rows(db, played).values()}
        threads = {row["thread_id"]: row for row in db.execute("SELECT * FROM threads")}
    assert {deal.thread for deal in story.deals} == set(stored)
    for deal in story.deals:
        row = stored[deal.thread]
        assert (deal.status, deal.price) == (row.get("status", "ongoing"), row["price"])
        assert (deal.commit, deal.ended) == (row["commit"], row.get("end"))
        assert deal.completed == (row.get("end") if deal.status == "completed" else None)
        assert deal.inspected == row.get("inspected")
        assert (deal.basis is not None) == (deal.status == "completed")
        thread = threads[played.threads[deal.thread]]
        sides = {thread["buyer_agent_id"], thread["seller_agent_id"]}
        assert {CAST[seat] for seat in deal.tested} == sides & {CAST[seat] for seat in story.tested}
        assert deal.included == (not _over_before(story, deal))


def _over_before(story: Story, deal: Deal) -> bool:
    return story.fork is not None and deal.ended is not None and deal.ended <= story.fork


def test_failures_are_well_said(played: Played) -> None:
    story = played.story
    refs = {unit.ref for unit in story.units}
    for failure in (*story.failures, *story.unsettled):
        assert story.start < failure.at <= failure.top <= story.end
        assert 2 <= failure.stage <= 5
        if failure.kind == "F3":
            assert failure.about in refs
            assert failure.about[0] == failure.who
            assert failure.start is not None
            assert failure.until is not None
            assert failure.start <= failure.at <= failure.until
        elif failure.kind == "F5":
            assert failure.about in (played.photos if failure.stage > 2 else played.events)
        elif failure.stage > 2:
            assert failure.about in played.listings
        else:
            assert failure.about in {**played.listings, **played.events}


def test_f1_claims_lie_above_what_entered(played: Played) -> None:
    lows = {"brand_new": 95, "like_new": 82, "good": 60}
    quality = {played.row(unit.ref): unit.quality for unit in played.story.units}
    with closing(connect(played.path)) as db:
        for failure in played.story.failures:
            if failure.kind != "F1":
                continue
            number = played.listings[failure.about]
            (row,) = db.execute("SELECT * FROM listings WHERE listing_id = ?", (number,))
            assert row["owner_agent_id"] == CAST[failure.who]
            entered = [
                quality[place]
                for place, unit in inventories(db).items()
                if place[0] == CAST[failure.who] and unit["title"] == row["title"]
            ]
            assert any(
                value is not None and value < lows[row["stated_quality_band"]] for value in entered
            )


def test_the_invariants_hold(played: Played) -> None:
    breaches = audit.violations(played.path)
    if played.story.name == "calls_that_failed":
        assert len(breaches) == 3
        assert all("error row" in breach for breach in breaches)
    else:
        assert breaches == []
