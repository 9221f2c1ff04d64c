"""Logs read for report and leaderboard: headers, sample summaries and findings (DESIGN §3.10).

Samples themselves, with their transcripts, are never read.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import fsspec  # type: ignore[import-untyped]
from inspect_ai.log import (
    EvalLog,
    EvalSampleSummary,
    list_eval_logs,
    read_eval_log,
    read_eval_log_sample_summaries,
)
from inspect_ai.model import GenerateConfig

from bazaarbench import plugins
from bazaarbench.errors import BazaarError, RecordError
from bazaarbench.evals.metrics import STOPPED
from bazaarbench.evals.records import RecordPlace, findings_addresses, folder_of
from bazaarbench.report.extending import gather
from bazaarbench.report.reading import ReadFindings, read_findings
from bazaarbench.report.runs import Facts, Logged, LoggedRun, Usage

_KINDS = {"continuation": "continuation", "base_market": "base_market"}
#: Options that say how a model is reached, not how it answers.
_TRANSPORT = frozenset(
    {
        "max_connections",
        "adaptive_connections",
        "max_retries",
        "timeout",
        "attempt_timeout",
        "batch",
        "cache",
        "cache_prompt",
        "seed",
    }
)
#: What tells verdicts apart beside the judge's name (SPEC §8.5).
_JUDGE_WAYS = frozenset({"served", "blind", "settings", "reasoning"})
#: The scorers whose values the findings hold; a sample without them was not scored.
_SCORER = "outcomes"


@dataclass(frozen=True)
class LeftOut:
    """A sample or log that no number rests on, and why."""

    log: str
    sample: str
    reason: str


@dataclass(frozen=True)
class Collected:
    """All runs of some logs."""

    runs: tuple[LoggedRun, ...]
    left_out: tuple[LeftOut, ...]

    def left_out_rows(self) -> list[tuple[str, str, str]]:
        """What was left out, as log, sample and reason."""
        return [(one.log, one.sample, one.reason) for one in self.left_out]


def collect(paths: Iterable[str], wanted: Collection[str] | None = None) -> Collected:
    """Read the runs of logs.

    A log that ``eval-retry`` has gone on with is left out for its successor. A sample that did not
    reach its end, could not be scored, or has no findings is left out, and said.

    Args:
        paths: logs, and folders of them; URLs too.
        wanted: only these measures, to save memory; all without it.

    Raises:
        BazaarError: a path holds no log of this benchmark, or one run is given twice.
    """
    logs = [_header(path) for path in _found(paths)]
    ours = [log for log in logs if task_kind(log) is not None]
    if not ours:
        raise BazaarError(
            f"there is no log of this benchmark's markets in {', '.join(paths)}. Give .eval files "
            "of the tasks continuation or base_market, or a folder that holds some."
        )
    _refuse_copies(ours)
    runs: list[LoggedRun] = []
    left_out: list[LeftOut] = []
    seen: dict[tuple[str, str, int], str] = {}
    for log in sorted(ours, key=lambda one: (one.eval.created, one.location), reverse=True):
        for one in _runs(log, wanted, seen):
            (runs if isinstance(one, LoggedRun) else left_out).append(one)  # type: ignore[arg-type]
    _refuse_duplicates(runs)
    return Collected(
        tuple(
            sorted(
                runs,
                key=lambda run: (
                    run.logged.created,
                    run.logged.log,
                    run.logged.sample_id,
                    run.logged.epoch,
                ),
            )
        ),
        tuple(sorted(left_out, key=lambda one: (one.log, one.sample))),
    )


def findings_of(collected: Collected) -> Iterator[tuple[Logged, ReadFindings, bytes]]:
    """The findings of every run that was collected, one after the other, with their bytes.

    Raises:
        BazaarError: they have changed since, and cannot be read.
    """
    for run in collected.runs:
        data, where = _findings_bytes(run.logged)
        yield run.logged, read_findings(data, where), data


def _found(paths: Iterable[str]) -> list[str]:
    """The logs in some paths, each once however it is named, as it was named first."""
    found: dict[str, str] = {}
    for path in paths:
        files, inner = fsspec.core.url_to_fs(path)
        if not files.exists(inner):
            raise BazaarError(f"{path} does not exist. Give a log, or a folder of logs.")
        inside = (
            [_plain(one.name) for one in list_eval_logs(path)] if files.isdir(inner) else [path]
        )
        for log in inside:
            found.setdefault(log if "://" in log else str(Path(log).resolve()), log)
    return list(found.values())


def _header(path: str) -> EvalLog:
    try:
        log = read_eval_log(path, header_only=True)
    # Inspect's reader and the zip and JSON beneath it have no error in common: whatever one of
    # them raises about this file, it is no readable log.
    except Exception as error:
        raise BazaarError(
            f"{path} cannot be read as a log of Inspect ({error}). Leave it out, or mend it."
        ) from error
    return log


def task_kind(log: EvalLog) -> str | None:
    """Which of this benchmark's market tasks a log is of; ``None`` for another task."""
    name = (log.eval.task_registry_name or log.eval.task).rsplit("/", 1)[-1]
    return _KINDS.get(name)


def _refuse_copies(logs: Iterable[EvalLog]) -> None:
    seen: dict[str, str] = {}
    for log in logs:
        earlier = seen.setdefault(log.eval.eval_id, log.location)
        if earlier != log.location:
            raise BazaarError(
                f"{earlier} and {log.location} are one log twice. Leave one of them out."
            )


def _refuse_duplicates(runs: Iterable[LoggedRun]) -> None:
    """One cell's epoch counts once; two evals of the same cell are two studies' or two epochs'."""
    seen: dict[tuple[Any, ...], LoggedRun] = {}
    for run in runs:
        key = (
            run.model,
            run.facts.market,
            run.state,
            run.facts.condition,
            run.rules,
            str(run.family),
            run.logged.epoch,
        )
        earlier = seen.setdefault(key, run)
        if earlier is not run:
            raise BazaarError(
                f"{earlier.logged.log} and {run.logged.log} both hold the run "
                f"{run.logged.sample_id} of {run.model}, epoch {run.logged.epoch}. A run counts "
                "once: leave one of the logs out. Repeats belong into one eval, with --epochs."
            )


def _runs(
    log: EvalLog, wanted: Collection[str] | None, seen: dict[tuple[str, str, int], str]
) -> Iterator[LoggedRun | LeftOut]:
    try:
        summaries = read_eval_log_sample_summaries(log.location)
    except (OSError, KeyError, ValueError) as error:
        yield LeftOut(log.location, "", f"its samples cannot be read: {error}")
        return
    if not summaries:
        yield LeftOut(log.location, "", "it holds no finished sample")
    for summary in sorted(summaries, key=lambda one: (str(one.id), one.epoch)):
        key = (log.eval.task_id, str(summary.id), summary.epoch)
        sample = f"{summary.id}, epoch {summary.epoch}"
        if key in seen:
            yield LeftOut(log.location, sample, f"gone on with in {seen[key]}")
            continue
        why = why_not_counted(summary)
        if why is not None:
            yield LeftOut(log.location, sample, why)
            continue
        logged = logged_of(log, summary)
        try:
            data, where = _findings_bytes(logged)
            found = read_findings(data, where)
            _refuse_other_record(found, summary, where)
        except RecordError as error:
            yield LeftOut(log.location, sample, str(error))
            continue
        seen[key] = log.location
        # Only the report asks for every measure, and only it shows sections.
        sections = () if wanted is not None else plugins.load().report_sections.values()
        facts = Facts.of(found, logged.scores, wanted)
        yield LoggedRun(logged, facts, gather(sections, found))


def why_not_counted(summary: EvalSampleSummary) -> str | None:
    """Why no number rests on a sample; ``None`` when it was scored."""
    if summary.error:
        return f"it ended with an error: {summary.error.splitlines()[0]:.200}"
    score = (summary.scores or {}).get(_SCORER)
    if score is None:
        return f"it has no score of {_SCORER}: bazaarbench score LOG makes one"
    if not isinstance(score.value, Mapping):
        return f"it was not scored: {score.explanation or score.reason or 'no reason given'}"
    stopped = (score.metadata or {}).get(STOPPED)
    if stopped is not None:
        return (
            f"it was stopped at tick {stopped['tick']} of {stopped['end_tick']}: bazaarbench "
            "resume LOG goes on with it"
        )
    return None


def _refuse_other_record(found: ReadFindings, summary: EvalSampleSummary, where: str) -> None:
    score = (summary.scores or {})[_SCORER]
    scored = (score.metadata or {}).get("digest")
    if scored != found.digest:
        raise RecordError(
            f"{where} was measured in another record (digest {found.digest[:12]}…) than the log's "
            f"({str(scored)[:12]}…). Score the log again: bazaarbench score LOG"
        )


def _findings_bytes(logged: Logged) -> tuple[bytes, str]:
    place = RecordPlace(logged.task_id, logged.sample_id, logged.epoch, folder_of(logged.log))
    looked = findings_addresses(place)
    for address in looked:
        files, path = fsspec.core.url_to_fs(address)
        if files.exists(path):
            return bytes(files.cat_file(path)), address
    raise RecordError(
        f"its findings are gone; looked at {', '.join(looked)}. Put the records back beside the "
        "log, or score it again: bazaarbench score LOG"
    )


def logged_of(log: EvalLog, summary: EvalSampleSummary) -> Logged:
    """What a log's header and a sample's summary say of a run."""
    spec = log.eval
    return Logged(
        log=_plain(log.location),
        created=spec.created,
        eval_id=spec.eval_id,
        task_id=spec.task_id,
        sample_id=str(summary.id),
        epoch=summary.epoch,
        kind="base_market" if task_kind(log) == "base_market" else "continuation",
        model=spec.model,
        settings=_settings(spec.model_generate_config, spec.model_args),
        protocol=str((spec.task_args or {}).get("protocol", "tools")),
        scores=_scores(summary),
        usage=tuple(
            Usage(
                model=name,
                input_tokens=one.input_tokens
                + (one.input_tokens_cache_read or 0)
                + (one.input_tokens_cache_write or 0),
                output_tokens=one.output_tokens,
                reasoning_tokens=one.reasoning_tokens,
                usd=one.total_cost,
            )
            for name, one in sorted(summary.model_usage.items())
        ),
        judge=_judge(log, summary),
        versions=dict(spec.packages),
    )


def _judge(log: EvalLog, summary: EvalSampleSummary) -> str | None:
    """Who judged: the model with its served versions; ``None`` when nobody was asked.

    A judge that was asked later, by ``inspect score``, is in its scores and not in the header. Of
    several (``rubric_judge``, ``rubric_judge1``) it is the last, whose values ``_scores`` takes.
    """
    for score in reversed((summary.scores or {}).values()):
        told = (score.metadata or {}).get("judge")
        if isinstance(told, Mapping) and told.get("model"):
            ways = {key: told[key] for key in sorted(told) if key in _JUDGE_WAYS and told[key]}
            return " ".join([str(told["model"]), *(f"{k}={v}" for k, v in ways.items())])
    role = (log.eval.model_roles or {}).get("judge")
    return None if role is None else str(getattr(role, "model", role))


def _settings(config: GenerateConfig, model_args: Mapping[str, Any]) -> str:
    options = config.model_dump(exclude_none=True, mode="json")
    told = {key: value for key, value in options.items() if key not in _TRANSPORT}
    told |= {str(key): value for key, value in model_args.items() if "key" not in str(key)}
    return ", ".join(f"{key}={value}" for key, value in sorted(told.items()))


def _scores(summary: EvalSampleSummary) -> dict[str, float | None]:
    values: dict[str, float | None] = {}
    for score in (summary.scores or {}).values():
        if not isinstance(score.value, Mapping):
            continue
        for key, value in score.value.items():
            if isinstance(value, int | float):
                values[key] = None if math.isnan(value) else float(value)
    return values


def _plain(location: str) -> str:
    """A local log as a path; what is remote stays a URL."""
    return location.removeprefix("file://")
