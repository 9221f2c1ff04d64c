"""New scores of some scorers put where their old ones stood in a log, and nowhere else."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from inspect_ai.log import EvalLog, EvalSample, EvalScore, EvalSpec, recompute_metrics
from inspect_ai.scorer import Score
from inspect_ai.util import registry_info
from pydantic import TypeAdapter

from bazaarbench.evals.metrics import by_condition


def replace_scores(
    log: EvalLog, scored: Mapping[tuple[str, int], Mapping[str, Score]], scorers: Sequence[str]
) -> None:
    """Replace the scores of some scorers in a log: in samples, in transcripts and in the results.

    What Inspect had appended under a further name (``record_checks1``) says the same, and goes.
    Every other scorer's scores and metrics stay as they are.

    Args:
        log: a whole log; it is changed.
        scored: the new scores by scorer, for every sample (id and epoch) that was scored.
        scorers: which.
    """
    for sample in log.samples or ():
        _in_sample(sample, scored.get((str(sample.id), sample.epoch), {}), scorers)
    _in_header(log, scorers)
    fresh = _measured(log, scorers)
    if log.results is None:
        log.results = fresh.results
        return
    assert fresh.results is not None
    log.results.scores = _in_order(log.results.scores, fresh.results.scores, scorers)
    if log.results.headline is None:
        log.results.headline = fresh.results.headline


def _in_sample(sample: EvalSample, scores: Mapping[str, Score], scorers: Sequence[str]) -> None:
    kept: dict[str, Score] = {}
    for name, score in (sample.scores or {}).items():
        scorer = _whose(name, scorers)
        if scorer is None:
            kept[name] = score
        elif scorer in scores:
            kept[scorer] = scores[scorer]
    if kept or scores:
        sample.scores = {**kept, **scores}
    for event in sample.events:
        scorer = _whose(event.scorer or "", scorers) if event.event == "score" else None
        if event.event == "score" and scorer is not None and scorer in scores:
            event.score = scores[scorer]


def _in_header(log: EvalLog, scorers: Sequence[str]) -> None:
    """Name each scorer once in the log's header, where it stood first."""
    kept: list[Any] = []
    seen: set[str] = set()
    for one in log.eval.scorers or ():
        scorer = _whose(one.name, scorers)
        if scorer is None or scorer not in seen:
            kept.append(one)
        if scorer is not None:
            seen.add(scorer)
    log.eval.scorers = [*kept, *_entries(name for name in scorers if name not in seen)]


def _entries(scorers: Iterable[str]) -> list[Any]:
    """Entries of a log's header for some scorers, as Inspect would make them here."""
    # The name under which a metric is registered depends on how this package is installed.
    metric = {"name": registry_info(by_condition()).name, "options": {}}
    made = [{"name": one, "options": {}, "metrics": [metric], "metadata": {}} for one in scorers]
    # The type of an entry has no public name; the field knows it.
    kind: Any = EvalSpec.model_fields["scorers"].annotation
    found: list[Any] = TypeAdapter[Any](kind).validate_python(made)
    return found


def _measured(log: EvalLog, scorers: Sequence[str]) -> EvalLog:
    """A log of nothing but the given scorers, with Inspect's own results of them."""
    entries = [
        one.model_copy(update={"options": old.options, "metadata": old.metadata})
        for old in log.eval.scorers or ()
        for one in _entries(filter(None, [_whose(old.name, scorers)]))
    ]
    samples = [
        EvalSample(
            id=sample.id,
            epoch=sample.epoch,
            input="",
            target="",
            metadata=sample.metadata,
            scores={name: sample.scores[name] for name in scorers if name in sample.scores},
            error=sample.error,
        )
        for sample in log.samples or ()
        if sample.scores
    ]
    spec = log.eval.model_copy(update={"scorers": entries, "metrics": None})
    light = EvalLog(eval=spec, samples=samples, results=log.results)
    recompute_metrics(light)
    return light


def _in_order(
    old: Sequence[EvalScore], new: Sequence[EvalScore], scorers: Sequence[str]
) -> list[EvalScore]:
    """The results with the new ones of some scorers in the places of the old ones."""
    fresh = {one.name: one for one in new}
    result = []
    for one in old:
        scorer = _whose(one.name, scorers)
        if scorer is None:
            result.append(one)
        elif scorer in fresh:
            result.append(fresh.pop(scorer))
    return [*result, *fresh.values()]


def _whose(name: str, scorers: Sequence[str]) -> str | None:
    """Which of some scorers a name in a log stands for: its own, or that with a number behind."""
    last = re.split(r"[/@]", name)[-1]
    return next((one for one in scorers if re.fullmatch(rf"{one}(-?\d+)?", last)), None)
