"""Files of model settings: ``name: {model: …}``, one mapping a setting."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from bazaarbench import paths
from bazaarbench.errors import SettingError
from bazaarbench.model_settings.setting import ModelSetting

USER_FILE = "models.yaml"


def shipped() -> tuple[ModelSetting, ...]:
    """The settings that ship: those of the study (``study.yaml``)."""
    text = files("bazaarbench.model_settings").joinpath("study.yaml").read_text("utf-8")
    return parsed(text, "study.yaml")


def user_file() -> Path:
    """Where a user's own settings stand, whether or not they do."""
    return paths.home() / USER_FILE


def of_user() -> tuple[ModelSetting, ...]:
    """The user's own settings; none when there is no file.

    Raises:
        SettingError: the file cannot be read, or something in it is not allowed.
    """
    path = user_file()
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError:
        return ()
    except (OSError, UnicodeDecodeError) as error:
        raise SettingError(f"the model settings {path} cannot be read: {error}") from error
    return parsed(text, str(path))


def parsed(text: str, where: str) -> tuple[ModelSetting, ...]:
    """The settings of a YAML text, in its order.

    Args:
        text: a mapping from names to settings.
        where: the file, for messages.

    Raises:
        SettingError: it is no such mapping, or a setting is not allowed.
    """
    try:
        content = yaml.safe_load(text)
    except (ValueError, RecursionError, yaml.YAMLError) as error:
        raise SettingError(f"the model settings {where} are no YAML: {error}") from error
    if content is None:
        return ()
    if not isinstance(content, Mapping):
        raise SettingError(
            f"the model settings {where} must be a mapping from names to settings, as in "
            "'mine: {model: openai/gpt-5.5, reasoning_effort: high}'."
        )
    return tuple(_setting(str(name), value, where) for name, value in content.items())


def _setting(name: str, value: Any, where: str) -> ModelSetting:
    if not isinstance(value, Mapping):
        raise SettingError(f"{where}: the setting {name!r} must be a mapping with 'model'.")
    try:
        return ModelSetting.model_validate({**value, "name": name})
    except (ValidationError, TypeError) as error:
        raise SettingError(f"{where}: the setting {name!r}: {_told(error)}") from error


def _told(error: Exception) -> str:
    if not isinstance(error, ValidationError):
        return str(error)
    return "; ".join(_problems(error))


def _problems(error: ValidationError) -> Iterable[str]:
    for item in error.errors(include_url=False):
        place = ".".join(map(str, item["loc"]))
        if item["type"] == "extra_forbidden":
            known = ", ".join(ModelSetting.model_fields)
            yield f"{place} is no option; allowed are {known}"
        elif item["type"] == "missing":
            yield f"{place} is missing"
        else:
            yield f"{place}: {item['msg']}; given: {item['input']!r:.80}"
