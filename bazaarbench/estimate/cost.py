"""Tokens and money of one role in one run (SPEC §2, §8.5)."""

from __future__ import annotations

from dataclasses import dataclass, fields

from bazaarbench.estimate.prompts import PromptSizes
from bazaarbench.estimate.turns import Turns
from bazaarbench.model_settings import Prices

_MILLION = 1_000_000


@dataclass(frozen=True)
class Tokens:
    """Tokens, estimated. ``cached`` are those of input that a prompt cache can hold."""

    cached: int = 0
    uncached: int = 0
    output: int = 0

    @property
    def input(self) -> int:
        """All input."""
        return self.cached + self.uncached

    def __add__(self, other: Tokens) -> Tokens:
        """The sum, part by part."""
        return Tokens(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))

    def times(self, times: int) -> Tokens:
        """So many times as much."""
        return Tokens(*(getattr(self, f.name) * times for f in fields(self)))


@dataclass(frozen=True)
class Payer:
    """Who is paid: a model with its prices, or a script, which costs nothing.

    ``prices`` are ``None`` when nobody has said them; ``unknown`` says so then.
    """

    name: str
    prices: Prices | None
    unknown: str | None = None

    def usd(self, tokens: Tokens, *, cache: bool = True) -> float | None:
        """US dollars for some tokens; ``None`` when the prices are not known.

        Args:
            tokens: of one or many calls.
            cache: whether the provider reads the constant prefix from its cache.
        """
        if self.prices is None:
            return None
        each = self.prices.input_usd
        cached = self.prices.cached_input_usd if cache else None
        return (
            tokens.cached * (each if cached is None else cached)
            + tokens.uncached * each
            + tokens.output * self.prices.output_usd
        ) / _MILLION


#: What a script costs.
FREE = Prices(input_usd=0, output_usd=0)


def tokens_of(turns: Turns, prompts: PromptSizes, output_tokens: int) -> Tokens:
    """The tokens of one run's calls to a model, one call a turn.

    The first call of all fills the cache with what all agents share, the first call of an agent
    with its persona message; every later one reads them.

    Args:
        turns: of the agents that the model plays.
        prompts: theirs.
        output_tokens: of one answer, reasoning included.
    """
    cached = uncached = 0
    shared = prompts.shared_tokens()
    filled = False
    for agent, count in turns.by_agent.items():
        if not count:
            continue
        prefix = prompts.prefix_tokens(agent)
        first = prefix - shared if filled else prefix
        filled = True
        cached += prefix * count - first
        uncached += prompts.new_tokens(agent) * count + first
    return Tokens(cached, uncached, turns.total * output_tokens)
