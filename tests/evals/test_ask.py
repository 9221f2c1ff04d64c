"""One call to a model: what a reply keeps of it, and what stays of it in the transcript."""

from __future__ import annotations

from typing import Any

from inspect_ai.event import ModelEvent
from inspect_ai.model import (
    ChatMessageSystem,
    ChatMessageUser,
    ContentReasoning,
    ContentText,
    GenerateConfig,
    ModelOutput,
)

from bazaarbench.evals.ask import OBSERVATION_HEAD, RunMessages, reply_of
from bazaarbench.evals.tools import action_tools
from bazaarbench.market.calls import ToolCall
from tests.evals.runs import call, said


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


def test_observations_are_kept_whole_until_their_room_is_used_up() -> None:
    shared = RunMessages(room=5_000)
    first, second, short = event("a" * 6_000), event("b" * 6_000), event("c")
    for one in (first, second, short):
        shared.slim(one)
    assert first.input[-1].text == "a" * 6_000
    assert second.input[-1].text.startswith("b" * OBSERVATION_HEAD + "…")
    assert len(second.input[-1].text) < OBSERVATION_HEAD + 100
    assert second.input[0].text == "world"
    assert short.input[-1].text == "c"
    assert first.tools == second.tools == []


def test_a_system_text_is_one_message_for_the_whole_run() -> None:
    shared = RunMessages()
    assert shared.system("world") is shared.system("world")
    assert shared.system("world") is not shared.system("persona")
