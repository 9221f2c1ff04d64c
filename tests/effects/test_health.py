"""Market health, and a figure of the same markets under two rules."""

from __future__ import annotations

import numpy as np
import pytest

from bazaarbench.effects import (
    Interval,
    Resampling,
    blocked_per_deal,
    deals_per_agent_week,
    paired,
    ticks_to_completion,
)
from tests.effects.studies import FEW


def test_deals_per_agent_and_week() -> None:
    assert deals_per_agent_week(120, 100, 84) == 1.2
    assert deals_per_agent_week(120, 100, 168) == 0.6
    assert deals_per_agent_week(0, 100, 84) == 0


def test_the_median_time_is_of_completed_deals_alone() -> None:
    assert ticks_to_completion([361, 370, 380, 390], [365, 372, np.nan, 402]) == 4


def test_blocked_calls_per_deal() -> None:
    assert blocked_per_deal(30, 60) == 0.5


def test_a_market_without_anything_has_no_health_figure() -> None:
    assert deals_per_agent_week(0, 0, 84) is None
    assert deals_per_agent_week(0, 100, 0) is None
    assert ticks_to_completion([361.0], [np.nan]) is None
    assert ticks_to_completion([], []) is None
    assert blocked_per_deal(3, 0) is None


def test_pairs_by_hand() -> None:
    found = paired([1.0, 2.0, 3.0], [1.5, 2.0, 4.0], FEW)
    assert (found.pairs, found.undefined) == (3, 0)
    assert (found.low_mean, found.high_mean) == (2, 2.5)
    assert (found.difference, found.ratio) == (0.5, 1.25)


def test_a_draw_takes_both_sides_of_a_market() -> None:
    low = [10.0, 20.0, 40.0, 80.0]
    found = paired(low, [2 * value for value in low], FEW)
    assert found.ratio_interval == pytest.approx(Interval(2, 2))
    assert found.difference_interval is not None
    assert found.difference_interval.high > found.difference_interval.low


def test_the_paired_interval_is_the_bootstrap_of_the_pairs() -> None:
    low, high = np.array([3.0, 5.0, 9.0, 4.0]), np.array([4.0, 4.0, 8.0, 7.0])
    times = FEW.agents(4)[1:]
    ratios = (times @ high) / (times @ low)
    found = paired(low.tolist(), high.tolist(), FEW)
    assert found.ratio_interval == pytest.approx(tuple(np.quantile(ratios, [0.025, 0.975])))


def test_a_pair_with_an_unknown_side_is_left_out_and_counted() -> None:
    found = paired([1.0, None, 3.0, 5.0], [2.0, 9.0, None, 4.0], FEW)
    assert (found.pairs, found.undefined) == (2, 2)
    assert (found.low_mean, found.high_mean) == (3, 3)


@pytest.mark.parametrize("values", [[], [None]])
def test_without_a_pair_all_is_undefined(values: list[float | None]) -> None:
    found = paired(values, values, FEW)
    assert (found.pairs, found.difference, found.ratio) == (0, None, None)
    assert (found.difference_interval, found.ratio_interval) == (None, None)


@pytest.mark.parametrize("expanded", [False, True])
def test_one_market_has_no_interval(expanded: bool) -> None:
    found = paired([2.0], [3.0], Resampling(expanded=expanded))
    assert (found.ratio, found.ratio_interval, found.difference_interval) == (1.5, None, None)


def test_a_ratio_to_nothing_is_undefined() -> None:
    found = paired([0.0, 0.0], [1.0, 2.0], FEW)
    assert (found.difference, found.ratio, found.ratio_interval) == (1.5, None, None)


def test_markets_that_are_no_pairs_are_refused() -> None:
    with pytest.raises(ValueError, match="2 markets cannot be paired with 1"):
        paired([1.0, 2.0], [1.0], FEW)
