"""Saying no before anything runs: one sentence, no traceback (SPEC §2)."""

from __future__ import annotations

import contextlib
import difflib
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from pydantic import ValidationError
from rich.markup import escape

from bazaarbench.errors import BazaarError, SettingError
from bazaarbench.evals.compat import PrerequisiteError

T = TypeVar("T")


@contextlib.contextmanager
def refusing(*, markup: bool = True) -> Iterator[None]:
    """Turn errors for people into the one that Inspect prints without a traceback.

    Args:
        markup: Whether the message will be printed by Inspect's command line, which takes ``[L1]``
            for a style unless it is escaped. An error of a sample is shown as it is.

    Raises:
        PrerequisiteError: Any ``BazaarError`` of the block.
    """
    try:
        yield
    except BazaarError as error:
        raise PrerequisiteError(escape(str(error)) if markup else str(error)) from error


def among(name: str, allowed: Iterable[str], what: str) -> str:
    """``name`` when it is allowed.

    Args:
        name: What was given.
        allowed: Every name that there is, in the order in which it is to be told.
        what: What the name stands for, as in "unknown condition".

    Raises:
        SettingError: With all names that are allowed, and the nearest one.
    """
    names = list(allowed)
    if name in names:
        return name
    near = difflib.get_close_matches(name, names, 1, 0.6)
    hint = f" Did you mean {near[0]}?" if near else ""
    raise SettingError(f"unknown {what} {name!r}; allowed: {', '.join(names)}.{hint}")


def with_setting(where: str, check: Callable[..., T], *args: Any) -> T:
    """Call ``check`` and put ``where``, the setting, in front of what it refuses."""
    try:
        return check(*args)
    except SettingError as error:
        raise SettingError(f"{where}: {error}") from error


def refuse_unknown(unknown: Iterable[str], known: Iterable[str], task: str) -> None:
    """Refuse settings that a task does not have, which Inspect itself passes over in silence.

    Raises:
        SettingError: Naming the first unknown setting and all that there are.
    """
    names = sorted(known)
    for name in sorted(unknown):
        near = difflib.get_close_matches(name, names, 1, 0.6)
        hint = f" Did you mean -T {near[0]}=…?" if near else ""
        raise SettingError(
            f"-T {name}: the task {task} has no such setting.{hint} Settings: {', '.join(names)}."
        )


def explained(error: ValidationError, prefix: str) -> str:
    """A pydantic error as one sentence a value: where, what was given, what is allowed."""
    return " ".join(_sentence(detail, prefix) for detail in error.errors(include_url=False))


def _sentence(detail: Any, prefix: str) -> str:
    where = ".".join(str(part) for part in detail["loc"] if not isinstance(part, int))
    given = detail.get("input")
    if detail["type"] == "value_error":
        return f"{prefix}{where}: {detail['ctx']['error']}"
    message = detail["msg"][:1].lower() + detail["msg"][1:]
    return f"{prefix}{where}: {message}; given: {given!r:.80}."
