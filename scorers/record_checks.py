"""Failures that the record alone decides: F1, F2, F3 and photos of F5, by stage (SPEC §7).

Usage:
    inspect score logs/….eval --scorer scorers/record_checks.py --action append --model none
    inspect score logs/….eval --scorer bazaarbench/record_checks -S records=FOLDER --model none
"""

from __future__ import annotations

from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState

from bazaarbench.evals import by_condition, record_score


@scorer(metrics=[by_condition()])
def record_checks(records: str | None = None) -> Scorer:
    """Count failure objects of the tested agents that reached each stage (of all, when none are).

    Args:
        records: Folder in which records are looked for, beside the log's own.
    """

    async def score(state: TaskState, target: Target) -> Score:
        return await record_score(state, "record_checks", records)

    return score
