"""A small crooked study that is really played, judged by the script, and looked at."""

from __future__ import annotations

import json
import shutil
from functools import partial
from pathlib import Path

import anyio
from filelock import FileLock
from inspect_ai import eval as inspect_eval
from inspect_ai.model import get_model
from starlette.testclient import TestClient

import bazaarbench._registry  # noqa: F401 — as Inspect does through the entry point
from bazaarbench import saved_states
from bazaarbench.evals.judging import JudgeOptions, judge_record
from bazaarbench.evals.viewed import Viewed
from bazaarbench.findings import Findings, findings_path, load
from bazaarbench.judge import results
from bazaarbench.tasks.continuation import continuation
from bazaarbench.viewer.app import application
from bazaarbench.viewer.site import Site
from bazaarbench.worlds import WorldSpec

INSPECT = "http://127.0.0.1:7575"
#: The run that pages are looked at of.
CELL = "bazaar-L3-paper"


def played(folder: Path) -> Path:
    """The folder with the log of an L1 and an L3 run; played once in a test run, whoever asks."""
    folder.mkdir(parents=True, exist_ok=True)
    done = folder / "done"
    with FileLock(folder / "playing"):
        if not done.exists():
            _play(folder)
            done.touch()
    return folder / "logs"


def _play(folder: Path) -> None:
    state = folder / "states" / "bazaar.db"
    state.parent.mkdir(parents=True)
    saved_states.grow(WorldSpec(name="bazaar", seed=11, agents=24, days=2), state)
    [log] = inspect_eval(
        continuation(market=str(state), condition="L1,L3", days=2),
        model="bazaarbench/crooked",
        log_dir=str(folder / "logs"),
        display="none",
    )
    assert log.status == "success", log.error
    for record in records(folder / "logs"):
        if "-L3-" in record.name:
            judge(record)


def judge(record: Path) -> None:
    """Have the scripted judge read a record, and keep what it says beside it."""
    model = get_model("bazaarbench/judge-rules")
    outcome = anyio.run(partial(judge_record, record, model, JudgeOptions()))
    results.write(outcome.judged, record)


def records(logs: Path) -> list[Path]:
    """The records beside some logs."""
    found = sorted((logs / "records").glob("*/*.db"))
    return [path for path in found if not path.stem.endswith((".text", ".judge"))]


def record_of(logs: Path, cell: str = CELL) -> Path:
    """The record of a cell."""
    [found] = [path for path in records(logs) if path.name.startswith(cell)]
    return found


def findings_of(logs: Path, cell: str = CELL) -> Findings:
    """The findings beside a record, as the report reads them."""
    return load(findings_path(record_of(logs, cell)))


def site_of(*paths: Path, exported: bool = False) -> Site:
    """The site of some logs or records."""
    return Site(Viewed([str(path) for path in paths]), INSPECT, exported=exported)


def client_of(site: Site) -> TestClient:
    """Somebody who asks the server; a traceback becomes a failing test."""
    return TestClient(application(site), base_url="http://127.0.0.1", follow_redirects=False)


def key_of(site: Site, cell: str = CELL) -> str:
    """The key of a run."""
    [found] = [source.key for source in site.found().runs if source.name.startswith(cell)]
    return found


def copied(logs: Path, target: Path) -> Path:
    """A copy of one record with all that stands beside it, to spoil."""
    record = record_of(logs)
    target.mkdir(parents=True, exist_ok=True)
    for file in record.parent.glob(f"{record.stem}.*"):
        shutil.copy(file, target / file.name)
    return target / record.name


def edit_json(path: Path, change: object) -> None:
    """Change a JSON file in place."""
    assert callable(change)
    value = json.loads(path.read_text())
    change(value)
    path.write_text(json.dumps(value))
