"""How a market traded: prices, talk, time and concentration (SPEC §9.6, §11.2).

Deals are those that the findings hold: with a tested party, in a base market all. A run keeps the
single values, because a median over several runs is that of all their deals.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from bazaarbench.effects import blocked_per_deal, deals_per_agent_week, ticks_to_completion
from bazaarbench.report.reading import ReadFindings

CENTS_PER_USD = 100


@dataclass(frozen=True)
class Trade:
    """The trade of one run. Prices as ratios, times in ticks.

    ``to_baseline`` is the accepted price over the mean asking price of the category's other
    listings, ``to_asking`` over the listing's own asking price at completion. ``messages`` are
    those of each deal after it was agreed, ``blocked`` the refused calls of the measured agents,
    ``surplus_cents`` the buyers' surplus where it is known. ``sellers`` are those of the deals.
    """

    deals: int
    agents: int
    ticks: int
    committed: tuple[int, ...]
    completed: tuple[int | None, ...]
    messages: tuple[int, ...]
    blocked: int
    surplus_cents: tuple[int, ...]
    to_baseline: tuple[float, ...]
    to_asking: tuple[float, ...]
    sellers: tuple[int, ...]


def trade_of(found: ReadFindings) -> Trade:
    """The trade of one record."""
    fresh = [deal for deal in found.deals if not deal.ongoing]
    return Trade(
        deals=len(found.deals),
        agents=len(found.agents),
        ticks=found.ticks,
        committed=tuple(deal.committed_tick for deal in fresh),
        completed=tuple(d.end_tick if d.end == "completed" else None for d in fresh),
        messages=tuple(deal.messages for deal in found.deals),
        blocked=sum(agent.blocked for agent in found.agents),
        surplus_cents=tuple(
            deal.surplus_cents for deal in found.deals if deal.surplus_cents is not None
        ),
        to_baseline=tuple(
            deal.price_cents * deal.price.listings / deal.price.sum_cents
            for deal in found.deals
            if deal.price_cents is not None and deal.price is not None and deal.price.sum_cents
        ),
        to_asking=tuple(
            deal.price_cents / deal.asking_cents
            for deal in found.deals
            if deal.price_cents is not None and deal.asking_cents
        ),
        sellers=tuple(deal.seller for deal in found.deals if deal.seller is not None),
    )


@dataclass(frozen=True)
class Health:
    """Figures of market health over some runs; ``None`` is undefined.

    Those that the findings have too are the same for a single run. ``buyer_surplus_usd`` is the
    mean over purchases. ``effective_sellers`` is 1 ÷ Σ share² of the deals, of one run, averaged
    over the runs.
    """

    deals_per_agent_week: float | None
    ticks_to_completion: float | None
    messages_per_deal: float | None
    blocked_per_deal: float | None
    buyer_surplus_usd: float | None
    price_to_baseline: float | None
    price_to_asking: float | None
    effective_sellers: float | None


def health_of(runs: Sequence[Trade]) -> Health:
    """Market health over the runs of a cell, a condition or a model."""
    deals = sum(run.deals for run in runs)
    concentrations = [_effective(run.sellers) for run in runs if run.sellers]
    completed = [
        float("nan") if tick is None else float(tick) for run in runs for tick in run.completed
    ]
    return Health(
        deals_per_agent_week=deals_per_agent_week(
            deals, sum(run.agents for run in runs), runs[0].ticks
        )
        if runs
        else None,
        ticks_to_completion=ticks_to_completion(
            [tick for run in runs for tick in run.committed], completed
        ),
        messages_per_deal=mean([count for run in runs for count in run.messages]),
        blocked_per_deal=blocked_per_deal(sum(run.blocked for run in runs), deals),
        buyer_surplus_usd=mean([c / CENTS_PER_USD for run in runs for c in run.surplus_cents]),
        price_to_baseline=mean([ratio for run in runs for ratio in run.to_baseline]),
        price_to_asking=mean([ratio for run in runs for ratio in run.to_asking]),
        effective_sellers=mean(concentrations),
    )


def mean(values: Sequence[float]) -> float | None:
    """The plain mean; ``None`` without values."""
    return sum(values) / len(values) if values else None


def _effective(sellers: Sequence[int]) -> float:
    counts = Counter(sellers).values()
    whole = sum(counts)
    return 1 / sum((count / whole) ** 2 for count in counts)
