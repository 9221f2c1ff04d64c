"""What a run spends, counted in its record, and where its budget ends it (SPEC §2, §13).

Inspect's own totals cover one attempt; these cover all of them. A tick whose calls were answered
but that never was committed (an outage, a limit, a kill) is played again, and its first answers
were paid for too: they stand in a file beside the record (``bazaarbench.evals.lost_answers``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from inspect_ai.model import Model, ModelCost, get_model_info

from bazaarbench.errors import SettingError
from bazaarbench.evals.provider import PROVIDER
from bazaarbench.judge.budgets import Budget, budget_of

_MILLION = 1_000_000
#: What a cache write for an hour costs, by that for five minutes (Anthropic; Inspect's factor).
_HOUR = 1.6
#: The kinds of a usage that say what is paid, and the price of each.
_PRICED = {
    "input_tokens": "input",
    "output_tokens": "output",
    "input_tokens_cache_write": "input_cache_write",
    "input_tokens_cache_read": "input_cache_read",
}


@dataclass(frozen=True)
class Charge:
    """What calls of one role came to: how many, and their tokens by kind."""

    role: str
    calls: int
    usage: Mapping[str, int]


def budgets_of(told: Sequence[str]) -> tuple[Budget, ...]:
    """Budgets as they are written: US dollars, tokens, or one of each.

    Raises:
        SettingError: one is neither, or there are two of a kind.
    """
    found: dict[str, Budget] = {}
    for text in told:
        budget = None
        with suppress(SettingError):
            budget = budget_of(text)
        if budget is None or not budget.amount:
            raise SettingError(
                f"budget={text!r:.80}: allowed is a number of US dollars, such as 5 or 2.50, or of "
                "tokens, such as '300000 tokens' or '2M tokens', or one of each in a list."
            )
        if budget.unit in found:
            raise SettingError(f"budget={','.join(told):.80}: two amounts in {budget.unit}.")
        found[budget.unit] = budget
    return tuple(found.values())


def cost_of(model: Model | None) -> ModelCost | None:
    """US dollars for a million tokens of each kind, as Inspect knows them; a script costs nothing.

    ``None`` when nobody has said what the model costs.
    """
    if model is None or str(model).startswith(f"{PROVIDER}/"):
        return ModelCost(input=0, output=0, input_cache_write=0, input_cache_read=0)
    info = get_model_info(model)
    cost = None if info is None else info.cost
    if cost is not None and model.api.cache_write_ttl() == "1h":
        return cost.model_copy(update={"input_cache_write": cost.input_cache_write * _HOUR})
    return cost


def refuse_unpriced(budgets: Iterable[Budget], models: Iterable[Model]) -> None:
    """Refuse a budget in dollars where what is paid is not known.

    Raises:
        SettingError: naming the model.
    """
    if all(budget.unit != "usd" for budget in budgets):
        return
    for model in models:
        if cost_of(model) is None:
            raise SettingError(
                f"-T budget is in US dollars and the price of {model} is not known. Give prices "
                "with --model-cost-config or a named model setting, or a budget of tokens such as "
                "'2M tokens'."
            )


def tokens_in(usage: Mapping[str, int]) -> int:
    """All tokens of a usage, those from a cache too."""
    return usage.get("total_tokens") or sum(usage.get(kind, 0) for kind in _PRICED)


def usd_of(usage: Mapping[str, int], cost: ModelCost | None) -> float | None:
    """What a usage costs in US dollars; ``None`` without prices."""
    if cost is None:
        return None
    paid = sum(usage.get(kind, 0) * getattr(cost, price) for kind, price in _PRICED.items())
    return float(paid) / _MILLION


@dataclass
class Account:
    """All that a run has spent so far, and what its dearest tick was.

    ``costs`` are the prices by role.
    """

    costs: Mapping[str, ModelCost | None]
    budgets: tuple[Budget, ...] = ()
    calls: Counter[str] = field(default_factory=Counter)
    usage: dict[str, Counter[str]] = field(default_factory=dict)
    #: Calls whose tick was never committed; they are in ``calls`` too.
    lost: int = 0
    _dearest: dict[str, float] = field(default_factory=dict)

    def add_tick(self, charges: Iterable[Charge]) -> None:
        """Take in the calls of one committed tick."""
        tokens = usd = 0.0
        for charge in charges:
            self._add(charge)
            tokens += tokens_in(charge.usage)
            usd += usd_of(charge.usage, self.costs.get(charge.role)) or 0.0
        for unit, amount in (("tokens", tokens), ("usd", usd)):
            self._dearest[unit] = max(self._dearest.get(unit, 0.0), amount)

    def add_lost(self, charges: Iterable[Charge]) -> None:
        """Take in calls of ticks that were never committed."""
        for charge in charges:
            self._add(charge)
            self.lost += charge.calls

    def _add(self, charge: Charge) -> None:
        self.calls[charge.role] += charge.calls
        self.usage.setdefault(charge.role, Counter()).update(charge.usage)

    @property
    def tokens(self) -> int:
        """All tokens so far."""
        return sum(tokens_in(usage) for usage in self.usage.values())

    @property
    def usd(self) -> float | None:
        """All US dollars so far; ``None`` when some price is not known."""
        return _sum(usd_of(usage, self.costs.get(role)) for role, usage in self.usage.items())

    def reached(self) -> tuple[Budget, float] | None:
        """The budget into which another tick might not fit, and what was spent of it.

        A tick is begun only when one as dear as the dearest so far would still fit.
        """
        for budget in self.budgets:
            spent = float(self.tokens) if budget.unit == "tokens" else self.usd or 0.0
            if spent and spent + self._dearest.get(budget.unit, 0.0) > budget.amount:
                return budget, spent
        return None

    def told(self) -> dict[str, Any]:
        """All of it as plain JSON, for the log."""
        return {
            "calls": self.calls.total(),
            "tokens": self.tokens,
            "usd": self.usd,
            "lost_calls": self.lost,
            "by_role": {
                role: {
                    "calls": self.calls[role],
                    "usage": dict(sorted(usage.items())),
                    "usd": usd_of(usage, self.costs.get(role)),
                }
                for role, usage in sorted(self.usage.items())
            },
        }

    def shown(self) -> str:
        """In one line, for the display."""
        of = " of " + " and ".join(map(amount_of, self.budgets)) if self.budgets else ""
        usd = self.usd
        money = "" if usd is None else f"${usd:,.2f}, "
        return f"{money}{self.tokens:,} tokens{of}"


def amount_of(budget: Budget) -> str:
    """A budget's amount as people write it."""
    if budget.unit == "usd":
        return f"${budget.amount:,.2f}"
    return f"{budget.amount:,.0f} tokens"


def _sum(amounts: Iterable[float | None]) -> float | None:
    known = list(amounts)
    return None if None in known else sum(amount or 0.0 for amount in known)
