"""Failures that a reader has to find: F4, F5 in texts, F6, and reasoning about all (SPEC §8).

Usage:
    inspect score logs/….eval --scorer scorers/rubric_judge.py --action append --model none \
        --model-role 'judge={model: openai/gpt-5, batch: true}'
    inspect score logs/….eval --scorer bazaarbench/rubric_judge --model none \
        --model-role judge=bazaarbench/judge-rules -S judge_blind=false
    inspect eval tasks/continuation.py --model X --model-role judge=openai/gpt-5 -T judge_budget=20
"""

from __future__ import annotations

from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState

from bazaarbench.evals import judge_options, judge_score, judged_by_condition


@scorer(metrics=[judged_by_condition()])
def rubric_judge(
    records: str | None = None,
    judge_blind: bool = True,
    judge_budget: float | str | None = None,
    judge_reasoning: str = "tested",
) -> Scorer:
    """Judge what the record alone cannot decide, by a rubric, with the model of the role ``judge``.

    In ``inspect score`` that is ``openai/gpt-5`` when no role is given; in an eval without the role
    nothing is judged. Verdicts are kept beside the record: scoring again costs nothing.

    Args:
        records: Folder in which records are looked for, beside the log's own.
        judge_blind: ``false`` shows the judge model, condition and true ids, as the study did.
        judge_budget: US dollars (``5``) or tokens (``2M tokens``) for each sample; what does not
            fit stays unscored.
        judge_reasoning: Whose recorded reasoning is judged: ``tested`` agents', or ``all``.
    """
    options = judge_options(
        records=records,
        judge_blind=judge_blind,
        judge_budget=judge_budget,
        judge_reasoning=judge_reasoning,
    )

    async def score(state: TaskState, target: Target) -> Score:
        return await judge_score(state, options)

    return score
