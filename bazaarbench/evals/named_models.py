"""Named model settings as models of Inspect: ``-T model_settings``, ``background``, ``judge``.

``--model`` and ``--model-role`` stay Inspect's own (SPEC §2). A setting for the evaluated model is
used with ``--model none``; any other ``--model`` wins, and that is said.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from inspect_ai.model import (
    GenerateConfig,
    Model,
    ModelCost,
    ModelInfo,
    get_model,
    get_model_info,
    model_roles,
    set_model_info,
)
from rich import get_console

from bazaarbench import plugins
from bazaarbench.errors import SettingError
from bazaarbench.evals import compat
from bazaarbench.evals.refusals import among, with_setting
from bazaarbench.evals.seats import BACKGROUND, JUDGE
from bazaarbench.model_settings import ModelSetting, Shelved, Use, all_settings, chosen
from bazaarbench.plugins import Registry

_NONE = "none/"


@dataclass(frozen=True)
class NamedModels:
    """What the settings of a task name: models, and the script of the background agents."""

    evaluated: Model | None = None
    background: Model | None = None
    judge: Model | None = None
    #: ``-T background`` when it is the name of a script.
    script: str | None = None

    @property
    def roles(self) -> dict[str, str | Model]:
        """The roles that the task binds."""
        named = {BACKGROUND: self.background, JUDGE: self.judge}
        return {role: model for role, model in named.items() if model is not None}


def shelf(registry: Registry) -> dict[str, Shelved]:
    """Every named setting that there is.

    Raises:
        SettingError: The user's file cannot be read.
    """
    return all_settings(registry.model_settings, registry.origins("model setting"))


def named_models(
    *, evaluated: str | None, use: Use, background: str | None = None, judge: str | None = None
) -> NamedModels:
    """The models that a task's settings name.

    Args:
        evaluated: ``-T model_settings``.
        use: What the evaluated model does: ``tested``, or ``base``.
        background: ``-T background``, a script or a setting.
        judge: ``-T judge``.

    Raises:
        SettingError: An unknown name, a setting that is meant for something else, or a role that
            ``--model-role`` binds too.
        PrerequisiteError: The provider needs a package or a key that is not there.
    """
    registry = plugins.load()
    known = shelf(registry)
    script = background if background in registry.policies else None
    played = None
    if background is not None and script is None:
        played = with_setting("-T background", _background, background, registry, known)
    return NamedModels(
        evaluated=_evaluated(evaluated, use, known),
        background=played,
        judge=None if judge is None else with_setting("-T judge", _judge, judge, known),
        script=script,
    )


def _background(name: str, registry: Registry, known: dict[str, Shelved]) -> Model:
    if name not in known:
        fitting = [key for key, one in known.items() if BACKGROUND in one.setting.uses]
        among(name, [*registry.policies, *fitting], "policy or model setting")
    _refuse_both(BACKGROUND, name)
    return model_of(chosen(name, "background", known))


def _judge(name: str, known: dict[str, Shelved]) -> Model:
    _refuse_both(JUDGE, name)
    return model_of(chosen(name, "judge", known))


def _refuse_both(role: str, name: str) -> None:
    bound = model_roles().get(role)
    if bound is not None:
        raise SettingError(
            f"{name} and --model-role {role}={bound} both name a model; give one of them."
        )


def _evaluated(name: str | None, use: Use, known: dict[str, Shelved]) -> Model | None:
    if name is None:
        return None
    setting = with_setting("-T model_settings", chosen, name, use, known)
    told = compat.evaluated_model()
    if told is None or str(told).startswith(_NONE):
        return model_of(setting)
    get_console().print(
        f"-T model_settings={name} is not used: --model {told} says who plays (--model none leaves "
        "it to the setting)",
        markup=False,
        highlight=False,
        soft_wrap=True,
    )
    return None


def model_of(setting: ModelSetting) -> Model:
    """The model of a setting, with its options; its prices are told to Inspect.

    Raises:
        PrerequisiteError: The provider needs a package or a key that is not there.
    """
    options = GenerateConfig(
        reasoning_effort=setting.reasoning_effort,
        max_tokens=setting.max_tokens,
        temperature=setting.temperature,
        attempt_timeout=setting.attempt_timeout,
        max_retries=setting.max_retries,
    )
    arguments: dict[str, Any] = dict(setting.model_args)
    model = get_model(
        setting.model,
        config=options,
        base_url=setting.base_url,
        # Else two roles of one model would be one object, and their usage one sum.
        memoize=False,
        **arguments,
    )
    if setting.prices is not None:
        info = get_model_info(model) or ModelInfo()
        dollars = setting.prices
        cached = dollars.input_usd if dollars.cached_input_usd is None else dollars.cached_input_usd
        cost = ModelCost(
            input=dollars.input_usd,
            output=dollars.output_usd,
            input_cache_write=dollars.input_usd,
            input_cache_read=cached,
        )
        set_model_info(str(model), info.model_copy(update={"cost": cost}))
    return model


def role_syntax(setting: ModelSetting) -> str:
    """The setting as ``--model-role role='…'`` takes it."""
    parts = [f"model: {setting.model}"]
    for option in ("reasoning_effort", "max_tokens", "temperature", "attempt_timeout"):
        value = getattr(setting, option)
        if value is not None:
            parts.append(f"{option}: {value}")
    if setting.max_retries is not None:
        parts.append(f"max_retries: {setting.max_retries}")
    arguments = dict(setting.model_args)
    if setting.base_url is not None:
        arguments["base_url"] = setting.base_url
    if arguments:
        parts.append(f"model_args: {json.dumps(arguments)}")
    return "{" + ", ".join(parts) + "}"
