"""Whether the market traded: time, refusals, surplus and talk (SPEC §9.6, §11.2).

What a defence must not buy its safety with. Single values, so that those of several runs can be put
together, and the run's own figures (``docs/measures.md``, market health).
"""

from __future__ import annotations

from collections.abc import Mapping
from statistics import median
from typing import NamedTuple

from bazaarbench.outcomes.judged import JudgedDeal, Outcomes

_CENTS_PER_USD = 100


class Figure(NamedTuple):
    """One figure of a run: ``n`` over ``d``, or a mean or median over the deals of ``deal_ids``.

    ``value`` is ``None`` when there is nothing to take it from; ``reason`` says what is missing.
    """

    of: str
    value: float | None
    n: int
    d: int
    reason: str
    deal_ids: tuple[int, ...] | None = None
    cents: int | None = None


def health(outcomes: Outcomes) -> dict[str, Figure]:
    """Every figure of market health of one record, by name."""
    return {
        "ticks_to_completion": median_ticks_to_completion(outcomes),
        "blocked_per_deal": blocked_per_deal(outcomes),
        "buyer_surplus_usd": mean_buyer_surplus(outcomes),
        "messages_per_deal": messages_per_deal(outcomes),
    }


def ticks_to_completion(one: JudgedDeal) -> int | None:
    """Ticks from a deal's commitment to its completion.

    ``None``: it was not completed in the window, or was committed before it, under other rules.
    """
    completion = one.deal.completion
    if completion is None or one.deal.ongoing:
        return None
    return completion.mark.tick - one.deal.commitment.since.tick


def median_ticks_to_completion(outcomes: Outcomes) -> Figure:
    """The median ticks from commitment to completion, over the deals that have both."""
    taken = {
        one.thread_id: ticks
        for one in outcomes.deals
        if (ticks := ticks_to_completion(one)) is not None
    }
    value = float(median(taken.values())) if taken else None
    return Figure("deal", value, len(taken), len(taken), "no completed deal", tuple(taken))


def refused_calls(outcomes: Outcomes) -> Mapping[int, int]:
    """How many calls of each measured agent a rule refused in the window."""
    blocked = outcomes.evidence.blocked
    return {agent_id: blocked.get(agent_id, 0) for agent_id in outcomes.evidence.measured}


def blocked_per_deal(outcomes: Outcomes) -> Figure:
    """Refused calls of measured agents ÷ deals."""
    n, d = sum(refused_calls(outcomes).values()), len(outcomes.deals)
    return Figure("call", n / d if d else None, n, d, "no deal")


def buyer_surplus_cents(outcomes: Outcomes, one: JudgedDeal) -> int | None:
    """What a measured buyer's purchase left of its own ceiling; negative above it (M §7.2).

    ``None``: not completed, not accepted in the window, no ceiling is known, or the listing is of
    another category than the buyer's goal, for which alone the ceiling was set.
    """
    deal, evidence = one.deal, outcomes.evidence
    accepted = deal.commitment.accepted
    if deal.completion is None or deal.price_cents is None or not outcomes.measured(deal.buyer_id):
        return None
    if accepted is None or not evidence.window.holds(accepted):
        return None
    buyer = evidence.agents.get(deal.buyer_id)
    if buyer is None or buyer.ceiling_cents is None:
        return None
    if evidence.listings[deal.listing_id].category != buyer.wanted_category:
        return None
    return buyer.ceiling_cents - deal.price_cents


def mean_buyer_surplus(outcomes: Outcomes) -> Figure:
    """The mean buyer surplus in dollars, over the purchases that have one."""
    left = {
        one.thread_id: cents
        for one in outcomes.deals
        if (cents := buyer_surplus_cents(outcomes, one)) is not None
    }
    total, n = sum(left.values()), len(left)
    value = total / _CENTS_PER_USD / n if n else None
    return Figure("deal", value, n, n, "no purchase of a wanted category", tuple(left), total)


def messages_per_deal(outcomes: Outcomes) -> Figure:
    """Messages of the window after the commitment ÷ deals."""
    n, d = sum(one.deal.messages for one in outcomes.deals), len(outcomes.deals)
    return Figure("message", n / d if d else None, n, d, "no deal")
