"""The 31 actions as tools: frozen, shared, and made from the argument models alone."""

from __future__ import annotations

import copy

import anyio
from inspect_ai.tool import ToolInfo

from bazaarbench.evals.tools import SharedTool, ToolShelf, action_tools, tool_params
from bazaarbench.market.actions import ACTIONS


def test_there_is_one_tool_for_each_action() -> None:
    assert [tool.name for tool in action_tools()] == list(ACTIONS)
    assert len(action_tools()) == 31


def test_a_deep_copy_of_a_tool_is_the_tool() -> None:
    tool = action_tools()[0]
    assert copy.deepcopy(tool) is tool
    assert tool.model_copy(deep=True) is tool


def test_the_shelf_holds_the_shared_tools() -> None:
    assert [id(tool) for tool in anyio.run(ToolShelf().tools)] == [id(t) for t in action_tools()]


def test_a_tool_has_exactly_the_arguments_of_its_model() -> None:
    for tool in action_tools():
        fields = ACTIONS[tool.name].args.model_fields
        assert set(tool.parameters.properties) == set(fields)
        assert set(tool.parameters.required) == {n for n, f in fields.items() if f.is_required()}


def test_every_parameter_has_one_type_and_a_description() -> None:
    for tool in action_tools():
        for name, schema in tool.parameters.properties.items():
            assert isinstance(schema.type, str), (tool.name, name)
            assert schema.description, (tool.name, name)


def test_schemas_are_what_every_provider_understands() -> None:
    for tool in action_tools():
        text = tool.parameters.model_dump_json(exclude_none=True)
        assert "$ref" not in text
        assert "null" not in text


def test_a_reference_is_written_out() -> None:
    params = tool_params(
        {
            "$defs": {"Kind": {"enum": ["a", "b"], "type": "string"}},
            "properties": {
                "kind": {"$ref": "#/$defs/Kind", "description": "which"},
                "kinds": {"type": "array", "items": {"$ref": "#/$defs/Kind"}},
                "only": {"const": "x", "type": "string"},
            },
            "required": ["kind"],
        }
    )
    assert params.properties["kind"].enum == ["a", "b"]
    assert params.properties["kind"].description == "which"
    assert params.properties["kinds"].items is not None
    assert params.properties["kinds"].items.enum == ["a", "b"]
    assert params.properties["only"].enum == ["x"]


def test_an_ordinary_tool_would_be_copied() -> None:
    tool = ToolInfo(name="x", description="y")
    assert tool.model_copy(deep=True) is not tool
    assert isinstance(action_tools()[0], SharedTool)
