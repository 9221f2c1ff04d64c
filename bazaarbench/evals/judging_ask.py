"""The model that judges, as the judge's ``ask`` (SPEC §2, §8.5)."""

from __future__ import annotations

import json
from typing import Any

from inspect_ai.model import (
    ChatMessage,
    ChatMessageSystem,
    ChatMessageUser,
    ContentText,
    GenerateConfig,
    Model,
    ModelOutput,
    ModelRefusalError,
    ResponseSchema,
    get_model,
    get_model_info,
    model_roles,
)
from inspect_ai.util import LimitExceededError, json_schema

from bazaarbench.errors import SettingError
from bazaarbench.evals.ask import count_without_tokenizer
from bazaarbench.evals.compat import PrerequisiteError, own_transcript, running_sample
from bazaarbench.evals.provider import PROVIDER
from bazaarbench.evals.seats import JUDGE
from bazaarbench.judge.budgets import Price
from bazaarbench.judge.replies import REPLY_VERSION, WrittenReply
from bazaarbench.judge.requests import Request
from bazaarbench.judge.running import Ask
from bazaarbench.judge.store import Answer
from bazaarbench.text import clean

#: Who judges in ``inspect score`` when no role says so.
DEFAULT_JUDGE = "openai/gpt-5"
#: Bounds on one request, so that a provider that never answers is reported and not waited for.
#: Inspect alone would retry for ever. They hold where the role's configuration says nothing, and
#: not in batches, which take hours.
MAX_RETRIES, ATTEMPT_SECONDS, TOTAL_SECONDS = 8, 600, 3_600
#: Options that say how requests are sent, and nothing about the answers.
_SENDING = frozenset(
    {
        *("max_connections", "adaptive_connections", "max_retries", "timeout", "attempt_timeout"),
        *("stream_idle_timeout", "batch", "cache", "cache_prompt", "fail_on_refusal"),
    }
)
#: Errors that are no failure of the provider.
_NOT_THE_PROVIDERS = (LimitExceededError, PrerequisiteError)
_MOCK = "mockllm/"


def judge_model() -> Model | None:
    """The model with the role ``judge``; in ``inspect score`` the default one when none has it.

    ``None`` in an eval without that role: nothing is judged then.

    Raises:
        SettingError: the role has several models.
        PrerequisiteError: the default model cannot be made; Inspect says what it needs.
    """
    bound = model_roles().get(JUDGE)
    if isinstance(bound, list):
        if len(bound) != 1:
            raise SettingError(f"--model-role {JUDGE}: {len(bound)} models are given; give one.")
        bound = bound[0]
    if bound is not None:
        return bound
    return get_model(DEFAULT_JUDGE, role=None) if running_sample() is None else None


def is_scripted(model: str) -> bool:
    """Whether a judge is a script, and must be labelled so and never ranked."""
    return model.startswith(f"{PROVIDER}/")


def judge_settings(model: Model) -> dict[str, Any]:
    """The options that the answers of a judge depend on, as JSON."""
    options = model.config.model_dump(mode="json", exclude_none=True, exclude=set(_SENDING))
    # Beside the name, an address decides who answers; a key must not be kept anywhere.
    address = getattr(model.api, "base_url", None)
    return {"options": options, "reply": REPLY_VERSION} | ({"at": address} if address else {})


def price_of(model: Model) -> Price | None:
    """What the model costs, as Inspect knows it; a script costs nothing."""
    if is_scripted(str(model)):
        return Price(0.0, 0.0)
    info = get_model_info(model)
    cost = None if info is None else info.cost
    return None if cost is None else Price(cost.input, cost.output)


def asker(model: Model) -> Ask:
    """The judge's ``ask``: one request to the model, without a trace in the transcript."""
    if str(model).startswith(_MOCK):
        count_without_tokenizer(model)
    config = _config(model)
    free = is_scripted(str(model))

    async def ask(request: Request) -> Answer:
        prompt: list[ChatMessage] = [
            ChatMessageSystem(content=request.system),
            ChatMessageUser(content=request.user),
        ]
        try:
            with own_transcript(None):
                output = await model.generate(prompt, config=config)
        except _NOT_THE_PROVIDERS:
            raise
        except ModelRefusalError as error:
            return _answer(error.output, free=free)
        # Providers raise whatever their library raises, after Inspect's own retries. It costs the
        # bundles of this request their verdict, says why, and is asked again at the next scoring.
        except Exception as error:
            return Answer(error=_told(error))
        return _answer(output, free=free)

    return ask


def _told(error: Exception) -> str:
    """What went wrong, by the last attempt when Inspect gave up after several."""
    last = getattr(error, "last_attempt", None)
    cause = error if last is None else last.exception() or error
    return clean(f"{type(cause).__name__}: {cause}"[:2000])


def _config(model: Model) -> GenerateConfig:
    told = model.config
    config = GenerateConfig(
        response_schema=ResponseSchema(
            name="judge_reply",
            description="Decisions about the bundles of the request.",
            json_schema=json_schema(WrittenReply),
            strict=True,
        )
    )
    if not told.batch:
        if told.max_retries is None:
            config.max_retries = MAX_RETRIES
        if told.attempt_timeout is None:
            config.attempt_timeout = ATTEMPT_SECONDS
        if told.timeout is None:
            config.timeout = TOTAL_SECONDS
    return config


def _answer(output: ModelOutput, *, free: bool) -> Answer:
    usage = output.usage.model_dump(exclude_none=True) if output.usage else {}
    about: dict[str, Any] = {
        "served": clean(output.model) or None,
        "usage": {name: number for name, number in usage.items() if isinstance(number, int)},
        "cost_usd": 0.0 if free else usage.get("total_cost"),
    }
    if output.empty:
        reason = output.error and clean(output.error)
        return Answer(error=reason or "the model gave no answer", **about)
    message = output.message
    parts = message.content if isinstance(message.content, list) else []
    declined = any(isinstance(part, ContentText) and part.refusal for part in parts)
    return Answer(
        text=message.text,
        stop_reason="content_filter" if declined else output.stop_reason,
        raw=_raw(output),
        **about,
    )


def _raw(output: ModelOutput) -> str:
    """The whole message as JSON text."""
    try:
        return output.message.model_dump_json(exclude_none=True)
    except ValueError:
        # A lone surrogate is no UTF-8; escaped, it can be kept as the model wrote it.
        return json.dumps(output.message.model_dump(mode="python", exclude_none=True), default=str)
