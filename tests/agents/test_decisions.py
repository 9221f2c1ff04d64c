"""From a reply to a decision: every outcome, and nothing guessed (SPEC §5.4)."""

from __future__ import annotations

import time
from typing import Any

import pytest

from bazaarbench.agents.decisions import decision_of, json_answer, note_in
from bazaarbench.agents.policies import POLICIES
from bazaarbench.agents.policy import (
    MAX_NOTE_CHARS,
    Decision,
    Plant,
    Play,
    Reply,
    ScriptedPolicy,
)
from bazaarbench.market.calls import ToolCall
from tests.agents.sights import listing, offer, prompt, unit

VIEW = ToolCall("view_listing", {"listing_id": 4})
OFFER = ToolCall("make_offer", {"listing_id": 4, "price_cents": 900})


def native(text: str = "", *calls: ToolCall, **rest: Any) -> Reply:
    return Reply(text=text, calls=calls, **rest)


OUTCOMES = [
    ("acted", native("Decision note: look.", VIEW)),
    ("acted", native("", ToolCall("make_offer", {"listing_id": 4, "price_cents": 2000.0}))),
    ("acted", native("", ToolCall("fly", {}), VIEW, stop_reason="max_tokens")),
    ("no_valid_call", native("", ToolCall("fly_away", {"height": 3}))),
    ("no_valid_call", native("", ToolCall("view_listing", {"listing_id": "seven"}))),
    ("no_valid_call", native("", ToolCall("view_listing", {"listing_id": True}))),
    ("no_valid_call", native("", ToolCall("view_listing", {}))),
    ("no_valid_call", native("", ToolCall("view_listing", {"listing_id": 4, "and": 1}))),
    ("no_valid_call", native("", ToolCall("make_offer", {"listing_id": 1, "price_cents": -5}))),
    (
        "no_valid_call",
        native("", ToolCall("make_offer", {"listing_id": 1, "price_cents": float("inf")})),
    ),
    ("no_valid_call", native("", ToolCall("make_offer", None, '{"listing_id": 4, "pri'))),
    (
        "truncated",
        native("", ToolCall("make_offer", None, '{"listing_id": 4'), stop_reason="max_tokens"),
    ),
    ("truncated", native("Decision note: I will", stop_reason="model_length")),
    ("truncated", native("", stop_reason="max_tokens", reasoning="long thoughts")),
    ("no_call", native("I would rather talk about the weather.", stop_reason="stop")),
    ("no_call", native('[{"action": "do_nothing", "arguments": {}}]', stop_reason="stop")),
    ("empty", native("", stop_reason="stop")),
    ("empty", native(" \n\t ", stop_reason="stop")),
    ("reasoning_only", native("", stop_reason="stop", reasoning="Let me think.")),
    ("refused", native("", stop_reason="content_filter")),
    ("refused", native("I cannot help with that.", stop_reason="content_filter")),
    ("failed", native("", error="ConnectionResetError: gone")),
    ("failed", native("Decision note: x.", VIEW, error="half an answer")),
]


@pytest.mark.parametrize(("outcome", "reply"), OUTCOMES)
def test_every_reply_has_its_outcome(outcome: str, reply: Reply) -> None:
    assert decision_of(reply).outcome == outcome


def test_malformed_arguments_are_kept_and_not_replaced() -> None:
    call = ToolCall("make_offer", None, '{"listing_id": 4, "pri')
    assert decision_of(native("", call)).calls == (call,)


def test_a_failed_call_does_nothing_even_with_half_an_answer() -> None:
    decision = decision_of(native("", VIEW, error="timeout"))
    assert (decision.calls, decision.error) == ((), "timeout")


def test_what_is_recorded_passes_through() -> None:
    plants = (Plant("F1", 0, "x"), Plant("F2", 7, "no such call"))
    reply = native(
        "Decision note: look.\n\nMore.",
        VIEW,
        reasoning="r",
        stop_reason="tool_calls",
        model="m@1",
        usage={"input_tokens": 3},
        latency_ms=12,
        message_id="id",
        plants=plants,
    )
    decision = decision_of(reply)
    assert decision.note == "look."
    assert (decision.reasoning, decision.text) == ("r", reply.text)
    assert (decision.model, decision.usage, decision.latency_ms) == ("m@1", reply.usage, 12)
    assert (decision.stop_reason, decision.message_id) == ("tool_calls", "id")
    assert decision.plants == plants[:1]


# ------------------------------------------------------------------------------- protocol=json

TEXTS: list[tuple[str, list[ToolCall]]] = [
    ('[{"action": "view_listing", "arguments": {"listing_id": 4}}]', [VIEW]),
    ('{"action": "view_listing", "arguments": {"listing_id": 4}}', [VIEW]),
    ('{"name": "view_listing", "args": {"listing_id": 4}}', [VIEW]),
    ('{"function": {"name": "view_listing", "arguments": "{\\"listing_id\\": 4}"}}', [VIEW]),
    ('{"tool_calls": [{"name": "view_listing", "arguments": {"listing_id": 4}}]}', [VIEW]),
    (
        '{"note": "n", "actions": [{"action": "view_listing", "arguments": {"listing_id": 4}}, '
        '{"action": "make_offer", "arguments": {"listing_id": 4, "price_cents": 900}}]}',
        [VIEW, OFFER],
    ),
    ('Text.\n```json\n[{"action":"view_listing","arguments":{"listing_id":4}}]\n```\nBye', [VIEW]),
    ('```\n{"action":"view_listing","arguments":{"listing_id":4}}', [VIEW]),
    (
        'First {"action":"view_listing","arguments":{"listing_id":4}} then '
        '{"action":"make_offer","arguments":{"listing_id":4,"price_cents":900}}.',
        [VIEW, OFFER],
    ),
    ('{"action": "do_nothing"}', [ToolCall("do_nothing", {})]),
    ("[]", []),
    ("I saw [1] and {this}.", []),
    ("Nothing to do.", []),
    ('["do_nothing", "wait"]', []),
    ('{"weather": "fine"}', []),
]


@pytest.mark.parametrize(("text", "calls"), TEXTS)
def test_actions_are_read_from_text_in_every_accepted_form(
    text: str, calls: list[ToolCall]
) -> None:
    assert list(decision_of(native(text), "json").calls) == calls


BROKEN = [
    ('{"action": "make_offer", "arguments": {"listing_id": 4, "pri', "make_offer"),
    ('{"action": "make_offer", "arguments": {"listing_id": 4,}}', "make_offer"),
    ('{"action": "make_offer", "arguments": {"price_cents": 1e309}}', "make_offer"),
    ('{"action": "make_offer", "arguments": {"listing_id": NaN}}', "make_offer"),
    ('{"action": "make_offer", "arguments": "listing 4"}', "make_offer"),
    ('{"action": "make_offer", "arguments": "[4]"}', "make_offer"),
    ('{"action": "make_offer", "arguments": [4, 900]}', "make_offer"),
    ('{"action": "make_offer", "arguments": null}', "make_offer"),
    ('{"action": "make_offer", "listing_id": 4, "price_cents": 900}', "make_offer"),
    ('[{"thought": "no name"}]', ""),
    ('[{"action": 5, "arguments": {}}]', ""),
    (f'{{"action": "wait", "arguments": {{"ticks": {"9" * 5_000}}}}}', "wait"),
]


@pytest.mark.parametrize(("text", "name"), BROKEN)
def test_a_broken_action_keeps_its_text_and_gets_no_arguments(text: str, name: str) -> None:
    decision = decision_of(native(text), "json")
    assert [(call.name, call.arguments) for call in decision.calls] == [(name, None)]
    assert decision.calls[0].raw
    assert decision.outcome == "no_valid_call"


def test_a_cut_off_list_keeps_what_is_whole() -> None:
    text = (
        'Decision note: buy.\n\n[{"action": "view_listing", "arguments": {"listing_id": 4}}, '
        '{"action": "make_offer", "arguments": {"listing_id": 4, "price_ce'
    )
    decision = decision_of(native(text, stop_reason="max_tokens"), "json")
    assert decision.calls[0] == VIEW
    assert (decision.calls[1].name, decision.calls[1].arguments) == ("make_offer", None)
    assert (decision.outcome, decision.note) == ("acted", "buy.")
    only_cut = text.replace('{"action": "view_listing", "arguments": {"listing_id": 4}}, ', "")
    assert decision_of(native(only_cut, stop_reason="max_tokens"), "json").outcome == "truncated"


@pytest.mark.parametrize(
    "text", ["[" * 1_000_000, "{" * 1_000_000, '{"a":' * 200_000, '{"action":"x",' * 70_000]
)
def test_a_megabyte_of_brackets_is_read_in_no_time(text: str) -> None:
    started = time.process_time()
    assert decision_of(native(text), "json").outcome in ("no_call", "no_valid_call")
    assert time.process_time() - started < 3


def test_a_script_behind_text_says_the_same_as_one_with_tool_calls() -> None:
    policy = POLICIES["honest"]()
    assert isinstance(policy, ScriptedPolicy)
    play = policy.script.act(
        prompt(own_units=[unit()], own_listings=[listing()], offers_on_listings=[offer(1)])
    )
    decision = decision_of(native(json_answer(play)), "json")
    assert decision.calls == play.calls
    assert decision.note == play.note
    assert json_answer(Play("Nothing.", ())) == "Decision note: Nothing.\n\n[]"


# --------------------------------------------------------------------------------------- notes


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("Decision note: sell the lamp.", "sell the lamp."),
        ("**Decision note:** sell it.\n\nNow I act.", "sell it."),
        ("Well.\n> decision note:  two\nlines here\n\nrest", "two\nlines here"),
        ('Decision note: go.\n[{"action": "wait"}]', "go."),
        ("Decision note: go.\n```json\n[]\n```", "go."),
        ("My decision note: inside a sentence", None),
        ("No note at all", None),
        ("Decision note:   ", None),
        ("", None),
    ],
)
def test_the_note_is_found_where_it_stands(text: str, note: str | None) -> None:
    assert note_in(text) == note


def test_a_note_has_an_end() -> None:
    note = note_in("Decision note: " + "x" * 1_000_000)
    assert note is not None
    assert len(note) == MAX_NOTE_CHARS


def test_a_note_beside_the_actions_is_cleaned_and_cut_like_any_other() -> None:
    note = "bad \\ud800\\u0000" + "n" * 5_000
    reply = native(f'{{"note": "{note}", "actions": [{{"action": "do_nothing"}}]}}')
    decision = decision_of(reply, "json")
    assert decision.outcome == "acted"
    assert decision.note is not None
    assert decision.note.startswith("bad nnn")
    assert MAX_NOTE_CHARS - 2 <= len(decision.note) <= MAX_NOTE_CHARS


@pytest.mark.parametrize(
    "name", ["note", "reasoning", "text", "stop_reason", "error", "model", "message_id"]
)
def test_every_text_of_a_decision_can_be_stored(name: str) -> None:
    texts: dict[str, Any] = {name: "a\ud800\0b" + "x" * 2_000_000}
    decision = Decision(calls=(), outcome="empty", **texts)
    kept = getattr(decision, name)
    assert kept.startswith("abx")
    assert kept.encode()
    assert len(kept) <= 1_000_000


def test_a_call_whose_arguments_are_no_json_is_not_valid() -> None:
    call = ToolCall("view_listing", {"listing_id": 4, "when": b"\x80"})
    assert decision_of(native("", call)).outcome == "no_valid_call"
