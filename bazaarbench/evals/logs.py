"""Resuming and scoring a log where it lies: ``bazaarbench resume|score LOG`` (DESIGN §3.7).

``inspect eval-retry`` alone writes to ``./logs`` and looks for the task's file from the folder that
it is called in; here both come from the log.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from inspect_ai import eval_retry
from inspect_ai.log import (
    EvalLog,
    EvalSample,
    ProvenanceData,
    invalidate_samples,
    read_eval_log,
)

from bazaarbench.errors import BazaarError
from bazaarbench.evals.records import FOLDER_VARIABLE, folder_of
from bazaarbench.evals.refusals import with_setting
from bazaarbench.evals.regrading import SCORERS, regrade
from bazaarbench.evals.spending import budgets_of

_MARKETS = ("continuation", "base_market")
_TASKS = (*_MARKETS, "write_personas")
_PACKAGE = Path(__file__).parents[1]
#: How Inspect adds what a scorer says, without asking the evaluated model for anything.
_APPENDING = ("--action", "append", "--model", "none", "--overwrite")


def resume_log(path: str, budget: str | None = None) -> int:
    """Go on with the unfinished samples of a log, in the log's own folder.

    Args:
        path: The log.
        budget: What each sample may spend, over all its attempts, in place of what the log says;
            written as ``-T budget`` is.

    Returns:
        The exit code: 0 when every sample is finished, 1 when some are not.

    Raises:
        BazaarError: There is no such log, or it is none of this benchmark.
    """
    log = _read(path)
    if budget is not None:
        _set_budget(log, budget)
    stopped = [one for one in log.samples or () if _stopped_by_limit(one)]
    if stopped:
        # Inspect takes a sample that a limit stopped for a finished one.
        reason = ProvenanceData(author="bazaarbench resume", reason="stopped by a limit")
        log = invalidate_samples(log, [str(one.uuid) for one in stopped], reason)
    elif log.status == "success":
        print(f"{path} is finished: there is nothing to resume.")
        return 0
    if log.eval.task_file is not None and not Path(log.eval.task_file).exists():
        # The path was relative to another folder; the task of this package is the same one.
        # Recovering a killed run's samples would bring the path back, and they are cheap to make
        # again: a finished record is played no further.
        log.eval.task_registry_name = _task_of(log)
        log.eval.task_file = str(_PACKAGE / "tasks" / f"{_task_of(log)}.py")
        log.status = "error"
    with _records_beside(path):
        retried = eval_retry(log, log_dir=folder_of(path))
    return 0 if all(one.status == "success" for one in retried) else 1


def _set_budget(log: EvalLog, budget: str) -> None:
    if _task_of(log) not in _MARKETS:
        raise BazaarError(f"{log.location} plays no market, so --budget has no meaning for it.")
    amounts = [part.strip() for part in budget.split(",")]
    with_setting("--budget", budgets_of, amounts)
    for arguments in (log.eval.task_args, log.eval.task_args_passed):
        arguments["budget"] = amounts


def score_log(path: str, scorers: Sequence[str] = ()) -> int:
    """Score a log again from its records, without a model.

    The scores of ``record_checks`` and ``outcomes`` are replaced where they stand, as ``regrade``
    does it; any other scorer's are added by Inspect to those that the log has.

    Args:
        path: The log; it is rewritten.
        scorers: Scorers as ``inspect score`` takes them; by default those that need no model.

    Returns:
        The exit code of the first scoring that fails, or 0.

    Raises:
        BazaarError: There is no such log, it is none of this benchmark, no sample is finished, or a
            record cannot be measured; then the log is as it was.
    """
    _read(path)
    replaced = [scorer for scorer in SCORERS if not scorers or _names(scorers, scorer)]
    with _records_beside(path):
        if replaced:
            (done,) = regrade([path], scorers=replaced)
            if done.refused is not None:
                raise BazaarError(done.refused)
            print(f"{path}: {' and '.join(replaced)} of {done.records} records in place.")
        for scorer in scorers:
            if any(_names([scorer], one) for one in SCORERS):
                continue
            command = [sys.executable, "-m", "inspect_ai", "score", path, "--scorer", scorer]
            done_by_inspect = subprocess.run([*command, *_APPENDING], check=False)
            if done_by_inspect.returncode:
                return done_by_inspect.returncode
    return 0


def _names(given: Sequence[str], scorer: str) -> bool:
    """Whether a scorer of this package is among some that are named as ``inspect score`` does."""
    file = (_PACKAGE / "scorers" / f"{scorer}.py").resolve()
    return any(
        name in (scorer, f"bazaarbench/{scorer}") or Path(name.split("@", 1)[0]).resolve() == file
        for name in given
    )


def _stopped_by_limit(sample: EvalSample) -> bool:
    """Whether a market ended before its last tick without an error."""
    tick, end = (sample.store.get(f"MarketRun:{name}", 0) for name in ("tick", "end_tick"))
    return sample.error is None and sample.limit is not None and tick < end


@contextmanager
def _records_beside(path: str) -> Iterator[None]:
    """Have records looked for in the log's folder, unless the user has named another."""
    chosen = os.environ.get(FOLDER_VARIABLE)
    os.environ[FOLDER_VARIABLE] = chosen or folder_of(path)
    try:
        yield
    finally:
        if chosen is None:
            del os.environ[FOLDER_VARIABLE]


def _read(path: str) -> EvalLog:
    try:
        log = read_eval_log(path)
    # Inspect's reader and the zip, JSON and compression beneath it have no error in common:
    # whatever one of them raises about this file, the file cannot be read.
    except Exception as error:
        raise BazaarError(
            f"{path} cannot be read as a log of Inspect ({error}). Give the path of an .eval file."
        ) from error
    _task_of(log)
    return log


def _task_of(log: EvalLog) -> str:
    name = (log.eval.task_registry_name or log.eval.task).rsplit("/", 1)[-1]
    if name not in _TASKS:
        raise BazaarError(
            f"{log.location} is a log of the task {log.eval.task!r}; this works on logs of "
            f"{', '.join(_TASKS)}."
        )
    return name
