"""The runs that the viewer can show: logs, what is beside them, and bare records.

Only headers and summaries of logs are read, each once while the log does not change. The viewer
itself knows no Inspect; it is handed what stands here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import fsspec  # type: ignore[import-untyped]
from inspect_ai.log import (
    EvalLog,
    EvalSampleSummary,
    list_eval_logs,
    read_eval_log,
    read_eval_log_sample_summaries,
)

from bazaarbench.errors import BazaarError, RecordError
from bazaarbench.evals.deals import deal_uuid
from bazaarbench.evals.logged import logged_of, task_kind, why_not_counted
from bazaarbench.evals.records import RecordPlace, find_scored, folder_of
from bazaarbench.market.record import read_info
from bazaarbench.report.runs import Logged
from bazaarbench.viewer.sources import Found, RunSource, State, run_key

_SIDE_FILES = (".text.db", ".judge.db")
_Stamp = tuple[int, int]


@dataclass
class Viewed:
    """Looks for runs in some paths, as often as it is asked; logs that stay are read once.

    Args:
        paths: logs, folders of logs, and records.
    """

    paths: Sequence[str]
    _read: dict[str, tuple[_Stamp, EvalLog, list[EvalSampleSummary]]] = field(default_factory=dict)

    def __call__(self) -> Found:
        """All runs there are now, the newest log first.

        Raises:
            BazaarError: a path does not exist.
        """
        runs: dict[str, RunSource] = {}
        left_out: list[tuple[str, str]] = []
        for path in self.paths:
            for one in self._of_path(path, left_out):
                # A sample that was gone on with is in two logs; the newest is read first.
                runs.setdefault(one.key, one)
        return Found(tuple(runs.values()), tuple(left_out))

    def _of_path(self, path: str, left_out: list[tuple[str, str]]) -> Iterator[RunSource]:
        if path.endswith(".db"):
            yield _of_record(Path(path))
            return
        logs = []
        for name in _logs_in(path):
            try:
                logs.append(self._log(name))
            except BazaarError as error:
                left_out.append((name, str(error)))
        for log, summaries in sorted(logs, key=lambda one: one[0].eval.created, reverse=True):
            if task_kind(log) is None:
                left_out.append((log.location, f"a log of the task {log.eval.task}"))
                continue
            yield from _of_log(log, summaries)

    def _log(self, path: str) -> tuple[EvalLog, list[EvalSampleSummary]]:
        stamp = _stamp(path)
        known = self._read.get(path)
        if known is not None and known[0] == stamp and stamp != (0, 0):
            return known[1], known[2]
        try:
            log = read_eval_log(path, header_only=True)
            summaries = read_eval_log_sample_summaries(path)
        # Inspect's reader and the zip and JSON beneath it have no error in common: whatever one of
        # them raises about this file, it is no log that can be read now.
        except Exception as error:
            raise BazaarError(f"cannot be read as a log of Inspect ({error})") from error
        self._read[path] = (stamp, log, summaries)
        return log, summaries


def _logs_in(path: str) -> list[str]:
    files, inner = fsspec.core.url_to_fs(path)
    if not files.exists(inner):
        raise BazaarError(f"{path} does not exist. Give logs, a folder of logs, or records (.db).")
    if not files.isdir(inner):
        return [path]
    return [info.name for info in list_eval_logs(path)]


def _stamp(path: str) -> _Stamp:
    if "://" in path and not path.startswith("file://"):
        return (0, 0)
    try:
        state = Path(path.removeprefix("file://")).stat()
    except OSError:
        return (0, 0)
    return (state.st_mtime_ns, state.st_size)


def _of_record(path: Path) -> RunSource:
    """A record without its log."""
    return RunSource(
        key=run_key(path.stem, f"record{_digits(path)}"),
        name=path.stem,
        epoch=1,
        model="–",
        state="record",
        find=partial(_present, path),
        why="given as a record, without its log",
    )


def _digits(path: Path) -> str:
    return hashlib.sha256(str(path.absolute()).encode()).hexdigest()[:4]


def _present(path: Path) -> Path:
    if not path.exists():
        raise RecordError(f"there is no record at {path}. Check the path.")
    return path


def _of_log(log: EvalLog, summaries: Iterable[EvalSampleSummary]) -> Iterator[RunSource]:
    done = set()
    for summary in sorted(summaries, key=lambda one: (str(one.id), one.epoch)):
        place = RecordPlace(
            log.eval.task_id, str(summary.id), summary.epoch, folder_of(log.location)
        )
        done.add(place.name)
        why = why_not_counted(summary)
        logged = None if why else logged_of(log, summary)
        yield _source(
            log, place, "error" if summary.error else "finished", logged, why or "", summary
        )
    if log.status == "success":
        return
    yield from _unfinished(log, done)


def _unfinished(log: EvalLog, done: set[str]) -> Iterator[RunSource]:
    """Samples of which the log says nothing yet: their records are being written, or were."""
    folder = RecordPlace(log.eval.task_id, "any", 1, None).working.parent
    for path in sorted(folder.glob("*.db")) if folder.is_dir() else ():
        if path.name in done or path.name.endswith(_SIDE_FILES):
            continue
        try:
            info, tick = read_info(path)
        except RecordError as error:
            yield _bare(log, path, 1, path.stem, str(error))
            continue
        name = str(info.extra.get("sample_id") or path.stem)
        why = f"not finished: at tick {tick} of {info.end_tick}"
        yield _bare(log, path, info.epoch, name, why, info.market_name)


def _bare(log: EvalLog, path: Path, epoch: int, name: str, why: str, market: str = "") -> RunSource:
    place = RecordPlace(log.eval.task_id, name, epoch, None)
    return RunSource(
        key=run_key(path.stem, log.eval.task_id),
        name=name,
        epoch=epoch,
        model=log.eval.model,
        state="unfinished",
        find=partial(_present, path),
        why=why,
        market=market,
        log=log.location,
        task_id=log.eval.task_id,
        deal_event=partial(deal_uuid, place),
    )


def _source(
    log: EvalLog,
    place: RecordPlace,
    state: State,
    logged: Logged | None,
    why: str,
    summary: EvalSampleSummary,
) -> RunSource:
    return RunSource(
        key=run_key(place.name.removesuffix(".db"), place.task_id),
        name=place.sample_id,
        epoch=place.epoch,
        model=log.eval.model,
        state=state,
        find=partial(find_scored, place, None, None),
        logged=logged,
        why=why,
        market=str(summary.metadata.get("market") or ""),
        log=log.location,
        sample_uuid=summary.uuid,
        task_id=place.task_id,
        deal_event=partial(deal_uuid, place),
    )
