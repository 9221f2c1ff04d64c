"""The one door: what is no well-formed call, and what each call leaves in the log (SPEC §4.1)."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

import pytest

from bazaarbench.market.actions import ACTIONS
from bazaarbench.market.calls import ToolCall
from bazaarbench.market.entities import Event
from bazaarbench.market.platform import Platform, is_schema_valid
from bazaarbench.market.state import Market
from tests.builders import B, S, play, small_market
from tests.market.stages import GOODS, LISTED, TALKING, create, offer

HUGE = "x" * 1_000_000


def ask(market: Market, call: ToolCall, agent: int = B) -> Event:
    return Platform(market).perform(agent, 7, call)


@pytest.mark.parametrize(
    "price", [-1, 1e309, float("nan"), 9_000.5, True, "5", None, 100_000_001, 1e300, [5], 2**70]
)
def test_what_is_no_amount_of_cents_is_an_error(price: object) -> None:
    market = small_market(GOODS)
    play(market, LISTED)
    event = ask(market, ToolCall("make_offer", {"listing_id": 1, "price_cents": price}))
    assert (event.status, event.reason) == ("error", "validation")
    assert event.result["detail"][0]["argument"] == "price_cents"
    assert not is_schema_valid(event)
    assert not market.offers


@pytest.mark.parametrize("price", [0, 2000, 2000.0, 1e8])
def test_a_whole_number_may_be_written_with_a_point(price: float) -> None:
    market = small_market(GOODS)
    play(market, LISTED)
    event = ask(market, ToolCall("make_offer", {"listing_id": 1.0, "price_cents": price}))
    assert event.status == "ok"
    assert json.dumps(event.payload) == (
        f'{{"listing_id": 1, "price_cents": {int(price)}, "terms": {{}}}}'
    )
    assert market.offers[1].price_cents == int(price)


@pytest.mark.parametrize(
    ("action", "arguments"),
    [
        ("pin", {"listing_id": 2**63}),
        ("pin", {"listing_id": -1}),
        ("pin", {}),
        ("pin", {"listing_id": 1, "extra": 1}),
        ("do_nothing", {"reason": "tired"}),
        ("message", {"listing_id": 1, "body": HUGE}),
        ("search", {"query": HUGE}),
        ("search", {"query": "x", "max_distance_km": "5"}),
        ("search", {"query": "x", "max_distance_km": True}),
        ("search", {"query": "x", "max_distance_km": float("inf")}),
        ("make_offer", {**offer(), "terms": {HUGE: 1}}),
        ("make_offer", {**offer(), "terms": {str(n): n for n in range(21)}}),
        ("make_offer", {**offer(), "terms": {"days": 2.5}}),
        ("make_offer", {**offer(), "terms": {"days": 2**64}}),
        ("create_listing", create(HUGE)),
        ("create_listing", create(description=HUGE)),
        ("create_listing", create(category="")),
        ("report_user", {"user_agent_id": 1, "reason": HUGE}),
        ("rate", {"ratee_agent_id": 1, "stars": 4.5}),
        ("create_listing", {HUGE: 1, **{f"{n}": n for n in range(1_000)}}),
    ],
)
def test_what_breaks_the_schema_is_an_error_of_bounded_size(
    action: str, arguments: dict[str, Any]
) -> None:
    market = small_market(GOODS)
    event = ask(market, ToolCall(action, arguments))
    assert (event.status, event.reason, event.action) == ("error", "validation", action)
    assert len(json.dumps([event.payload, event.result, event.private])) < 6_000


def test_terms_keep_their_kinds() -> None:
    market = small_market(GOODS)
    play(market, LISTED)
    terms = {"pickup": True, "days": 2.0, "note": "soon", "less": -3}
    event = ask(market, ToolCall("make_offer", {**offer(), "terms": terms}))
    assert json.dumps(event.payload["terms"]) == (
        '{"pickup": true, "days": 2, "note": "soon", "less": -3}'
    )
    assert market.offers[1].terms == '{"days": 2, "less": -3, "note": "soon", "pickup": true}'


def test_an_unknown_tool_is_an_error_that_keeps_its_name() -> None:
    market = small_market()
    event = ask(market, ToolCall("platform_seed_listing", {"a": 1}))
    assert (event.action, event.status, event.reason) == ("unknown_tool", "error", "unknown_tool")
    assert event.payload == {"name": "platform_seed_listing", "malformed": '{"a": 1}'}
    assert len(json.dumps(ask(market, ToolCall(HUGE, {})).payload)) < 3_000


def test_arguments_that_are_no_object_are_kept_as_escaped_text() -> None:
    market = small_market()
    event = ask(market, ToolCall("pin", None, '{"listing_id": 1\0\ud800é' + HUGE))
    assert (event.status, event.reason) == ("error", "malformed_arguments")
    kept = event.payload["malformed"]
    assert kept.startswith('{\\"listing_id\\": 1\\u0000\\ud800\\u00e9xxx')
    assert kept.isascii()
    assert len(kept) == 2_000


def test_arguments_that_are_nested_without_end_are_an_error() -> None:
    deep: Any = "x"
    for _ in range(100_000):
        deep = [deep]
    for terms in ({"deep": deep}, deep):
        event = ask(small_market(GOODS), ToolCall("make_offer", {**offer(), "terms": terms}))
        assert (event.status, event.reason) == ("error", "malformed_arguments")


def bomb() -> list[Any]:
    value: list[Any] = ["x"]
    for _ in range(40):
        value = [value] * 10
    return value


def circle() -> list[Any]:
    value: list[Any] = []
    value.append(value)
    return value


NO_JSON: dict[str, dict[Any, Any]] = {
    "a date": {"query": date(2020, 1, 1)},
    "a date as a key": {date(2020, 1, 1): "meet"},
    "keys of two kinds": {"query": "x", 1: 2},
    "bytes": {"query": b"\x80 \xff"},
    "a set": {"query": {"a", "b"}},
    "a number without end": {"query": 10**5_000},
    "a number without end inside": {"query": [{"a": -(10**5_000)}]},
    "sharing without end": {"query": bomb()},
    "a circle": {"query": circle()},
}


@pytest.mark.parametrize("arguments", NO_JSON.values(), ids=NO_JSON)
@pytest.mark.parametrize(
    ("name", "reason"), [("search", "malformed_arguments"), ("fly", "unknown_tool")]
)
def test_arguments_that_are_no_json_are_an_error_that_describes_them(
    name: str, reason: str, arguments: dict[Any, Any]
) -> None:
    event = ask(small_market(), ToolCall(name, arguments))
    assert (event.status, event.reason) == ("error", reason)
    kept = event.payload["malformed"]
    assert kept.startswith("{")
    assert kept.isascii()
    assert len(json.dumps(event.payload)) < 4_500


def test_text_is_cleaned_once_and_the_original_is_kept_escaped() -> None:
    market = small_market(GOODS)
    play(market, LISTED)
    event = ask(market, ToolCall("message", {"listing_id": 1, "body": "a\0b\ud800c é"}))
    assert event.payload["body"] == market.messages[1].body == "abc é"
    assert event.private == {"original": '{"listing_id": 1, "body": "a\\u0000b\\ud800c \\u00e9"}'}


def test_text_that_is_nothing_but_what_cannot_be_stored_is_empty() -> None:
    market = small_market(GOODS)
    play(market, LISTED)
    event = ask(market, ToolCall("message", {"listing_id": 1, "body": "\0\0"}))
    assert (event.status, event.reason) == ("error", "validation")


def test_the_payload_has_all_arguments_with_their_defaults() -> None:
    market = small_market(GOODS)
    event = ask(market, ToolCall("create_listing", create()), S)
    assert event.payload == {**create(), "stated_quality_band": None, "location_zip": None}
    assert (event.agent_id, event.turn_id, event.tick) == (S, 7, 1)


def test_refusals_name_what_they_are_about() -> None:
    market = small_market(GOODS)
    play(market, TALKING)
    event = ask(market, ToolCall("make_offer", offer()), S)
    assert (event.status, event.listing_id, event.thread_id) == ("blocked", 1, None)
    event = ask(market, ToolCall("read", {"thread_id": 1}), 3)
    assert (event.status, event.listing_id, event.thread_id) == ("blocked", 1, 1)


def test_every_schema_is_closed_described_and_json() -> None:
    for spec in ACTIONS.values():
        schema = spec.parameters()
        assert json.loads(json.dumps(schema)) == schema
        assert (schema["type"], schema["additionalProperties"]) == ("object", False)
        assert spec.description.endswith(".")
        for name, part in schema["properties"].items():
            assert part.get("description", "").endswith("."), (spec.name, name)
            assert part.keys() != {"title"}


def test_the_argument_names_are_the_released_ones() -> None:
    released = {
        "create_listing": "category title description price_cents condition stated_quality_band "
        "location_zip",
        "edit_listing": "listing_id title description price_cents condition",
        "message": "body thread_id listing_id",
        "send_photo": "thread_id listing_id focus privacy_mode",
        "request_photo": "thread_id focus_hint",
        "make_offer": "listing_id price_cents terms",
        "counter_offer": "offer_id price_cents terms",
        "schedule_meetup": "thread_id location_desc scheduled_tick payment_method",
        "schedule_shipment": "thread_id delivery_lag_ticks payment_method",
        "complete_transaction": "meetup_id handoff_proof",
        "cancel_meetup": "meetup_id reason",
        "rate": "ratee_agent_id stars body thread_id",
        "report_user": "user_agent_id reason",
        "view_profile": "user_agent_id",
        "search": "query category max_price_cents max_distance_km",
        "recall": "query top_k",
        "wait": "ticks",
        "do_nothing": "",
    }
    for action, names in released.items():
        assert set(ACTIONS[action].args.model_fields) == set(names.split()), action
