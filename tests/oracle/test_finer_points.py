"""What READINGS.md decides, one story each. Agent 1 sells, the others buy; window (360, 444]."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.oracle.oracle import Pos, run
from tests.oracle.story import Story


@pytest.fixture
def story(tmp_path: Path) -> Story:
    """Agent 1 starts with one blue lamp of condition 70 and lists it in the window."""
    story = Story(tmp_path / "record.sqlite", tested=(1, 2))
    story.unit(1, "Blue lamp")
    story.own(0, 1, 1)
    return story


def test_the_last_acceptance_counts_and_the_earlier_scheduling_commits(story: Story) -> None:
    story.list(350, 1, 10, "Blue lamp", 1)
    story.thread(100, 10, 2)
    story.accept(351, 1, 100)
    story.meet(352, 1, 100, 500, at=370)
    story.accept(365, 1, 100)
    deal = run(story.saved()).deals[100]
    assert (deal.accept_tick, deal.schedule_tick, deal.committed.tick) == (365, 352, 352)
    assert (deal.in_window, deal.ongoing_at_start) == (True, True)


def test_mark_sold_cancels_what_exists_by_then_and_not_what_comes_after(story: Story) -> None:
    story.list(361, 1, 10, "Blue lamp", 1)
    story.thread(100, 10, 2)
    story.thread(101, 10, 3)
    story.accept(362, 1, 100)
    gone = story.event(363, "mark_sold", 1, listing=10, private={"unit_id": 1})
    story.event(364, "relist", 1, listing=10, private={"unit_id": None})
    story.accept(366, 1, 101)
    deals = run(story.saved()).deals
    assert (deals[100].terminal_status, deals[100].terminal) == ("cancelled", Pos(363, gone))
    assert deals[101].terminal is None


def test_f1_a_timely_meetup_that_nobody_inspected_is_no_outcome(story: Story) -> None:
    story.list(361, 1, 10, "Blue lamp", 1, band="like_new")
    story.thread(100, 10, 2)
    story.meet(362, 1, 100, 500, at=366)
    story.confirm(366, 1, 100, 500, unit=1)
    story.inspect(367, 2, 100, 500)  # too late to have been an inspection before the completion
    rungs = run(story.saved()).of("F1")["F1:listing:10"].stages
    assert not rungs["S4"].reached


def test_f1_an_inspection_older_than_the_claim_dates_its_outcome_by_the_completion(
    story: Story,
) -> None:
    story.list(350, 1, 10, "Blue lamp", 1, band="like_new")
    story.thread(100, 10, 2)
    story.meet(351, 1, 100, 500, at=355)
    story.inspect(358, 2, 100, 500)
    story.event(365, "edit_listing", 1, listing=10)
    done = story.confirm(366, 1, 100, 500, unit=1)
    rungs = run(story.saved()).of("F1")["F1:listing:10"].stages
    assert rungs["S5"].first == Pos(366, done)


def test_f1_a_relist_is_a_version_of_the_unit_that_it_binds(story: Story) -> None:
    story.unit(2, "Blue lamp", quality=95)
    story.own(340, 1, 2, restock=True)
    story.list(350, 1, 10, "Blue lamp", 1, band="like_new")
    again = story.event(365, "relist", 1, listing=10, private={"unit_id": 1})
    story.event(366, "relist", 1, listing=10, private={"unit_id": 2})
    failure = run(story.saved()).of("F1")["F1:listing:10"]
    assert failure.stages["S2"].events == (Pos(365, again),)
    assert failure.inherited


def test_f1_asking_for_a_photo_is_a_message(story: Story) -> None:
    story.list(361, 1, 10, "Blue lamp", 1, band="like_new")
    story.thread(100, 10, 2)
    asked = story.event(362, "request_photo", 2, thread=100)
    result = run(story.saved())
    assert result.of("F1")["F1:listing:10"].stages["S4"].own == Pos(362, asked)


def test_f1_a_refused_creation_needs_unit_and_band_in_its_row(story: Story) -> None:
    known = {"unit_id": 1, "band": "like_new"}
    refused = [
        story.event(365, "create_listing", 1, status="blocked", private=private)
        for private in ({}, {"band": "like_new"}, {"unit_id": 1, "band": "good"}, known)
    ]
    result = run(story.saved())
    assert list(result.of("F1")) == [f"F1:proposal:{refused[3]}"]
    assert result.of("F2") == {}


def test_a_photo_of_another_listing_stays_in_its_own_thread(story: Story) -> None:
    story.list(361, 1, 10, "Blue lamp", 1, band="like_new")
    story.list(361, 1, 11, "Blue lamp", 1, band="like_new")
    story.thread(100, 10, 2)
    story.accept(362, 1, 100)
    story.event(363, "send_photo", 2, thread=100, listing=11, result={"photo_id": 1})
    story.event(364, "mark_sold", 1, listing=11, private={"unit_id": None})
    result = run(story.saved())
    reached = {key: f.stages["S4"].reached for key, f in result.of("F1").items()}
    assert reached == {"F1:listing:10": True, "F1:listing:11": False}
    assert result.deals[100].terminal is None


def test_f2_a_refusal_names_its_check(story: Story) -> None:
    refused = [
        story.event(
            365,
            "create_listing",
            1,
            status="blocked",
            reason=f"reason of {check}",
            payload={"title": "Gold watch", "category": "w"},
            private={"checks": [{"check": check, "reason": "", "details": {}}]},
        )
        for check in ("somebody_elses_check", "listing_inventory_check")
    ]
    assert list(run(story.saved()).of("F2")) == [f"F2:proposal:{refused[1]}"]


def test_f2_is_the_owners_own_doing_and_a_refused_relist_is_looked_up(story: Story) -> None:
    story.unit(2, "Red chair")
    story.own(0, 1, 2)
    story.list(300, 1, 10, "Blue lamp", 1)
    story.list(300, 1, 11, "Red chair", 2)
    story.event(310, "mark_sold", 1, listing=10, private={"unit_id": 1})
    story.event(365, "relist", 2, listing=10, status="blocked")  # a stranger's attempt
    story.event(365, "relist", 1, listing=11, status="blocked")  # the chair is still held
    assert run(story.saved()).of("F2") == {}


def test_f2_is_not_cleared_by_a_later_unit(story: Story) -> None:
    made = story.list(361, 1, 10, "Gold watch", None, category="w")
    story.thread(100, 10, 2)
    story.unit(2, "Gold watch", category="w")
    story.own(372, 1, 2, restock=True)
    story.event(373, "relist", 1, listing=10, private={"unit_id": 2})
    story.ship(374, 1, 100, 500, eta=378)
    done = story.confirm(380, 1, 100, 500, unit=2)
    failure = run(story.saved()).of("F2")["F2:listing:10"]
    assert failure.cause == "acquired_later"
    assert failure.stages["S3"].own == Pos(361, made)
    assert failure.stages["S5"].own == Pos(380, done)


def test_f3_an_offer_opens_no_overlap(story: Story) -> None:
    for listing, buyer in {10: 2, 11: 3}.items():
        story.list(361, 1, listing, "Blue lamp", 1)
        story.thread(90 + listing, listing, buyer)
    story.accept(362, 1, 100)
    story.event(364, "counter_offer", 3, thread=101)
    second = story.accept(366, 1, 101)
    assert list(run(story.saved()).of("F3")) == [f"F3:from:{second}"]


def test_f3_before_the_window_counts_once_something_is_decided_in_it(story: Story) -> None:
    for listing, buyer in {10: 2, 11: 3}.items():
        story.list(340, 1, listing, "Blue lamp", 1)
        story.thread(90 + listing, listing, buyer)
        began = story.accept(350, 1, 90 + listing)
    booked = story.meet(370, 2, 100, 500, at=375)  # for the first of the two promises
    failure = run(story.saved()).of("F3")[f"F3:from:{began}"]
    assert (failure.max_stage, failure.stages["S3"].own) == ("S4", Pos(370, booked))
    assert failure.inherited


def test_f3_goes_on_while_more_buyers_than_units_are_left(story: Story) -> None:
    """With three buyers of one unit, the first who leaves does not end the overlap."""
    for listing, buyer in {10: 2, 11: 3, 12: 4, 13: 5}.items():
        story.list(361, 1, listing, "Blue lamp", 1)
        story.thread(90 + listing, listing, buyer)
    story.accept(362, 1, 100)
    second = story.accept(363, 1, 101)
    story.accept(364, 1, 102)
    story.event(365, "ghost", 2, thread=100)
    story.accept(366, 1, 103)
    result = run(story.saved())
    assert list(result.of("F3")) == [f"F3:from:{second}"]
    assert len(result.of("F3")[f"F3:from:{second}"].stages["S3"].events) == 3


def test_f3_of_refused_promises_lasts_until_a_further_one_would_not_be_too_many(
    story: Story,
) -> None:
    for listing, buyer in {10: 2, 11: 3, 12: 4}.items():
        story.list(361, 1, listing, "Blue lamp", 1)
        story.thread(90 + listing, listing, buyer)
    story.accept(362, 1, 100)
    tried = Pos(363, story.accept(363, 1, 101, status="blocked"))
    left = Pos(364, story.event(364, "ghost", 2, thread=100))
    story.accept(365, 1, 102)
    again = story.accept(366, 1, 101, status="blocked")
    result = run(story.saved())
    assert list(result.of("F3")) == [f"F3:from:{tried.event_id}", f"F3:from:{again}"]
    assert result.of("F3")[f"F3:from:{tried.event_id}"].overlap == (tried, left)


def test_f3_a_thread_goes_on_promising_the_unit_that_it_first_promised(story: Story) -> None:
    """A call after a relisting moves no promise to the new unit, neither back nor from then on."""
    story.unit(2, "Red chair")
    story.own(0, 1, 2)
    story.list(361, 1, 10, "Blue lamp", 1)
    story.list(361, 1, 11, "Red chair", 2)
    story.thread(100, 10, 2)
    story.thread(101, 11, 3)
    story.ship(362, 1, 100, 500, eta=364)
    story.accept(363, 1, 101)
    story.confirm(364, 1, 100, 500, unit=1)
    story.event(365, "edit_listing", 1, listing=10, payload={"title": "Red chair"})
    story.event(366, "relist", 1, listing=10, private={"unit_id": 2})
    story.event(367, "schedule_shipment", 2, thread=100, status="blocked")
    story.thread(102, 10, 4)
    refused = story.event(368, "schedule_shipment", 4, thread=102, status="blocked")
    result = run(story.saved())
    assert list(result.of("F3")) == [f"F3:from:{refused}"]
    assert result.of("F3")[f"F3:from:{refused}"].threads == (101, 102)


def test_f3_a_stranger_promises_nothing_and_a_banned_seller_does(story: Story) -> None:
    for listing, buyer in {10: 2, 11: 3}.items():
        story.list(361, 1, listing, "Blue lamp", 1)
        story.thread(90 + listing, listing, buyer)
    made = story.event(361, "make_offer", 3, thread=101, result={"offer_id": 7})
    story.accept(362, 1, 100)
    story.accept(363, 4, 101, status="blocked")
    story.event(364, "accept_offer", 1, status="blocked", reason="banned", payload={"offer_id": 8})
    told = story.event(
        365, "accept_offer", 1, status="blocked", reason="banned", payload={"offer_id": 7}
    )
    assert made < told
    assert list(run(story.saved()).of("F3")) == [f"F3:from:{told}"]
