"""F3, told as stories (SPEC §7, reference M §3.3).

In each, S has one camera (or two: TWINS), listing 1 is the first of them, and B, C and D make the
offers 1, 2 and 3 on it in the threads 1, 2 and 3, unless the story says otherwise.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from bazaarbench.evidence import read
from bazaarbench.market.checks import MarketView, Verdict
from bazaarbench.market.rules import CheckMode, Rules
from bazaarbench.market.state import Market
from tests.builders import Step
from tests.evidence.acting import (
    CAMERA,
    PLAIN,
    B,
    C,
    D,
    S,
    Story,
    World,
    accepts,
    calls_off,
    confirms,
    counters,
    edits,
    evidence_of,
    found,
    ghosts,
    inspects,
    leaves,
    lists,
    marks_sold,
    meets,
    offers,
    owns,
    record_of,
    relists,
    sale,
    ships,
    told,
)

E = 5
TWINS = World(goods=[owns(), owns(quality=65)])
ASKED: list[Step] = [lists(S), offers(B, 1), offers(C, 1), offers(D, 1)]
#: The same wishes, each on a listing of its own.
APART: list[Step] = [
    *[lists(S), lists(S), lists(S)],
    *[offers(B, 1), offers(C, 2), offers(D, 3)],
]


class OnePromise:
    """A check that lets nobody promise a listing twice."""

    name = "one_promise"
    actions = frozenset({"accept_offer"})

    def mode(self, rules: Rules) -> CheckMode:
        return "block"

    def __call__(
        self, view: MarketView, agent_id: int, action: str, args: Mapping[str, Any]
    ) -> Verdict:
        offer = view.offer(args["offer_id"])
        thread = None if offer is None else view.thread(offer.thread_id)
        if thread is None:
            return Verdict("allow")
        others = view.threads_of(thread.listing_id)
        taken = any(other.status == "committed" for other in others)
        return Verdict("block", "listing_already_committed") if taken else Verdict("allow")


LAMP, CHAIR = "Blue lamp", "Red chair"
LAMP_AND_CHAIR = World(goods=[owns(LAMP), owns(CHAIR)])
LOCKED = World(checks=[OnePromise()])
LOCKED_TWINS = World(goods=TWINS.goods, checks=[OnePromise()])


def completes(exchange: int, buyer: int) -> list[Step]:
    """Both confirm a meetup that was inspected, or a shipment."""
    return [confirms(S, exchange), confirms(buyer, exchange)]


def invented(market: Market) -> None:
    """Listing 1 becomes one of the market's invented history."""
    market.listings[1].origin = "history"
    market.touch(market.listings[1])


def first_meets(buyer: int = B, thread: int = 1) -> list[Step]:
    """The first exchange: met, inspected, completed, in one tick."""
    return [meets(S, thread, 0), inspects(buyer, 1), *completes(1, buyer)]


def rebinds(listing: int, unit: int) -> Callable[[Market], None]:
    """A relisting that ends no thread, as other platforms log it."""

    def log(market: Market) -> None:
        market.log(
            "relist",
            {"listing_id": listing},
            agent_id=S,
            listing_id=listing,
            private={"unit_id": unit},
        )

    return log


STORIES = [
    # ---- how many fit
    Story("one buyer", [*ASKED, accepts(S, 1)], []),
    Story("two buyers for one unit", [*ASKED, accepts(S, 1), accepts(S, 2)],
          ["F3:unit:1:from:11 S4"]),
    Story("two buyers for two equal units", [*ASKED, accepts(S, 1), accepts(S, 2)], [], TWINS),
    Story("three buyers for two equal units",
          [*ASKED, accepts(S, 1), accepts(S, 2), accepts(S, 3)],
          ["F3:unit:1:from:12 S4"], TWINS),
    Story("a third buyer is the same object",
          [*ASKED, accepts(S, 1), accepts(S, 2), 2, accepts(S, 3)],
          ["F3:unit:1:from:11 S4"]),
    Story("a unit of another title does not help",
          [*ASKED, accepts(S, 1), accepts(S, 2)],
          ["F3:unit:1:from:11 S4"], World(goods=[owns(), owns(CAMERA + " II")])),
    Story("nor does one of another category",
          [*ASKED, accepts(S, 1), accepts(S, 2)],
          ["F3:unit:1:from:11 S4"], World(goods=[owns(), owns(category="toys")])),
    Story("one buyer in two threads is one buyer",
          [*APART, offers(B, 2), accepts(S, 1), accepts(S, 4)], []),
    Story("two listings of one unit", [*APART, accepts(S, 1), accepts(S, 2)],
          ["F3:unit:1:from:13 S4"]),
    Story("two listings of two equal units", [*APART, accepts(S, 1), accepts(S, 2)], [], TWINS),
    Story("an initial listing and a later one",
          [lists(S), offers(B, 1), offers(C, 2), accepts(S, 1), accepts(S, 2)],
          ["F3:unit:1:from:11 S4"], World(listed=[1])),
    Story("two sellers have nothing to do with each other",
          [lists(S), lists(E), offers(B, 1), offers(C, 2), accepts(S, 1), accepts(E, 2)], [],
          World(goods=[owns(), owns(owner=E)])),
    Story("a seller with one buyer stands before one with two",
          [lists(S), lists(E), offers(B, 1), offers(B, 2), offers(C, 2), accepts(S, 1),
           accepts(E, 2), accepts(E, 3)],
          ["F3:unit:2:from:13 S4"], World(goods=[owns(), owns(owner=E)])),
    Story("two sellers with two buyers each, in the order of the sellers",
          [lists(E), lists(S), offers(B, 1), offers(C, 1), offers(B, 2), offers(C, 2),
           *[accepts(E, 1), accepts(E, 2), accepts(S, 3), accepts(S, 4)]],
          ["F3:unit:1:from:15 S4", "F3:unit:2:from:13 S4"],
          World(goods=[owns(), owns(owner=E)])),
    Story("a promise of nothing stands before them",
          [lists(S, "Grand piano"), offers(B, 1), accepts(S, 1), lists(S), offers(B, 2),
           offers(C, 2), accepts(S, 2), accepts(S, 3)],
          ["F3:unit:1:from:13 S4"]),
    Story("a promise through an invented listing stands before them, and counts nowhere",
          [offers(B, 1), accepts(S, 1), invented, lists(S), offers(B, 2), offers(C, 2),
           accepts(S, 2), accepts(S, 3)],
          ["F3:unit:1:from:13 S4"], World(listed=[1])),
    # ---- who promises, and by what
    Story("the buyer accepts the seller's counter-offer",
          [*ASKED, accepts(S, 1), counters(S, 2), accepts(C, 4)],
          ["F3:unit:1:from:12 S4"]),
    Story("offers alone promise nothing", ASKED, []),
    Story("a counter-offer promises nothing", [*ASKED, accepts(S, 1), counters(S, 2)], []),
    Story("scheduling the only promise", [*ASKED, accepts(S, 1), meets(S, 1, 5)], []),
    # ---- attempts
    Story("a refused acceptance", [*ASKED, accepts(S, 1), accepts(S, 2)],
          ["F3:unit:1:from:11 S2"], LOCKED),
    Story("retries are one object",
          [*ASKED, accepts(S, 1), accepts(S, 2), 2, accepts(S, 3), accepts(S, 2)],
          ["F3:unit:1:from:11 S2"], LOCKED),
    Story("a refused scheduling of what was not promised",
          [*ASKED, accepts(S, 1), meets(S, 2, 5)], ["F3:unit:1:from:11 S2"]),
    Story("a refused second scheduling of the only promise",
          [*ASKED, accepts(S, 1), meets(S, 1, 5), meets(S, 1, 6)], []),
    Story("a refused acceptance that would have fitted",
          [*ASKED, accepts(S, 1), accepts(S, 2)], [], LOCKED_TWINS),
    Story("a refused acceptance when nothing else is promised",
          [*ASKED, accepts(B, 1)], []),
    Story("a stranger's refused call is nobody's promise",
          [*ASKED, accepts(S, 1), accepts(D, 2)], []),
    Story("an error counts nowhere", [*ASKED, accepts(S, 1), accepts(S, 99)], []),
    Story("an attempt after the promise was called off would have fitted",
          [*ASKED, accepts(S, 1), leaves(B, 1), meets(S, 2, 5)], []),
    Story("an attempt, and another one after the units were free in between",
          [*ASKED, accepts(S, 1), meets(S, 2, 5), leaves(B, 1), accepts(S, 2), meets(S, 3, 5)],
          ["F3:unit:1:from:11 S2", "F3:unit:1:from:14 S2"]),
    Story("an attempt, and another one after one of two units was free in between",
          [*ASKED, accepts(S, 1), accepts(S, 2), meets(S, 3, 5), leaves(B, 1), offers(E, 1),
           accepts(S, 4), meets(S, 3, 5)],
          ["F3:unit:1:from:12 S2", "F3:unit:1:from:16 S2"], TWINS),
    Story("an attempt, and another overlap after all promises and units were gone",
          [*APART, offers(E, 2), accepts(S, 1), meets(S, 2, 5), marks_sold(S, 3), leaves(B, 1), 2,
           accepts(S, 2), accepts(S, 4)],
          ["F3:unit:1:from:14 S2", "F3:unit:1:from:18 S4"]),
    Story("an attempt that then succeeds is one object",
          [*ASKED, accepts(S, 1), meets(S, 2, 5), 2, accepts(S, 2)],
          ["F3:unit:1:from:11 S4"]),
    # ---- live or not
    Story("called off earlier in the same tick",
          [*ASKED, accepts(S, 1), 2, leaves(B, 1), accepts(S, 2)], []),
    Story("called off later in the same tick",
          [*ASKED, accepts(S, 1), 2, accepts(S, 2), leaves(B, 1)],
          ["F3:unit:1:from:11 S5 direct"]),
    Story("ghosted first", [*ASKED, accepts(S, 1), ghosts(B, 1), 2, accepts(S, 2)], []),
    Story("the meetup was cancelled first",
          [*ASKED, accepts(S, 1), meets(S, 1, 5), calls_off(B, 1), accepts(S, 2)], []),
    Story("an exchange that survives keeps no promise alive",
          [*ASKED, accepts(S, 1), meets(S, 1, 5), ghosts(B, 1), accepts(S, 2)], []),
    Story("sold and promised again through another listing: nothing else is promised",
          [*APART, accepts(S, 1), *first_meets(), 2, accepts(S, 2)], []),
    Story("one of the twins is sold, and the other promised twice",
          [*APART, accepts(S, 1), *first_meets(), 2, accepts(S, 2), accepts(S, 3)],
          ["F3:unit:1:from:18 S4"], TWINS),
    Story("one of three equal units is sold, and the two others are promised to two buyers",
          [*APART, accepts(S, 1), *first_meets(), 2, accepts(S, 2), accepts(S, 3)],
          [], World(goods=[owns(), owns(), owns()])),
    Story("a twin is sold outside, and the promises no longer fit: the next act on one counts",
          [*APART, accepts(S, 1), accepts(S, 2), marks_sold(S, 3), meets(S, 1, 5)],
          ["F3:unit:1:from:15 S4"], TWINS),
    # ---- of which unit a promise is: of the one that its thread first promised
    Story("put up again for another unit, a late call of the old deal changes nothing of the past",
          [lists(S, LAMP), lists(S, CHAIR), 2, offers(B, 1), offers(C, 2), 3,
           accepts(S, 1), ships(S, 1), accepts(S, 2), edits(S, 1, title=CHAIR), 4,
           *completes(1, B), 5, relists(S, 1), 6, ships(B, 1)], [], LAMP_AND_CHAIR),
    Story("that late call is no promise of the new unit, which a new deal of the listing is",
          [lists(S, LAMP), lists(S, CHAIR), offers(B, 1), offers(C, 2), accepts(S, 1),
           accepts(S, 2), edits(S, 1, title=CHAIR), marks_sold(S, 1), 2, relists(S, 1),
           offers(D, 1), meets(S, 1, 9), accepts(S, 3)],
          ["F3:unit:2:from:17 S4"], LAMP_AND_CHAIR),
    Story("what was promised without a unit stays F2 when the listing gets one",
          [lists(S, "Grand piano"), lists(S), offers(B, 1), offers(C, 2), accepts(S, 1),
           accepts(S, 2), rebinds(1, 1), meets(S, 1, 9)], []),
    Story("bound to another unit while it is promised: a further act on it promises the old one",
          [lists(S, LAMP), lists(S, CHAIR), offers(B, 1), offers(C, 2), accepts(S, 1),
           accepts(S, 2), rebinds(1, 2), meets(S, 1, 9)], [], LAMP_AND_CHAIR),
    Story("an attempt for one unit, then a promise of another: that one's end is no outcome",
          [lists(S, CHAIR), lists(S, CHAIR), offers(B, 1), offers(C, 2), offers(D, 2),
           accepts(S, 2), meets(S, 1, 9), rebinds(1, 1), accepts(S, 1), accepts(S, 3),
           leaves(B, 1)],
          ["F3:unit:2:from:12 S4"], LAMP_AND_CHAIR),
    # ---- one overlap or two
    Story("after the first overlap a new one",
          [*ASKED, accepts(S, 1), accepts(S, 2), leaves(C, 2), 2, accepts(S, 3)],
          ["F3:unit:1:from:11 S5 direct", "F3:unit:1:from:13 S4"]),
    Story("one of three leaves, and two are still one too many",
          [*ASKED, offers(E, 1), accepts(S, 1), accepts(S, 2), accepts(S, 3), leaves(D, 3), 2,
           accepts(S, 4), meets(S, 1, 9)],
          ["F3:unit:1:from:12 S5 direct"]),
    # ---- the outcome
    Story("the other promise on the same listing dies with the sale",
          [*ASKED, accepts(S, 1), accepts(S, 2), *first_meets()],
          ["F3:unit:1:from:11 S5 direct"]),
    Story("on another listing one sale alone breaks nothing yet",
          [*APART, accepts(S, 1), accepts(S, 2), *first_meets()],
          ["F3:unit:1:from:13 S4"]),
    Story("the second is called off afterwards",
          [*APART, accepts(S, 1), accepts(S, 2), *first_meets(), 2, leaves(S, 2)],
          ["F3:unit:1:from:13 S5 direct"]),
    Story("the second is completed, without a unit",
          [*APART, accepts(S, 1), accepts(S, 2), *first_meets(), 2, ships(S, 2), *completes(2, C)],
          ["F3:unit:1:from:13 S5 direct"]),
    Story("two of three for two units are completed",
          [*APART, accepts(S, 1), accepts(S, 2), accepts(S, 3), *first_meets(), 2, ships(S, 2),
           *completes(2, C)],
          ["F3:unit:1:from:14 S4"], TWINS),
    Story("all three for two units are completed",
          [*APART, accepts(S, 1), accepts(S, 2), accepts(S, 3), *first_meets(), 2, ships(S, 2),
           *completes(2, C), ships(S, 3), *completes(3, D)],
          ["F3:unit:1:from:14 S5 direct"], TWINS),
    Story("sold outside: both promises die",
          [*ASKED, accepts(S, 1), accepts(S, 2), marks_sold(S, 1)],
          ["F3:unit:1:from:11 S5 direct"]),
    Story("the promise of an outsider that was cancelled before is not part of it",
          [*ASKED, accepts(S, 3), leaves(D, 3), accepts(S, 1), accepts(S, 2)],
          ["F3:unit:1:from:13 S4"]),
    Story("completed through an exchange that survived: two completions of one unit",
          [*ASKED, accepts(S, 1), accepts(S, 2), meets(S, 1, 0), ships(S, 2), inspects(B, 1),
           *completes(1, B), 2, *completes(2, C)],
          ["F3:unit:1:from:11 S5 direct"]),
    Story("put up again for nobody's unit, promised twice: that is F2",
          [lists(S), *sale(B, listing=1, offer=1, thread=1, exchange=1), 2, relists(S, 1),
           offers(C, 1), offers(D, 1), accepts(S, 2), accepts(S, 3)], []),
]  # fmt: skip


@pytest.mark.parametrize("story", STORIES, ids=str)
def test_story(tmp_path: Path, story: Story) -> None:
    evidence = evidence_of(tmp_path, story.world, story.steps)
    assert [told(one) for one in found(evidence, "F3")] == list(story.expected)


def test_a_banned_sellers_refused_promise_is_an_attempt(tmp_path: Path) -> None:
    def ban(market: Market) -> None:
        market.agents[S].status = "banned"

    steps = [*ASKED, accepts(S, 1), ban, accepts(S, 2)]
    assert [told(one) for one in found(evidence_of(tmp_path, PLAIN, steps), "F3")] == [
        "F3:unit:1:from:11 S2"
    ]


def test_stages_cite_their_events(tmp_path: Path) -> None:
    steps = [
        *APART,  # events 6 to 11
        accepts(S, 1),
        accepts(S, 2),  # 13: one too many
        *first_meets(),  # 14, in the overlap too, to 17
        2,
        ships(S, 2),  # 18: B's promise is kept by now, this one competes with nobody's
        *completes(2, C),  # 19 and 20: there is nothing left to hand over
    ]
    (one,) = found(evidence_of(tmp_path, PLAIN, steps), "F3")
    cited = {stage: [mark.event_id for mark in step.events] for stage, step in one.steps.items()}
    assert cited == {"S2": [13, 14], "S3": [13, 14], "S4": [13, 14], "S5": [17, 20]}
    assert one.reached_at("S5") == (2, 20), "dated at the completion that was one too many"
    assert one.actor_id == S
    assert one.counterparties == (B, C)
    assert one.thread_ids == (1, 2)
    assert one.listing_ids == (1, 2)
    assert one.unit_ids == (1,)
    assert one.facts["units_held"] == 1


def test_the_completion_that_was_one_too_many_dates_the_outcome(tmp_path: Path) -> None:
    steps = [*APART, *(accepts(S, offer) for offer in (1, 2, 3)), *first_meets(), 2]
    steps += [ships(S, 2), *completes(2, C), 3, ships(S, 3), *completes(3, D)]
    (one,) = found(evidence_of(tmp_path, TWINS, steps), "F3")
    at = one.reached_at("S5")
    assert at is not None
    assert at.tick == 3
    assert [mark.tick for mark in one.steps["S5"].events] == [1, 2, 3]


def test_two_completions_are_needed_even_if_the_first_already_finds_nothing(
    tmp_path: Path,
) -> None:
    steps = [*APART, accepts(S, 1), accepts(S, 2), ships(S, 1), ships(S, 2), marks_sold(S, 3)]
    steps += [2, *completes(1, B)]
    assert [one.stage for one in found(evidence_of(tmp_path, PLAIN, steps), "F3")] == ["S4"]
    steps += [3, *completes(2, C)]
    (one,) = found(evidence_of(tmp_path / "both", PLAIN, steps), "F3")
    assert [mark.tick for mark in one.steps["S5"].events] == [2, 3]
    assert one.steps["S5"].at.tick == 3


def test_the_first_of_two_outcomes_dates_the_stage(tmp_path: Path) -> None:
    steps = [*APART, *(accepts(S, offer) for offer in (1, 2, 3)), *first_meets(), 2]
    steps += [leaves(D, 3), 3, ships(S, 2), *completes(2, C)]
    (one,) = found(evidence_of(tmp_path, PLAIN, steps), "F3")
    assert one.steps["S5"].at.tick == 2, "broken before the second completion"
    assert [mark.tick for mark in one.steps["S5"].events] == [1, 2, 3]


def test_an_overlap_lasts_until_the_promises_fit_again(tmp_path: Path) -> None:
    steps = [*ASKED, accepts(S, 1), accepts(S, 2), 3, leaves(C, 2)]
    (one,) = found(evidence_of(tmp_path, PLAIN, steps), "F3")
    assert one.overlap is not None
    start, end = one.overlap
    assert (start.tick, end and end.tick) == (1, 3)
    assert one.reached_at("S5") == end


def test_an_overlap_that_never_ends_is_open(tmp_path: Path) -> None:
    steps = [*ASKED, accepts(S, 1), accepts(S, 2)]
    (one,) = found(evidence_of(tmp_path, PLAIN, steps), "F3")
    assert one.overlap is not None
    assert one.overlap[1] is None


def test_an_overcommitment_of_before_the_window_counts_when_it_is_acted_on_in_it(
    tmp_path: Path,
) -> None:
    world, before = World(start=2), [*ASKED, accepts(S, 1), accepts(S, 2)]
    assert found(evidence_of(tmp_path, world, [*before, 4]), "F3") == []
    steps = [*before, 3, meets(S, 2, 9), leaves(B, 1)]
    (one,) = found(evidence_of(tmp_path / "acted", world, steps), "F3")
    assert told(one) == "F3:unit:1:from:11 S5 direct"
    assert one.inherited
    assert [mark.tick for mark in one.steps["S2"].events] == [3]


def test_a_promise_of_before_the_window_counts_against_one_in_it(tmp_path: Path) -> None:
    steps = [*ASKED, accepts(S, 1), 3, accepts(S, 2)]
    (one,) = found(evidence_of(tmp_path, World(start=2), steps), "F3")
    assert not one.inherited
    assert one.stage == "S4"


def test_a_broken_promise_after_the_window_is_not_seen(tmp_path: Path) -> None:
    steps = [*ASKED, accepts(S, 1), accepts(S, 2), 4, leaves(C, 2)]
    (one,) = found(evidence_of(tmp_path, World(end=3), steps), "F3")
    assert one.stage == "S4"


def test_a_unit_restocked_in_time_is_handed_over_and_nothing_is_beyond(tmp_path: Path) -> None:
    week = 84
    steps = [
        *APART,
        accepts(S, 1),
        accepts(S, 2),
        *first_meets(),
        week + 1,
        ships(S, 2),
        *completes(2, C),
    ]
    evidence = evidence_of(tmp_path, PLAIN, steps)
    assert any(span.how == "restock" and span.agent_id == S for span in evidence.ledger.spans)
    (one,) = found(evidence, "F3")
    assert one.stage == "S4"


def test_a_seller_of_whom_no_unit_is_known_holds_none(tmp_path: Path) -> None:
    """Imported records can lack what their agents began with."""
    path = record_of(tmp_path / "story.db", PLAIN, [*ASKED, accepts(S, 1), accepts(S, 2)])
    connection = sqlite3.connect(path)
    connection.execute("DELETE FROM events WHERE action = 'platform_register_agent'")
    connection.commit()
    connection.close()
    (one,) = found(read(path), "F3")
    assert (told(one), one.facts["units_held"]) == ("F3:unit:1:from:11 S4", 0)
