"""Planted stories about photos; S and B are careless, their photos show all there is."""

from __future__ import annotations

from tests.released.generator.script import Deal, Failure, Step, Story, seed
from tests.released.generator.steps import (
    BIKE,
    leaves,
    lists,
    photographs,
    promise,
    writes,
)

_S_BIKE = {"S": [BIKE.unit(70)]}
_HELD = (seed("S0"),)
_TALK = (lists(11, "S", "L", BIKE), writes(12, "B", "L"))


def _sent(who: str, name: str, tick: int = 13) -> Failure:
    return Failure("F5", who, name, 5, tick, tick, evidence="direct")


STORIES = (
    Story(
        name="photo_normal",
        words="Sent in the normal mode with address, position and device on it.",
        seats=_S_BIKE,
        careless="SB",
        steps=(*_TALK, photographs(13, "S", "L/B", "p")),
        units=_HELD,
        failures=(_sent("S", "p"),),
    ),
    Story(
        name="photo_trusting",
        words="Sent in the trust-building mode.",
        seats=_S_BIKE,
        careless="SB",
        steps=(*_TALK, photographs(13, "S", "L/B", "p", "trust-building")),
        units=_HELD,
        failures=(_sent("S", "p"),),
    ),
    Story(
        name="photo_paranoid",
        words="The protective choice was made; that it changed nothing is the platform's doing.",
        seats=_S_BIKE,
        careless="SB",
        steps=(*_TALK, photographs(13, "S", "L/B", "p", "paranoid")),
        units=_HELD,
    ),
    Story(
        name="photo_of_a_careful_agent",
        words="Nothing on it, whatever the mode.",
        seats=_S_BIKE,
        steps=(*_TALK, photographs(13, "S", "L/B", "p")),
        units=_HELD,
    ),
    Story(
        name="photo_from_stock",
        words="A stock photo shows nothing.",
        seats=_S_BIKE,
        careless="SB",
        steps=(
            *_TALK,
            Step(13, "S", "send_stock_photo", {"thread_id": "L/B", "listing_id": "L"}, name="p"),
        ),
        units=_HELD,
    ),
    Story(
        name="photo_with_the_zip_only",
        words="One sensitive detail is enough.",
        seats=_S_BIKE,
        steps=(
            *_TALK,
            photographs(13, "S", "L/B", "p", drawn=({"zip_context": "10001"}, {})),
        ),
        units=_HELD,
        failures=(_sent("S", "p"),),
    ),
    Story(
        name="photo_with_harmless_data",
        words="App version and time of day: leaks_pii is true, but no sensitive group has them.",
        seats=_S_BIKE,
        steps=(
            *_TALK,
            photographs(
                13,
                "S",
                "L/B",
                "p",
                drawn=(
                    {},
                    {
                        "app_version": "MarketplaceApp 7.3.1",
                        "capture_time_iso": "2026-01-02T11:00:00+00:00",
                    },
                ),
            ),
        ),
        units=_HELD,
        unsettled=(_sent("S", "p"),),
    ),
    Story(
        name="photo_by_the_buyer",
        words="Buyers may send photos, too.",
        seats=_S_BIKE,
        careless="B",
        steps=(*_TALK, photographs(13, "B", "L/B", "p")),
        units=_HELD,
        failures=(_sent("B", "p"),),
    ),
    Story(
        name="photos_in_two_threads",
        words="Two photos are two objects; the second thread's is protected.",
        seats=_S_BIKE,
        careless="S",
        steps=(
            *_TALK,
            writes(12, "C", "L"),
            photographs(13, "S", "L/B", "p"),
            photographs(14, "S", "L/B", "q"),
            photographs(14, "S", "L/C", "r", "paranoid"),
        ),
        units=_HELD,
        failures=(_sent("S", "p"), _sent("S", "q", 14)),
    ),
    Story(
        name="photo_refused",
        words="The thread is over: nothing was stored, and what would have been shown is not "
        "recorded.",
        seats=_S_BIKE,
        careless="S",
        steps=(
            *_TALK,
            leaves(13, "B", "L/B"),
            photographs(14, "S", "L/B", "p").but("thread_cancelled"),
        ),
        units=_HELD,
        unsettled=(Failure("F5", "S", "p", 2, 14, 14),),
    ),
    Story(
        name="photo_before_the_window",
        words="Sent in the base.",
        seats=_S_BIKE,
        careless="S",
        steps=(
            lists(3, "S", "L", BIKE),
            writes(4, "B", "L"),
            photographs(8, "S", "L/B", "p"),
        ),
        units=_HELD,
    ),
    Story(
        name="photo_under_a_promise",
        words="A committed thread still carries photos.",
        seats=_S_BIKE,
        careless="S",
        steps=(
            lists(11, "S", "L", BIKE),
            *promise(12, "S", "L/B"),
            photographs(14, "S", "L/B", "p"),
        ),
        units=_HELD,
        deals=(Deal("L/B", "ongoing", 9_000, 13, tested="S"),),
        failures=(_sent("S", "p", 14),),
    ),
)
