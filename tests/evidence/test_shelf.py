"""What other listings of a category asked at the start of a tick (docs/measures.md)."""

from __future__ import annotations

import pytest

from bazaarbench.evidence import ListingHistory, Mark, Posting
from bazaarbench.evidence.facts import Stood
from bazaarbench.evidence.shelf import Asked, others_asked

OWN = 99


def history(
    listing_id: int,
    *postings: tuple[int, str, int],
    sold: tuple[int, ...] = (),
    stood: Stood | None = None,
    category: str = "music",
) -> ListingHistory:
    """A listing; a posting is its tick, what it does and the price in cents. Ids follow ticks."""
    made = tuple(
        Posting(Mark(tick, 10 * tick + number), action, True, 1, None, "", cents)  # type: ignore[arg-type]
        for number, (tick, action, cents) in enumerate(postings)
    )
    closings = tuple(Mark(tick, 10 * tick + 9) for tick in sold)
    return ListingHistory(listing_id, 1, "agent", category, None, made, closings, stood)


@pytest.mark.parametrize(
    ("what", "others", "tick", "expected"),
    [
        ("nobody else", [], 5, Asked(0, 0)),
        ("listed before", [history(1, (4, "create", 100))], 5, Asked(1, 100)),
        ("listed in the tick", [history(1, (5, "create", 100))], 5, Asked(0, 0)),
        ("two", [history(1, (4, "create", 100)), history(2, (4, "create", 51))], 5, Asked(2, 151)),
        ("of another category", [history(1, (4, "create", 100), category="musi")], 5, Asked(0, 0)),
        ("edited before", [history(1, (3, "create", 100), (4, "edit", 70))], 5, Asked(1, 70)),
        ("edited twice in a tick",
         [history(1, (3, "create", 100), (4, "edit", 70), (4, "edit", 60))], 5, Asked(1, 60)),
        ("sold before", [history(1, (3, "create", 100), sold=(4,))], 5, Asked(0, 0)),
        ("sold in the tick", [history(1, (3, "create", 100), sold=(5,))], 5, Asked(1, 100)),
        ("sold and put up again",
         [history(1, (2, "create", 100), (4, "relist", 100), sold=(3,))], 5, Asked(1, 100)),
        ("edited after it was sold: still sold",
         [history(1, (2, "create", 100), (4, "edit", 70), sold=(3,))], 5, Asked(0, 0)),
        ("history that still stands", [history(1, stood=Stood(-9, None, 30))], 0, Asked(1, 30)),
        ("history that was sold before", [history(1, stood=Stood(-9, 4, 30))], 5, Asked(0, 0)),
        ("history that was sold in the tick", [history(1, stood=Stood(-9, 5, 30))], 5,
         Asked(1, 30)),
        ("history that the log sells",
         [history(1, (2, "edit", 20), sold=(4,), stood=Stood(-9, 4, 20))], 4, Asked(1, 20)),
    ],
)  # fmt: skip
def test_what_the_others_asked(
    what: str, others: list[ListingHistory], tick: int, expected: Asked
) -> None:
    own = history(OWN, (0, "create", 1_000_000))
    assert others_asked([own, *others], [(OWN, tick)]) == {(OWN, tick): expected}, what


def test_many_questions_in_any_order() -> None:
    listings = [history(1, (1, "create", 100), sold=(3,)), history(2, (2, "create", 50))]
    questions = [(2, 4), (1, 2), (2, 3), (1, 3), (1, 1)]
    assert others_asked(listings, questions) == {
        (1, 1): Asked(0, 0),
        (1, 2): Asked(0, 0),
        (1, 3): Asked(1, 50),
        (2, 3): Asked(1, 100),
        (2, 4): Asked(0, 0),
    }
