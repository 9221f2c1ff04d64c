"""Draws of tested agents, the same for all cells, and of the runs within a cell."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from bazaarbench.effects import (
    Interval,
    Parties,
    Resampling,
    Run,
    Tally,
    effect,
    level,
    resample,
    wilson,
)
from bazaarbench.effects.draws import multiplicities
from bazaarbench.errors import SettingError
from tests.effects.studies import FEW, L3, MEASURE, random_run, run


def generator() -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(5))


def width(interval: Interval | None) -> float:
    assert interval is not None
    return interval.high - interval.low


def matrix(epochs: int = 1) -> list[Run]:
    drawn = generator()
    return [
        random_run(
            drawn, condition, market=market, epoch=epoch, chance=0.2 if condition == "L1" else 0.4
        )
        for market in "abc"
        for condition in ("L1", "L3")
        for epoch in range(epochs)
    ]


def test_every_draw_takes_as_many_agents_as_there_are() -> None:
    table = Resampling().agents(20)
    assert table.shape == (2001, 20)
    assert (table[0] == 1).all()
    assert (table.sum(axis=1) == 20).all()
    assert table[1:].max() > 1


def test_the_draws_are_the_same_everywhere() -> None:
    assert Resampling().agents(5)[1:5].tolist() == [
        [1, 0, 1, 2, 1],
        [2, 0, 1, 1, 1],
        [0, 2, 0, 3, 0],
        [0, 3, 1, 0, 1],
    ]


def test_another_seed_gives_other_draws() -> None:
    assert (Resampling(seed=1).agents(20) != Resampling(seed=2).agents(20)).any()


def test_cells_draw_their_runs_independently() -> None:
    one, other = (FEW.runs(("m", market, "L1", "paper"), 3) for market in "ab")
    assert (one[1:] != other[1:]).any()


def test_names_that_run_together_are_different_cells() -> None:
    one, other = FEW.runs(("ab", "c", "L1", "r"), 3), FEW.runs(("a", "bc", "L1", "r"), 3)
    assert (one != other).any()


def test_a_draw_weighs_a_deal_by_its_tested_parties_in_every_cell_alike() -> None:
    """Every draw of the effect, written out deal by deal."""
    drawn = generator()
    sides = {}
    runs = []
    for condition in ("L1", "L3"):
        seller = drawn.integers(0, 6, 40)
        buyer = np.where(drawn.random(40) < 0.4, (seller + drawn.integers(1, 6, 40)) % 6, -1)
        failed = drawn.random(40) < 0.4
        sides[condition] = (seller, buyer, failed)
        tally = Parties.from_columns(6, seller, buyer).share(failed, np.ones(40))
        runs.append(run(tally, condition))
    values = []
    for times in FEW.agents(6)[1:]:
        shares = {}
        for condition, (seller, buyer, failed) in sides.items():
            weights = np.where(buyer < 0, times[seller], (times[seller] + times[buyer]) / 2)
            shares[condition] = weights[failed].sum() / weights.sum()
        values.append(shares["L3"] - shares["L1"])
    found = effect(resample(runs, MEASURE, FEW), L3)
    assert found.interval == pytest.approx(tuple(np.quantile(values, [0.025, 0.975])))
    tail = min(np.mean(np.array(values) <= 0), np.mean(np.array(values) >= 0))
    assert found.p == pytest.approx(max(2 / 200, 2 * tail))


def test_the_interval_of_a_level_is_of_the_draws_and_not_of_the_data_among_them() -> None:
    n, d = [9, 0, 1, 2], [9, 4, 5, 4]
    shares = (FEW.agents(4)[1:] @ n) / (FEW.agents(4)[1:] @ d)
    found = level(resample([run(Tally.shares(n, d))], MEASURE, FEW))
    assert found.interval == pytest.approx(tuple(np.quantile(shares, [0.025, 0.975])))


def test_the_weights_of_equation_1_are_computed_anew_in_every_draw() -> None:
    runs = matrix()
    values = []
    for times in FEW.agents(20)[1:]:
        top = bottom = 0.0
        for market in "abc":
            n, d = {}, {}
            for one in runs:
                tally = one.tallies[MEASURE]
                if one.market == market and tally is not None:
                    n[one.condition], d[one.condition] = times @ tally.n, times @ tally.d
            weight = d["L3"] * d["L1"] / (d["L3"] + d["L1"])
            top += weight * (n["L3"] / d["L3"] - n["L1"] / d["L1"])
            bottom += weight
        values.append(top / bottom)
    found = effect(resample(runs, MEASURE, FEW), L3)
    assert found.interval == pytest.approx(tuple(np.quantile(values, [0.025, 0.975])))


def test_the_interval_agrees_with_scipys_bootstrap() -> None:
    tally = random_run(generator()).tallies[MEASURE]
    assert tally is not None
    many = Resampling(draws=20_000)
    ours = level(resample([run(tally)], MEASURE, many)).interval
    theirs = stats.bootstrap(
        (tally.n, tally.d),
        lambda n, d, axis=-1: n.sum(axis=axis) / d.sum(axis=axis),
        paired=True,
        vectorized=True,
        n_resamples=20_000,
        method="percentile",
        rng=np.random.default_rng(7),
    ).confidence_interval
    assert ours == pytest.approx((theirs.low, theirs.high), abs=0.004)


def test_results_do_not_depend_on_the_order_of_the_runs_or_on_other_cells() -> None:
    runs = matrix(epochs=2)
    others = [random_run(generator(), "L2", market="z", epoch=epoch) for epoch in range(2)]
    first = resample(runs, MEASURE, FEW)
    second = resample([*others, *reversed(runs)], MEASURE, FEW)
    assert effect(first, L3) == effect(second, L3)
    assert level(first) == level(second, lambda one: one.market != "z")


def test_values_are_the_same_with_and_without_draws() -> None:
    drawn, plain = (resample(matrix(), MEASURE, how) for how in (FEW, None))
    assert effect(drawn, L3).value == effect(plain, L3).value
    assert effect(plain, L3).interval is None


# --- clustering -------------------------------------------------------------------------------


def copied(tally: Tally, times: list[int]) -> Tally:
    """Every deal of an agent as often as said."""
    return Tally.shares(tally.n * times, tally.d * times)


def failing(agents: int) -> Tally:
    """Five deals each; the first agent fails in all of them, the others in one."""
    return Tally.shares([5] + [1] * (agents - 1), [5] * agents)


def test_a_copy_of_all_deals_says_nothing_new() -> None:
    once, tenfold = failing(20), copied(failing(20), [10] * 20)
    drawn = [level(resample([run(tally)], MEASURE, FEW)) for tally in (once, tenfold)]
    assert drawn[0].interval == drawn[1].interval
    # … which an interval that takes deals for independent believes it does.
    assert width(wilson(240, 1000)) < 0.5 * width(wilson(24, 100))


def test_copies_of_one_agents_deals_widen_the_interval() -> None:
    once = failing(20)
    more = copied(once, [10] + [1] * 19)
    before, after = (level(resample([run(t)], MEASURE, FEW)).interval for t in (once, more))
    assert width(after) > 4 * width(before)
    assert width(wilson(69, 145)) < width(wilson(24, 100))


def test_the_same_deals_in_fewer_hands_are_less_certain() -> None:
    spread = Tally.shares([1, 0, 0, 1, 0] * 4, [5] * 20)
    hands = Tally.shares([8, 0, 0, 0], [25] * 4)
    few, many = (level(resample([run(t)], MEASURE, FEW)).interval for t in (hands, spread))
    assert width(few) > 2 * width(many)


def test_what_rests_on_one_agent_has_no_interval_and_no_small_p() -> None:
    def alone(n: float) -> Tally:
        return Tally.shares([n] + [0] * 19, [10] + [0] * 19)

    found = effect(resample([run(alone(0)), run(alone(10), "L3")], MEASURE, FEW), L3)
    assert (found.value, found.interval) == (1, None)
    assert found.p is not None
    assert found.p > 0.5
    assert any("of 200 draws" in note for note in found.notes)


def test_one_tested_agent_has_no_interval() -> None:
    runs = [
        Run("m", "a", condition, "paper", 1, (1,), {MEASURE: Tally.shares([n], [10])})
        for condition, n in (("L1", 2), ("L3", 7))
    ]
    found = effect(resample(runs, MEASURE, FEW), L3)
    assert found.value == pytest.approx(0.5)
    assert (found.interval, found.p) == (None, None)
    assert "no interval: one tested agent" in found.notes


def test_totals_have_values_and_no_interval() -> None:
    found = level(resample([run(Tally.total("share", 1, 4))], MEASURE, FEW))
    assert (found.value, found.interval) == (0.25, None)
    assert "no interval: figures per agent are not known" in found.notes


# --- runs -------------------------------------------------------------------------------------


def test_with_one_run_per_cell_the_interval_over_runs_is_missing_and_it_is_said() -> None:
    found = effect(resample(matrix(), MEASURE, FEW), L3)
    assert (found.runs_interval, found.runs_p) == (None, None)
    assert found.interval is not None
    assert "one run: the interval leaves out how runs differ" in found.notes


def test_a_single_cell_with_one_run_takes_the_interval_over_runs_away() -> None:
    runs = [one for one in matrix(epochs=2) if (one.market, one.condition) != ("a", "L1")]
    runs += [one for one in matrix() if (one.market, one.condition) == ("a", "L1")]
    found = effect(resample(runs, MEASURE, FEW), L3)
    assert found.runs_interval is None
    assert any("one run in 1 of 6 cells" in note for note in found.notes)


def test_runs_that_do_not_differ_add_nothing() -> None:
    once = matrix()
    runs = [replace(one, epoch=epoch) for one in once for epoch in range(3)]
    for measure in (MEASURE, "count", "dollars"):
        found = effect(resample(runs, measure, FEW), L3)
        assert found.runs_interval == pytest.approx(found.interval)
        assert found.interval == pytest.approx(effect(resample(once, measure, FEW), L3).interval)


def test_runs_that_differ_are_seen_where_agents_do_not() -> None:
    luck = {"L1": (1, 3, 5), "L3": (4, 6, 8)}
    runs = [
        run(Tally.shares([n] * 20, [10] * 20), condition, epoch=epoch)
        for condition, values in luck.items()
        for epoch, n in enumerate(values)
    ]
    found = effect(resample(runs, MEASURE, FEW), L3)
    assert found.interval == pytest.approx(Interval(0.3, 0.3))
    assert width(found.runs_interval) > 0.2


def test_a_draw_of_runs_repeats_the_whole_run_for_all_agents() -> None:
    runs = [run(Tally.shares(n, [10, 10]), epoch=e) for e, n in enumerate(([1, 2], [5, 9]))]
    times = multiplicities(200, 1, ("runs", "m", "a", "L1", "paper"), 2)[1:]
    agents = FEW.agents(2)[1:]
    top = times[:, 0] * (agents @ [1, 2]) + times[:, 1] * (agents @ [5, 9])
    bottom = (times * (agents @ [10, 10])[:, np.newaxis]).sum(axis=1)
    found = level(resample(runs, MEASURE, FEW))
    assert found.runs_interval == pytest.approx(tuple(np.quantile(top / bottom, [0.025, 0.975])))


# --- settings ---------------------------------------------------------------------------------


def test_expanded_intervals_are_wider_and_change_nothing_else() -> None:
    plain, wider = (
        effect(resample(matrix(), MEASURE, Resampling(expanded=how)), L3) for how in (False, True)
    )
    assert width(wider.interval) > 1.03 * width(plain.interval)
    assert (wider.value, wider.p) == (plain.value, plain.p)


@pytest.mark.parametrize("bad", [{"draws": 0}, {"draws": 99}, {"seed": -1}])
def test_too_few_draws_and_negative_seeds_are_refused(bad: dict[str, int]) -> None:
    with pytest.raises(SettingError, match="at least 100 draws"):
        Resampling(**bad)
