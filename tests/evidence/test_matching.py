"""Which units a listing names when the record is read (reference P §5.2a, docs/measures.md).

The ledgers are written by hand: S had, has and will have what a line says.
"""

from __future__ import annotations

import pytest

from bazaarbench.evidence import Kind, Ledger, ListingHistory, Mark, Posting, UnitFacts
from bazaarbench.evidence.matching import (
    best_left,
    came_to_hold,
    formerly_held,
    names,
    would_bind,
)
from tests.evidence.acting import B, S

CAMERA = "Solara K2 camera"
#: 0.45 and 0.85 to the million: 2 × 9 of 40 letters, 2 × 17 of 40.
NINE, NINE_AND_MORE = "abcdefghi", "abcdefghi" + "x" * 22
SEVENTEEN, OTHER_END = "a" * 17 + "bcd", "a" * 17 + "xyz"


def unit(unit_id: int, title: str = CAMERA, category: str = "electronics") -> UnitFacts:
    return UnitFacts(unit_id, title, category, Kind(title.lower(), category), 72, "initial")


def ledger(*units: UnitFacts, sold: dict[int, int] | None = None, owner: int = S) -> Ledger:
    """Units that an agent holds from event 1 on; ``sold`` gives some the event of their sale."""
    made = Ledger({one.unit_id: one for one in units})
    for one in units:
        made.enter(one.unit_id, owner, "initial", Mark(0, 1), cost_cents=None)
    for unit_id, event_id in (sold or {}).items():
        made.leave(unit_id, Mark(1, event_id), "sold", 100)
    return made


def listing(
    *postings: tuple[int, str, int | None], category: str = "electronics"
) -> ListingHistory:
    """A listing of S; a posting is its event, its title, and the unit that it is bound to."""
    made = tuple(
        Posting(Mark(1, event_id), "create" if number == 0 else "edit", True, S, bound, title, 100)
        for number, (event_id, title, bound) in enumerate(postings)
    )
    return ListingHistory(1, S, "agent", category, None, made)


@pytest.mark.parametrize(
    ("held", "title", "category", "expected"),
    [
        (unit(1), CAMERA, "electronics", True),
        (unit(1), CAMERA, "toys", True),
        (unit(1, NINE), NINE_AND_MORE, "electronics", True),
        (unit(1, NINE), NINE_AND_MORE, "electronics-phones", True),
        (unit(1, NINE), NINE_AND_MORE + "x", "electronics", False),
        (unit(1, NINE), NINE_AND_MORE, "toys", False),
        (unit(1, SEVENTEEN), OTHER_END, "toys", True),
        (unit(1, SEVENTEEN), OTHER_END + "x", "toys", False),
    ],
)
def test_a_title_names_a_unit_from_045_in_its_category_and_from_085_elsewhere(
    held: UnitFacts, title: str, category: str, expected: bool
) -> None:
    assert names(held, title, category) is expected


@pytest.mark.parametrize(
    ("units", "sold", "expected"),
    [
        ([unit(1, "Grand piano")], {1: 5}, None),
        ([unit(1)], {}, None),
        ([unit(1, "Grand piano"), unit(2)], {1: 5, 2: 6}, 2),
        ([unit(1, "Solara K2 cameras"), unit(2)], {2: 5, 1: 6}, 2),
        ([unit(1), unit(2)], {1: 5, 2: 6}, 2),
        ([unit(1), unit(2)], {2: 5, 1: 6}, 1),
        ([unit(1, category="toys"), unit(2, "Solara K2 cameras")], {2: 5, 1: 6}, 2),
    ],
    ids=[
        "none is like it",
        "none has ended",
        "the one that is like it, whatever stands before it",
        "the more alike",
        "the latest to end among equals",
        "by when they ended and not by when they began",
        "its own category first",
    ],
)
def test_the_best_match_of_what_was_held(
    units: list[UnitFacts], sold: dict[int, int], expected: int | None
) -> None:
    made = ledger(*units, sold=sold)
    span = best_left(made, S, CAMERA, "electronics", Mark(9, 99))
    assert (span and span.unit_id) == expected


def test_what_stood_behind_a_listing_is_the_unit_that_it_was_bound_to_whatever_its_title() -> None:
    made = ledger(unit(1), unit(2, "Grand piano"), sold={1: 5, 2: 6})
    renamed = listing((2, CAMERA, 1), (3, "Grand piano", 1))
    found = formerly_held(made, S, renamed, Mark(1, 9))
    assert found is made.spans[0]


def test_a_unit_that_is_still_held_is_no_former_one() -> None:
    made = ledger(unit(1), unit(2), sold={2: 5})
    bound_to_the_first = listing((2, CAMERA, 1))
    assert formerly_held(made, S, bound_to_the_first, Mark(1, 9)) is made.spans[1]
    assert formerly_held(made, S, bound_to_the_first, Mark(1, 5)) is None, "it goes at event 5"
    assert formerly_held(made, B, bound_to_the_first, Mark(1, 9)) is None


def test_a_unit_held_twice_went_when_it_went_the_last_time() -> None:
    made = ledger(unit(1), sold={1: 5})
    made.enter(1, S, "purchase", Mark(1, 6), cost_cents=100)
    made.leave(1, Mark(1, 7), "sold_outside", None)
    found = formerly_held(made, S, listing((2, CAMERA, 1)), Mark(1, 9))
    assert found is made.spans[1]


def test_a_unit_that_is_held_again_is_not_gone() -> None:
    made = ledger(unit(1), unit(2, "Solara K2 cameras"), sold={1: 5, 2: 4})
    made.enter(1, S, "purchase", Mark(1, 6), cost_cents=100)
    bound = listing((2, CAMERA, 1))
    assert formerly_held(made, S, bound, Mark(1, 6)) is made.spans[0], "it comes at event 6"
    assert formerly_held(made, S, bound, Mark(1, 7)) is made.spans[1], "the best of what is gone"


@pytest.mark.parametrize(
    ("after", "before", "expected"),
    [(4, 6, True), (5, 6, False), (4, 5, False), (1, 9, True)],
)
def test_a_unit_came_strictly_between_two_events(after: int, before: int, expected: bool) -> None:
    made = ledger(unit(2, "Grand piano"), unit(1))
    made.spans[1].start = Mark(1, 5)
    came = came_to_hold(made, S, listing((1, CAMERA, None)), Mark(1, after), Mark(1, before))
    assert came is expected


def test_what_came_is_compared_with_the_title_of_the_time() -> None:
    made = ledger(unit(1))
    made.spans[0].start = Mark(1, 5)
    renamed = listing((2, "Grand piano", None), (7, CAMERA, None))
    assert not came_to_hold(made, S, renamed, Mark(1, 4), Mark(1, 9))


@pytest.mark.parametrize(
    ("title", "bound", "expected"),
    [
        (CAMERA, None, True),
        ("Grand piano", 1, True),
        ("Grand piano", None, False),
        ("Grand piano", 2, False),
    ],
    ids=["by its title", "by its binding", "by neither", "what it was bound to is gone"],
)
def test_putting_up_again_binds_what_it_was_bound_to_or_what_it_names(
    title: str, bound: int | None, expected: bool
) -> None:
    made = ledger(unit(1), unit(2), sold={2: 4})
    assert would_bind(made, S, listing((2, title, bound)), Mark(1, 9)) is expected


def test_a_listing_without_a_posting_has_no_title_and_names_nothing() -> None:
    """Imported ones: their first event was never logged."""
    bare = listing()
    made = ledger(unit(1, "XXL shirt"), unit(2, "XXL"), sold={2: 4})
    assert not would_bind(made, S, bare, Mark(1, 9))
    assert formerly_held(made, S, bare, Mark(1, 9)) is None
