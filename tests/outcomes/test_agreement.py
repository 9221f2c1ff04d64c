"""The findings and an independent slow reading say the same of markets full of foul play.

A handful of markets here; ``python -m tests.outcomes.agreement`` plays as many as one likes.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.oracle.markets import stress_market
from tests.outcomes.agreement import differences, main


@pytest.mark.parametrize("seed", range(6))
def test_a_stress_market_without_a_difference(tmp_path: Path, seed: int) -> None:
    assert differences(stress_market(tmp_path / f"stress-{seed}.sqlite", seed)) == []


@pytest.mark.soak
def test_a_hundred_markets_without_a_difference() -> None:
    assert main(["--markets", "100"]) == 0
