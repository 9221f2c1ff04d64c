"""Cases of released-platform.md §12 and §5.2, played by the generator's world."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.released.generator.core import Settings
from tests.released.generator.dealing import World, handoff_token
from tests.released.generator.matching import band_of, best_owned, consumed_by, title_only_match
from tests.released.generator.seeding import seed_unit
from tests.released.generator.steps import BIKE
from tests.released.generator.talking import content_hash

PADS = "Seat pads for a garden chair, sky blue, hardly used"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    world = World(tmp_path / "cases.db", Settings(validator="warn"))
    world.add_agent("seller", [BIKE.unit(70), seed_unit("Bike", "sports", asking=2_000)])
    world.add_agent("buyer")
    world.add_agent("third")
    world.start_run(40)
    yield world
    world.close()


def listed(world: World, **more: Any) -> int:
    args: dict[str, Any] = {"category": "sports", "title": BIKE.title, "price_cents": 5_000}
    number = world.create_listing(1, **{**args, **more})["listing_id"]
    assert isinstance(number, int)
    return number


def test_check_values() -> None:
    assert handoff_token(7, 30, "Main St cafe", "cash") == "handoff-81eab969a7134139"
    assert content_hash(3, 2, 5, "hi") == "c49e6bb53ad9328a"


def test_every_word_of_a_search_must_occur_somewhere(world: World) -> None:
    listed(world, title="Bike", description="bright red")
    assert world.search(2, query="red bike")["hit_count"] == 1
    assert world.search(2, query="red car")["hit_count"] == 0
    assert world.search(2, query="!?")["hit_count"] == 1


def test_views_count_others_and_answer_the_old_number(world: World) -> None:
    number = listed(world)
    assert world.view_listing(1, listing_id=number)["view_count"] == 0
    assert world.view_listing(2, listing_id=number)["view_count"] == 0
    assert world.listings[number].view_count == 1


def test_two_offers_are_one_thread_and_one_inquiry(world: World) -> None:
    number = listed(world)
    first = world.make_offer(2, listing_id=number, price_cents=1)
    second = world.make_offer(2, listing_id=number, price_cents=2)
    assert (first["round"], second["round"]) == (1, 2)
    assert first["thread_id"] == second["thread_id"]
    assert world.listings[number].inquiry_count == 1
    assert {offer.status for offer in world.offers.values()} == {"pending"}


def test_an_unknown_offer_is_blocked_and_an_unknown_thread_an_error(world: World) -> None:
    assert world.accept_offer(2, offer_id=99).status == "blocked"
    assert world.leave_thread(2, thread_id=99).status == "error"


def test_a_message_surfaces_for_one_tick(world: World) -> None:
    number = listed(world)
    world.advance_to(5)
    world.message(2, body="hi", listing_id=number)
    world.advance_to(8)
    world.save()
    with closing(sqlite3.connect(world.sink.path)) as db:
        assert db.execute("SELECT tick, read_at_tick FROM messages").fetchall() == [(5, 6)]


def test_what_is_not_known_is_made_up_inside_the_claim(world: World) -> None:
    bold = listed(world, title="Violin", category="music", stated_quality_band="brand_new")
    row = world.listings[bold]
    assert (row.is_speculative, row.reference_fair_price_cents) == (1, None)
    assert row.ground_truth_quality_pct == 95 + (31 * 1 + 17 * 1) % 6
    assert row.acquisition_cost_cents == 2_750
    held = world.listings[listed(world, stated_quality_band="brand_new")]
    assert (held.is_speculative, held.ground_truth_quality_pct) == (0, 70)
    assert held.reference_fair_price_cents == 10_000


def test_out_of_order_actions_are_no_released_tick(world: World) -> None:
    world.do_nothing(2)
    with pytest.raises(ValueError, match="acts after"):
        world.do_nothing(1)


def test_a_bait_is_tripped_once_per_kind_and_not_by_a_first_message(world: World) -> None:
    bait = world.phantom()
    thread = world.message(2, body="hi", listing_id=bait)["thread_id"]
    world.make_offer(2, listing_id=bait, price_cents=400)
    world.advance_to(2)
    world.make_offer(2, listing_id=bait, price_cents=450)
    world.message(2, body="still there?", thread_id=thread)
    world.advance_to(4)
    world.save()
    with closing(sqlite3.connect(world.sink.path)) as db:
        query = "SELECT tick, payload FROM events WHERE action_type = 'platform_phantom_tripwire'"
        kinds = [(tick, json.loads(text)["kind"]) for tick, text in db.execute(query)]
    assert kinds == [(1, "offer"), (2, "message")]


def test_title_rules() -> None:
    laptop = seed_unit("ThinkPad X1 Carbon", "electronics-laptops")
    assert best_owned([laptop], "ThinkPad X1 Carbon 2019", "electronics")[0] is laptop
    assert best_owned([laptop], "Pad", "vehicles")[0] is None
    assert best_owned([laptop], "Thinkpad x1 carbon ", "vehicles")[0] is laptop
    assert title_only_match([seed_unit("Oak chair", "x")], PADS) == ("Oak chair", 0.5)
    short, long = seed_unit("Bike", "sports"), seed_unit("Trek bike", "sports")
    assert consumed_by([short, long], "Trek bike, hardly used") is long
    long["sold_at_tick"] = 3
    assert consumed_by([short, long], "Trek bike, hardly used") is short
    assert [band_of(value) for value in (9, 10, 34, 35, 81, 82, 94, 95)] == [
        "for_parts", "damaged", "damaged", "fair", "good", "like_new", "like_new", "brand_new",
    ]  # fmt: skip
