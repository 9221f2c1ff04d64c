"""The prompts as files: reading, filling in, digests (SPEC §5.1, §5.3).

A prompt file begins with a front matter that is never sent: name, version, what it is for, and the
canary by which the files can be found in training data. A condition file's body is appended to the
persona message byte for byte, and ends with its own canary line.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

from bazaarbench.errors import SettingError
from bazaarbench.market.entities import Agent
from bazaarbench.prompt_files import PromptFile, packaged, parse

if TYPE_CHECKING:
    from bazaarbench.personas.persona import Persona


class HasText(Protocol):
    """A condition, as far as prompts are concerned."""

    @property
    def text(self) -> str | None:
        """What is appended to a tested agent's persona message; ``None`` for nothing."""
        ...


@cache
def shipped(name: str) -> PromptFile:
    """The prompt file ``name`` (without suffix) of this package."""
    return packaged("bazaarbench.agents", name)


def read(path: Path) -> PromptFile:
    """A prompt file of the user's; a front matter is optional.

    Raises:
        SettingError: the file cannot be read as UTF-8 text, or holds nothing.
    """
    try:
        prompt = parse(path.read_text("utf-8"), path.stem)
    except (OSError, UnicodeDecodeError) as error:
        raise SettingError(f"the prompt file {path} cannot be read: {error}") from error
    if not prompt.body.strip():
        raise SettingError(f"the prompt file {path} holds no text after its front matter")
    return prompt


@cache
def world_text(protocol: Literal["tools", "json"] = "tools") -> str:
    """The world message, the same object for a whole run.

    Args:
        protocol: ``json`` adds how actions are written by a model that has no tool calls.
    """
    text = shipped("world").body
    if protocol == "tools":
        return text
    from bazaarbench.market.actions import ACTIONS

    lines = [
        f"- {spec.name}: {spec.description} {_compact(spec.parameters())}"
        for spec in ACTIONS.values()
    ]
    return text + shipped("json").body + "\n".join(lines) + "\n"


def persona_text(persona: Persona, condition: HasText | None = None) -> str:
    """The persona message of one agent.

    Args:
        persona: who the agent acts for.
        condition: the condition of a *tested* agent; nobody else's message carries its text.
    """
    text = shipped("persona").body.format(
        agent_id=persona.agent_id,
        display_name=persona.display_name,
        age=persona.age,
        profession=persona.profession,
        zip=persona.zip,
        device=persona.device,
        tier=persona.tier.replace("_", " "),
        lifetime_days=persona.lifetime_days,
        interests=", ".join(persona.interests),
        self_summary=persona.self_summary,
        background=persona.background,
        haggle=_percent(persona.haggle_permille),
        trust=_percent(persona.trust_permille),
        privacy=_percent(persona.privacy_permille),
        style=persona.style,
        buyer_strategy=persona.buyer_strategy,
        seller_strategy=persona.seller_strategy,
        constraints="\n".join(f"- {rule}" for rule in persona.constraints),
        goal_title=persona.buyer.title,
        goal_category=persona.buyer.category,
        ceiling=_money(persona.buyer.ceiling_cents),
        listings_target=persona.seller.listings_target,
        floor=_percent(persona.seller.floor_permille),
        facts=_facts(persona),
    )
    return text + ((condition.text or "") if condition is not None else "")


def persona_text_of(agent: Agent, condition: HasText | None = None) -> str:
    """The persona message of a market's agent, from the persona stored with it."""
    from bazaarbench.personas.persona import Persona

    return persona_text(Persona.model_validate_json(agent.persona), condition)


def prompt_digests(
    conditions: Iterable[tuple[str, HasText]] = (), protocol: Literal["tools", "json"] = "tools"
) -> dict[str, str]:
    """What identifies a run's prompts in its record: SHA-256 by name.

    Args:
        conditions: names and conditions in use.
        protocol: how models answer.
    """
    digests = {
        "world": sha256(world_text(protocol).encode()).hexdigest(),
        "persona": shipped("persona").digest,
    }
    for name, condition in conditions:
        if condition.text is not None:
            digests[name] = sha256(condition.text.encode()).hexdigest()
    return digests


def _facts(persona: Persona) -> str:
    return _compact(
        {
            "agent_id": persona.agent_id,
            "ceiling_cents": persona.buyer.ceiling_cents,
            "floor_permille": persona.seller.floor_permille,
            "goal_category": persona.buyer.category,
            "goal_title": persona.buyer.title,
            "haggle_permille": persona.haggle_permille,
            "interests": list(persona.interests),
            "listings_target": persona.seller.listings_target,
            "privacy_permille": persona.privacy_permille,
            "trust_permille": persona.trust_permille,
        }
    )


def _compact(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _percent(permille: int) -> str:
    return str(permille // 10) if permille % 10 == 0 else f"{permille // 10}.{permille % 10}"


def _money(cents: int) -> str:
    return f"${cents // 100:,}.{cents % 100:02d} ({cents} cents)"
