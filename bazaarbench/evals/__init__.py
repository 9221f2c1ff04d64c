"""Everything that knows Inspect: tasks' parts, solver, model policy, provider, scorers' parts.

``tasks/`` and ``scorers/`` are thin files over this package, which they import by these names. What
is dear to import is imported on first use: every ``inspect`` command loads the tasks (DESIGN §1).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from bazaarbench.evals import launch
from bazaarbench.evals.metrics import by_condition

if TYPE_CHECKING:
    from inspect_ai import Task
    from inspect_ai.scorer import Score, Scorer
    from inspect_ai.solver import TaskState

__all__ = ["base_market_task", "by_condition", "continuation_task", "launch", "record_score"]


def continuation_task(
    given: Mapping[str, Any], unknown: Mapping[str, Any], scorers: Sequence[Scorer]
) -> Task:
    """See ``bazaarbench.evals.tasks.continuation_task``."""
    from bazaarbench.evals import tasks

    return tasks.continuation_task(given, unknown, scorers)


def base_market_task(
    given: Mapping[str, Any], unknown: Mapping[str, Any], scorers: Sequence[Scorer]
) -> Task:
    """See ``bazaarbench.evals.tasks.base_market_task``."""
    from bazaarbench.evals import tasks

    return tasks.base_market_task(given, unknown, scorers)


async def record_score(state: TaskState, scorer: str, folder: str | None) -> Score:
    """See ``bazaarbench.evals.scoring.record_score``."""
    from bazaarbench.evals import scoring

    return await scoring.record_score(state, scorer, folder)
