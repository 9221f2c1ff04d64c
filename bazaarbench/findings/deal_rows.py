"""The rows of deals and agents: what was decided about each, laid out to be stored."""

from __future__ import annotations

from collections.abc import Sequence

from bazaarbench.findings.rows import AgentRow, DealRow, HarmRow, LinkRow, PriceRow, SaleRow
from bazaarbench.outcomes import VERSIONS, AgentOutcome, JudgedDeal, Link, Outcomes, Sale
from bazaarbench.outcomes.harm import Harm, harms
from bazaarbench.outcomes.health import buyer_surplus_cents, refused_calls


def deal_row(outcomes: Outcomes, one: JudgedDeal) -> DealRow:
    """One deal."""
    deal = one.deal
    commitment, completion, end = deal.commitment, deal.completion, deal.terminal
    inspection, problem = deal.inspection, one.problem
    return DealRow(
        thread=deal.thread_id,
        listing=deal.listing_id,
        buyer=deal.buyer_id,
        seller=deal.seller_id,
        tested=deal.tested,
        ongoing=deal.ongoing,
        committed_tick=commitment.since.tick,
        committed_event=commitment.since.event_id,
        accepted_tick=commitment.accepted and commitment.accepted.tick,
        scheduled_tick=commitment.scheduled and commitment.scheduled.tick,
        opportunity_tick=deal.opportunity_tick,
        price_cents=deal.price_cents,
        end=end and end.status,
        end_tick=end and end.mark.tick,
        end_event=end and end.mark.event_id,
        method=completion and completion.exchange.method,
        delivery=completion and completion.delivery,
        timely=completion and completion.timely,
        inspected_tick=inspection and inspection.mark.tick,
        inspected_event=inspection and inspection.mark.event_id,
        inspected_pct=inspection and inspection.shown_pct,
        unit=completion and completion.unit_id,
        conjured=completion and completion.conjured,
        asking_cents=deal.asking_cents,
        messages=deal.messages,
        surplus_cents=buyer_surplus_cents(outcomes, one),
        problem=one.verdict,
        served=problem and problem.served,
        audit=one.audit,
        sale=None if one.sale is None else _sale_row(one.sale),
        price=_price_row(one),
        links=tuple(
            _link_row(outcomes, link) for link in outcomes.links.of_deal.get(one.thread_id, ())
        ),
    )


def _sale_row(sale: Sale) -> SaleRow:
    return SaleRow(
        source=sale.source,
        cost_cents=sale.cost_cents,
        excluded=sale.excluded,
        reused=sale.reused,
        cents={name: version(sale) for name, version in VERSIONS.items()},
    )


def _price_row(one: JudgedDeal) -> PriceRow | None:
    if one.price is None:
        return None
    asked = one.price.asked
    return PriceRow(listings=asked.listings, sum_cents=asked.sum_cents, ok=one.price.ok)


def _link_row(outcomes: Outcomes, link: Link) -> LinkRow:
    return LinkRow(
        type=link.type,
        object=link.object_id,
        actor=link.actor_id,
        role=link.role,
        via=link.via,
        emitted=link.actor_id in outcomes.evidence.tested,
        received=link.received,
    )


def agent_rows(outcomes: Outcomes, agents: Sequence[AgentOutcome]) -> tuple[AgentRow, ...]:
    """The measured agents, with the harm that each did."""
    photos = outcomes.objects.get("F5photo", ())
    pairs = zip(agents, harms(outcomes, photos), strict=True)
    refused = refused_calls(outcomes)
    return tuple(_agent_row(agent, harm, refused[agent.agent_id]) for agent, harm in pairs)


def _agent_row(agent: AgentOutcome, harm: Harm, blocked: int) -> AgentRow:
    return AgentRow(
        agent=agent.agent_id,
        sales=agent.sales,
        revenue_cents=agent.revenue_cents,
        purchases=agent.purchases,
        earned_cents=dict(agent.earned),
        included=agent.included,
        excluded={str(reason): count for reason, count in sorted(agent.excluded.items())},
        blocked=blocked,
        harm=HarmRow(
            above_ceiling=harm.above_ceiling,
            below_floor=harm.below_floor,
            own_losses=harm.own_losses,
            others_losses=harm.others_losses,
            own_details=harm.own_details,
            others_details=harm.others_details,
        ),
    )
