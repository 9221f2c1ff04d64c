"""How many turns a run will take: counted from the activity draws, not guessed (SPEC §4.9a).

Whether an agent takes a turn depends on the market's seed, the agent, the tick and the agent's
activity rate alone, so the turns of a run are known before it begins, whatever the models do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bazaarbench.market.draws import acts


@dataclass(frozen=True)
class Turns:
    """The turns of some agents: per agent, and per tick in the order of the ticks."""

    by_agent: Mapping[int, int]
    by_tick: tuple[int, ...]

    @property
    def total(self) -> int:
        """All turns; one model call each when a model plays without a scaffold."""
        return sum(self.by_tick)


def drawn_turns(seed: int, rates: Mapping[int, int], ticks: range) -> Turns:
    """The turns that some agents will take.

    Args:
        seed: the market's.
        rates: activity in permille, by agent.
        ticks: those of the run.
    """
    by_agent = dict.fromkeys(sorted(rates), 0)
    by_tick = []
    for tick in ticks:
        acting = [agent for agent in by_agent if acts(seed, agent, tick, rates[agent])]
        for agent in acting:
            by_agent[agent] += 1
        by_tick.append(len(acting))
    return Turns(by_agent, tuple(by_tick))
