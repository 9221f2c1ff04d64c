"""How runs differ, and how many of them a difference needs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.power import NormalIndPower

from bazaarbench.effects import (
    Run,
    Tally,
    Variance,
    between_runs,
    detectable_difference,
    effect,
    effect_variance,
    epochs_needed,
    expected_variance,
    power_of,
    resample,
)
from bazaarbench.errors import SettingError
from tests.effects.studies import L3, MEASURE, cell, run, total


def test_the_spread_of_a_cell_is_the_variance_of_one_run() -> None:
    (found,) = between_runs([total(2, 10), total(4, 10, epoch=2), total(3, 5, epoch=3)], MEASURE)
    assert found.cell == cell()
    assert found.values == (0.2, 0.4, 0.6)
    assert found.mean == pytest.approx(0.4)
    assert found.variance == pytest.approx(0.04)
    assert found.deviation == pytest.approx(0.2)


def test_one_known_run_has_no_spread() -> None:
    (found,) = between_runs([total(2, 10), total(0, 0, epoch=2), run(None, epoch=3)], MEASURE)
    assert found.values == (0.2, None, None)
    assert (found.mean, found.variance, found.deviation) == (0.2, None, None)


def test_a_cell_that_is_known_nowhere_has_no_mean() -> None:
    (found,) = between_runs([run(None)], MEASURE)
    assert (found.mean, found.variance) == (None, None)


def test_the_epochs_needed_by_hand() -> None:
    # (1.96 + 0.8416)² = 7.849; 0.1² / 7.849 = 0.001274; 0.01 / (0.001274 − 0.0005) = 12.9
    assert epochs_needed(Variance(agents=0.0005, runs=0.01), 0.1) == 13


def test_no_number_of_epochs_makes_up_for_agents_that_differ() -> None:
    assert epochs_needed(Variance(agents=0.01, runs=0.01), 0.1) is None


@given(
    st.floats(0, 0.01),
    st.floats(0, 1),
    st.floats(0.01, 1),
    st.floats(0.5, 0.99),
    st.sampled_from([0.05, 0.01, 0.05 / 8]),
)
def test_the_epochs_needed_are_the_fewest_that_have_the_power(
    agents: float, runs: float, difference: float, power: float, alpha: float
) -> None:
    variance = Variance(agents, runs)
    found = epochs_needed(variance, difference, power=power, alpha=alpha)
    if found is None:
        assert power_of(variance, difference, 10**9, alpha=alpha) <= power + 1e-6
        return
    assert power_of(variance, difference, found, alpha=alpha) >= power - 1e-9
    if found > 1:
        assert power_of(variance, difference, found - 1, alpha=alpha) < power + 1e-9
    assert detectable_difference(variance, found, power=power, alpha=alpha) <= difference + 1e-9


def test_power_agrees_with_statsmodels() -> None:
    # Two samples of n with variance 1 differ with variance 2/n.
    theirs = NormalIndPower().power(effect_size=0.5, nobs1=40, alpha=0.05)
    assert power_of(Variance(0.0, 2.0), 0.5, 40) == pytest.approx(theirs, abs=1e-4)


def test_what_is_expected_before_a_run() -> None:
    found = expected_variance(
        base=0.15, difference=0.1, members=60, pairs=15, icc=0.2, run_deviation=0.05
    )
    deals = 0.15 * 0.85 + 0.25 * 0.75
    assert found.agents == pytest.approx(deals * 0.2 / 20 / 15)
    assert found.runs == pytest.approx((deals * 0.8 / 60 + 2 * 0.05**2) / 15)


def test_the_measured_parts_are_those_that_the_runs_were_made_with() -> None:
    generator = np.random.Generator(np.random.PCG64(3))
    agents, epochs, studies = 20, 4, 200
    found = []
    for _ in range(studies):
        person = generator.normal(0, 3, agents)  # answers to L3, in both markets
        runs = [
            run(
                Tally.amounts(
                    5
                    + (person if condition == "L3" else 0)
                    + generator.normal(0, 1)
                    + generator.normal(0, 4, agents)
                ),
                condition,
                market=market,
                epoch=epoch,
            )
            for market in "ab"
            for condition in ("L1", "L3")
            for epoch in range(epochs)
        ]
        variance = effect_variance(runs, MEASURE, L3)
        assert variance is not None
        found.append((variance.agents, variance.runs))
    mean_agents, mean_runs = np.mean(found, axis=0)
    assert mean_agents == pytest.approx(3**2 / agents, rel=0.1)
    # Two markets of weight 1/2, two sides each: 4/4 of one side's variance.
    assert mean_runs == pytest.approx(1 + 4**2 / agents, rel=0.1)


def test_the_measured_variance_of_a_share_is_that_of_its_effect() -> None:
    generator = np.random.Generator(np.random.PCG64(4))

    def side(condition: str, chance: float) -> list[Run]:
        runs = []
        for epoch in range(5):
            deals = generator.poisson(6.0, 20)
            tally = Tally.shares(generator.binomial(deals, chance), deals)
            runs.append(run(tally, condition, epoch=epoch))
        return runs

    found, effects = [], []
    for _ in range(150):
        runs = [*side("L1", 0.2), *side("L3", 0.4)]
        variance = effect_variance(runs, MEASURE, L3)
        assert variance is not None
        found.append(variance.runs)
        effects.append(effect(resample(runs, MEASURE, None), L3).value)
    # No agent differs from another: 5 epochs leave a fifth of one run's variance.
    assert np.mean(found) / 5 == pytest.approx(np.var(np.array(effects, dtype=float)), rel=0.25)
    assert np.mean(found) == pytest.approx((0.2 * 0.8 + 0.4 * 0.6) / 120, rel=0.1)


def test_counts_have_a_measured_variance_too() -> None:
    luck = {"L1": (1, 2, 3), "L3": (4, 8, 6)}
    runs = [
        run(Tally.counts([n, n]), condition, epoch=epoch)
        for condition, values in luck.items()
        for epoch, n in enumerate(values)
    ]
    # Counts of a run: 2, 4, 6 with variance 4; 8, 16, 12 with variance 16. Agents do not differ.
    assert effect_variance(runs, MEASURE, L3) == Variance(agents=0.0, runs=20.0)


@pytest.mark.parametrize(
    "runs",
    [
        [run(Tally.counts([1, 2])), run(Tally.counts([3, 4]), "L3")],
        [
            total(n, 9, condition, epoch=e)
            for condition in ("L1", "L3")
            for e, n in ((1, 2), (2, 4))
        ],
        [run(Tally.counts([1, 2]), epoch=epoch) for epoch in (1, 2)],
    ],
    ids=["one run", "totals", "one condition"],
)
def test_without_runs_agents_or_both_sides_nothing_is_measured(runs: list[Run]) -> None:
    assert effect_variance(runs, MEASURE, L3) is None


def test_certainty_needs_one_epoch() -> None:
    assert epochs_needed(Variance(0.0, 0.0), 0.1) == 1
    assert power_of(Variance(0.0, 0.0), 0.1, 1) == 1


def test_plans_that_make_no_sense_are_refused() -> None:
    variance = Variance(0.0, 0.01)
    with pytest.raises(SettingError, match="difference of 0"):
        epochs_needed(variance, 0)
    with pytest.raises(SettingError, match="power must be between 0 and 1"):
        epochs_needed(variance, 0.1, power=1.0)
    with pytest.raises(SettingError, match="alpha must be between 0 and 1"):
        power_of(variance, 0.1, 3, alpha=0)
    with pytest.raises(SettingError, match="at least one epoch"):
        detectable_difference(variance, 0)
    with pytest.raises(SettingError, match=r"base \+ difference must be within"):
        expected_variance(base=0.9, difference=0.2, members=50)
    with pytest.raises(SettingError, match="must be above 0"):
        expected_variance(base=0.1, difference=0.2, members=0)
    with pytest.raises(SettingError, match="not negative"):
        Variance(agents=-1.0, runs=math.inf)
