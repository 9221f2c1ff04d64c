"""The importer's fast matching is the plain rule of the reference (M §2.3), whatever the titles."""

from __future__ import annotations

from difflib import SequenceMatcher

from hypothesis import example, given, settings
from hypothesis import strategies as st

from bazaarbench.market.titles import compatible
from bazaarbench.released.matching import Held, pool_of

WORDS = ("camera", "Camera", "cable", "iphone 8", "iphone x", "64gb", "ßtraße", "ê", " ", "aaaa")
titles = st.one_of(
    st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join),
    st.text(max_size=12),
    st.text("ab", min_size=120, max_size=140),
)
categories = st.sampled_from(("electronics", "electronics-phones", "toys", ""))


def ratio(one: str, other: str) -> float:
    return SequenceMatcher(None, one.lower().strip(), other.lower().strip()).ratio()


def plainly(units: list[Held], title: str, category: str) -> list[int]:
    """The winners by the letter: ratios as floats, equal within 1e-12."""
    near = [unit for unit in units if compatible(unit.category, category)]
    for pool, least in ((near, 0.45), (units, 0.85)):
        best = max((ratio(unit.title, title) for unit in pool), default=0.0)
        if best >= least:
            return [u.unit_id for u in pool if abs(ratio(u.title, title) - best) < 1e-12]
    return []


@settings(max_examples=400)
@given(st.lists(st.tuples(titles, categories), max_size=8), titles, categories)
@example([("camera", "toys"), ("cable", "electronics")], "camera", "electronics")
@example([("", "toys")], "", "toys")
@example([("camera x", "toys"), ("camera x", "toys")], "camera xy", "toys")
def test_the_winners_are_those_of_the_letter(
    owned: list[tuple[str, str]], title: str, category: str
) -> None:
    units = [Held(place, *one) for place, one in enumerate(owned)]
    found = pool_of(units, title, category)
    assert [unit.unit_id for unit in found.winners] == plainly(units, title, category)
    if not found.winners:
        near = [u for u in units if compatible(u.category, category)]
        best = max((ratio(unit.title, title) for unit in near), default=0.0)
        assert abs(found.best_ppm / 1e6 - best) < 1e-5
