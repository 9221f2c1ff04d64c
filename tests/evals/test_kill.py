"""Killed at any moment, a run through Inspect resumes to the digest of an uninterrupted one."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
from inspect_ai.log import read_eval_log

from bazaarbench import paths
from bazaarbench.errors import RecordError
from bazaarbench.market.record import read_only
from tests.evals.runs import finished, kept, play

KILLS = 3
LAST_TICK = 36 + 36
START = """
import sys
import bazaarbench._registry
from inspect_ai import eval
from bazaarbench.tasks.continuation import continuation
task = continuation(market=sys.argv[1], days=3, condition="L3")
eval(task, model="bazaarbench/crooked", log_dir=sys.argv[2], display="none")
"""
RETRY = """
import sys
import bazaarbench._registry
from inspect_ai import eval_retry
eval_retry(sys.argv[1], log_dir=sys.argv[2], display="none")
"""


def last_tick() -> int:
    """The last committed tick of the one record; 0 before there is one."""
    files = paths.records_dir().glob("*/*.db")
    found = [path for path in files if not path.name.endswith(".text.db")]
    if not found:
        return 0
    [path] = found
    try:
        with closing(read_only(path)) as connection:
            return int(connection.execute("SELECT max(tick) FROM ticks").fetchone()[0])
    except RecordError:
        return 0


def killed_at(tick: int, script: str, *args: str) -> None:
    """Run a script in a process of its own and kill it once ``tick`` is committed."""
    process = subprocess.Popen([sys.executable, "-c", script, *args], env=os.environ)
    try:
        deadline = time.monotonic() + 180
        while last_tick() < tick and process.poll() is None:
            assert time.monotonic() < deadline, "the run does not get on"
            time.sleep(0.02)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()


def test_three_kills_and_three_retries_end_as_one_run(
    tiny: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = finished(
        play(tmp_path / "whole", "bazaarbench/crooked", market=tiny, days=3, condition="L3")
    )
    monkeypatch.setenv("BAZAARBENCH_HOME", str(tmp_path / "home"))
    logs = tmp_path / "killed"
    moments = sorted(random.Random(11).sample(range(38, LAST_TICK - 2), KILLS))
    killed_at(moments[0], START, tiny, str(logs))
    for moment in moments[1:]:
        killed_at(moment, RETRY, newest(logs), str(logs))
    subprocess.run([sys.executable, "-c", RETRY, newest(logs), str(logs)], check=True)
    log = read_eval_log(newest(logs))
    assert log.eval.task_id == read_eval_log(oldest(logs)).eval.task_id
    assert kept(finished(log), "tick") == LAST_TICK
    assert kept(finished(log), "digest") == kept(whole, "digest")


def newest(folder: Path) -> str:
    return str(max(folder.glob("*.eval"), key=lambda path: path.stat().st_mtime_ns))


def oldest(folder: Path) -> str:
    return str(min(folder.glob("*.eval"), key=lambda path: path.stat().st_mtime_ns))
