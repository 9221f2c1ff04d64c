"""Whatever is missing: no crash, no NaN, and the numbers stay consistent."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bazaarbench.effects import (
    Contrast,
    Kind,
    Resampling,
    Run,
    Tally,
    between_runs,
    effect,
    effect_variance,
    level,
    resample,
)
from tests.effects.studies import L3, MEASURE

SMALL = Resampling(draws=100)


@st.composite
def tallies(draw: st.DrawFn, kind: Kind, agents: int) -> Tally | None:
    """A tally with many zeros, or none."""
    if draw(st.integers(0, 5)) == 0:
        return None
    entries = st.lists(st.integers(0, 3), min_size=max(1, agents), max_size=max(1, agents))
    n, rest, unscored = draw(entries), draw(entries), draw(entries)
    if kind == "count":
        return Tally.counts(n, unscored)
    if kind == "amount":
        return Tally("amount", n, [min(1, one) for one in rest], [0] * len(n))  # type: ignore[arg-type]
    d = [sum(parts) for parts in zip(n, rest, unscored, strict=True)]
    return Tally.shares(n, d, unscored)


@st.composite
def studies(draw: st.DrawFn) -> list[Run]:
    """Some runs of some cells, of 0 to 4 tested agents."""
    kind: Kind = draw(st.sampled_from(["share", "count", "amount"]))
    agents = draw(st.integers(0, 4))
    places = st.tuples(
        st.sampled_from(["m", "n"]),
        st.sampled_from(["a", "b"]),
        st.sampled_from(["L1", "L3"]),
        st.sampled_from([1, 2]),
    )
    return [
        Run(
            model,
            market,
            condition,
            "paper",
            epoch,
            tuple(range(agents)),
            {MEASURE: draw(tallies(kind, agents))},
        )
        for model, market, condition, epoch in draw(st.lists(places, unique=True, max_size=10))
    ]


@settings(max_examples=150)
@given(studies())
def test_nothing_undefined_becomes_a_number(runs: list[Run]) -> None:
    if not runs:
        with pytest.raises(ValueError, match="no run has the measure"):
            resample(runs, MEASURE, SMALL)
        return
    drawn = resample(runs, MEASURE, SMALL)
    found, whole = effect(drawn, L3), level(drawn)
    results = [asdict(found), asdict(whole), *map(asdict, between_runs(runs, MEASURE))]
    variance = effect_variance(runs, MEASURE, L3)
    json.dumps([*results, variance and asdict(variance)], allow_nan=False)
    for one in (found, whole):
        for interval in (one.interval, one.runs_interval, one.bounds):
            assert interval is None or interval.low <= interval.high
        if one.value is None:
            assert one.bounds is None
        else:
            assert one.bounds is not None
            assert one.bounds.low - 1e-12 <= one.value <= one.bounds.high + 1e-12
    for p in (found.p, found.runs_p):
        assert p is None or 0.02 <= p <= 1
    if drawn.kind == "share" and whole.value is not None and whole.bounds is not None:
        assert 0 <= whole.value <= whole.bounds.high <= 1


@settings(max_examples=50)
@given(studies().filter(bool))
def test_the_reverse_contrast_mirrors_everything(runs: list[Run]) -> None:
    drawn = resample(runs, MEASURE, SMALL)
    there, back = effect(drawn, L3), effect(drawn, Contrast("condition", "L1", "L3"))
    assert (there.value is None) == (back.value is None)
    if there.value is not None and back.value is not None:
        assert back.value == pytest.approx(-there.value)
    for one, other in ((there.interval, back.interval), (there.bounds, back.bounds)):
        assert (one is None) == (other is None)
        if one is not None and other is not None:
            assert (-other.high, -other.low) == pytest.approx(one)
    assert there.p == back.p
