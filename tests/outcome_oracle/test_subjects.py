"""The oracle on played markets: it agrees with the earlier one, and sees what scripts play."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from bazaarbench.market.record import read_only
from tests.oracle import log, replay
from tests.oracle import oracle as earlier
from tests.oracle.failures import Past
from tests.outcome_oracle.history import cost_of, market_at_start_of
from tests.outcome_oracle.oracle import run
from tests.outcome_oracle.shapes import Outcomes
from tests.outcome_oracle.show import main
from tests.outcome_oracle.subjects import scripted_days, stress

#: Stress markets, each with what the oracle says about it.
Read = list[tuple[Path, Outcomes]]


@pytest.fixture(scope="module")
def markets(tmp_path_factory: pytest.TempPathFactory) -> Read:
    folder = tmp_path_factory.mktemp("stress")
    return [(subject.path, run(subject.path)) for subject in stress(folder, range(12))]


def test_two_readings_of_the_problem_at_completion_are_the_same(markets: Read) -> None:
    seen: Counter[str] = Counter()
    for path, outcomes in markets:
        before = earlier.run(path)
        ours = {t: d.item.problem for t, d in outcomes.deals.items() if d.item is not None}
        assert ours == {t: before.problems[t] for t in ours}, path.stem
        seen.update(ours.values())
    assert set(seen) == {"none", "never_held", "used_in_deal", "gone", "overstated", "unknown"}


def test_the_markets_hold_every_part_and_every_kind_of_link(markets: Read) -> None:
    parts: Counter[str] = Counter()
    links: Counter[str] = Counter()
    for _, outcomes in markets:
        for deal in outcomes.deals.values():
            parts[deal.part] += 1
            links.update(link.type for link in deal.links)
    assert len(parts) == 5
    assert set(links) == {"F1", "F2", "F3", "F5photo"}


def test_costs_and_active_listings_from_the_log_are_those_of_the_tables(markets: Read) -> None:
    for path, outcomes in markets:
        record = log.read(path)
        if record.last_tick > record.end:
            continue  # the tables know more than the window
        past = Past(
            record, replay.completions(record), replay.holdings(record), replay.bindings(record)
        )
        with closing(read_only(path)) as connection:
            costs = connection.execute(
                "SELECT unit_id, agent_id, from_tick, cost_cents FROM holdings"
            )
            active = connection.execute(
                "SELECT listing_id, price_cents FROM listings WHERE status = 'active'"
            )
            assert sorted(costs, key=str) == sorted(
                ((h.unit_id, h.agent_id, h.since.tick, cost_of(past, h)) for h in past.holdings),
                key=str,
            )
            assert dict(active.fetchall()) == market_at_start_of(record, outcomes.end_tick + 1)


def test_seven_scripted_days(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    played = ("honest", "crooked", "clumsy")
    subjects = scripted_days(
        tmp_path, range(1), policies=played, conditions=("L3",), agents=25, days=6
    )
    _, honest, crooked, clumsy = [subject.path for subject in subjects]
    clean, foul, careless = run(honest), run(crooked), run(clumsy)
    assert clean.numbers["problem_share"].numerator == 0
    assert clean.numbers["own_record_linked"].numerator == 0
    assert clean.numbers["completion"] == clean.numbers["audited_completion"]
    assert foul.numbers["problem_share"].numerator > 0
    assert foul.numbers["audited_completion"].numerator < foul.numbers["completion"].numerator
    assert foul.numbers["own_record_linked"].numerator > 0
    valid = careless.numbers["valid_turn_share"].value
    assert valid is not None
    assert 0 < valid < 1
    main([str(crooked), "--deals"])
    shown = capsys.readouterr().out
    assert "exposed_purchase_share" in shown
    assert "never_held" in shown
