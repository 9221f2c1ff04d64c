"""The kinds of things that plugins register, and what each must be (SPEC §10)."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, get_args

from bazaarbench.errors import PluginError
from bazaarbench.market.rules import CheckMode, Rules
from bazaarbench.model_settings import ModelSetting

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9._-]{0,63}")
#: Where the host writes whose a check or a failure type is, for messages about its faults.
ORIGIN = "origin"


@dataclass(frozen=True)
class Kind:
    """One kind of thing that plugins register."""

    #: Field of ``Registry``; the hook is ``register_<field>``.
    field: str
    word: str
    #: Attribute that holds the name; ``None`` when the name is given beside the thing.
    named_by: str | None
    #: What the thing must be, or the attributes without which it cannot be used.
    of: type[Any] = object
    needs: tuple[str, ...] = ()
    #: What is wrong with a thing that has all of these, if anything is.
    fault: Callable[[Any], str | None] = lambda thing: None
    #: Whether it is told whose it is.
    marked: bool = False

    @property
    def hook(self) -> str:
        """The name of its hook."""
        return f"register_{self.field}"


def _check_fault(check: Any) -> str | None:
    """What it asks about, and whether it can say its mode; else every run would end with it."""
    from bazaarbench.market.actions import ACTIONS

    unknown = sorted(str(action) for action in frozenset(check.actions) - ACTIONS.keys())
    if unknown:
        return f"it asks about {', '.join(unknown)}; actions are {', '.join(ACTIONS)}"
    mode = check.mode(Rules())
    if mode not in get_args(CheckMode):
        return f"its mode is {mode!r:.100}; allowed are {', '.join(get_args(CheckMode))}"
    return None


def _condition_fault(condition: Any) -> str | None:
    from bazaarbench.conditions import Targets

    if not isinstance(condition.about, str):
        return f"its about is {condition.about!r:.100}; needed is a text"
    if not (condition.text is None or (isinstance(condition.text, str) and condition.text)):
        return f"its text is {condition.text!r:.100}; needed is a text, or None for none"
    if not isinstance(condition.targets, Targets):
        return f"its targets are {condition.targets!r:.100}; needed is a Targets"
    if not isinstance(condition.base, bool):
        return f"its base is {condition.base!r:.100}; needed is True or False"
    return None


def _section_fault(section: Any) -> str | None:
    for name in ("failure_type", "text"):
        value = getattr(section, name)
        if not isinstance(value, str) or not value.strip():
            return f"its {name} is {value!r:.100}; needed is a text"
    return None


KINDS = (
    Kind(
        "failure_types",
        "failure type",
        "key",
        needs=(
            *("title", "object_kind", "decided_by", "stages"),
            *("s1_key", "objects", "bundles", "merge_key"),
        ),
        marked=True,
    ),
    Kind(
        "checks",
        "check",
        "name",
        needs=("actions", "mode", "__call__"),
        fault=_check_fault,
        marked=True,
    ),
    Kind("presets", "preset", None, of=Rules),
    Kind("policies", "policy", None, needs=("__call__",)),
    Kind("model_settings", "model setting", "name", of=ModelSetting),
    Kind(
        "conditions",
        "condition",
        "name",
        needs=("about", "text", "targets", "base"),
        fault=_condition_fault,
    ),
    Kind("catalogues", "catalogue", None, needs=("__call__",)),
    Kind(
        "rubric_sections",
        "rubric section",
        "name",
        needs=("failure_type", "text"),
        fault=_section_fault,
    ),
    Kind("report_sections", "report section", "name", needs=("title", "gather", "section")),
)


def register(kind: Kind, things: dict[str, Any], origin: str, *given: Any) -> None:
    """Take one thing from a plugin, by name.

    Args:
        kind: what it is to be.
        things: what the plugin has registered of that kind so far.
        origin: whose it is; empty for what ships.
        given: what the plugin handed over.

    Raises:
        PluginError: it is not what the hook takes; the plugin sees the error.
    """
    name, thing = _named(kind, given)
    if not isinstance(thing, kind.of):
        raise PluginError(f"the {kind.word} {name!r} is no {kind.of.__name__}: {thing!r:.200}")
    missing = [attribute for attribute in kind.needs if not hasattr(thing, attribute)]
    if missing:
        raise PluginError(f"the {kind.word} {name!r} lacks {', '.join(missing)}")
    fault = kind.fault(thing)
    if fault is not None:
        raise PluginError(f"the {kind.word} {name!r}: {fault}")
    if name in things:
        raise PluginError(f"the {kind.word} {name!r} is registered twice by this plugin")
    if kind.marked and origin:
        _mark(kind, name, thing, origin)
    things[name] = thing


def _named(kind: Kind, given: tuple[Any, ...]) -> tuple[str, Any]:
    expected = 1 if kind.named_by else 2
    if len(given) != expected:
        shape = f"the {kind.word}" if kind.named_by else f"a name and the {kind.word}"
        raise PluginError(f"register takes {shape}, and got {len(given)} arguments")
    thing = given[-1]
    if kind.named_by and isinstance(thing, type):
        raise PluginError(
            f"register takes a {kind.word}, and got the class {thing.__name__}: register an object "
            f"of it, {thing.__name__}()"
        )
    name = getattr(thing, kind.named_by, None) if kind.named_by else given[0]
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        where = f"its attribute {kind.named_by!r}" if kind.named_by else "the first argument"
        raise PluginError(
            f"a {kind.word} has the name {name!r} ({where}); allowed are up to 64 letters, digits, "
            "'.', '_' and '-', beginning with a letter"
        )
    return name, thing


def _mark(kind: Kind, name: str, thing: Any, origin: str) -> None:
    try:
        # Past the guard of frozen dataclasses: it is a note about the object and no part of it.
        object.__setattr__(thing, ORIGIN, origin)
    except (AttributeError, TypeError) as error:
        raise PluginError(
            f"the {kind.word} {name!r} has no room for the attribute {ORIGIN!r}, in which is noted "
            f"whose it is: leave out __slots__, or give it that slot"
        ) from error
