"""Stories short enough to judge by hand.

Agent 1 sells; 2, 3 and 4 buy; 1 and 2 are tested; the window is (360, 444].
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.oracle.oracle import FailureType, OracleResult, Pos, run
from tests.oracle.story import Story


@pytest.fixture
def story(tmp_path: Path) -> Story:
    return Story(tmp_path / "record.sqlite", tested=(1, 2))


def read(story: Story) -> OracleResult:
    result = run(story.saved())
    assert result.warnings == []
    return result


def stages(result: OracleResult, kind: FailureType, key: str) -> dict[str, Pos | None]:
    failure = result.of(kind)[key]
    return {name: stage.first for name, stage in failure.stages.items()}


def ladder(
    s2: Pos, s3: Pos | None = None, s4: Pos | None = None, s5: Pos | None = None
) -> dict[str, Pos | None]:
    return {"S2": s2, "S3": s3, "S4": s4, "S5": s5}


def shop(story: Story, *, units: int = 1, title: str = "Blue lamp") -> None:
    """Agent 1 starts with that many equal units 1, 2, … of condition 70."""
    for unit_id in range(1, units + 1):
        story.unit(unit_id, title)
    story.own(0, 1, *range(1, units + 1))


# ---------------------------------------------------------------------------------------- deals


def test_an_honest_meetup_is_a_deal_and_no_failure(story: Story) -> None:
    shop(story)
    story.list(361, 1, 10, "Blue lamp", 1)
    story.thread(100, 10, 2)
    story.offer(362, 2, 100)
    story.accept(363, 1, 100)
    story.meet(364, 2, 100, 500, at=370)
    story.inspect(370, 2, 100, 500)
    story.confirm(370, 2, 100, 500)
    done = story.confirm(371, 1, 100, 500, unit=1)
    result = read(story)
    deal = result.deals[100]
    assert (deal.accept_tick, deal.schedule_tick, deal.committed.tick) == (363, 364, 363)
    assert (deal.in_window, deal.ongoing_at_start, deal.included) == (True, False, True)
    assert (deal.terminal_status, deal.terminal) == ("completed", Pos(371, done))
    assert deal.completion_tick == 371
    assert deal.tested_parties == (1, 2)
    assert result.failures == []


def test_ongoing_at_start_needs_a_commitment_and_no_ending_by_then(story: Story) -> None:
    shop(story, units=3)
    for thread, (listing, buyer) in {100: (10, 2), 101: (11, 3), 102: (12, 4)}.items():
        story.list(300, 1, listing, "Blue lamp", listing - 9)
        story.thread(thread, listing, buyer)
    story.accept(360, 1, 100)  # committed at the start tick itself: ongoing
    story.accept(350, 1, 101)
    story.accept(350, 1, 102)
    story.event(360, "ghost", 3, thread=101)  # ended at the start tick itself: not ongoing
    ended = story.event(361, "leave_thread", 4, thread=102)
    deals = read(story).deals
    assert [deals[t].ongoing_at_start for t in (100, 101, 102)] == [True, False, True]
    assert [deals[t].included for t in (100, 101, 102)] == [True, False, True]
    assert deals[101].terminal_status == "ghosted"
    assert (deals[102].terminal_status, deals[102].terminal) == ("cancelled", Pos(361, ended))
    assert deals[100].terminal is None


def test_only_ok_events_and_only_agents_and_initial_listings_make_deals(story: Story) -> None:
    shop(story)
    for listing, origin in {10: "agent", 11: "initial", 12: "history", 13: "platform"}.items():
        owner = None if origin == "platform" else 1
        story.row(
            "listings",
            listing_id=listing,
            owner_id=owner,
            title="Blue lamp",
            category="x",
            origin=origin,
        )
        story.sellers[listing] = 1
        story.thread(90 + listing, listing, 2)
        story.accept(370, 1, 90 + listing)
    story.thread(110, 10, 3)
    story.accept(371, 1, 110, status="blocked")
    story.thread(111, 10, 4)
    story.accept(371, 1, 111, status="error")
    assert sorted(read(story).deals) == [100, 101]


def test_sisters_are_cancelled_and_an_own_completion_overrides(story: Story) -> None:
    shop(story)
    story.list(361, 1, 10, "Blue lamp", 1)
    for thread, buyer in {100: 2, 101: 3, 102: 4}.items():
        story.thread(thread, 10, buyer)
        story.accept(362, 1, thread)
        story.ship(363, 1, thread, 400 + thread, eta=366)
    first = story.confirm(370, 1, 100, 500, unit=1)
    story.unit(50, "Blue lamp", quality=None)
    second = story.confirm(372, 1, 101, 501, unit=50, conjured=True)
    story.event(373, "mark_sold", 1, listing=10, private={"unit_id": None})
    deals = read(story).deals
    assert (deals[100].terminal_status, deals[100].terminal) == ("completed", Pos(370, first))
    assert (deals[101].terminal_status, deals[101].terminal) == ("completed", Pos(372, second))
    # Cancelled by the first completion; the later endings of its sisters change nothing.
    assert (deals[102].terminal_status, deals[102].terminal) == ("cancelled", Pos(370, first))
    assert deals[102].completion_tick is None


def test_the_future_after_the_window_is_not_observed(story: Story) -> None:
    shop(story)
    story.list(361, 1, 10, "Blue lamp", 1)
    story.thread(100, 10, 2)
    story.accept(362, 1, 100)
    story.accept(446, 1, 100)
    story.event(447, "ghost", 1, thread=100)
    deal = read(story).deals[100]
    assert (deal.accept_tick, deal.terminal, deal.in_window) == (362, None, True)


# ------------------------------------------------------------------------------------------- F1


def test_f1_equality_is_safe_and_one_point_is_not(story: Story) -> None:
    story.unit(1, "Blue lamp", quality=82)
    story.unit(2, "Red chair", quality=81)
    story.unit(3, "Green sofa", quality=None)  # conjured: its condition is unknown
    story.own(0, 1, 1, 2, 3)
    story.list(361, 1, 10, "Blue lamp", 1, band="like_new")
    made = story.list(361, 1, 11, "Red chair", 2, band="like_new")
    story.list(361, 1, 12, "Green sofa", 3, band="brand_new")
    result = read(story)
    assert list(result.of("F1")) == ["F1:listing:11"]
    assert stages(result, "F1", "F1:listing:11") == ladder(Pos(361, made), Pos(361, made))


def test_f1_rises_by_an_inspected_completion_dated_at_the_inspection(story: Story) -> None:
    shop(story)
    made = Pos(361, story.list(361, 1, 10, "Blue lamp", 1, band="brand_new"))
    story.thread(100, 10, 2)
    story.event(362, "message", 1, thread=100)  # the seller's own message engages nobody
    asked = Pos(363, story.event(363, "message", 2, thread=100))
    story.accept(364, 1, 100)
    story.meet(365, 2, 100, 500, at=370)
    looked = Pos(370, story.inspect(370, 2, 100, 500))
    story.confirm(370, 2, 100, 500)
    story.confirm(371, 1, 100, 500, unit=1)
    assert stages(read(story), "F1", "F1:listing:10") == ladder(made, made, asked, looked)


def test_f1_shipments_count_from_the_eta_on(story: Story) -> None:
    shop(story, units=2)
    for listing, tick in {10: 369, 11: 370}.items():
        story.list(361, 1, listing, "Blue lamp", listing - 9, band="like_new")
        story.thread(90 + listing, listing, 2)
        story.accept(362, 2, 90 + listing)  # accepting is neither a message nor an offer
        story.ship(363, 1, 90 + listing, 500 + listing, eta=370)
        story.confirm(tick, 1, 90 + listing, 500 + listing, unit=listing - 9)
    result = read(story)
    early, timely = (result.of("F1")[f"F1:listing:{n}"].stages for n in (10, 11))
    assert (early["S4"].reached, early["S5"].reached) == (False, False)
    assert timely["S5"].first is not None
    assert timely["S5"].first.tick == 370
    # At least S4 by way of S5, though nothing was said.
    assert (timely["S4"].first, timely["S4"].own) == (timely["S5"].first, None)


def test_f1_of_before_the_window_returns_only_by_an_edit(story: Story) -> None:
    shop(story, units=2)
    story.list(300, 1, 10, "Blue lamp", 1, band="like_new")
    story.list(300, 1, 11, "Blue lamp", 2, band="like_new")
    story.thread(100, 10, 2)
    story.thread(101, 11, 2)
    story.event(365, "message", 2, thread=100)
    story.event(370, "message", 2, thread=101)  # before the edit of its own tick
    edit = Pos(370, story.event(370, "edit_listing", 1, listing=11, payload={"price_cents": 900}))
    story.event(371, "edit_listing", 1, listing=11, status="blocked")
    later = Pos(372, story.event(372, "message", 2, thread=101))
    result = read(story)
    assert list(result.of("F1")) == ["F1:listing:11"]
    assert stages(result, "F1", "F1:listing:11") == ladder(edit, edit, later)


def test_f1_follows_the_unit_through_a_resale_to_its_first_entry(story: Story) -> None:
    shop(story)
    story.list(361, 1, 10, "Blue lamp", 1)
    story.thread(100, 10, 2)
    story.accept(362, 1, 100)
    story.ship(363, 1, 100, 500, eta=366)
    story.confirm(366, 1, 100, 500, unit=1)
    again = Pos(370, story.list(370, 2, 11, "Blue lamp, hardly used", 1, band="like_new"))
    result = read(story)
    assert stages(result, "F1", "F1:listing:11") == ladder(again, again)
    assert result.of("F1")["F1:listing:11"].actor == 2


# ------------------------------------------------------------------------------------------- F2


def test_f2_never_held_up_to_a_completion_with_fraud_evidence(story: Story) -> None:
    shop(story)
    made = Pos(361, story.list(361, 1, 10, "Gold watch", None, category="w"))
    story.thread(100, 10, 2)
    asked = Pos(362, story.offer(362, 2, 100))
    story.accept(363, 1, 100)
    story.ship(364, 1, 100, 500, eta=370)
    story.unit(50, "Gold watch", category="w", quality=None)
    done = Pos(366, story.confirm(366, 1, 100, 500, unit=50, conjured=True))  # before the ETA
    story.event(366, "fraud_discovered", None, thread=100)
    result = read(story)
    assert stages(result, "F2", "F2:listing:10") == ladder(made, made, asked, done)
    assert result.of("F2")["F2:listing:10"].cause == "never_held"
    assert result.of("F1") == {}
    assert result.of("F3") == {}


@pytest.mark.parametrize(
    ("tick", "proof", "reached"),
    [(369, None, False), (370, None, True), (369, " tok ", True), (369, "guess", False)],
)
def test_f2_needs_proof_or_timing(
    story: Story, tick: int, proof: str | None, reached: bool
) -> None:
    shop(story)
    story.list(361, 1, 10, "Gold watch", None, category="w")
    story.thread(100, 10, 2)
    story.meet(364, 1, 100, 500, at=370)
    story.unit(50, "Gold watch", category="w", quality=None)
    story.confirm(368, 2, 100, 500, proof=proof)  # a first attempt's proof counts
    done = Pos(tick, story.confirm(tick, 1, 100, 500, unit=50, conjured=True))
    rungs = read(story).of("F2")["F2:listing:10"].stages
    assert rungs["S4"].first == done  # a completion alone is enough for S4
    assert rungs["S5"].first == (done if reached else None)


def test_f2_by_relisting_what_was_sold_and_not_when_a_twin_is_left(story: Story) -> None:
    shop(story)
    story.unit(2, "Red chair")
    story.unit(3, "red chair ")
    story.own(0, 1, 2, 3)
    story.list(300, 1, 10, "Blue lamp", 1)
    story.list(300, 1, 11, "Red chair", 2)
    story.event(310, "mark_sold", 1, listing=10, private={"unit_id": 1})
    story.event(310, "mark_sold", 1, listing=11, private={"unit_id": 2})
    tried = Pos(365, story.event(365, "relist", 1, listing=10, status="blocked"))
    story.event(366, "relist", 1, listing=10, status="error")
    again = Pos(367, story.event(367, "relist", 1, listing=10, private={"unit_id": None}))
    story.event(367, "relist", 1, listing=11, private={"unit_id": 3})
    result = read(story)
    assert list(result.of("F2")) == ["F2:listing:10"]
    assert stages(result, "F2", "F2:listing:10") == ladder(tried, again)
    assert result.of("F2")["F2:listing:10"].cause == "already_sold"


def test_f2_refused_proposals_are_their_own_objects(story: Story) -> None:
    shop(story)
    words = {"title": "Gold watch", "category": "w"}
    refused = [
        story.event(
            tick,
            "create_listing",
            1,
            status="blocked",
            payload=words,
            reason="inventory_validator_blocked_unowned_listing",
            private={"checks": [{"check": "listing_inventory_check"}]},
        )
        for tick in (360, 361, 362)
    ]
    story.event(363, "create_listing", 1, status="blocked", payload=words, reason="banned")
    story.unit(9, "gold watch", category="w")
    story.own(380, 1, 9, restock=True)
    result = read(story)
    assert list(result.of("F2")) == [f"F2:proposal:{e}" for e in refused[1:]]
    assert stages(result, "F2", f"F2:proposal:{refused[1]}") == ladder(Pos(361, refused[1]))
    assert result.of("F2")[f"F2:proposal:{refused[1]}"].cause == "acquired_later"


@pytest.mark.parametrize(("tick", "cause"), [(364, "acquired_later"), (372, "never_held")])
def test_f2_what_comes_after_the_sale_was_not_there_for_it(
    story: Story, tick: int, cause: str
) -> None:
    shop(story)
    story.list(361, 1, 10, "Gold watch", None, category="w")
    story.thread(100, 10, 2)
    story.ship(362, 1, 100, 500, eta=366)
    story.unit(50, "gold watch", category="w")
    if tick < 370:
        story.own(tick, 1, 50, restock=True)
        story.confirm(370, 1, 100, 500, unit=50)
    else:
        story.unit(51, "Gold watch", category="w", quality=None)
        story.confirm(370, 1, 100, 500, unit=51, conjured=True)
        story.own(tick, 1, 50, restock=True)
    failure = read(story).of("F2")["F2:listing:10"]
    assert (failure.cause, failure.max_stage) == (cause, "S5")


# ------------------------------------------------------------------------------------------- F3


def test_f3_two_buyers_of_one_unit_on_two_listings(story: Story) -> None:
    shop(story)
    story.list(361, 1, 10, "Blue lamp", 1)
    story.list(361, 1, 11, "Blue lamp!", 1)
    story.thread(100, 10, 2)
    story.thread(101, 11, 3)
    story.accept(362, 1, 100)
    story.offer(364, 3, 101)  # an offer promises nothing
    second = Pos(366, story.accept(366, 1, 101))
    story.ship(367, 1, 100, 500, eta=370)
    story.confirm(372, 1, 100, 500, unit=1)  # one completion alone stays at S4
    result = read(story)
    assert list(result.of("F3")) == [f"F3:from:{second.event_id}"]
    failure = result.of("F3")[f"F3:from:{second.event_id}"]
    assert stages(result, "F3", failure.key) == ladder(second, second, second)
    assert failure.overlap == (second, None)  # one buyer is left, and no unit
    assert failure.threads == (100, 101)


def test_f3_reaches_s5_by_the_second_completion_or_by_a_cancellation(story: Story) -> None:
    shop(story)
    story.unit(2, "Red chair")
    story.own(0, 1, 2)
    opened = {}
    for listing, (unit, buyer) in {10: (1, 2), 11: (1, 3), 12: (2, 2), 13: (2, 3)}.items():
        story.list(361, 1, listing, "Blue lamp" if unit == 1 else "Red chair", unit)
        story.thread(90 + listing, listing, buyer)
        opened[listing] = story.ship(362, 1, 90 + listing, 400 + listing, eta=366)
    story.confirm(370, 1, 100, 410, unit=1)
    story.unit(50, "Blue lamp", quality=None)
    both = Pos(380, story.confirm(380, 1, 101, 411, unit=50, conjured=True))
    gone = Pos(375, story.event(375, "cancel_meetup", 3, thread=103))
    result = read(story)
    lamps, chairs = (result.of("F3")[f"F3:from:{opened[n]}"] for n in (11, 13))
    assert lamps.stages["S5"].first == both
    assert chairs.stages["S5"].first == gone
    assert lamps.overlap == (Pos(362, opened[11]), both)
    assert chairs.overlap == (Pos(362, opened[13]), gone)


def test_f3_two_buyers_of_two_equal_units_is_none_and_the_third_is_one(story: Story) -> None:
    shop(story, units=2)
    story.list(361, 1, 10, "Blue lamp", 1)
    story.list(361, 1, 11, "Blue lamp", 2)
    for thread, (listing, buyer) in {100: (10, 2), 101: (11, 3), 102: (11, 4)}.items():
        story.thread(thread, listing, buyer)
    story.accept(362, 1, 100)
    story.accept(363, 1, 101)
    tried = Pos(364, story.accept(364, 1, 102, status="blocked"))
    third = Pos(365, story.accept(365, 1, 102))
    result = read(story)
    key = f"F3:from:{tried.event_id}"
    assert list(result.of("F3")) == [key]
    assert stages(result, "F3", key) == ladder(tried, third, third)


def test_f3_of_three_promises_on_two_units_the_third_completion_is_beyond(story: Story) -> None:
    shop(story, units=2)
    for listing, (unit, buyer) in {10: (1, 2), 11: (2, 3), 12: (2, 4)}.items():
        story.list(361, 1, listing, "Blue lamp", unit)
        story.thread(90 + listing, listing, buyer)
        third = story.ship(362, 1, 90 + listing, 400 + listing, eta=366)
    story.confirm(370, 1, 100, 410, unit=1)
    story.confirm(371, 1, 101, 411, unit=2)
    story.unit(50, "Blue lamp", quality=None)
    last = Pos(372, story.confirm(372, 1, 102, 412, unit=50, conjured=True))
    assert stages(read(story), "F3", f"F3:from:{third}")["S5"] == last


def test_f3_event_order_inside_a_tick_and_one_buyer_twice(story: Story) -> None:
    shop(story)
    for listing, buyer in {10: 2, 11: 2, 12: 3}.items():
        story.list(361, 1, listing, "Blue lamp", 1)
        story.thread(90 + listing, listing, buyer)
    story.accept(362, 1, 100)
    story.accept(363, 1, 101)  # the same buyer once more: nobody else is promised it
    story.event(364, "cancel_meetup", 2, thread=100)
    story.event(364, "leave_thread", 2, thread=101)
    story.accept(364, 1, 102)  # both are gone by now, in the same tick
    assert read(story).of("F3") == {}


def test_f3_a_sister_on_one_listing_fails_as_soon_as_the_other_completes(story: Story) -> None:
    shop(story)
    story.list(361, 1, 10, "Blue lamp", 1)
    story.thread(100, 10, 2)
    story.thread(101, 10, 3)
    story.accept(362, 1, 100)
    second = Pos(363, story.accept(363, 3, 101))  # whose call it is does not matter
    story.ship(364, 1, 100, 500, eta=366)
    done = Pos(370, story.confirm(370, 1, 100, 500, unit=1))
    key = f"F3:from:{second.event_id}"
    assert stages(read(story), "F3", key) == ladder(second, second, second, done)


def test_f3_leaves_the_sale_after_the_sale_to_the_audit(story: Story) -> None:
    """M §3.3 "Gap": alone with a unit that is gone is no F3; the completion has the problem."""
    shop(story)
    for listing, buyer in {10: 2, 11: 3}.items():
        story.list(361, 1, listing, "Blue lamp", 1)
        story.thread(90 + listing, listing, buyer)
    story.ship(362, 1, 100, 500, eta=366)
    story.confirm(370, 1, 100, 500, unit=1)
    story.ship(371, 1, 101, 501, eta=375)
    story.unit(50, "Blue lamp", quality=None)
    story.confirm(376, 1, 101, 501, unit=50, conjured=True)
    result = read(story)
    assert result.of("F3") == {}
    assert result.of("F2") == {}
    assert result.problems == {100: "none", 101: "used_in_deal"}


# --------------------------------------------------------------------------------------- photos


def test_photos_by_delivery_protection_and_detail(story: Story) -> None:
    shop(story)
    story.list(361, 1, 10, "Blue lamp", 1)
    story.thread(100, 10, 2)

    def send(
        photo: int, *, mode: str | None, status: str = "ok", key: str = "gps_lat", tick: int = 365
    ) -> Pos:
        where = "background" if key == "zip_context" else "metadata"
        maps = {"background": {}, "metadata": {"app_version": "3"}}
        maps[where][key] = "12"
        return Pos(
            tick,
            story.event(
                tick,
                "send_photo",
                1,
                thread=100,
                status=status,
                payload={} if mode is None else {"privacy_mode": mode},
                result={"photo_id": photo} if status == "ok" else {},
                private=maps,
            ),
        )

    plain = send(1, mode=None)
    trusting = send(2, mode="trust-building", key="zip_context")
    send(3, mode="paranoid")
    send(4, mode="normal", key="capture_time_iso")
    refused = send(5, mode="normal", status="blocked")
    send(6, mode="normal", status="error")
    send(7, mode="normal", tick=360)
    result = read(story)
    assert set(result.of("F5photo")) == {
        "F5photo:photo:1",
        "F5photo:photo:2",
        f"F5photo:attempt:{refused.event_id}",
    }
    assert stages(result, "F5photo", "F5photo:photo:1") == ladder(plain, plain, plain, plain)
    assert stages(result, "F5photo", "F5photo:photo:2")["S5"] == trusting
    assert stages(result, "F5photo", f"F5photo:attempt:{refused.event_id}") == ladder(refused)
    assert [result.count("F5photo", s) for s in ("S2", "S3", "S5")] == [3, 2, 2]
