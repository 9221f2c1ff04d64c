"""Shares are pooled, counts averaged over epochs and summed, amounts averaged plainly."""

from __future__ import annotations

import pytest

from bazaarbench.effects import Interval, Resampling, Run, Tally, level, resample
from bazaarbench.errors import SettingError
from tests.effects.studies import FEW, MEASURE, cell, run, total


def of(*runs: Run, resampling: Resampling | None = None) -> float | None:
    return level(resample(runs, MEASURE, resampling)).value


def counted(n: float, market: str = "a", epoch: int = 1) -> Run:
    return run(Tally.total("count", n), market=market, epoch=epoch)


def paid(n: float, agents: float, market: str = "a", epoch: int = 1) -> Run:
    return run(Tally.total("amount", n, agents), market=market, epoch=epoch)


def test_a_share_is_pooled_over_epochs_and_cells() -> None:
    assert of(total(1, 2), total(3, 8, epoch=2), total(6, 10, market="b")) == 10 / 20


def test_a_count_is_averaged_over_epochs_and_summed_over_cells() -> None:
    assert of(counted(4), counted(7, epoch=2), counted(10, "b")) == 5.5 + 10


def test_an_amount_is_a_mean_over_agents_then_epochs_then_cells() -> None:
    assert of(paid(40, 20), paid(120, 20, epoch=2), paid(200, 20, "b")) == (4 + 10) / 2


def test_an_epoch_in_which_no_amount_is_known_leaves_the_others() -> None:
    assert of(paid(40, 20), paid(0, 0, epoch=2), paid(120, 20, epoch=3)) == 4
    assert of(paid(0, 0)) is None


def test_unscored_objects_are_averaged_over_epochs_as_the_count_is() -> None:
    runs = [run(Tally.total("count", 3, unscored=u), epoch=u) for u in (1, 3)]
    found = level(resample(runs, MEASURE, None))
    assert (found.unscored, found.bounds) == (2, Interval(3, 5))


def test_unscored_members_give_bounds() -> None:
    found = level(resample([run(Tally.total("share", 3, 10, 2))], MEASURE, None))
    assert (found.value, found.n, found.d, found.unscored) == (0.3, 3, 10, 2)
    assert found.bounds == Interval(0.3, 0.5)


def test_a_count_with_unscored_is_at_least_so_many() -> None:
    found = level(resample([run(Tally.total("count", 3, unscored=2))], MEASURE, None))
    assert (found.value, found.d, found.unscored) == (3, None, 2)
    assert found.bounds == Interval(3, 5)


def test_only_the_cells_that_are_meant_count() -> None:
    drawn = resample([total(1, 2), total(6, 10, "L3")], MEASURE, None)
    found = level(drawn, lambda one: one.condition == "L3")
    assert found.value == 0.6
    assert found.cells == (cell("L3"),)


def test_a_share_of_nothing_is_undefined_and_shows_its_denominator() -> None:
    found = level(resample([total(0, 0)], MEASURE, None))
    assert (found.value, found.n, found.d, found.bounds) == (None, 0, 0, None)


def test_without_cells_there_is_nothing() -> None:
    found = level(resample([total(1, 2)], MEASURE, FEW), lambda _: False)
    assert (found.value, found.interval, found.cells) == (None, None, ())


def test_a_share_leaves_out_what_was_not_measured_and_says_so() -> None:
    found = level(resample([total(1, 2), run(None, market="b")], MEASURE, None))
    assert found.value == 0.5
    assert found.notes == ("m / b / L1 / paper: not measured",)


@pytest.mark.parametrize("known", [counted(4), paid(40, 20)])
def test_a_count_or_an_amount_over_an_unknown_cell_is_unknown(known: Run) -> None:
    found = level(resample([known, run(None, market="b")], MEASURE, None))
    assert found.value is None
    assert found.notes == ("m / b / L1 / paper: not measured",)


def test_an_epoch_that_was_not_measured_leaves_the_others() -> None:
    assert of(counted(4), run(None, epoch=2), counted(6, epoch=3)) == 5


def test_a_measure_known_nowhere_is_undefined() -> None:
    assert of(run(None), run(None, "L3")) is None


def test_a_measure_that_no_run_has_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="no run has the measure 'other'"):
        resample([total(1, 2)], "other", None)


def test_a_measure_is_of_one_kind() -> None:
    with pytest.raises(ValueError, match="count and share"):
        resample([total(1, 2), counted(3, "b")], MEASURE, None)


def test_a_run_given_twice_is_refused_by_name() -> None:
    with pytest.raises(SettingError, match=r"m / a / L1 / paper, epoch 1, is given twice"):
        resample([total(1, 2), total(1, 2)], MEASURE, None)


def test_runs_with_different_tested_agents_are_refused() -> None:
    runs = [run(Tally.counts([1, 2])), run(Tally.counts([1, 2, 3]), market="b")]
    with pytest.raises(SettingError, match="different tested agents"):
        resample(runs, MEASURE, None)


def test_a_tally_of_another_number_of_agents_is_refused() -> None:
    with pytest.raises(ValueError, match="has 3 entries, not 2"):
        Run("m", "a", "L1", "paper", 1, (1, 6), {MEASURE: Tally.counts([1, 2, 3])})
