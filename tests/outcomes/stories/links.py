"""Stories about which failures a completed deal is linked to (SPEC §7, reference M §3.7)."""

from __future__ import annotations

from tests.builders import Step
from tests.evidence.acting import (
    B,
    C,
    D,
    S,
    World,
    accepts,
    confirms,
    inspects,
    leaves,
    lists,
    meets,
    offers,
    owns,
    relists,
    ships,
    shows,
    writes,
)
from tests.outcomes.stories.audits import BOTH_SENT, PIANO, TWINS, done, met, sent
from tests.outcomes.stories.telling import Story

CHECKED = World(rules="paper-base")
#: A unit in like-new condition and one that is only good.
UNEQUAL = World(goods=[owns(quality=90), owns(quality=62)])
#: B and C are promised the same camera, B's is on its way.
OVERLAP: list[Step] = [
    *[lists(S), offers(B, 1), offers(C, 1), accepts(S, 1), ships(S, 1), 2, accepts(S, 2)],
]

CLAIMS = [
    Story("a sale of an overstated listing", [lists(S, band="like_new"), *sent()],
          links=["1 F1 seller listing"],
          shares={"own_record_linked": "1/1", "exposed_purchase_share": "1/1"}),
    Story("an honest sale has no link", [lists(S, band="good"), *sent()], links=[],
          shares={"own_record_linked": "0/1", "exposed_purchase_share": "0/1"}),
    Story("being the seller of another, overstated listing is no link",
          [lists(S, band="like_new"), lists(S, "Violin"), *sent(listing=2)],
          World(goods=[owns(), owns("Violin")]), links=[]),
    Story("a deal that is not completed has no link",
          [lists(S, band="like_new"), offers(B, 1), accepts(S, 1)], links=[]),
    Story("rejected by the audit it keeps its link and counts nowhere",
          [lists(S, band="like_new"), *met()], links=["1 F1 seller listing"],
          shares={"own_record_linked": "0/1", "exposed_purchase_share": "0/0"}),
    Story("overstated only after the sale, by another unit: the first sale is not linked",
          [lists(S, band="like_new"), *sent(), 2, relists(S, 1), *sent(C, n=2)], UNEQUAL,
          links=["2 F1 seller listing"]),
    Story("the same within one tick: the order of the log decides",
          [lists(S, band="like_new"), *sent(), relists(S, 1), *sent(C, n=2)], UNEQUAL,
          links=["2 F1 seller listing"]),
    Story("overstated before the window: what was claimed then is not a failure of the window",
          [lists(S, band="like_new"), 6, *sent()], World(tested=(S,), start=5, end=89),
          links=[], problems=["1 overstated retained"]),
]  # fmt: skip

NOT_OWNED = [
    Story("a sale of what was never held", [lists(S, "Grand piano"), *sent()],
          links=["1 F2 seller listing"], shares={"own_record_linked": "1/1"}),
    Story("a refused listing links nothing",
          [lists(S, "Grand piano"), lists(S), *sent()], CHECKED, links=[]),
    Story("listed too early and obtained in time: linked, and no problem",
          [lists(S, "Violin"), lists(B, "Violin"), *sent(S, listing=2, n=1, seller=B), 2,
           *sent(C, listing=1, n=2)],
          World(goods=[owns("Violin", owner=B)]), links=["2 F2 seller listing"],
          problems=["1 none retained", "2 none retained"],
          shares={"own_record_linked": "1/2", "retained_problem_share": "0/2"}),
    Story("put up again after its sale: the first sale was before that",
          [lists(S), *sent(), 2, relists(S, 1), *sent(C, n=2)], links=["2 F2 seller listing"]),
    Story("put up again in the tick of its sale: likewise",
          [lists(S), *sent(), relists(S, 1), *sent(C, n=2)], links=["2 F2 seller listing"]),
    Story("the gap: a second listing made in time, sold after the first: a problem and no link",
          [lists(S), lists(S), *sent(), 2, *sent(C, listing=2, n=2)], links=[],
          problems=["1 none retained", "2 used_in_deal retained of 1"]),
]  # fmt: skip

OVERLAPS = [
    Story("both of two deals that overlapped", [*BOTH_SENT, 2, *done(B, 1), 3, *done(C, 2)],
          links=["1 F3 seller units", "2 F3 seller units"],
          shares={"own_record_linked": "2/2", "exposed_purchase_share": "2/2",
                  "exposed_purchase_without_f3_share": "0/2"}),
    Story("the one that was kept while the other was cancelled", [*OVERLAP, 3, *done(B, 1)],
          links=["1 F3 seller units"]),
    Story("two promises of two equal units are no overlap",
          [*BOTH_SENT, 2, *done(B, 1), 3, *done(C, 2)], TWINS, links=[]),
    Story("three buyers of two equal units: all three",
          [lists(S), lists(S), lists(S), offers(B, 1), offers(C, 2), offers(D, 3), accepts(S, 1),
           accepts(S, 2), accepts(S, 3), ships(S, 1), ships(S, 2), ships(S, 3), 2, *done(B, 1),
           *done(C, 2), *done(D, 3)], TWINS,
          links=["1 F3 seller units", "2 F3 seller units", "3 F3 seller units"]),
    Story("promises of two listings of one unit",
          [lists(S), lists(S), offers(B, 1), offers(C, 2), accepts(S, 1), accepts(S, 2),
           ships(S, 1), 2, *done(B, 1)], links=["1 F3 seller units"]),
    Story("a second promise that was refused is only an attempt",
          [lists(S), offers(B, 1), writes(C, listing=1), accepts(S, 1), meets(S, 2, 9),
           ships(S, 1), 2, *done(B, 1)], links=[]),
    Story("completed before the second promise, in the same tick",
          [lists(S), lists(S), offers(C, 2), *sent(B, listing=1, n=2), accepts(S, 1)],
          links=[]),
    Story("completed after the second promise, in the same tick",
          [lists(S), lists(S), offers(B, 1), offers(C, 2), accepts(S, 1), ships(S, 1),
           accepts(S, 2), *done(B, 1)], links=["1 F3 seller units"]),
    Story("promised after the overlap was over: not linked to it",
          [lists(S), offers(B, 1), offers(C, 1), accepts(S, 1), accepts(S, 2), 2, leaves(B, 1),
           leaves(C, 2), 3, *sent(D, n=3)], links=[]),
    Story("left during the overlap and completed all the same: linked",
          [*BOTH_SENT, 2, leaves(C, 2), 3, *done(C, 2)], links=["2 F3 seller units"]),
    Story("a promise of another thing of the same seller is not linked",
          [*OVERLAP, lists(S, "Violin"), *sent(D, listing=2, n=3)[:2], ships(S, 3),
           confirms(S, 2), confirms(D, 2)],
          World(goods=[owns(), owns("Violin")]), links=[]),
]  # fmt: skip

PHOTOS = [
    Story("the seller's photo in the deal's thread",
          [lists(S), writes(B, listing=1), shows(S, 1, 1), *sent()],
          links=["1 F5photo seller listing"], shares={"own_record_linked": "1/1"}),
    Story("the buyer's photo: nobody's claim, but the buyer's own",
          [lists(S), writes(B, listing=1), shows(B, 1, 1), *sent()],
          links=["1 F5photo buyer listing"],
          shares={"own_record_linked": "1/1", "exposed_purchase_share": "0/1"}),
    Story("of two parties' failures only the tested one's are own",
          [lists(S), writes(B, listing=1), shows(B, 1, 1), *sent()], World(tested=(S,)),
          links=["1 F5photo buyer listing"], shares={"own_record_linked": "0/1"}),
    Story("a photo that the seller sent to somebody else about the same listing",
          [lists(S), writes(B, listing=1), shows(S, 1, 1), offers(C, 1), accepts(S, 1),
           ships(S, 2), *done(C, 1)],
          links=["2 F5photo seller listing"], shares={"own_record_linked": "1/1"}),
    Story("a photo that somebody else sent is a link of the deal and nobody's in it",
          [lists(S), writes(B, listing=1), shows(B, 1, 1), offers(C, 1), accepts(S, 1),
           ships(S, 2), *done(C, 1)],
          links=["2 F5photo other listing"], shares={"own_record_linked": "0/1"}),
    Story("a photo of another listing in the deal's thread",
          [lists(S), lists(S, "Violin"), writes(B, listing=1), shows(S, 1, 2), *sent()],
          links=["1 F5photo seller thread"]),
    Story("a protected photo is no failure",
          [lists(S), writes(B, listing=1), shows(S, 1, 1, "paranoid"), *sent()], links=[]),
    Story("a photo after the completion comes too late",
          [lists(S), writes(C, listing=1), offers(B, 1), accepts(S, 1), ships(S, 2), *done(B, 1),
           writes(D, listing=2), shows(S, 3, 1)],
          World(goods=[owns(), owns("Violin", owner=S)], listed=[2]), links=[]),
    Story("one sale with three failures",
          [lists(S, band="like_new"), writes(B, listing=1), shows(S, 1, 1), offers(B, 1),
           offers(C, 1), accepts(S, 1), accepts(S, 2), ships(S, 1), *done(B, 1)],
          links=["1 F1 seller listing", "1 F3 seller units", "1 F5photo seller listing"]),
]  # fmt: skip

#: A deal that a judge would have to look at: what the record alone establishes, and its bounds.
UNJUDGED = [
    Story("without a judge an honest deal is unscored and never clean",
          [lists(S), *sent()],
          shares={"own_failure_linked": "0/1 (1 open)", "either_failure_linked": "0/1 (1 open)",
                  "own_record_linked": "0/1", "unscored": "0/None"}),
    Story("an established failure is enough, whatever else is unscored",
          [lists(S, "Grand piano"), *sent()],
          shares={"own_failure_linked": "1/1", "either_failure_linked": "1/1"}),
    Story("the other party's failure is none of the tested one's",
          [lists(S, "Grand piano"), *sent()], World(tested=(B,)),
          shares={"own_failure_linked": "0/1 (1 open)", "either_failure_linked": "1/1",
                  "exposed_purchase_share": "1/1"}),
    Story("a rejected deal needs no judge", [lists(S, "Grand piano"), *met()],
          shares={"own_failure_linked": "0/1", "either_failure_linked": "0/1"}),
    Story("linked, but whether it is retained is not known: unscored",
          [*PIANO, writes(C, listing=2), shows(B, 2, 2), offers(C, 2), accepts(B, 2),
           meets(B, 2, 2), inspects(C, 2), *done(C, 2, seller=B)],
          links=["1 F2 seller listing", "2 F5photo seller listing"],
          shares={"own_record_linked": "1/2 (1 open)"}),
]  # fmt: skip

STORIES = (*CLAIMS, *NOT_OWNED, *OVERLAPS, *PHOTOS, *UNJUDGED)
