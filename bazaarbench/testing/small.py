"""A small market that is played action by action into a record, and measured."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from bazaarbench import plugins
from bazaarbench.errors import SettingError
from bazaarbench.evidence import Evidence, read
from bazaarbench.failures.base import FailureObject, FailureType
from bazaarbench.findings.objects import ask
from bazaarbench.market.calls import ToolCall
from bazaarbench.market.checks import Check
from bazaarbench.market.dynamics import end_of_tick
from bazaarbench.market.entities import Agent, Event, Holding, Unit
from bazaarbench.market.platform import Platform
from bazaarbench.market.record import Record, RecordInfo
from bazaarbench.market.rules import Rules
from bazaarbench.market.state import Market

#: A call (agent, action, arguments), or the tick at which the story goes on.
Step = int | tuple[int, str, dict[str, Any]]

#: Far behind the end of any story.
_END = 1_000_000


class SmallMarket:
    """A few agents in a market; ids of everything count from 1 in the order in which it is made.

    Give agents units first, then play::

        market = SmallMarket(folder)
        market.give(1, "Oak desk")
        events = market.play([(1, "create_listing", {…}), 2, (2, "pin", {"listing_id": 1})])
        found = market.failures(MyType())
    """

    def __init__(
        self,
        folder: Path,
        *,
        agents: int = 3,
        seed: int = 0,
        rules: Rules | str = "paper",
        checks: Sequence[Check] = (),
        tested: Sequence[int] = (),
    ) -> None:
        """Found the market at tick 1.

        Args:
            folder: where its record is to lie.
            agents: how many there are.
            seed: of everything that is drawn.
            rules: themselves, or the name of a registered preset.
            checks: to be asked beside the registered ones.
            tested: the agents that are measured; without any, all are.

        Raises:
            SettingError: there is no such preset.
        """
        registry = plugins.load()
        if isinstance(rules, str):
            if rules not in registry.presets:
                raise SettingError(
                    f"unknown preset {rules!r}; there are {', '.join(registry.presets)}"
                )
            rules = registry.presets[rules]
        added = {check.name for check in checks}
        known = [check for check in registry.checks.values() if check.name not in added]
        self.market = Market(seed=seed, rules=rules)
        for agent_id in range(1, agents + 1):
            self.market.add(_agent(agent_id))
        self._checks = (*known, *checks)
        self._path = folder / "small.db"
        self._tested = tuple(tested)
        self._record: Record | None = None
        self._platform = Platform(self.market, self._checks)

    def give(
        self,
        owner: int,
        title: str,
        *,
        category: str = "electronics",
        quality_pct: int = 72,
        asking_cents: int = 10_000,
        cost_cents: int = 4_000,
    ) -> int:
        """Give an agent a unit, before anything is played; returns its id.

        Args:
            owner: the agent.
            title: what it is.
            category: where it belongs.
            quality_pct: its condition in percent.
            asking_cents: what it should bring.
            cost_cents: what it has cost.

        Raises:
            SettingError: something was played already.
        """
        if self._record is not None:
            raise SettingError("units are given before anything is played")
        market = self.market
        unit = Unit(
            unit_id=market.new_id(Unit),
            owner_id=None,
            title=title,
            category=category,
            description="",
            condition="good",
            quality_pct=quality_pct,
            origin="initial",
            entered_tick=0,
            asking_cents=asking_cents,
            entry_cost_cents=cost_cents,
            transfers=0,
        )
        market.add(unit)
        holding = Holding(
            holding_id=market.new_id(Holding),
            unit_id=unit.unit_id,
            agent_id=owner,
            how="initial",
            from_tick=0,
            from_event=0,
            cost_cents=cost_cents,
            thread_id=None,
        )
        market.open_holding(unit, holding)
        return unit.unit_id

    def play(self, story: Iterable[Step]) -> list[Event]:
        """Play a story; returns the event of every call, in order."""
        record = self._opened()
        events = []
        for step in story:
            if isinstance(step, int):
                while self.market.tick < step:
                    self._end_tick(record)
            else:
                agent_id, action, arguments = step
                events.append(self._platform.perform(agent_id, None, ToolCall(action, arguments)))
        return events

    def evidence(self) -> Evidence:
        """End the tick and read back what was played so far."""
        self._end_tick(self._opened())
        return read(self._path)

    def failures(self, failure_type: FailureType) -> list[FailureObject]:
        """End the tick and give what a type finds in all that was played.

        Raises:
            AssertionError: the type is faulty: it raised, or answered with something that would not
                be scored.
        """
        row, found = ask(self.evidence(), failure_type)
        if row.fault is not None:
            raise AssertionError(row.fault)
        return list(found or ())

    def close(self) -> None:
        """Close the record."""
        if self._record is not None:
            self._record.close()

    def _end_tick(self, record: Record) -> None:
        end_of_tick(self.market, {})
        record.commit(self.market)

    def _opened(self) -> Record:
        if self._record is None:
            _log_agents(self.market)
            self.market.tick = 1
            info = RecordInfo(
                market_name="small",
                seed=self.market.seed,
                rules=self.market.rules,
                start_tick=0,
                end_tick=_END,
                tested=self._tested,
            )
            self._record = Record.create(self._path, self.market, info)
        return self._record


def _agent(agent_id: int) -> Agent:
    return Agent(
        agent_id=agent_id,
        user_name=f"user{agent_id}",
        display_name=f"User {agent_id}",
        status="active",
        zip=f"{90_000 + agent_id % 1_000}",
        x_m=1_000 * agent_id,
        y_m=0,
        street=f"{100 + agent_id} Example Street",
        device="Phone 9",
        activity_permille=1_000,
        privacy_permille=500,
        tier="casual",
        joined_tick=-100,
        persona="{}",
    )


def _log_agents(market: Market) -> None:
    """What the platform logs of a market that is founded: its agents and their units."""
    for agent_id, agent in market.agents.items():
        held = [market.units[unit_id] for unit_id in sorted(market.units_of.get(agent_id, ()))]
        units = [
            {
                "unit_id": unit.unit_id,
                "title": unit.title,
                "category": unit.category,
                "condition": unit.condition,
                "quality_pct": unit.quality_pct,
                "cost_cents": unit.entry_cost_cents,
                "asking_cents": unit.asking_cents,
            }
            for unit in held
        ]
        payload = {"agent_id": agent_id, "user_name": agent.user_name}
        market.log("platform_register_agent", payload, private={"units": units})
