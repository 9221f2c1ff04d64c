"""What search, browse, view, profile and recall answer (P §3.1–3.2; SPEC §4.5)."""

from __future__ import annotations

from typing import Any

from bazaarbench.market.entities import Memory
from bazaarbench.market.rules import Rules
from bazaarbench.market.state import Market
from tests.builders import B, C, S, Step, play, small_market
from tests.market.stages import GOODS, LISTED, SOLD, create

OFF = Rules(listing_inventory_check="off")


def hits(market: Market, agent: int, **arguments: Any) -> list[int]:
    (event,) = play(market, [(agent, "search", {"query": "tablet", **arguments})])
    assert event.status == "ok"
    return [hit["listing_id"] for hit in event.result["hit_preview"]]


def market_of(count: int, owner: int = S) -> Market:
    market = small_market(rules=OFF)
    play(market, [(owner, "create_listing", create(f"Tablet {n}")) for n in range(count)])
    return market


def test_results_are_newest_first_then_cheapest_then_latest() -> None:
    market = small_market(rules=OFF)
    story: list[Step] = [
        (S, "create_listing", create("Tablet old", price_cents=1)),
        2,
        (S, "create_listing", create("Tablet dear", price_cents=900)),
        (S, "create_listing", create("Tablet cheap", price_cents=500)),
        (S, "create_listing", create("Tablet cheap too", price_cents=500)),
    ]
    play(market, story)
    assert hits(market, B) == [4, 3, 2, 1]


def test_at_most_25_are_counted_and_5_shown() -> None:
    market = market_of(30)
    (event,) = play(market, [(B, "search", {"query": "tablet"})])
    assert event.result["hit_count"] == 25
    assert [hit["listing_id"] for hit in event.result["hit_preview"]] == [30, 29, 28, 27, 26]


def test_own_and_ended_listings_are_not_found() -> None:
    market = market_of(3)
    play(market, [(S, "mark_sold", {"listing_id": 2})])
    assert hits(market, S) == []
    assert hits(market, B) == [3, 1]


def test_price_and_category_filter_exactly() -> None:
    market = small_market(rules=OFF)
    play(market, [(S, "create_listing", create("Tablet", price_cents=p)) for p in (500, 501)])
    play(market, [(S, "create_listing", create("Tablet", category="Electronics"))])
    assert hits(market, B, max_price_cents=500) == [1]
    assert hits(market, B, category="Electronics") == [3]
    assert hits(market, B, category="") == [1, 2, 3]
    (event,) = play(market, [(B, "browse_category", {"category": "electronics"})])
    assert event.result["hit_count"] == 2


def test_the_distance_filter_is_exact_to_the_metre() -> None:
    market = market_of(1)  # S lives 1,000 m from B and 2,000 m from C
    assert hits(market, B, max_distance_km=1) == [1]
    assert hits(market, B, max_distance_km=0.999) == []
    assert hits(market, C, max_distance_km=2.0) == [1]
    assert hits(market, C, max_distance_km=1.999) == []


def test_a_preview_squeezes_and_cuts_the_text_and_a_view_does_not() -> None:
    market = small_market(rules=OFF)
    text = "word  \n" * 60
    play(market, [(S, "create_listing", create("Tablet", description=text))])
    found, seen = play(
        market, [(B, "search", {"query": "tablet"}), (B, "view_listing", {"listing_id": 1})]
    )
    preview = found.result["hit_preview"][0]
    assert preview["description_preview"] == ("word " * 40)[:157] + "..."
    assert seen.result["description"] == text
    assert "description_preview" not in seen.result


def test_what_is_shown_of_a_listing_is_its_public_side() -> None:
    market = small_market(GOODS)
    found = play(market, [*LISTED, (B, "search", {"query": "tablet"})])[-1]
    assert found.result == {
        "query": "tablet",
        "category": None,
        "max_price_cents": None,
        "hit_count": 1,
        "hit_preview": [
            {
                "listing_id": 1,
                "owner_agent_id": S,
                "category": "electronics",
                "title": "Nova tablet 11 grey",
                "price_cents": 10_000,
                "condition": "good",
                "location_zip": "90001",
                "view_count": 0,
                "inquiry_count": 0,
                "stated_quality_band": "good",
                "description_preview": "Works well.",
            }
        ],
    }


def test_a_profile_shows_standing_and_age() -> None:
    market = small_market(GOODS)
    rate = (B, "rate", {"ratee_agent_id": S, "stars": 4})
    look = (C, "view_profile", {"user_agent_id": S})
    unrated = play(market, [look])[0]
    assert (unrated.result["rating_count"], unrated.result["rating_avg"]) == (0, None)
    assert play(market, [*SOLD, rate, look])[-1].result == {
        "agent_id": S,
        "user_name": "user1",
        "display_name": "User 1",
        "home_zip": "90001",
        "account_age_ticks": 103,
        "status": "active",
        "rating_count": 1,
        "rating_avg": 4.0,
    }


def test_recall_finds_ones_own_notes_only() -> None:
    market = small_market()
    for memory_id, (agent, text) in enumerate([(S, "sold a tablet"), (B, "tablet"), (S, "rain")]):
        market.add(Memory(memory_id + 1, agent, "deal", text, 0))
    (event,) = play(market, [(S, "recall", {"query": "tablet"})])
    assert [hit["memory_id"] for hit in event.result["hits"]] == [1]
    assert event.payload == {"query": "tablet", "top_k": 5}


def test_looking_does_not_change_the_market() -> None:
    market = small_market(GOODS)
    play(market, LISTED)
    market.dirty.clear()
    play(
        market,
        [
            (B, "search", {"query": "tablet"}),
            (B, "browse_category", {"category": "electronics"}),
            (B, "view_profile", {"user_agent_id": S}),
            (B, "recall", {"query": "x"}),
            (B, "pin", {"listing_id": 1}),
        ],
    )
    assert not market.dirty
