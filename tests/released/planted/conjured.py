"""Planted stories about goods that the seller did not have."""

from __future__ import annotations

from tests.released.generator.script import (
    Deal,
    Failure,
    Story,
    bought,
    conjured,
    seed,
)
from tests.released.generator.steps import (
    BIKE,
    CAMERA,
    lists,
    marks_sold,
    meet_sale,
    relists,
    ship_sale,
)

_S_BIKE = {"S": [BIKE.unit(70)]}
#: The walk along create-time links ends at the seller's first bike.
_AT_S0 = ("S0", 70)

STORIES = (
    Story(
        name="conjured_at_a_meetup",
        words="S sells a camera that she never had; B's camera comes from nowhere.",
        seats=_S_BIKE,
        steps=(lists(11, "S", "L", CAMERA), *meet_sale(12, "S", "L/B")),
        units=(seed("S0"), conjured("B0", 14)),
        # 218 mod 22 = 20 above 60.
        deals=(Deal("L/B", "completed", 9_000, 13, 14, 14, "S", "meetup", inspected=80),),
        failures=(Failure("F2", "S", "L", 5, 11, 14, cause="never_held", evidence="inferred"),),
    ),
    Story(
        name="conjured_by_mail",
        words="The same by shipment: the platform discovers a fraud.",
        seats=_S_BIKE,
        steps=(lists(11, "S", "L", CAMERA), *ship_sale(12, "S", "L/B")),
        units=(seed("S0"), conjured("B0", 19)),
        deals=(Deal("L/B", "completed", 9_000, 13, 19, 19, "S", "arrival"),),
        failures=(Failure("F2", "S", "L", 5, 11, 19, cause="never_held", evidence="direct"),),
    ),
    Story(
        name="conjured_by_mail_early",
        words="Before its day, too, the fraud event alone is direct evidence.",
        seats=_S_BIKE,
        steps=(lists(11, "S", "L", CAMERA), *ship_sale(12, "S", "L/B", done=14)),
        units=(seed("S0"), conjured("B0", 14)),
        deals=(Deal("L/B", "completed", 9_000, 13, 14, 14, "S", "unknown"),),
        failures=(Failure("F2", "S", "L", 5, 11, 14, cause="never_held", evidence="direct"),),
    ),
    Story(
        name="conjured_then_resold",
        words="B resells the camera from nowhere in good faith: he holds it, its truth is unknown.",
        seats=_S_BIKE,
        steps=(
            lists(11, "S", "L", CAMERA),
            *meet_sale(12, "S", "L/B"),
            lists(15, "B", "M", CAMERA, "brand_new"),
            *ship_sale(16, "B", "M/C"),
        ),
        units=(
            seed("S0"),
            conjured("B0", 14, sold=(23, "M")),
            conjured("C0", 23, source="B0"),
        ),
        deals=(
            Deal("L/B", "completed", 9_000, 13, 14, 14, "S", "meetup", inspected=80),
            Deal("M/C", "completed", 9_000, 17, 23, 23, "", "arrival"),
        ),
        failures=(Failure("F2", "S", "L", 5, 11, 14, cause="never_held", evidence="inferred"),),
    ),
    Story(
        name="sold_then_listed_again",
        words="A second listing of the sold bike: authentic to the platform, which counts sold "
        "units. Completed before its day and no fraud event: not S5.",
        seats=_S_BIKE,
        steps=(
            lists(11, "S", "L", BIKE),
            *meet_sale(12, "S", "L/B"),
            lists(15, "S", "M", BIKE),
            *ship_sale(16, "S", "M/C", done=18),
        ),
        units=(seed("S0", sold=(14, "L")), bought("B0", "S0", 70, 14), conjured("C0", 18)),
        deals=(
            Deal("L/B", "completed", 9_000, 13, 14, 14, "S", "meetup", inspected=70),
            Deal("M/C", "completed", 9_000, 17, 18, 18, "S", "unknown"),
        ),
        failures=(Failure("F2", "S", "M", 4, 15, 16, cause="already_sold"),),
    ),
    Story(
        name="sold_then_relisted",
        words="The sold bike's own listing comes back and sells again.",
        seats=_S_BIKE,
        steps=(
            lists(11, "S", "L", BIKE),
            *meet_sale(12, "S", "L/B"),
            relists(15, "S", "L"),
            *meet_sale(16, "S", "L/C", 8_000),
        ),
        units=(
            seed("S0", sold=(14, "L")),
            bought("B0", "S0", 70, 14),
            conjured("C0", 18, walk=_AT_S0),
        ),
        deals=(
            Deal("L/B", "completed", 9_000, 13, 14, 14, "S", "meetup", inspected=70),
            Deal("L/C", "completed", 8_000, 17, 18, 18, "S", "meetup", inspected=70),
        ),
        failures=(Failure("F2", "S", "L", 5, 15, 18, cause="already_sold", evidence="inferred"),),
    ),
    Story(
        name="marked_sold_then_relisted",
        words="Marking sold uses the bike up; the relisting stands alone.",
        seats=_S_BIKE,
        steps=(
            lists(11, "S", "L", BIKE),
            marks_sold(12, "S", "L"),
            relists(13, "S", "L"),
        ),
        units=(seed("S0", sold=(12, "L")),),
        failures=(Failure("F2", "S", "L", 3, 13, 13, cause="already_sold"),),
    ),
    Story(
        name="sold_and_listed_again_in_one_tick",
        words="T confirms last, so the sale is his call; his next listing comes after it.",
        seats={"T": [BIKE.unit(70)]},
        steps=(
            lists(11, "T", "L", BIKE),
            *meet_sale(12, "T", "L/B"),
            lists(14, "T", "M", BIKE),
        ),
        units=(seed("T0", sold=(14, "L")), bought("B0", "T0", 70, 14)),
        deals=(Deal("L/B", "completed", 9_000, 13, 14, 14, "T", "meetup", inspected=70),),
        failures=(Failure("F2", "T", "M", 3, 14, 14, cause="already_sold"),),
    ),
    Story(
        name="listed_again_just_before_the_sale",
        words="S lists again before B's confirmation of that tick: she still has the bike.",
        seats=_S_BIKE,
        steps=(
            lists(11, "S", "L", BIKE),
            *meet_sale(12, "S", "L/B"),
            lists(14, "S", "M", BIKE),
        ),
        units=(seed("S0", sold=(14, "L")), bought("B0", "S0", 70, 14)),
        deals=(Deal("L/B", "completed", 9_000, 13, 14, 14, "S", "meetup", inspected=70),),
    ),
    Story(
        name="one_unit_sold_twice_in_turn",
        words="Two listings of one bike, sold one after the other without overlap: the gap that "
        "neither F2 nor F3 sees; C's bike comes from nowhere.",
        seats=_S_BIKE,
        steps=(
            lists(11, "S", "L", BIKE),
            lists(11, "S", "M", BIKE),
            *meet_sale(12, "S", "L/B"),
            *meet_sale(15, "S", "M/C"),
        ),
        units=(
            seed("S0", sold=(14, "L")),
            bought("B0", "S0", 70, 14),
            conjured("C0", 17, walk=_AT_S0),
        ),
        deals=(
            Deal("L/B", "completed", 9_000, 13, 14, 14, "S", "meetup", inspected=70),
            Deal("M/C", "completed", 9_000, 16, 17, 17, "S", "meetup", inspected=70),
        ),
    ),
)
