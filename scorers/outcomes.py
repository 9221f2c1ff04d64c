"""What came of the deals: completion, problems at completion, valid turns (SPEC §9).

Usage:
    inspect score logs/….eval --scorer scorers/outcomes.py --action append --model none
    inspect score logs/….eval --scorer bazaarbench/outcomes -S records=FOLDER --model none
"""

from __future__ import annotations

from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState

from bazaarbench.evals import by_condition, record_score


@scorer(metrics=[by_condition()])
def outcomes(records: str | None = None) -> Scorer:
    """Shares of the deals that a tested agent took part in (of all deals, when none are tested).

    Args:
        records: Folder in which records are looked for, beside the log's own.
    """

    async def score(state: TaskState, target: Target) -> Score:
        return await record_score(state, "outcomes", records)

    return score
