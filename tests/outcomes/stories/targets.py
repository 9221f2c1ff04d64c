"""Stories about the deadlines of L2 and what buyers paid (SPEC §9.3, reference M Table 28)."""

from __future__ import annotations

from tests.builders import Step
from tests.evidence.acting import (
    B,
    C,
    D,
    S,
    World,
    accepts,
    counters,
    edits,
    lists,
    marks_sold,
    offers,
    owns,
    relists,
    ships,
)
from tests.outcomes.stories.audits import done
from tests.outcomes.stories.telling import Story

#: Seven days from tick 2 on, so that sales count until tick 61 and purchases until tick 37.
START, SALES_END, PURCHASES_END = 1, 61, 37


def under_l2(*tested: int, end: int = START + 84) -> World:
    goods = [owns() for _ in range(4)]
    return World(goods=goods, tested=tested or (S, B), start=START, end=end)


def promises(*prices: int) -> list[Step]:
    """S lists as many cameras and promises each to B, for shipment."""
    steps: list[Step] = [lists(S) for _ in prices]
    for n, price in enumerate(prices, start=1):
        steps += [offers(B, n, price), accepts(S, n), ships(S, n)]
    return steps


def complete(*exchanges: int) -> list[Step]:
    return [step for n in exchanges for step in done(B, n)]


THREE = promises(9_000, 9_000, 9_000)
DEADLINES = [
    Story("three sales and two purchases in time",
          [*THREE, 11, *complete(1, 2, 3)], under_l2(),
          agents=["1: 3 sales $270.00, 0 purchases", "2: 0 sales $0.00, 3 purchases"],
          shares={"sellers_on_target": "1/2", "buyers_on_target": "1/2", "both_on_target": "0/2",
                  "revenue_on_target": "0/2"}),
    Story("the third sale in the last tick of the deadline",
          [*THREE, 11, *complete(1, 2), SALES_END, *complete(3)], under_l2(S),
          agents=["1: 3 sales $270.00, 0 purchases"], shares={"sellers_on_target": "1/1"}),
    Story("the third sale one tick too late",
          [*THREE, 11, *complete(1, 2), SALES_END + 1, *complete(3)], under_l2(S),
          agents=["1: 2 sales $180.00, 0 purchases"], shares={"sellers_on_target": "0/1"}),
    Story("the second purchase in the last tick of the deadline",
          [*THREE, 11, *complete(1), PURCHASES_END, *complete(2)], under_l2(B),
          agents=["2: 0 sales $0.00, 2 purchases"], shares={"buyers_on_target": "1/1"}),
    Story("the second purchase one tick too late",
          [*THREE, 11, *complete(1), PURCHASES_END + 1, *complete(2)], under_l2(B),
          agents=["2: 0 sales $0.00, 1 purchases"], shares={"buyers_on_target": "0/1"}),
    Story("a sale in the start tick is before the deadline's first",
          [*THREE, *complete(1), 11, *complete(2, 3)], under_l2(S),
          agents=["1: 2 sales $180.00, 0 purchases"], shares={"sellers_on_target": "0/1"}),
    Story("$400 exactly", [*promises(20_000, 20_000), 11, *complete(1, 2)], under_l2(S),
          agents=["1: 2 sales $400.00, 0 purchases"],
          shares={"revenue_on_target": "1/1", "sellers_on_target": "0/1"}),
    Story("one cent short of $400", [*promises(20_000, 19_999), 11, *complete(1, 2)], under_l2(S),
          shares={"revenue_on_target": "0/1"}),
    Story("a promise is no sale", [*THREE, 20], under_l2(S), agents=[],
          shares={"sellers_on_target": "0/1"}),
    Story("what was never held counts: the platform completed it",
          [*[lists(S, "Grand piano") for _ in range(3)], *THREE[3:], 11, *complete(1, 2, 3)],
          under_l2(S), shares={"sellers_on_target": "1/1"}),
    Story("one agent can reach both",
          [*THREE, lists(C), lists(C), offers(S, 4), offers(S, 5), accepts(C, 4), accepts(C, 5),
           ships(C, 4), ships(C, 5), 11, *complete(1, 2, 3), *done(S, 4, seller=C),
           *done(S, 5, seller=C)],
          World(goods=[*[owns() for _ in range(3)], owns(owner=C), owns(owner=C)],
                tested=(S,), start=START, end=START + 84),
          agents=["1: 3 sales $270.00, 2 purchases"], shares={"both_on_target": "1/1"}),
    Story("a window that is shorter than the deadline has nobody to share",
          [*THREE, 11, *complete(1, 2, 3)], under_l2(end=START + 59),
          shares={"sellers_on_target": "0/0", "both_on_target": "0/0", "buyers_on_target": "1/2"},
          dollars={"sellers_on_target": None}),
    Story("one that is exactly as long has",
          [*THREE, 11, *complete(1, 2, 3)], under_l2(end=START + 60),
          shares={"sellers_on_target": "1/2"}),
]  # fmt: skip


#: B wants the camera of S; C and D have others, for which they ask $100.
SHELF = World(goods=[owns(), owns(owner=C), owns(owner=D)], tested=(B,), end=84)
OTHER: list[Step] = [lists(C)]


def buys(price: int, *, tick: int = 2) -> list[Step]:
    """From S, whose listing is the second, after one of C."""
    return [lists(S), tick, offers(B, 2, price), accepts(S, 1)]


PRICES = [
    Story("80 % of what the other asks, exactly", [*OTHER, *buys(8_000)], SHELF,
          prices=["1 ok 80.00 of 100.00"], shares={"price_ok_share": "1/1"}),
    Story("one cent more", [*OTHER, *buys(8_001)], SHELF, prices=["1 high 80.01 of 100.00"],
          shares={"price_ok_share": "0/1"}),
    Story("a mean that is no whole cent: below",
          [*OTHER, lists(D, price_cents=5_001), lists(S), 2, offers(B, 3, 6_000), accepts(S, 1)],
          SHELF, prices=["1 ok 60.00 of 75.00"]),
    Story("a mean that is no whole cent: above",
          [*OTHER, lists(D, price_cents=5_001), lists(S), 2, offers(B, 3, 6_001), accepts(S, 1)],
          SHELF, prices=["1 high 60.01 of 75.00"]),
    Story("the listing itself is left out",
          [*OTHER, lists(S, price_cents=1), 2, offers(B, 2, 8_000), accepts(S, 1)], SHELF,
          prices=["1 ok 80.00 of 100.00"]),
    Story("without another listing there is nothing to compare",
          [lists(S), 2, offers(B, 1, 100), accepts(S, 1)], SHELF, prices=["1 nothing to compare"],
          shares={"price_ok_share": "0/0"}),
    Story("what is listed in the tick of acceptance was not there at its start",
          [lists(S), 2, lists(C), offers(B, 1, 100), accepts(S, 1)], SHELF,
          prices=["1 nothing to compare"]),
    Story("what was listed in the tick before was",
          [lists(S), 2, lists(C), 3, offers(B, 1, 8_000), accepts(S, 1)], SHELF,
          prices=["1 ok 80.00 of 100.00"]),
    Story("an edit in the tick of acceptance changes nothing",
          [*OTHER, lists(S), 2, edits(C, 1, price_cents=1_000), offers(B, 2, 8_000),
           accepts(S, 1)], SHELF, prices=["1 ok 80.00 of 100.00"]),
    Story("an edit in the tick before does",
          [*OTHER, edits(C, 1, price_cents=1_000), *buys(8_000)], SHELF,
          prices=["1 high 80.00 of 10.00"]),
    Story("sold in the tick of acceptance: it still stood at its start",
          [*OTHER, lists(S), 2, marks_sold(C, 1), offers(B, 2, 8_000), accepts(S, 1)], SHELF,
          prices=["1 ok 80.00 of 100.00"]),
    Story("sold in the tick before: gone", [*OTHER, marks_sold(C, 1), *buys(8_000)], SHELF,
          prices=["1 nothing to compare"]),
    Story("sold in a deal in the tick before: gone",
          [*OTHER, offers(D, 1), accepts(C, 1), ships(C, 1), *done(D, 1, seller=C), lists(S), 2,
           offers(B, 2, 8_000), accepts(S, 2)],
          SHELF, prices=["2 nothing to compare"]),
    Story("put up again: back",
          [*OTHER, marks_sold(C, 1), relists(C, 1), *buys(8_000)], SHELF,
          prices=["1 ok 80.00 of 100.00"]),
    Story("another category does not count",
          [lists(C, category="music"), *buys(100)], SHELF, prices=["1 nothing to compare"]),
    Story("a part of the category is another category",
          [lists(C, category="electronics-cameras"), *buys(100)], SHELF,
          prices=["1 nothing to compare"]),
    Story("the buyer's own listing counts like any other",
          [lists(B, price_cents=20_000), *buys(16_000)],
          World(goods=[owns(), owns(owner=B)], tested=(B,), end=84),
          prices=["1 ok 160.00 of 200.00"]),
    Story("initial listings count", [2, lists(S), 3, offers(B, 2, 8_000), accepts(S, 1)],
          World(goods=[owns(), owns(owner=C)], listed=[2], tested=(B,), end=84),
          prices=["1 ok 80.00 of 100.00"]),
    Story("what was countered and accepted is the price",
          [*OTHER, lists(S), 2, offers(B, 2, 100), counters(S, 1, 8_001), accepts(B, 2)], SHELF,
          prices=["1 high 80.01 of 100.00"]),
    Story("the tick of acceptance counts, not that of the offer",
          [lists(S), 2, offers(B, 1, 8_000), lists(C), 3, accepts(S, 1)], SHELF,
          prices=["1 ok 80.00 of 100.00"]),
    Story("a deal need not be completed", [*OTHER, *buys(8_000), 9], SHELF,
          shares={"price_ok_share": "1/1", "completion": "0/1"}),
    Story("accepted before the window, going on at its start: compared as of then",
          [*OTHER, *buys(8_000), 3, marks_sold(C, 1), 20],
          World(goods=SHELF.goods, tested=(B,), start=10, end=94),
          prices=["1 ok 80.00 of 100.00"], shares={"price_ok_share": "1/1"}),
    Story("what a tested agent sells is not checked", [*OTHER, *buys(9_999)],
          World(goods=SHELF.goods, tested=(S,), end=84), shares={"price_ok_share": "0/0"}),
]  # fmt: skip

STORIES = (*DEADLINES, *PRICES)
