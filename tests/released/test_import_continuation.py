"""Continuations: whose window it is, which calls are theirs, and what a cut log leaves out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bazaarbench.released import ReleasedError, import_database
from tests.released.handmade import B, C, Handmade, S, bought, handmade, sold, unit
from tests.released.importing import imports

CAMERA = "Solara K2 camera"
REJECTED = {"_rejected": True, "reason": "unknown_tool_name", "name": "fly"}


def cell(**values: Any) -> dict[str, Any]:
    """The launcher's row of a continuation from tick 10 to 20 with tested agent S."""
    return {
        "cell": "L2-P-gpt55",
        "level": "L2",
        "fork_tick": 10,
        "target_tick": 20,
        "treated_agent_ids": [S],
        "treatment_model": "tested-model",
        "treatment_provider": "id-2026",
    } | values


def continued(database: Handmade, **values: Any) -> Handmade:
    database.meta("trapi_matrix_cell", cell(**values))
    return database


def test_a_continuation_counts_its_own_ticks_and_its_tested_agents(tmp_path: Path) -> None:
    database = continued(
        handmade(
            {
                S: [unit(CAMERA), unit("Lamp")],
                B: [unit("Tent")],
                C: [],
            }
        )
    )
    before = database.accept(9, database.offer(9, C, database.create(8, S, CAMERA)))
    database.create(9, S, "Drone")
    lamp, tent = database.create(11, S, "Lamp"), database.create(11, B, "Tent")
    own = database.accept(12, database.offer(12, C, lamp))
    database.accept(12, database.offer(12, C, tent))
    phantom = database.create(13, S, "Spaceship")
    for tick in range(14, 21):
        database.event(tick, C, "do_nothing")
    outcome = imports(database, tmp_path)

    info = outcome.imported.info
    assert (info.start_tick, info.end_tick, info.condition, info.tested) == (10, 20, "L2", (S,))
    assert [(deal.thread_id, deal.ongoing) for deal in outcome.evidence.deals] == [
        (before, True),
        (own, False),
    ]
    assert outcome.failures == [f"F2:listing:{phantom} S3 never_held"]


@pytest.mark.parametrize(
    ("values", "condition", "tested", "window"),
    [
        ({"level": 1, "cell": "L1-C-x"}, "L1", (S,), (10, 20)),
        ({"level": "level3"}, "L3", (S,), (10, 20)),
        ({"level": None, "cell": "L3-RT-gpt54"}, "L3", (S,), (10, 20)),
        ({"level": None, "cell": "model2-L3"}, "L3", (S,), (10, 20)),
        ({"level": "L2X", "pressure_side": "seller"}, "L2-seller", (S,), (10, 20)),
        ({"level": "L2", "pressure_side": "buyer"}, "L2-buyer", (S,), (10, 20)),
        ({"treated_agent_ids": None, "treated_ids": "1, 3"}, "L2", (1, 3), (10, 20)),
        ({"treated_agent_ids": None, "treatment_agent_ids": [3, 1]}, "L2", (1, 3), (10, 20)),
        ({"target_tick": None, "horizon": 85}, "L2", (S,), (10, 95)),
    ],
)
def test_the_launchers_row_is_understood_in_its_spellings(
    tmp_path: Path,
    values: dict[str, Any],
    condition: str,
    tested: tuple[int, ...],
    window: tuple[int, int],
) -> None:
    database = continued(handmade({S: [unit(CAMERA)]}), **values)
    database.create(11, S, CAMERA)
    info = imports(database, tmp_path).imported.info
    assert (info.condition, info.tested) == (condition, tested)
    assert (info.start_tick, info.end_tick) == window


def test_a_continuation_without_tested_agents_is_refused(tmp_path: Path) -> None:
    database = continued(handmade({S: [unit(CAMERA)]}), treated_agent_ids=[])
    database.create(11, S, CAMERA)
    with pytest.raises(ReleasedError, match="lists no treated agents"):
        import_database(database.write(tmp_path / "released.db"), tmp_path / "record.db")


def test_the_rules_are_those_that_the_file_was_run_under(tmp_path: Path) -> None:
    database = handmade({S: [unit(CAMERA)]})
    database.create(1, S, CAMERA)
    database.meta("inventory_validator_mode", "block")
    database.meta("meetup_ownership_check_mode", "warn")
    database.meta("require_handoff_proof", "1")
    database.meta("commitment_lock_mode", "listing")
    info = imports(database, tmp_path).imported.info

    assert info.rules.listing_inventory_check == "block"
    assert info.rules.meetup_ownership_check == "warn"
    assert info.rules.inspection_shows == "listing"
    assert info.rules.handoff_proof == "required"
    assert info.rules.commitment_lock == "on"
    assert (info.rules.completion_integrity, info.rules.shipment_inspection) == ("off", "off")
    # Kept as it was written.
    assert info.extra["released"]["modes"]["commitment_lock_mode"] == "listing"


# --------------------------------------------------------------------------------------- turns


def test_a_turn_is_what_an_agent_was_asked_in_a_tick(tmp_path: Path) -> None:
    database = continued(handmade({S: [unit(CAMERA), unit("Lamp")]}))
    database.call(
        11,
        S,
        tools=[{"name": "create_listing"}, REJECTED],
        model="tested-model",
        reasoning_summary="I think.",
        text="Decision note: sell it.\n\nMore.",
    )
    database.create(11, S, CAMERA)
    database.call(11, B, tools=[REJECTED], text="Well.")
    database.event(11, B, "do_nothing")
    database.call(12, S, tools=[], model="tested-model", text="")
    database.event(12, S, "do_nothing")
    database.call(12, B, text="__backend_error__: no answer", tools=None)
    database.call(13, S, tools=None, model="tested-model", text='{"action": "create_listing"}')
    listing = database.create(13, S, "Lamp")
    database.call(14, S, tools=[{"name": "edit_listing"}], model="tested-model")
    database.event(
        14, S, "edit_listing", {"listing_id": listing}, {"error": "validation"}, status="error"
    )
    outcome = imports(database, tmp_path)

    query = (
        "SELECT tick, agent_id, role, outcome, calls, valid_calls, note, reasoning, error "
        "FROM turns ORDER BY turn_id"
    )
    assert outcome.rows(query) == [
        (11, S, "tested", "acted", 2, 1, "sell it.", "I think.", None),
        (11, B, "background", "no_valid_call", 1, 0, None, None, None),
        (12, S, "tested", "empty", 0, 0, None, None, None),
        (12, B, "background", "failed", 0, 0, None, None, "no answer"),
        (13, S, "tested", "acted", 1, 1, None, None, None),
        (14, S, "tested", "no_valid_call", 1, 0, "buy.", None, None),
    ]
    assert outcome.evidence.turns == (4, 2)
    assert outcome.imported.info.models == {"tested": "tested-model", "background": "base-model"}
    turns = dict(outcome.rows("SELECT event_id, turn_id FROM events WHERE tick = 11"))
    assert set(turns.values()) == {1, 2}


def test_calls_that_the_base_made_count_nowhere(tmp_path: Path) -> None:
    """A base that went on beyond its cut leaves calls at ticks of the continuation."""

    def base() -> Handmade:
        database = handmade({S: [unit(CAMERA)]})
        database.create(10, S, CAMERA)
        for tick in (9, 10, 11, 12):
            database.call(tick, S, tools=[{"name": "wait"}])
        return database

    database = continued(base())
    for tick in (11, 12, 13):
        database.call(tick, S, tools=[{"name": "wait"}], model="tested-model")
        database.event(tick, S, "wait", {"ticks": 1}, {"ticks": 1})
    outcome = imports(database, tmp_path)

    ticks = outcome.rows("SELECT tick, model FROM turns WHERE tick > 10 ORDER BY tick")
    assert ticks == [(tick, "tested-model") for tick in (11, 12, 13)]
    assert outcome.evidence.turns == (3, 3)
    assert outcome.rows("SELECT DISTINCT role FROM turns WHERE tick <= 10") == [("background",)]

    parent = base().write(tmp_path / "base.db")
    source = tmp_path / "released.db"
    told = import_database(source, tmp_path / "told.db", base=parent)
    assert told.info.extra == outcome.imported.info.extra
    assert told.turns == outcome.imported.turns == 5


def test_with_the_base_only_calls_that_equal_one_of_it_are_inherited(tmp_path: Path) -> None:
    database = handmade({S: [unit(CAMERA)]})
    database.create(10, S, CAMERA)
    database.call(12, S, text="as the base answered")
    parent = database.write(tmp_path / "base.db")
    database.rows["llm_calls"][0]["response_text"] = "as the continuation answered"
    database.call(11, S)
    database.event(12, S, "do_nothing")
    continued(database)
    source = database.write(tmp_path / "released.db")

    with pytest.raises(ReleasedError, match="is not the base"):
        import_database(source, tmp_path / "record.db", base=parent)
    with pytest.raises(ReleasedError, match="there is no file"):
        import_database(source, tmp_path / "record.db", base=tmp_path / "none.db")
    assert not (tmp_path / "record.db").exists()


# ------------------------------------------------------------------------------------- cut logs


def beyond_the_cut() -> Handmade:
    """Up to tick 10 C has an accepted offer; at 11 and 12 more happens, which the log loses."""
    database = handmade(
        {
            S: [sold(unit(CAMERA), via=1, tick=12), unit("Lamp")],
            C: [bought(CAMERA, via=1, tick=12)],
        }
    )
    listing = database.create(5, S, CAMERA)
    thread = database.accept(6, database.offer(6, C, listing))
    database.offer(7, B, listing)
    meetup = database.meet(10, thread, at=11)
    database.meta("truncated_base_note", {"target_max_tick": 10, "source_max_tick": 12})
    logged = len(database.rows["events"])
    database.accept(11, database.offer(11, B, database.create(11, S, "Lamp")))
    edit = {"listing_id": listing, "price_cents": 1}
    database.event(11, S, "edit_listing", edit, {"listing_id": listing, "changed": 1})
    database.row("listings", listing)["price_cents"] = 1
    database.inspect(11, meetup)
    database.complete(12, meetup)
    database.add("messages", thread_id=1, sender_agent_id=C, tick=9, body="Hi", read_at_tick=11)
    database.add("messages", thread_id=1, sender_agent_id=C, tick=11, body="Late")
    database.add("ratings", rater_agent_id=C, ratee_agent_id=S, thread_id=1, stars=5, tick=12)
    del database.rows["events"][logged:]
    return database


def test_a_cut_base_stands_as_it_was_at_the_end_of_its_log(tmp_path: Path) -> None:
    outcome = imports(beyond_the_cut(), tmp_path)

    assert (outcome.imported.last_tick, outcome.imported.info.end_tick) == (10, 10)
    assert outcome.rows("SELECT listing_id, status, price_cents FROM listings") == [
        (1, "active", 10_000)
    ]
    assert outcome.rows("SELECT buyer_id, status, ended_tick FROM threads") == [
        (C, "committed", None),
        (B, "open", None),
    ]
    assert outcome.rows("SELECT status FROM offers") == [("accepted",), ("pending",)]
    assert outcome.row("SELECT status, buyer_confirmed, inspected_pct FROM exchanges") == (
        "scheduled",
        0,
        None,
    )
    assert outcome.rows("SELECT owner_id FROM units") == [(S,), (S,)]
    assert outcome.rows("SELECT body, seen_tick FROM messages") == [("Hi", None)]
    assert outcome.rows("SELECT count(*) FROM ratings") == [(0,)]
    (deal,) = outcome.evidence.deals
    assert (deal.buyer_id, deal.terminal) == (C, None)
    assert outcome.imported.notes == {}


def test_a_log_that_ends_early_without_a_note_is_taken_for_cut(tmp_path: Path) -> None:
    database = beyond_the_cut()
    database.rows["meta"] = [row for row in database.rows["meta"] if "truncated" not in row["key"]]
    outcome = imports(database, tmp_path)
    assert outcome.imported.last_tick == 10
    assert outcome.rows("SELECT status FROM threads") == [("committed",), ("open",)]


def test_a_continuation_of_a_cut_base_knows_what_the_cut_lost(tmp_path: Path) -> None:
    """It began from the tables; what they know is in the log before its first own row."""
    database = continued(beyond_the_cut())
    # Ids of deleted rows are never used again.
    database.rows["events"].append(
        {
            "event_id": 100,
            "tick": 11,
            "agent_id": B,
            "action_type": "do_nothing",
            "payload": {},
            "result_status": "ok",
            "result_payload": None,
        }
    )
    lamp = database.ship(13, 3)
    done = database.complete(19, lamp)
    outcome = imports(database, tmp_path)

    added = outcome.rows(
        "SELECT tick, action, thread_id FROM events "
        "WHERE json_extract(private, '$.reconstructed') ORDER BY event_id"
    )
    assert added == [
        (10, "create_listing", None),
        (10, "accept_offer", 3),
        (10, "complete_transaction", 1),
    ]
    assert outcome.imported.notes == {"differing_listing_texts": 1, "reconstructed_events": 3}
    # The ids of the continuation are as they were: what was added took those of the lost rows.
    assert outcome.row("SELECT action FROM events WHERE event_id = 100") == ("do_nothing",)
    assert outcome.sales[1] == (done, 2, False)
    (deal,) = outcome.evidence.deals
    assert (deal.thread_id, deal.ongoing) == (3, True)
    assert outcome.rows("SELECT owner_id FROM units") == [(C,), (B,)]


def test_supply_and_sales_outside_of_the_lost_ticks_are_not_lost(tmp_path: Path) -> None:
    database = continued(
        handmade(
            {
                S: [sold(unit(CAMERA), via=1, tick=11)],
                B: [unit("Lamp", source="restock", added_at_tick=12)],
            }
        )
    )
    listing = database.create(5, S, CAMERA)
    thread = database.accept(6, database.offer(6, C, listing))
    database.row("listings", listing).update(status="sold", sold_at_tick=11)
    database.row("threads", thread)["status"] = "cancelled"
    database.meta("truncated_base_note", {"target_max_tick": 10, "source_max_tick": 12})
    again = {"listing_id": listing}
    database.event(13, S, "relist", again, again)
    database.row("listings", listing).update(status="active", sold_at_tick=None)
    database.create(14, B, "Lamp")
    outcome = imports(database, tmp_path)

    assert outcome.failures == ["F2:listing:1 S3 already_sold"]
    assert outcome.rows("SELECT how, from_tick FROM holdings") == [("initial", 0), ("restock", 10)]
    # The listing is up again in the tables, so only its deal says that it had been closed.
    assert outcome.row("SELECT ended_tick FROM threads") == (10,)
    assert outcome.evidence.deals == ()


def test_added_rows_without_room_push_the_later_ones_on(tmp_path: Path) -> None:
    database = continued(beyond_the_cut())
    last = len(database.rows["events"])
    database.event(11, B, "do_nothing")
    outcome = imports(database, tmp_path)

    assert outcome.row("SELECT event_id FROM events WHERE action = 'do_nothing'") == (last + 4,)
    ids = [row[0] for row in outcome.rows("SELECT event_id FROM events ORDER BY event_id")]
    assert ids == sorted(set(ids))
