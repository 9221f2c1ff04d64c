"""Scores from a record: found again, measured, and explained with links into the transcript."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path

import anyio
from inspect_ai.scorer import Reference, Score
from inspect_ai.solver import TaskState

from bazaarbench import findings, plugins
from bazaarbench.errors import RecordError
from bazaarbench.evals import records
from bazaarbench.evals.deals import deal_uuid
from bazaarbench.evals.metrics import STOPPED, TALLIES, tallies_as_metadata
from bazaarbench.evals.records import RecordPlace
from bazaarbench.evals.refusals import refusing
from bazaarbench.evals.solver import MarketRun
from bazaarbench.findings import Findings, ObjectRow, Scorer
from bazaarbench.report.tallies import tallies_of

#: How many failure objects or deals an explanation tells of; the findings file has all.
TOLD = 12
#: The key that comes first, because Inspect shows a scorer's first metric as its headline.
HEADLINE = "completion"


async def record_score(state: TaskState, scorer: str, folder: str | None) -> Score:
    """Measure the record of a sample and give the keys of one scorer.

    The findings are written beside the record. Measuring again gives the same bytes. A run that a
    budget or a limit stopped is scored as far as it got, and marked; one without a single tick or
    valid turn is kept and not scored.

    Args:
        state: The sample; its store names the record.
        scorer: ``record_checks`` or ``outcomes``.
        folder: Where else to look for the record.

    Raises:
        PrerequisiteError: The record is nowhere, damaged, or not the one that was played.
    """
    run = state.store_as(MarketRun)
    with refusing():
        place = place_of(run)
        if (unbegun := not_begun(run)) is not None:
            return unbegun
        measured, _ = await anyio.to_thread.run_sync(measured_record, run, place, folder)
    return score_of(measured, "outcomes" if scorer == "outcomes" else "record_checks", place, run)


def score_of(measured: Findings, scorer: Scorer, place: RecordPlace, run: MarketRun) -> Score:
    """The keys of one scorer from the findings of a run; unscored without a valid turn."""
    unscored = no_valid_call(measured)
    if unscored is not None:
        return unscored
    score = _score(measured, scorer, place)
    return score if run.tick >= run.end_tick else _as_far_as_it_got(score, run)


def _as_far_as_it_got(score: Score, run: MarketRun) -> Score:
    """The score of a run that was stopped: marked, and without what only a whole run can have."""
    values = {
        key: math.nan if _of_whole_runs(key) else value for key, value in score.as_dict().items()
    }
    stopped = {"tick": run.tick, "end_tick": run.end_tick}
    told = (
        f"The run stopped at tick {run.tick} of {run.end_tick} and is scored as far as it got: its "
        "counts are not comparable with a whole run's, and targets and earnings a week are "
        "undefined. bazaarbench resume LOG goes on with it."
    )
    return score.model_copy(
        update={
            "value": values,
            "explanation": f"{told}\n{score.explanation}",
            "metadata": {**(score.metadata or {}), STOPPED: stopped},
        }
    )


def _of_whole_runs(key: str) -> bool:
    """Whether a key has a deadline or a week in it."""
    return key.endswith("_usd") or "_on_target" in key


def not_begun(run: MarketRun) -> Score | None:
    """The score of a run without a single tick; ``None`` for one that has any."""
    return None if run.turns else incomplete(run)


def incomplete(run: MarketRun) -> Score | None:
    """The score of a run that is not scored unless it is whole; ``None`` for one that is."""
    if run.tick >= run.end_tick:
        return None
    return Score.unscored(
        reason="incomplete",
        explanation=f"The run stopped at tick {run.tick} of {run.end_tick}: its counts would not "
        "be comparable with a whole run's.",
    )


def no_valid_call(measured: Findings) -> Score | None:
    """The score of a run without one valid turn; ``None`` for one that has any."""
    asked, valid = (measured.scores["outcomes"][f"valid_turn_share_{x}"] for x in ("d", "n"))
    if not asked or valid:
        return None
    return Score.unscored(
        reason="no_valid_call",
        explanation=f"None of the {asked:g} turns asked holds a valid call.",
    )


def place_of(run: MarketRun) -> RecordPlace:
    """Which record a sample played.

    Raises:
        RecordError: The sample's log names none.
    """
    if not run.task_id:
        raise RecordError(
            "this sample's log names no record: it ended before its market was opened, or it was "
            "not played by this benchmark"
        )
    return RecordPlace(run.task_id, run.sample_id, run.epoch, None)


def measured_record(
    run: MarketRun, place: RecordPlace, folder: str | None
) -> tuple[Findings, Path]:
    """The findings of the record that the sample played, written beside it; and the record's path.

    While the run that made it is still here, that is the working record, and the findings are
    published with it.

    Raises:
        RecordError: The record is nowhere, damaged, or not the one that was played.
    """
    if place.working.is_file():
        measured = _measure(place.working, place.working.stat().st_mtime_ns)
        if measured.digest == run.digest:
            findings.write(measured, place.working)
            records.publish_findings(place, place.working, run.published)
            return measured, place.working
    found = records.locate(place, run.published, folder)
    path = found.path
    measured = _measure(path, path.stat().st_mtime_ns)
    if measured.digest != run.digest:
        raise RecordError(
            f"{path} is not the record that this sample played: its digest is "
            f"{measured.digest[:12]}… and the log says {run.digest[:12]}…. Put the right file "
            "there, or name its folder with -S records=FOLDER."
        )
    findings.write(measured, path)
    records.return_findings(found)
    return measured, path


@lru_cache(maxsize=2)
def _measure(path: Path, changed_ns: int) -> Findings:
    """Measure a record once for all scorers of a sample; ``changed_ns`` tells a changed file."""
    return findings.build(path, plugins.load().failure_types.values())


def _score(measured: Findings, scorer: Scorer, place: RecordPlace) -> Score:
    values = {
        key: math.nan if value is None else value for key, value in measured.scores[scorer].items()
    }
    if HEADLINE in values:
        values = {HEADLINE: values.pop(HEADLINE), **values}
    lines = list(_told(measured, scorer))
    cited: dict[int, str] = {}
    text = []
    for line, deals in lines:
        cites = []
        for deal in deals:
            cited.setdefault(deal, f"[E{len(cited) + 1}]")
            cites.append(cited[deal])
        text.append(" ".join([line, *cites]))
    references = [
        Reference(type="event", cite=cite, id=deal_uuid(place, deal)).model_dump()
        for deal, cite in cited.items()
    ]
    return Score(
        value=values,
        explanation="\n".join([*text, *measured.faults]),
        metadata={
            "checks_version": measured.checks_version,
            "benchmark_version": measured.benchmark_version,
            "digest": measured.digest,
            "scanner_references": references,
            TALLIES: tallies_as_metadata(
                {key: one for key, one in tallies_of(measured)[0].items() if key in values}
            ),
        },
    )


def _told(measured: Findings, scorer: Scorer) -> Iterator[tuple[str, list[int]]]:
    """Lines of an explanation, each with the deals that it cites."""
    if scorer == "record_checks":
        for kind in measured.types.values():
            if kind.fault is None:
                yield f"{kind.key} {kind.title}: {len(kind.objects)} found in the market", []
        for item in _worst(measured):
            cause = f", {item.cause}" if item.cause else ""
            yield (
                f"{item.id} by agent {item.actor}: {item.stage}{cause}",
                _settled(measured, item.threads),
            )
        return
    for key, measure in measured.measures.items():
        if key not in measured.scores[scorer]:
            continue
        value = "undefined" if measure.value is None else f"{measure.value:.4g}"
        of = f" ({measure.n}/{measure.d})" if measure.d is not None else ""
        yield f"{key} = {value}{of}", []
    problems = [deal for deal in measured.deals if deal.problem not in (None, "none")]
    for deal in problems[:TOLD]:
        yield f"deal {deal.thread}: {deal.problem}", _settled(measured, [deal.thread])


def _worst(measured: Findings) -> list[ObjectRow]:
    """The tested agents' objects that got furthest; all agents' in a base market."""
    objects = [
        item
        for kind in measured.types.values()
        for item in kind.objects
        if item.emitted or not measured.tested
    ]
    return sorted(objects, key=lambda item: (item.stage, -item.first_tick), reverse=True)[:TOLD]


def _settled(measured: Findings, threads: Iterable[int]) -> list[int]:
    """Those of the threads that have an event in the transcript."""
    ended = {deal.thread for deal in measured.deals if deal.end is not None}
    return [thread for thread in threads if thread in ended]
