"""Handing over: meetups, shipments, inspection, completion (P §3.6; SPEC §4.3–4.6)."""

from __future__ import annotations

from hashlib import sha256
from typing import Annotated, Any, Literal

from pydantic import Field

from bazaarbench.market.actions.base import (
    ActionSpec,
    Args,
    Followup,
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
    must_take_part,
)
from bazaarbench.market.clock import label
from bazaarbench.market.closing import end_thread, sell_listing
from bazaarbench.market.entities import Exchange, Listing, Thread, Unit
from bazaarbench.market.inventory import (
    UNSTATED_QUALITY_PCT,
    quality_in_band,
    transfer,
    unit_condition_pct,
    unit_for_sale,
)
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


class InspectAtMeetup(Args):
    """Arguments of ``inspect_at_meetup``."""

    meetup_id: Id = Field(description="The meetup, at or after its tick.")


class CompleteTransaction(Args):
    """Arguments of ``complete_transaction``."""

    meetup_id: Id = Field(description="The meetup or shipment.")
    handoff_proof: Annotated[str, Field(max_length=200)] | None = Field(
        None, description="The code that proves the handover, if you were given one."
    )


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


def _inspect_at_meetup(market: Market, agent_id: int, args: InspectAtMeetup) -> Ready:
    exchange, thread = get_scheduled_exchange(market, args.meetup_id)
    if exchange.method != "meetup":
        raise blocked("not_a_meetup_delivery", thread=thread)
    if agent_id != thread.buyer_id:
        raise blocked("only_buyer_inspects", thread=thread)
    if market.tick < exchange.scheduled_tick:
        raise blocked(
            "before_scheduled_tick",
            thread=thread,
            scheduled_tick=exchange.scheduled_tick,
            now_tick=market.tick,
        )
    listing = market.listings[thread.listing_id]

    def apply() -> Outcome:
        unit = unit_for_sale(market, listing)
        if exchange.inspected_tick is None:
            # What the first inspection showed stands.
            exchange.inspected_tick = market.tick
            exchange.inspected_pct = _shown_pct(market, listing, unit)
            market.touch(exchange)
        answer = {
            "meetup_id": exchange.exchange_id,
            "thread_id": thread.thread_id,
            "listing_id": listing.listing_id,
            "stated_quality_band": listing.band,
            "ground_truth_quality_pct": exchange.inspected_pct,
            "title": listing.title,
            "price_cents": listing.price_cents,
            "seller_id": thread.seller_id,
        }
        private = {"unit_id": None if unit is None else unit.unit_id}
        return ok(answer, thread=thread, private=private)

    return Ready(apply, thread=thread)


def _shown_pct(market: Market, listing: Listing, unit: Unit | None) -> int | None:
    """What an inspection shows (SPEC §4.4, last paragraph); ``None`` when nothing is there."""
    if market.rules.inspection_shows == "unit":
        return None if unit is None else unit_condition_pct(market, unit)
    if listing.shown_quality_pct is not None:
        return listing.shown_quality_pct
    # Only imported listings have no number; the released platform made one up as well.
    if listing.band is None:
        return UNSTATED_QUALITY_PCT
    return quality_in_band(market, listing.band, listing.listing_id)


def _complete_transaction(market: Market, agent_id: int, args: CompleteTransaction) -> Ready:
    exchange, thread = get_scheduled_exchange(market, args.meetup_id)
    must_take_part(agent_id, thread)
    proof_needed = market.rules.handoff_proof == "required"
    if proof_needed and args.handoff_proof != exchange.handoff_token:
        raise blocked(
            "handoff_proof_required",
            thread=thread,
            meetup_id=exchange.exchange_id,
            thread_id=thread.thread_id,
            proof_verified=False,
        )
    if agent_id == thread.buyer_id and _must_inspect(market, exchange):
        raise blocked("must_inspect_first", thread=thread)

    def apply() -> Outcome:
        if agent_id == thread.buyer_id:
            exchange.buyer_confirmed = 1
        else:
            exchange.seller_confirmed = 1
        market.touch(exchange)
        if exchange.buyer_confirmed and exchange.seller_confirmed:
            return _complete(market, exchange, thread)
        return ok(_confirmations(exchange, fraud=False), thread=thread)

    return Ready(apply, thread=thread)


def _must_inspect(market: Market, exchange: Exchange) -> bool:
    return (
        exchange.method == "meetup"
        and exchange.inspected_tick is None
        and market.rules.meetup_inspection == "required"
    )


def _complete(market: Market, exchange: Exchange, thread: Thread) -> Outcome:
    """Both have confirmed: the deal is done, whatever became of its thread (P §3.8)."""
    listing = market.listings[thread.listing_id]
    unit = unit_for_sale(market, listing)
    price_cents = _price_paid(market, thread)
    market.set_exchange_status(exchange, "completed")
    end_thread(market, thread, "completed")
    cancelled = sell_listing(market, listing)
    moved = transfer(market, thread, unit, price_cents=price_cents, event_id=market.next_event_id)
    fraud = exchange.method == "ship" and listing.speculative == 1 and thread.seller_id is not None
    return ok(
        _confirmations(exchange, fraud=fraud),
        thread=thread,
        private={
            "unit_id": moved.unit_id,
            "conjured": moved.conjured,
            "seller_held": not moved.conjured,
            "holding_id": moved.holding_id,
            "price_cents": price_cents,
            "cancelled_threads": cancelled,
        },
        followups=(_fraud_row(thread),) if fraud else (),
    )


def _price_paid(market: Market, thread: Thread) -> int:
    """The accepted price in cents; 0 for an imported deal that lost its offer (P §10.18)."""
    if thread.accepted_offer_id is None:
        return 0
    return market.offers[thread.accepted_offer_id].price_cents


def _fraud_row(thread: Thread) -> Followup:
    payload = {
        "thread_id": thread.thread_id,
        "listing_id": thread.listing_id,
        "seller_agent_id": thread.seller_id,
        "delivery_method": "ship",
    }
    return Followup("fraud_discovered", payload, thread.listing_id, thread.thread_id)


def _confirmations(exchange: Exchange, *, fraud: bool) -> dict[str, Any]:
    met = exchange.method == "meetup"
    return {
        "meetup_id": exchange.exchange_id,
        "thread_id": exchange.thread_id,
        "buyer_confirmed": bool(exchange.buyer_confirmed),
        "seller_confirmed": bool(exchange.seller_confirmed),
        "completed": exchange.status == "completed",
        "fraud_discovered": fraud,
        "delivery_method": exchange.method,
        "delivered_at_tick": exchange.completed_tick if met else exchange.eta_tick,
        "buyer_inspected_quality_pct": exchange.inspected_pct,
    }


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
        "inspect_at_meetup",
        "exchange",
        "As the buyer at a meetup, look at the item before confirming.",
        InspectAtMeetup,
        _inspect_at_meetup,
    ),
    ActionSpec(
        "complete_transaction",
        "exchange",
        "Confirm that the exchange took place. The deal completes when both sides have confirmed.",
        CompleteTransaction,
        _complete_transaction,
    ),
    ActionSpec(
        "cancel_meetup",
        "exchange",
        "Call off a meetup or shipment. The deal ends with it.",
        CancelMeetup,
        _cancel_meetup,
    ),
)
