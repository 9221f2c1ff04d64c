"""One call to a model: what a reply keeps of it, and what stays of it in the transcript."""

from __future__ import annotations

from datetime import date
from typing import Any

import anyio
import pytest
from inspect_ai.event import ModelEvent
from inspect_ai.model import (
    ChatMessageSystem,
    ChatMessageUser,
    ContentReasoning,
    ContentText,
    GenerateConfig,
    ModelOutput,
)

from bazaarbench.agents.policy import Plant, Reply
from bazaarbench.errors import PluginError
from bazaarbench.evals.ask import Asker, RunMessages, reply_of
from bazaarbench.evals.tools import action_tools
from bazaarbench.market.calls import ToolCall
from tests.evals.runs import answering, call, said


def test_a_reply_keeps_text_calls_and_usage() -> None:
    reply = reply_of(said("Decision note: go.", [call("search", {"query": "x"})]), "provider/model")
    assert reply.text == "Decision note: go."
    assert reply.calls == (ToolCall("search", {"query": "x"}),)
    assert reply.usage == {"input_tokens": 3, "output_tokens": 2, "total_tokens": 5}
    assert reply.model == "provider/model"


def test_the_served_version_is_named_when_it_is_another() -> None:
    output = said("x")
    output.model = "model-2026-01-01"
    assert reply_of(output, "provider/model").model == "provider/model@model-2026-01-01"


def test_malformed_arguments_are_kept_as_written() -> None:
    reply = reply_of(said("", [call("search", {}, 'not JSON: {"query": "la')]), "m")
    assert reply.calls == (ToolCall("search", None, 'not JSON: {"query": "la'),)


def test_reasoning_is_the_text_or_the_summary_of_a_hidden_one() -> None:
    content: list[Any] = [
        ContentReasoning(reasoning="I think."),
        ContentReasoning(reasoning="secret", redacted=True, summary="It thought."),
        ContentText(text="Done."),
    ]
    output = said("")
    output.choices[0].message.content = content
    reply = reply_of(output, "m")
    assert reply.reasoning == "I think.\nIt thought."
    assert reply.text == "Done."
    assert "secret" in reply.raw


def test_words_lose_what_no_record_can_hold_and_raw_keeps_it_escaped() -> None:
    reply = reply_of(said("a\ud800b\0c"), "m")
    assert reply.text == "abc"
    assert "\\ud800" in reply.raw
    assert "\\u0000" in reply.raw
    assert reply.raw.encode()


def test_an_output_without_any_choice_is_an_empty_reply() -> None:
    reply = reply_of(ModelOutput(model="m"), "m")
    assert (reply.text, reply.calls, reply.stop_reason, reply.error) == ("", (), None, None)


def event(text: str) -> ModelEvent:
    return ModelEvent(
        model="m",
        input=[ChatMessageSystem(content="world"), ChatMessageUser(content=text)],
        tools=list(action_tools()),
        tool_choice="auto",
        config=GenerateConfig(),
        output=ModelOutput(),
    )


def test_calls_are_kept_whole_until_their_room_is_used_up() -> None:
    shared = RunMessages(room=5_000)
    first, second, third = event("a" * 4_999), event("b" * 6_000), event("c")
    assert [shared.slim(one) for one in (first, second, third)] == [True, True, False]
    assert first.input[-1].text == "a" * 4_999
    assert second.input[-1].text == "b" * 6_000
    assert second.input[0].text == "world"
    assert first.tools == second.tools == []


def test_a_week_of_twenty_tested_agents_fits_into_the_transcript() -> None:
    # Turns are drawn; 84 ticks of 20 agents who always act, at the length of a demo's observation.
    shared = RunMessages()
    assert all(shared.slim(event("x" * 12_000)) for _ in range(20 * 84))


def test_a_system_text_is_one_message_for_the_whole_run() -> None:
    shared = RunMessages()
    assert shared.system("world") is shared.system("world")
    assert shared.system("world") is not shared.system("persona")


def nested(depth: int) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for _ in range(depth):
        value = {"a": value}
    return value


UNLOGGABLE: dict[str, dict[Any, Any]] = {
    "bytes": {"query": b"\x80"},
    "a date as a key": {date(2020, 1, 1): "meet"},
    "a huge number": {"query": 10**5_000},
    "too deep": nested(10_000),
}


@pytest.mark.parametrize("arguments", UNLOGGABLE.values(), ids=UNLOGGABLE)
def test_arguments_that_no_log_can_hold_are_left_out_and_described(
    arguments: dict[Any, Any],
) -> None:
    output, kept = said("", [call("search", {})]), event("x")
    kept.output = said("", [call("search", {})])
    for one in (output, kept.output):
        assert one.message.tool_calls
        one.message.tool_calls[0].arguments = arguments
    RunMessages().slim(kept)
    [asked] = reply_of(output, "m").calls
    assert asked.arguments is None
    assert asked.raw is not None
    assert asked.raw.startswith("The arguments are no plain JSON: {")
    assert len(asked.raw) < 2_000
    assert kept.model_dump_json()
    assert asked.raw in kept.output.model_dump_json().replace("\\\\", "\\")


THINGS = {"bytes": b"\x80", "number": 10**5_000, "deep": nested(10_000), "key": {b"\xff": 1}}


@pytest.mark.parametrize("thing", THINGS.values(), ids=THINGS)
def test_a_reply_that_cannot_be_written_whole_costs_no_more_than_that(thing: Any) -> None:
    output = said("hello")
    output.message.metadata = {"thing": thing}
    reply = reply_of(output, "m")
    assert reply.text == "hello"
    assert "hello" in reply.raw
    assert reply.raw.encode()


def test_names_that_a_provider_gives_can_be_stored() -> None:
    output = said("x", id="m\ud800\0")
    output.model = "mod\ud800\0"
    output.time = float("nan")
    reply = reply_of(output, "provider/model")
    assert (reply.message_id, reply.model) == ("m", "provider/model@mod")
    assert reply.latency_ms is None


def test_only_scripts_behind_our_own_provider_say_what_is_meant_as_a_failure() -> None:
    output = said("x", [call("search", {"query": "x"})])
    output.metadata = {"plants": [{"type": "F1", "call": 0, "detail": "d"}]}
    assert reply_of(output, "bazaarbench/crooked").plants == (Plant("F1", 0, "d"),)
    assert reply_of(output, "provider/model").plants == ()
    output.metadata = {"plants": [{"type": "F9", "call": 0, "detail": "d"}]}
    assert reply_of(output, "provider/model").plants == ()
    with pytest.raises(PluginError, match="bazaarbench/crooked"):
        reply_of(output, "bazaarbench/crooked")


def asker(answer: Any) -> Asker:
    model = answering(answer)
    return Asker(model, RunMessages(), tools=None, tool_choice="auto", seed=0, keep_event=False)


def test_a_cancellation_that_nobody_asked_for_is_a_failed_call() -> None:
    def cancelled(*_: Any) -> Any:
        raise anyio.get_cancelled_exc_class()("the connection's own task")

    async def asking() -> Reply:
        return await asker(cancelled)([])

    reply = anyio.run(asking)
    assert reply.error is not None
    assert reply.error.startswith("CancelledError")


def test_a_real_cancellation_ends_the_call() -> None:
    async def asking() -> None:
        with anyio.CancelScope() as scope:

            def cancelling(*_: Any) -> Any:
                scope.cancel()
                raise anyio.get_cancelled_exc_class()

            with pytest.raises(anyio.get_cancelled_exc_class()):
                await asker(cancelling)([])

    anyio.run(asking)
