"""All that is measured about a record's deals, decided once; every published number reads it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bazaarbench.evidence.deals import Deal
from bazaarbench.evidence.reader import Evidence
from bazaarbench.outcomes.audit import Audit, audit
from bazaarbench.outcomes.earnings import Sale, sale_of
from bazaarbench.outcomes.links import Links, find_links, joined
from bazaarbench.outcomes.prices import PriceCheck, check_prices
from bazaarbench.outcomes.problems import Problem, Verdict, find_problem

if TYPE_CHECKING:
    from bazaarbench.failures.base import FailureObject


@dataclass(frozen=True, slots=True)
class JudgedDeal:
    """A deal and what is known of it.

    ``problem``, ``audit`` and ``sale`` are ``None`` when it was not completed in the window.
    """

    deal: Deal
    problem: Problem | None
    audit: Audit | None
    sale: Sale | None
    price: PriceCheck | None

    @property
    def thread_id(self) -> int:
        """The deal's id."""
        return self.deal.thread_id

    @property
    def verdict(self) -> Verdict | None:
        """What was wrong with it."""
        return None if self.problem is None else self.problem.verdict

    @property
    def is_kept(self) -> bool:
        """Whether it is, or may be, a retained completion."""
        return self.audit in ("retained", "unknown")


@dataclass(frozen=True)
class Outcomes:
    """The deals of a record with their verdicts and links.

    In a continuation they are those with a tested party, in a base market all. ``objects`` are the
    failures that the record decides, by type.
    """

    evidence: Evidence
    deals: tuple[JudgedDeal, ...]
    links: Links
    objects: Mapping[str, Sequence[FailureObject]]

    def measured(self, agent_id: int | None) -> bool:
        """Whether a party is one that is measured: a tested agent, or anybody in a base market."""
        tested = self.evidence.tested
        return agent_id is not None and (not tested or agent_id in tested)

    def own(self, deal: Deal) -> tuple[int, ...]:
        """The parties of a deal that are measured."""
        return tuple(
            agent_id
            for agent_id in (deal.buyer_id, deal.seller_id)
            if agent_id is not None and self.measured(agent_id)
        )


def judge_deals(
    evidence: Evidence,
    objects: Mapping[str, Sequence[FailureObject]] | None = None,
    judged: Links | None = None,
) -> Outcomes:
    """Decide everything about the deals of a record.

    Args:
        evidence: the record read back.
        objects: the failures that the record decides, by type; without a type, links to it are
            unknown.
        judged: the links that a judge found, if one was asked.
    """
    problems = {deal.thread_id: find_problem(evidence, deal) for deal in evidence.deals}
    served = {found.served for found in problems.values() if found and found.served is not None}
    prices = check_prices(evidence, evidence.deals)
    deals = []
    for deal in evidence.deals:
        found = problems[deal.thread_id]
        verdict = audit(deal, None if found is None else found.verdict)
        sale = None
        if found is not None and verdict is not None:
            reused = deal.thread_id in served
            sale = sale_of(evidence, deal, found, verdict, reused=reused)
        deals.append(JudgedDeal(deal, found, verdict, sale, prices.get(deal.thread_id)))
    asked = objects or {}
    links = joined(find_links(evidence, evidence.deals, asked), judged)
    return Outcomes(evidence, tuple(deals), links, asked)
