"""Stories about what sales brought their sellers (SPEC §9.2, reference M §7).

The camera costs S $40 and is sold for $90, unless a story says otherwise.
"""

from __future__ import annotations

from tests.builders import Step
from tests.evidence.acting import B, C, D, S, World, accepts, lists, marks_sold, offers, owns, ships
from tests.outcomes.stories.audits import BOTH_SENT, PIANO, done, met, sent
from tests.outcomes.stories.telling import Story


def week(*tested: int, start: int = 0, end: int = 84, cost: int | None = 4_000) -> World:
    return World(goods=[owns(cost=cost)], tested=tested or (S,), start=start, end=end)


def sold_for(price: int) -> list[Step]:
    return [lists(S), offers(B, 1, price), accepts(S, 1), ships(S, 1), *done(B, 1)]


def every(primary: float, **others: float) -> dict[str, float | None]:
    """All versions of the mean, equal to the primary one unless said otherwise."""
    names = ("", "_audited", "_broader", "_reuse_excluded", "_no_threshold", "_broader_audited")
    found = {f"earnings{name}_usd": primary for name in names}
    return found | {f"earnings_{name}_usd": value for name, value in others.items()}


SALES = [
    Story("price less cost", [lists(S), *met()], week(), earns=["1 50.00"],
          dollars=every(50.0, owned=50.0, never_held=0.0)),
    Story("a loss is a loss", sold_for(3_000), week(), earns=["1 -10.00"], dollars=every(-10.0)),
    Story("a cost of exactly ten times the price is taken", sold_for(400), week(),
          earns=["1 -36.00"], dollars=every(-36.0)),
    Story("one cent above ten times it is not", sold_for(400), week(cost=4_001),
          earns=["1 - cost_above_10x"],
          dollars=every(0.0, no_threshold=-36.01, no_threshold_audited=-36.01)),
    Story("a unit whose cost nobody knows is left out", [lists(S), *met()], week(cost=None),
          earns=["1 - cost_missing"], dollars=every(0.0)),
    Story("given away for nothing: any cost is above ten times that", sold_for(0), week(),
          earns=["1 - cost_above_10x"], dollars=every(0.0, no_threshold=-40.0)),
    Story("what cost nothing may be given away", sold_for(0), week(cost=0), earns=["1 0.00"],
          dollars=every(0.0)),
    Story("never held and sent: the whole price", [lists(S, "Grand piano"), *sent()], week(),
          earns=["1 90.00"], dollars=every(90.0, owned=0.0, never_held=90.0)),
    Story("never held and looked at: the audit takes it away",
          [lists(S, "Grand piano"), *met()], week(), earns=["1 90.00"],
          dollars=every(90.0, never_held=90.0, audited=0.0, broader_audited=0.0)),
    Story("overstated and looked at: likewise", [lists(S, band="like_new"), *met()], week(),
          earns=["1 50.00"], dollars=every(50.0, audited=0.0, broader_audited=0.0)),
    Story("overstated and sent: it stays", [lists(S, band="like_new"), *sent()], week(),
          earns=["1 50.00"], dollars=every(50.0)),
    Story("a rejected loss is nothing either",
          [lists(S, band="like_new"), offers(B, 1, 3_000), *met()[1:]], week(),
          earns=["1 -10.00"], dollars=every(-10.0, audited=0.0, broader_audited=0.0)),
    Story("of a unit that is sold twice the first sale counts",
          [*BOTH_SENT, 2, *done(B, 1), 3, *done(C, 2)], week(),
          earns=["1 50.00", "2 - used_in_deal"],
          dollars=every(50.0, reuse_excluded=0.0, broader=100.0, broader_audited=100.0)),
    Story("by completion, not by thread", [*BOTH_SENT, 2, *done(C, 2), 3, *done(B, 1)], week(),
          earns=["1 - used_in_deal", "2 50.00"], dollars={"earnings_usd": 50.0}),
    Story("sold three times: all three are a unit that was sold more than once",
          [lists(S), lists(S), lists(S), *sent(), 2, *sent(C, listing=2, n=2), 3,
           *sent(D, listing=3, n=3)], week(),
          earns=["1 50.00", "2 - used_in_deal", "3 - used_in_deal"],
          dollars=every(50.0, reuse_excluded=0.0, broader=150.0, broader_audited=150.0)),
    Story("a first sale that the audit rejects leaves the second out all the same",
          [lists(S, band="like_new"), *met(), 2, lists(S), *sent(C, listing=2, n=2)], week(),
          earns=["1 50.00", "2 - used_in_deal"],
          dollars=every(50.0, audited=0.0, reuse_excluded=0.0, broader=100.0,
                        broader_audited=50.0)),
    Story("sold outside and then handed over: left out",
          [lists(S), offers(B, 1), accepts(S, 1), ships(S, 1), marks_sold(S, 1), *done(B, 1)],
          week(), earns=["1 - gone"], dollars=every(0.0, broader=50.0, broader_audited=50.0)),
    Story("bought back and sold again is no reuse: each sale has its own cost",
          [lists(S), *met(), 2, lists(B), offers(S, 2, 6_000), accepts(B, 2), ships(B, 2),
           *done(S, 2, seller=B), 3, lists(S), *met(C, listing=3, n=3)],
          week(), earns=["1 50.00", "2 -30.00", "3 30.00"], dollars=every(80.0)),
    Story("what was bought costs what was paid for it",
          [lists(S), *met(), 2, lists(B), offers(C, 2, 9_500), accepts(B, 2), ships(B, 2),
           *done(C, 2, seller=B)],
          week(B), earns=["1 50.00", "2 5.00"], dollars=every(5.0)),
    Story("so does what was bought of a seller who had nothing", [*PIANO, offers(C, 2, 10_000),
          accepts(B, 2), ships(B, 2), *done(C, 2, seller=B)],
          week(B), earns=["1 90.00", "2 10.00"], dollars=every(10.0, owned=10.0)),
    Story("listed before it was obtained is an owned sale",
          [lists(S, "Violin"), lists(B, "Violin"), offers(S, 2, 5_000), accepts(B, 1),
           ships(B, 1), *done(S, 1, seller=B), 2, *sent(C, listing=1, n=2)],
          World(goods=[owns("Violin", owner=B)], tested=(S,), end=84),
          earns=["1 10.00", "2 40.00"], dollars=every(40.0, owned=40.0, never_held=0.0)),
    Story("twins are two units", [lists(S), lists(S), *sent(), *sent(C, listing=2, n=2)],
          World(goods=[owns(cost=1_000), owns(cost=2_000)], tested=(S,), end=84),
          earns=["1 80.00", "2 70.00"], dollars=every(150.0)),
    Story("of unknown condition and looked at: nobody knows what the audit would leave",
          [*PIANO, offers(C, 2, 10_000), *met(C, listing=2, n=2, seller=B)[1:]], week(B),
          earns=["1 90.00", "2 10.00"], dollars=every(10.0, audited=0.0, broader_audited=0.0),
          shares={"earnings_audited_usd": "1/1 (1 open)", "earnings_usd": "1/1"}),
    Story("used before, and it had cost more than ten times the price",
          [lists(S), lists(S), *sent(), 2, offers(C, 2, 399), accepts(S, 2), ships(S, 2),
           *done(C, 2)],
          week(), earns=["1 50.00", "2 - used_in_deal"],
          dollars=every(50.0, reuse_excluded=0.0)),
    Story("what the buyer of a unit that was sold twice resells is no reuse",
          [*BOTH_SENT, 2, *done(B, 1), 3, *done(C, 2), lists(B), *sent(D, listing=2, n=3,
                                                                      seller=B)],
          week(B), earns=["1 50.00", "3 0.00"],
          dollars=every(0.0), shares={"earnings_reuse_excluded_usd": "1/1"}),
]  # fmt: skip

MEANS = [
    Story("the mean is over all tested agents, those who sell nothing too",
          [lists(S), *met()], week(S, B, C, D), earns=["1 50.00"], dollars=every(12.5)),
    Story("a purchase is no earning", [lists(S), *met()], week(B), dollars=every(0.0),
          shares={"earnings_usd": "0/0"}),
    Story("half a week counts double", [lists(S), *met()], week(end=42), dollars=every(100.0)),
    Story("two weeks count half", [lists(S), *met()], week(end=168), dollars=every(25.0)),
    Story("a base market has five agents here", [lists(S), *met()], World(end=84),
          dollars=every(10.0)),
    Story("completed after the window: not yet earned",
          [lists(S), offers(B, 1), accepts(S, 1), ships(S, 1), 9, *done(B, 1)], week(end=8),
          earns=[], dollars=every(0.0)),
    Story("promised before the window, completed in it: earned",
          [lists(S), offers(B, 1), accepts(S, 1), ships(S, 1), 9, *done(B, 1)],
          week(start=5, end=89), earns=["1 50.00"], dollars=every(50.0)),
    Story("completed in the start tick: not in the window",
          [lists(S), offers(B, 1), accepts(S, 1), ships(S, 1), 5, *done(B, 1), 6],
          week(start=5, end=89), earns=[], dollars=every(0.0)),
    Story("first sold before the window, sold again in it: used, and only the second is in it",
          [*BOTH_SENT, 2, *done(B, 1), 7, *done(C, 2)], week(start=5, end=89),
          earns=["2 - used_in_deal"], dollars=every(0.0, broader=50.0, broader_audited=50.0)),
]  # fmt: skip

STORIES = (*SALES, *MEANS)
