"""An imported base market goes on under our platform (SPEC §3.7)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import anyio
import pytest

from bazaarbench import plugins
from bazaarbench.agents.prompting import persona_text_of
from bazaarbench.evidence import read
from bazaarbench.market.load import load, same_state
from bazaarbench.market.record import Record, RecordInfo, fork, read_only
from bazaarbench.personas.persona import Persona
from bazaarbench.released import import_database
from bazaarbench.saved_states import scripted_simulation
from tests.released.handmade import B, C, Handmade, S, bought, handmade, sold, unit
from tests.released.importing import imports

TITLES = ("Solara K2 camera", "Kestrel trail bike", "Nimbus floor lamp", "Orbit cordless drill")


def persona(agent_id: int) -> dict[str, Any]:
    """What a released persona says beside its items (A §2.5)."""
    return {
        "age": 34,
        "profession": "nurse",
        "home_street": "12 Elm Street",
        "device": "Phone 11",
        "activity_rate": 0.95,
        "privacy_awareness": 0.4,
        "trust_default": 0.6,
        "haggle_tendency": 0.34,
        "interests": ["gaming", "cooking"],
        "joined_at_tick": -3888,
        "lifetime_days": 162,
        "goals": {
            "buyer": {
                "want_category": "electronics",
                "max_price_cents": 32_281,
                "description": f"something like the {TITLES[agent_id % 4]}",
            },
            "seller": {"min_price_fraction": 0.91, "target_listings_count": 3},
        },
        "background_context": "b" * 900,
        "cold_start": {
            "tier": "power_seller",
            "seed_cluster": "solara|electronics|150-500",
            "communication_style": "Brief.",
            "buyer_strategy": "Compare.",
            "seller_strategy": "Hold.",
            "hard_constraints": ["Never ship before payment.", "x" * 400],
            "self_summary": "I have traded here for long.",
            "journal": [
                {"days_ago": 3, "event_kind": "sold", "lesson_learned": "Be quick."},
                {"days_ago": 2, "event_kind": "something else"},
            ],
        },
    }


def base_market() -> Handmade:
    """Ten ticks of a small base market, with things going on at its end."""
    database = handmade(agents=0)
    for agent_id in range(1, 9):
        database.agent(agent_id, [unit(TITLES[agent_id % 4])], **persona(agent_id))
    database.agent(99, seeded=True)
    database.items[S][0] = sold(database.items[S][0], via=1, tick=4)
    database.items[B].append(bought(TITLES[1], via=1, tick=4))
    for agent_id in range(1, 9):
        database.seed(agent_id, TITLES[agent_id % 4])
    database.offer(2, C, 1)
    database.sale(4, B, 1)
    database.accept(6, database.offer(5, S, 2))
    database.offer(9, B, 3)
    database.add("messages", thread_id=4, sender_agent_id=B, tick=10, body="Still there?")
    payload = {"body": "Still there?", "thread_id": 4, "listing_id": None}
    database.event(10, B, "message", payload, {"message_id": 1, "thread_id": 4})
    database.row("threads", 4)["last_msg_tick"] = 10
    feeds = {"1": [3, 2], "2": [5, 77]}
    database.event(10, None, "platform_recsys_refresh", {"feeds": feeds, "k": 10})
    database.add(
        "narrative_memories",
        agent_id=S,
        scope="self",
        created_tick=0,
        decayed=0,
        content="[pricing] Cameras sell near 100. Source rows: 4",
    )
    database.add(
        "narrative_memories",
        agent_id=S,
        scope="thread",
        created_tick=4,
        decayed=0,
        content="B paid at once.",
    )
    database.add(
        "narrative_memories", agent_id=S, scope="self", created_tick=1, decayed=1, content="old"
    )
    database.add("blocks", blocker_id=S, blocked_id=C, tick=3)
    database.add("reports", reporter_id=B, target_kind="user", target_id=S, reason="late", tick=4)
    database.add("reports", reporter_id=B, target_kind="listing", target_id=1, reason="x", tick=4)
    database.call(10, S)
    return database


def test_a_persona_keeps_what_decides_and_is_told(tmp_path: Path) -> None:
    outcome = imports(base_market(), tmp_path)
    market = load(read_only(outcome.imported.path))

    agent = market.agents[S]
    assert (agent.activity_permille, agent.privacy_permille, agent.tier) == (
        950,
        400,
        "power_seller",
    )
    assert (agent.street, agent.device, agent.joined_tick) == ("12 Elm Street", "Phone 11", -3888)
    stored = Persona.model_validate_json(agent.persona)
    assert stored.buyer.title == f"something like the {TITLES[1]}"
    assert (stored.buyer.category, stored.buyer.ceiling_cents) == ("electronics", 32_281)
    assert (stored.seller.floor_permille, stored.seller.listings_target) == (910, 3)
    assert (stored.trust_permille, stored.haggle_permille, stored.lifetime_days) == (600, 340, 162)
    assert (len(stored.background), [len(c) for c in stored.constraints]) == (700, [26, 220])
    assert [(entry.kind, entry.text) for entry in stored.journal] == [("sold", "Be quick.")]
    text = persona_text_of(agent)
    assert "$322.81" in text
    assert "91 %" in text


def test_places_keep_their_distances(tmp_path: Path) -> None:
    """Two homes 10 km apart at the mean latitude of the market stay 10 km apart."""
    database = handmade(agents=0)
    database.agent(1, [unit("Lamp")], home_lat=45.0, home_lng=7.0)
    database.agent(2, home_lat=45.0, home_lng=7.0 + 0.1272)
    database.agent(3, home_lat=45.0899, home_lng=7.0)
    database.create(1, 1, "Lamp")
    outcome = imports(database, tmp_path)

    places = outcome.rows("SELECT x_m, y_m FROM agents ORDER BY agent_id")
    (x, y), east, north = places
    assert east[0] - x == pytest.approx(10_000, abs=20)
    assert east[1] == y
    assert north[1] - y == pytest.approx(10_000, abs=20)


def test_an_imported_market_is_loaded_whole(tmp_path: Path) -> None:
    outcome = imports(base_market(), tmp_path)
    market = load(read_only(outcome.imported.path))

    assert market.tick == 11
    assert same_state(market, load(read_only(outcome.imported.path)))
    assert {owner: set(units) for owner, units in market.units_of.items() if units} == {
        B: {1, 2},
        C: {3},
        4: {4},
        5: {5},
        6: {6},
        7: {7},
        8: {8},
    }
    assert market.committed_threads_of[S].keys() == {3}
    assert market.pending_for[C].keys() == {4}
    assert market.unseen_of[C].keys() == {1}
    assert market.blocked_pairs == {(S, C)}
    assert {m.kind: m.content for m in market.memories.values()} == {
        "pricing": "Cameras sell near 100. Source rows: 4",
        "thread": "B paid at once.",
    }
    assert json.loads(market.feeds[B].listing_ids) == [5]
    assert [report.target_id for report in market.open_reports.values()] == [S]
    assert market.notes[S][-1] == (10, "buy.")
    assert outcome.imported.notes == {"reports_left_out": 1}


@pytest.mark.parametrize("policy", ["honest", "random"])
def test_an_imported_base_goes_on_under_our_platform(tmp_path: Path, policy: str) -> None:
    source = base_market().write(tmp_path / "released.db")
    base = import_database(source, tmp_path / "base.db")
    target = tmp_path / "continued.db"
    info = RecordInfo(
        market_name="continued",
        seed=base.info.seed,
        rules=base.info.rules,
        start_tick=10,
        end_tick=40,
        condition="L1",
        tested=(1, 6),
        parent_digest="0",
    )
    fork(base.path, target, info)
    with Record.open(target) as record:
        market = load(record.connection)
        simulation = scripted_simulation(record, market, plugins.load(), policy, seed=3)

        async def play() -> None:
            await simulation.play(40)

        anyio.run(play)
        assert same_state(load(record.connection), market)
    evidence = read(target)
    assert evidence.turns.asked > 30
    acting = {
        row[0]
        for row in read_only(target).execute("SELECT DISTINCT agent_id FROM turns WHERE tick > 10")
    }
    assert acting == set(range(1, 9))
    assert any(deal.ongoing for deal in evidence.deals)
    if policy == "honest":
        assert any(deal.completion for deal in evidence.deals)
