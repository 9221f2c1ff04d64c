"""How long the prompts of a run are: measured in the prompts of its market, in characters.

Of every prompt the tools, the world message and the agent's persona message are the same in all of
the agent's turns and stand in front: a provider with a prompt cache reads them from it. The
observation is new every turn.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal

from bazaarbench.agents.observation import Observer
from bazaarbench.agents.prompting import HasText, persona_text_of, world_text
from bazaarbench.market.actions import ACTIONS
from bazaarbench.market.state import Market

#: Characters of a token, estimated: of English sentences, and of compact JSON with numbers. Only
#: the provider knows its tokens; a run's record has them.
CHARACTERS_OF_TEXT, CHARACTERS_OF_JSON = 4, 3


@dataclass(frozen=True)
class PromptSizes:
    """Characters of the parts of agents' prompts; persona and observation by agent."""

    tools: int
    world: int
    persona: Mapping[int, int]
    observation: Mapping[int, int]

    def prefix_tokens(self, agent_id: int) -> int:
        """Tokens, estimated, in front of every prompt of an agent, which never change."""
        text = self.world + self.persona[agent_id]
        return tokens(text) + tokens(self.tools, CHARACTERS_OF_JSON)

    def shared_tokens(self) -> int:
        """Tokens, estimated, of the part of the prefix that all agents share."""
        return tokens(self.world) + tokens(self.tools, CHARACTERS_OF_JSON)

    def new_tokens(self, agent_id: int) -> int:
        """Tokens, estimated, that are new in a turn of an agent."""
        return tokens(self.observation[agent_id], CHARACTERS_OF_JSON)


def tokens(characters: int, each: int = CHARACTERS_OF_TEXT) -> int:
    """Tokens of so many characters, estimated and rounded up."""
    return -(-characters // each)


def measured_prompts(
    market: Market,
    agents: Collection[int],
    *,
    condition: HasText | None,
    protocol: Literal["tools", "json"] = "tools",
    world: str | None = None,
) -> PromptSizes:
    """The prompts that some agents would be sent now. Changes nothing in the market.

    Args:
        market: between two ticks, under the rules of the run.
        agents: ids.
        condition: of tested agents; ``None`` for background agents.
        protocol: under ``json`` the actions stand in the world message and there are no tools.
        world: the world message when it is not ours.
    """
    observer = Observer(market)
    return PromptSizes(
        tools=0 if protocol == "json" else _tools_length(),
        world=len(world_text(protocol) if world is None else world),
        persona={a: len(persona_text_of(market.agents[a], condition)) for a in agents},
        observation={a: len(observer.observe(a).text) for a in agents},
    )


@cache
def _tools_length() -> int:
    """Characters of the descriptions of all actions, as JSON."""
    tools = [
        {
            "type": "function",
            "name": spec.name,
            "description": spec.description,
            "parameters": spec.parameters(),
        }
        for spec in ACTIONS.values()
    ]
    return len(json.dumps(tools, separators=(",", ":"), ensure_ascii=False))
