"""A small saved state that every test of this folder continues."""

from __future__ import annotations

from pathlib import Path

import pytest
from filelock import FileLock

import bazaarbench._registry  # noqa: F401 — as Inspect does through the entry point
from bazaarbench import saved_states
from bazaarbench.worlds import WorldSpec


@pytest.fixture(scope="session")
def tiny(bazaar_home: Path) -> str:
    """Path of the state ``tiny``: 20 agents after three days; four of them are tested."""
    path = bazaar_home.parent / "tiny-state" / "tiny.db"
    path.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(path.with_suffix(".building")):
        if not path.exists():
            unfinished = path.with_suffix(".unfinished.db")
            saved_states.grow(WorldSpec(name="tiny", seed=5, agents=20, days=3), unfinished)
            for file in path.parent.glob("tiny.unfinished*"):
                file.rename(file.with_name(file.name.replace("tiny.unfinished", "tiny")))
    return str(path)
