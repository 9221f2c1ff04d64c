"""``load(record)`` equals the live state after every tick (SPEC §4.9)."""

from __future__ import annotations

from pathlib import Path

import pytest

from bazaarbench.market.entities import Agent
from bazaarbench.market.load import differences, load, same_state
from bazaarbench.market.record import Record, read_only
from bazaarbench.market.state import Market
from tests.market.rows import Wanderer, agent, founded, info_of, listing


@pytest.mark.parametrize("seed", range(4))
def test_load_equals_the_live_state_after_every_tick(tmp_path: Path, seed: int) -> None:
    market = founded(8, seed=seed)
    with Record.create(tmp_path / "m.db", market, info_of(market)) as record:
        assert differences(load(record.connection), market) == []
        wanderer = Wanderer(market, seed)
        for _ in range(60):
            wanderer.play_tick()
            record.commit(market)
            assert differences(load(record.connection), market) == []
    assert len(market.to_rate) > 1
    assert any(len(deque) == deque.maxlen for deque in market.history.values())
    assert any(len(deque) == deque.maxlen for deque in market.discoveries.values())


def test_a_loaded_market_goes_on_as_the_live_one(tmp_path: Path) -> None:
    live = founded()
    with Record.create(tmp_path / "live.db", live, info_of(live)) as record:
        Wanderer(live, 1).play_tick(100)
        record.commit(live)
    loaded = load(read_only(tmp_path / "live.db"))
    Wanderer(live, 2).play_tick(100)
    Wanderer(loaded, 2).play_tick(100)
    assert differences(loaded, live) == []


def test_a_loaded_market_has_nothing_to_write(tmp_path: Path) -> None:
    market = founded()
    Record.create(tmp_path / "m.db", market, info_of(market)).close()
    loaded = load(read_only(tmp_path / "m.db"))
    assert (dict(loaded.dirty), loaded.new_events, loaded.new_turns) == ({}, [], [])
    assert loaded.tick == market.tick == 1


def _changed_row(market: Market) -> None:
    market.agents[1].status = "banned"


def _missing_index_entry(market: Market) -> None:
    market.units_of[1].clear()


def _unlisted(market: Market) -> None:
    market.search.remove(market.listings[1])


def _other_place(market: Market) -> None:
    market.grid.remove(market.listings[1])
    market.grid.add(listing(1, 1, x_m=5))


def _new_row(market: Market) -> None:
    market.add(agent(market.new_id(Agent)), stored=True)


@pytest.mark.parametrize(
    "change", [_changed_row, _missing_index_entry, _unlisted, _other_place, _new_row]
)
def test_same_state_sees_a_difference_in_rows_and_in_indexes(change: object) -> None:
    a, b = founded(), founded()
    assert same_state(a, b)
    change(b)  # type: ignore[operator]
    assert not same_state(a, b)


def test_same_state_ignores_empty_entries_that_reading_an_index_leaves() -> None:
    a, b = founded(), founded()
    assert not b.units_of[999]
    assert not b.active_price_sum["nothing"]
    assert b.reputation[999].count == 0
    assert same_state(a, b)
