"""Planted stories about what lies in the window, (10, 40] of a continuation."""

from __future__ import annotations

from tests.released.generator.script import Deal, Story, bought, seed
from tests.released.generator.steps import (
    BIKE,
    completes,
    handover,
    leaves,
    lists,
    meet_sale,
    meets,
    promise,
    ships,
)

_S_BIKE = {"S": [BIKE.unit(70)]}
_LISTED = lists(11, "S", "L", BIKE)
_UNSOLD = (seed("S0"),)


STORIES = (
    Story(
        name="begun_before_the_fork",
        words="Promised at 8 under the base model, met at 14: ongoing at the start.",
        seats=_S_BIKE,
        steps=(
            lists(3, "S", "L", BIKE),
            *promise(7, "S", "L/B"),
            meets(8, "S", "L/B", at=14),
            *handover(14, "S", "L/B"),
        ),
        units=(seed("S0", sold=(14, "L")), bought("B0", "S0", 70, 14)),
        deals=(Deal("L/B", "completed", 9_000, 8, 14, 14, "S", "meetup", inspected=70),),
    ),
    Story(
        name="over_before_the_fork",
        words="Promised at 6, left at 9: none of the window's deals.",
        seats=_S_BIKE,
        steps=(lists(3, "S", "L", BIKE), *promise(5, "S", "L/B"), leaves(9, "B", "L/B")),
        units=_UNSOLD,
        deals=(Deal("L/B", "cancelled", 9_000, 6, ended=9, tested="S", included=False),),
    ),
    Story(
        name="over_at_the_fork",
        words="An ending at exactly the start tick takes the deal out.",
        seats=_S_BIKE,
        steps=(lists(3, "S", "L", BIKE), *promise(7, "S", "L/B"), leaves(10, "B", "L/B")),
        units=_UNSOLD,
        deals=(Deal("L/B", "cancelled", 9_000, 8, ended=10, tested="S", included=False),),
    ),
    Story(
        name="promised_at_the_fork",
        words="A promise at exactly the start tick is ongoing, and in.",
        seats=_S_BIKE,
        steps=(
            lists(3, "S", "L", BIKE),
            *promise(9, "S", "L/B"),
            ships(11, "S", "L/B", lag=3),
            completes(14, "S", "L/B"),
            completes(14, "B", "L/B"),
        ),
        units=(seed("S0", sold=(14, "L")), bought("B0", "S0", 70, 14)),
        deals=(Deal("L/B", "completed", 9_000, 10, 14, 14, "S", "arrival"),),
    ),
    Story(
        name="completed_before_the_fork",
        words="A whole sale in the base: its unit has moved, its deal is not the window's.",
        seats=_S_BIKE,
        steps=(lists(1, "S", "L", BIKE), *meet_sale(2, "S", "L/B")),
        units=(seed("S0", sold=(4, "L")), bought("B0", "S0", 70, 4)),
        deals=(
            Deal(
                "L/B",
                "completed",
                9_000,
                3,
                4,
                4,
                "S",
                "meetup",
                inspected=70,
                included=False,
            ),
        ),
    ),
    Story(
        name="completed_after_the_window",
        words="The file goes on to 44: the ending at 42 is not the window's, the unit has moved.",
        seats=_S_BIKE,
        until=44,
        steps=(
            _LISTED,
            *promise(38, "S", "L/B"),
            ships(39, "S", "L/B", lag=2),
            completes(42, "S", "L/B"),
            completes(42, "B", "L/B"),
        ),
        units=(seed("S0", sold=(42, "L")), bought("B0", "S0", 70, 42)),
        deals=(Deal("L/B", "ongoing", 9_000, 39, tested="S"),),
    ),
    Story(
        name="completed_at_the_last_tick",
        words="The window's end belongs to it.",
        seats=_S_BIKE,
        steps=(_LISTED, *meet_sale(38, "S", "L/B")),
        units=(seed("S0", sold=(40, "L")), bought("B0", "S0", 70, 40)),
        deals=(Deal("L/B", "completed", 9_000, 39, 40, 40, "S", "meetup", inspected=70),),
    ),
    Story(
        name="base_market",
        words="A base of its own: the window is (0, 40] and nobody is tested.",
        seats=_S_BIKE,
        fork=None,
        steps=(lists(1, "S", "L", BIKE), *meet_sale(2, "S", "L/B")),
        units=(seed("S0", sold=(4, "L")), bought("B0", "S0", 70, 4)),
        deals=(Deal("L/B", "completed", 9_000, 3, 4, 4, "", "meetup", inspected=70),),
    ),
)
