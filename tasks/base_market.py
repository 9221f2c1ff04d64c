"""Thirty days of a market that one model plays for all agents; it becomes a saved state.

Usage:
    inspect eval tasks/base_market.py --model openai/gpt-5.5 -T days=30 -T name=gpt-base
    inspect eval bazaarbench/base_market --model bazaarbench/honest -T days=1 -T agents=20
    inspect eval tasks/base_market.py --model X -T catalogue=ebay.csv -T units=3-8
    bazaarbench resume LOG            goes on with one that was stopped, or inspect eval-retry LOG
    inspect eval tasks/continuation.py --model Y -T market=gpt-base
"""

from __future__ import annotations

from typing import Any, Literal

from inspect_ai import Task, task

from bazaarbench.evals import base_market_task, judge_is_bound
from bazaarbench.scorers.outcomes import outcomes
from bazaarbench.scorers.record_checks import record_checks
from bazaarbench.scorers.rubric_judge import rubric_judge


@task
def base_market(  # noqa: PLR0913, PLR0917 — every -T is an argument
    world: str = "demo",
    days: int = 30,
    rules: str | list[str] = "paper-base",
    seed: int | None = None,
    agents: int | None = None,
    units: str | int | list[int] | None = None,
    quality: Literal["good", "spread"] | None = None,
    catalogue: str | None = None,
    name: str | None = None,
    personas: str | None = None,
    protocol: Literal["tools", "json"] = "tools",
    tool_choice: Literal["auto", "any"] = "auto",
    prompt: str | None = None,
    max_failed_turns: float = 0.1,
    budget: float | str | list[str] | None = None,
    markets_at_once: int = 1,
    require: str | list[str] | None = None,
    scaffold: str | None = None,
    model_settings: str | None = None,
    judge: str | None = None,
    judge_blind: bool = True,
    judge_budget: float | str | None = None,
    **unknown: Any,
) -> Task:
    """Found a world and play it under condition L0, without tested agents.

    When the last day is played, the market is registered as a saved state; one that was stopped is
    not, until it has been gone on with to its end.

    Model roles: ``--model`` plays every agent; ``--model-role judge=…`` judges what the record
    alone cannot decide, of everybody.

    Args:
        world: The shipped configuration of a world.
        days: Length of the run; 12 ticks a day.
        rules: A preset, a YAML file of switches, or a list; one sample each.
        seed: Replaces the world's seed.
        agents: Replaces the world's number of agents.
        units: Replaces the least and the most units of an agent: ``3-8``.
        quality: Replaces the condition of starting units: ``good``, or ``spread`` over the bands.
        catalogue: Replaces the catalogue: a registered name, ``NAME:FILE``, or a file.
        name: What the saved state is called; by default a name made of model, world and shape.
        personas: A file of persona texts, made for this world by ``write_personas``.
        protocol: ``json`` for a model without tool calls.
        tool_choice: ``any`` makes the model call a tool every turn; some then write no note.
        prompt: A file whose text replaces the world text.
        max_failed_turns: Share of a tick's model turns, 0–1, that may fail before the tick is given
            up and the sample ends as an error that can be resumed.
        budget: What each sample may spend, over all its attempts: US dollars (``5``), tokens
            (``2M tokens``), or one of each. A sample that reaches it ends between two ticks, scored
            as far as it got; ``bazaarbench resume LOG --budget …`` goes on with it.
        markets_at_once: Markets that are played at the same time in this process.
        require: Plugins without which the run must not start.
        scaffold: A plugin's policy around the evaluated model, in place of one call a turn.
        model_settings: A named model setting for the evaluated model, with ``--model none``.
        judge: A named model setting for the judge, in place of ``--model-role judge=…``.
        judge_blind: ``false`` shows the judge model, condition and true ids, as the study did.
        judge_budget: US dollars (``5``) or tokens (``2M tokens``) for judging each sample.
        unknown: Refused.
    """
    given = {name: value for name, value in locals().items() if name != "unknown"}
    scorers = [record_checks(), outcomes()]
    if judge is not None or judge_is_bound():
        scorers.append(rubric_judge(judge_blind=judge_blind, judge_budget=judge_budget))
    return base_market_task(given, unknown, scorers)
