"""One call to a model of Inspect, as a policy's ``generate`` (DESIGN §3.2–3.3)."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

import anyio
from inspect_ai.event import ModelEvent
from inspect_ai.log import transcript
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    ContentReasoning,
    GenerateConfig,
    Model,
    ModelOutput,
    ModelRefusalError,
)
from inspect_ai.tool import ToolChoice, ToolSource
from inspect_ai.util import LimitExceededError
from pydantic import TypeAdapter, ValidationError

from bazaarbench.agents.policy import Message, Plant, Reply
from bazaarbench.errors import PluginError
from bazaarbench.evals.compat import PrerequisiteError, own_transcript
from bazaarbench.evals.provider import PLANTS, PROVIDER
from bazaarbench.market.calls import ToolCall
from bazaarbench.text import clean, described, is_plain_json

#: Errors that are no failure of the provider: a limit or an option that the user has set, or a
#: model that cannot be called at all. They end the sample.
NOT_THE_PROVIDERS = (LimitExceededError, ModelRefusalError, PrerequisiteError)

#: How many characters of observations the transcript of one sample keeps: those of a week of the
#: usual 20 tested agents fit in. A sample of 25,000 calls would fill the memory at its end, and its
#: log could not be opened.
OBSERVATION_ROOM = 24_000_000

#: What the transcript says when it is full.
FULL = "The next call of a model is the last that is shown here: the record holds them all."
_MOCK = "mockllm/"
_CHARACTERS_PER_TOKEN = 4
#: No call takes longer than a year.
_LONGEST_SECONDS = 366 * 24 * 3600
_PLANTS = TypeAdapter(tuple[Plant, ...])


class RunMessages:
    """What the calls of one run share: its system messages, and the room of its transcript.

    World and persona come with every call; as the same objects they are copied, hashed and logged
    once (and providers can cache them). Observations are new every turn and the larger part of a
    log, so the transcript keeps calls only until their room is used up; the record keeps all.
    """

    def __init__(self, room: int = OBSERVATION_ROOM) -> None:
        self._system: dict[str, ChatMessageSystem] = {}
        self._room = room

    def system(self, text: str) -> ChatMessageSystem:
        """The message that holds ``text``."""
        found = self._system.get(text)
        if found is None:
            found = self._system[text] = ChatMessageSystem(content=text)
        return found

    def slim(self, event: ModelEvent) -> bool:
        """Take tools and raw request out of an event; says whether there is room for it.

        Arguments that no log can hold go too: one of them would cost the whole sample's log.
        """
        if self._room <= 0:
            return False
        event.tools, event.call = [], None
        mend(event.output)
        self._room -= len(event.input[-1].text) if event.input else 0
        if self._room <= 0:
            transcript().info(FULL, source="bazaarbench.transcript")
        return True


class Asker:
    """Asks one model for one agent."""

    def __init__(
        self,
        model: Model,
        shared: RunMessages,
        *,
        tools: ToolSource | None,
        tool_choice: ToolChoice,
        seed: int,
        keep_event: bool,
    ) -> None:
        """Bind the model.

        Args:
            model: The model, with its own options.
            shared: The same for all agents of the run.
            tools: What the model may call; ``None`` under ``protocol=json``.
            tool_choice: Only sent with tools.
            seed: The policy seed; it reaches scripts behind our own provider alone, as a real
                model's sampling must not be tied to it.
            keep_event: Whether the sample's transcript gets the call.
        """
        if str(model).startswith(_MOCK):
            count_without_tokenizer(model)
        self._model = model
        self._shared = shared
        self._tools: Sequence[ToolSource] = [tools] if tools else []
        self._tool_choice: ToolChoice | None = tool_choice if tools else None
        scripted = str(model).startswith(f"{PROVIDER}/")
        self._config = GenerateConfig(seed=seed) if scripted else GenerateConfig()
        self._slim = shared.slim if keep_event else None

    async def __call__(self, messages: Sequence[Message]) -> Reply:
        """The reply of the model; one with ``error`` when the provider failed for good.

        Raises:
            LimitExceededError: A limit of the sample is reached.
            PrerequisiteError: The model cannot be called at all.
            PluginError: A script behind our own provider names failures that are none.
        """
        prompt = [self._message(message) for message in messages]
        try:
            with own_transcript(self._slim):
                output = await self._model.generate(
                    prompt, tools=self._tools, tool_choice=self._tool_choice, config=self._config
                )
        except NOT_THE_PROVIDERS:
            raise
        # Providers raise whatever their library raises, after Inspect's own retries. One agent's
        # lost turn is recorded as ``failed``; the simulation stops the run when there are many.
        except Exception as error:
            return Reply(model=str(self._model), error=_told(error))
        except anyio.get_cancelled_exc_class() as error:
            if anyio.current_effective_deadline() == -math.inf:
                raise
            # Nobody has cancelled this call: something inside the provider's library was.
            return Reply(model=str(self._model), error=_told(error))
        return reply_of(output, str(self._model))

    def _message(self, message: Message) -> ChatMessage:
        if message.role == "system":
            return self._shared.system(message.content)
        if message.role == "assistant":
            return ChatMessageAssistant(content=message.content)
        return ChatMessageUser(content=message.content)


def mend(output: ModelOutput) -> None:
    """Take out of an output the arguments that neither a log nor a record can hold.

    A lenient parser makes dates, bytes or endless nesting of a model's words. Such a call is left
    without arguments, as one whose arguments could not be parsed, and says what they were.
    """
    for choice in output.choices:
        for call in choice.message.tool_calls or ():
            if not is_plain_json(call.arguments):
                told = f"The arguments are no plain JSON: {described(call.arguments)}"
                call.parse_error = call.parse_error or told
                call.arguments = {}


def reply_of(output: ModelOutput, model: str) -> Reply:
    """A model's output as a policy reads it.

    Malformed arguments stay what the model wrote: the call then has no arguments and is never run.
    Words lose lone surrogates and NUL, which no record can hold as text; ``raw`` has them escaped.

    Args:
        output: What Inspect returned.
        model: Name that was asked for; the served version is added when it differs.

    Raises:
        PluginError: A script behind our own provider names failures that are none.
    """
    mend(output)
    usage = output.usage.model_dump(exclude_none=True) if output.usage else {}
    counts = {key: value for key, value in usage.items() if isinstance(value, int)}
    served = clean(output.model)
    about: dict[str, Any] = {
        "model": model if not served or model.endswith(served) else f"{model}@{served}",
        "usage": counts,
        "latency_ms": _milliseconds(output.time),
    }
    if output.empty:
        return Reply(error=output.error and clean(output.error), **about)
    message = output.message
    return Reply(
        text=clean(message.text),
        calls=tuple(
            ToolCall(call.function, None, call.parse_error)
            if call.parse_error
            else ToolCall(call.function, call.arguments)
            for call in message.tool_calls or ()
        ),
        reasoning=_reasoning(message),
        stop_reason=output.stop_reason,
        message_id=message.id and clean(message.id),
        raw=_raw(message),
        plants=_plants(output, model),
        **about,
    )


def _milliseconds(seconds: float | None) -> int | None:
    """A duration; ``None`` for what is none, though a provider says so."""
    if seconds is None or not 0 <= seconds <= _LONGEST_SECONDS:
        return None
    return round(seconds * 1000)


def _plants(output: ModelOutput, model: str) -> tuple[Plant, ...]:
    """The failures a script means to commit; no other model can say what counts as one."""
    told = (output.metadata or {}).get(PLANTS)
    if told is None or not model.startswith(f"{PROVIDER}/"):
        return ()
    try:
        return _PLANTS.validate_python(told)
    except ValidationError as error:
        raise PluginError(
            f"the policy behind {model} means to commit failures that are none: {error}. Allowed "
            "is a Plant with a known type, the number of a call and a text; mend the policy."
        ) from error


def _reasoning(message: ChatMessageAssistant) -> str | None:
    """What can be read of the model's reasoning: the text, or the summary of a hidden one."""
    if isinstance(message.content, str):
        return None
    parts = [
        (part.summary or "") if part.redacted else part.reasoning
        for part in message.content
        if isinstance(part, ContentReasoning)
    ]
    return clean("\n".join(part for part in parts if part)) or None


def _raw(message: ChatMessageAssistant) -> str:
    """The whole message as JSON text, for the record; as much of it as can be written."""
    left_out = {"id", "model", "source"}
    try:
        return message.model_dump_json(exclude_none=True, exclude=left_out)
    except (ValueError, RecursionError):
        pass  # a lone surrogate is no UTF-8; escaped, it can be kept as the model wrote it
    try:
        fields = message.model_dump(exclude_none=True, exclude=left_out)
        return json.dumps(fields, default=described)
    except (TypeError, ValueError, RecursionError):
        return json.dumps({"text": message.text, "not_written": described(message.__dict__)})


def count_without_tokenizer(model: Model) -> None:
    """Inspect's mock counts tokens with a tokenizer that it downloads; let it count characters."""

    async def count_text_tokens(text: str) -> int:
        return len(text) // _CHARACTERS_PER_TOKEN

    setattr(model.api, "count_text_tokens", count_text_tokens)  # noqa: B010 — mypy: a method


def _told(error: BaseException) -> str:
    return clean(f"{type(error).__name__}: {error}"[:2000])
