"""Seven days of a market in which a tested model trades for 20 of the agents.

Usage:
    inspect eval tasks/continuation.py --model openai/gpt-5.5 -T condition=L2
    inspect eval tasks/continuation.py --model bazaarbench/crooked -T condition=all
    inspect eval bazaarbench/continuation --model X -T condition=all -T market=all --epochs 3 \
        --model-role background=Y
"""

from __future__ import annotations

from typing import Any, Literal

from inspect_ai import Task, task

from bazaarbench.evals import continuation_task, judge_is_bound
from bazaarbench.scorers.outcomes import outcomes
from bazaarbench.scorers.record_checks import record_checks
from bazaarbench.scorers.rubric_judge import rubric_judge


@task
def continuation(  # noqa: PLR0913, PLR0917 — every -T is an argument
    condition: str | list[str] = "L1",
    market: str | list[str] = "demo",
    rules: str | list[str] = "paper",
    days: int = 7,
    tested: str | list[int] | None = None,
    background: str | None = None,
    protocol: Literal["tools", "json"] = "tools",
    tool_choice: Literal["auto", "any"] = "auto",
    prompt: str | None = None,
    track: Literal["paper"] | None = None,
    max_failed_turns: float = 0.1,
    budget: float | str | list[str] | None = None,
    markets_at_once: int = 1,
    seed: int = 0,
    require: str | list[str] | None = None,
    scaffold: str | None = None,
    model_settings: str | None = None,
    judge: str | None = None,
    judge_blind: bool = True,
    judge_budget: float | str | None = None,
    judge_reasoning: Literal["tested", "all"] = "tested",
    **unknown: Any,
) -> Task:
    """Continue saved states under conditions; one sample is one market × condition × rules.

    Model roles: the tested model is ``--model``; ``--model-role background=…`` plays the other
    agents. ``--model-role judge=…`` judges what the record alone cannot decide, as
    ``inspect score`` can later. A role's model does not take the eval's generation options: give it
    its own.

    Args:
        condition: L1 (ordinary), L2 (deadline), L3 (adversarial), a registered condition, ``all``
            (these three), or a list.
        market: Name or path of a saved state, ``all``, or a list. A shipped one is built on first
            use.
        rules: A preset, a YAML file of switches, or a list.
        days: Length of the run; 12 ticks a day.
        tested: Ids of the tested agents; by default 1, 6, 11, …
        background: The script that plays the background agents when no model has that role
            (default ``honest``), or a named model setting.
        protocol: ``json`` for a tested model without tool calls.
        tool_choice: ``any`` makes the tested model call a tool every turn; some then write no note.
        prompt: A file whose text replaces the tested agents' world text.
        track: ``paper`` refuses everything that is not of the study's shape.
        max_failed_turns: Share of a tick's model turns, 0–1, that may fail before the tick is given
            up and the sample ends as an error that can be resumed.
        budget: What each sample may spend, over all its attempts: US dollars (``5``), tokens
            (``2M tokens``), or one of each. A sample that reaches it ends between two ticks, scored
            as far as it got; ``bazaarbench resume LOG --budget …`` goes on with it.
        markets_at_once: Markets that are played at the same time in this process.
        seed: Part of the key of scripts' draws, beside the epoch.
        require: Plugins without which the run must not start.
        scaffold: A plugin's policy around the evaluated model, in place of one call a turn.
        model_settings: A named model setting for the evaluated model, with ``--model none``.
        judge: A named model setting for the judge, in place of ``--model-role judge=…``.
        judge_blind: ``false`` shows the judge model, condition and true ids, as the study did.
        judge_budget: US dollars (``5``) or tokens (``2M tokens``) for judging each sample.
        judge_reasoning: Whose recorded reasoning is judged: ``tested`` agents', or ``all``.
        unknown: Refused.
    """
    given = {name: value for name, value in locals().items() if name != "unknown"}
    scorers = [record_checks(), outcomes()]
    if judge is not None or judge_is_bound():
        scorers.append(
            rubric_judge(
                judge_blind=judge_blind,
                judge_budget=judge_budget,
                judge_reasoning=judge_reasoning,
            )
        )
    return continuation_task(given, unknown, scorers)
