"""Everything that knows Inspect: tasks' parts, solver, model policy, provider, scorers' parts.

``tasks/`` and ``scorers/`` are thin files over this package, which they import by these names. What
is dear to import is imported on first use: every ``inspect`` command loads the tasks (DESIGN §1).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from bazaarbench.evals import launch
from bazaarbench.evals.judging_metrics import judged_by_condition
from bazaarbench.evals.metrics import by_condition

if TYPE_CHECKING:
    from inspect_ai import Task
    from inspect_ai.scorer import Score, Scorer
    from inspect_ai.solver import TaskState

    from bazaarbench.evals.judging import JudgeOptions

__all__ = [
    "base_market_task",
    "by_condition",
    "continuation_task",
    "judge_is_bound",
    "judge_options",
    "judge_score",
    "judged_by_condition",
    "launch",
    "record_score",
    "write_personas_task",
]


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


def write_personas_task(given: Mapping[str, Any], unknown: Mapping[str, Any]) -> Task:
    """See ``bazaarbench.evals.writing.write_personas_task``."""
    from bazaarbench.evals import writing

    return writing.write_personas_task(given, unknown)


async def record_score(state: TaskState, scorer: str, folder: str | None) -> Score:
    """See ``bazaarbench.evals.scoring.record_score``."""
    from bazaarbench.evals import scoring

    return await scoring.record_score(state, scorer, folder)


async def judge_score(state: TaskState, options: JudgeOptions) -> Score:
    """See ``bazaarbench.evals.judging.judge_score``."""
    from bazaarbench.evals import judging

    return await judging.judge_score(state, options)


def judge_options(**given: Any) -> JudgeOptions:
    """See ``bazaarbench.evals.judging.options_of``."""
    from bazaarbench.evals import judging

    return judging.options_of(given)


def judge_is_bound() -> bool:
    """See ``bazaarbench.evals.judging.is_bound``."""
    from bazaarbench.evals import judging

    return judging.is_bound()
