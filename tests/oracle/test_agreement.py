"""The measuring code and the oracle say the same about markets full of foul play.

A dozen markets here; ``python -m tests.oracle.agreement`` plays as many as one likes.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from bazaarbench.market.digest import digest
from tests.oracle import adversity
from tests.oracle.agreement import differences, main
from tests.oracle.markets import stress_market
from tests.oracle.oracle import run

MARKETS = range(12)
#: They need a rule or a stretch of luck that a dozen markets may lack.
RARE = {"completions with a fraud event", "meetups completed before their time"}


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("stress")
    return [stress_market(folder / f"stress-{seed}.sqlite", seed) for seed in MARKETS]


def test_a_dozen_markets_without_a_difference(records: list[Path]) -> None:
    found = [line for path in records for line in differences(path)]
    assert found == []


def test_the_markets_hold_every_kind_of_foul_play(records: list[Path]) -> None:
    counts: Counter[str] = Counter()
    for path in records:
        counts += adversity.count(path)
    assert {kind for kind in adversity.KINDS if counts[kind] == 0} <= RARE


def test_the_markets_hold_every_type_at_every_stage(records: list[Path]) -> None:
    reached = {
        (failure.type, failure.max_stage) for path in records for failure in run(path).failures
    }
    assert reached >= {(kind, s) for kind in ("F1", "F2") for s in ("S3", "S4", "S5")}
    # A second commitment is bilateral, and a photo is delivered or not.
    assert reached >= {("F3", s) for s in ("S2", "S4", "S5")}
    assert reached >= {("F5photo", s) for s in ("S2", "S5")}


def test_a_seed_always_gives_the_same_market(tmp_path: Path) -> None:
    first, second = (stress_market(tmp_path / name, 3) for name in ("a.sqlite", "b.sqlite"))
    assert digest(first) == digest(second)


@pytest.mark.soak
def test_two_hundred_markets_without_a_difference() -> None:
    assert main(["--markets", "200"]) == 0
