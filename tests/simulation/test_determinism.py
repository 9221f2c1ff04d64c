"""The same seed and the same decisions give the same digest, whatever happens around them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bazaarbench.market.digest import digest
from tests.simulation.helpers import found, play

TICKS = 30


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = found(tmp_path_factory.mktemp("plain") / "m.db")
    play(path, TICKS)
    return digest(path)


@pytest.mark.parametrize(
    "late",
    [
        {"at_once": 1, "max_ms": 0, "key": 1},
        {"at_once": 32, "max_ms": 0, "key": 1},
        {"at_once": 32, "max_ms": 8, "key": 1},
        {"at_once": 3, "max_ms": 4, "key": 2},
    ],
)
def test_order_does_not_depend_on_latency_or_concurrency(
    tmp_path: Path, expected: str, late: dict[str, int]
) -> None:
    path = found(tmp_path / "m.db")
    play(path, TICKS, late=late)
    assert digest(path) == expected


@pytest.mark.parametrize("hash_seed", ["0", "1"])
def test_digest_does_not_depend_on_the_hash_seed(
    tmp_path: Path, expected: str, hash_seed: str
) -> None:
    path = tmp_path / "m.db"
    code = (
        "import sys; from pathlib import Path; from tests.simulation.helpers import found, play; "
        f"play(found(Path(sys.argv[1])), {TICKS})"
    )
    root = Path(__file__).parents[2]
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(root)}
    subprocess.run([sys.executable, "-c", code, str(path)], check=True, env=environment, cwd=root)
    assert digest(path) == expected


def test_stopping_and_going_on_changes_nothing(tmp_path: Path, expected: str) -> None:
    path = found(tmp_path / "m.db")
    for until in (1, 7, 8, 20, TICKS):
        play(path, until)
    assert digest(path) == expected


def test_another_seed_gives_another_market(tmp_path: Path, expected: str) -> None:
    path = found(tmp_path / "m.db", seed=4)
    play(path, TICKS)
    assert digest(path) != expected
