"""Logs scored again from their records: our scores replaced in place, the others kept (SPEC §15).

Measuring happens in processes, a record each. A log is rewritten whole or left as it was, and only
when something in it is another number or another version than before.
"""

from __future__ import annotations

import json
import math
import os
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import fsspec  # type: ignore[import-untyped]
from inspect_ai.log import (
    EvalLog,
    EvalSampleSummary,
    list_eval_logs,
    read_eval_log,
    read_eval_log_sample,
    read_eval_log_sample_summaries,
    write_eval_log,
)
from inspect_ai.scorer import Score
from inspect_ai.util import Store

from bazaarbench.errors import BazaarError
from bazaarbench.evals.records import RecordPlace, folder_of, publish_findings, upload
from bazaarbench.evals.rescored import replace_scores
from bazaarbench.evals.scoring import measured_record, not_begun, place_of, score_of
from bazaarbench.evals.solver import MarketRun
from bazaarbench.findings import Scorer
from bazaarbench.market.files import appearing, explained
from bazaarbench.regrade import Regraded, changed_keys, in_processes, records_in, regrade_record

#: The scorers that need no model, in the order in which they are scored.
SCORERS: tuple[Scorer, ...] = ("record_checks", "outcomes")
#: Tasks whose samples are markets.
_MARKETS = ("continuation", "base_market")
#: What is large in a sample and not needed to find its record.
_NOT_READ = {"events", "events_data", "messages", "output", "attachments", "timelines"}
#: To start a process takes as long as to measure so many usual records.
_WORTH = 4
_SampleKey = tuple[str, int]


@dataclass(frozen=True)
class _Sample:
    """A sample whose record is to be measured: what the log's store says of its run."""

    key: _SampleKey
    run: Mapping[str, Any]
    folder: str
    scorers: tuple[Scorer, ...]


@dataclass(frozen=True)
class _Scored:
    """What the record of a sample gave, or why it gave nothing.

    ``files`` are the local copies of the record; all of them have the new findings beside them.
    """

    key: _SampleKey
    scores: Mapping[str, Score]
    files: frozenset[Path] = frozenset()
    refused: str | None = None


@dataclass(frozen=True)
class _Log:
    location: str
    samples: tuple[_Sample, ...]
    refused: str | None = None


def regrade(
    paths: Iterable[str],
    *,
    workers: int | None = None,
    scorers: Sequence[Scorer] = SCORERS,
    on_done: Callable[[int, int], None] | None = None,
) -> list[Regraded]:
    """Measure records and the records of logs again, and put the scores of logs in place.

    Args:
        paths: records, logs, and folders of either; logs may be URLs. A record that a log names is
            measured with the log.
        workers: processes; without a number one for each processor, as far as there is enough to
            do for each.
        scorers: whose scores are replaced in logs; added where a log has none of them.
        on_done: told after every record how many are done, of how many.

    Returns:
        What became of every log and of every record without one, in the order given.

    Raises:
        BazaarError: a path does not exist, or there is nothing to measure.
    """
    locations, loose = _found(paths)
    logs = [_opened(location, tuple(scorers)) for location in locations]
    samples = [sample for log in logs for sample in log.samples]
    total = len(samples) + len(loose)
    workers = workers or min(os.cpu_count() or 1, total // _WORTH)
    tell = None if on_done is None else lambda done, _: on_done(done, total)
    scored = in_processes(_measure, samples, workers, tell)
    result = []
    for log in logs:
        mine, scored = scored[: len(log.samples)], scored[len(log.samples) :]
        result.append(_finished(log, mine, scorers))
        done = {path for one in mine for path in one.files}
        loose = [path for path in loose if path not in done]
    told = None if on_done is None else lambda done, _: on_done(len(samples) + done, total)
    result += in_processes(regrade_record, loose, workers, told)
    if not result:
        raise BazaarError(
            f"there is nothing to measure in {', '.join(paths)}. Give records (.db), logs (.eval), "
            "or folders that hold some."
        )
    return result


def _found(paths: Iterable[str]) -> tuple[list[str], list[Path]]:
    """The logs and the records that some paths stand for, each once."""
    logs: dict[str, None] = {}
    records: dict[Path, None] = {}
    for path in paths:
        files, inner = fsspec.core.url_to_fs(path)
        if not files.exists(inner):
            raise BazaarError(f"{path} does not exist. Give a record, a log, or a folder of them.")
        if files.isdir(inner):
            listed = list_eval_logs(path, descending=False)
            logs |= dict.fromkeys(_plain(info.name) for info in listed)
            if "://" not in path:
                records |= dict.fromkeys(one.resolve() for one in records_in(Path(path)))
        elif path.endswith(".db"):
            records[Path(inner).resolve()] = None
        else:
            logs[_plain(path)] = None
    return list(logs), list(records)


def _opened(location: str, scorers: tuple[Scorer, ...]) -> _Log:
    try:
        return _Log(location, tuple(_samples(location, scorers)))
    except BazaarError as error:
        return _Log(location, (), str(error))


def _samples(location: str, scorers: tuple[Scorer, ...]) -> Iterator[_Sample]:
    header, summaries = _read(location)
    name = (header.eval.task_registry_name or header.eval.task).rsplit("/", 1)[-1]
    if name not in _MARKETS:
        raise BazaarError(
            f"{location} is a log of the task {header.eval.task!r}, which plays no market: there "
            "is no record to measure."
        )
    if header.status == "started":
        raise BazaarError(
            f"{location} is still being written, or its run was killed. Wait for it to end, or go "
            f"on with it: bazaarbench resume {location}"
        )
    finished = [one for one in summaries if not one.error]
    if not finished:
        raise BazaarError(
            f"{location} has no finished sample to score; 'bazaarbench resume {location}' goes on "
            "with it."
        )
    for one in finished:
        sample = read_eval_log_sample(location, one.id, one.epoch, exclude_fields=_NOT_READ)
        prefix = f"{MarketRun.__name__}:"
        run = {key: value for key, value in sample.store.items() if key.startswith(prefix)}
        yield _Sample((str(one.id), one.epoch), run, folder_of(location), scorers)


def _read(location: str) -> tuple[EvalLog, list[EvalSampleSummary]]:
    try:
        return (
            read_eval_log(location, header_only=True),
            read_eval_log_sample_summaries(location),
        )
    # Inspect's reader and the zip, JSON and compression beneath it have no error in common:
    # whatever one of them raises about this file, the file cannot be read.
    except Exception as error:
        raise BazaarError(
            f"{location} cannot be read as a log of Inspect ({error}). Give the path of an .eval "
            "file."
        ) from error


def _measure(sample: _Sample) -> _Scored:
    """Measure the record of one sample; its findings are written wherever the record lies."""
    try:
        run = MarketRun(store=Store(dict(sample.run)))
        place = place_of(run)
        unbegun = not_begun(run)
        if unbegun is not None:
            return _Scored(sample.key, dict.fromkeys(sample.scorers, unbegun))
        measured, record = measured_record(run, place, sample.folder)
        beside = RecordPlace(place.task_id, place.sample_id, place.epoch, sample.folder)
        publish_findings(beside, record, beside.published)
        scores: dict[str, Score] = {
            scorer: score_of(measured, scorer, place, run) for scorer in sample.scorers
        }
        copies = {str(record), run.published, beside.published}
        files = {Path(one).resolve() for one in copies if one is not None and "://" not in one}
        return _Scored(sample.key, scores, frozenset(files))
    except BazaarError as error:
        return _Scored(sample.key, {}, refused=str(error))


def _finished(log: _Log, scored: Sequence[_Scored], scorers: Sequence[Scorer]) -> Regraded:
    """Put the scores of a log in place, if every one of its records could be measured."""
    refused = [log.refused, *(one.refused for one in scored)]
    why = "\n".join(reason for reason in refused if reason is not None)
    if why:
        return Regraded(log.location, len(scored), refused=why)
    try:
        return _rewritten(log.location, {one.key: one.scores for one in scored}, scorers)
    except BazaarError as error:
        return Regraded(log.location, len(scored), refused=str(error))


def _rewritten(
    location: str, scored: Mapping[_SampleKey, Mapping[str, Score]], scorers: Sequence[Scorer]
) -> Regraded:
    log = read_eval_log(location)
    before = _ours(log, scorers)
    was = sorted({str(version) for version in _versions(log, scorers)})
    changed = dict.fromkeys(
        key
        for sample in log.samples or ()
        for name, score in scored.get((str(sample.id), sample.epoch), {}).items()
        for key in changed_keys(_numbers((sample.scores or {}).get(name)), _numbers(score))
    )
    replace_scores(log, scored, scorers)
    if _ours(log, scorers) != before:
        _write(log, location)
    return Regraded(location, len(scored), ", ".join(was) or None, tuple(changed))


def _ours(log: EvalLog, scorers: Sequence[Scorer]) -> str:
    """All that belongs to some scorers in a log, as text; equal texts are equal logs."""
    ours = re.compile(rf"({'|'.join(scorers)})(-?\d+)?")
    parts = [
        {
            "scores": {k: v.model_dump() for k, v in (sample.scores or {}).items()},
            "events": [
                event.model_dump()
                for event in sample.events
                if event.event == "score" and ours.fullmatch(event.scorer or "")
            ],
        }
        for sample in log.samples or ()
    ]
    results = None if log.results is None else log.results.model_dump()
    named = [one.model_dump() for one in log.eval.scorers or ()]
    return json.dumps([parts, results, named], default=str)


def _versions(log: EvalLog, scorers: Sequence[Scorer]) -> Iterator[Any]:
    for sample in log.samples or ():
        for name in scorers:
            score = (sample.scores or {}).get(name)
            if score is not None and score.metadata and "checks_version" in score.metadata:
                yield score.metadata["checks_version"]


def _numbers(score: Score | None) -> dict[str, float | None]:
    """The values of a score; what is undefined is ``None``, which equals itself."""
    if score is None or not isinstance(score.value, Mapping):
        return {}
    numbers = ((k, v) for k, v in score.value.items() if isinstance(v, int | float))
    return {key: None if math.isnan(value) else value for key, value in numbers}


def _write(log: EvalLog, location: str) -> None:
    """Put a log in the place of the one that is there, whole or not at all."""
    kind: Any = "json" if location.endswith(".json") else "eval"
    if "://" not in location:
        with explained(Path(location), "write"), appearing(Path(location)) as workpiece:
            write_eval_log(log, str(workpiece), format=kind)
        return
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder) / "log"
        write_eval_log(log, str(written), format=kind)
        upload(written, location)


def _plain(location: str) -> str:
    """A local log as a path; what is remote stays a URL."""
    files, inner = fsspec.core.url_to_fs(location)
    protocols = (files.protocol,) if isinstance(files.protocol, str) else files.protocol
    return str(inner) if "file" in protocols else location
