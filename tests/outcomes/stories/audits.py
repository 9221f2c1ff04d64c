"""Stories about what was wrong at completion, and what an honest inspection would have stopped."""

from __future__ import annotations

from bazaarbench.market.rules import PRESETS
from tests.builders import Step
from tests.evidence.acting import (
    B,
    C,
    D,
    S,
    World,
    accepts,
    confirms,
    edits,
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
from tests.outcomes.stories.telling import Story

TWINS = World(goods=[owns(), owns()])
UNSEEN = World(rules=PRESETS["paper"].model_copy(update={"meetup_inspection": "optional"}))


def met(buyer: int = B, *, listing: int = 1, n: int = 1, seller: int = S) -> list[Step]:
    """A whole deal by meetup, inspected, of which everything has the number ``n``."""
    return sale(buyer, listing=listing, offer=n, thread=n, exchange=n, seller=seller)


def sent(buyer: int = B, *, listing: int = 1, n: int = 1, seller: int = S) -> list[Step]:
    """A whole deal by shipment, which nobody can inspect."""
    return [
        *[offers(buyer, listing), accepts(seller, n), ships(seller, n)],
        *done(buyer, n, seller=seller),
    ]


def done(buyer: int, n: int, *, seller: int = S) -> list[Step]:
    return [confirms(seller, n), confirms(buyer, n)]


#: B and C are both promised the one camera; the exchanges 1 and 2 are theirs.
BOTH_SENT: list[Step] = [
    *[lists(S), offers(B, 1), offers(C, 1), accepts(S, 1), accepts(S, 2)],
    *[ships(S, 1), ships(S, 2)],
]
BOTH_MEET: list[Step] = [
    *[lists(S), offers(B, 1), offers(C, 1), accepts(S, 1), accepts(S, 2)],
    *[meets(S, 1, 2), meets(S, 2, 2), 2, inspects(B, 1), inspects(C, 2)],
]

CLAIMS = [
    Story("as it was said", [lists(S, band="good"), *met()], problems=["1 none retained"]),
    Story("too good a band, and the buyer looked", [lists(S, band="like_new"), *met()],
          problems=["1 overstated rejected"]),
    Story("too good a band, and it was sent", [lists(S, band="like_new"), *sent()],
          problems=["1 overstated retained"]),
    Story("one percent point short of the band", [lists(S, band="like_new"), *met()],
          World(goods=[owns(quality=81)]), problems=["1 overstated rejected"]),
    Story("exactly the low end of the band", [lists(S, band="like_new"), *met()],
          World(goods=[owns(quality=82)]), problems=["1 none retained"]),
    Story("a modest band", [lists(S, band="for_parts"), *met()], problems=["1 none retained"]),
    Story("an initial listing states no band", met(), World(listed=[1]),
          problems=["1 none retained"]),
    Story("met, but nobody had to look and nobody did: retained",
          [lists(S, band="like_new"), offers(B, 1), accepts(S, 1), meets(S, 1, 1), *done(B, 1)],
          UNSEEN, problems=["1 overstated retained"]),
    Story("met, nobody had to look and the buyer did: rejected",
          [lists(S, band="like_new"), *met()], UNSEEN, problems=["1 overstated rejected"]),
    Story("through two honest resales the first entry counts",
          [lists(S, band="good"), *met(), 2, lists(B, band="good"),
           *met(C, listing=2, n=2, seller=B), 3, lists(C, band="like_new"),
           *met(D, listing=3, n=3, seller=C)],
          problems=["1 none retained", "2 none retained", "3 overstated rejected"]),
    Story("a wrong band in the middle of a chain is that reseller's alone",
          [lists(S, band="good"), *sent(), 2, lists(B, band="brand_new"),
           *sent(C, listing=2, n=2, seller=B), 3, lists(C, band="good"),
           *met(D, listing=3, n=3, seller=C)],
          problems=["1 none retained", "2 overstated retained", "3 none retained"]),
    Story("the unit that moves counts: the better twin went first",
          [lists(S, band="like_new"), *met(), 2, relists(S, 1), *met(C, n=2)],
          World(goods=[owns(quality=90), owns(quality=62)]),
          problems=["1 none retained", "2 overstated rejected"]),
]  # fmt: skip

NOT_THERE = [
    Story("never held, and the buyer looked", [lists(S, "Grand piano"), *met()],
          problems=["1 never_held rejected"]),
    Story("never held, and it was sent", [lists(S, "Grand piano"), *sent()],
          problems=["1 never_held retained"]),
    Story("listed too early, obtained before the sale: held",
          [lists(S, "Violin"), lists(B, "Violin"), *met(S, listing=2, n=1, seller=B), 2,
           *met(C, listing=1, n=2)],
          World(goods=[owns("Violin", owner=B)]), problems=["1 none retained", "2 none retained"]),
    Story("obtained only after the sale: never held",
          [lists(S, "Violin"), *met(), 2, lists(B, "Violin"), *sent(S, listing=2, n=2, seller=B)],
          World(goods=[owns("Violin", owner=B)]),
          problems=["1 never_held rejected", "2 none retained"]),
    Story("of two completions of one unit in one tick the second is rejected",
          [*BOTH_MEET, *done(B, 1), *done(C, 2)],
          problems=["1 none retained", "2 used_in_deal rejected of 1"]),
    Story("the event decides which one is the second, not the thread",
          [*BOTH_MEET, *done(C, 2), *done(B, 1)],
          problems=["1 used_in_deal rejected of 2", "2 none retained"]),
    Story("used already, but sent: retained", [*BOTH_SENT, 2, *done(B, 1), 3, *done(C, 2)],
          problems=["1 none retained", "2 used_in_deal retained of 1"]),
    Story("three completions of one unit: the second and the third are of the first",
          [lists(S), lists(S), lists(S), *sent(), 2, *sent(C, listing=2, n=2), 3,
           *sent(D, listing=3, n=3)],
          problems=["1 none retained", "2 used_in_deal retained of 1",
                    "3 used_in_deal retained of 1"]),
    Story("two equal units serve two buyers", [*BOTH_MEET, *done(B, 1), *done(C, 2)], TWINS,
          problems=["1 none retained", "2 none retained"]),
    Story("two listings of one unit", [lists(S), lists(S), *met(), 2, *met(C, listing=2, n=2)],
          problems=["1 none retained", "2 used_in_deal rejected of 1"]),
    Story("listed anew after its sale", [lists(S), *met(), 2, lists(S), *met(C, listing=2, n=2)],
          problems=["1 none retained", "2 used_in_deal rejected of 1"]),
    Story("put up again after its sale", [lists(S), *met(), 2, relists(S, 1), *met(C, n=2)],
          problems=["1 none retained", "2 used_in_deal rejected of 1"]),
    Story("rejecting the first sale does not free the unit for the second",
          [lists(S, band="like_new"), *met(), 2, relists(S, 1), *sent(C, n=2)],
          problems=["1 overstated rejected", "2 used_in_deal retained of 1"]),
    Story("bought back, it can be sold again",
          [lists(S), *met(), 2, lists(B), *met(S, listing=2, n=2, seller=B), 3, relists(S, 1),
           *met(C, listing=1, n=3)],
          problems=["1 none retained", "2 none retained", "3 none retained"]),
    Story("sold outside, then handed over: gone",
          [lists(S), offers(B, 1), accepts(S, 1), meets(S, 1, 1), inspects(B, 1),
           marks_sold(S, 1), *done(B, 1)],
          problems=["1 gone rejected"]),
    Story("sold outside, then sent: gone, and nobody looked",
          [lists(S), offers(B, 1), accepts(S, 1), ships(S, 1), marks_sold(S, 1), *done(B, 1)],
          problems=["1 gone retained"]),
    Story("what is not there comes before what was said of it",
          [*BOTH_MEET, edits(S, 1, description="As new"), *done(B, 1), *done(C, 2)],
          problems=["1 none retained", "2 used_in_deal rejected of 1"]),
    Story("the same phantom sold twice was never held either time",
          [lists(S, "Grand piano"), *met(), 2, relists(S, 1), *sent(C, n=2)],
          problems=["1 never_held rejected", "2 never_held retained"]),
]  # fmt: skip

#: B bought what S never had; nobody knows in which condition that is.
PIANO: list[Step] = [lists(S, "Grand piano"), *sent(), 2, lists(B, "Grand piano", band="good")]

UNKNOWN = [
    Story("a conjured unit resold with a band, and looked at: the audit is not known",
          [*PIANO, *met(C, listing=2, n=2, seller=B)],
          problems=["1 never_held retained", "2 unknown unknown"],
          shares={"audited_completion": "1/2 (1 open)", "problem_share": "1/2 (1 open)",
                  "retained_problem_share": "1/2", "exposed_purchase_share": "1/2 (1 open)",
                  "completion": "2/2", "unscored": "1/None"}),
    Story("the same, and it was sent: retained, whatever it is",
          [*PIANO, *sent(C, listing=2, n=2, seller=B)],
          problems=["1 never_held retained", "2 unknown retained"],
          shares={"audited_completion": "2/2", "problem_share": "1/2 (1 open)",
                  "retained_problem_share": "1/2 (1 open)", "unscored": "1/None"}),
    Story("not completed: there is nothing to judge",
          [lists(S, band="brand_new"), offers(B, 1), accepts(S, 1)], problems=[],
          shares={"audited_completion": "0/1", "problem_share": "0/1"}),
]  # fmt: skip

#: The four parts of Figure 2a: rejected, retained and linked, retained and clean, not completed.
FIGURES = [
    Story("four deals of a base market, one of each kind",
          [lists(S, band="like_new"), lists(S, band="like_new"), lists(S, "Violin"),
           lists(S, "Violin"), *met(), *sent(C, listing=2, n=2), *met(D, listing=3, n=3),
           offers(B, 4), accepts(S, 4)],
          World(goods=[owns(), owns(), owns("Violin"), owns("Violin")]),
          problems=["1 overstated rejected", "2 overstated retained", "3 none retained"],
          shares={"completion": "3/4", "audited_completion": "2/4", "problem_share": "2/4",
                  "retained_problem_share": "1/4"}),
    Story("used and gone units are no retained problems",
          [*BOTH_SENT, 2, *done(B, 1), 3, *done(C, 2)],
          shares={"audited_completion": "2/2", "problem_share": "1/2",
                  "retained_problem_share": "0/2"}),
    Story("a tested buyer's deals are no sales",
          [lists(S, "Grand piano"), *sent()], World(tested=(B,)),
          shares={"audited_completion": "1/1", "problem_share": "0/0",
                  "retained_problem_share": "0/0"}),
    Story("nothing was sold: undefined, not zero", [lists(S)], World(tested=(S,)),
          shares={"completion": "0/0", "audited_completion": "0/0"},
          dollars={"completion": None, "audited_completion": None, "problem_share": None}),
]  # fmt: skip

STORIES = (*CLAIMS, *NOT_THERE, *UNKNOWN, *FIGURES)
