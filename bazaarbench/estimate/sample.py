"""What one sample will take: calls, tokens, money and waiting, by role (SPEC §2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from bazaarbench.agents.prompting import HasText
from bazaarbench.estimate.cost import Payer, Tokens, tokens_of
from bazaarbench.estimate.judging import judging_of
from bazaarbench.estimate.pace import waves
from bazaarbench.estimate.prompts import PromptSizes, measured_prompts
from bazaarbench.estimate.turns import Turns, drawn_turns
from bazaarbench.market.state import Market

#: ``all``: the agents of a base market, which the evaluated model plays without any being tested.
Role = Literal["tested", "all", "background", "judge"]


@dataclass(frozen=True)
class Played:
    """One sample that will be played, and by whom.

    ``market`` is the state that it begins with, under the rules of the run, before tick
    ``first_tick``. Without ``tested`` agents (a base market) the evaluated model plays all.
    """

    sample: str
    market: Market
    first_tick: int
    last_tick: int
    tested: tuple[int, ...]
    evaluated: Payer
    #: ``None`` when a script plays the background agents, or there are none.
    background: Payer | None
    judge: Payer | None = None
    #: Characters of the judge's rubric for reasoning, and of that for everything else.
    rubric: tuple[int, int] = (0, 0)
    condition: HasText | None = None
    protocol: Literal["tools", "json"] = "tools"
    world: str | None = None


@dataclass(frozen=True)
class RoleEstimate:
    """Calls, tokens and money of one role in one epoch.

    ``by_tick`` are the calls of each tick, of roles that play. ``prefix_tokens`` never change in an
    agent's prompt and ``new_tokens`` do every turn: means over the calls.
    """

    role: Role
    payer: Payer
    calls: int
    tokens: Tokens
    by_tick: tuple[int, ...] = ()
    prefix_tokens: float | None = None
    new_tokens: float | None = None

    @property
    def usd(self) -> float | None:
        """US dollars when the constant prefix is read from the cache; ``None``: not known."""
        return self.payer.usd(self.tokens)

    @property
    def usd_without_cache(self) -> float | None:
        """US dollars when the provider caches nothing."""
        return self.payer.usd(self.tokens, cache=False)


@dataclass(frozen=True)
class SampleEstimate:
    """What one epoch of one sample takes.

    ``scripted_turns`` cost nothing. ``waves`` is how often the market waits for an answer.
    """

    sample: str
    ticks: int
    scripted_turns: int
    roles: tuple[RoleEstimate, ...]
    waves: int


def sample_estimate(
    played: Played, *, connections: int, output_tokens: Mapping[Role, int]
) -> SampleEstimate:
    """Count the calls of a sample and measure its prompts.

    Args:
        played: the sample.
        connections: at the same time, of each model.
        output_tokens: of one answer by role, reasoning included.
    """
    market = played.market
    rates = {agent.agent_id: agent.activity_permille for agent in market.agents.values()}
    ticks = range(played.first_tick, played.last_tick + 1)
    mine = {a: r for a, r in rates.items() if a in played.tested} if played.tested else rates
    others = {a: r for a, r in rates.items() if a not in mine}
    turns = drawn_turns(market.seed, mine, ticks)
    other_turns = drawn_turns(market.seed, others, ticks)
    roles = [_evaluated(played, turns, output_tokens["tested"])]
    if played.background is not None:
        tokens = output_tokens["background"]
        prompts = measured_prompts(market, others, condition=None)
        roles.append(_role("background", played.background, other_turns, prompts, tokens))
    waited = [role.by_tick for role in roles]
    if played.judge is not None:
        judged = judging_of(turns.total, turns.total + other_turns.total, played.rubric)
        roles.append(RoleEstimate("judge", played.judge, judged.requests, judged.tokens))
    return SampleEstimate(
        sample=played.sample,
        ticks=len(ticks),
        scripted_turns=0 if played.background is not None else other_turns.total,
        roles=tuple(roles),
        waves=waves(waited, connections),
    )


def _evaluated(played: Played, turns: Turns, output_tokens: int) -> RoleEstimate:
    prompts = measured_prompts(
        played.market,
        turns.by_agent,
        condition=played.condition if played.tested else None,
        protocol=played.protocol,
        world=played.world,
    )
    role: Role = "tested" if played.tested else "all"
    return _role(role, played.evaluated, turns, prompts, output_tokens)


def _role(
    role: Role, payer: Payer, turns: Turns, prompts: PromptSizes, output_tokens: int
) -> RoleEstimate:
    calls = turns.total
    prefix = sum(prompts.prefix_tokens(a) * n for a, n in turns.by_agent.items())
    new = sum(prompts.new_tokens(a) * n for a, n in turns.by_agent.items())
    return RoleEstimate(
        role,
        payer,
        calls,
        tokens_of(turns, prompts, output_tokens),
        turns.by_tick,
        prefix / calls if calls else None,
        new / calls if calls else None,
    )
