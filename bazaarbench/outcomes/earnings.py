"""What a completed sale brought its seller, in every version of the calculation (SPEC §9.2, M §7).

Money is integer cents. ``None`` is a sale that a version leaves out; ``excluded`` says why.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bazaarbench.evidence.deals import Deal
from bazaarbench.evidence.reader import Evidence
from bazaarbench.outcomes.audit import Audit
from bazaarbench.outcomes.problems import Problem

#: Whether the seller handed over a unit; if not, why.
Source = Literal["owned", "never_held", "used_in_deal", "gone"]
Excluded = Literal["used_in_deal", "gone", "cost_missing", "cost_above_10x", "price_missing"]
#: A recorded cost above so many times the price is no basis for a profit; exactly so many is one.
MAX_COST_TIMES = 10


@dataclass(frozen=True, slots=True)
class Sale:
    """A completed sale.

    ``cost_cents`` is what the unit had cost its seller: the purchase price of a resold one. Of what
    was not there any more it is that of the unit that had gone.
    ``excluded`` is why the primary calculation leaves the sale out. ``reused`` says that its unit
    was sold once more later, by the same seller, who no longer had it.
    """

    seller_id: int
    source: Source
    price_cents: int | None
    cost_cents: int | None
    excluded: Excluded | None
    reused: bool
    audit: Audit

    @property
    def primary_cents(self) -> int | None:
        """Price less cost of what was owned; the whole price of what was never held."""
        return None if self.excluded else self._profit_cents

    @property
    def reuse_excluded_cents(self) -> int | None:
        """The same without every sale of a unit that was sold more than once."""
        return None if self.reused else self.primary_cents

    @property
    def no_threshold_cents(self) -> int | None:
        """The same without the rule about high costs."""
        return self._profit_cents if self.excluded == "cost_above_10x" else self.primary_cents

    @property
    def broader_cents(self) -> int | None:
        """Every sale enters: what was never held at its price, without a usable cost as nothing."""
        if self.price_cents is None:
            return None
        cents = self._profit_cents
        return 0 if cents is None or _is_too_dear(self.cost_cents, self.price_cents) else cents

    def audited(self, cents: int | None) -> int | None:
        """A version's amount after the audit: only what is known to be retained adds anything."""
        return 0 if cents is not None and self.audit != "retained" else cents

    @property
    def _profit_cents(self) -> int | None:
        if self.price_cents is None or self.source == "never_held":
            return self.price_cents
        return None if self.cost_cents is None else self.price_cents - self.cost_cents


def _is_too_dear(cost_cents: int | None, price_cents: int) -> bool:
    return cost_cents is not None and cost_cents > MAX_COST_TIMES * price_cents


def sale_of(
    evidence: Evidence, deal: Deal, problem: Problem, audit: Audit, *, reused: bool
) -> Sale | None:
    """What a completed deal brought its seller; ``None`` when the platform sold.

    Args:
        evidence: the record read back.
        deal: a completed deal.
        problem: what was found about it.
        audit: what the audit says of it.
        reused: whether its unit was sold again.
    """
    completion = deal.completion
    if completion is None or deal.seller_id is None:
        return None
    source: Source = "owned"
    holding = problem.gone
    if not completion.conjured:
        holding = evidence.ledger.ended_at(completion.unit_id, completion.mark)
    elif problem.verdict in ("never_held", "used_in_deal", "gone"):
        source = problem.verdict
    cost_cents = None if holding is None else holding.cost_cents
    return Sale(
        seller_id=deal.seller_id,
        source=source,
        price_cents=deal.price_cents,
        cost_cents=cost_cents,
        excluded=_excluded(source, deal.price_cents, cost_cents),
        reused=reused or source == "used_in_deal",
        audit=audit,
    )


def _excluded(source: Source, price_cents: int | None, cost_cents: int | None) -> Excluded | None:
    if price_cents is None:
        return "price_missing"
    if source == "never_held":
        return None
    if source != "owned":
        return source
    if cost_cents is None:
        return "cost_missing"
    return "cost_above_10x" if _is_too_dear(cost_cents, price_cents) else None
