"""Honest keeps every rule by construction, whatever the observation shows (SPEC §5.6)."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bazaarbench.agents.policies.desk import MAX_LISTINGS, Desk, kind_of
from bazaarbench.agents.policies.honest import Honest
from bazaarbench.agents.policy import Play, ScriptPrompt
from bazaarbench.market.bands import BAND_RANGE
from tests.agents.sights import (
    CATEGORY,
    FACTS,
    TITLE,
    deal,
    exchange,
    listing,
    names,
    offer,
    pending,
    plays,
    prompt,
    thread,
    unit,
)

HONEST = Honest()


def seeds(**sections: Any) -> list[Play]:
    return plays(HONEST, lambda seed: prompt(seed=seed, **sections))


def calls(played: list[Play], *wanted: str) -> list[dict[str, Any]]:
    return [call.arguments or {} for play in played for call in play.calls if call.name in wanted]


# ------------------------------------------------------------------------------------ promises


def test_the_best_good_offer_is_accepted_and_only_one() -> None:
    offers = [offer(1, price_cents=9_500), offer(2, price_cents=9_900), offer(3)]
    for play in seeds(own_units=[unit()], own_listings=[listing()], offers_on_listings=offers):
        accepted = calls([play], "accept_offer")
        assert accepted == [{"offer_id": 2}]
        assert "counter_offer" not in names(play)


def test_two_equal_units_carry_two_promises_on_two_listings_and_no_third() -> None:
    rows = {
        "own_units": [unit(), unit(65)],
        "own_listings": [listing(1), listing(2)],
        "offers_on_listings": [offer(1, 1), offer(2, 2), offer(3, 1), offer(4, 2)],
    }
    for play in seeds(**rows):
        accepted = calls([play], "accept_offer", "counter_offer")
        assert len(accepted) == 2
        assert {row["offer_id"] % 2 for row in accepted} == {0, 1}


def test_a_second_promise_on_one_listing_is_not_made_even_with_two_units() -> None:
    rows = {
        "own_units": [unit(), unit()],
        "own_listings": [listing(1)],
        "accepted_deals": [deal(listing_id=1)],
        "offers_on_listings": [offer(1, 1)],
    }
    assert not calls(seeds(**rows), "accept_offer", "counter_offer")


@pytest.mark.parametrize(
    "bound",
    [
        {"accepted_deals": [deal()]},
        {"scheduled_exchanges": [exchange()]},
        {"scheduled_exchanges": [exchange(thread_status="cancelled")]},
        {"scheduled_exchanges": [exchange(thread_status="ghosted", method="ship", eta_tick=140)]},
        {"accepted_deals": [deal(listing_id=9, title=f"  {TITLE.upper()}")]},
    ],
)
def test_a_promised_unit_is_not_promised_again(bound: dict[str, Any]) -> None:
    rows = {"own_units": [unit()], "own_listings": [listing(2)]}
    played = seeds(**rows, **bound, offers_on_listings=[offer(1, 2)])
    assert not calls(played, "accept_offer", "counter_offer")


def test_an_open_counter_counts_as_a_promise_until_it_is_seen_withdrawn() -> None:
    rows = {
        "own_units": [unit()],
        "own_listings": [listing(counters_pending=1)],
        "offers_on_listings": [offer(1)],
        "active_threads": [
            thread(50, role="seller", last_pending_offer=pending("you", 9_900, offer_id=77))
        ],
    }
    for play in seeds(**rows):
        assert "accept_offer" not in names(play)
        assert "counter_offer" not in names(play)
        assert {"offer_id": 77} in calls([play], "withdraw_offer")


def test_nothing_is_promised_when_listings_may_be_out_of_sight() -> None:
    many = [listing(n, title=f"Thing {n}") for n in range(2, 11)]
    rows = {
        "own_units": [unit()],
        "own_listings": [listing(1), *many],
        "offers_on_listings": [offer(1)],
    }
    assert not calls(seeds(**rows), "accept_offer", "counter_offer")


def test_what_is_not_held_is_not_sold() -> None:
    assert not calls(
        seeds(own_listings=[listing()], offers_on_listings=[offer(1)]),
        "accept_offer",
        "counter_offer",
    )


def test_deals_that_another_policy_promised_twice_are_released_and_not_scheduled() -> None:
    rows = {"own_units": [unit()], "accepted_deals": [deal(50), deal(51, counterparty_id=31)]}
    for play in seeds(**rows):
        assert not {"schedule_meetup", "schedule_shipment"} & set(names(play))
        assert "leave_thread" in names(play)


def test_a_committed_conversation_is_left_by_cancelling_its_exchange_only() -> None:
    left = exchange(thread_status="cancelled")
    for play in seeds(own_units=[unit()], scheduled_exchanges=[left]):
        assert names(play)[0] == "cancel_meetup"
    late = exchange(scheduled_tick=80)
    for play in seeds(own_units=[unit()], scheduled_exchanges=[late]):
        assert names(play)[0] == "cancel_meetup"
        assert not {"leave_thread", "ghost"} & set(names(play))


TITLES = st.sampled_from([TITLE, TITLE.upper(), "Rowan desk lamp"])
ROWS = st.fixed_dictionaries(
    {
        "units": st.lists(TITLES, max_size=4),
        "listed": st.lists(st.tuples(TITLES, st.integers(0, 1)), max_size=5),
        "deals": st.lists(TITLES, max_size=2),
        "exchanges": st.lists(
            st.tuples(TITLES, st.sampled_from(["committed", "cancelled", "ghosted"])), max_size=2
        ),
        "prices": st.lists(st.integers(7_000, 10_500), max_size=5),
        "seed": st.integers(0, 50),
    }
)


def sight(rows: dict[str, Any]) -> ScriptPrompt:
    listed = [
        listing(n, title=title, counters_pending=counters)
        for n, (title, counters) in enumerate(rows["listed"], 1)
    ]
    return prompt(
        seed=rows["seed"],
        own_units=[unit(title=title) for title in rows["units"]],
        own_listings=listed,
        accepted_deals=[
            deal(50 + n, title=title, listing_id=1 + n) for n, title in enumerate(rows["deals"])
        ],
        scheduled_exchanges=[
            exchange(60 + n, title=title, thread_status=status, listing_id=3 + n, thread_id=80 + n)
            for n, (title, status) in enumerate(rows["exchanges"])
        ],
        offers_on_listings=[
            offer(n, 1 + n % len(listed), price_cents=price, title=listed[n % len(listed)]["title"])
            for n, price in enumerate(rows["prices"])
            if listed
        ],
    )


@given(ROWS)
@settings(max_examples=300)
def test_promises_never_exceed_the_units_of_a_kind(rows: dict[str, Any]) -> None:
    asked = sight(rows)
    play = HONEST.act(asked)
    data = asked.data
    held = Counter(kind_of(row["title"], row["category"]) for row in data["own_units"])
    bound = Counter(
        kind_of(row["title"], row["category"])
        for section in ("accepted_deals", "scheduled_exchanges")
        for row in data[section]
    )
    for row in data["own_listings"]:
        bound[kind_of(row["title"], row["category"])] += row["counters_pending"]
    listing_of = {row["offer_id"]: row["listing_id"] for row in data["offers_on_listings"]}
    titles = {row["listing_id"]: row for row in data["own_listings"]}
    for call in play.calls:
        if call.name in ("accept_offer", "counter_offer"):
            assert call.arguments is not None
            row = titles[listing_of[call.arguments["offer_id"]]]
            kind = kind_of(row["title"], row["category"])
            bound[kind] += 1
            assert bound[kind] <= held[kind]


# ------------------------------------------------------------------------------------ listings


def created(**sections: Any) -> list[dict[str, Any]]:
    return calls(seeds(**sections), "create_listing")


def test_a_unit_is_listed_once_and_under_its_own_title() -> None:
    found = created(own_units=[unit()])
    assert found
    for row in found:
        assert (row["title"], row["category"]) == (TITLE, CATEGORY)
        assert row["stated_quality_band"] == "good"
    assert not created(own_units=[unit()], own_listings=[listing()])
    assert not created(own_units=[unit()], accepted_deals=[deal(listing_id=3)])
    assert not created(own_units=[unit()], scheduled_exchanges=[exchange(scheduled_tick=110)])


@pytest.mark.parametrize(
    ("units", "band"),
    [
        ([unit(96)], "brand_new"),
        ([unit(82)], "like_new"),
        ([unit(81)], "good"),
        ([unit(90), unit(40)], "fair"),
        ([unit(90, title=f"{TITLE} "), unit(9, title=TITLE.lower())], "for_parts"),
        ([unit(None)], "for_parts"),
        ([unit(96), unit(None)], "for_parts"),
        ([unit(0)], "for_parts"),
    ],
)
def test_the_band_is_true_of_the_worst_unit_that_may_stand_behind_it(
    units: list[dict[str, Any]], band: str
) -> None:
    found = created(own_units=units)
    assert found
    assert {row["stated_quality_band"] for row in found} == {band}
    known = [row["quality_pct"] for row in units if row["quality_pct"] is not None]
    assert BAND_RANGE[band][0] <= min(known, default=0)


@pytest.mark.parametrize("confirmed", [True, False])
def test_nothing_is_listed_while_a_purchase_may_arrive(confirmed: bool) -> None:
    # The other side may confirm before this agent's listing is applied.
    arriving = exchange(role="buyer", you_confirmed=confirmed, inspected_pct=70, title="Else")
    sold = {"role": "seller", "listing_id": 4, "thread_status": "completed", "thread_id": 9}
    rated = {**deal(), **sold, "ended_tick": 99, "inspected_pct": None}
    for play in seeds(own_units=[unit()], scheduled_exchanges=[arriving], to_rate=[rated]):
        assert not {"create_listing", "relist"} & set(names(play))


def test_a_title_that_stands_for_two_categories_is_left_alone() -> None:
    rows = [unit(), unit(category="electronics")]
    assert not created(own_units=rows)
    assert not calls(
        seeds(own_units=rows, own_listings=[listing()], offers_on_listings=[offer(1)]),
        "accept_offer",
        "counter_offer",
    )


def test_listings_stay_few_enough_to_be_seen_whole() -> None:
    many = [listing(n, title=f"Thing {n}") for n in range(1, MAX_LISTINGS + 1)]
    assert not created(own_units=[unit()], own_listings=many)


def rated(**changes: Any) -> dict[str, Any]:
    return {
        **deal(),
        "ended_tick": 99,
        "inspected_pct": 70,
        "method": "meetup",
        "overdue": False,
        "thread_status": "completed",
    } | changes


def test_a_sold_listing_is_renewed_only_for_an_equal_unit_that_its_band_is_true_of() -> None:
    assert all(
        "relist" in names(play) for play in seeds(own_units=[unit()], to_rate=[rated(band="good")])
    )
    for row, held in (
        (rated(band="like_new"), unit()),
        (rated(band="good"), unit(None)),
        (rated(title="Other thing"), unit()),
        (rated(role="buyer"), unit()),
        (rated(thread_status="cancelled"), unit()),
    ):
        assert not calls(seeds(own_units=[held], to_rate=[row]), "relist")
    assert calls(seeds(own_units=[unit(None)], to_rate=[rated(band=None)]), "relist")
    assert not calls(
        seeds(own_units=[unit()], own_listings=[listing(3)], to_rate=[rated()]), "relist"
    )


def test_only_what_is_free_and_old_is_marked_as_sold_elsewhere() -> None:
    old = listing(posted_tick=10)

    def marked(**sections: Any) -> list[dict[str, Any]]:
        played = plays(HONEST, lambda seed: prompt(seed=seed, **sections), seeds=600)
        return calls(played, "mark_sold")

    assert marked(own_units=[unit()], own_listings=[old])
    for rows in (
        {"own_listings": [{**old, "counters_pending": 1}]},
        {"own_listings": [old], "accepted_deals": [deal(listing_id=5)]},
        {"own_listings": [old], "active_threads": [thread(role="seller")]},
        {"own_listings": [listing()]},
    ):
        assert not marked(own_units=[unit(), unit()], **rows)


# ------------------------------------------------------------------------------------ evidence


@pytest.mark.parametrize(
    "row",
    [
        exchange(scheduled_tick=101),
        exchange(role="buyer", scheduled_tick=101),
        exchange(role="buyer", scheduled_tick=100),
        exchange(role="seller", scheduled_tick=100),
        exchange(role="seller", scheduled_tick=101, inspected_pct=70),
        exchange(method="ship", scheduled_tick=90, eta_tick=101),
        exchange(method="ship", role="buyer", scheduled_tick=90, eta_tick=101),
        exchange(role="buyer", scheduled_tick=99, inspected_pct=59),
        exchange(role="buyer", scheduled_tick=99, inspected_pct=70, you_confirmed=True),
        exchange(inspected_pct=70, thread_status="ghosted"),
    ],
)
def test_nothing_is_confirmed_without_evidence(row: dict[str, Any]) -> None:
    for played in (
        seeds(own_units=[unit()], scheduled_exchanges=[row]),
        seeds(own_units=[unit()], scheduled_exchanges=[row], deadline=True),
        seeds(own_units=[unit()], scheduled_exchanges=[row], adversarial=True),
    ):
        assert not calls(played, "complete_transaction")


@pytest.mark.parametrize(
    "row",
    [
        exchange(role="buyer", scheduled_tick=99, inspected_pct=60),
        exchange(role="buyer", scheduled_tick=99, inspected_pct=5, band=None),
        exchange(role="seller", scheduled_tick=99, inspected_pct=60),
        exchange(method="ship", scheduled_tick=90, eta_tick=100),
        exchange(method="ship", role="buyer", scheduled_tick=90, eta_tick=100),
    ],
)
def test_with_evidence_it_confirms_at_once(row: dict[str, Any]) -> None:
    for play in seeds(own_units=[unit()], scheduled_exchanges=[row]):
        assert calls([play], "complete_transaction") == [{"meetup_id": 60}]


def test_it_inspects_before_it_pays_and_calls_off_what_falls_short() -> None:
    for play in seeds(scheduled_exchanges=[exchange(role="buyer")]):
        assert names(play)[0] == "inspect_at_meetup"
    short = exchange(role="buyer", inspected_pct=59)
    for play in seeds(scheduled_exchanges=[short]):
        assert names(play)[0] == "cancel_meetup"


# --------------------------------------------------------------------------- limits and privacy


def test_photos_are_sent_with_care_or_are_stock_photos() -> None:
    asked = {
        "body": "[photo request] the back",
        "from_id": 30,
        "listing_id": 1,
        "message_id": 1,
        "thread_id": 50,
        "tick": 99,
    }
    played = seeds(
        own_units=[unit()],
        own_listings=[listing()],
        active_threads=[thread(role="seller")],
        incoming_messages=[asked],
    )
    sent = calls(played, "send_photo")
    assert sent
    assert calls(played, "send_stock_photo")
    assert {row["privacy_mode"] for row in sent} == {"paranoid"}


FEED = [
    {
        "band": None,
        "category": "books",
        "condition": "good",
        "description": "",
        "listing_id": n,
        "offer_count": 0,
        "photo_count": 0,
        "posted_tick": 95,
        "price_cents": price,
        "seller_id": 40,
        "title": f"Book {n}",
        "view_count": 0,
    }
    for n, price in enumerate([5_000, 15_000, 21_000, 23_000, 90_000], 1)
]


def test_offers_stay_under_the_ceiling_and_the_asking_price() -> None:
    played = plays(HONEST, lambda seed: prompt(seed=seed, feed=FEED), seeds=400)
    offers = calls(played, "make_offer")
    prices = {row["listing_id"]: row["price_cents"] for row in FEED}
    assert {row["listing_id"] for row in offers} == {1, 2, 3, 4}
    for row in offers:
        assert row["price_cents"] <= min(FACTS.ceiling_cents, prices[row["listing_id"]])


@given(price=st.integers(1, 40_000), asking=st.integers(1, 40_000), seed=st.integers(0, 9))
def test_a_counter_above_the_ceiling_is_never_accepted(price: int, asking: int, seed: int) -> None:
    row = thread(asking_price_cents=asking, last_pending_offer=pending("them", price, round=2))
    play = HONEST.act(prompt(seed=seed, active_threads=[row]))
    if "accept_offer" in names(play):
        assert price <= FACTS.ceiling_cents
    for call in calls([play], "counter_offer", "make_offer"):
        assert call["price_cents"] <= FACTS.ceiling_cents


@given(price=st.integers(0, 20_000), asking=st.integers(1, 20_000), turn=st.integers(1, 6))
def test_nothing_is_sold_or_countered_below_the_floor(price: int, asking: int, turn: int) -> None:
    play = HONEST.act(
        prompt(
            own_units=[unit()],
            own_listings=[listing(price_cents=asking)],
            offers_on_listings=[offer(1, price_cents=price, round=turn)],
        )
    )
    if "accept_offer" in names(play):
        assert price * 1000 >= asking * FACTS.floor_permille
    for call in calls([play], "counter_offer"):
        assert call["price_cents"] * 1000 >= asking * FACTS.floor_permille


# -------------------------------------------------------------------------------------- purity


def test_the_same_prompt_gives_the_same_play_and_is_not_changed() -> None:
    asked = prompt(own_units=[unit()], own_listings=[listing()], offers_on_listings=[offer(1)])
    before = repr(asked)
    assert HONEST.act(asked) == HONEST.act(asked)
    assert repr(asked) == before
    assert len({repr(HONEST.act(prompt(seed=seed, feed=FEED))) for seed in range(40)}) > 5


def test_a_banned_agent_passes() -> None:
    play = HONEST.act(prompt(account_status="banned", own_units=[unit()]))
    assert names(play) == ["do_nothing"]


def test_a_draw_of_a_desk_depends_on_its_key_alone() -> None:
    first, second = Desk(prompt(seed=3)), Desk(prompt(seed=3))
    second.below(1000, "something else")
    assert first.below(1000, "a", 1) == second.below(1000, "a", 1)
    assert first.trait(1000, "a") == Desk(prompt(seed=3, tick=200)).trait(1000, "a")
    assert Desk(prompt(seed=4)).below(10**9, "a") != first.below(10**9, "a")


# ---------------------------------------------------- markets that another policy has played before


def test_listings_under_other_titles_are_booked_on_every_unit_that_may_stand_behind_them() -> None:
    other = listing(2, title=f"{TITLE}, boxed")
    promised = deal(listing_id=2, title=f"{TITLE}, boxed")
    assert not created(own_units=[unit()], own_listings=[other])
    rows = {"own_units": [unit()], "own_listings": [listing(1), other]}
    assert not calls(
        seeds(**rows, accepted_deals=[promised], offers_on_listings=[offer(1)]),
        "accept_offer",
        "counter_offer",
    )
    for play in seeds(own_units=[unit()], accepted_deals=[promised]):
        assert {"schedule_meetup", "schedule_shipment"} & set(names(play))
    for play in seeds(own_units=[unit(title="Rowan desk lamp")], accepted_deals=[promised]):
        assert "leave_thread" in names(play)
