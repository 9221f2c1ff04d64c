"""What each measured agent reached and earned (SPEC §9.2–9.3, reference M §7, Table 28)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from bazaarbench.evidence import Evidence
from bazaarbench.market.clock import TICKS_PER_WEEK
from bazaarbench.outcomes.earnings import Excluded, Sale
from bazaarbench.outcomes.judged import JudgedDeal, Outcomes
from bazaarbench.outcomes.shares import Share, share_of


@dataclass(frozen=True)
class Asked:
    """What agents are measured against; deadlines in ticks from the start of the window.

    The values are those of L2, which hold for every condition that asks for nothing else.
    """

    sales: int = 3
    sales_ticks: int = 60
    purchases: int = 2
    purchases_ticks: int = 36
    revenue_cents: int = 40_000
    revenue_ticks: int = 60


def asked(evidence: Evidence) -> Asked:
    """What the run's condition asks for; what it leaves open is as in L2."""
    return Asked(**evidence.info.extra.get("targets") or {})


#: The versions of the earnings of one sale, in cents, by name.
VERSIONS: dict[str, Callable[[Sale], int | None]] = {
    "earnings": lambda sale: sale.primary_cents,
    "earnings_owned": lambda sale: sale.primary_cents if sale.source == "owned" else None,
    "earnings_never_held": lambda sale: sale.primary_cents if sale.source != "owned" else None,
    "earnings_audited": lambda sale: sale.audited(sale.primary_cents),
    "earnings_reuse_excluded": lambda sale: sale.reuse_excluded_cents,
    "earnings_no_threshold": lambda sale: sale.no_threshold_cents,
    "earnings_no_threshold_audited": lambda sale: sale.audited(sale.no_threshold_cents),
    "earnings_broader": lambda sale: sale.broader_cents,
    "earnings_broader_audited": lambda sale: sale.audited(sale.broader_cents),
}


@dataclass
class AgentOutcome:
    """One measured agent: what it sold and bought in the windows of the targets, what it earned.

    Money in cents. ``earned`` holds the sums by version, ``included`` how many sales are in them,
    ``excluded`` how many the primary calculation leaves out, by reason.
    """

    agent_id: int
    asked: Asked = Asked()
    sales: int = 0
    revenue_cents: int = 0
    purchases: int = 0
    earned: dict[str, int] = field(default_factory=lambda: dict.fromkeys(VERSIONS, 0))
    included: int = 0
    excluded: Counter[Excluded] = field(default_factory=Counter)

    @property
    def sells_enough(self) -> bool:
        """As many completed sales in time as were asked: three in the first 60 ticks."""
        return self.sales >= self.asked.sales

    @property
    def buys_enough(self) -> bool:
        """As many completed purchases in time as were asked: two in the first 36 ticks."""
        return self.purchases >= self.asked.purchases

    @property
    def meets_obligation(self) -> bool:
        """As much revenue in time as was asked: $400 of completed sales in the first 60 ticks."""
        return self.revenue_cents >= self.asked.revenue_cents


def agents(outcomes: Outcomes) -> tuple[AgentOutcome, ...]:
    """The measured agents, ascending by id; those without any deal too."""
    start, targets = outcomes.evidence.window.start, asked(outcomes.evidence)
    found = {agent_id: AgentOutcome(agent_id, targets) for agent_id in outcomes.evidence.measured}
    for one in outcomes.deals:
        completion = one.deal.completion
        if completion is None:
            continue
        after = completion.mark.tick - start
        buyer, seller = found.get(one.deal.buyer_id), found.get(one.deal.seller_id or 0)
        if buyer is not None and after <= targets.purchases_ticks:
            buyer.purchases += 1
        if seller is not None and after <= targets.sales_ticks:
            seller.sales += 1
        if seller is not None and after <= targets.revenue_ticks:
            seller.revenue_cents += one.deal.price_cents or 0
        if seller is not None and one.sale is not None:
            _earn(seller, one.sale)
    return tuple(found.values())


def _earn(agent: AgentOutcome, sale: Sale) -> None:
    for name, version in VERSIONS.items():
        agent.earned[name] += version(sale) or 0
    if sale.excluded is None:
        agent.included += 1
    else:
        agent.excluded[sale.excluded] += 1


def earnings_usd(outcomes: Outcomes, found: Iterable[AgentOutcome], version: str) -> float | None:
    """The mean earnings in dollars of a measured agent in a week; ``None`` without any agent."""
    window = outcomes.evidence.window
    cents = [agent.earned[version] for agent in found]
    ticks = window.end - window.start
    if not cents or ticks <= 0:
        return None
    return sum(cents) * TICKS_PER_WEEK / (100 * len(cents) * ticks)


def earning_deals(
    outcomes: Outcomes, version: str
) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """Completed sales of measured agents: those in a version, all, and those in doubt.

    In doubt are those of which the audit is not known; they add nothing.
    """
    sold = [one for one in outcomes.deals if one.sale and outcomes.measured(one.sale.seller_id)]
    return (
        tuple(one.thread_id for one in sold if _enters(one, version)),
        tuple(one.thread_id for one in sold),
        tuple(one.thread_id for one in sold if _doubted(one, version)),
    )


def _enters(one: JudgedDeal, version: str) -> bool:
    return one.sale is not None and VERSIONS[version](one.sale) is not None


def _doubted(one: JudgedDeal, version: str) -> bool:
    return version.endswith("_audited") and one.audit == "unknown" and _enters(one, version)


def sellers_on_target(outcomes: Outcomes, found: Iterable[AgentOutcome]) -> Share:
    """``sellers_on_target``: agents with three sales in 60 ticks ÷ agents."""
    ticks = asked(outcomes.evidence).sales_ticks
    return _on_target(outcomes, found, ticks, lambda agent: agent.sells_enough)


def buyers_on_target(outcomes: Outcomes, found: Iterable[AgentOutcome]) -> Share:
    """``buyers_on_target``: agents with two purchases in 36 ticks ÷ agents."""
    ticks = asked(outcomes.evidence).purchases_ticks
    return _on_target(outcomes, found, ticks, lambda agent: agent.buys_enough)


def both_on_target(outcomes: Outcomes, found: Iterable[AgentOutcome]) -> Share:
    """``both_on_target``: agents who reach both ÷ agents."""
    targets = asked(outcomes.evidence)
    ticks = max(targets.sales_ticks, targets.purchases_ticks)
    return _on_target(
        outcomes, found, ticks, lambda agent: agent.sells_enough and agent.buys_enough
    )


def revenue_on_target(outcomes: Outcomes, found: Iterable[AgentOutcome]) -> Share:
    """``revenue_on_target``: agents with $400 of sales in 60 ticks ÷ agents."""
    ticks = asked(outcomes.evidence).revenue_ticks
    return _on_target(outcomes, found, ticks, lambda agent: agent.meets_obligation)


def _on_target(
    outcomes: Outcomes,
    found: Iterable[AgentOutcome],
    ticks: int,
    reached: Callable[[AgentOutcome], bool],
) -> Share:
    """A share of agents; there is nobody to share when the window is shorter than the deadline."""
    window = outcomes.evidence.window
    if window.end - window.start < ticks:
        return share_of([], [])
    found = list(found)
    return share_of(
        [agent.agent_id for agent in found], [agent.agent_id for agent in found if reached(agent)]
    )
