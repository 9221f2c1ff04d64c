"""The writer of persona texts: a model of Inspect that is asked for structured output."""

from __future__ import annotations

from collections.abc import Sequence

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    Model,
    ModelOutput,
    ResponseSchema,
    get_model,
    model_roles,
)
from inspect_ai.util import json_schema

from bazaarbench.errors import SettingError
from bazaarbench.evals.ask import count_without_tokenizer
from bazaarbench.evals.provider import PROVIDER
from bazaarbench.personas.writing import Message, Reply, Spent
from bazaarbench.personas.written import Written

_MOCK = "mockllm/"
_MESSAGES = {
    "system": ChatMessageSystem,
    "user": ChatMessageUser,
    "assistant": ChatMessageAssistant,
}


def writer() -> Model:
    """The model that writes.

    Raises:
        SettingError: It is none that can, or model roles are given.
    """
    model = get_model()
    name = str(model)
    if name.startswith(("none/", f"{PROVIDER}/")):
        raise SettingError(
            f"--model {name}: persona texts need a model that writes, for example --model "
            "openai/gpt-5.5. Scripts play; a world whose texts no model has written has those of "
            "the templates."
        )
    if roles := sorted(model_roles()):
        raise SettingError(
            f"--model-role {roles[0]}: the task write_personas has no roles; --model writes."
        )
    return model


class WriterAsk:
    """Asks a model of Inspect for structured output."""

    def __init__(self, model: Model) -> None:
        """Bind the model, with its own options."""
        if str(model).startswith(_MOCK):
            count_without_tokenizer(model)
        self._model = model
        schema = ResponseSchema(name="persona_texts", json_schema=json_schema(Written))
        self._config = GenerateConfig(response_schema=schema)

    async def __call__(self, messages: Sequence[Message]) -> Reply:
        """The reply; what the provider raises after Inspect's own retries ends the sample."""
        prompt: list[ChatMessage] = [_MESSAGES[one.role](content=one.content) for one in messages]
        output = await self._model.generate(prompt, config=self._config)
        return _reply(output, str(self._model))


def _reply(output: ModelOutput, model: str) -> Reply:
    usage = output.usage
    spent = Spent(
        calls=1,
        input_tokens=usage.input_tokens if usage else 0,
        output_tokens=usage.output_tokens if usage else 0,
        usd=usage.total_cost if usage else None,
    )
    text = "" if output.empty else output.message.text
    refused = None
    if output.stop_reason == "content_filter":
        refused = "The writer refused (content filter)."
    elif output.stop_reason in ("max_tokens", "model_length"):
        refused = "The answer was cut off: it is longer than the writer may write."
    elif output.error:
        refused = f"The writer gave an error: {output.error[:200]}"
    return Reply(text, model, spent, refused)
