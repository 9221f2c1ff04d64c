"""All named settings: registered ones, and the user's own, which win."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass

from bazaarbench.errors import SettingError
from bazaarbench.model_settings.files import of_user, user_file
from bazaarbench.model_settings.setting import ModelSetting, Use


@dataclass(frozen=True)
class Shelved:
    """A setting and where it comes from: a plugin, ours, or the user's file."""

    setting: ModelSetting
    origin: str


def all_settings(
    registered: Mapping[str, ModelSetting], origins: Mapping[str, str]
) -> dict[str, Shelved]:
    """Every named setting, registered ones first; a user's setting replaces one of its name.

    Args:
        registered: what plugins and BazaarBench registered.
        origins: whose each of these is.

    Raises:
        SettingError: the user's file is not readable.
    """
    found = {name: Shelved(one, origins.get(name, "")) for name, one in registered.items()}
    for one in of_user():
        found[one.name] = Shelved(one, str(user_file()))
    return found


def chosen(name: str, use: Use, shelf: Mapping[str, Shelved]) -> ModelSetting:
    """The setting ``name``, which must be meant for ``use``.

    Raises:
        SettingError: there is none, or it is meant for something else.
    """
    fitting = [key for key, one in shelf.items() if use in one.setting.uses]
    if name in fitting:
        return shelf[name].setting
    allowed = f"Allowed here: {', '.join(fitting) or 'none'} ('bazaarbench models' lists all)."
    if name in shelf:
        meant = ", ".join(shelf[name].setting.uses)
        raise SettingError(f"the model setting {name!r} is meant for {meant}. {allowed}")
    near = difflib.get_close_matches(name, fitting, 1, 0.6)
    hint = f" Did you mean {near[0]}?" if near else ""
    raise SettingError(f"unknown model setting {name!r}. {allowed}{hint}")
