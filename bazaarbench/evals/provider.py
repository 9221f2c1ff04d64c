"""``--model bazaarbench/<policy>``: a scripted policy behind the real model path of Inspect.

It needs no key and no network, decides from the prompt's texts alone, and always reports usage
(Inspect's own mock downloads a tokenizer when it has none to report).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
)
from inspect_ai.tool import ToolCall, ToolChoice, ToolInfo

from bazaarbench import plugins
from bazaarbench.agents.policy import NOTE_PREFIX, Play, Script, ScriptedPolicy, parse_prompt
from bazaarbench.errors import SettingError
from bazaarbench.evals.refusals import refusing, with_setting
from bazaarbench.judge.scripted import SCRIPTED_JUDGE, answer

#: Name of the provider, as in ``bazaarbench/honest``.
PROVIDER = "bazaarbench"
#: What stands behind ``bazaarbench/judge-rules``: no policy, but the scripted judge.
JUDGE_RULES = SCRIPTED_JUDGE.removeprefix(f"{PROVIDER}/")
#: Where a reply says which of its calls are meant to be failures.
PLANTS = "plants"

_CHARACTERS_PER_TOKEN = 4


class ScriptAPI(ModelAPI):
    """Answers with what a scripted policy would do, or as the scripted judge."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008 — Inspect's own signature
        **model_args: Any,
    ) -> None:
        """Look the policy up.

        Raises:
            PrerequisiteError: There is no such policy, it is none that plays alone, or there are
                model arguments, which scripts do not have.
        """
        super().__init__(model_name, base_url, api_key, [], config)
        with refusing():
            if model_args:
                raise SettingError(
                    f"--model {PROVIDER}/{model_name} takes no model arguments; given: "
                    f"{', '.join(sorted(model_args))}."
                )
            self._script: Script | None = None
            if model_name != JUDGE_RULES:
                place = f"--model {PROVIDER}/{model_name}"
                self._script = with_setting(place, script_of, model_name)

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        """One turn of the script; as a JSON text when there are no tools to call."""
        texts = [message.text for message in input]
        if self._script is None:
            return self._judged(texts)
        play = self._script.act(parse_prompt(texts, config.seed or 0))
        message = _message(play, native=bool(tools), model=self.model_name)
        written = len(message.text) + sum(
            len(json.dumps(call.arguments)) for call in message.tool_calls or ()
        )
        usage = _usage(sum(map(len, texts)), written)
        return ModelOutput(
            model=self.model_name,
            choices=[
                ChatCompletionChoice(
                    message=message, stop_reason="tool_calls" if message.tool_calls else "stop"
                )
            ],
            usage=usage,
            metadata={PLANTS: [asdict(plant) for plant in play.plants]} if play.plants else None,
        )

    def _judged(self, texts: list[str]) -> ModelOutput:
        with refusing(markup=False):
            text = answer(texts[-1] if texts else "")
        output = ModelOutput.from_content(self.model_name, text)
        output.usage = _usage(sum(map(len, texts)), len(text))
        return output

    def connection_key(self) -> str:
        """A pool of connections for each policy."""
        return f"{PROVIDER}/{self.model_name}"

    def max_connections(self) -> int:
        """Nothing is connected to: as many as a tick has agents."""
        return 100


def script_of(name: str) -> Script:
    """The registered script ``name``.

    Raises:
        SettingError: There is no policy of that name, or it is no script.
    """
    # Here, because the guards call models through what is made here.
    from bazaarbench.evals.guards import made_policy

    registry = plugins.load()
    policies = registry.policies
    policy = made_policy(registry, name)
    if not isinstance(policy, ScriptedPolicy):
        raise SettingError(
            f"the policy {name!r} plays around a model and cannot stand for one; scripts that can: "
            f"{', '.join(scripts(policies))}."
        )
    return policy.script


def scripts(policies: Any) -> Sequence[str]:
    """Names of the registered policies that play without a model."""
    return [name for name, make in policies.items() if isinstance(make(), ScriptedPolicy)]


def _message(play: Play, *, native: bool, model: str) -> ChatMessageAssistant:
    if not native:
        from bazaarbench.agents.decisions import json_answer

        return ChatMessageAssistant(content=json_answer(play), model=model, source="generate")
    return ChatMessageAssistant(
        content=f"{NOTE_PREFIX} {play.note}",
        tool_calls=[
            ToolCall(id=f"call_{number}", function=call.name, arguments=call.arguments or {})
            for number, call in enumerate(play.calls, 1)
        ]
        or None,
        model=model,
        source="generate",
    )


def _usage(read: int, written: int) -> ModelUsage:
    tokens_in = read // _CHARACTERS_PER_TOKEN
    tokens_out = written // _CHARACTERS_PER_TOKEN
    return ModelUsage(
        input_tokens=tokens_in, output_tokens=tokens_out, total_tokens=tokens_in + tokens_out
    )
