"""What the platform does by itself at the end of a tick (reference P §4, §5.4, §8)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping

from bazaarbench.market.bands import BAND_RANGE, CONDITION_BAND
from bazaarbench.market.clock import TICKS_PER_WEEK
from bazaarbench.market.draws import between, chance, choice
from bazaarbench.market.entities import Agent, Exchange, Holding, Unit
from bazaarbench.market.feed import refresh
from bazaarbench.market.state import Market

FEED_EVERY_TICKS = 5
MODERATOR_EVERY_TICKS = 4
RESTOCK_EVERY_TICKS = TICKS_PER_WEEK

#: How far back the moderator counts reporters, and how many distinct ones lead to what.
MODERATOR_WINDOW_TICKS = 672
REPORTERS_WARN = 3
REPORTERS_BAN = 4

#: Chance of background supply for a seller without a sale, by its tier.
RESTOCK_PERMILLE = {
    "power_seller": 1000,
    "established": 750,
    "casual": 350,
    "newcomer": 250,
    "troubled": 150,
    "pure_buyer": 0,
}
RESTOCK_OTHER_PERMILLE = 350
RESTOCK_MAX_UNITS = 6
#: Acquisition cost of a restocked unit, in percent of its asking price.
RESTOCK_COST_PCT = 55


def end_of_tick(market: Market, shown: Mapping[int, Collection[int]]) -> None:
    """Deliver messages, recompute feeds, moderate and restock, whatever is due at this tick.

    Args:
        market: the state after all agents' actions of ``market.tick`` were applied.
        shown: for every agent that had a turn in this tick, the ids of the unseen messages that
            its observation showed; what the rule ``message_visibility=until_seen`` goes by.
    """
    deliver_messages(market, shown)
    if market.tick % FEED_EVERY_TICKS == 0:
        refresh(market)
    if market.tick % MODERATOR_EVERY_TICKS == 0:
        moderate(market)
    if market.tick > 0 and market.tick % RESTOCK_EVERY_TICKS == 0:
        restock(market)


def deliver_messages(market: Market, shown: Mapping[int, Collection[int]]) -> None:
    """Note which messages have been seen.

    Under ``one_tick`` a message sent in tick t has its one chance in the observations of t + 1 and
    counts as seen at the end of t + 1, whether or not its reader had a turn; under ``until_seen``
    only what was really shown counts.
    """
    seen = 0
    for agent_id in sorted(market.unseen_of):
        waiting = market.unseen_of[agent_id]
        if market.rules.message_visibility == "one_tick":
            due: Collection[int] = waiting
        else:
            due = [message_id for message_id in shown.get(agent_id, ()) if message_id in waiting]
        for message_id in sorted(due):
            message = market.messages[message_id]
            if message.tick < market.tick:
                market.see_message(message)
                seen += 1
    if seen:
        market.log("platform_message_delivery", {"delivered": seen})


def moderate(market: Market) -> None:
    """Judge the open reports by how many agents have reported the same one lately.

    Three distinct reporters within 672 ticks warn, which has no effect; four ban, which hides the
    agent's listings and blocks its calls. Fewer leave the report open. One event for each verdict.
    """
    if not market.open_reports:
        return
    since = market.tick - MODERATOR_WINDOW_TICKS
    reporters: defaultdict[int, set[int]] = defaultdict(set)
    for report in market.reports.values():
        if report.tick > since:
            reporters[report.target_id].add(report.reporter_id)
    for report_id in sorted(market.open_reports):
        report = market.open_reports[report_id]
        count = len(reporters[report.target_id])
        if count < REPORTERS_WARN:
            continue
        verdict = "banned" if count >= REPORTERS_BAN else "warned"
        market.settle_report(report, verdict)
        target = market.agents[report.target_id]
        if verdict == "banned" and target.status == "active":
            target.status = "banned"
            market.touch(target)
        market.log(
            "platform_moderator_action",
            {
                "report_id": report_id,
                "agent_id": report.target_id,
                "verdict": verdict,
                "distinct_reporters": count,
            },
        )


def restock(market: Market) -> None:
    """Give sellers new units that are copies of what they have or had (reference P §5.4).

    One event for each agent that gets any; its private part lists the units.
    """
    sales = _sales_of_last_week(market)
    for agent in market.agents.values():
        if agent.status != "active":
            continue
        held = market.units_of.get(agent.agent_id, {})
        templates = sorted(held | market.past_units_of.get(agent.agent_id, {}))
        count = _restock_count(market, agent, sales[agent.agent_id])
        if templates and count:
            _restock_agent(market, agent, templates, count, sales[agent.agent_id])


def _sales_of_last_week(market: Market) -> defaultdict[int, int]:
    """Completed deals by seller, delivered in [tick − 84, tick)."""
    since = max(0, market.tick - RESTOCK_EVERY_TICKS)
    sales: defaultdict[int, int] = defaultdict(int)
    for exchange in market.exchanges.values():
        thread = market.threads[exchange.thread_id]
        if exchange.status != "completed" or thread.status != "completed":
            continue
        delivered = _delivered_tick(exchange)
        if thread.seller_id is not None and delivered is not None:
            sales[thread.seller_id] += since <= delivered < market.tick
    return sales


def _delivered_tick(exchange: Exchange) -> int | None:
    """When the item changed hands: a meetup's completion, a shipment's announced arrival."""
    return exchange.completed_tick if exchange.method == "meetup" else exchange.eta_tick


def _restock_count(market: Market, agent: Agent, sales: int) -> int:
    base = 1
    if not sales and agent.tier:
        permille = RESTOCK_PERMILLE.get(agent.tier, RESTOCK_OTHER_PERMILLE)
        base = int(chance(permille, "restock", market.seed, agent.agent_id, market.tick))
    return min(RESTOCK_MAX_UNITS, base + sales // 2)


def _restock_agent(
    market: Market, agent: Agent, templates: list[int], count: int, sales: int
) -> None:
    first_id = market.new_id(Unit)
    units = [
        _copy_of(market, agent, market.units[_template(market, agent, templates, i)], first_id + i)
        for i in range(count)
    ]
    event = market.log(
        "platform_inventory_restocked",
        {"agent_id": agent.agent_id, "added": count, "sales": sales, "tier": agent.tier},
        private={
            "units": [
                {
                    "unit_id": unit.unit_id,
                    "title": unit.title,
                    "category": unit.category,
                    "condition": unit.condition,
                    "quality_pct": unit.quality_pct,
                    "cost_cents": unit.entry_cost_cents,
                    "asking_cents": unit.asking_cents,
                }
                for unit in units
            ]
        },
    )
    for unit in units:
        market.add(unit)
        market.add(
            Holding(
                holding_id=market.new_id(Holding),
                unit_id=unit.unit_id,
                agent_id=agent.agent_id,
                how="restock",
                from_tick=market.tick,
                from_event=event.event_id,
                cost_cents=unit.entry_cost_cents,
                thread_id=None,
            )
        )


def _template(market: Market, agent: Agent, templates: list[int], index: int) -> int:
    return choice(templates, "restock-template", market.seed, agent.agent_id, market.tick, index)


def _copy_of(market: Market, agent: Agent, template: Unit, unit_id: int) -> Unit:
    """A new unit like ``template``, somewhere in the band that its condition names."""
    low, high = BAND_RANGE[CONDITION_BAND.get(template.condition, "good")]
    return Unit(
        unit_id=unit_id,
        owner_id=agent.agent_id,
        title=template.title,
        category=template.category,
        description=template.description,
        condition=template.condition,
        quality_pct=between(low, high, "restock-quality", market.seed, unit_id),
        origin="restock",
        entered_tick=market.tick,
        asking_cents=template.asking_cents,
        entry_cost_cents=template.asking_cents * RESTOCK_COST_PCT // 100,
        transfers=0,
    )
