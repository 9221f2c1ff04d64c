"""Playing slows Python's garbage collector down and leaves it as it was."""

from __future__ import annotations

import gc

import pytest

from bazaarbench.collector import seldom_collected


def test_the_last_of_several_markets_restores_the_thresholds() -> None:
    before = gc.get_threshold()
    first, second = seldom_collected(), seldom_collected()
    first.__enter__()
    assert gc.get_threshold()[0] > before[0]
    second.__enter__()
    first.__exit__(None, None, None)
    assert gc.get_threshold()[0] > before[0]
    second.__exit__(None, None, None)
    assert gc.get_threshold() == before


def test_a_failure_restores_the_thresholds() -> None:
    before = gc.get_threshold()
    with pytest.raises(ValueError, match="stop"), seldom_collected():
        raise ValueError("stop")
    assert gc.get_threshold() == before
