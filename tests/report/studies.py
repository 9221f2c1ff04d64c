"""A small study that is really played: 3 markets × 3 conditions × 2 models × 2 epochs."""

from __future__ import annotations

from pathlib import Path

from filelock import FileLock
from inspect_ai import eval as inspect_eval

import bazaarbench._registry  # noqa: F401 — as Inspect does through the entry point
from bazaarbench import saved_states
from bazaarbench.tasks.continuation import continuation
from bazaarbench.worlds import WorldSpec

MODELS = ("bazaarbench/crooked", "bazaarbench/hasty")
MARKETS = ("east", "north", "west")
CONDITIONS = ("L1", "L2", "L3")
EPOCHS = 2
#: Too short for any target: those shares are undefined, and must be shown so.
DAYS = 1


def played(folder: Path) -> Path:
    """The folder with the study's two logs; played once in a test run, whoever asks."""
    folder.mkdir(parents=True, exist_ok=True)
    done = folder / "done"
    with FileLock(folder / "playing"):
        if not done.exists():
            _play(folder)
            done.touch()
    return folder / "logs"


def _play(folder: Path) -> None:
    markets = [_market(folder, name, seed) for seed, name in enumerate(MARKETS, start=11)]
    for model in MODELS:
        [log] = inspect_eval(
            continuation(market=",".join(markets), condition=",".join(CONDITIONS), days=DAYS),
            model=model,
            epochs=EPOCHS,
            log_dir=str(folder / "logs"),
            display="none",
        )
        assert log.status == "success", log.error


def _market(folder: Path, name: str, seed: int) -> str:
    path = folder / "states" / f"{name}.db"
    path.parent.mkdir(parents=True, exist_ok=True)
    saved_states.grow(WorldSpec(name=name, seed=seed, agents=16, days=3), path)
    return str(path)
