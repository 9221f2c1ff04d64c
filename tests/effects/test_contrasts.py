"""Equation 1, summed counts and mean dollars, pair by pair."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from bazaarbench.effects import (
    Cell,
    Contrast,
    Interval,
    Run,
    Tally,
    effect,
    level,
    resample,
    weighted_difference,
)
from tests.effects.studies import FEW, L3, MEASURE, cell, run, total

#: Two markets: 60 % against 20 % of 10 deals each, and 30 % of 100 against 40 % of 50.
MARKETS = [
    total(2, 10),
    total(6, 10, "L3"),
    total(20, 50, market="b"),
    total(30, 100, "L3", "b"),
]


def test_equation_1_by_hand() -> None:
    found = effect(resample(MARKETS, MEASURE, None), L3)
    # w = 10·10/20 = 5 and 100·50/150 = 100/3; Δ = 0.4 and −0.1.
    assert found.value == pytest.approx((5 * 0.4 - 100 / 3 * 0.1) / (5 + 100 / 3))
    assert [pair.difference for pair in found.pairs] == pytest.approx([0.4, -0.1])
    assert [pair.weight for pair in found.pairs] == pytest.approx([3 / 23, 20 / 23])


def test_it_is_neither_the_difference_of_pooled_shares_nor_the_mean_of_differences() -> None:
    drawn = resample(MARKETS, MEASURE, None)
    high = level(drawn, lambda one: one.condition == "L3").value
    low = level(drawn, lambda one: one.condition == "L1").value
    assert (high, low) == (36 / 110, 22 / 60)  # pooled: −3.9 percentage points; the mean: +15
    assert effect(drawn, L3).value == pytest.approx(-0.0348, abs=5e-5)


@given(
    st.integers(1, 6).flatmap(
        lambda pairs: st.tuples(
            *(npst.arrays(np.float64, (3, pairs), elements=st.integers(0, 50)) for _ in range(4))
        )
    )
)
def test_weighted_difference_agrees_with_the_sum_written_out(
    arrays: tuple[np.ndarray, ...],
) -> None:
    found = weighted_difference(*arrays)
    for row in range(3):
        top = bottom = 0.0
        for n_high, d_high, n_low, d_low in zip(*(array[row] for array in arrays), strict=True):
            if d_high and d_low:
                weight = d_high * d_low / (d_high + d_low)
                top += weight * (n_high / d_high - n_low / d_low)
                bottom += weight
        assert found[row] == pytest.approx(top / bottom if bottom else np.nan, nan_ok=True)


def test_counts_are_summed_without_weights() -> None:
    runs = [
        run(Tally.total("count", 4)),
        run(Tally.total("count", 10), "L3"),
        run(Tally.total("count", 12), "L3", epoch=2),
        run(Tally.total("count", 1), market="b"),
        run(Tally.total("count", 3), "L3", market="b"),
    ]
    assert effect(resample(runs, MEASURE, None), L3).value == (11 - 4) + (3 - 1)


def test_dollars_are_averaged_plainly() -> None:
    runs = [
        run(Tally.total("amount", 200, 20)),
        run(Tally.total("amount", 400, 20), "L3"),
        run(Tally.total("amount", 100, 20), market="b"),
        run(Tally.total("amount", 160, 20), "L3", market="b"),
    ]
    found = effect(resample(runs, MEASURE, None), L3)
    assert found.value == (10 + 3) / 2
    assert [pair.weight for pair in found.pairs] == [0.5, 0.5]


def test_unscored_members_bound_the_effect_from_both_sides() -> None:
    runs = [run(Tally.total("share", 2, 10, 3)), run(Tally.total("share", 6, 10, 1), "L3")]
    found = effect(resample(runs, MEASURE, None), L3)
    assert found.value == pytest.approx(0.4)
    assert found.bounds == pytest.approx(Interval(0.6 - 0.5, 0.7 - 0.2))


def test_unscored_objects_bound_a_difference_of_counts() -> None:
    runs = [
        run(Tally.total("count", 2, unscored=3)),
        run(Tally.total("count", 6, unscored=1), "L3"),
    ]
    assert effect(resample(runs, MEASURE, None), L3).bounds == Interval(1, 5)


def test_a_cell_without_its_partner_is_left_out_and_named() -> None:
    found = effect(resample([*MARKETS, total(9, 9, "L3", "c")], MEASURE, None), L3)
    assert found.value == effect(resample(MARKETS, MEASURE, None), L3).value
    assert found.missing == (cell("L3", "c"),)


def test_a_condition_that_was_not_run_gives_no_effect_and_no_crash() -> None:
    found = effect(resample([total(1, 2)], MEASURE, FEW), L3)
    assert (found.value, found.interval, found.p, found.pairs) == (None, None, None, ())
    assert "no cell has both L3 and L1" in found.notes
    assert found.missing == (cell(),)


def test_a_pair_with_an_empty_side_weighs_nothing() -> None:
    runs = [*MARKETS, total(0, 0, "L3", "c"), total(5, 9, "L1", "c")]
    found = effect(resample(runs, MEASURE, None), L3)
    assert found.value == effect(resample(MARKETS, MEASURE, None), L3).value
    assert (found.pairs[2].difference, found.pairs[2].weight) == (None, 0)


def test_only_empty_sides_leave_the_effect_undefined() -> None:
    found = effect(resample([total(0, 0), total(0, 0, "L3")], MEASURE, None), L3)
    assert (found.value, found.bounds) == (None, None)
    assert (found.pairs[0].difference, found.pairs[0].weight) == (None, None)


@pytest.mark.parametrize("kind", ["count", "amount"])
def test_a_sum_with_an_unknown_side_is_unknown(kind: str) -> None:
    runs = [
        run(Tally.total(kind, 4, 1)),  # type: ignore[arg-type]
        run(Tally.total(kind, 9, 1), "L3"),  # type: ignore[arg-type]
        run(None, market="b"),
        run(Tally.total(kind, 9, 1), "L3", market="b"),  # type: ignore[arg-type]
    ]
    found = effect(resample(runs, MEASURE, None), L3)
    assert found.value is None
    assert [pair.difference for pair in found.pairs] == [5, None]
    assert "m / b / L1 / paper: not measured" in found.notes


def test_leaving_one_market_out_leaves_the_rest() -> None:
    drawn = resample(MARKETS, MEASURE, None)
    assert effect(drawn, L3, lambda one: one.market != "b").value == pytest.approx(0.4)


def test_a_defence_is_compared_in_the_same_cell_under_two_rules() -> None:
    def under(rules: str, n: float, condition: str) -> Run:
        return run(Tally.total("share", n, 10), condition, rules=rules)

    runs = [under("paper", 5, "L3"), under("truthful", 2, "L3"), under("paper", 9, "L1")]
    found = effect(resample(runs, MEASURE, None), Contrast("rules", "truthful", "paper"))
    assert found.value == pytest.approx(-0.3)
    assert [pair.high for pair in found.pairs] == [Cell("m", "a", "L3", "truthful")]
    assert found.missing == (Cell("m", "a", "L1", "paper"),)


def test_the_reverse_contrast_is_the_negative() -> None:
    drawn = resample(MARKETS, MEASURE, None)
    there, back = effect(drawn, L3), effect(drawn, Contrast("condition", "L1", "L3"))
    assert there.value is not None
    assert back.value == pytest.approx(-there.value)
