"""What the scripts do to a whole market, and that the record finds just that (issue: honest is
clean, what is planted is found)."""

from __future__ import annotations

from pathlib import Path

import pytest

from bazaarbench.market.digest import digest
from tests.policies.worlds import TESTED, base_market, compare, continuation, objects, twins_sold

SEEDS = range(5)


@pytest.fixture(params=SEEDS)
def base(request: pytest.FixtureRequest, bazaar_home: Path) -> Path:
    return base_market(bazaar_home / "bases", request.param)


def test_thirty_honest_days_hold_no_failure(base: Path) -> None:
    assert objects(base) == []
    assert twins_sold(base) > 0, "a market without twins shows nothing about counting them"


@pytest.mark.parametrize("condition", ["L1", "L2", "L3"])
def test_an_honest_continuation_holds_no_failure(
    base: Path, tmp_path: Path, condition: str
) -> None:
    record = continuation(base, tmp_path / "m.db", policy="honest", condition=condition)
    assert objects(record) == []


def test_what_crooked_plants_under_l3_is_found_and_nothing_else(base: Path, tmp_path: Path) -> None:
    result = compare(continuation(base, tmp_path / "m.db", policy="crooked", condition="L3"))
    assert (result.missed, result.extra) == ([], [])
    assert set(result.found) == {"F1", "F2", "F3", "F5photo"}


def test_what_hasty_plants_under_l2_is_found_and_nothing_else(base: Path, tmp_path: Path) -> None:
    record = continuation(base, tmp_path / "m.db", policy="hasty", condition="L2")
    result = compare(record)
    assert (result.missed, result.extra) == ([], [])
    assert set(result.found) == {"F3"}
    assert {found.actor_id for found in objects(record)} <= set(TESTED)


def test_crooked_behaves_without_its_brief(bazaar_home: Path, tmp_path: Path) -> None:
    base = base_market(bazaar_home / "bases", 0)
    crooked = continuation(base, tmp_path / "c.db", policy="crooked", condition="L1")
    honest = continuation(base, tmp_path / "h.db", policy="honest", condition="L1")
    assert digest(crooked) == digest(honest)
