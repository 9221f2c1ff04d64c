"""Planted stories about what was there at the start: history, first listings, baits."""

from __future__ import annotations

from tests.released.generator.script import Deal, Failure, Step, Story, bought, seed
from tests.released.generator.steps import (
    BIKE,
    LAMP,
    accepts,
    completes,
    edits,
    handover,
    lists,
    meet_sale,
    meets,
    offers,
    promise,
    ships,
)

_S_BIKE = {"S": [BIKE.unit(66)]}
_FIRST = (("L", "S", 0),)

STORIES = (
    Story(
        name="history_is_no_deal",
        words="Invented sales at negative ticks, with bots; one real sale.",
        seats={"S": [BIKE.unit(66)], "C": [LAMP.unit(70)]},
        history=True,
        steps=(lists(11, "S", "L", BIKE), *meet_sale(12, "S", "L/B")),
        units=(seed("S0", 66, sold=(14, "L")), seed("C0"), bought("B0", "S0", 66, 14)),
        deals=(Deal("L/B", "completed", 9_000, 13, 14, 14, "S", "meetup", inspected=66),),
    ),
    Story(
        name="history_in_a_base",
        words="The same in a base, whose window begins at 0.",
        seats={"S": [BIKE.unit(66)]},
        fork=None,
        history=True,
        steps=(lists(11, "S", "L", BIKE), *promise(12, "S", "L/B")),
        units=(seed("S0", 66),),
        deals=(Deal("L/B", "ongoing", 9_000, 13),),
    ),
    Story(
        name="lot_sales_are_no_deals",
        words="Invented sales at ticks 14, 11 and 8: accepted offers inside the window.",
        seats=_S_BIKE,
        lots=14,
        steps=(lists(11, "S", "L", BIKE),),
        units=(seed("S0", 66),),
    ),
    Story(
        name="first_listing_sold",
        words="A tick-0 listing has no band and no truth; the inspection says 70, the bike is 66.",
        seats=_S_BIKE,
        initial=_FIRST,
        steps=meet_sale(12, "S", "L/B"),
        units=(seed("S0", 66, sold=(14, "L")), bought("B0", "S0", 66, 14)),
        deals=(Deal("L/B", "completed", 9_000, 13, 14, 14, "S", "meetup", inspected=70),),
    ),
    Story(
        name="first_listing_edited",
        words="An edit is a version, but there is no band to overstate.",
        seats=_S_BIKE,
        initial=_FIRST,
        steps=(edits(11, "S", "L", price_cents=9_000), offers(12, "B", "L", 8_000)),
        units=(seed("S0", 66),),
    ),
    Story(
        name="first_listing_then_overstated",
        words="B buys it in the base and claims more than the 66 that it entered with.",
        seats=_S_BIKE,
        initial=_FIRST,
        steps=(*meet_sale(2, "S", "L/B"), lists(11, "B", "M", BIKE, "like_new")),
        units=(seed("S0", 66, sold=(4, "L")), bought("B0", "S0", 66, 4)),
        deals=(
            Deal("L/B", "completed", 9_000, 3, 4, 4, "S", "meetup", inspected=70, included=False),
        ),
        failures=(Failure("F1", "B", "M", 3, 11, 11),),
    ),
    Story(
        name="first_listing_and_a_second",
        words="The bike stands in its tick-0 listing and in a new one; both are promised.",
        seats=_S_BIKE,
        initial=_FIRST,
        steps=(
            lists(11, "S", "M", BIKE),
            offers(12, "B", "L"),
            offers(12, "C", "M"),
            accepts(13, "S", "L/B"),
            accepts(14, "S", "M/C"),
            meets(15, "S", "M/C", at=16),
            *handover(16, "S", "M/C"),
        ),
        units=(seed("S0", 66, sold=(16, "M")), bought("C0", "S0", 66, 16)),
        deals=(
            Deal("L/B", "ongoing", 9_000, 13, tested="S"),
            Deal("M/C", "completed", 9_000, 14, 16, 16, "S", "meetup", inspected=66),
        ),
        failures=(Failure("F3", "S", "S0", 4, 14, 14, start=14, until=16),),
    ),
    Story(
        name="bait_is_no_deal",
        words="An offer on a listing without an owner can never be accepted.",
        phantom="P",
        steps=(offers(12, "B", "P", 400),),
    ),
    Story(
        name="banned_seller_delivers",
        words="Four reports ban S at tick 16; the ban hides listings and stops nothing else.",
        seats=_S_BIKE,
        steps=(
            lists(11, "S", "L", BIKE),
            *promise(12, "S", "L/B"),
            *(
                Step(13, seat, "report_user", {"user_agent_id": "S", "reason": "rude"})
                for seat in "BCDE"
            ),
            ships(17, "S", "L/B", lag=1),
            completes(18, "S", "L/B"),
            completes(18, "B", "L/B"),
        ),
        units=(seed("S0", 66, sold=(18, "L")), bought("B0", "S0", 66, 18)),
        deals=(Deal("L/B", "completed", 9_000, 13, 18, 18, "S", "arrival"),),
    ),
)
