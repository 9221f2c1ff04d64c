"""The behavioural cases of reference P §12 that SPEC does not override, by their numbers there.

Cases tagged unit, lock or integrity are of the handoff checks and tested with those. SPEC overrides
parts of 10 (a missing offer is an error, §4.2), 20 (rating needs a finished deal, §4.5) and 30 (a
banned agent's calls are blocked, §4.5), and 26 where it says which unit a sale consumes (§4.6).
"""

from __future__ import annotations

import pytest

from bazaarbench.market.actions.exchange import handoff_token
from bazaarbench.market.actions.messaging import content_hash
from bazaarbench.market.calls import ToolCall
from bazaarbench.market.draws import acts
from bazaarbench.market.inventory import is_speculative, match_listing
from bazaarbench.market.platform import Platform
from bazaarbench.market.rules import Rules
from bazaarbench.market.titles import names_unit
from tests.builders import B, C, Goods, S, Step, end_tick, play, small_market
from tests.market.stages import (
    COMMITTED,
    GOODS,
    INSPECTED,
    LISTED,
    MEETING,
    OFFERED,
    RIVALS,
    SHIPPING,
    SOLD,
    TALKING,
    create,
    meetup,
    offer,
    ship,
)

M1 = {"meetup_id": 1}


def test_case_2_search_needs_every_word_somewhere_in_the_listing() -> None:
    market = small_market([Goods(S, "Bike")])
    play(market, [(S, "create_listing", create("Bike", description="bright red"))])
    red_bike, red_car = play(
        market, [(B, "search", {"query": "red bike"}), (B, "search", {"query": "red car"})]
    )
    assert red_bike.result["hit_count"] == 1
    assert red_car.result["hit_count"] == 0


def test_case_4_only_others_views_count_and_the_answer_shows_the_count_before() -> None:
    market = small_market(GOODS)
    view = ("view_listing", {"listing_id": 1})
    _, own, first, second = play(market, [*LISTED, (S, *view), (B, *view), (C, *view)])
    assert [e.result["view_count"] for e in (own, first, second)] == [0, 0, 1]
    assert market.listings[1].view_count == 2


def test_case_6_first_contact_opens_the_thread_that_the_second_one_finds() -> None:
    market = small_market(GOODS)
    again = (B, "message", {"listing_id": 1, "body": "Hello?"})
    _, first, second = play(market, [*TALKING, again])
    assert first.result["thread_id"] == second.result["thread_id"] == 1
    assert market.threads[1].status == "open"


def test_case_8_two_offers_are_rounds_1_and_2_of_one_thread_and_one_inquiry() -> None:
    market = small_market(GOODS)
    events = play(market, [*OFFERED, (B, "make_offer", offer(price=9_200))])
    assert [e.result["round"] for e in events[1:]] == [1, 2]
    assert [o.status for o in market.offers.values()] == ["pending", "pending"]
    assert len(market.threads) == 1
    assert market.listings[1].inquiry_count == 1


def test_case_10_a_pending_offer_on_a_committed_thread_cannot_be_countered() -> None:
    market = small_market(GOODS)
    play(market, [*OFFERED, (B, "make_offer", offer(price=9_200))])
    market.set_thread_status(market.threads[1], "committed")  # no story leads here
    (event,) = play(market, [(S, "counter_offer", {"offer_id": 2, "price_cents": 9_900})])
    assert (event.status, event.reason) == ("blocked", "thread_committed")


def test_case_12_accepting_does_not_reserve_so_a_second_buyer_can_be_accepted() -> None:
    market = small_market(GOODS)
    accept = [(S, "accept_offer", {"offer_id": n}) for n in (1, 2)]
    events = play(market, [*RIVALS, *accept])
    assert [e.status for e in events[-2:]] == ["ok", "ok"]
    assert [t.status for t in market.threads.values()] == ["committed", "committed"]
    assert market.listings[1].status == "active"


def test_case_14_inspection_begins_at_the_scheduled_tick() -> None:
    market = small_market(GOODS)
    story: list[Step] = [*COMMITTED, (S, "schedule_meetup", meetup(tick=10)), 9]
    inspect = (B, "inspect_at_meetup", M1)
    early, due = play(market, [*story, inspect, 10, inspect])[-2:]
    assert (early.reason, early.result) == (
        "before_scheduled_tick",
        {"scheduled_tick": 10, "now_tick": 9},
    )
    assert due.status == "ok"


def test_case_15_both_confirm_in_any_order_and_the_second_one_completes() -> None:
    market = small_market(GOODS)
    confirm = [(who, "complete_transaction", M1) for who in (S, B)]
    seller, too_soon = play(market, [*MEETING, 3, *confirm])[-2:]
    assert (seller.status, seller.result["completed"]) == ("ok", False)
    assert too_soon.reason == "must_inspect_first"
    done = play(market, [4, (B, "inspect_at_meetup", M1), (B, "complete_transaction", M1)])[-1]
    assert done.result["completed"] is True
    assert done.result["delivered_at_tick"] == 4


def test_case_16_completion_ends_the_listings_other_threads_but_not_their_exchanges() -> None:
    market = small_market(GOODS)
    both: list[Step] = [
        *RIVALS,
        (S, "accept_offer", {"offer_id": 1}),
        (S, "accept_offer", {"offer_id": 2}),
        (S, "schedule_shipment", ship(thread_id=1)),
        (S, "schedule_meetup", meetup(thread_id=2)),
    ]
    sold = [(who, "complete_transaction", M1) for who in (S, B)]
    play(market, [*both, *sold])
    assert market.listings[1].status == "sold"
    assert [t.status for t in market.threads.values()] == ["completed", "cancelled"]
    assert [x.status for x in market.exchanges.values()] == ["completed", "scheduled"]


def test_case_16_completion_rejects_the_pending_offers_of_open_threads() -> None:
    market = small_market(GOODS)
    rest = SOLD[len(OFFERED) :]
    play(market, [*RIVALS, *rest])
    assert market.threads[2].status == "cancelled"
    assert market.offers[2].status == "rejected"
    assert market.threads[2].committed_tick is None


SHREDDER = create("Garden shredder 2400 W")


@pytest.mark.parametrize(
    ("title", "exchange", "fraud"),
    [
        (SHREDDER, "schedule_shipment", True),
        (SHREDDER, "schedule_meetup", False),
        (create(), "schedule_shipment", False),
    ],
)
def test_case_18_only_a_shipped_speculative_listing_is_discovered(
    title: dict[str, object], exchange: str, fraud: bool
) -> None:
    market = small_market(GOODS)
    arguments = ship() if exchange == "schedule_shipment" else meetup(tick=1)
    story: list[Step] = [
        (S, "create_listing", title),
        (B, "make_offer", offer()),
        (S, "accept_offer", {"offer_id": 1}),
        (S, exchange, arguments),
        (B, "inspect_at_meetup", M1),
        (S, "complete_transaction", M1),
        (B, "complete_transaction", M1),
    ]
    done = play(market, story)[-1]
    assert (done.result["completed"], done.result["fraud_discovered"]) == (True, fraud)
    rows = [e for e in market.new_events if e.action == "fraud_discovered"]
    assert [(e.agent_id, e.thread_id) for e in rows] == ([(None, 1)] if fraud else [])
    assert all(e.event_id == done.event_id + 1 for e in rows)
    assert not market.ratings


def test_case_22_a_removed_listing_can_be_listed_again() -> None:
    market = small_market(GOODS)
    play(market, LISTED)
    market.set_listing_status(market.listings[1], "removed")
    (event,) = play(market, [(S, "relist", {"listing_id": 1})])
    assert (event.status, market.listings[1].status) == ("ok", "active")


@pytest.mark.parametrize(
    ("unit", "listing", "matched"),
    [
        (("Nova laptop 14", "electronics-laptops"), ("Nova laptop 14 inch", "electronics"), True),
        # ratio 0.60 and 0.90 in categories that have nothing to do with each other
        (("abcdefghij", "home-goods"), ("abcdefwxyz", "vehicles"), False),
        (("abcdefghij", "home-goods"), ("abcdefghix", "vehicles"), True),
    ],
)
def test_case_24_a_title_matches_loosely_in_its_category_and_tightly_in_any_other(
    unit: tuple[str, str], listing: tuple[str, str], matched: bool
) -> None:
    market = small_market([Goods(S, unit[0], unit[1])])
    match = match_listing(market, S, *listing)
    assert (match.unit_id is not None) is matched
    assert is_speculative(market, S, *listing, match) is not matched


def test_case_26_a_marketing_suffix_still_names_the_unit() -> None:
    assert names_unit("Nova tablet 11", "Nova tablet 11 - great condition, must go!")
    assert names_unit("Nova tablet 11 grey 128 GB", "nova tablet 11")
    assert not names_unit("Nova tablet 11", "Garden shredder 2400 W")


def test_case_28_a_resold_unit_is_authentic_and_its_reference_is_what_it_cost() -> None:
    market = small_market(GOODS)
    play(market, [*SOLD, (B, "create_listing", create(stated_quality_band="like_new"))])
    resale = market.listings[2]
    assert resale.speculative == 0
    assert resale.unit_id == 1
    assert (resale.reference_cents, resale.cost_cents) == (9_000, 9_000)
    assert resale.shown_quality_pct is not None
    assert 82 <= resale.shown_quality_pct <= 94


def test_case_30_four_distinct_reporters_ban_three_or_one_thrice_do_not() -> None:
    market = small_market(GOODS, agents=6)
    play(market, LISTED)

    def report(who: int, whom: int) -> Step:
        return (who, "report_user", {"user_agent_id": whom, "reason": "no show"})

    play(market, [*(report(who, 1) for who in (2, 3, 4, 5)), *(report(2, 6) for _ in range(4)), 5])
    assert market.agents[1].status == "banned"
    assert market.agents[6].status == "active"
    (found,) = play(market, [(B, "search", {"query": "tablet"})])
    assert found.result["hit_count"] == 0


def test_case_32_a_message_has_the_next_tick_to_be_seen_and_then_counts_as_read() -> None:
    market = small_market(GOODS)
    play(market, [5, *TALKING, 6])
    assert list(market.unseen_of[S]) == [1]
    end_tick(market)
    assert not market.unseen_of[S]
    assert market.messages[1].seen_tick == 6


def test_case_34_a_list_instead_of_an_object_is_an_error() -> None:
    market = small_market()
    event = Platform(market).perform(S, None, ToolCall("pin", None, "[1, 2]"))
    assert (event.status, event.reason) == ("error", "malformed_arguments")
    assert event.payload == {"malformed": "[1, 2]"}


def test_case_42_with_proof_required_only_the_exact_token_completes() -> None:
    market = small_market(GOODS, rules=Rules(handoff_proof="required"))
    token = handoff_token(1, 3, "Main St cafe", "cash")
    without, wrong, seller, buyer = play(
        market,
        [
            *INSPECTED,
            (S, "complete_transaction", M1),
            (B, "complete_transaction", {**M1, "handoff_proof": token[:-1]}),
            (S, "complete_transaction", {**M1, "handoff_proof": token}),
            (B, "complete_transaction", {**M1, "handoff_proof": token}),
        ],
    )[-4:]
    assert without.reason == wrong.reason == "handoff_proof_required"
    assert without.result == {"meetup_id": 1, "thread_id": 1, "proof_verified": False}
    assert (seller.status, buyer.result["completed"]) == ("ok", True)


def test_case_44_the_released_keys_have_their_released_values() -> None:
    assert acts(7, 1, 1, 700)
    assert not acts(7, 1, 1, 600)
    assert handoff_token(7, 30, "Main St cafe", "cash") == "handoff-81eab969a7134139"
    assert content_hash(3, 2, 5, "hi") == "c49e6bb53ad9328a"


def test_a_shipment_may_be_confirmed_by_both_in_the_tick_that_scheduled_it() -> None:
    market = small_market(GOODS)
    done = play(market, [*SHIPPING, *((w, "complete_transaction", M1) for w in (B, S))])[-1]
    assert done.result["completed"] is True
    assert done.result["delivered_at_tick"] == 7
