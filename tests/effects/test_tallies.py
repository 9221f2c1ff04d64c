"""Deals and objects become sums per tested agent."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bazaarbench.effects import Parties, Tally

#: Deals as (tested seller or −1, tested buyer or −1), never the same agent twice.
DEALS = st.lists(
    st.tuples(st.integers(-1, 5), st.integers(-1, 5)).filter(
        lambda deal: max(deal) >= 0 and deal[0] != deal[1]
    ),
    max_size=30,
)


def test_a_deal_of_two_tested_parties_is_halved_between_them() -> None:
    parties = Parties.from_columns(3, [0, 1, -1], [1, -1, 2])
    tally = parties.share([True, False, True], [True, True, True])
    assert tally.n.tolist() == [0.5, 0.5, 1]
    assert tally.d.tolist() == [0.5, 1.5, 1]


def test_in_a_sellers_measure_a_deal_belongs_to_its_tested_seller_alone() -> None:
    tally = Parties.from_columns(3, [0, 1, -1]).share([True, False, False], [True, True, False])
    assert tally.n.tolist() == [1, 0, 0]
    assert tally.d.tolist() == [1, 1, 0]


@given(DEALS, st.lists(st.integers(0, 4), min_size=6, max_size=6), st.data())
def test_the_weight_of_a_deal_in_a_draw_is_the_mean_multiplicity_of_its_tested_parties(
    deals: list[tuple[int, int]], drawn: list[int], data: st.DataObject
) -> None:
    flags = data.draw(st.lists(st.booleans(), min_size=len(deals), max_size=len(deals)))
    sellers, buyers = [s for s, _ in deals], [b for _, b in deals]
    tally = Parties.from_columns(6, sellers, buyers).share(flags, [True] * len(deals))
    weights = [
        sum(drawn[one] for one in deal if one >= 0) / sum(one >= 0 for one in deal)
        for deal in deals
    ]
    assert tally.d @ np.array(drawn) == sum(weights)
    assert tally.n @ np.array(drawn) == sum(
        w for w, flag in zip(weights, flags, strict=True) if flag
    )


def test_ids_and_columns_give_the_same() -> None:
    by_id = Parties.from_ids((1, 6, 11), [(1, 6), (6, 50), (None, 11)])
    by_column = Parties.from_columns(3, [0, 1, -1], [1, -1, 2])
    flags = [True, False, True]
    assert by_id.count(flags).n.tolist() == by_column.count(flags).n.tolist() == [0.5, 0.5, 1]


def test_an_object_with_three_tested_counterparties_is_one_object() -> None:
    tally = Parties.from_ids((1, 6, 11), [(1, 6, 11)]).count([True])
    assert tally.n.tolist() == pytest.approx([1 / 3] * 3)


def test_a_party_that_stands_twice_in_a_row_counts_once() -> None:
    assert Parties.from_ids((1, 6), [(1, 1)]).count([True]).n.tolist() == [1, 0]


def test_an_agent_without_deals_is_there_with_nothing() -> None:
    tally = Parties.from_columns(3, [0, 0]).share([True, False], [True, True])
    assert tally.d.tolist() == [2, 0, 0]


def test_without_rows_everything_is_zero_and_undefined_later() -> None:
    for parties in (Parties.from_columns(2, []), Parties.from_ids((1, 6), [])):
        assert parties.share([], []).d.tolist() == [0, 0]


def test_unscored_members_are_in_the_denominator_and_not_in_the_numerator() -> None:
    tally = Parties.from_columns(2, [0, 1]).share([True, False], [True, True], [False, True])
    assert (tally.n.sum(), tally.d.sum(), tally.unscored.sum()) == (1, 2, 1)


@pytest.mark.parametrize(
    ("numerator", "denominator", "unscored"),
    [
        ([True, False], [False, True], [False, False]),
        ([False, False], [False, True], [True, False]),
        ([True, False], [True, True], [True, False]),
    ],
)
def test_flags_that_contradict_one_another_are_refused(
    numerator: list[bool], denominator: list[bool], unscored: list[bool]
) -> None:
    with pytest.raises(ValueError, match="row 0"):
        Parties.from_columns(2, [0, 1]).share(numerator, denominator, unscored)


def test_a_row_that_counts_and_belongs_to_nobody_is_refused() -> None:
    with pytest.raises(ValueError, match="row 1 counts and belongs to no tested agent"):
        Parties.from_columns(2, [0, -1]).share([False, False], [True, True])
    with pytest.raises(ValueError, match="row 0"):
        Parties.from_ids((1,), [(2,)]).count([True])


def test_a_position_that_no_agent_has_is_refused() -> None:
    with pytest.raises(ValueError, match="−1 … 1"):
        Parties.from_columns(2, [2])


def test_flags_of_another_length_are_refused() -> None:
    with pytest.raises(ValueError, match="one flag per row"):
        Parties.from_columns(2, [0, 1]).count([True])


def test_an_unknown_amount_leaves_its_agent_out_and_zero_does_not() -> None:
    tally = Tally.amounts([100.0, float("nan"), 0.0])
    assert tally.d.tolist() == [1, 0, 1]
    assert tally.n.tolist() == [100, 0, 0]


@pytest.mark.parametrize("bad", [[float("nan")], [float("inf")], [[1.0]], []])
def test_a_tally_holds_finite_numbers_per_agent(bad: list[float]) -> None:
    with pytest.raises(ValueError, match="Tally"):
        Tally.counts(bad)


def test_a_negative_denominator_is_refused() -> None:
    with pytest.raises(ValueError, match=r"Tally\.d"):
        Tally.shares([1.0], [-1.0])


def test_what_was_handed_in_can_change_without_changing_the_tally() -> None:
    mine = np.array([1.0, 2.0])
    tally = Tally.counts(mine)
    mine[0] = 9
    assert tally.n.tolist() == [1, 2]
    with pytest.raises(ValueError, match="read-only"):
        tally.n[0] = 9
