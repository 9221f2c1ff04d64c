"""Reading actions out of text, for models that have no tool calls (``protocol=json``).

Accepted is what reference A §4.8 lists: an array of actions, one object, or an object that holds
them under ``tool_calls`` or ``actions``, in a code fence or not, with text around it. What begins
as an action and is no JSON becomes a call without arguments that keeps the text.
"""

from __future__ import annotations

import json
import re
from typing import Any

from bazaarbench.market.calls import ToolCall

#: A reply longer than this is read up to here.
MAX_READ_CHARS = 200_000
#: After so many places that look like JSON and are none, the rest is not looked at.
_MAX_FAULTS = 50
#: How far the end of an unreadable object is looked for.
_CLOSES_WITHIN = 20_000
#: How far an unreadable piece is searched for the name of its action.
_NAME_WITHIN = 4_000

_FENCE = re.compile(r"```[a-zA-Z0-9_-]*[ \t]*\n?(.*?)(?:```|\Z)", re.DOTALL)
_NAMED = re.compile(r"""["'](?:action|name|tool)["']\s*:\s*["']([^"'\n]{1,80})["']""")
_NAME_KEYS = ("action", "name", "tool")
_ARGUMENT_KEYS = ("arguments", "args")
_LIST_KEYS = ("tool_calls", "actions")
_NOTE_KEYS = ("decision_note", "note")


class _NotANumber(ValueError):
    """A number that JSON does not have or that a float cannot hold."""


def calls_in(text: str) -> tuple[ToolCall, ...]:
    """All actions in a reply's text, in order."""
    calls: list[ToolCall] = []
    for part in _parts(text):
        for value, written in _values(part):
            calls.extend(_calls_of(value, written))
    return tuple(calls)


def note_key(text: str) -> str | None:
    """A decision note that stands beside the actions, as ``{"note": …, "actions": […]}``."""
    for part in _parts(text):
        for value, _ in _values(part):
            if isinstance(value, dict):
                for key in _NOTE_KEYS:
                    if isinstance(value.get(key), str) and value[key].strip():
                        return str(value[key]).strip()
    return None


def _parts(text: str) -> list[str]:
    """The contents of code fences if there are any with JSON in them, else the whole text."""
    text = text[:MAX_READ_CHARS]
    fenced = [part for part in _FENCE.findall(text) if "{" in part or "[" in part]
    return fenced or [text]


def _values(text: str) -> list[tuple[Any, str]]:
    """The JSON objects and arrays of a text, outermost first read; ``None`` for unreadable ones.

    An array that cannot be read, because it was cut off or something in it is wrong, is read item
    by item: what is whole in it counts.
    """
    decoder = json.JSONDecoder(parse_float=_finite, parse_constant=_no_constant, strict=False)
    found: list[tuple[Any, str]] = []
    at, faults = 0, 0
    while faults < _MAX_FAULTS:
        start = _next_opening(text, at)
        if start < 0:
            break
        try:
            value, at = decoder.raw_decode(text, start)
            found.append((value, text[start:at]))
            continue
        except (ValueError, RecursionError):
            faults += 1
        at = start + 1
        if text[start] == "{":
            end = _closing(text, start)
            piece = text[start:] if end is None else text[start:end]
            if _is_holder(piece):
                continue
            if _NAMED.search(piece[:_NAME_WITHIN]) is not None:
                found.append((None, piece))
                at = start + len(piece)
    return found


def _next_opening(text: str, at: int) -> int:
    places = [place for place in (text.find("{", at), text.find("[", at)) if place >= 0]
    return min(places, default=-1)


def _closing(text: str, start: int) -> int | None:
    """The end of the balanced braces that open at ``start``; ``None`` when they do not close."""
    depth, quoted, escaped = 0, False, False
    for place in range(start, min(len(text), start + _CLOSES_WITHIN)):
        letter = text[place]
        if quoted:
            if escaped:
                escaped = False
            elif letter == "\\":
                escaped = True
            elif letter == '"':
                quoted = False
        elif letter == '"':
            quoted = True
        elif letter == "{":
            depth += 1
        elif letter == "}":
            depth -= 1
            if depth == 0:
                return place + 1
    return None


def _is_holder(piece: str) -> bool:
    """Whether an unreadable object is one that holds a list of actions, to be read inside."""
    head = piece[:_NAME_WITHIN]
    places = [head.find(f'"{key}"') for key in _LIST_KEYS]
    first = min((place for place in places if place >= 0), default=-1)
    named = _NAMED.search(head)
    return first >= 0 and (named is None or first < named.start())


def _calls_of(value: Any, written: str) -> list[ToolCall]:
    if value is None:
        named = _NAMED.search(written[:_NAME_WITHIN])
        return [ToolCall(named.group(1) if named else "", None, written)]
    if isinstance(value, list):
        if not any(isinstance(item, dict) for item in value):
            return []  # a list of numbers or words in prose
        return [call for item in value for call in _calls_of_item(item)]
    for key in _LIST_KEYS:
        if isinstance(value.get(key), list):
            return [call for item in value[key] for call in _calls_of_item(item)]
    return [_call(value)] if _name_of(value) is not None else []


def _calls_of_item(item: Any) -> list[ToolCall]:
    if isinstance(item, dict):
        return [_call(item)]
    return [ToolCall("", None, _written(item))]


def _call(item: dict[str, Any]) -> ToolCall:
    """One action; its arguments are an object, or text that holds one, or nothing at all."""
    name = _name_of(item)
    if name is None:
        return ToolCall("", None, _written(item))
    function = item.get("function")
    holder = function if isinstance(function, dict) else item
    for key in _ARGUMENT_KEYS:
        if key in holder:
            return _with_arguments(name, holder[key])
    if len(holder) == 1 or isinstance(function, dict):
        return ToolCall(name, {})
    return ToolCall(name, None, _written(item))


def _with_arguments(name: str, arguments: Any) -> ToolCall:
    if isinstance(arguments, str):
        try:
            parsed = json.loads(arguments, parse_float=_finite, parse_constant=_no_constant)
        except (ValueError, RecursionError):
            return ToolCall(name, None, arguments)
        return (
            ToolCall(name, parsed) if isinstance(parsed, dict) else ToolCall(name, None, arguments)
        )
    if isinstance(arguments, dict):
        return ToolCall(name, arguments)
    return ToolCall(name, None, _written(arguments))


def _name_of(item: dict[str, Any]) -> str | None:
    function = item.get("function")
    if isinstance(function, dict) and isinstance(function.get("name"), str):
        return str(function["name"])
    for key in _NAME_KEYS:
        if isinstance(item.get(key), str):
            return str(item[key])
    return function if isinstance(function, str) else None


def _finite(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise _NotANumber(text)
    return value


def _no_constant(text: str) -> float:
    raise _NotANumber(text)


def _written(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:  # it could just be read, and is a level too deep to be written
        return "(nested too deeply to be written down)"
