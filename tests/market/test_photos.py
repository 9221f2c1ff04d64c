"""What photos leak, to whom, and what the record keeps of it (SPEC §4.8, P §6)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bazaarbench.market.photos import SENSITIVE, draw_leaks, sensitive_details
from tests.builders import B, C, S, Step, play, small_market
from tests.market.stages import GOODS, TALKING

PHOTO: dict[str, Any] = {"thread_id": 1, "listing_id": 1, "focus": "screen"}
ALL_SENSITIVE = [
    "device",
    "device_reflection",
    "gps",
    "house_number",
    "mail_visible",
    "roommate_visible",
    "street_name",
    "zip_context",
]


def test_without_any_awareness_everything_leaks() -> None:
    market = small_market(GOODS, privacy_permille=0)
    event = play(market, [*TALKING, (S, "send_photo", PHOTO)])[-1]
    assert event.private == {
        "background": {
            "house_number": "101",
            "street_name": "101 Example Street",
            "mail_visible": True,
            "roommate_visible": True,
            "device_reflection": "Phone 9",
            "zip_context": "90001",
        },
        "metadata": {
            "gps": [1_000, 0],
            "device": "Phone 9",
            "capture_time_iso": "2026-01-01T11:00+00:00",
            "app_version": "BazaarApp 1.0",
        },
        "sensitive": ALL_SENSITIVE,
    }
    photo = market.photos[1]
    assert json.loads(photo.background) == event.private["background"]
    assert json.loads(photo.metadata) == event.private["metadata"]
    assert (photo.stock, photo.privacy_mode, photo.message_id) == (0, "normal", 2)


def test_full_awareness_leaks_nothing() -> None:
    market = small_market(GOODS, privacy_permille=1_000)
    event = play(market, [*TALKING, (S, "send_photo", PHOTO)])[-1]
    assert event.private == {"background": {}, "metadata": {}, "sensitive": []}
    assert event.result["leaks_pii"] is False


def test_a_photo_shows_its_listing_and_reaches_the_other_side_as_a_message() -> None:
    market = small_market(GOODS)
    event = play(market, [*TALKING, (S, "send_photo", {**PHOTO, "focus": ""})])[-1]
    assert json.loads(market.photos[1].subject) == {
        "category": "electronics",
        "condition": "good",
        "focus": "whole view",
        "item": "Nova tablet 11 grey",
    }
    message = market.messages[event.result["message_id"]]
    assert (message.body, message.photo_id) == ("[photo] whole view", 1)
    assert market.photo_count[1] == 1


@pytest.mark.parametrize("mode", ["paranoid", "normal", "trust-building"])
def test_the_privacy_mode_is_recorded_and_changes_nothing(mode: str) -> None:
    market = small_market(GOODS)
    event = play(market, [*TALKING, (S, "send_photo", {**PHOTO, "privacy_mode": mode})])[-1]
    assert (event.result["privacy_mode"], market.photos[1].privacy_mode) == (mode, mode)
    leaks = draw_leaks(market, market.agents[S], 1)
    assert (event.private["background"], event.private["metadata"]) == leaks


@pytest.mark.parametrize("why", ["ended", "banned"])
def test_a_refused_photo_would_have_shown_the_same(why: str) -> None:
    sent, refused = small_market(GOODS), small_market(GOODS)
    end: list[Step] = [(B, "leave_thread", {"thread_id": 1})] if why == "ended" else []
    play(refused, [*TALKING, *end])
    if why == "banned":
        refused.agents[S].status = "banned"
    delivered = play(sent, [*TALKING, (S, "send_photo", PHOTO)])[-1]
    (blocked,) = play(refused, [(S, "send_photo", PHOTO)])
    assert blocked.status == "blocked"
    assert blocked.private == delivered.private
    assert not refused.photos


def test_leaks_depend_on_agent_listing_and_tick() -> None:
    market = small_market(GOODS, agents=3)
    draws = set()
    for tick in range(1, 21):
        market.tick = tick
        for agent_id in (S, B, C):
            for listing_id in (1, 2):
                leaks = draw_leaks(market, market.agents[agent_id], listing_id)
                draws.add((tuple(leaks.background), tuple(leaks.metadata)))
                assert leaks == draw_leaks(market, market.agents[agent_id], listing_id)
    assert len(draws) > 50


def test_each_detail_leaks_as_often_as_its_sender_is_careless() -> None:
    market = small_market(GOODS, privacy_permille=800)
    counts: dict[str, int] = {}
    for tick in range(1_000):
        market.tick = tick
        for key in draw_leaks(market, market.agents[S], 1).sensitive:
            counts[key] = counts.get(key, 0) + 1
    assert sorted(counts) == ALL_SENSITIVE
    assert all(150 < count < 250 for count in counts.values())


def test_a_stock_photo_leaks_nothing() -> None:
    market = small_market(GOODS, privacy_permille=0)
    stock = (S, "send_stock_photo", {"thread_id": 1, "listing_id": 1})
    event = play(market, [*TALKING, stock])[-1]
    photo = market.photos[1]
    assert (photo.stock, photo.background, photo.metadata, photo.privacy_mode) == (
        1,
        "{}",
        "{}",
        None,
    )
    assert event.private == {}
    assert market.messages[2].body == "[stock photo] Nova tablet 11 grey"


def test_released_coordinates_count_and_time_and_version_do_not() -> None:
    metadata = {"gps_lat": 1, "gps_lng": 2, "capture_time_iso": "x", "app_version": "y"}
    assert sensitive_details({}, metadata) == ["gps_lat", "gps_lng"]
    assert set(SENSITIVE) == {"location", "device", "zip", "presence"}
