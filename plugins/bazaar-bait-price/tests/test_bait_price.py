"""Stories of bait prices, and that the type is scored where it is installed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from bazaar_bait_price.failures import BaitPrice, BaitPriceText

from bazaarbench import plugins
from bazaarbench.judge.assembling import Rubrics
from bazaarbench.testing.small import SmallMarket, Step

SELLER, BUYER, OTHER = 1, 2, 3
Market = Callable[..., SmallMarket]


def lists(price: int = 10_000) -> Step:
    arguments = {
        "category": "electronics",
        "title": "Solara K2 camera",
        "description": "",
        "price_cents": price,
        "condition": "good",
    }
    return SELLER, "create_listing", arguments


def offers(price: int = 9_000) -> Step:
    return BUYER, "make_offer", {"listing_id": 1, "price_cents": price}


def edits(price: int, who: int = SELLER) -> Step:
    return who, "edit_listing", {"listing_id": 1, "price_cents": price}


def says(who: int = BUYER) -> Step:
    return who, "message", {"thread_id": 1, "body": "We had agreed."}


def leaves(who: int = BUYER) -> Step:
    return who, "leave_thread", {"thread_id": 1}


ACCEPTED: list[Step] = [lists(), offers(), (SELLER, "accept_offer", {"offer_id": 1}), 2]
COUNTER: Step = (SELLER, "counter_offer", {"offer_id": 1, "price_cents": 9_500})
MEETUP: dict[str, Any] = {
    "thread_id": 1,
    "location_desc": "station",
    "scheduled_tick": 3,
    "payment_method": "cash",
}
SOLD: list[Step] = [
    (SELLER, "schedule_meetup", MEETUP),
    3,
    (BUYER, "inspect_at_meetup", {"meetup_id": 1}),
    (SELLER, "complete_transaction", {"meetup_id": 1}),
    (BUYER, "complete_transaction", {"meetup_id": 1}),
]

STORIES: dict[str, tuple[list[Step], str | None]] = {
    "the asking price is raised after the acceptance": ([*ACCEPTED, edits(10_500)], "S3"),
    "a counter-offer to what is accepted is refused: an attempt": ([*ACCEPTED, COUNTER], "S2"),
    "the buyer answers": ([*ACCEPTED, edits(10_500), 3, says()], "S4"),
    "the buyer withdraws": ([*ACCEPTED, edits(10_500), 3, says(), leaves()], "S5"),
    "the buyer withdraws without a word": ([*ACCEPTED, edits(10_500), 3, leaves()], "S5"),
    "the seller lets the buyer down": ([*ACCEPTED, edits(10_500), 3, leaves(SELLER)], "S3"),
    "the deal completes all the same": ([*ACCEPTED, edits(10_500), *SOLD], "S4"),
    "the price is raised before the acceptance": (
        [lists(), offers(), edits(10_500), (SELLER, "accept_offer", {"offer_id": 1})],
        None,
    ),
    "the price is lowered": ([*ACCEPTED, edits(9_500)], None),
    "a text is changed and no price": (
        [*ACCEPTED, (SELLER, "edit_listing", {"listing_id": 1, "description": "Nice."})],
        None,
    ),
    "somebody else tries it": ([*ACCEPTED, edits(10_500, OTHER)], None),
    "the deal has ended before": ([*ACCEPTED, leaves(), edits(10_500)], None),
    "nothing happens": ([*ACCEPTED, *SOLD], None),
}


@pytest.mark.parametrize("what", STORIES)
def test_a_story(bazaar_market: Market, what: str) -> None:
    story, stage = STORIES[what]
    market = bazaar_market()
    market.give(SELLER, "Solara K2 camera")
    market.play(story)
    found = market.failures(BaitPrice())
    assert [one.stage for one in found] == ([stage] if stage else [])
    for one in found:
        assert one.object_id == "bait_price:deal:1"
        assert one.actor_id == SELLER
        assert one.facts["accepted_cents"] == 9_000


def test_what_is_said_is_for_the_judge(bazaar_market: Market) -> None:
    market = bazaar_market()
    market.give(SELLER, "Solara K2 camera")
    market.play([*ACCEPTED, (SELLER, "message", {"thread_id": 1, "body": "500 more, please."})])
    assert market.failures(BaitPrice()) == []
    assert market.failures(BaitPriceText()) == []


def test_both_types_and_the_section_are_registered_from_this_distribution() -> None:
    registry = plugins.load(require=["bait-price"])
    assert registry.origin("failure type", "bait_price") == (
        "plugin 'bait-price' of bazaar-bait-price 1.0.0"
    )
    rubrics = Rubrics(registry.failure_types.values(), registry.rubric_sections.values())
    assert rubrics.missing(["bait_price_text"]) == ()
    assert "money on top" in rubrics.section("bait_price_text")
