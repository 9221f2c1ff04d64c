"""What a scoring may spend, in US dollars or tokens: reserved for before asking (SPEC §8.5)."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Literal

import anyio

from bazaarbench.errors import SettingError
from bazaarbench.judge.packing import estimated_tokens
from bazaarbench.judge.requests import Request

#: Tokens that a decision takes in an answer, estimated to the careful side.
TOKENS_PER_DECISION = 300
_BUDGET = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(k|m)?\s*(tokens|usd|\$)?\s*", re.IGNORECASE)
_FACTOR = {"": 1, "k": 1_000, "m": 1_000_000}

Paid = Callable[[Mapping[str, int], float | None], None]


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for one million tokens."""

    read: float
    written: float

    def of(self, read: float, written: float) -> float:
        """What so many tokens cost."""
        return (read * self.read + written * self.written) / 1_000_000


@dataclass(frozen=True, slots=True)
class Budget:
    """A bound on what one scoring of one sample spends."""

    amount: float
    unit: Literal["usd", "tokens"]


def budget_of(told: float | str | None) -> Budget | None:
    """A budget as it is written: ``5`` or ``5 usd`` are dollars, ``300k tokens`` tokens.

    Raises:
        SettingError: it is neither.
    """
    if told is None:
        return None
    match = _BUDGET.fullmatch(str(told))
    if isinstance(told, bool) or match is None or (match[2] and not match[3]):
        raise SettingError(
            f"judge_budget={told!r:.80}: allowed is a number of US dollars, such as 5 or 2.50, or "
            "of tokens, such as '300000 tokens' or '2M tokens'."
        )
    unit: Literal["usd", "tokens"] = "tokens" if (match[3] or "").lower() == "tokens" else "usd"
    return Budget(float(match[1]) * _FACTOR[(match[2] or "").lower()], unit)


@dataclass
class Purse:
    """What is left of a budget. Requests on their way are reserved for at their estimated cost.

    The first request goes alone, so that estimates are set right by what an answer really costs
    (reasoning cannot be foreseen). Once a request does not fit, nothing more is asked: the rest
    stays unscored.
    """

    budget: Budget | None = None
    price: Price | None = None
    stopped: bool = False
    _used: float = 0.0
    _reserved: float = 0.0
    #: By how much the dearest answer was dearer than estimated; 0 before the first one.
    _factor: float = 0.0
    _alone: anyio.Lock = field(default_factory=anyio.Lock)

    def __post_init__(self) -> None:
        """Refuse a budget that could not be kept to.

        Raises:
            SettingError: it is in dollars and the price is not known.
        """
        if self.budget is not None and self.budget.unit == "usd" and self.price is None:
            raise SettingError(
                "judge_budget is in US dollars and the price of the judge's model is not known. "
                "Give prices with --model-cost-config, or a budget of tokens such as '2M tokens'."
            )

    @asynccontextmanager
    async def reserved(self, request: Request, decisions: int) -> AsyncIterator[Paid | None]:
        """Room for one request; ``None`` when there is none left.

        The block calls what it gets with the usage and the cost of the answer.
        """
        estimate = self._estimate(request, decisions)
        if self.budget is None or self._factor:
            with self._taken(estimate) as paid:
                yield paid
            return
        async with self._alone:
            with self._taken(estimate) as paid:
                yield paid

    @contextmanager
    def _taken(self, estimate: float) -> Iterator[Paid | None]:
        room = estimate * max(1.0, self._factor)
        if self.budget is not None and (
            self.stopped or self._used + self._reserved + room > self.budget.amount
        ):
            self.stopped = True
            yield None
            return

        def paid(usage: Mapping[str, int], cost_usd: float | None) -> None:
            cost = self._actual(usage, cost_usd)
            if cost is not None:
                self._factor = max(self._factor, cost / estimate if estimate else 1.0)
            self._used += room if cost is None else cost

        self._reserved += room
        try:
            yield paid
        finally:
            self._reserved -= room

    def _estimate(self, request: Request, decisions: int) -> float:
        read = estimated_tokens(len(request.system.encode()) + len(request.user.encode()))
        written = TOKENS_PER_DECISION * decisions
        if self.budget is None or self.budget.unit == "tokens" or self.price is None:
            return read + written
        return self.price.of(read, written)

    def _actual(self, usage: Mapping[str, int], cost_usd: float | None) -> float | None:
        """What an answer cost in the unit of the budget; ``None`` when nobody says so."""
        if self.budget is not None and self.budget.unit == "usd":
            return cost_usd
        parts = usage.get("input_tokens", 0) + usage.get("output_tokens", 0)
        return usage.get("total_tokens", parts) or None
