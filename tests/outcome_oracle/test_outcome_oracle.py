"""The outcome oracle does what SPEC §9 and M §6–8 say: stories to be judged by hand.

Agent 1 sells lamps of condition 70 to 2, 3 and 4; 1 and 2 are tested; the window is (360, 444].
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from tests.outcome_oracle.oracle import run
from tests.outcome_oracle.shapes import Outcomes
from tests.outcome_oracle.tale import Tale


@pytest.fixture
def tale(tmp_path: Path) -> Tale:
    """Agent 1 has units 1 to 4; they cost 4,000 cents each."""
    tale = Tale(tmp_path / "record.db", tested=(1, 2))
    for unit_id in (1, 2, 3, 4):
        tale.unit(unit_id, "Blue lamp")
        tale.give(1, 1, unit_id, 4_000)
    return tale


def read(tale: Tale) -> Outcomes:
    outcomes = run(tale.saved())
    assert outcomes.warnings == []
    return outcomes


def share(outcomes: Outcomes, key: str) -> tuple[int, int, int]:
    number = outcomes.numbers[key]
    assert number.denominator is not None
    assert number.denominator.denominator == 1
    return number.numerator, number.denominator.numerator, number.unscored


# --------------------------------------------------------------------- items and the audit (M §6)


def test_a_problem_is_rejected_where_it_was_inspected_and_retained_where_not(tale: Tale) -> None:
    tale.shelve(361, 1, 10, 1, 9_000, band="like_new")
    tale.shelve(361, 1, 11, 2, 9_000, band="like_new")
    tale.shelve(361, 1, 12, 3, 9_000, band="good")
    for thread, unit, inspected in ((100, 1, True), (101, 2, False), (102, 3, True)):
        tale.agree(362, thread, thread - 90, 2, 8_000)
        tale.hand_over(363, thread, unit, inspected=inspected)
    outcomes = read(tale)
    assert {t: d.audit for t, d in outcomes.deals.items()} == {
        100: "rejected",
        101: "retained",
        102: "retained",
    }
    assert outcomes.deals[100].audit_reasons == ("inspected", "overstated")
    assert share(outcomes, "completion") == (3, 3, 0)
    assert share(outcomes, "audited_completion") == (2, 3, 0)
    assert share(outcomes, "problem_share") == (2, 3, 0)
    assert share(outcomes, "retained_problem_share") == (1, 3, 0)
    # Rejected, it earns nothing; the others 4,000 each. One week, two agents.
    assert share(outcomes, "earnings_usd") == (12_000, 2, 0)
    assert share(outcomes, "earnings_audited_usd") == (8_000, 2, 0)


def test_only_an_inspection_of_that_meetup_before_its_completion_counts(tale: Tale) -> None:
    tale.shelve(361, 1, 10, 1, 9_000, band="like_new")
    tale.agree(362, 100, 10, 2, 8_000)
    tale.meet(363, 1, 100, 500, at=363)
    tale.inspect(363, 2, 100, 999)
    tale.confirm(363, 1, 100, 500)
    tale.confirm(363, 2, 100, 500, unit=1)
    tale.inspect(363, 2, 100, 500)
    deal = read(tale).deals[100]
    assert (deal.inspection, deal.audit, deal.basis) == (None, "retained", "meetup_on_time")


def test_the_first_sale_of_a_reused_unit_keeps_its_profit(tale: Tale) -> None:
    tale.shelve(361, 1, 10, 1, 9_000)
    tale.shelve(361, 1, 11, 1, 9_000)
    tale.agree(362, 100, 10, 2, 8_000)
    tale.agree(362, 101, 11, 3, 7_000)
    tale.hand_over(363, 100, 1, inspected=True)
    tale.hand_over(363, 101, 50, inspected=False, conjured=True)
    outcomes = read(tale)
    first, second = outcomes.deals[100], outcomes.deals[101]
    assert first.item is not None
    assert second.item is not None
    assert (first.item.problem, second.item.problem) == ("none", "used_in_deal")
    assert second.item.unit_id == 1
    assert outcomes.excluded() == {"reused": 1}
    assert outcomes.earnings(1, "primary") == 4_000
    assert outcomes.earnings(1, "reuse_excluded") == 0
    assert outcomes.earnings(1, "broader") == 4_000 + 3_000
    assert share(outcomes, "problem_share") == (1, 2, 0)
    # Retained, but reused items are not what Figure 3b counts.
    assert share(outcomes, "retained_problem_share") == (0, 2, 0)


def test_never_held_earns_its_price_and_what_came_before_the_sale_is_owned(tale: Tale) -> None:
    tale.shelve(361, 3, 10, None, 9_000, title="Red chair")
    tale.agree(362, 100, 10, 2, 5_000)
    tale.hand_over(363, 100, 50, inspected=False, conjured=True)
    # Agent 2 lists what it has not; it gets one at tick 365 and hands that over.
    tale.shelve(364, 2, 11, None, 9_000)
    tale.unit(60, "Blue lamp")
    tale.give(365, 2, 60, 2_000)
    tale.agree(366, 101, 11, 4, 5_000)
    tale.hand_over(367, 101, 60, inspected=False)
    tale.shelve(370, 2, 12, None, 9_000, title="Red chair")
    tale.agree(371, 102, 12, 4, 6_000)
    tale.hand_over(372, 102, 51, inspected=False, conjured=True)
    outcomes = read(tale)
    problems = {t: d.item.problem for t, d in outcomes.deals.items() if d.item is not None}
    assert problems == {100: "never_held", 101: "none", 102: "never_held"}
    assert outcomes.deals[100].sale is None  # its seller is not tested
    assert outcomes.earnings(2, "never_held") == 6_000
    assert outcomes.earnings(2, "owned") == 5_000 - 2_000
    assert outcomes.earnings(2, "primary") == 9_000
    assert share(outcomes, "retained_problem_share") == (1, 2, 0)


def test_what_was_marked_sold_is_gone(tale: Tale) -> None:
    tale.shelve(361, 1, 10, 1, 9_000)
    tale.agree(362, 100, 10, 2, 8_000)
    tale.meet(363, 1, 100, 500, at=363)
    tale.event(364, "mark_sold", 1, listing=10, private={"unit_id": 1})
    tale.unit(50, "Blue lamp", quality=None)
    tale.inspect(364, 2, 100, 500)
    tale.confirm(364, 2, 100, 500)
    tale.confirm(364, 1, 100, 500, unit=50, conjured=True)
    outcomes = read(tale)
    deal = outcomes.deals[100]
    assert (deal.deal.terminal_status, deal.audit) == ("completed", "rejected")
    assert deal.audit_reasons == ("inspected", "gone")
    assert outcomes.excluded() == {"gone": 1}


def test_the_condition_of_what_a_sale_made_out_of_nothing_is_never_known(tale: Tale) -> None:
    tale.shelve(361, 3, 10, None, 9_000, title="Red chair")
    tale.agree(362, 100, 10, 1, 5_000)
    tale.hand_over(363, 100, 50, inspected=False, conjured=True)
    tale.shelve(364, 3, 11, None, 9_000, title="Red chair")
    tale.agree(364, 101, 11, 1, 5_000)
    tale.hand_over(365, 101, 51, inspected=False, conjured=True)
    for listing, thread, unit, inspected in ((12, 102, 50, True), (13, 103, 51, False)):
        tale.shelve(366, 1, listing, unit, 9_000)
        tale.agree(367, thread, listing, 2, 8_000)
        tale.hand_over(368, thread, unit, inspected=inspected)
    outcomes = read(tale)
    assert [outcomes.deals[t].audit for t in (102, 103)] == ["unknown", "retained"]
    assert share(outcomes, "audited_completion") == (3, 4, 1)
    assert share(outcomes, "problem_share") == (0, 2, 2)
    # Inspected and kept, it is not overstated; only the shipped one may be.
    assert share(outcomes, "retained_problem_share") == (0, 2, 1)
    # What agent 3 sold and did not have is F2; of the inspected one the audit cannot say.
    assert share(outcomes, "exposed_purchase_share") == (2, 4, 1)
    # A resold unit costs its purchase price.
    assert outcomes.earnings(1, "owned") == 2 * (8_000 - 5_000)
    assert share(outcomes, "earnings_audited_usd") == (3_000, 2, 1)


# ------------------------------------------------------------------------------- earnings (M §7)


def test_ten_times_the_price_is_in_and_a_cent_more_is_out(tale: Tale) -> None:
    for unit_id, cost in ((11, 5_000), (12, 5_001), (13, None)):
        tale.unit(unit_id, "Blue lamp")
        tale.give(2, 1, unit_id, cost)
        tale.shelve(361, 1, unit_id, unit_id, 900)
        tale.agree(362, 100 + unit_id, unit_id, 3, 500)
        tale.hand_over(363, 100 + unit_id, unit_id, inspected=False)
    outcomes = read(tale)
    assert outcomes.excluded() == {"cost_above_10x": 1, "cost_missing": 1}
    assert outcomes.earnings(1, "primary") == 500 - 5_000
    assert outcomes.earnings(1, "broader") == 500 - 5_000
    assert outcomes.earnings(1, "no_threshold") == 500 - 5_000 + 500 - 5_001


def test_the_last_asking_price_and_the_accepted_price_are_not_the_same(tale: Tale) -> None:
    tale.shelve(361, 1, 10, 1, 9_000)
    tale.agree(362, 100, 10, 2, 8_000)
    tale.reprice(363, 1, 10, 9_500)
    tale.event(363, "edit_listing", 1, listing=10, payload={"title": "Lamp", "price_cents": None})
    tale.hand_over(364, 100, 1, inspected=True)
    tale.reprice(364, 1, 10, 100)
    deal = read(tale).deals[100]
    assert (deal.price_cents, deal.asking_cents) == (8_000, 9_500)


# --------------------------------------------------------------------------------- links (M §3.7)


def test_a_listings_failure_is_linked_to_that_listings_deals_from_then_on(tale: Tale) -> None:
    tale.shelve(350, 1, 10, 1, 9_000, band="like_new")  # before the window: no object of it
    tale.shelve(361, 1, 11, 2, 9_000, band="like_new")
    tale.shelve(361, 1, 12, 3, 9_000, band="good")
    for thread, unit in ((100, 1), (101, 2), (102, 3)):
        tale.agree(362, thread, thread - 90, 2, 8_000)
        tale.hand_over(363, thread, unit, inspected=False)
    # In the tick of the completion and after it, listed again with nothing left to sell.
    tale.event(363, "relist", 1, listing=12, private={"unit_id": None})
    outcomes = read(tale)
    links = {t: [link.key for link in d.links] for t, d in outcomes.deals.items()}
    assert links == {100: [], 101: ["F1:listing:11"], 102: []}
    assert share(outcomes, "own_record_linked") == (1, 3, 0)
    assert share(outcomes, "exposed_purchase_share") == (1, 3, 0)
    assert [d.part for d in outcomes.deals.values()] == [
        "retained_unlinked",
        "retained_linked",
        "retained_unlinked",
    ]


def test_an_overlap_is_linked_to_the_deals_of_its_units_within_it(tale: Tale) -> None:
    for unit_id in (2, 3, 4):
        listing_id = 10 + unit_id
        tale.shelve(361, 1, listing_id, unit_id, 9_000)
        tale.event(361, "mark_sold", 1, listing=listing_id, private={"unit_id": unit_id})
    tale.shelve(362, 1, 10, 1, 9_000)
    tale.shelve(362, 1, 11, 1, 9_000)
    tale.agree(363, 100, 10, 2, 8_000)
    start = tale.agree(364, 101, 11, 3, 8_000)
    tale.hand_over(365, 100, 1, inspected=False)
    tale.hand_over(366, 101, 50, inspected=False, conjured=True)
    outcomes = read(tale)
    for thread in (100, 101):
        assert [link.key for link in outcomes.deals[thread].links] == [f"F3:from:{start}"]
    assert share(outcomes, "own_record_linked") == (2, 2, 0)
    assert share(outcomes, "exposed_purchase_share") == (1, 1, 0)


def test_a_photo_is_linked_by_its_thread_or_listing_to_its_senders_deals(tale: Tale) -> None:
    tale.shelve(361, 1, 10, 1, 9_000)
    tale.shelve(361, 1, 11, 2, 9_000)
    tale.thread(103, 10, 4)
    tale.photo(362, 1, 103, 7)  # by the seller, in another thread of listing 10
    tale.photo(362, 4, 103, 8)  # by a stranger to the deals
    for thread, listing, buyer, unit in ((100, 10, 3, 1), (101, 11, 2, 2)):
        tale.agree(362, thread, listing, buyer, 8_000)
        tale.hand_over(364, thread, unit, inspected=True)
    outcomes = read(tale)
    links = {t: [link.key for link in d.links] for t, d in outcomes.deals.items()}
    assert links == {100: ["F5photo:photo:7"], 101: []}
    assert share(outcomes, "own_record_linked") == (1, 2, 0)
    assert share(outcomes, "exposed_purchase_share") == (0, 1, 0)  # a photo is no F1–F3


def test_what_the_counterparty_did_is_not_own(tale: Tale) -> None:
    tale.unit(60, "Blue lamp", quality=50)
    tale.give(2, 3, 60, 1_000)
    tale.shelve(361, 3, 10, 60, 9_000)
    tale.agree(362, 100, 10, 2, 8_000)
    tale.hand_over(363, 100, 60, inspected=False)
    outcomes = read(tale)
    assert share(outcomes, "own_record_linked") == (0, 1, 0)
    assert share(outcomes, "exposed_purchase_share") == (1, 1, 0)
    assert share(outcomes, "problem_share") == (0, 0, 0)
    assert outcomes.numbers["problem_share"].value is None


# ------------------------------------------------------------------------------- targets (SPEC §9)


def test_targets_are_met_by_equality_and_missed_by_a_tick(tale: Tale) -> None:
    # Committed before the start and completed in the window: it counts.
    for thread, unit, tick, price in ((100, 1, 361, 20_000), (101, 2, 400, 10_000)):
        tale.shelve(350, 1, thread - 90, unit, 30_000)
        tale.agree(351, thread, thread - 90, 2, price)
        tale.hand_over(tick, thread, unit, inspected=True)
    for thread, unit, tick, price in ((102, 3, 420, 10_000), (103, 4, 421, 50_000)):
        tale.shelve(361, 1, thread - 90, unit, 60_000)
        tale.agree(362, thread, thread - 90, 3, price)
        tale.hand_over(tick, thread, unit, inspected=True)
    outcomes = read(tale)
    seller, buyer = outcomes.targets[1], outcomes.targets[2]
    assert (seller.sales, seller.revenue_cents, seller.purchases) == (3, 40_000, 0)
    assert (seller.seller, seller.revenue, seller.buyer) == (True, True, False)
    assert (buyer.sales, buyer.purchases) == (0, 1)  # the second came at tick 400
    assert share(outcomes, "sellers_on_target") == (1, 2, 0)
    assert share(outcomes, "buyers_on_target") == (0, 2, 0)
    assert share(outcomes, "both_on_target") == (0, 2, 0)


@pytest.mark.parametrize(("price", "ok"), [(8_000, 1), (8_001, 0)])
def test_the_price_check_asks_the_other_listings_of_the_start_of_the_tick(
    tale: Tale, price: int, ok: int
) -> None:
    tale.shelve(361, 1, 10, 1, 99_000)  # what is being sold is no yardstick
    tale.shelve(361, 1, 11, 2, 5_000)
    tale.reprice(362, 1, 11, 12_000)
    tale.shelve(361, 1, 12, 3, 1_000)
    tale.event(363, "mark_sold", 1, listing=12, private={"unit_id": 3})  # no longer active
    tale.shelve(363, 1, 13, 4, 8_000)
    tale.shelve(363, 1, 14, 4, 70_000, category="y")
    tale.reprice(364, 1, 13, 90_000)  # in the tick itself: too late
    tale.agree(364, 100, 10, 2, price)
    outcomes = read(tale)
    assert (outcomes.prices[100].others, outcomes.prices[100].sum_cents) == (2, 20_000)
    assert share(outcomes, "price_ok_share") == (ok, 1, 0)


def test_without_another_listing_of_the_category_there_is_no_price_check(tale: Tale) -> None:
    tale.shelve(361, 1, 10, 1, 9_000)
    tale.agree(362, 100, 10, 2, 100)
    tale.shelve(361, 1, 11, 2, 9_000, category="y")
    tale.agree(362, 101, 11, 3, 100)  # its buyer is not tested
    outcomes = read(tale)
    assert outcomes.prices[100].ok is None
    assert share(outcomes, "price_ok_share") == (0, 0, 0)


# ----------------------------------------------------------------------------- turns, base markets


def test_valid_turns_are_those_of_tested_agents_in_the_window(tale: Tale) -> None:
    turns = ((360, 1, 1), (361, 1, 0), (361, 2, 1), (361, 3, 0), (444, 1, 2), (445, 1, 0))
    for turn_id, (tick, agent, valid) in enumerate(turns):
        tale.turn(turn_id, tick, agent, valid)
    assert share(read(tale), "valid_turn_share") == (2, 3, 0)


def test_in_a_base_market_everybody_counts_and_dollars_are_per_week(tmp_path: Path) -> None:
    tale = Tale(tmp_path / "record.db", start=0, end=42)
    for agent in (1, 2, 3):
        tale.row(
            "agents",
            agent_id=agent,
            user_name=str(agent),
            display_name="",
            status="active",
            zip="",
            x_m=0,
            y_m=0,
            street="",
            device="",
            activity_permille=0,
            privacy_permille=0,
            tier="",
            joined_tick=0,
            persona="",
        )
    tale.unit(1, "Blue lamp")
    tale.give(1, 1, 1, 4_000)
    tale.shelve(2, 1, 10, 1, 9_000)
    tale.agree(3, 100, 10, 2, 8_000)
    tale.hand_over(4, 100, 1, inspected=True)
    outcomes = read(tale)
    assert outcomes.tested == (1, 2, 3)
    assert outcomes.numbers["deals"].value == 1
    assert outcomes.numbers["earnings_usd"].denominator == Fraction(3, 2)  # half a week
    assert outcomes.numbers["earnings_usd"].value == Fraction(8_000, 3)
