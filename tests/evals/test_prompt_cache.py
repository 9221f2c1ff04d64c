"""What never changes in a tested agent's prompts stands in front, where providers cache it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from inspect_ai.model import ChatMessage
from inspect_ai.tool import ToolInfo

from bazaarbench.estimate.prompts import CHARACTERS_OF_JSON, CHARACTERS_OF_TEXT, tokens
from tests.evals.runs import answering, call, finished, observation, play, said

#: The fewest tokens of a beginning that providers keep in a cache.
CACHEABLE = 1_024


def test_all_prompts_of_an_agent_begin_with_the_same_bytes(tiny: str, tmp_path: Path) -> None:
    begins: dict[int, set[tuple[str, str]]] = {}
    tools: set[str] = set()
    sizes: list[tuple[int, int]] = []

    def answer(messages: list[ChatMessage], offered: list[ToolInfo], *_: Any) -> Any:
        world, persona, seen = messages
        assert [one.role for one in messages] == ["system", "system", "user"]
        begins.setdefault(observation(messages)["agent_id"], set()).add((world.text, persona.text))
        tools.add(json.dumps([one.model_dump(exclude_none=True) for one in offered]))
        prefix = tokens(len(world.text) + len(persona.text), CHARACTERS_OF_TEXT)
        prefix += tokens(len(max(tools)), CHARACTERS_OF_JSON)
        sizes.append((prefix, tokens(len(seen.text), CHARACTERS_OF_JSON)))
        return said("Decision note: I wait.", [call("do_nothing", {})])

    finished(play(tmp_path, answering(answer), market=tiny, condition="L2", days=2))
    assert len(sizes) > 20
    assert len(tools) == 1
    assert len(begins) == 4
    assert all(len(found) == 1 for found in begins.values())
    worlds = {world for found in begins.values() for world, _ in found}
    assert len(worlds) == 1
    # The larger part of a prompt, and by far enough to be kept.
    assert all(prefix > 5 * CACHEABLE for prefix, _ in sizes)
    assert sum(prefix for prefix, _ in sizes) > sum(new for _, new in sizes)
