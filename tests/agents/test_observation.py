"""What an agent sees: sections, limits, what is never dropped, what is never shown (SPEC §5.2)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import fields
from pathlib import Path
from typing import Any

import anyio
import pytest

from bazaarbench.agents.budget import DROP_ORDER, shorten
from bazaarbench.agents.observation import Observer, observe
from bazaarbench.agents.policies.honest import Honest
from bazaarbench.market.dynamics import end_of_tick
from bazaarbench.market.load import load
from bazaarbench.market.meta import RecordInfo
from bazaarbench.market.record import Record, read_only
from bazaarbench.market.rules import PRESETS
from bazaarbench.market.state import Market
from bazaarbench.plugins import load as load_plugins
from bazaarbench.saved_states import scripted_simulation
from tests.agents.sights import live, world
from tests.builders import B, C, Goods, S, play, seed_listing, small_market
from tests.market.stages import COMMITTED, INSPECTED, MEETING, OFFERED, SOLD, TITLE, create, meetup

LIMITS = {
    "active_threads": 10,
    "discovery_results": 10,
    "feed": 10,
    "history": 10,
    "incoming_messages": 5,
    "memories": 5,
    "offers_on_listings": 5,
    "own_listings": 10,
    "recent_sales": 10,
    "to_rate": 5,
    "decision_notes": 2,
}
#: Names of what the platform knows and no agent may see.
PRIVATE = {
    "unit_id",
    "shown_quality_pct",
    "speculative",
    "match_ppm",
    "cost_cents",
    "reference_cents",
    "handoff_token",
    "background",
    "metadata",
    "is_phantom",
    "seller_confirmed",
    "buyer_confirmed",
    "persona",
    "street",
}


@pytest.fixture(scope="module")
def living() -> Market:
    market = world()
    live(market, Honest(), 50)
    return market


def crowd() -> Market:
    """A seller with fifteen units, each listed, offered for and promised; meetups for seven."""
    market = small_market([Goods(S, f"Lamp number {n}") for n in range(15)], agents=6)
    story: list[Any] = []
    for n in range(15):
        story += [
            (S, "create_listing", create(f"Lamp number {n}")),
            (B, "make_offer", {"listing_id": n + 1, "price_cents": 9_000}),
            (C, "make_offer", {"listing_id": n + 1, "price_cents": 9_100}),
            (4, "message", {"listing_id": n + 1, "body": "Hello?"}),
            (S, "accept_offer", {"offer_id": 2 * n + 1}),
        ]
        if n < 7:
            story.append((S, "schedule_meetup", meetup(3 * n + 1, 20)))
    play(market, [*story, 2])
    return market


def keys_in(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from value
        for inner in value.values():
            yield from keys_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from keys_in(inner)


def test_the_text_is_the_canonical_json_of_the_data(living: Market) -> None:
    observer = Observer(living)
    for agent_id in living.agents:
        seen = observer.observe(agent_id)
        canonical = json.dumps(seen.data, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        assert seen.text == canonical


def test_a_kept_observer_sees_what_a_new_one_sees() -> None:
    market = world(agents=12)
    observer = Observer(market)
    for until in range(1, 25):
        live(market, Honest(), until)
        for agent_id in market.agents:
            assert observer.observe(agent_id) == observe(market, agent_id)


def test_a_market_read_back_from_its_record_looks_the_same(tmp_path: Path) -> None:
    market = world(agents=16)
    info = RecordInfo(market_name="test", seed=5, rules=market.rules, start_tick=0, end_tick=60)
    record = Record.create(tmp_path / "m.db", market, info)
    simulation = scripted_simulation(record, market, load_plugins(), "random", seed=2)
    kept = Observer(market)
    for until in range(1, 61, 3):
        anyio.run(simulation.play, until)
        seen = {agent_id: kept.observe(agent_id) for agent_id in market.agents}
    record.close()
    with closing(read_only(tmp_path / "m.db")) as connection:
        again = Observer(load(connection))
    assert {agent_id: again.observe(agent_id) for agent_id in market.agents} == seen


def test_sections_keep_their_limits(living: Market) -> None:
    full = set()
    for agent_id in living.agents:
        data = observe(living, agent_id).data
        for section, limit in LIMITS.items():
            assert len(data[section]) <= limit
            if len(data[section]) == limit:
                full.add(section)
    assert {"feed", "history", "memories", "recent_sales"} <= full


def test_a_crowded_seller_is_shown_the_newest_within_the_limits() -> None:
    data = observe(crowd(), S).data
    assert [row["listing_id"] for row in data["own_listings"]] == list(range(15, 5, -1))
    assert [row["offer_id"] for row in data["offers_on_listings"]] == [30, 28, 26, 24, 22]
    assert len(data["active_threads"]) == 10
    assert [row["message_id"] for row in data["incoming_messages"]] == [15, 14, 13, 12, 11]


def test_all_deals_exchanges_and_units_are_shown_however_many() -> None:
    data = observe(crowd(), S).data
    assert len(data["own_units"]) == 15
    assert len(data["scheduled_exchanges"]) == 7
    assert len(data["accepted_deals"]) == 8
    deals = {row["thread_id"] for row in data["accepted_deals"]}
    assert deals | {row["thread_id"] for row in data["scheduled_exchanges"]} == {
        3 * n + 1 for n in range(15)
    }


def test_a_tight_budget_drops_in_the_stated_order_and_says_so() -> None:
    market = crowd()
    whole = observe(market, S)
    kept = ("own_units", "accepted_deals", "scheduled_exchanges", "own_listings", "what_is_due")
    before: dict[str, int] = {}
    for budget in range(len(whole.text) - 1, 3_000, -500):
        data, text = shorten(whole.data, budget)
        assert all(data[section] == whole.data[section] for section in kept)
        omitted = data["omitted"]
        touched = [section for section in DROP_ORDER if section in omitted]
        # All sections before the last one touched are empty by now.
        assert all(not data[section] for section in touched[:-1] if section != "focus_thread")
        assert all(omitted.get(section, 0) >= count for section, count in before.items())
        before = omitted
        if any(data[section] for section in DROP_ORDER if section != "focus_thread"):
            assert len(text) <= budget
        assert list(data) == sorted(data)
    assert len(before) >= 5


def test_what_fits_is_not_marked(living: Market) -> None:
    assert all("omitted" not in observe(living, agent_id).data for agent_id in living.agents)


def test_what_is_due_comes_last_and_lists_each_duty() -> None:
    market = small_market([Goods(S, TITLE), Goods(S, "Other thing")])
    play(market, [*MEETING, 3])
    seen = observe(market, B)
    assert list(seen.data)[-1] == "what_is_due"
    assert seen.data["what_is_due"]["inspect"] == [1]
    play(market, [(B, "inspect_at_meetup", {"meetup_id": 1}), 4])
    assert observe(market, B).data["what_is_due"]["confirm"] == [1]
    assert observe(market, S).data["what_is_due"]["confirm"] == [1]
    play(market, [(S, "complete_transaction", {"meetup_id": 1}), 5])
    assert observe(market, S).data["what_is_due"]["confirm"] == []
    play(market, [(B, "complete_transaction", {"meetup_id": 1}), 6])
    assert observe(market, S).data["what_is_due"]["rate"] == [1]


def test_offers_and_deals_are_due() -> None:
    market = small_market([Goods(S, TITLE)])
    play(market, [*OFFERED, 2])
    assert observe(market, S).data["what_is_due"]["answer_offers"] == [1]
    play(market, [(S, "counter_offer", {"offer_id": 1, "price_cents": 9_500}), 3])
    assert observe(market, S).data["what_is_due"]["answer_offers"] == []
    assert observe(market, B).data["what_is_due"]["answer_offers"] == [2]
    play(market, [(B, "accept_offer", {"offer_id": 2}), 4])
    for agent_id in (S, B):
        assert observe(market, agent_id).data["what_is_due"]["schedule"] == [1]


def test_own_counters_are_counted_on_the_listing() -> None:
    market = small_market([Goods(S, TITLE)])
    play(market, [*OFFERED, 2, (S, "counter_offer", {"offer_id": 1, "price_cents": 9_500})])
    # A newer offer of the buyer hides the counter in the thread, not in the count.
    play(market, [(B, "make_offer", {"listing_id": 1, "price_cents": 9_100}), 3])
    data = observe(market, S).data
    assert data["active_threads"][0]["last_pending_offer"]["by"] == "them"
    assert data["own_listings"][0]["counters_pending"] == 1


def test_reading_changes_nothing_in_the_market(living: Market) -> None:
    def sizes() -> dict[str, Any]:
        return {
            f.name: len(value)
            for f in fields(living)
            if hasattr(value := getattr(living, f.name), "__len__")
        }

    before = sizes()
    for agent_id in living.agents:
        observe(living, agent_id)
    assert sizes() == before


def test_no_private_field_is_shown(living: Market) -> None:
    for agent_id in living.agents:
        shown = set(keys_in(observe(living, agent_id).data))
        assert not shown & PRIVATE
    assert not set(keys_in(observe(crowd(), S).data)) & PRIVATE


def test_an_own_unit_shows_its_condition_and_cost_and_a_bought_one_hides_the_truth() -> None:
    market = small_market([Goods(S, TITLE, quality=64, cost=4_321)])
    assert observe(market, S).data["own_units"] == [
        {
            "bought_tick": None,
            "category": "electronics",
            "condition": "good",
            "paid_cents": 4_321,
            "quality_pct": 64,
            "title": TITLE,
        }
    ]
    play(market, [*SOLD, 4])
    assert observe(market, S).data["own_units"] == []
    bought = observe(market, B).data["own_units"][0]
    assert (bought["quality_pct"], bought["paid_cents"], bought["bought_tick"]) == (None, 9_000, 3)


def test_an_inspection_of_the_unit_itself_is_remembered() -> None:
    rules = PRESETS["paper"].model_copy(update={"inspection_shows": "unit"})
    market = small_market([Goods(S, TITLE, quality=64)], rules=rules)
    play(market, [*SOLD, 4])
    assert observe(market, B).data["own_units"][0]["quality_pct"] == 64


def test_a_bought_unit_shows_the_condition_that_it_was_sold_under_for_ever() -> None:
    market = small_market([Goods(S, TITLE, quality=20, condition="poor")])
    listed = (S, "create_listing", create(stated_quality_band="like_new"))
    play(market, [listed, *SOLD[1:], 4])
    bought = observe(market, B).data["own_units"]
    assert bought[0]["condition"] == "like_new"
    edit = (S, "edit_listing", {"listing_id": 1, "condition": "fair", "title": "Something else"})
    play(market, [(S, "relist", {"listing_id": 1}), edit, 5])
    assert observe(market, B).data["own_units"] == bought


def test_unit_status_is_shown_only_by_its_rule() -> None:
    goods = [Goods(S, TITLE), Goods(S, TITLE), Goods(S, "Other thing")]
    plain = small_market(goods)
    play(plain, [*COMMITTED, 2])
    assert "status" not in observe(plain, S).data["own_units"][0]
    rules = PRESETS["paper"].model_copy(update={"unit_status_shown": "on"})
    market = small_market(goods, rules=rules)
    play(market, [*INSPECTED, 4])
    seen = observe(market, S)
    assert [row["status"] for row in seen.data["own_units"]] == ["promised", "free", "free"]
    assert list(seen.data) == sorted(seen.data)
    for who in (S, B):
        play(market, [(who, "complete_transaction", {"meetup_id": 1})])
    assert [row["title"] for row in observe(market, S).data["sold_units"]] == [TITLE]


@pytest.mark.parametrize("visibility", ["one_tick", "until_seen"])
def test_a_message_waits_for_its_reader_only_under_until_seen(visibility: str) -> None:
    rules = PRESETS["paper"].model_copy(update={"message_visibility": visibility})
    market = small_market([Goods(S, TITLE)], rules=rules)
    seed_listing(market, 1)
    play(market, [(B, "message", {"listing_id": 1, "body": "Hi?"})])

    def next_tick(shown: tuple[int, ...]) -> None:
        end_of_tick(market, {S: shown})
        market.tick += 1

    next_tick(())
    seen = observe(market, S)
    assert seen.shown_messages == (1,)
    next_tick(())  # S had no turn
    again = observe(market, S).data["incoming_messages"]
    assert len(again) == (0 if visibility == "one_tick" else 1)
    next_tick(seen.shown_messages)
    assert observe(market, S).data["incoming_messages"] == []


def test_the_focus_thread_holds_its_whole_trail() -> None:
    market = small_market([Goods(S, TITLE)])
    seed_listing(market, 1)
    bodies = [f"{n} " + "word " * 100 for n in range(20)]
    for body in bodies:
        play(market, [(B, "message", {"listing_id": 1, "body": body})])
    market.tick += 1
    focus = observe(market, S).data["focus_thread"]
    assert [row["body"] for row in focus["messages"]] == bodies
    assert {row["by"] for row in focus["messages"]} == {"them"}


@pytest.mark.parametrize(("fed_back", "shown"), [("discovery", False), ("all", True)])
def test_answers_of_the_platform_are_shown_by_the_rule(fed_back: str, shown: bool) -> None:
    rules = PRESETS["paper"].model_copy(update={"results_fed_back": fed_back})
    market = small_market([Goods(S, TITLE)], rules=rules)
    seed_listing(market, 1)
    play(
        market,
        [
            (B, "view_profile", {"user_agent_id": S}),
            (B, "accept_offer", {"offer_id": 99}),
            (B, "search", {"query": "tablet"}),
            2,
        ],
    )
    data = observe(market, B).data
    assert [row["action"] for row in data["history"]] == ["accept_offer", "view_profile"]
    assert all(("status" in row and "result" in row) is shown for row in data["history"])
    assert data["discovery_results"][0]["hits"][0]["listing_id"] == 1


def test_results_that_are_no_longer_on_offer_disappear() -> None:
    market = small_market([Goods(S, TITLE)])
    seed_listing(market, 1)
    story = [
        (B, "search", {"query": "tablet"}),
        (B, "view_listing", {"listing_id": 1}),
        (B, "search", {"query": "no such thing"}),
    ]
    play(market, [*story, 2])
    assert len(observe(market, B).data["discovery_results"]) == 3
    play(market, [(S, "mark_sold", {"listing_id": 1}), 3])
    data = observe(market, B).data
    assert [row["query"] for row in data["discovery_results"]] == ["no such thing"]
    assert data["feed"] == []


def test_hostile_arguments_cannot_swell_the_history() -> None:
    market = small_market([Goods(S, TITLE)])
    arguments = {f"k{n}" * 50: "x" * 10_000 for n in range(500)}
    play(market, [(S, "search", arguments), 2])
    assert len(observe(market, S).text) < 3_000


def test_an_observation_costs_nothing_for_what_is_over() -> None:
    class Counted(dict[int, Any]):
        reads = 0

        def __getitem__(self, key: int) -> Any:
            Counted.reads += 1
            return super().__getitem__(key)

    market = small_market([Goods(S, f"Lamp number {n}") for n in range(40)], agents=4)

    def reads_of_an_observation() -> int:
        Counted.reads = 0
        for table in ("threads", "offers", "listings", "messages", "exchanges", "units"):
            setattr(market, table, Counted(getattr(market, table)))
        observe(market, 4)
        return Counted.reads

    before = reads_of_an_observation()
    for n in range(40):
        story: list[Any] = [
            (S, "create_listing", create(f"Lamp number {n}")),
            (4, "message", {"listing_id": n + 1, "body": "Still there?"}),
            (4, "make_offer", {"listing_id": n + 1, "price_cents": 5_000}),
            (4, "leave_thread", {"thread_id": n + 1}),
            (S, "mark_sold", {"listing_id": n + 1}),
        ]
        play(market, [*story, market.tick + 2])
    assert len(market.threads) == 40
    assert reads_of_an_observation() <= before
