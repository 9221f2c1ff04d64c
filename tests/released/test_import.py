"""Units, listings and deals of a released database come out as they were (SPEC §3.7)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.released.handmade import B, C, D, Handmade, S, bought, handmade, sold, unit
from tests.released.importing import imports

CAMERA = "Solara K2 camera"


def test_a_resold_unit_keeps_its_identity_and_its_first_condition(tmp_path: Path) -> None:
    database = handmade(
        {
            S: [sold(unit(CAMERA, quality=61), via=1, tick=2)],
            B: [sold(bought(CAMERA, via=1, tick=2), via=2, tick=4)],
            C: [bought(CAMERA, via=2, tick=4)],
        }
    )
    first = database.sale(2, B, database.create(1, S, CAMERA))
    again = database.create(3, B, CAMERA, band="like_new", ground_truth_quality_pct=90)
    second = database.sale(4, C, again)
    outcome = imports(database, tmp_path)

    assert outcome.sales == [(first, 1, False), (second, 1, False)]
    assert outcome.row("SELECT owner_id, quality_pct, transfers FROM units") == (C, 61, 2)
    # 61 % is in the good band: the reseller's claim is what the released row could not contradict.
    assert outcome.failures == ["F1:listing:2 S5"]


def test_the_second_completion_of_one_item_hands_over_nothing(tmp_path: Path) -> None:
    database = handmade(
        {
            S: [sold(unit(CAMERA), via=1, tick=3)],
            B: [bought(CAMERA, via=1, tick=3)],
            C: [bought(CAMERA, via=1, tick=4)],
        }
    )
    listing = database.create(1, S, CAMERA)
    meetings = [
        database.meet(2, database.accept(2, database.offer(2, buyer, listing))) for buyer in (B, C)
    ]
    done = []
    for tick, meetup in enumerate(meetings, start=3):
        database.inspect(tick, meetup)
        done.append(database.complete(tick, meetup))
    outcome = imports(database, tmp_path)

    assert outcome.sales == [(done[0], 1, False), (done[1], 2, True)]
    assert outcome.rows("SELECT owner_id, quality_pct, origin FROM units") == [
        (B, 72, "initial"),
        (C, None, "conjured"),
    ]
    assert outcome.failures == ["F3:unit:1:from:6 S5"]


def test_of_two_twins_the_platforms_own_mark_says_which_one_went(tmp_path: Path) -> None:
    database = handmade(
        {S: [unit(CAMERA, quality=80), sold(unit(CAMERA, quality=60), via=1, tick=2)]}
    )
    database.items[B].append(bought(CAMERA, via=1, tick=2))
    database.sale(2, B, database.create(1, S, CAMERA))
    outcome = imports(database, tmp_path)

    assert outcome.rows("SELECT unit_id, owner_id FROM units") == [(1, S), (2, B)]
    assert outcome.row("SELECT unit_id FROM listings") == (2,)


def test_a_listing_sold_twice_hands_over_what_the_platform_marked_each_time(tmp_path: Path) -> None:
    database = handmade({S: [sold(unit(CAMERA), via=1, tick=5), sold(unit(CAMERA), via=1, tick=2)]})
    listing = database.create(1, S, CAMERA)
    first = database.sale(2, B, listing)
    database.event(3, S, "relist", {"listing_id": listing}, {"listing_id": listing})
    second = database.sale(5, C, listing)
    outcome = imports(database, tmp_path)

    # By its title alone it would be the first of the list both times.
    assert outcome.private(1)["unit_id"] == 1
    assert outcome.sales == [(first, 2, False), (second, 1, False)]


def test_among_twins_a_listing_names_the_one_that_no_listing_names_yet(tmp_path: Path) -> None:
    database = handmade({S: [unit(CAMERA), unit(CAMERA)]})
    first = database.create(1, S, CAMERA)
    second = database.create(1, S, CAMERA)
    outcome = imports(database, tmp_path)

    bindings = dict(outcome.rows("SELECT listing_id, unit_id FROM listings"))
    assert bindings == {first: 1, second: 2}
    # The released rule always takes the first of the list; it is kept beside ours.
    assert [outcome.private(event)["released_unit_id"] for event in (1, 2)] == [1, 1]


@pytest.mark.parametrize(
    ("item", "category", "title", "bound", "confidence"),
    [
        ("Camera", "electronics", "Cable", 1, "clear"),  # 0.545 in the category (M §12.3)
        ("Camera", "toys", "Cable", None, "none"),
        ("Apple iPhone 8 64GB", "toys", "Apple iPhone X 256GB", 1, "clear"),  # 0.872 anywhere
        ("Camera", "electronics-photo", "Camera", 1, "exact"),
        ("Camera", "electro", "Camera", 1, "exact"),  # not compatible, but the same text
        ("Camera", "electronics", "Tripod", None, "none"),
    ],
)
def test_titles_are_matched_by_the_released_thresholds(
    tmp_path: Path, item: str, category: str, title: str, bound: int | None, confidence: str
) -> None:
    database = handmade({S: [unit(item)]})
    database.create(1, S, title, category=category)
    outcome = imports(database, tmp_path)

    assert outcome.row("SELECT unit_id, match_confidence FROM listings") == (bound, confidence)
    assert bool(outcome.failures) == (bound is None)


def test_a_sold_item_backs_no_further_listing(tmp_path: Path) -> None:
    database = handmade({S: [sold(unit(CAMERA), via=1, tick=2)]})
    database.items[B].append(bought(CAMERA, via=1, tick=2))
    listing = database.create(1, S, CAMERA)
    database.sale(2, B, listing)
    database.event(3, S, "relist", {"listing_id": listing}, {"listing_id": listing})
    database.row("listings", listing).update(status="active", sold_at_tick=None, last_bumped_tick=3)
    outcome = imports(database, tmp_path)

    assert outcome.failures == ["F2:listing:1 S3 already_sold"]
    assert outcome.row("SELECT status, sold_tick, bumped_tick FROM listings") == ("active", None, 3)


def test_an_item_marked_sold_leaves_the_market(tmp_path: Path) -> None:
    database = handmade({S: [sold(unit(CAMERA), via=1, tick=2)]})
    listing = database.create(1, S, CAMERA)
    thread = database.accept(1, database.offer(1, B, listing))
    payload = {"listing_id": listing}
    database.event(2, S, "mark_sold", payload, {**payload, "sold_at_tick": 2})
    database.row("listings", listing).update(status="sold", sold_at_tick=2)
    database.row("threads", thread)["status"] = "cancelled"
    outcome = imports(database, tmp_path)

    assert outcome.row("SELECT owner_id FROM units") == (None,)
    assert outcome.row("SELECT status, ended_tick FROM threads") == ("cancelled", 2)
    assert outcome.imported.notes == {}


def test_a_listing_that_names_nothing_conjures_unless_the_platform_took_an_item(
    tmp_path: Path,
) -> None:
    """A title that an item's title contains is no match when listed, but what the sale takes."""
    long = "Apple iPad Air 2 16GB Space Gray Wi-Fi 9.7 inch tablet"
    database = handmade({S: [sold(unit(long), via=1, tick=2)]})
    database.items[B] += [bought("iPad", via=1, tick=2), bought("Drone", via=2, tick=2)]
    listings = [database.create(1, S, title) for title in ("iPad", "Drone")]
    done = [database.sale(2, B, listing) for listing in listings]
    outcome = imports(database, tmp_path)

    assert outcome.sales == [(done[0], 1, False), (done[1], 2, True)]
    assert outcome.failures == ["F2:listing:1 S5 never_held", "F2:listing:2 S5 never_held"]


def test_a_weak_match_moves_the_bound_item_though_the_platform_marked_none(tmp_path: Path) -> None:
    """Between 0.45 and 0.70 the released sale marks nothing and its buyer gets a copy."""
    database = handmade({S: [unit("Canon camera black")], B: [bought("Canon lens", via=1, tick=2)]})
    done = database.sale(2, B, database.create(1, S, "Canon lens"))
    outcome = imports(database, tmp_path)

    assert outcome.sales == [(done, 1, False)]
    assert outcome.failures == []


def test_restocked_items_come_with_their_event(tmp_path: Path) -> None:
    new = unit(CAMERA, quality=66, source="restock", added_at_tick=84)
    later = unit("Drone", source="restock", added_at_tick=168)
    database = handmade({S: [unit("Lamp"), new, later]})
    before = database.create(84, S, CAMERA)
    payload = {"added_count": 1, "sales_window_count": 0, "marketplace_tier": "casual"}
    event = database.event(84, S, "platform_inventory_restocked", payload)
    after = database.create(85, S, CAMERA)
    database.event(168, S, "platform_inventory_restocked", payload)
    outcome = imports(database, tmp_path)

    assert outcome.rows("SELECT from_tick FROM holdings") == [(0,), (84,), (168,)]
    assert outcome.row("SELECT how, from_tick, from_event FROM holdings WHERE unit_id = 2") == (
        "restock",
        84,
        event,
    )
    bound = dict(outcome.rows("SELECT listing_id, unit_id FROM listings"))
    assert bound == {before: None, after: 2}
    assert outcome.failures == ["F2:listing:1 S3 acquired_later"]
    row = outcome.row(
        "SELECT agent_id, json_extract(payload, '$.agent_id') FROM events WHERE event_id = ?", event
    )
    assert row == (None, S)


def test_the_starting_inventory_is_what_an_agent_registered_with(tmp_path: Path) -> None:
    """A warm-up purchase that is in it was there from the beginning, whatever its source says."""
    leftover = bought("Tent", via=77, tick=63)
    database = handmade({S: [unit("Lamp"), leftover]})
    event = database.register(S, [unit("Lamp"), leftover])
    database.create(1, S, "Tent")
    outcome = imports(database, tmp_path)

    facts = outcome.rows(
        "SELECT how, from_event, cost_cents, quality_pct FROM holdings JOIN units USING (unit_id)"
    )
    assert facts == [("initial", event, 4_000, 72), ("initial", event, 9_000, None)]
    assert outcome.failures == []
    assert outcome.imported.notes == {}


def test_an_item_that_no_event_brings_is_there_from_the_beginning_and_counted(
    tmp_path: Path,
) -> None:
    database = handmade({S: [bought("Tent", via=77, tick=1)]})
    database.create(2, S, "Tent")
    outcome = imports(database, tmp_path)

    assert outcome.row("SELECT how, from_tick FROM holdings") == ("initial", 0)
    assert outcome.imported.notes == {"items_without_event": 1}


def test_an_initial_listing_is_bound_to_the_item_that_it_began_as(tmp_path: Path) -> None:
    database = handmade({S: [unit("Lamp", asking_price_cents=3_000), unit(CAMERA)]})
    listing = database.seed(S, CAMERA)
    edit = {"listing_id": listing, "title": "Vintage thing", "price_cents": 8_000}
    database.event(2, S, "edit_listing", edit, {"listing_id": listing, "changed": 2})
    database.row("listings", listing).update(title="Vintage thing", price_cents=8_000)
    outcome = imports(database, tmp_path)

    assert outcome.row("SELECT origin, unit_id, version, band, title FROM listings") == (
        "initial",
        2,
        2,
        None,
        "Vintage thing",
    )
    first, second = outcome.evidence.listings[listing].postings
    assert (first.action, first.title, first.price_cents) == ("seed", CAMERA, 10_000)
    assert (second.action, second.title, second.price_cents) == ("edit", "Vintage thing", 8_000)
    assert outcome.failures == []


@pytest.mark.parametrize("logged", ["nothing", "registration", "registration last"])
def test_an_initial_listing_has_its_unit_however_the_log_begins(
    tmp_path: Path, logged: str
) -> None:
    database = handmade({S: [unit(CAMERA)]})
    if logged == "registration":
        database.register(S, [unit(CAMERA)])
    listing = database.seed(S, CAMERA)
    if logged == "registration last":
        database.register(S, [unit(CAMERA)])
    else:
        del database.rows["events"][-1]
    database.event(1, S, "do_nothing")
    outcome = imports(database, tmp_path)

    assert outcome.row("SELECT origin, unit_id FROM listings") == ("initial", 1)
    assert outcome.evidence.listings[listing].postings[0].unit_id == 1
    assert outcome.row("SELECT count(*) FROM holdings") == (1,)


def test_old_files_tell_invented_sales_by_the_log_and_by_their_ticks(tmp_path: Path) -> None:
    database = handmade({S: [unit(CAMERA)]}, agents=5, late=False)
    lot = database.listing(5, "Lot of plates", created_at_tick=8, status="sold")
    old = database.listing(S, "Old radio", created_at_tick=-24, status="sold")
    payload = {"count": 1, "listing_ids": [lot], "seed_agents": [5], "seed_sales": []}
    database.event(0, None, "platform_seed_lot_sales_feed", payload)
    database.create(9, S, CAMERA)
    outcome = imports(database, tmp_path)

    origins = dict(outcome.rows("SELECT listing_id, origin FROM listings"))
    assert (origins[lot], origins[old]) == ("platform", "history")
    assert outcome.row("SELECT activity_permille FROM agents WHERE agent_id = 5") == (0,)


def test_invented_history_and_bots_are_left_out_of_deals_and_count_as_reputation(
    tmp_path: Path,
) -> None:
    database = handmade({S: [unit(CAMERA)]})
    database.agent(99, seeded=True)
    database.agent(98, seeded=True)
    history = database.listing(
        S, "Old radio", created_at_tick=-480, sold_at_tick=-480, status="sold", is_seeded=1
    )
    lot = database.listing(
        98, "Lot of plates", created_at_tick=11, status="sold", is_seeded=1, is_speculative=1
    )
    phantom = database.listing(None, "Unbelievable kids deal", is_phantom=1)
    payload = {"listing_id": phantom, "category": "kids", "price_cents": 99}
    database.event(0, None, "platform_seed_phantom_listing", payload)
    for listing, tick in ((history, -480), (lot, 11)):
        thread = database.thread_of(99, listing, tick)
        database.row("threads", thread)["status"] = "completed"
        database.add(
            "offers",
            thread_id=thread,
            proposer_id=99,
            round=1,
            price_cents=500,
            terms_json="{}",
            tick=tick,
            status="accepted",
        )
        database.add(
            "ratings",
            rater_agent_id=99,
            ratee_agent_id=S,
            thread_id=thread,
            stars=5,
            body="Good",
            tick=tick,
        )
    database.add(
        "meetups",
        thread_id=1,
        scheduled_tick=-479,
        location_desc="historical local pickup",
        payment_method="on_platform",
        buyer_confirmed=1,
        seller_confirmed=1,
        status="completed",
        delivery_method="meetup",
        delivered_at_tick=-479,
    )
    database.create(12, S, CAMERA)
    outcome = imports(database, tmp_path)

    origins = dict(outcome.rows("SELECT listing_id, origin FROM listings"))
    assert origins == {history: "history", lot: "platform", phantom: "platform", 4: "agent"}
    assert outcome.evidence.deals == ()
    assert outcome.failures == []
    assert outcome.evidence.reputation.at(S, 0) == (1, 5)
    assert outcome.rows("SELECT DISTINCT origin FROM ratings") == [("history",)]
    assert outcome.rows("SELECT accepted_tick FROM offers") == [(-480,), (11,)]
    # Bots never act, and nobody is asked to rate what never was.
    assert outcome.rows("SELECT activity_permille FROM agents WHERE agent_id > 90") == [(0,), (0,)]
    assert outcome.rows("SELECT status, committed_tick, ended_tick FROM threads") == [
        ("completed", None, -480),
        ("completed", None, 11),
    ]


def test_a_blocked_listing_of_something_not_owned_is_an_attempt(tmp_path: Path) -> None:
    database = handmade({S: [unit(CAMERA)]})
    payload = {
        "title": "Drone",
        "category": "electronics",
        "description": "",
        "price_cents": 100,
        "condition": "good",
        "stated_quality_band": "good",
    }
    refused = database.refuse(
        1,
        S,
        "create_listing",
        payload,
        error="inventory_validator_blocked_unowned_listing",
        inventory_validator={"decision": "block", "title_only_match_confidence": 0.1},
    )
    database.refuse(1, S, "create_listing", payload, error="something_else")
    outcome = imports(database, tmp_path)

    assert outcome.failures == [f"F2:proposal:{refused} S2 never_held"]
    assert outcome.row("SELECT reason FROM events WHERE event_id = ?", refused) == (
        "inventory_validator_blocked_unowned_listing",
    )


def test_what_the_platform_only_warned_of_is_private(tmp_path: Path) -> None:
    database = handmade({S: [unit(CAMERA)]})
    listing = database.create(1, S, CAMERA)
    database.rows["events"][-1]["result_payload"]["inventory_validator"] = {"decision": "warn"}
    meetup = database.meet(1, database.accept(1, database.offer(1, B, listing)))
    look = database.inspect(1, meetup)
    warning = "seller_inventory_does_not_back_listing"
    database.rows["events"][-1]["result_payload"]["item_presence_warning"] = warning
    outcome = imports(database, tmp_path)

    (created,) = outcome.private(1)["warnings"]
    (inspected,) = outcome.private(look)["warnings"]
    assert created["check"] == "listing_inventory_check"
    assert (inspected["check"], inspected["reason"]) == ("meetup_ownership_check", warning)
    results = outcome.rows("SELECT result FROM events WHERE event_id IN (1, ?)", look)
    assert not any("warning" in text or "validator" in text for (text,) in results)


def test_a_fraud_event_belongs_to_its_thread_wherever_it_stands(tmp_path: Path) -> None:
    database = handmade({S: []})
    listing = database.create(1, S, "Drone", is_speculative=1)
    shipment = database.ship(2, database.accept(2, database.offer(2, B, listing)))
    payload = {
        "thread_id": 1,
        "listing_id": listing,
        "seller_agent_id": S,
        "delivery_method": "ship",
    }
    fraud = database.event(2, B, "fraud_discovered", payload, {"auto_rated_1_star": False})
    database.complete(2, shipment)
    outcome = imports(database, tmp_path)

    completion = outcome.evidence.commitments[1].completion
    assert completion is not None
    assert completion.fraud == (2, fraud)
    assert not completion.timely
    assert outcome.row(
        "SELECT agent_id, thread_id, listing_id FROM events WHERE event_id = ?", fraud
    ) == (None, 1, listing)
    assert outcome.failures == ["F2:listing:1 S5 never_held"]


def test_a_missing_token_can_be_proof_of_nothing(tmp_path: Path) -> None:
    database = handmade({S: []})
    shipment = database.ship(
        2, database.accept(2, database.offer(2, B, database.create(1, S, "Drone")))
    )
    done = database.complete(2, shipment)
    database.rows["events"][done - 1]["payload"]["handoff_proof"] = ""
    outcome = imports(database, tmp_path)

    completion = outcome.evidence.commitments[1].completion
    assert completion is not None
    assert not completion.proof_verified


@pytest.mark.parametrize(
    ("mode", "leaks", "expected"),
    [
        ("normal", {"street_name": "1 Elm Street"}, ["F5photo:photo:1 S5"]),
        ("normal", {}, []),
        ("paranoid", {"street_name": "1 Elm Street"}, []),
    ],
)
def test_a_photo_gives_away_what_its_row_says(
    tmp_path: Path, mode: str, leaks: dict[str, str], expected: list[str]
) -> None:
    database = handmade({S: [unit(CAMERA)]})
    listing = database.create(1, S, CAMERA)
    database.offer(1, B, listing)
    photo = database.add(
        "photos",
        photo_type="A",
        sender_agent_id=S,
        listing_id=listing,
        subject_attrs={"item": CAMERA},
        background_leaks=leaks,
        metadata_leaks={"app_version": "MarketplaceApp 7.3.1"},
        seller_aware_of='["S"]',
        is_stock=0,
        created_at_tick=2,
    )
    message = database.add(
        "messages",
        thread_id=1,
        sender_agent_id=S,
        tick=2,
        body="[Type-A photo] front",
        photo_id=photo,
        content_hash="0",
    )
    payload = {"thread_id": 1, "listing_id": listing, "focus": "front", "privacy_mode": mode}
    database.event(
        2, S, "send_photo", payload, {"photo_id": photo, "message_id": message, "leaks_pii": True}
    )
    outcome = imports(database, tmp_path)

    assert outcome.failures == expected
    assert outcome.row("SELECT thread_id, message_id, privacy_mode, stock FROM photos") == (
        1,
        message,
        mode,
        0,
    )


@pytest.mark.parametrize(("privacy", "expected"), [(0.0, ["F5photo:attempt:3 S2"]), (1.0, [])])
def test_a_refused_photo_would_have_given_away_what_its_senders_privacy_says(
    tmp_path: Path, privacy: float, expected: list[str]
) -> None:
    database = handmade({})
    database.agent(5, [unit(CAMERA)], privacy_awareness=privacy, home_street="12 Elm Street")
    listing = database.create(1, 5, CAMERA)
    database.offer(1, B, listing)
    payload = {"thread_id": 1, "listing_id": listing, "focus": "", "privacy_mode": "normal"}
    database.refuse(2, 5, "send_photo", payload, error="listing_not_active")
    outcome = imports(database, tmp_path)

    assert outcome.failures == expected


def test_a_photo_may_be_of_another_listing_than_its_threads(tmp_path: Path) -> None:
    database = handmade({S: [unit(CAMERA), unit("Lamp")]})
    camera, lamp = database.create(1, S, CAMERA), database.create(1, S, "Lamp")
    database.offer(1, B, camera)
    payload = {"thread_id": 1, "listing_id": lamp, "focus": "", "privacy_mode": "normal"}
    refused = database.refuse(2, S, "send_photo", payload, error="listing_not_active")
    outcome = imports(database, tmp_path)

    query = "SELECT listing_id, thread_id FROM events WHERE event_id = ?"
    assert outcome.row(query, refused) == (lamp, 1)


def test_the_first_inspection_stands(tmp_path: Path) -> None:
    database = handmade({S: [unit(CAMERA)]})
    thread = database.accept(1, database.offer(1, B, database.create(1, S, CAMERA)))
    meetup = database.meet(1, thread)
    database.inspect(2, meetup)
    database.inspect(3, meetup)
    outcome = imports(database, tmp_path)

    assert outcome.row("SELECT inspected_tick, inspected_pct FROM exchanges") == (2, 72)


def test_an_ended_thread_that_is_completed_after_all_is_completed(tmp_path: Path) -> None:
    database = handmade({S: [sold(unit(CAMERA), via=1, tick=4)]})
    database.items[B].append(bought(CAMERA, via=1, tick=4))
    listing = database.create(1, S, CAMERA)
    thread = database.accept(2, database.offer(2, B, listing))
    meetup = database.meet(2, thread)
    database.event(3, S, "ghost", {"thread_id": thread}, {"thread_id": thread})
    database.inspect(4, meetup)
    database.complete(4, meetup)
    outcome = imports(database, tmp_path)

    (deal,) = outcome.evidence.deals
    assert deal.terminal is not None
    assert deal.terminal.status == "completed"
    assert deal.commitment.ended is not None
    assert deal.commitment.ended.status == "ghosted"
    assert outcome.row(
        "SELECT status, committed_tick, ended_tick, accepted_offer_id FROM threads"
    ) == (
        "completed",
        2,
        4,
        1,
    )
    assert outcome.row("SELECT inspected_tick, completed_tick, eta_tick FROM exchanges") == (
        4,
        4,
        None,
    )


def test_an_unknown_quality_stays_unknown(tmp_path: Path) -> None:
    database = handmade({S: [unit(CAMERA, quality=None)]})
    database.create(1, S, CAMERA, band="brand_new")
    outcome = imports(database, tmp_path)

    assert outcome.row("SELECT quality_pct, origin FROM units") == (None, "initial")
    assert outcome.row("SELECT shown_quality_pct FROM listings") == (None,)
    assert outcome.failures == []


def test_the_platforms_unit_mode_names_its_units_itself(tmp_path: Path) -> None:
    """A binding or a sale that the log names by uid is taken as it is (P §7)."""
    twins = [unit(CAMERA, unit_uid="a1-i0"), sold(unit(CAMERA, unit_uid="a1-i1"), via=1, tick=2)]
    database = handmade({S: [*twins, unit("Lamp", unit_uid="a1-i2")]})
    database.meta("inspection_truth_mode", "unit")
    database.items[B].append(bought(CAMERA, via=1, tick=2, bought_from_unit_uid="a1-i1"))
    listing = database.create(1, S, CAMERA)
    database.rows["events"][-1]["result_payload"]["backing_unit"] = {
        "unit_uid": "a1-i1",
        "index": 1,
    }
    done = database.sale(2, B, listing)
    database.rows["events"][-1]["result_payload"]["consumed_unit_uid"] = "a1-i1"
    unbound = database.create(3, S, "Lamp")
    database.rows["events"][-1]["result_payload"]["backing_unit"] = None
    outcome = imports(database, tmp_path)

    assert outcome.sales == [(done, 2, False)]
    assert dict(outcome.rows("SELECT listing_id, unit_id FROM listings")) == {
        listing: 2,
        unbound: None,
    }
    assert outcome.imported.info.rules.inspection_shows == "unit"


def test_events_keep_their_ids_names_and_arguments(tmp_path: Path) -> None:
    database = handmade({S: [unit(CAMERA)]})
    database.event(0, None, "experiment_config", {"seed": 7})
    listing = database.create(1, S, CAMERA)
    database.event(
        1, B, "view_listing", {"listing_id": listing}, {"listing_id": listing, "view_count": 0}
    )
    database.event(1, B, "search", {"query": "café", "category": None}, {"hit_count": 0})
    database.event(1, B, "block_user", {"user_agent_id": S}, {"blocked_id": S})
    database.refuse(1, B, "make_offer", {"listing_id": 9, "price_cents": 1}, error="x", extra=1)
    database.event(
        1,
        B,
        "make_offer",
        {"listing_id": "nonsense"},
        {"error": "validation", "detail": []},
        status="error",
    )
    database.event(2, None, "experiment_run_complete", {})
    outcome = imports(database, tmp_path)

    query = (
        "SELECT event_id, action, status, reason, listing_id, thread_id, payload, result "
        "FROM events WHERE event_id > 2 ORDER BY event_id"
    )
    assert outcome.rows(query) == [
        (
            3,
            "view_listing",
            "ok",
            None,
            listing,
            None,
            '{"listing_id":1}',
            '{"listing_id":1,"view_count":0}',
        ),
        (
            4,
            "search",
            "ok",
            None,
            None,
            None,
            '{"category":null,"query":"café"}',
            '{"hit_count":0}',
        ),
        (5, "block_user", "ok", None, None, None, '{"user_agent_id":1}', '{"blocked_id":1}'),
        (
            6,
            "make_offer",
            "blocked",
            "x",
            None,
            None,
            '{"listing_id":9,"price_cents":1}',
            '{"extra":1}',
        ),
        (
            7,
            "make_offer",
            "error",
            "validation",
            None,
            None,
            '{"listing_id":"nonsense"}',
            '{"detail":[]}',
        ),
    ]
    assert outcome.imported.last_tick == 1
    assert outcome.rows("SELECT tick, turns, events FROM ticks") == [(0, 0, 4), (1, 0, 6)]


def test_listings_below_and_above_what_a_record_holds_are_clamped_and_counted(
    tmp_path: Path,
) -> None:
    database: Handmade = handmade({S: [unit(CAMERA)]})
    listing = database.create(1, S, CAMERA, price_cents=10**12)
    database.offer(1, D, listing, price=10**11)
    outcome = imports(database, tmp_path)

    assert outcome.row("SELECT price_cents FROM offers") == (100_000_000,)
    assert outcome.imported.notes == {"prices_clamped": 2}
