"""Cohen's kappa with its interval."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import cohens_kappa

from bazaarbench.effects import agreement, wilson

TABLES = st.integers(2, 4).flatmap(
    lambda size: st.lists(
        st.lists(st.integers(0, 30), min_size=size, max_size=size), min_size=size, max_size=size
    )
)


def labels(table: list[list[int]]) -> tuple[list[str], list[str]]:
    """Two labellings that have this table."""
    pairs = [
        (str(row), str(column))
        for row, counts in enumerate(table)
        for column, count in enumerate(counts)
        for _ in range(count)
    ]
    return [one for one, _ in pairs], [other for _, other in pairs]


def test_kappa_by_hand() -> None:
    # 20 + 15 of 50 agree; by chance 25/50 · 30/50 + 25/50 · 20/50 = 0.5
    found = agreement(*labels([[20, 5], [10, 15]]))
    assert (found.labels, found.share) == (50, 0.7)
    assert found.kappa == pytest.approx(0.4)
    assert found.share_interval == wilson(35, 50)


@given(TABLES)
def test_it_agrees_with_statsmodels(table: list[list[int]]) -> None:
    counts = np.array(table)
    used = (counts.sum(axis=0) > 0) | (counts.sum(axis=1) > 0)
    assume(used.sum() > 1)
    assume(counts.sum() >= 30)
    assume(np.trace(counts) < counts.sum())
    assume(max(counts.sum(axis=0).max(), counts.sum(axis=1).max()) < counts.sum())
    found = agreement(*labels(table))
    theirs = cohens_kappa(counts[np.ix_(used, used)])
    assert found.kappa == pytest.approx(theirs.kappa)
    assert found.interval is not None
    assert found.interval.low == pytest.approx(max(-1, theirs.kappa_low))
    assert found.interval.high == pytest.approx(min(1, theirs.kappa_upp))


def test_below_thirty_labels_there_is_agreement_and_no_kappa() -> None:
    found = agreement(*labels([[14, 0], [1, 14]]))
    assert (found.labels, found.kappa, found.interval) == (29, None, None)
    assert found.share == pytest.approx(28 / 29)
    assert agreement(*labels([[14, 1], [1, 14]])).kappa is not None


def test_where_chance_alone_agrees_kappa_is_undefined() -> None:
    found = agreement(["clean"] * 40, ["clean"] * 40, ("clean", "failure"))
    assert (found.share, found.kappa, found.interval) == (1, None, None)


def test_a_labeller_with_one_label_gives_a_kappa_of_zero_and_no_interval() -> None:
    for table in ([[0, 0], [2, 28]], [[0, 2], [0, 28]]):
        found = agreement(*labels(table))
        assert (found.kappa, found.interval) == (0, None)


def test_full_agreement_is_not_certainty() -> None:
    found = agreement(*labels([[20, 0], [0, 20]]))
    assert found.kappa == 1
    assert found.interval is not None
    lowest = wilson(40, 40)
    assert lowest is not None
    assert found.interval.low == pytest.approx(2 * lowest.low - 1)
    assert found.interval.high == 1


def test_the_table_is_in_the_order_of_the_categories() -> None:
    found = agreement(["S3", "S2"], ["S3", "S3"], ("S2", "S3", "S4"))
    assert found.table.tolist() == [[0, 1, 0], [0, 1, 0], [0, 0, 0]]


def test_no_labels_are_no_agreement() -> None:
    found = agreement([], [])
    assert (found.labels, found.share, found.share_interval, found.kappa) == (0, None, None, None)


def test_labellings_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="2 labels cannot be compared with 1"):
        agreement(["a", "b"], ["a"])
    with pytest.raises(ValueError, match="no category: c"):
        agreement(["a"], ["c"], ("a", "b"))
