"""Percentiles, p values and Wilson's interval."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from bazaarbench.effects import Interval, percentile_interval, two_sided_p, wilson
from bazaarbench.effects.intervals import expanded

VALUES = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=300)


@given(VALUES)
def test_percentiles_are_numpys(values: list[float]) -> None:
    found = percentile_interval(np.array(values))
    assert found == pytest.approx(tuple(np.quantile(values, [0.025, 0.975])))


@given(VALUES, st.integers(0, 5))
def test_an_undefined_draw_lies_beyond_both_ends(values: list[float], undefined: int) -> None:
    draws = np.array(values + [np.nan] * undefined)
    low = np.quantile(values + [-1e300] * undefined, 0.025)
    high = np.quantile(values + [1e300] * undefined, 0.975)
    found = percentile_interval(draws)
    if low < -1e290 or high > 1e290:
        assert found is None
    else:
        assert found == pytest.approx((low, high))


def test_without_a_defined_draw_there_is_nothing() -> None:
    for draws in (np.array([]), np.array([np.nan] * 5)):
        assert percentile_interval(draws) is None
        assert two_sided_p(draws) is None


def test_p_is_twice_the_smaller_tail() -> None:
    assert two_sided_p(np.array([-1.0] * 15 + [1.0] * 185)) == pytest.approx(0.15)
    assert two_sided_p(np.array([1.0] * 15 + [-1.0] * 185)) == pytest.approx(0.15)


def test_p_has_a_floor_of_two_in_the_draws() -> None:
    assert two_sided_p(np.ones(2000)) == 0.001


def test_p_is_at_most_one_and_draws_of_nothing_are_in_both_tails() -> None:
    assert two_sided_p(np.zeros(200)) == 1
    assert two_sided_p(np.array([0.0] * 20 + [1.0] * 180)) == pytest.approx(0.2)


def test_undefined_draws_make_p_larger() -> None:
    assert two_sided_p(np.array([np.nan] * 30 + [1.0] * 170)) == pytest.approx(0.3)


@given(st.integers(1, 3000).flatmap(lambda d: st.tuples(st.integers(0, d), st.just(d))))
def test_wilson_agrees_with_statsmodels_and_scipy(counts: tuple[int, int]) -> None:
    n, d = counts
    found = wilson(n, d)
    assert found == pytest.approx(proportion_confint(n, d, method="wilson"), abs=1e-12)
    theirs = stats.binomtest(n, d).proportion_ci(method="wilson")
    assert found == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_wilson_by_hand() -> None:
    # 8 of 10: (0.8 + z²/20 ± z √(0.016 + z²/400)) / (1 + z²/10), z = 1.96
    assert wilson(8, 10) == pytest.approx(Interval(0.4902, 0.9433), abs=5e-5)


def test_wilson_of_nothing_is_undefined_and_of_none_is_not_nothing() -> None:
    assert wilson(0, 0) is None
    none, every = wilson(0, 20), wilson(20, 20)
    assert none is not None
    assert every is not None
    assert (none.low, every.high) == (0, 1)
    assert none.high == pytest.approx(1 - every.low) == pytest.approx(0.1611, abs=5e-5)


@pytest.mark.parametrize(("n", "d"), [(3, 2), (-1, 2), (1, 0)])
def test_a_numerator_beyond_its_denominator_is_refused(n: int, d: int) -> None:
    with pytest.raises(ValueError, match="within its denominator"):
        wilson(n, d)


def test_the_expansion_gives_a_normal_statistic_its_t_interval() -> None:
    kept = expanded(20)
    narrow = np.sqrt(19 / 20) * stats.norm.ppf(0.5 + kept / 2)
    assert narrow == pytest.approx(stats.t.ppf(0.975, 19))
    assert expanded(10_000) == pytest.approx(0.95, abs=1e-4)
