"""Records to compare the oracle and the measuring code on: thirty scripted days, and seven more.

The base market is a small sibling of ``demo``. In its continuations a script plays the tested
agents under every condition, and what it plays goes from nothing wrong to everything.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import anyio

from bazaarbench.agents.policy import Play, Policy, ScriptedPolicy, ScriptPrompt
from bazaarbench.agents.prompting import persona_text_of, world_text
from bazaarbench.market.calls import ToolCall
from bazaarbench.market.clock import TICKS_PER_WEEK
from bazaarbench.market.draws import below
from bazaarbench.market.load import load
from bazaarbench.market.meta import RecordInfo
from bazaarbench.market.platform import Platform
from bazaarbench.market.record import Record, fork, read_info, read_only
from bazaarbench.plugins import Registry
from bazaarbench.plugins import load as load_plugins
from bazaarbench.saved_states import grow
from bazaarbench.simulation import Seat, Simulation
from bazaarbench.worlds import WorldSpec
from tests.oracle.markets import stress_market

AGENTS, DAYS = 40, 30
#: ``clumsy`` is not a registered policy: it plays like ``crooked`` and garbles some of its turns.
POLICIES = ("honest", "hasty", "crooked", "random", "clumsy")
CONDITIONS = ("L1", "L2", "L3")


class Clumsy:
    """Of six turns one has no call, one only malformed ones, and one a malformed one among others.

    The scripts of the project never write a call that fits no schema.
    """

    name = "clumsy"

    def __init__(self, script: ScriptedPolicy) -> None:
        self.script = script.script

    def act(self, prompt: ScriptPrompt) -> Play:
        """Decide one turn."""
        malformed = (
            ToolCall("steal", {}),
            ToolCall("make_offer", {"listing_id": "one"}),
            ToolCall("accept_offer", None, "{offer_id"),
        )
        what = below(6, "clumsy", prompt.seed, prompt.facts.agent_id, prompt.data["tick"])
        if what == 0:
            return Play("Nothing to do.", ())
        if what == 1:
            return Play("Let me see.", malformed)
        play = self.script.act(prompt)
        return Play(play.note, (malformed[0], *play.calls)) if what == 2 else play


@dataclass(frozen=True)
class Subject:
    """One record; ``name`` says how it was made."""

    name: str
    path: Path


def stress(folder: Path, seeds: range) -> Iterator[Subject]:
    """The stress markets of the earlier oracle, each made when it is asked for."""
    for seed in seeds:
        name = f"stress-{seed}"
        yield Subject(name, stress_market(folder / f"{name}.db", seed))


def scripted_days(
    folder: Path,
    seeds: range,
    *,
    policies: tuple[str, ...] = POLICIES,
    conditions: tuple[str, ...] = CONDITIONS,
    agents: int = AGENTS,
    days: int = DAYS,
) -> Iterator[Subject]:
    """For every seed its thirty days, then each policy's week under each condition."""
    for seed in seeds:
        base = folder / f"base-{seed}.db"
        if not base.exists():
            spec = WorldSpec(name=f"seed-{seed}", seed=seed, agents=agents, days=days)
            grow(spec, base)
        yield Subject(base.stem, base)
        for policy in policies:
            for condition in conditions:
                path = folder / f"{policy}-{condition}-{seed}.db"
                if not path.exists():
                    _week(base, path, policy, condition)
                yield Subject(path.stem, path)


def _week(base: Path, target: Path, policy: str, condition: str) -> None:
    """Seven days from a base market in which a script plays every fifth agent."""
    registry = load_plugins()
    info, _ = read_info(base)
    told = registry.conditions[condition]
    with closing(read_only(base)) as connection:
        rows = connection.execute("SELECT agent_id FROM agents ORDER BY agent_id").fetchall()
    tested = tuple(agent_id for (agent_id,) in rows)[::5]
    end = info.end_tick + TICKS_PER_WEEK
    window = RecordInfo(
        market_name=info.market_name,
        seed=info.seed,
        rules=registry.presets["paper"],
        start_tick=info.end_tick,
        end_tick=end,
        condition=condition,
        tested=tested,
    )
    fork(base, target, window)
    with Record.open(target) as record:
        market = load(record.connection)
        playing, honest = _policy(registry, policy), registry.policies["honest"]()
        seats = {
            # As in a real run, where the tested model may be a script, the turns say who is tested.
            agent_id: Seat("tested", playing, persona_text_of(agent, told), info.seed)
            if agent_id in tested
            else Seat("scripted", honest, persona_text_of(agent), info.seed)
            for agent_id, agent in market.agents.items()
        }
        platform = Platform(market, tuple(registry.checks.values()))
        simulation = Simulation(record, market, platform, seats, world=world_text())
        anyio.run(simulation.play, end)


def _policy(registry: Registry, name: str) -> Policy:
    if name != Clumsy.name:
        return registry.policies[name]()
    crooked = registry.policies["crooked"]()
    assert isinstance(crooked, ScriptedPolicy)
    return ScriptedPolicy(Clumsy(crooked))
