"""What a writing run shows for itself in Inspect: groundedness, answers sent back, and cost."""

from __future__ import annotations

import math

from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, Value, metric, scorer
from inspect_ai.solver import TaskState

from bazaarbench.evals.writing_solver import WritingRun

_SUMS = ("sent_back", "calls", "input_tokens", "output_tokens", "usd")


@metric(scores="unreduced")
def whole_set() -> Metric:
    """Σ over the written agents; groundedness is pooled, Σ passed ÷ Σ checks.

    Refused agents end as errors and are not among the scores: ``report.json`` has them all. ``usd``
    is ``nan`` when the price of a model is not known.
    """

    def compute(scores: list[SampleScore]) -> Value:
        total = {
            key: math.fsum(_number(one, key) for one in scores)
            for key in ("passed", "checks", *_SUMS)
        }
        passed, checks = total.pop("passed"), total.pop("checks")
        return {
            "groundedness": passed / checks if checks else math.nan,
            "written": len(scores),
            **total,
        }

    return compute


def _number(score: SampleScore, key: str) -> float:
    value = score.score.as_dict()[key]
    return math.nan if value is None else float(value)


@scorer(metrics=[whole_set()])
def written_texts() -> Scorer:
    """The figures of one agent's writing."""

    async def score(state: TaskState, target: Target) -> Score:
        run = state.store_as(WritingRun)
        where = "kept from an earlier run" if run.kept else "written in this run"
        return Score(
            value={
                "groundedness": run.passed / run.checks if run.checks else math.nan,
                "passed": run.passed,
                "checks": run.checks,
                "sent_back": run.sent_back,
                "calls": run.calls,
                "input_tokens": run.input_tokens,
                "output_tokens": run.output_tokens,
                "usd": math.nan if run.usd is None else run.usd,
            },
            explanation=f"Agent {run.agent_id}: {where}, {run.sent_back} answers sent back, "
            f"{run.passed} of {run.checks} checks of groundedness passed.",
        )

    return score
