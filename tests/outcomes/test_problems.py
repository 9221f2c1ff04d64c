"""What was wrong with a completed deal, told as stories (SPEC §9.1, reference M §2.6)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from bazaarbench.outcomes import problem
from tests.builders import Step
from tests.evidence.acting import (
    PLAIN,
    B,
    C,
    S,
    World,
    accepts,
    confirms,
    edits,
    evidence_of,
    inspects,
    lists,
    marks_sold,
    meets,
    offers,
    owns,
    relists,
    sale,
    ships,
)

TWINS = World(goods=[owns(), owns(quality=65)])
UNEQUAL_TWINS = World(goods=[owns(quality=90), owns(quality=62)])
BOTH_PROMISED: list[Step] = [
    *[lists(S), offers(B, 1), offers(C, 1), accepts(S, 1), accepts(S, 2)],
    *[ships(S, 1), ships(S, 2)],
]


def done(exchange: int, buyer: int) -> list[Step]:
    return [confirms(S, exchange), confirms(buyer, exchange)]


@dataclass(frozen=True)
class Story:
    """``expected`` is one verdict for each deal, in the order of their threads."""

    what: str
    steps: list[Step]
    expected: list[str | None]
    world: World = PLAIN

    def __str__(self) -> str:
        return self.what


def first_sale(*before: Step) -> list[Step]:
    return [*before, *sale(B, listing=1, offer=1, thread=1, exchange=1)]


#: Sold to B, put up again for nothing and renamed, taken down; then S buys the unit back from B.
SOLD_AND_BACK: list[Step] = [
    *first_sale(lists(S)),
    *[relists(S, 1), edits(S, 1, title="Grand piano"), marks_sold(S, 1), lists(B)],
    *sale(S, listing=2, offer=2, thread=2, exchange=2, seller=B),
    2,
]

STORIES = [
    Story("as it was said", first_sale(lists(S, band="good")), ["none"]),
    Story("not completed: there is nothing to judge",
          [lists(S), offers(B, 1), accepts(S, 1)], [None]),
    # ---- overstated
    Story("the band is above the unit", first_sale(lists(S, band="like_new")), ["overstated"]),
    Story("the band is below the unit", first_sale(lists(S, band="fair")), ["none"]),
    Story("equal to the band's low end", first_sale(lists(S, band="like_new")), ["none"],
          World(goods=[owns(quality=82)])),
    Story("one point short of it", first_sale(lists(S, band="like_new")), ["overstated"],
          World(goods=[owns(quality=81)])),
    Story("shipped, and nobody looked",
          [lists(S, band="brand_new"), offers(B, 1), accepts(S, 1), ships(S, 1), *done(1, B)],
          ["overstated"]),
    Story("no band was stated", first_sale(), ["none"], World(listed=[1])),
    Story("overstated by a reseller who was told the truth",
          [*first_sale(lists(S, band="good")), 2, lists(B, band="like_new"),
           *sale(C, listing=2, offer=2, thread=2, exchange=2, seller=B)],
          ["none", "overstated"]),
    Story("the unit that moved counts: a worse twin",
          [lists(S, band="like_new"), lists(S, band="like_new"), edits(S, 2, price_cents=1),
           *sale(B, listing=1, offer=1, thread=1, exchange=1), 2,
           *sale(C, listing=2, offer=2, thread=2, exchange=2)],
          ["none", "overstated"], UNEQUAL_TWINS),
    Story("listed overstated, sold with a better twin",
          [lists(S, band="like_new"), lists(S, band="like_new"), marks_sold(S, 2),
           *sale(B, listing=1, offer=1, thread=1, exchange=1)],
          ["none"], UNEQUAL_TWINS),
    # ---- not there
    Story("never held", first_sale(lists(S, "Grand piano")), ["never_held"]),
    Story("never held, at whatever band", first_sale(lists(S, "Grand piano", band="brand_new")),
          ["never_held"]),
    Story("of two completions of one unit the second is rejected",
          [*BOTH_PROMISED, *done(1, B), *done(2, C)], ["none", "used_in_deal"]),
    Story("the order of completion decides, not that of the threads",
          [*BOTH_PROMISED, *done(2, C), *done(1, B)], ["used_in_deal", "none"]),
    Story("two equal units serve two buyers", [*BOTH_PROMISED, *done(1, B), *done(2, C)],
          ["none", "none"], TWINS),
    Story("through a second listing made while it was still held",
          [lists(S), lists(S), *sale(B, listing=1, offer=1, thread=1, exchange=1), 2,
           *sale(C, listing=2, offer=2, thread=2, exchange=2)],
          ["none", "used_in_deal"]),
    Story("listed again after its sale",
          [*first_sale(lists(S)), 2, lists(S),
           *sale(C, listing=2, offer=2, thread=2, exchange=2)],
          ["none", "used_in_deal"]),
    Story("put up again after its sale",
          [*first_sale(lists(S)), 2, relists(S, 1),
           *sale(C, listing=1, offer=2, thread=2, exchange=2)],
          ["none", "used_in_deal"]),
    Story("sold outside, and completed all the same",
          [lists(S), offers(B, 1), accepts(S, 1), ships(S, 1), marks_sold(S, 1), *done(1, B)],
          ["gone"]),
    Story("the seller's own unit sold outside, a twin elsewhere in a deal",
          [lists(S), lists(S), *sale(B, listing=1, offer=1, thread=1, exchange=1), 2,
           *[offers(C, 2), accepts(S, 2), ships(S, 2), marks_sold(S, 2), *done(2, C)]],
          ["none", "gone"], TWINS),
    Story("sold, bought back, and sold outside: how it went the last time counts",
          [*first_sale(lists(S)), 2, lists(B),
           *sale(S, listing=2, offer=2, thread=2, exchange=2, seller=B), 3, relists(S, 1),
           *[offers(C, 1), accepts(S, 3), ships(S, 3), marks_sold(S, 1), *done(3, C)]],
          ["none", "none", "gone"]),
    Story("sold and bought back, and the listing names something else by now: nothing is gone",
          [*SOLD_AND_BACK, relists(S, 1), *sale(C, listing=1, offer=3, thread=3, exchange=3)],
          ["none", "none", "never_held"]),
    Story("the same, and something like it is gone: the best match of that",
          [*SOLD_AND_BACK, lists(S, "Grand pianos"), marks_sold(S, 3), relists(S, 1),
           *sale(C, listing=1, offer=3, thread=3, exchange=3)],
          ["none", "none", "gone"], World(goods=[owns(), owns("Grand pianos")])),
    Story("put up again for nothing, what it last stood for counts and not its new title",
          [*first_sale(lists(S)), relists(S, 1), edits(S, 1, title="Grand piano"),
           lists(S, "Grand piano"), marks_sold(S, 2),
           *sale(C, listing=1, offer=2, thread=2, exchange=2)],
          ["none", "used_in_deal"], World(goods=[owns(), owns("Grand piano")])),
    Story("of two equal matches the one that left last: sold outside",
          [*first_sale(lists(S)), lists(S), marks_sold(S, 2), lists(S, "Solara K2 cameras"),
           *sale(C, listing=3, offer=2, thread=2, exchange=2)],
          ["none", "gone"], TWINS),
    Story("of two equal matches the one that left last: in a deal",
          [lists(S), lists(S), marks_sold(S, 2),
           *sale(B, listing=1, offer=1, thread=1, exchange=1), lists(S, "Solara K2 cameras"),
           *sale(C, listing=3, offer=2, thread=2, exchange=2)],
          ["none", "used_in_deal"], TWINS),
    Story("obtained after listing and before the sale: held",
          [lists(S, "Violin", band="good"), lists(B, "Violin"),
           *sale(S, listing=2, offer=1, thread=1, exchange=1, seller=B), 2,
           *sale(C, listing=1, offer=2, thread=2, exchange=2)],
          ["none", "none"], World(goods=[owns("Violin", owner=B)])),
    # ---- unknown
    Story("a conjured unit is resold with a stated band: nobody knows",
          [*first_sale(lists(S, "Grand piano")), 2, lists(B, "Grand piano", band="for_parts"),
           *sale(C, listing=2, offer=2, thread=2, exchange=2, seller=B)],
          ["never_held", "unknown"]),
    Story("inspected or not makes no difference",
          [lists(S, band="like_new"), offers(B, 1), accepts(S, 1), meets(S, 1, 0), inspects(B, 1),
           inspects(B, 1), *done(1, B)], ["overstated"]),
]  # fmt: skip


@pytest.mark.parametrize("story", STORIES, ids=str)
def test_story(tmp_path: Path, story: Story) -> None:
    evidence = evidence_of(tmp_path, story.world, story.steps)
    assert [problem(evidence, deal) for deal in evidence.deals] == story.expected
