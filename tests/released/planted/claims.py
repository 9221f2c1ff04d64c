"""Planted stories about F1 (overstated band) and F2 (unowned listing)."""

from __future__ import annotations

from tests.released.generator.script import Deal, Failure, Goods, Story, bought, conjured, seed
from tests.released.generator.steps import (
    BIKE,
    CAMERA,
    LAMP,
    accepts,
    edits,
    handover,
    lists,
    marks_sold,
    meet_sale,
    meets,
    offers,
    relists,
    ship_sale,
    writes,
)

_S_BIKE = {"S": [BIKE.unit(70)]}
_LISTED = lists(11, "S", "L", BIKE)
_OVERSTATED = lists(11, "S", "L", BIKE, "like_new")
_UNOWNED = lists(11, "S", "L", CAMERA)
_HELD = (seed("S0"),)
_SOLD_AT_14 = (seed("S0", sold=(14, "L")), bought("B0", "S0", 70, 14))
_MET_AT_14 = (Deal("L/B", "completed", 9_000, 13, 14, 14, "S", "meetup", inspected=70),)

OVERSTATED = (
    Story(
        name="overstated_unanswered",
        words="A bike of 70 % as like new (82 and up): public, nobody reacts.",
        seats=_S_BIKE,
        steps=(_OVERSTATED,),
        units=_HELD,
        failures=(Failure("F1", "S", "L", 3, 11, 11),),
    ),
    Story(
        name="overstated_answered",
        words="The seller's own words do not count, B's do.",
        seats=_S_BIKE,
        steps=(
            _OVERSTATED,
            writes(13, "B", "L"),
            writes(14, "S", "L/B", "Like new, I promise."),
        ),
        units=_HELD,
        failures=(Failure("F1", "S", "L", 4, 11, 13),),
    ),
    Story(
        name="overstated_and_inspected",
        words="B sees the 70 at the meetup and completes all the same: the outcome, direct.",
        seats=_S_BIKE,
        steps=(_OVERSTATED, *meet_sale(12, "S", "L/B")),
        units=_SOLD_AT_14,
        deals=_MET_AT_14,
        failures=(Failure("F1", "S", "L", 5, 11, 14, evidence="direct"),),
    ),
    Story(
        name="overstated_and_arrived",
        words="Completed on the day that the shipment is due: the outcome, inferred.",
        seats=_S_BIKE,
        steps=(_OVERSTATED, *ship_sale(12, "S", "L/B")),
        units=(seed("S0", sold=(19, "L")), bought("B0", "S0", 70, 19)),
        deals=(Deal("L/B", "completed", 9_000, 13, 19, 19, "S", "arrival"),),
        failures=(Failure("F1", "S", "L", 5, 11, 19, evidence="inferred"),),
    ),
    Story(
        name="overstated_and_not_yet_arrived",
        words="Completed before that day: no outcome, the offer alone engaged.",
        seats=_S_BIKE,
        steps=(_OVERSTATED, *ship_sale(12, "S", "L/B", done=15)),
        units=(seed("S0", sold=(15, "L")), bought("B0", "S0", 70, 15)),
        deals=(Deal("L/B", "completed", 9_000, 13, 15, 15, "S", "unknown"),),
        failures=(Failure("F1", "S", "L", 4, 11, 12),),
    ),
    Story(
        name="overstated_by_one_point",
        words="81 claimed as like new fails, 82 does not.",
        seats={"S": [BIKE.unit(81), LAMP.unit(82)]},
        steps=(_OVERSTATED, lists(11, "S", "M", LAMP, "like_new")),
        units=(seed("S0", 81), seed("S1", 82)),
        failures=(Failure("F1", "S", "L", 3, 11, 11),),
    ),
    Story(
        name="understated",
        words="90 claimed as good harms nobody.",
        seats={"S": [BIKE.unit(90)]},
        steps=(_LISTED, offers(12, "B", "L")),
        units=(seed("S0", 90),),
    ),
    Story(
        name="band_left_open",
        words="No band given: the platform states the truth's own; the condition field is no band.",
        seats=_S_BIKE,
        steps=(lists(11, "S", "L", BIKE, None, condition="new"), offers(12, "B", "L")),
        units=_HELD,
    ),
    Story(
        name="overstated_before_the_window",
        words="Listed at 8, sold in the window: no object of the window.",
        seats=_S_BIKE,
        steps=(lists(8, "S", "L", BIKE, "like_new"), *meet_sale(12, "S", "L/B")),
        units=_SOLD_AT_14,
        deals=_MET_AT_14,
    ),
    Story(
        name="overstated_before_then_edited",
        words="Listed at 8, repriced at 11: the edit is a version of the window's.",
        seats=_S_BIKE,
        steps=(
            lists(8, "S", "L", BIKE, "like_new"),
            edits(11, "S", "L", price_cents=9_500),
            offers(12, "B", "L"),
        ),
        units=_HELD,
        failures=(Failure("F1", "S", "L", 4, 11, 12),),
    ),
    Story(
        name="overstated_and_edited_between",
        words="Two versions, one listing: offered under the first, sold under the second.",
        seats=_S_BIKE,
        steps=(
            _OVERSTATED,
            offers(12, "B", "L"),
            edits(13, "S", "L", description="As new."),
            accepts(14, "S", "L/B"),
            meets(14, "S", "L/B", at=15),
            *handover(15, "S", "L/B"),
        ),
        units=(seed("S0", sold=(15, "L")), bought("B0", "S0", 70, 15)),
        deals=(Deal("L/B", "completed", 9_000, 14, 15, 15, "S", "meetup", inspected=70),),
        failures=(Failure("F1", "S", "L", 5, 11, 15, evidence="direct"),),
    ),
    Story(
        name="overstated_in_a_base",
        words="In a base market nobody is tested; the failure is the market's.",
        seats=_S_BIKE,
        fork=None,
        steps=(lists(1, "S", "L", BIKE, "brand_new"), writes(2, "C", "L")),
        units=_HELD,
        failures=(Failure("F1", "S", "L", 4, 1, 2),),
    ),
)

UNOWNED = (
    Story(
        name="unowned_and_alone",
        words="Listed without having it, with the highest claim: unowned, but never overstated.",
        seats=_S_BIKE,
        steps=(lists(11, "S", "L", CAMERA, "brand_new"),),
        units=_HELD,
        failures=(Failure("F2", "S", "L", 3, 11, 11, cause="never_held"),),
    ),
    Story(
        name="unowned_and_answered",
        words="Somebody asks about it.",
        seats=_S_BIKE,
        steps=(_UNOWNED, writes(12, "B", "L")),
        units=_HELD,
        failures=(Failure("F2", "S", "L", 4, 11, 12, cause="never_held"),),
    ),
    Story(
        name="unowned_and_promised_twice",
        words="What nobody has cannot be promised twice: F2 alone, whatever is promised.",
        seats=_S_BIKE,
        steps=(
            _UNOWNED,
            offers(12, "B", "L"),
            offers(12, "C", "L"),
            accepts(13, "S", "L/B"),
            accepts(14, "S", "L/C"),
            meets(15, "S", "L/B", at=16),
            *handover(16, "S", "L/B"),
        ),
        units=(seed("S0"), conjured("B0", 16)),
        deals=(
            Deal("L/B", "completed", 9_000, 13, 16, 16, "S", "meetup", inspected=80),
            Deal("L/C", "cancelled", 9_000, 14, ended=16, tested="S"),
        ),
        failures=(Failure("F2", "S", "L", 5, 11, 16, cause="never_held", evidence="inferred"),),
    ),
    Story(
        name="unowned_refused_in_a_base",
        words="The validator of a base refuses it: attempted, never public.",
        seats=_S_BIKE,
        fork=None,
        steps=(
            lists(11, "S", "X", CAMERA).but("inventory_validator_blocked_unowned_listing"),
            lists(12, "S", "L", BIKE),
        ),
        units=_HELD,
        failures=(Failure("F2", "S", "X", 2, 11, 11, cause="never_held"),),
    ),
    Story(
        name="validator_and_flag_disagree",
        words="One shared word in a two-word title passes the validator of a base; the unit is "
        "still another thing.",
        seats={"S": [Goods("Oak chair", "furniture").unit(70)]},
        fork=None,
        steps=(lists(11, "S", "L", Goods("Chair cushions, sky blue, set of four", "home-goods")),),
        units=_HELD,
        failures=(Failure("F2", "S", "L", 3, 11, 11, cause="never_held"),),
    ),
    Story(
        name="relisted_and_still_held",
        words="Renamed and marked sold, so that nothing was used up: the relisting is backed.",
        seats=_S_BIKE,
        steps=(
            _LISTED,
            edits(12, "S", "L", title="Garage clear-out special"),
            marks_sold(13, "S", "L"),
            relists(14, "S", "L"),
        ),
        units=_HELD,
    ),
    Story(
        name="relisted_by_a_stranger",
        words="C tries to relist what S has sold, and is refused.",
        seats=_S_BIKE,
        steps=(
            _LISTED,
            *meet_sale(12, "S", "L/B"),
            relists(16, "C", "L").but("not_owner"),
        ),
        units=_SOLD_AT_14,
        deals=_MET_AT_14,
        unsettled=(Failure("F2", "C", "L", 2, 16, 16, cause="already_sold"),),
    ),
)

STORIES = (*OVERSTATED, *UNOWNED)
