"""Whole small markets under every preset and every switch alone: they trade, and nothing is lost.

What was played is read back in every way there is: loaded as live state after each tick, replayed
as evidence, measured by the failure types, and compared with the oracle.
"""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest

from bazaarbench.agents.observation import Observer, observe
from bazaarbench.agents.policies import POLICIES
from bazaarbench.agents.policies.crooked import Crooked
from bazaarbench.agents.policies.honest import Honest
from bazaarbench.agents.policies.random_ import Random
from bazaarbench.agents.policy import Script
from bazaarbench.agents.prompting import persona_text_of, world_text
from bazaarbench.evidence import read
from bazaarbench.market.checks import BUILT_IN_CHECKS
from bazaarbench.market.load import differences as state_differences
from bazaarbench.market.load import load
from bazaarbench.market.platform import Platform
from bazaarbench.market.record import Record, RecordInfo
from bazaarbench.market.rules import PRESETS, Rules
from bazaarbench.simulation import Seat, Simulation, TickReport
from bazaarbench.truth import TruthLog, truth_path
from bazaarbench.worlds import WorldSpec, found_market
from tests.agents.sights import CONDITION, live, world
from tests.market.test_rules import ALONE
from tests.oracle.agreement import differences
from tests.policies.defences import breaches
from tests.policies.worlds import compare, objects

#: Rules under which agents see, or may do, something else than in the paper.
OTHERS: dict[str, Rules] = {
    "truthful": PRESETS["truthful"],
    "informed": PRESETS["informed"],
    "hashed": Rules(apply_order="hashed"),
    "all": PRESETS["truthful"].model_copy(
        update={**PRESETS["informed"].model_dump(include={"unit_status_shown", "results_fed_back"})}
        | {"message_visibility": "until_seen", "apply_order": "hashed"}
    ),
}
#: All rules under which deals can complete: nobody can learn the code of an exchange (P §7.6).
EVERY = {
    name: rules
    for name, rules in {**PRESETS, **ALONE, "all": OTHERS["all"]}.items()
    if rules.handoff_proof == "ignored"
}
others = pytest.mark.parametrize("rules", OTHERS.values(), ids=OTHERS)


def played(  # noqa: PLR0913 - a market has that many sides
    path: Path,
    rules: Rules,
    policy: str,
    *,
    condition: str = "L1",
    agents: int = 20,
    ticks: int = 60,
    seed: int = 4,
    each_tick_loads: bool = False,
) -> Path:
    """A market in which everybody plays one script under one condition."""
    market = found_market(WorldSpec(name="rules", seed=seed, agents=agents), rules)
    info = RecordInfo(
        market_name="rules",
        seed=seed,
        rules=rules,
        start_tick=0,
        end_tick=ticks,
        condition=condition,
        tested=tuple(market.agents) if condition == "L3" else (),
    )
    with Record.create(path, market, info) as record:
        seats = {
            key: Seat(
                "scripted", POLICIES[policy](), persona_text_of(agent, CONDITION[condition]), 1
            )
            for key, agent in market.agents.items()
        }
        simulation = Simulation(
            record,
            market,
            Platform(market, BUILT_IN_CHECKS),
            seats,
            world=world_text(),
            truth=TruthLog(truth_path(path), last_tick=0),
        )

        async def same(report: TickReport) -> None:
            assert state_differences(load(record.connection), market) == []

        anyio.run(simulation.play, ticks, same if each_tick_loads else None)
    return path


# --------------------------------------------------------------------------------- honest trade


@pytest.mark.parametrize("rules", EVERY.values(), ids=EVERY)
def test_honest_agents_trade_by_meetup_and_by_post_and_fail_nowhere(
    rules: Rules, tmp_path: Path
) -> None:
    record = played(tmp_path / "m.db", rules, "honest")
    done = [deal.completion for deal in read(record).deals if deal.completion is not None]
    ways = [completion.exchange.method for completion in done]
    assert min(ways.count("meetup"), ways.count("ship")) >= 2
    assert not any(completion.conjured for completion in done)
    assert objects(record) == []


def test_nothing_completes_where_the_code_is_required(tmp_path: Path) -> None:
    record = played(tmp_path / "m.db", ALONE["handoff_proof=required"], "honest")
    deals = read(record).deals
    assert deals
    assert all(deal.completion is None for deal in deals)


def test_honest_buyers_look_at_what_arrives_before_they_confirm(tmp_path: Path) -> None:
    rules = ALONE["shipment_inspection=on_arrival"]
    record = played(tmp_path / "m.db", rules, "honest")
    done = [deal.completion for deal in read(record).deals if deal.completion is not None]
    assert done
    assert all(completion.inspection is not None for completion in done)


# ------------------------------------------------------------------------------------ foul play


@pytest.mark.parametrize("policy", ["crooked", "hasty", "random"])
def test_truthful_rules_hold_whatever_agents_do(policy: str, tmp_path: Path) -> None:
    condition = "L2" if policy == "hasty" else "L3"
    path = tmp_path / "m.db"
    record = played(path, PRESETS["truthful"], policy, condition=condition, ticks=84)
    found = breaches(record)
    assert found.lines == []
    assert found.completed > 0
    assert found.inspected > 0


def test_the_papers_rules_do_not_hold_that(tmp_path: Path) -> None:
    record = played(tmp_path / "m.db", PRESETS["paper"], "crooked", condition="L3", ticks=84)
    found = breaches(record)
    assert found.conjured
    assert found.doubled


@pytest.mark.parametrize("preset", ["truthful", "informed"])
def test_what_crooked_plants_is_found_and_nothing_else(preset: str, tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    record = played(path, PRESETS[preset], "crooked", condition="L3", ticks=84)
    result = compare(record)
    assert (result.missed, result.extra) == ([], [])
    assert set(result.found) == {"F1", "F2", "F3", "F5photo"}


# ------------------------------------------------------------------------------------ read back


@others
def test_a_record_loads_as_the_live_market_after_every_tick(rules: Rules, tmp_path: Path) -> None:
    played(tmp_path / "m.db", rules, "random", agents=12, ticks=24, each_tick_loads=True)


@others
@pytest.mark.parametrize("policy", ["random", "crooked"])
def test_the_replayed_ledger_is_the_live_one(rules: Rules, policy: str, tmp_path: Path) -> None:
    path = played(tmp_path / "m.db", rules, policy, condition="L3", ticks=40)
    ledger = read(path).ledger
    with Record.open(path) as record:
        market = load(record.connection)
    replayed = {
        unit_id: next((span.agent_id for span in spans if span.end is None), None)
        for unit_id, spans in ledger.spans_of_unit.items()
    }
    assert replayed == {unit.unit_id: unit.owner_id for unit in market.units.values()}


@others
@pytest.mark.parametrize("policy", ["random", "crooked"])
def test_the_oracle_and_the_measures_agree(rules: Rules, policy: str, tmp_path: Path) -> None:
    assert differences(played(tmp_path / "m.db", rules, policy, condition="L3", ticks=40)) == []


@others
@pytest.mark.parametrize("script", [Honest(), Crooked(), Random()], ids=lambda one: one.name)
def test_kept_rows_never_show_what_is_no_longer_so(rules: Rules, script: Script) -> None:
    market = world(agents=12, rules=rules)
    observer = Observer(market)
    for until in range(1, 26, 4):
        live(market, script, until, condition="L3")
        for agent_id in market.agents:
            assert observer.observe(agent_id) == observe(market, agent_id)
