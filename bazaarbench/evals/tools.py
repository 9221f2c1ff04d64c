"""The 31 actions as Inspect tools, made once from their argument models (DESIGN §2, §3.2)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, cast

from inspect_ai.tool import Tool, ToolInfo, ToolParams
from inspect_ai.util import JSONSchema

#: What a provider is told of a parameter; everything else in pydantic's schema stays ours.
_KEPT = (
    "type",
    "description",
    "enum",
    "pattern",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
)


class SharedTool(ToolInfo):
    """A tool description that is shared by every call.

    ``Model.generate`` deep-copies each tool twice a call and compares the copies, which is most of
    what a call with 31 tools costs. Nothing changes ours, so a copy is the object itself and equal
    means the same.
    """

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> SharedTool:
        """The object itself."""
        return self

    def model_copy(
        self, *, update: Mapping[str, Any] | None = None, deep: bool = False
    ) -> SharedTool:
        """The object itself, unless something is to be changed in the copy."""
        return super().model_copy(update=update, deep=deep) if update else self

    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = object.__hash__


@cache
def action_tools() -> tuple[SharedTool, ...]:
    """All actions, by name; the same objects at every call."""
    from bazaarbench.market.actions import ACTIONS

    return tuple(
        SharedTool(
            name=spec.name,
            description=spec.description,
            parameters=tool_params(spec.parameters()),
        )
        for spec in ACTIONS.values()
    )


class ToolShelf:
    """The actions as one source of tools.

    Inspect asks of every tool that it is given whether it is a source, which is slow; of those that
    come from a source it does not.
    """

    async def tools(self) -> list[Tool]:
        """All actions."""
        return cast("list[Tool]", list(action_tools()))


def tool_params(schema: Mapping[str, Any]) -> ToolParams:
    """The parameters of a tool from the JSON schema of an arguments model.

    References are written out, as not every provider follows them. A parameter that may be ``null``
    is shown by its other type alone: it is optional, and leaving it out means the same.
    """
    definitions = schema.get("$defs", {})
    return ToolParams(
        properties={
            name: JSONSchema.model_validate(_node(node, definitions))
            for name, node in schema.get("properties", {}).items()
        },
        required=list(schema.get("required", [])),
    )


def _node(node: Mapping[str, Any], definitions: Mapping[str, Any]) -> dict[str, Any]:
    if "$ref" in node:
        target = definitions[node["$ref"].rsplit("/", 1)[-1]]
        return _node({**target, **{k: v for k, v in node.items() if k != "$ref"}}, definitions)
    kept = {key: node[key] for key in _KEPT if key in node}
    if "const" in node:
        kept["enum"] = [node["const"]]
    if node.get("default") is not None:
        kept["default"] = node["default"]
    if "items" in node:
        kept["items"] = _node(node["items"], definitions)
    if "properties" in node:
        kept["properties"] = {k: _node(v, definitions) for k, v in node["properties"].items()}
        kept["required"] = node.get("required", [])
        kept["additionalProperties"] = False
    options = [_node(o, definitions) for o in node.get("anyOf", ()) if o.get("type") != "null"]
    if len(options) == 1:
        return {**options[0], **kept}
    if options:
        kept["anyOf"] = options
    return kept
