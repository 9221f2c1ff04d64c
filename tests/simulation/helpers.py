"""Small scripted markets for the simulation's tests."""

from __future__ import annotations

from collections.abc import Sequence
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any

import anyio

from bazaarbench.agents.policy import Decision, Generate, Observation, ScriptedPolicy
from bazaarbench.agents.prompting import persona_text_of, world_text
from bazaarbench.market.draws import below
from bazaarbench.market.load import load
from bazaarbench.market.meta import RecordInfo
from bazaarbench.market.platform import Platform
from bazaarbench.market.record import Record
from bazaarbench.market.rules import PRESETS
from bazaarbench.plugins import load as load_plugins
from bazaarbench.simulation import Seat, Simulation, TickReport
from bazaarbench.truth import TruthLog, truth_path
from bazaarbench.worlds import WorldSpec, found_market

AGENTS = 20


class Late:
    """A script that answers after a while, like a provider; at most ``at_once`` at a time."""

    def __init__(self, script: ScriptedPolicy, *, at_once: int, max_ms: int, key: int) -> None:
        self.name = script.name
        self._script = script
        self._limit = anyio.Semaphore(at_once)
        self._max_ms = max_ms
        self._key = key

    async def decide(
        self,
        observation: Observation,
        tools: Sequence[Any],
        generate: Generate,
        memory: dict[str, Any],
    ) -> Decision:
        async with self._limit:
            wait = below(self._max_ms + 1, self._key, observation.agent_id, observation.tick)
            await anyio.sleep(wait / 1000)
            return self._script.decide_now(observation)


def found(path: Path, *, seed: int = 3, agents: int = AGENTS) -> Path:
    """A record of a small market at tick 0."""
    spec = WorldSpec(name="small", seed=seed, agents=agents)
    market = found_market(spec, PRESETS["paper"])
    info = RecordInfo(
        market_name="small", seed=seed, rules=PRESETS["paper"], start_tick=0, end_tick=400
    )
    Record.create(path, market, info).close()
    return path


def play(
    path: Path,
    until: int,
    *,
    policy: str = "random",
    late: dict[str, int] | None = None,
    playing: Event | None = None,
) -> None:
    """Open the record, go on where it stands, and close it at ``until``.

    ``playing`` is set once the first tick is committed.
    """
    registry = load_plugins()
    record = Record.open(path)
    market = load(record.connection)
    script: Any = registry.policies[policy]()
    decider = script if late is None else Late(script, **late)
    simulation = Simulation(
        record,
        market,
        Platform(market, tuple(registry.checks.values())),
        {
            agent_id: Seat("scripted", decider, persona_text_of(agent), 11)
            for agent_id, agent in market.agents.items()
        },
        world=world_text(),
        truth=TruthLog(truth_path(path), last_tick=market.tick - 1),
    )

    async def on_tick(report: TickReport) -> None:
        if playing is not None:
            playing.set()

    anyio.run(simulation.play, until, on_tick)
    record.close()
