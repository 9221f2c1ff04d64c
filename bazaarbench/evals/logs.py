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
from inspect_ai.log import EvalLog, read_eval_log

from bazaarbench.errors import BazaarError
from bazaarbench.evals.records import FOLDER_VARIABLE, folder_of

_TASKS = ("continuation", "base_market")
_PACKAGE = Path(__file__).parents[1]
#: The scorers that need no model.
_SCORERS = ("bazaarbench/record_checks", "bazaarbench/outcomes")


def resume_log(path: str) -> int:
    """Go on with the unfinished samples of a log, in the log's own folder.

    Returns:
        The exit code: 0 when every sample is finished, 1 when some are not.

    Raises:
        BazaarError: There is no such log, or it is none of this benchmark.
    """
    log = _read(path)
    if log.status == "success":
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


def score_log(path: str, scorers: Sequence[str] = ()) -> int:
    """Score a log again from its records, without a model, adding to the scores that it has.

    Args:
        path: The log; it is rewritten.
        scorers: Scorers as ``inspect score`` takes them; by default those that need no model.

    Returns:
        The exit code of the first scoring that fails, or 0.

    Raises:
        BazaarError: There is no such log, it is none of this benchmark, or no sample is finished.
    """
    if not _read(path).samples:
        raise BazaarError(
            f"{path} has no finished sample to score; 'bazaarbench resume {path}' goes on with it."
        )
    options = ["--action", "append", "--model", "none", "--overwrite"]
    with _records_beside(path):
        for scorer in scorers or _SCORERS:
            command = [sys.executable, "-m", "inspect_ai", "score", path, "--scorer", scorer]
            done = subprocess.run([*command, *options], check=False)
            if done.returncode:
                return done.returncode
    return 0


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
            f"{' and '.join(_TASKS)}."
        )
    return name
