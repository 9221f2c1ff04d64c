"""The metric of ``rubric_judge``: ``by_condition``, unless judges would be mixed (SPEC §8.5)."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from typing import Any, cast

from inspect_ai.scorer import Metric, MetricProtocol, SampleScore, Value, metric

from bazaarbench.evals.metrics import by_condition

#: What must be equal for verdicts to stand in one result.
_SAME = ("model", "served", "blind", "settings", "reasoning")


@metric(scores="unreduced")
def judged_by_condition() -> Metric:
    """Like ``by_condition``; every value is ``nan`` when the samples have different judges.

    Another version of the model, another rubric, blind and not blind: such verdicts are never
    pooled or compared with each other.
    """
    pooled = cast(MetricProtocol, by_condition())

    def compute(scores: list[SampleScore]) -> Value:
        values = pooled(scores)
        if are_mixed(_judges(scores)) and isinstance(values, Mapping):
            return dict.fromkeys(values, math.nan)
        return values

    return compute


def are_mixed(judges: Iterable[Mapping[str, Any]]) -> bool:
    """Whether some of the judges, as scores name them, differ in model, way or rubric."""
    told = list(judges)
    ways = {json.dumps([one.get(name) for name in _SAME]) for one in told}
    rubrics: dict[str, set[str]] = {}
    for one in told:
        for targets, digest in (one.get("rubrics") or {}).items():
            rubrics.setdefault(targets, set()).add(digest)
    return len(ways) > 1 or any(len(digests) > 1 for digests in rubrics.values())


def _judges(scores: Iterable[SampleScore]) -> list[Mapping[str, Any]]:
    """The judges of the samples on which at least one verdict was given."""
    found = [(score.score.metadata or {}).get("judge") for score in scores]
    return [one for one in found if isinstance(one, Mapping) and one.get("served")]
