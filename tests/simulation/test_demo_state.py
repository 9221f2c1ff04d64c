"""The shipped demo market: the same on every machine, and built once whoever asks (SPEC §3.5)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from bazaarbench import paths, saved_states
from bazaarbench.market.digest import digest
from bazaarbench.worlds import SHIPPED

#: Changes only with BENCHMARK_VERSION.
DEMO_DIGEST = "5823c3d46ca081f00d41996c61484d46eb3e46885264e2634a68681e7b55a764"

_BUILD = """
import sys
from bazaarbench import saved_states, worlds
spec = worlds.SHIPPED["demo"].model_copy(update={"name": "quick", "agents": 10, "days": 2})
worlds.SHIPPED["quick"] = spec
print(saved_states.build("quick").manifest.digest)
"""


def test_demo_has_the_pinned_digest() -> None:
    state = saved_states.build("demo")
    assert state.manifest.digest == digest(state.path) == DEMO_DIGEST


def test_several_processes_that_ask_at_once_get_one_whole_state(tmp_path: Path) -> None:
    environment = {**os.environ, "BAZAARBENCH_HOME": str(tmp_path)}
    asking = [
        subprocess.Popen(
            [sys.executable, "-c", _BUILD], stdout=subprocess.PIPE, env=environment, text=True
        )
        for _ in range(3)
    ]
    answers = {process.communicate(timeout=120)[0].strip() for process in asking}
    assert [process.returncode for process in asking] == [0, 0, 0]
    assert len(answers) == 1
    folders = [path.name for path in (tmp_path / "states").iterdir() if path.is_dir()]
    assert folders == ["quick"]


def test_what_a_killed_builder_left_is_swept_away() -> None:
    spec = SHIPPED["demo"].model_copy(update={"name": "swept", "agents": 10, "days": 1})
    SHIPPED["swept"] = spec
    try:
        left = paths.states_dir() / ".swept.building"
        left.mkdir(parents=True)
        (left / "record.db").write_bytes(b"half a record")
        state = saved_states.build("swept")
    finally:
        del SHIPPED["swept"]
    assert not left.exists()
    assert state.manifest.tick == 12
