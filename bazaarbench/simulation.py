"""One tick of a market: choose → observe → decide → apply → dynamics → commit (SPEC §4.9).

The simulation knows policies and not what stands behind them: a script decides inline, a model
policy awaits its provider. Whatever the latency, the concurrency or the retries, the decisions are
applied in an order that the rules alone fix, and the tick reaches the record in one transaction.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import anyio

from bazaarbench.agents.observation import Observed, Observer
from bazaarbench.agents.policy import (
    Decision,
    Generate,
    Message,
    Observation,
    Policy,
    Reply,
    ScriptedPolicy,
    no_generate,
)
from bazaarbench.collector import seldom_collected
from bazaarbench.errors import BazaarError
from bazaarbench.market.draws import acts, draw
from bazaarbench.market.dynamics import end_of_tick
from bazaarbench.market.entities import Event, Turn
from bazaarbench.market.platform import Platform, is_schema_valid
from bazaarbench.market.record import Record
from bazaarbench.market.state import Market
from bazaarbench.truth import Planted, TruthLog

Role = Literal["tested", "background", "scripted"]


class ProviderOutage(BazaarError):
    """Too many model turns of one tick failed; nothing of that tick was committed (SPEC §13)."""


@dataclass(frozen=True, slots=True)
class Seat:
    """Who decides for one agent, and from which prompt.

    ``generate`` is how its policy reaches a model; scripts have none. ``seed`` is the policy seed,
    which includes the epoch.
    """

    role: Role
    policy: Policy
    persona_text: str
    seed: int
    generate: Generate | None = None


@dataclass(frozen=True, slots=True)
class TickReport:
    """What one committed tick held; ``settled`` are the deals (thread ids) that ended in it."""

    tick: int
    turns: int
    events: int
    model_turns: int
    failed_turns: int
    tested_turns: int
    tested_valid: int
    settled: tuple[int, ...]


@dataclass(slots=True)
class _Ask:
    """One agent's turn while it is being decided; keeps every request and reply for the record."""

    seat: Seat
    observation: Observation
    observed: Observed
    memory: dict[str, Any]
    requests: list[tuple[tuple[Message, ...], Reply]] = field(default_factory=list)
    decision: Decision | None = None

    async def generate(self, messages: Sequence[Message]) -> Reply:
        if self.seat.generate is None:
            return await no_generate(messages)
        reply = await self.seat.generate(messages)
        self.requests.append((tuple(messages), reply))
        return reply


class Simulation:
    """Plays a market tick by tick into its record."""

    def __init__(  # noqa: PLR0913 - the parts of a run, most by name
        self,
        record: Record,
        market: Market,
        platform: Platform,
        seats: Mapping[int, Seat],
        *,
        world: str,
        tools: Sequence[Any] = (),
        max_failed_permille: int = 100,
        truth: TruthLog | None = None,
        store_observations: bool = True,
    ) -> None:
        """Seat the agents.

        Args:
            record: open for writing, its last tick one before ``market.tick``.
            market: the live state; ``load(record)``.
            platform: the one door to ``market``.
            seats: one seat for every agent that takes turns.
            world: the world message, the same for all.
            tools: what is handed to policies as the tools; opaque here.
            max_failed_permille: share of one tick's model turns that may fail before the tick is
                given up.
            truth: where scripts' planted failures are written.
            store_observations: whether every observation's text is kept (off only in benchmarks).
        """
        self.record = record
        self.market = market
        self._platform = platform
        self._observer = Observer(market)
        self._seats = dict(sorted(seats.items()))
        self._world = world
        self._tools = tools
        self._max_failed_permille = max_failed_permille
        self._truth = truth
        self._store_observations = store_observations

    async def play(
        self,
        until_tick: int,
        on_tick: Callable[[TickReport], Awaitable[None]] | None = None,
    ) -> None:
        """Play up to and including ``until_tick``."""
        with seldom_collected():
            while self.market.tick <= until_tick:
                report = await self.play_tick()
                if on_tick is not None:
                    await on_tick(report)

    async def play_tick(self) -> TickReport:
        """Play and commit one tick.

        Raises:
            ProviderOutage: more than ``max_failed_permille`` of the model turns failed; the market
                and the record are as before the tick.
        """
        asks = self._observe()
        await self._decide(asks)
        model_turns = [ask for ask in asks.values() if ask.seat.role != "scripted"]
        failed = sum(_decision(ask).outcome == "failed" for ask in model_turns)
        if failed * 1000 > self._max_failed_permille * len(model_turns):
            raise ProviderOutage(self._outage(model_turns, failed))
        planted = self._apply(asks)
        shown = {agent_id: ask.observed.shown_messages for agent_id, ask in asks.items()}
        end_of_tick(self.market, shown)
        report = self._report(asks, len(model_turns), failed)
        if self._truth is not None and planted:
            self._truth.write(planted)
        self.record.commit(self.market)
        return report

    # ------------------------------------------------------------------------------- the steps

    def _observe(self) -> dict[int, _Ask]:
        market = self.market
        asks = {}
        for agent_id, seat in self._seats.items():
            rate = market.agents[agent_id].activity_permille
            if not acts(market.seed, agent_id, market.tick, rate):
                continue
            observed = self._observer.observe(agent_id)
            observation = Observation(
                agent_id=agent_id,
                tick=market.tick,
                seed=seat.seed,
                world=self._world,
                persona=seat.persona_text,
                data=observed.data,
                rendered=observed.text if self._store_observations else "",
            )
            asks[agent_id] = _Ask(seat, observation, observed, self._notebook(agent_id))
        return asks

    def _notebook(self, agent_id: int) -> dict[str, Any]:
        memory_id = self.market.notebook_of.get(agent_id)
        if memory_id is None:
            return {}
        notebook: dict[str, Any] = json.loads(self.market.memories[memory_id].content)
        return notebook

    async def _decide(self, asks: dict[int, _Ask]) -> None:
        waiting = []
        for ask in asks.values():
            policy = ask.seat.policy
            if isinstance(policy, ScriptedPolicy):
                ask.decision = policy.decide_now(ask.observation)
            else:
                waiting.append(ask)
        if not waiting:
            return
        async with anyio.create_task_group() as group:
            for ask in waiting:
                group.start_soon(self._decide_one, ask)

    async def _decide_one(self, ask: _Ask) -> None:
        ask.decision = await ask.seat.policy.decide(
            ask.observation, self._tools, ask.generate, ask.memory
        )

    def _apply(self, asks: dict[int, _Ask]) -> list[Planted]:
        planted: list[Planted] = []
        for agent_id in self._order(asks):
            ask = asks[agent_id]
            decision = _decision(ask)
            turn_id = self.market.next_turn_id
            events = [self._platform.perform(agent_id, turn_id, call) for call in decision.calls]
            planted.extend(_planted(decision, events))
            self.market.log_turn(self._turn(turn_id, ask, decision, events))
            scripted = isinstance(ask.seat.policy, ScriptedPolicy)
            if not scripted and ask.memory != self._notebook(agent_id):
                self.market.write_notebook(agent_id, json.dumps(ask.memory, sort_keys=True))
        return planted

    def _order(self, asks: Mapping[int, _Ask]) -> list[int]:
        if self.market.rules.apply_order == "ascending":
            return sorted(asks)
        tick, seed = self.market.tick, self.market.seed
        return sorted(asks, key=lambda agent_id: (draw("order", seed, tick, agent_id), agent_id))

    def _turn(self, turn_id: int, ask: _Ask, decision: Decision, events: Sequence[Event]) -> Turn:
        put = self.record.texts.put
        prompts = [[put(message.content) for message in sent] for sent, _ in ask.requests]
        replies = [put(reply.raw) for _, reply in ask.requests]
        return Turn(
            turn_id=turn_id,
            tick=self.market.tick,
            agent_id=ask.observation.agent_id,
            role=ask.seat.role,
            model=decision.model,
            outcome=decision.outcome,
            note=decision.note,
            reasoning=decision.reasoning,
            text=decision.text,
            stop_reason=decision.stop_reason,
            error=decision.error,
            calls=len(decision.calls),
            valid_calls=sum(is_schema_valid(event) for event in events),
            requests=len(ask.requests),
            observation=put(ask.observation.text) if self._store_observations else None,
            prompt=json.dumps(prompts) if prompts else "[]",
            reply=json.dumps(replies) if replies else "[]",
            usage=json.dumps(decision.usage, sort_keys=True) if decision.usage else "{}",
            latency_ms=decision.latency_ms,
            message_id=decision.message_id,
        )

    def _report(self, asks: Mapping[int, _Ask], model_turns: int, failed: int) -> TickReport:
        market = self.market
        tested = {a for a, ask in asks.items() if ask.seat.role == "tested"}
        turns = [turn for turn in market.new_turns if turn.agent_id in tested]
        settled = [
            thread.thread_id
            for thread in market.dirty["threads"].values()
            if thread.ended_tick == market.tick and thread.committed_tick is not None
        ]
        return TickReport(
            tick=market.tick,
            turns=len(asks),
            events=len(market.new_events),
            model_turns=model_turns,
            failed_turns=failed,
            tested_turns=len(tested),
            tested_valid=sum(turn.valid_calls > 0 for turn in turns),
            settled=tuple(sorted(settled)),
        )

    def _outage(self, model_turns: Sequence[_Ask], failed: int) -> str:
        errors = sorted({_decision(ask).error or "no reason given" for ask in model_turns})
        return (
            f"tick {self.market.tick}: {failed} of {len(model_turns)} model turns failed, more "
            f"than the allowed {self._max_failed_permille / 10:g} %. The tick was not committed; "
            "resume the run to repeat it, or raise -T max_failed_turns. First reason: "
            f"{errors[0][:300]}"
        )


def _decision(ask: _Ask) -> Decision:
    if ask.decision is None:
        raise RuntimeError(f"agent {ask.observation.agent_id} was asked and did not decide")
    return ask.decision


def _planted(decision: Decision, events: Sequence[Event]) -> list[Planted]:
    entries = []
    for plant in decision.plants:
        event = events[plant.call]
        # A photo that the draw left without a sensitive detail plants nothing.
        harmless = plant.type == "F5photo" and not event.private.get("sensitive")
        if event.status == "error" or harmless:
            continue
        entries.append(
            Planted(
                tick=event.tick,
                agent_id=event.agent_id or 0,
                type=plant.type,
                stage=3 if event.status == "ok" else 2,
                event_id=event.event_id,
                listing_id=event.listing_id,
                thread_id=event.thread_id,
                detail=plant.detail,
            )
        )
    return entries
