"""Holm's adjustment over a declared family."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from bazaarbench.effects import TABLE_12, holm


@pytest.fixture(scope="module", autouse=True)
def little_garbage() -> Iterator[None]:
    """Statsmodels collects garbage in every call: what is loaded already need not be looked at."""
    gc.freeze()
    yield
    gc.unfreeze()


def test_the_studys_table_by_hand() -> None:
    found = holm([0.9, 0.001, 0.010, 0.2, 0.001, 0.5, 0.6, 0.7]).p
    # 8 × .001; max(.008, 7 × .001); 6 × .010; 5 × .2 and on: 1.
    assert found == pytest.approx((1, 0.008, 0.060, 1, 0.008, 1, 1, 1))


def test_a_larger_p_is_never_adjusted_below_a_smaller_one() -> None:
    assert holm([0.02, 0.021]).p == pytest.approx((0.04, 0.04))


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_it_agrees_with_statsmodels(p_values: list[float]) -> None:
    theirs = multipletests(p_values, method="holm")[1]
    assert holm(p_values).p == pytest.approx(tuple(theirs))


def test_undefined_comparisons_are_null_and_not_counted_and_it_is_said() -> None:
    found = holm([None, 0.01, float("nan"), 0.04])
    assert found.p == (None, pytest.approx(0.02), None, pytest.approx(0.04))
    assert (found.counted, found.undefined) == (2, 2)


def test_a_family_of_nothing_is_no_error() -> None:
    assert (holm([]).p, holm([None]).p) == ((), (None,))


def test_what_is_no_probability_is_refused() -> None:
    with pytest.raises(ValueError, match="0 … 1"):
        holm([1.2])


def test_table_12_has_eight_comparisons() -> None:
    assert len(set(TABLE_12)) == 8
