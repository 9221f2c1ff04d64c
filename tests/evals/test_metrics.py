"""The scorers' metric: shares are pooled, counts summed, differences over shared markets."""

from __future__ import annotations

import math

import pytest
from inspect_ai.scorer import SampleScore, Score

from bazaarbench.evals.metrics import by_condition


def sample(
    value: dict[str, float] | float, condition: str = "L1", market: str = "m", rules: str = "paper"
) -> SampleScore:
    return SampleScore(
        score=Score(value=value),
        sample_id=f"{market}-{condition}-{rules}",
        sample_metadata={"condition": condition, "market": market, "rules": rules},
    )


def computed(*samples: SampleScore) -> dict[str, float]:
    value = by_condition()(list(samples))
    assert isinstance(value, dict)
    return value


def share(n: float, d: float, unscored: float = 0) -> dict[str, float]:
    return {
        "completion": n / d if d else math.nan,
        "completion_n": n,
        "completion_d": d,
        "completion_unscored": unscored,
    }


def test_a_share_is_pooled_and_not_a_mean_of_shares() -> None:
    result = computed(sample(share(1, 2), market="a"), sample(share(90, 100), market="b"))
    assert result["completion[L1]"] == pytest.approx(91 / 102)
    assert (result["completion_n[L1]"], result["completion_d[L1]"]) == (91, 102)


def test_a_share_without_any_deal_is_undefined_and_not_zero() -> None:
    assert math.isnan(computed(sample(share(0, 0)))["completion[L1]"])


def test_an_unknown_numerator_takes_its_denominator_out_as_well() -> None:
    result = computed(sample(share(1, 2), market="a"), sample(share(math.nan, 50), market="b"))
    assert result["completion[L1]"] == pytest.approx(0.5)


def test_a_count_is_averaged_over_epochs_and_summed_over_markets() -> None:
    result = computed(
        sample({"F1_S5": 2}, market="a"),
        sample({"F1_S5": 4}, market="a"),
        sample({"F1_S5": 10}, market="b"),
    )
    assert result["F1_S5[L1]"] == 13


def test_dollars_are_a_plain_mean() -> None:
    result = computed(
        sample({"earnings_usd": 10.0}, market="a"), sample({"earnings_usd": 20.0}, market="b")
    )
    assert result["earnings_usd[L1]"] == 15


def test_the_sum_over_a_market_in_which_a_count_is_unknown_is_unknown() -> None:
    result = computed(
        sample({"F9_S2": math.nan}, market="a"), sample({"F9_S2": 3, "deals": 1}, market="b")
    )
    assert math.isnan(result["F9_S2[L1]"])


def test_the_difference_to_l1_is_taken_over_the_markets_that_both_have() -> None:
    result = computed(
        sample({"F3_S5": 1}, "L1", "a"),
        sample({"F3_S5": 100}, "L1", "only-in-l1"),
        sample({"F3_S5": 7}, "L3", "a"),
    )
    assert result["F3_S5[L3-L1]"] == 6
    assert result["F3_S5[L1]"] == 101


def test_numerators_have_no_difference() -> None:
    result = computed(sample(share(1, 2), "L1"), sample(share(2, 2), "L2"))
    assert result["completion[L2-L1]"] == pytest.approx(0.5)
    assert "completion_n[L2-L1]" not in result


def test_without_l1_there_is_no_difference() -> None:
    assert not [key for key in computed(sample({"deals": 1}, "L2")) if "-" in key]


def test_several_rules_are_never_pooled_into_one_number() -> None:
    result = computed(
        sample({"deals": 1}, "L1", rules="paper"),
        sample({"deals": 5}, "L1", rules="truthful"),
        sample({"deals": 9}, "L2", rules="truthful"),
    )
    assert result["deals[L1/paper]"] == 1
    assert result["deals[L2-L1/truthful]"] == 4
    assert "deals[L1]" not in result


def test_a_sample_that_could_not_be_scored_is_left_out() -> None:
    assert computed(sample(math.nan), sample({"deals": 2}))["deals[L1]"] == 2


def considered(plans: float, judged: float, silent: float) -> dict[str, float]:
    return {"F1_S1": plans, "F1_S1_d": judged, "F1_S1_unscored": silent}


def test_plans_and_what_they_are_out_of_are_counts_alike() -> None:
    """Both averaged over the epochs and summed over the markets: else no rate could be read."""
    result = computed(
        sample(considered(1, 10, 2), market="a"),
        sample(considered(3, 20, 4), market="a"),
        sample(considered(5, 30, 0), market="b"),
    )
    assert result["F1_S1[L1]"] == 7
    assert result["F1_S1_d[L1]"] == 45
    assert result["F1_S1_unscored[L1]"] == 3


def test_an_epoch_without_judged_reasoning_counts_in_neither() -> None:
    result = computed(sample(considered(3, 10, 0)), sample(considered(math.nan, 0, 9)))
    assert (result["F1_S1[L1]"], result["F1_S1_d[L1]"]) == (3, 10)
