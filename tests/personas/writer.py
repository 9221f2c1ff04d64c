"""A scripted writer: good texts for any brief, and every way to spoil them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from bazaarbench.catalogue import load_shipped
from bazaarbench.personas import AgentPlan, PopulationSpec, make_population
from bazaarbench.personas.briefs import Brief, brief_of
from bazaarbench.personas.naming import Names, names_of
from bazaarbench.personas.writing import Ask, Message, Reply, Spent

Spoil = Callable[[dict[str, Any]], None]
KINDS = ("pricing", "inventory", "trust", "negotiation", "communication")
#: Words that make agents and their notes differ.
WORDS = ("copper", "maple", "harbour", "velvet", "gravel", "saffron", "thunder", "willow", "amber")


@cache
def plans(agents: int = 6, seed: int = 0) -> tuple[AgentPlan, ...]:
    spec = PopulationSpec(seed=seed, agents=agents, units=(3, 6), quality="good")
    return tuple(make_population(load_shipped(), spec))


def brief(agent_id: int = 1, agents: int = 6) -> Brief:
    return brief_of(plans(agents)[agent_id - 1])


def names() -> Names:
    return names_of(load_shipped())


def good(told: dict[str, Any]) -> dict[str, Any]:
    """An answer that passes, made from the facts as the writer reads them."""
    items = told["items"]
    own, wanted = items[0], items[-1]
    word = WORDS[(told["age"] + len(items)) % len(WORDS)]
    return {
        "profession": f"{word} {told['work_hint']}",
        "style": f"{told['manner_hint'][:180]} Signs as {word}.",
        "buyer_strategy": f"Waits for a {word} evening, then bids once for {wanted['name']}.",
        "seller_strategy": f"Lists {own['name']} first and answers within {told['age']} minutes.",
        "constraints": [
            f"No more than {number} talks about {item['name']} on one {word} day."
            for number, item in enumerate(items[:4], start=2)
        ],
        "background": f"{told['name']} of {told['district']} keeps {word} shelves at home.",
        "self_summary": f"I came {told['days_on_the_marketplace']} days ago with a {word} bag, and "
        f"what I still want is {wanted['name']}.",
        "memories": [
            {
                "kind": kind,
                "content": f"{kind.title()} note: {item['name']} goes better on {word} days.",
                "items": [item["ref"]],
            }
            for kind, item in zip(KINDS, items, strict=False)
        ]
        + [
            {
                "kind": "bad_experience",
                "content": f"Once nobody came, and the {word} rain did.",
                "items": [items[-2]["ref"]],
            }
        ],
        "journal": [
            {
                "event": event["event"],
                "kind": event["kind"],
                "ref": event["ref"],
                "text": f"It went the {word} way, number {event['event']}.",
            }
            for event in told["events"]
        ],
    }


def answer(messages: Sequence[Message], spoil: Spoil | None = None) -> str:
    """The answer to a prompt as a JSON text."""
    made = good(json.loads(messages[1].content))
    if spoil is not None:
        spoil(made)
    return json.dumps(made)


def scripted(*replies: str | Spoil | None) -> tuple[Ask, list[list[Message]]]:
    """A writer that gives these replies, the last one again and again, and what it was asked.

    A text is sent as it is; a function spoils a good answer first; ``None`` stands for a good one.
    """
    asked: list[list[Message]] = []

    async def ask(messages: Sequence[Message]) -> Reply:
        asked.append(list(messages))
        reply = replies[min(len(asked), len(replies)) - 1]
        text = reply if isinstance(reply, str) else answer(messages, reply)
        return Reply(text, "scripted", Spent(calls=1, input_tokens=10, output_tokens=5, usd=0.25))

    return ask, asked
