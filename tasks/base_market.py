"""Thirty days of a market that one model plays for all agents; its record is a saved state.

Usage:
    inspect eval tasks/base_market.py --model openai/gpt-5.5 -T days=30
    inspect eval bazaarbench/base_market --model bazaarbench/honest -T days=1 -T agents=20
"""

from __future__ import annotations

from typing import Any, Literal

from inspect_ai import Task, task

from bazaarbench.evals import base_market_task
from bazaarbench.scorers.outcomes import outcomes
from bazaarbench.scorers.record_checks import record_checks


@task
def base_market(  # noqa: PLR0913, PLR0917 — every -T is an argument
    world: str = "demo",
    days: int = 30,
    rules: str | list[str] = "paper-base",
    seed: int | None = None,
    agents: int | None = None,
    protocol: Literal["tools", "json"] = "tools",
    tool_choice: Literal["auto", "any"] = "auto",
    prompt: str | None = None,
    max_failed_turns: float = 0.1,
    markets_at_once: int = 1,
    require: str | list[str] | None = None,
    **unknown: Any,
) -> Task:
    """Found a world and play it under condition L0, without tested agents.

    Model roles: none. ``--model`` plays every agent.

    Args:
        world: The shipped configuration of a world.
        days: Length of the run; 12 ticks a day.
        rules: A preset, a YAML file of switches, or a list; one sample each.
        seed: Replaces the world's seed.
        agents: Replaces the world's number of agents.
        protocol: ``json`` for a model without tool calls.
        tool_choice: ``any`` makes the model call a tool every turn; some then write no note.
        prompt: A file whose text replaces the world text.
        max_failed_turns: Share of a tick's model turns, 0–1, that may fail before the tick is given
            up and the sample ends as an error that can be resumed.
        markets_at_once: Markets that are played at the same time in this process.
        require: Plugins without which the run must not start.
        unknown: Refused.
    """
    given = {name: value for name, value in locals().items() if name != "unknown"}
    return base_market_task(given, unknown, [record_checks(), outcomes()])
