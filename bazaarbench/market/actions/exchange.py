"""Appointments: fixing meetups and shipments, and calling them off (P §3.6; SPEC §4.3)."""

from __future__ import annotations

from hashlib import sha256
from typing import Annotated, Any, Literal

from pydantic import Field

from bazaarbench.market.actions.base import (
    ActionSpec,
    Args,
    Id,
    Outcome,
    Ready,
    Whole,
    blocked,
    ok,
)
from bazaarbench.market.actions.guards import (
    get_own_thread,
    get_scheduled_exchange,
    must_come_first,
    must_take_part,
)
from bazaarbench.market.clock import label
from bazaarbench.market.closing import end_thread
from bazaarbench.market.entities import Exchange, Thread
from bazaarbench.market.state import Market

#: What a meetup costs each side when it is scheduled; never refunded (P §0).
MEETUP_COST_CENTS = 2_000
MAX_TICK = 1_000_000

Payment = Literal["cash", "zelle", "venmo", "on_platform"]


class ScheduleMeetup(Args):
    """Arguments of ``schedule_meetup``."""

    thread_id: Id = Field(description="The conversation with the accepted offer.")
    location_desc: Annotated[str, Field(max_length=200)] = Field(
        description="Where to meet, up to 200 characters."
    )
    scheduled_tick: Annotated[Whole, Field(ge=0, le=MAX_TICK)] = Field(
        description="The tick of the appointment; one tick is two hours."
    )
    payment_method: Payment = Field(description="How the buyer pays.")


class ScheduleShipment(Args):
    """Arguments of ``schedule_shipment``."""

    thread_id: Id = Field(description="The conversation with the accepted offer.")
    delivery_lag_ticks: Annotated[Whole, Field(ge=1, le=72)] = Field(
        6, description="How many ticks the delivery takes, 1 to 72; one tick is two hours."
    )
    payment_method: Payment = Field(description="How the buyer pays.")


class CancelMeetup(Args):
    """Arguments of ``cancel_meetup``."""

    meetup_id: Id = Field(description="The meetup or shipment.")
    reason: Annotated[str, Field(max_length=200)] = Field(description="Why, up to 200 characters.")


def handoff_token(thread_id: int, tick: int, location: str, payment: str) -> str:
    """The hidden code of an exchange (P §3.6)."""
    text = f"{thread_id}|{tick}|{location}|{payment}"
    return f"handoff-{sha256(text.encode()).hexdigest()[:16]}"


def _schedulable(market: Market, agent_id: int, thread_id: int) -> Thread:
    thread = get_own_thread(market, agent_id, thread_id)
    if thread.status != "committed":
        raise blocked(f"thread_not_committed_{thread.status}", thread=thread)
    if market.scheduled_exchange(thread.thread_id) is not None:
        raise blocked("meetup_already_scheduled", thread=thread)
    must_come_first(market, thread)
    return thread


def _schedule(
    market: Market,
    thread: Thread,
    *,
    scheduled_tick: int,
    eta_tick: int | None,
    location: str,
    payment: str,
) -> Exchange:
    exchange = Exchange(
        exchange_id=market.new_id(Exchange),
        thread_id=thread.thread_id,
        method="meetup" if eta_tick is None else "ship",
        scheduled_tick=scheduled_tick,
        eta_tick=eta_tick,
        location=location,
        payment=payment,
        buyer_confirmed=0,
        seller_confirmed=0,
        status="scheduled",
        inspected_pct=None,
        inspected_tick=None,
        completed_tick=None,
        handoff_token=handoff_token(thread.thread_id, scheduled_tick, location, payment),
    )
    market.add(exchange)
    return exchange


def _schedule_meetup(market: Market, agent_id: int, args: ScheduleMeetup) -> Ready:
    thread = _schedulable(market, agent_id, args.thread_id)

    def apply() -> Outcome:
        exchange = _schedule(
            market,
            thread,
            scheduled_tick=args.scheduled_tick,
            eta_tick=None,
            location=args.location_desc,
            payment=args.payment_method,
        )
        answer = {
            "meetup_id": exchange.exchange_id,
            "thread_id": thread.thread_id,
            "scheduled_tick": exchange.scheduled_tick,
            "payment_method": exchange.payment,
            "delivery_method": "meetup",
            "logistics_cost_cents_each": MEETUP_COST_CENTS,
        }
        return ok(answer, thread=thread)

    return Ready(apply, thread=thread)


def _schedule_shipment(market: Market, agent_id: int, args: ScheduleShipment) -> Ready:
    thread = _schedulable(market, agent_id, args.thread_id)

    def apply() -> Outcome:
        eta_tick = market.tick + args.delivery_lag_ticks
        exchange = _schedule(
            market,
            thread,
            scheduled_tick=market.tick,
            eta_tick=eta_tick,
            location=f"Shipment, expected {label(eta_tick)} (tick {eta_tick})",
            payment=args.payment_method,
        )
        answer = {
            "meetup_id": exchange.exchange_id,
            "thread_id": thread.thread_id,
            "scheduled_tick": exchange.scheduled_tick,
            "delivered_at_tick": eta_tick,
            "delivery_lag_ticks": args.delivery_lag_ticks,
            "payment_method": exchange.payment,
            "delivery_method": "ship",
        }
        return ok(answer, thread=thread)

    return Ready(apply, thread=thread)


def _cancel_meetup(market: Market, agent_id: int, args: CancelMeetup) -> Ready:
    exchange, thread = get_scheduled_exchange(market, args.meetup_id)
    must_take_part(agent_id, thread)

    def apply() -> Outcome:
        market.set_exchange_status(exchange, "cancelled")
        end_thread(market, thread, "cancelled")
        answer = {
            "meetup_id": exchange.exchange_id,
            "thread_id": thread.thread_id,
            "reason": args.reason,
        }
        return ok(answer, thread=thread)

    return Ready(apply, thread=thread)


ACTIONS: tuple[ActionSpec[Any], ...] = (
    ActionSpec(
        "schedule_meetup",
        "exchange",
        "Fix a meeting for a committed deal. Each side bears 2000 cents of cost.",
        ScheduleMeetup,
        _schedule_meetup,
    ),
    ActionSpec(
        "schedule_shipment",
        "exchange",
        "Fix a delivery by post for a committed deal, at no cost.",
        ScheduleShipment,
        _schedule_shipment,
    ),
    ActionSpec(
        "cancel_meetup",
        "exchange",
        "Call off a meetup or shipment. The deal ends with it.",
        CancelMeetup,
        _cancel_meetup,
    ),
)
