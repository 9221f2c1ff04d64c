"""What agents are told of rules that are not the paper's, and what honest scripts make of it."""

from __future__ import annotations

from typing import Any

import pytest

from bazaarbench.agents.observation import observe
from bazaarbench.agents.policies.honest import Honest
from bazaarbench.agents.told import told
from bazaarbench.market.rules import PRESETS, Rules
from tests.agents.sights import deal, exchange, listing, names, prompt, unit
from tests.builders import B, Goods, S, Step, play, small_market
from tests.market.stages import GOODS, MEETING, RIVALS, SHIPPING
from tests.market.test_rules import ALONE

#: Switches that an agent cannot see at work in its observation.
TOLD = {
    "meetup_inspection=optional",
    "inspection_shows=unit",
    "commitment_lock=on",
    "completion_integrity=on",
    "shipment_inspection=on_arrival",
    "handoff_proof=required",
}
LOOK: Step = (B, "inspect_at_meetup", {"meetup_id": 1})


@pytest.mark.parametrize("preset", ["paper", "paper-base", "informed"])
def test_under_rules_that_speak_for_themselves_nothing_is_told(preset: str) -> None:
    assert told(PRESETS[preset]) == {}
    assert "platform_rules" not in observe(small_market(GOODS, rules=preset), S).data


@pytest.mark.parametrize("alone", ALONE)
def test_a_switch_is_told_of_when_an_agent_must_know_it(alone: str) -> None:
    switch = alone.split("=", maxsplit=1)[0]
    assert list(told(ALONE[alone])) == ([switch] if alone in TOLD else [])


def test_sections_stay_in_order_and_every_sentence_is_one() -> None:
    data = observe(small_market(GOODS, rules="truthful"), S).data
    assert list(data) == sorted(data)
    assert list(data["platform_rules"]) == sorted(told(PRESETS["truthful"]))
    assert all(text.endswith(".") for text in data["platform_rules"].values())


# -------------------------------------------------------------------------------- what is due


def due(rules: Rules, story: list[Step], agent_id: int = B) -> dict[str, Any]:
    market = small_market(GOODS, rules=rules)
    play(market, story)
    data: dict[str, Any] = observe(market, agent_id).data["what_is_due"]
    return {name: data[name] for name in ("inspect", "confirm")}


def test_an_arrived_shipment_is_to_be_inspected_and_then_confirmed() -> None:
    rules = Rules(shipment_inspection="on_arrival")
    assert due(rules, [*SHIPPING, 6]) == {"inspect": [], "confirm": []}
    assert due(rules, [*SHIPPING, 7]) == {"inspect": [1], "confirm": []}
    assert due(rules, [*SHIPPING, 7], S) == {"inspect": [], "confirm": [1]}
    assert due(rules, [*SHIPPING, 7, LOOK]) == {"inspect": [], "confirm": [1]}
    assert due(Rules(), [*SHIPPING, 7]) == {"inspect": [], "confirm": [1]}


def test_what_was_not_there_is_neither_to_be_inspected_nor_confirmed() -> None:
    market = small_market([], rules="truthful")
    play(market, [*MEETING, 3, LOOK])
    data = observe(market, B).data["what_is_due"]
    assert (data["inspect"], data["confirm"]) == ([], [])


def test_a_buyer_sees_what_was_presented_under_which_title() -> None:
    market = small_market([Goods(S, "Nova tablet 11")], rules="truthful")
    play(market, [*MEETING, 3])
    (before,) = observe(market, B).data["scheduled_exchanges"]
    play(market, [LOOK])
    (after,) = observe(market, B).data["scheduled_exchanges"]
    assert (before["inspection_outcome"], before["presented_title"]) == (None, None)
    assert (after["inspection_outcome"], after["presented_title"]) == (
        *("matches_band", "Nova tablet 11"),
    )
    assert list(after) == sorted(after)


def test_a_buyer_knows_the_condition_that_it_saw_and_no_number_made_up_before() -> None:
    for seen, known in ((72, 72), (90, None)):
        market = small_market(GOODS, rules="truthful")
        both: list[Step] = [(who, "complete_transaction", {"meetup_id": 1}) for who in (S, B)]
        play(market, [*MEETING, 3, LOOK, *both])
        # As an inspection under the paper's rules may have left it before the fork.
        market.exchanges[1].inspected_pct = seen
        (row,) = observe(market, B).data["own_units"]
        assert row["quality_pct"] == known


def test_two_deals_on_twins_promise_both_of_them() -> None:
    market = small_market([*GOODS, *GOODS, Goods(S, "Oak desk")], rules="informed")
    play(market, RIVALS)
    for offer_id, promised in ((1, 1), (2, 2)):
        play(market, [(S, "accept_offer", {"offer_id": offer_id})])
        statuses = [row["status"] for row in observe(market, S).data["own_units"]]
        assert statuses == ["promised"] * promised + ["free"] * (3 - promised)
    play(market, [(B, "leave_thread", {"thread_id": 1}), (S, "mark_sold", {"listing_id": 1})])
    data = observe(market, S).data
    assert [row["status"] for row in data["own_units"]] == ["free", "free"]
    assert [row["status"] for row in data["sold_units"]] == ["sold"]


# --------------------------------------------------------------------------- honest agents


RULES = told(PRESETS["truthful"])
ARRIVED = {"method": "ship", "scheduled_tick": 95, "eta_tick": 100}


def does(*, rules: dict[str, str] = RULES, **row: Any) -> list[str]:
    sections = {"platform_rules": rules} if rules else {}
    return names(Honest().act(prompt(scheduled_exchanges=[exchange(**row)], **sections)))


def test_a_shipments_buyer_looks_and_then_confirms() -> None:
    assert does(role="buyer", **ARRIVED)[0] == "inspect_at_meetup"
    assert does(role="buyer", inspected_pct=70, **ARRIVED)[0] == "complete_transaction"
    assert does(role="buyer", rules={}, **ARRIVED)[0] == "complete_transaction"


def test_a_shipments_buyer_sends_back_what_falls_short() -> None:
    assert does(role="buyer", inspected_pct=40, **ARRIVED)[0] == "cancel_meetup"


def test_a_shipments_seller_confirms_from_its_arrival_on() -> None:
    assert does(role="seller", **ARRIVED)[0] == "complete_transaction"


@pytest.mark.parametrize("role", ["buyer", "seller"])
def test_both_sides_call_off_what_was_not_there(role: str) -> None:
    row = {"inspection_outcome": "item_not_present", "presented_title": None}
    assert does(role=role, **row)[0] == "cancel_meetup"


@pytest.mark.parametrize("role", ["buyer", "seller"])
def test_a_deal_that_the_platform_does_not_complete_is_given_up(role: str) -> None:
    late = {**ARRIVED, "scheduled_tick": 70, "eta_tick": 76, "inspected_pct": 70}
    assert does(role=role, **late)[0] == "cancel_meetup"
    assert does(role=role, rules={}, **late)[0] == "complete_transaction"


def test_a_seller_sends_sooner_what_must_be_looked_at() -> None:
    def lag(rules: dict[str, str]) -> int:
        sections = {"platform_rules": rules} if rules else {}
        sight = prompt(
            accepted_deals=[deal(price_cents=1_000)],
            own_units=[unit()],
            own_listings=[listing()],
            **sections,
        )
        (call,) = [c for c in Honest().act(sight).calls if c.name == "schedule_shipment"]
        assert call.arguments is not None
        return int(call.arguments["delivery_lag_ticks"])

    assert lag(RULES) == lag({}) - 1
