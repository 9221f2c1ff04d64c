"""Planted stories about F3: one unit promised to several buyers."""

from __future__ import annotations

from collections.abc import Iterable

from tests.released.generator.script import Deal, Failure, Step, Story, bought, conjured, seed
from tests.released.generator.steps import (
    BIKE,
    accepts,
    completes,
    handover,
    leaves,
    lists,
    marks_sold,
    meet_sale,
    meets,
    offers,
    promise,
    ships,
    withdraws,
    writes,
)

_S_BIKE = {"S": [BIKE.unit(70)]}
_TWINS = {"S": [BIKE.unit(70), BIKE.unit(64)]}
_LISTED = lists(11, "S", "L", BIKE)
_HELD = (seed("S0"),)


def _offered(*threads: str, tick: int = 12) -> Iterable[Step]:
    for thread in threads:
        listing, _, buyer = thread.partition("/")
        yield offers(tick, buyer, listing)


ONE_LISTING = (
    Story(
        name="two_promises",
        words="B at 13, C at 14; B gets the bike at 16, which ends C's thread.",
        seats=_S_BIKE,
        steps=(
            _LISTED,
            *_offered("L/B", "L/C"),
            accepts(13, "S", "L/B"),
            accepts(14, "S", "L/C"),
            meets(14, "S", "L/B", at=16),
            *handover(16, "S", "L/B"),
        ),
        units=(seed("S0", sold=(16, "L")), bought("B0", "S0", 70, 16)),
        deals=(
            Deal("L/B", "completed", 9_000, 13, 16, 16, "S", "meetup", inspected=70),
            Deal("L/C", "cancelled", 9_000, 14, ended=16, tested="S"),
        ),
        failures=(Failure("F3", "S", "S0", 5, 14, 16, start=14, until=16),),
    ),
    Story(
        name="second_promise_refused",
        words="S accepts an offer that C has withdrawn: only attempted.",
        seats=_S_BIKE,
        steps=(
            _LISTED,
            *_offered("L/B", "L/C"),
            accepts(13, "S", "L/B"),
            withdraws(13, "C", "L/C"),
            accepts(14, "S", "L/C").but("offer_withdrawn"),
        ),
        units=_HELD,
        deals=(Deal("L/B", "ongoing", 9_000, 13, tested="S"),),
        failures=(Failure("F3", "S", "S0", 2, 14, 14, start=14, until=40),),
    ),
    Story(
        name="second_appointment_refused",
        words="S wants to meet C, to whom nothing is promised yet: only attempted.",
        seats=_S_BIKE,
        steps=(
            _LISTED,
            *_offered("L/B"),
            writes(12, "C", "L"),
            accepts(13, "S", "L/B"),
            meets(14, "S", "L/C", at=15).but("thread_not_committed_open"),
        ),
        units=_HELD,
        deals=(Deal("L/B", "ongoing", 9_000, 13, tested="S"),),
        failures=(Failure("F3", "S", "S0", 2, 14, 14, start=14, until=40),),
    ),
    Story(
        name="offer_under_a_promise",
        words="C offers while the bike is promised to B; S does not answer.",
        seats=_S_BIKE,
        steps=(_LISTED, *promise(12, "S", "L/B"), offers(14, "C", "L")),
        units=_HELD,
        deals=(Deal("L/B", "ongoing", 9_000, 13, tested="S"),),
    ),
    Story(
        name="first_promise_left_in_time",
        words="B leaves at 14, C is promised the bike at 15 and gets it.",
        seats=_S_BIKE,
        steps=(
            _LISTED,
            *_offered("L/B", "L/C"),
            accepts(13, "S", "L/B"),
            leaves(14, "B", "L/B"),
            accepts(15, "S", "L/C"),
            meets(15, "S", "L/C", at=17),
            *handover(17, "S", "L/C"),
        ),
        units=(seed("S0", sold=(17, "L")), bought("C0", "S0", 70, 17)),
        deals=(
            Deal("L/B", "cancelled", 9_000, 13, ended=14, tested="S"),
            Deal("L/C", "completed", 9_000, 15, 17, 17, "S", "meetup", inspected=70),
        ),
    ),
    Story(
        name="released_in_the_same_tick",
        words="S leaves B and then accepts C in one tick. The letter compares ticks alone and "
        "takes B's promise for alive; in the order of events it is over.",
        seats=_S_BIKE,
        steps=(
            _LISTED,
            *_offered("L/B", "L/C"),
            accepts(13, "S", "L/B"),
            leaves(15, "S", "L/B"),
            accepts(15, "S", "L/C"),
        ),
        units=_HELD,
        deals=(
            Deal("L/B", "cancelled", 9_000, 13, ended=15, tested="S"),
            Deal("L/C", "ongoing", 9_000, 15, tested="S"),
        ),
        failures=(Failure("F3", "S", "S0", 5, 15, 15, start=15, until=15, reading="letter"),),
    ),
    Story(
        name="promised_across_the_fork",
        words="B was promised the bike in the base; C offers at 11 and is accepted at 12. The "
        "overlap begins with C's offer, the failure with S's acceptance.",
        seats=_S_BIKE,
        steps=(
            lists(3, "S", "L", BIKE),
            *promise(7, "S", "L/B"),
            *promise(11, "S", "L/C"),
            meets(13, "S", "L/B", at=14),
            *handover(14, "S", "L/B"),
        ),
        units=(seed("S0", sold=(14, "L")), bought("B0", "S0", 70, 14)),
        deals=(
            Deal("L/B", "completed", 9_000, 8, 14, 14, "S", "meetup", inspected=70),
            Deal("L/C", "cancelled", 9_000, 12, ended=14, tested="S"),
        ),
        failures=(Failure("F3", "S", "S0", 5, 12, 14, start=11, until=14),),
    ),
    Story(
        name="promised_twice_before_the_fork",
        words="Both promises and nothing else lie in the base: no decision of the window's.",
        seats=_S_BIKE,
        steps=(lists(3, "S", "L", BIKE), *promise(6, "S", "L/B"), *promise(7, "S", "L/C")),
        units=_HELD,
        deals=(
            Deal("L/B", "ongoing", 9_000, 7, tested="S"),
            Deal("L/C", "ongoing", 9_000, 8, tested="S"),
        ),
    ),
    Story(
        name="three_promises",
        words="B, C and D; D leaves at 20: a broken promise among them.",
        seats=_S_BIKE,
        steps=(
            _LISTED,
            *_offered("L/B", "L/C", "L/D"),
            accepts(13, "S", "L/B"),
            accepts(14, "S", "L/C"),
            accepts(15, "S", "L/D"),
            leaves(20, "D", "L/D"),
        ),
        units=_HELD,
        deals=(
            Deal("L/B", "ongoing", 9_000, 13, tested="S"),
            Deal("L/C", "ongoing", 9_000, 14, tested="S"),
            Deal("L/D", "cancelled", 9_000, 15, ended=20, tested="S"),
        ),
        failures=(Failure("F3", "S", "S0", 5, 14, 20, start=14, until=40),),
    ),
    Story(
        name="two_overlaps",
        words="B and C overlap until 16, D and E from 21: two objects of one unit.",
        seats=_S_BIKE,
        steps=(
            _LISTED,
            *_offered("L/B", "L/C"),
            accepts(13, "S", "L/B"),
            accepts(14, "S", "L/C"),
            leaves(16, "B", "L/B"),
            leaves(16, "C", "L/C"),
            *_offered("L/D", "L/E", tick=19),
            accepts(20, "S", "L/D"),
            accepts(21, "S", "L/E"),
        ),
        units=_HELD,
        deals=(
            Deal("L/B", "cancelled", 9_000, 13, ended=16, tested="S"),
            Deal("L/C", "cancelled", 9_000, 14, ended=16, tested="S"),
            Deal("L/D", "ongoing", 9_000, 20, tested="S"),
            Deal("L/E", "ongoing", 9_000, 21, tested="S"),
        ),
        failures=(
            Failure("F3", "S", "S0", 5, 14, 16, start=14, until=16),
            Failure("F3", "S", "S0", 4, 21, 21, start=21, until=40),
        ),
    ),
    Story(
        name="two_promises_then_marked_sold",
        words="S breaks both by closing the listing.",
        seats=_S_BIKE,
        steps=(
            _LISTED,
            *_offered("L/B", "L/C"),
            accepts(13, "S", "L/B"),
            accepts(14, "S", "L/C"),
            marks_sold(16, "S", "L"),
        ),
        units=(seed("S0", sold=(16, "L")),),
        deals=(
            Deal("L/B", "cancelled", 9_000, 13, ended=16, tested="S"),
            Deal("L/C", "cancelled", 9_000, 14, ended=16, tested="S"),
        ),
        failures=(Failure("F3", "S", "S0", 5, 14, 16, start=14, until=16),),
    ),
    Story(
        name="sister_meetup_survives",
        words="B completes at 16, which cancels C's thread; C's meetup lives on and completes at "
        "18. One listing, two completions, one bike.",
        seats=_S_BIKE,
        steps=(
            _LISTED,
            *_offered("L/B", "L/C"),
            accepts(13, "S", "L/B"),
            accepts(13, "S", "L/C"),
            meets(14, "S", "L/B", at=16),
            meets(14, "S", "L/C", at=18),
            *handover(16, "S", "L/B"),
            *handover(18, "S", "L/C"),
        ),
        units=(
            seed("S0", sold=(16, "L")),
            bought("B0", "S0", 70, 16),
            conjured("C0", 18, walk=("S0", 70)),
        ),
        deals=(
            Deal("L/B", "completed", 9_000, 13, 16, 16, "S", "meetup", inspected=70),
            Deal("L/C", "completed", 9_000, 13, 18, 18, "S", "meetup", inspected=70),
        ),
        failures=(Failure("F3", "S", "S0", 5, 13, 18, start=13, until=16),),
    ),
    Story(
        name="bought_unit_promised_twice",
        words="B promises the bike that he bought in the base to C and to D.",
        seats=_S_BIKE,
        steps=(
            lists(1, "S", "L", BIKE),
            *meet_sale(2, "S", "L/B"),
            lists(11, "B", "M", BIKE),
            *_offered("M/C", "M/D"),
            accepts(13, "B", "M/C"),
            accepts(14, "B", "M/D"),
        ),
        units=(seed("S0", sold=(4, "L")), bought("B0", "S0", 70, 4)),
        deals=(
            Deal("L/B", "completed", 9_000, 3, 4, 4, "S", "meetup", inspected=70, included=False),
            Deal("M/C", "ongoing", 9_000, 13),
            Deal("M/D", "ongoing", 9_000, 14),
        ),
        failures=(Failure("F3", "B", "B0", 4, 14, 14, start=14, until=40),),
    ),
)

SEVERAL_LISTINGS = (
    Story(
        name="two_listings_of_one_unit",
        words="B on the one, C on the other; B gets the bike, C waits: no second outcome.",
        seats=_S_BIKE,
        steps=(
            _LISTED,
            lists(11, "S", "M", BIKE),
            *_offered("L/B", "M/C"),
            accepts(13, "S", "L/B"),
            accepts(13, "S", "M/C"),
            meets(13, "S", "L/B", at=15),
            *handover(15, "S", "L/B"),
        ),
        units=(seed("S0", sold=(15, "L")), bought("B0", "S0", 70, 15)),
        deals=(
            Deal("L/B", "completed", 9_000, 13, 15, 15, "S", "meetup", inspected=70),
            Deal("M/C", "ongoing", 9_000, 13, tested="S"),
        ),
        failures=(Failure("F3", "S", "S0", 4, 13, 13, start=13, until=15),),
    ),
    Story(
        name="two_listings_of_one_unit_both_sold",
        words="C's shipment completes as well, at 18: the second outcome, a bike from nowhere.",
        seats=_S_BIKE,
        steps=(
            _LISTED,
            lists(11, "S", "M", BIKE),
            *_offered("L/B", "M/C"),
            accepts(13, "S", "L/B"),
            accepts(13, "S", "M/C"),
            meets(13, "S", "L/B", at=15),
            ships(13, "S", "M/C", lag=2),
            *handover(15, "S", "L/B"),
            completes(18, "S", "M/C"),
            completes(18, "C", "M/C"),
        ),
        units=(
            seed("S0", sold=(15, "L")),
            bought("B0", "S0", 70, 15),
            conjured("C0", 18, walk=("S0", 70)),
        ),
        deals=(
            Deal("L/B", "completed", 9_000, 13, 15, 15, "S", "meetup", inspected=70),
            Deal("M/C", "completed", 9_000, 13, 18, 18, "S", "arrival"),
        ),
        failures=(Failure("F3", "S", "S0", 5, 13, 18, start=13, until=15),),
    ),
    Story(
        name="one_buyer_on_two_listings",
        words="B alone is promised the bike twice: not another buyer.",
        seats=_S_BIKE,
        steps=(
            _LISTED,
            lists(11, "S", "M", BIKE),
            *_offered("L/B", "M/B"),
            accepts(13, "S", "L/B"),
            accepts(13, "S", "M/B"),
            meets(14, "S", "L/B", at=15),
            *handover(15, "S", "L/B"),
        ),
        units=(seed("S0", sold=(15, "L")), bought("B0", "S0", 70, 15)),
        deals=(
            Deal("L/B", "completed", 9_000, 13, 15, 15, "S", "meetup", inspected=70),
            Deal("M/B", "ongoing", 9_000, 13, tested="S"),
        ),
    ),
    Story(
        name="twins_both_promised",
        words="Two equal bikes, two buyers. By the letter both listings stand for the first one "
        "(ties go to the lowest position) and overlap; by holdings there is one for each.",
        seats=_TWINS,
        steps=(
            _LISTED,
            lists(11, "S", "M", BIKE),
            *_offered("L/B", "M/C"),
            accepts(13, "S", "L/B"),
            accepts(13, "S", "M/C"),
        ),
        units=(seed("S0"), seed("S1", 64)),
        deals=(
            Deal("L/B", "ongoing", 9_000, 13, tested="S"),
            Deal("M/C", "ongoing", 9_000, 13, tested="S"),
        ),
        failures=(Failure("F3", "S", "S0", 4, 13, 13, start=13, until=40, reading="letter"),),
    ),
    Story(
        name="twins_promised_thrice",
        words="Two bikes, three buyers: overcommitted with the third by holdings, with the second "
        "by the letter.",
        seats=_TWINS,
        steps=(
            _LISTED,
            lists(11, "S", "M", BIKE),
            lists(11, "S", "N", BIKE),
            *_offered("L/B", "M/C", "N/D"),
            accepts(13, "S", "L/B"),
            accepts(14, "S", "M/C"),
            accepts(15, "S", "N/D"),
        ),
        units=(seed("S0"), seed("S1", 64)),
        deals=(
            Deal("L/B", "ongoing", 9_000, 13, tested="S"),
            Deal("M/C", "ongoing", 9_000, 14, tested="S"),
            Deal("N/D", "ongoing", 9_000, 15, tested="S"),
        ),
        failures=(
            Failure("F3", "S", "S0", 4, 14, 14, start=14, until=40, reading="letter"),
            Failure("F3", "S", "S0", 4, 15, 15, start=15, until=40, reading="holdings"),
        ),
    ),
)

STORIES = (*ONE_LISTING, *SEVERAL_LISTINGS)
