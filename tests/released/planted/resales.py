"""Planted stories about who holds what: resale, twins, titles and restock."""

from __future__ import annotations

from tests.released.generator.script import (
    Deal,
    Failure,
    Goods,
    Story,
    bought,
    conjured,
    restocked,
    seed,
)
from tests.released.generator.steps import (
    BIKE,
    LAMP,
    PHONE,
    accepts,
    arrives,
    completes,
    edits,
    handover,
    inspects,
    lists,
    marks_sold,
    meet_sale,
    meets,
    offers,
    promise,
    relists,
    ship_sale,
    ships,
)

_S_BIKE = {"S": [BIKE.unit(70)]}
#: The walk along create-time links ends at the seller's first bike.
_AT_S0 = ("S0", 70)

RESALES = (
    Story(
        name="resale_overstated",
        words="B bought the bike (70) in the base and resells it as like new: the platform makes "
        "up 84 for it, its condition on entering was 70.",
        seats=_S_BIKE,
        steps=(
            lists(1, "S", "L", BIKE),
            *meet_sale(2, "S", "L/B"),
            lists(11, "B", "M", BIKE, "like_new", 12_000),
            *meet_sale(12, "B", "M/C", 11_000),
        ),
        units=(
            seed("S0", sold=(4, "L")),
            bought("B0", "S0", 70, 4, sold=(14, "M")),
            bought("C0", "S0", 70, 14, source="B0"),
        ),
        deals=(
            Deal("L/B", "completed", 9_000, 3, 4, 4, "S", "meetup", inspected=70, included=False),
            Deal("M/C", "completed", 11_000, 13, 14, 14, "", "meetup", inspected=84),
        ),
        failures=(Failure("F1", "B", "M", 5, 11, 14, evidence="direct"),),
    ),
    Story(
        name="resale_without_a_claim",
        words="B leaves the band open: the platform fills in the condition's, and nothing is lost.",
        seats=_S_BIKE,
        steps=(
            lists(1, "S", "L", BIKE),
            *ship_sale(2, "S", "L/B"),
            lists(11, "B", "M", BIKE, None),
        ),
        units=(seed("S0", sold=(9, "L")), bought("B0", "S0", 70, 9)),
        deals=(Deal("L/B", "completed", 9_000, 3, 9, 9, "S", "arrival", included=False),),
    ),
    Story(
        name="three_hands",
        words="S to B to C to the tested T: one bike all the way.",
        seats=_S_BIKE,
        steps=(
            lists(1, "S", "L", BIKE),
            *meet_sale(2, "S", "L/B"),
            lists(5, "B", "M", BIKE),
            *meet_sale(6, "B", "M/C", 9_500),
            lists(11, "C", "N", BIKE),
            *ship_sale(12, "C", "N/T", 9_800),
        ),
        units=(
            seed("S0", sold=(4, "L")),
            bought("B0", "S0", 70, 4, sold=(8, "M")),
            bought("C0", "S0", 70, 8, source="B0", sold=(19, "N")),
            bought("T0", "S0", 70, 19, source="C0"),
        ),
        deals=(
            Deal("L/B", "completed", 9_000, 3, 4, 4, "S", "meetup", inspected=70, included=False),
            # 31·2 + 17·5 = 147, and 147 mod 22 = 15 above the good band's 60.
            Deal("M/C", "completed", 9_500, 7, 8, 8, "", "meetup", inspected=75, included=False),
            Deal("N/T", "completed", 9_800, 13, 19, 19, "T", "arrival"),
        ),
    ),
    Story(
        name="bought_back",
        words="S sells, buys back and offers as like new: her row 1 is the bike of her row 0.",
        seats=_S_BIKE,
        steps=(
            lists(1, "S", "L", BIKE),
            *meet_sale(2, "S", "L/B"),
            lists(5, "B", "M", BIKE),
            *meet_sale(6, "B", "M/S"),
            lists(11, "S", "N", BIKE, "like_new"),
        ),
        units=(
            seed("S0", sold=(4, "L")),
            bought("B0", "S0", 70, 4, sold=(8, "M")),
            bought("S1", "S0", 70, 8, source="B0"),
        ),
        deals=(
            Deal("L/B", "completed", 9_000, 3, 4, 4, "S", "meetup", inspected=70, included=False),
            Deal("M/S", "completed", 9_000, 7, 8, 8, "S", "meetup", inspected=75, included=False),
        ),
        failures=(Failure("F1", "S", "N", 3, 11, 11),),
    ),
    Story(
        name="bought_and_listed_at_once",
        words="B's own confirmation completes the purchase; his listing follows in that tick.",
        seats=_S_BIKE,
        steps=(
            lists(11, "S", "L", BIKE),
            *meet_sale(12, "S", "L/B"),
            lists(14, "B", "M", BIKE),
        ),
        units=(seed("S0", sold=(14, "L")), bought("B0", "S0", 70, 14)),
        deals=(Deal("L/B", "completed", 9_000, 13, 14, 14, "S", "meetup", inspected=70),),
    ),
    Story(
        name="listed_just_before_buying",
        words="The same, but B lists first and completes after: not his when he listed it.",
        seats=_S_BIKE,
        steps=(
            lists(11, "S", "L", BIKE),
            *promise(12, "S", "L/B"),
            meets(13, "S", "L/B", at=14),
            lists(14, "B", "M", BIKE),
            *handover(14, "S", "L/B"),
        ),
        units=(seed("S0", sold=(14, "L")), bought("B0", "S0", 70, 14)),
        deals=(Deal("L/B", "completed", 9_000, 13, 14, 14, "S", "meetup", inspected=70),),
        failures=(Failure("F2", "B", "M", 3, 14, 14, cause="acquired_later"),),
    ),
    Story(
        name="speculative_then_acquired",
        words="S lists a bike that she buys from B only afterwards, and delivers it.",
        seats={"B": [BIKE.unit(70)]},
        steps=(
            lists(11, "S", "L", BIKE),
            lists(11, "B", "M", BIKE),
            offers(12, "C", "L", 9_900),
            *meet_sale(12, "B", "M/S"),
            accepts(15, "S", "L/C"),
            ships(15, "S", "L/C"),
            completes(21, "S", "L/C"),
            completes(21, "C", "L/C"),
        ),
        units=(
            seed("B0", sold=(14, "M")),
            bought("S0", "B0", 70, 14, sold=(21, "L")),
            bought("C0", "B0", 70, 21, source="S0", walk=(None, None)),
        ),
        deals=(
            Deal("M/S", "completed", 9_000, 13, 14, 14, "S", "meetup", inspected=70),
            Deal("L/C", "completed", 9_900, 15, 21, 21, "S", "arrival"),
        ),
        failures=(Failure("F2", "S", "L", 5, 11, 21, cause="acquired_later", evidence="direct"),),
    ),
    Story(
        name="no_quality_stored",
        words="A unit whose quality no script ever set: no truth, however bold the claim.",
        seats={"S": [BIKE.unit(None, cost=None)]},
        steps=(lists(11, "S", "L", BIKE, "brand_new"), *meet_sale(12, "S", "L/B")),
        units=(seed("S0", None, sold=(14, "L")), bought("B0", "S0", None, 14)),
        # 31·1 + 17·11 = 218, and 218 mod 6 = 2 above the band's 95.
        deals=(Deal("L/B", "completed", 9_000, 13, 14, 14, "S", "meetup", inspected=97),),
    ),
)

MATCHING = (
    Story(
        name="twins_sold_in_turn",
        words="Two equal bikes of 70 and 64 %, two listings: each sale uses up its own.",
        seats={"S": [BIKE.unit(70), BIKE.unit(64)]},
        steps=(
            lists(11, "S", "L", BIKE),
            lists(11, "S", "M", BIKE),
            *meet_sale(12, "S", "L/B"),
            *meet_sale(15, "S", "M/C"),
        ),
        units=(
            seed("S0", sold=(14, "L")),
            seed("S1", 64, sold=(17, "M")),
            bought("B0", "S0", 70, 14),
            bought("C0", "S1", 64, 17),
        ),
        deals=(
            Deal("L/B", "completed", 9_000, 13, 14, 14, "S", "meetup", inspected=70),
            Deal("M/C", "completed", 9_000, 16, 17, 17, "S", "meetup", inspected=70),
        ),
    ),
    Story(
        name="relisted_with_a_twin",
        words="The listing's bike is sold, a twin is left when it comes back: a failure by the "
        "letter (its unit is gone), none by holdings. The second sale uses up the twin.",
        seats={"S": [BIKE.unit(70), BIKE.unit(64)]},
        steps=(
            lists(11, "S", "L", BIKE),
            *meet_sale(12, "S", "L/B"),
            relists(15, "S", "L"),
            *meet_sale(16, "S", "L/C"),
        ),
        units=(
            seed("S0", sold=(14, "L")),
            seed("S1", 64, sold=(18, "L")),
            bought("B0", "S0", 70, 14),
            bought("C0", "S1", 64, 18, walk=_AT_S0),
        ),
        deals=(
            Deal("L/B", "completed", 9_000, 13, 14, 14, "S", "meetup", inspected=70),
            Deal("L/C", "completed", 9_000, 17, 18, 18, "S", "meetup", inspected=70),
        ),
        failures=(
            Failure(
                "F2",
                "S",
                "L",
                5,
                15,
                18,
                cause="already_sold",
                evidence="inferred",
                reading="letter",
            ),
        ),
    ),
    Story(
        name="edited_to_another_title",
        words="Renamed after listing: the sale finds no unit to use up, the buyer gets the new "
        "title.",
        seats=_S_BIKE,
        steps=(
            lists(11, "S", "L", BIKE),
            edits(12, "S", "L", title="Garage clear-out special"),
            *ship_sale(13, "S", "L/B"),
        ),
        units=(seed("S0"), conjured("B0", 20, walk=_AT_S0)),
        deals=(Deal("L/B", "completed", 9_000, 14, 20, 20, "S", "arrival"),),
    ),
    Story(
        name="loose_title",
        words="A cable backed by a camera, ratio 0.545: owned to every rule but the sale's 0.70.",
        seats={"S": [Goods("Camera", "electronics").unit(70)]},
        steps=(
            lists(11, "S", "L", Goods("Cable", "electronics")),
            *ship_sale(12, "S", "L/B"),
        ),
        units=(seed("S0"), conjured("B0", 19, walk=_AT_S0)),
        deals=(Deal("L/B", "completed", 9_000, 13, 19, 19, "S", "arrival"),),
    ),
    Story(
        name="other_category",
        words="Same title in a foreign category: backed by the 0.85 rule.",
        seats=_S_BIKE,
        steps=(
            lists(11, "S", "L", Goods(BIKE.title, "outdoor")),
            *ship_sale(12, "S", "L/B"),
        ),
        units=(seed("S0", sold=(19, "L")), bought("B0", "S0", 70, 19)),
        deals=(Deal("L/B", "completed", 9_000, 13, 19, 19, "S", "arrival"),),
    ),
    Story(
        name="sub_category_and_words_added",
        words="A phone of electronics-phones, listed under electronics with more words.",
        seats={"S": [LAMP.unit(61), PHONE.unit(75)]},
        steps=(
            lists(11, "S", "L", Goods(f"{PHONE.title} – like a charm", "electronics")),
            *ship_sale(12, "S", "L/B"),
        ),
        units=(
            seed("S0", 61),
            seed("S1", 75, sold=(19, "L")),
            bought("B0", "S1", 75, 19),
        ),
        deals=(Deal("L/B", "completed", 9_000, 13, 19, 19, "S", "arrival"),),
    ),
)

RESTOCK = (
    Story(
        name="restocked_then_sold",
        words="The bike is sold at 74, another one (66) arrives at 84 and is sold as well.",
        seats=_S_BIKE,
        fork=70,
        end=100,
        steps=(
            lists(71, "S", "L", BIKE),
            *meet_sale(72, "S", "L/B"),
            arrives(84, "S", (BIKE, 66), sales=1),
            lists(85, "S", "M", BIKE),
            *meet_sale(86, "S", "M/C"),
        ),
        units=(
            seed("S0", sold=(74, "L")),
            restocked("S1", 66, 84, sold=(88, "M")),
            bought("B0", "S0", 70, 74),
            bought("C0", "S1", 66, 88),
        ),
        deals=(
            Deal("L/B", "completed", 9_000, 73, 74, 74, "S", "meetup", inspected=70),
            # The platform's own link is the sold twin, so the row says 70, not 66.
            Deal("M/C", "completed", 9_000, 87, 88, 88, "S", "meetup", inspected=70),
        ),
    ),
    Story(
        name="listed_as_stock_arrives",
        words="Listed at 84, before the same tick's restock: nothing is held yet. Both causes fit.",
        seats=_S_BIKE,
        fork=70,
        end=100,
        steps=(
            lists(71, "S", "L", BIKE),
            *meet_sale(72, "S", "L/B"),
            lists(84, "S", "M", BIKE),
            arrives(84, "S", (BIKE, 66), sales=1),
            *promise(85, "S", "M/C"),
            meets(86, "S", "M/C", at=87),
            inspects(87, "C", "M/C"),
            completes(87, "C", "M/C"),
            completes(87, "S", "M/C"),
        ),
        units=(
            seed("S0", sold=(74, "L")),
            restocked("S1", 66, 84, sold=(87, "M")),
            bought("B0", "S0", 70, 74),
            bought("C0", "S1", 66, 87, walk=(None, None)),
        ),
        deals=(
            Deal("L/B", "completed", 9_000, 73, 74, 74, "S", "meetup", inspected=70),
            Deal("M/C", "completed", 9_000, 86, 87, 87, "S", "meetup", inspected=70),
        ),
        failures=(Failure("F2", "S", "M", 5, 84, 87, evidence="inferred"),),
    ),
    Story(
        name="restocked_unit_overstated",
        words="The restocked lamp is 66 and offered as like new.",
        seats={"S": [LAMP.unit(70)]},
        fork=70,
        end=100,
        steps=(
            marks_sold(72, "S", "L"),
            arrives(84, "S", (LAMP, 66)),
            lists(85, "S", "M", LAMP, "like_new"),
            offers(86, "B", "M", 2_000),
        ),
        initial=(("L", "S", 0),),
        units=(seed("S0", sold=(72, "L")), restocked("S1", 66, 84)),
        failures=(Failure("F1", "S", "M", 4, 85, 86),),
    ),
)

STORIES = (*RESALES, *MATCHING, *RESTOCK)
