"""What Inspect tells its hooks and not its solvers: the task id, which survives a retry.

A record is found again by its task id (DESIGN §3.7). ``eval-retry`` gives the old task id to a new
run and passes the old run's metadata on, which is how a retry is told from a fresh run.
"""

from __future__ import annotations

from dataclasses import dataclass
from uuid import uuid4

from inspect_ai.hooks import Hooks, SampleStart, TaskEnd, TaskStart, hooks

#: Prefix of the key that each making of a task adds to the log's metadata.
ATTEMPT = "bazaarbench_attempt_"


@dataclass(frozen=True)
class TaskRun:
    """One run of one task; ``retried`` when it goes on from an earlier run's log."""

    task_id: str
    eval_id: str
    retried: bool


class _Runs:
    """The tasks that run in this process, by eval id, and the eval of each sample's uuid."""

    def __init__(self) -> None:
        self.tasks: dict[str, TaskRun] = {}
        self.eval_of_sample: dict[str, str] = {}


_RUNS = _Runs()


@hooks(name="bazaarbench_runs", description="Tells the solver which task it runs for.")
class RunHooks(Hooks):
    """Keeps the task ids of the running tasks."""

    async def on_task_start(self, data: TaskStart) -> None:
        """Note the task."""
        attempts = [key for key in data.spec.metadata or {} if key.startswith(ATTEMPT)]
        run = TaskRun(data.spec.task_id, data.eval_id, retried=len(attempts) > 1)
        _RUNS.tasks[data.eval_id] = run

    async def on_sample_start(self, data: SampleStart) -> None:
        """Note which task the sample belongs to."""
        _RUNS.eval_of_sample[data.sample_id] = data.eval_id

    async def on_task_end(self, data: TaskEnd) -> None:
        """Forget the task."""
        _RUNS.tasks.pop(data.eval_id, None)
        for sample_id in [s for s, e in _RUNS.eval_of_sample.items() if e == data.eval_id]:
            del _RUNS.eval_of_sample[sample_id]


def attempt_metadata() -> dict[str, str]:
    """Metadata for a task that is being made: a key that no other making has."""
    from bazaarbench.versions import BENCHMARK_VERSION

    return {f"{ATTEMPT}{uuid4().hex[:12]}": BENCHMARK_VERSION}


def task_run(sample_uuid: str) -> TaskRun | None:
    """The run that a sample belongs to; ``None`` when Inspect runs without our hook."""
    eval_id = _RUNS.eval_of_sample.get(sample_uuid)
    return None if eval_id is None else _RUNS.tasks.get(eval_id)
