"""Short evals for the tests of this folder."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval
from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    GenerateConfig,
    Model,
    ModelOutput,
    ModelUsage,
    get_model,
)
from inspect_ai.tool import ToolCall, ToolChoice, ToolInfo

from bazaarbench.evals.compat import PrerequisiteError
from bazaarbench.market.record import read_only
from bazaarbench.tasks.continuation import continuation

ROOT = Path(__file__).parents[2]
Answer = Callable[[list[ChatMessage], list[ToolInfo], ToolChoice, GenerateConfig], Any]


def play(log_dir: Path, model: str | Model = "bazaarbench/honest", **settings: Any) -> EvalLog:
    """Run ``continuation`` for one day unless told otherwise."""
    roles = settings.pop("model_roles", None)
    epochs = settings.pop("epochs", None)
    connections = settings.pop("max_connections", None)
    [log] = eval(
        continuation(**{"days": 1, **settings}),
        model=model,
        model_roles=roles,
        epochs=epochs,
        max_connections=connections,
        log_dir=str(log_dir),
        display="none",
    )
    return log


def only(log: EvalLog) -> EvalSample:
    """The one sample of a log."""
    assert log.samples is not None
    [sample] = log.samples
    return sample


def kept(sample: EvalSample, name: str) -> Any:
    """A value of the run that the sample's store keeps."""
    return sample.store[f"MarketRun:{name}"]


def finished(log: EvalLog) -> EvalSample:
    """The one sample of a log that must have succeeded."""
    sample = only(log)
    assert log.status == "success", sample.error or log.error
    return sample


def rows(sample: EvalSample, query: str, *values: Any) -> list[tuple[Any, ...]]:
    """What a query finds in the sample's record."""
    connection: sqlite3.Connection
    with closing(read_only(kept(sample, "location"))) as connection:
        return connection.execute(query, values).fetchall()


def answering(answer: Answer) -> Model:
    """A model that answers with what a function makes of the prompt."""
    return get_model("mockllm/model", custom_outputs=answer)


def said(
    text: str = "", calls: Iterable[ToolCall] = (), stop_reason: Any = "stop", **about: Any
) -> ModelOutput:
    """A model's output."""
    message = ChatMessageAssistant(
        content=text, tool_calls=list(calls) or None, source="generate", **about
    )
    return ModelOutput(
        model="model",
        choices=[ChatCompletionChoice(message=message, stop_reason=stop_reason)],
        usage=ModelUsage(input_tokens=3, output_tokens=2, total_tokens=5),
    )


def call(name: str, arguments: Any, parse_error: str | None = None) -> ToolCall:
    """A tool call as a provider's parser leaves it."""
    return ToolCall(id=f"call_{name}", function=name, arguments=arguments, parse_error=parse_error)


def observation(input: list[ChatMessage]) -> dict[str, Any]:
    """The observation of a prompt."""
    seen: dict[str, Any] = json.loads(input[-1].text)
    return seen


def refusal(task: str, model: str = "bazaarbench/honest", **arguments: Any) -> str:
    """The message with which Inspect stops when it makes the task, as its command line does."""
    roles = arguments.pop("model_roles", None)
    with pytest.raises(PrerequisiteError) as caught:
        eval(
            f"{ROOT}/tasks/{task}.py@{task}",
            model=model,
            model_roles=roles,
            task_args=arguments,
            log_dir="/nonexistent/never-made",
            display="none",
        )
    return str(caught.value.message)  # type: ignore[attr-defined]
