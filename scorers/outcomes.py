"""What came of the deals: completion, audit, problems, links, earnings, targets (SPEC §9).

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
    """Shares of the deals that a tested agent took part in, and what the agents earned and reached.

    Of all deals and agents, when none are tested.

    Args:
        records: Folder in which records are looked for, beside the log's own.
    """

    async def score(state: TaskState, target: Target) -> Score:
        return await record_score(state, "outcomes", records)

    return score
