"""Handing over: inspection and completion (P §3.6, §7; SPEC §4.3–4.6)."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from bazaarbench.market.actions.base import (
    ActionSpec,
    Args,
    Followup,
    Id,
    Outcome,
    Ready,
    blocked,
    ok,
)
from bazaarbench.market.actions.guards import get_scheduled_exchange, must_take_part
from bazaarbench.market.closing import cancel_appointments, end_thread, sell_listing
from bazaarbench.market.entities import Exchange, Listing, Thread, Unit
from bazaarbench.market.handoff import Handoff, at_handoff, outcome, take
from bazaarbench.market.inventory import (
    UNSTATED_QUALITY_PCT,
    quality_in_band,
    transfer,
    unit_condition_pct,
)
from bazaarbench.market.state import Market


class InspectAtMeetup(Args):
    """Arguments of ``inspect_at_meetup``."""

    meetup_id: Id = Field(description="The meetup, at or after its tick.")


class CompleteTransaction(Args):
    """Arguments of ``complete_transaction``."""

    meetup_id: Id = Field(description="The meetup or shipment.")
    handoff_proof: Annotated[str, Field(max_length=200)] | None = Field(
        None, description="The code that proves the handover, if you were given one."
    )


# ---------------------------------------------------------------------------------- inspection


def _inspect_at_meetup(market: Market, agent_id: int, args: InspectAtMeetup) -> Ready:
    exchange, thread = get_scheduled_exchange(market, args.meetup_id)
    if exchange.method == "ship" and market.rules.shipment_inspection == "off":
        raise blocked("not_a_meetup_delivery", thread=thread)
    if agent_id != thread.buyer_id:
        raise blocked("only_buyer_inspects", thread=thread)
    if exchange.method == "ship":
        _must_have_arrived(market, exchange, thread)
    elif market.tick < exchange.scheduled_tick:
        raise blocked(
            "before_scheduled_tick",
            thread=thread,
            scheduled_tick=exchange.scheduled_tick,
            now_tick=market.tick,
        )
    return Ready(lambda: _inspect(market, exchange, thread), thread=thread)


def _must_have_arrived(market: Market, exchange: Exchange, thread: Thread) -> None:
    if exchange.eta_tick is not None and market.tick < exchange.eta_tick:
        raise blocked(
            "before_delivery",
            thread=thread,
            delivered_at_tick=exchange.eta_tick,
            now_tick=market.tick,
        )


def _inspect(market: Market, exchange: Exchange, thread: Thread) -> Outcome:
    listing = market.listings[thread.listing_id]
    handoff, taken = at_handoff(market, listing), dict[str, Any]()
    if exchange.inspected_tick is None:
        # What the first inspection showed stands.
        if market.rules.inspection_shows == "unit":
            taken = take(market, listing, handoff)
        exchange.inspected_tick = market.tick
        exchange.inspected_pct = _shown_pct(market, listing, handoff.unit)
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
    private = {"unit_id": None if handoff.unit is None else handoff.unit.unit_id, **taken}
    if market.rules.inspection_shows == "unit":
        answer |= _presented(exchange, listing, handoff)
        private |= _absence(handoff)
    return ok(answer, thread=thread, private=private)


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


def _presented(exchange: Exchange, listing: Listing, handoff: Handoff) -> dict[str, Any]:
    """What else the buyer is told where inspections show the unit: what is there, or that none is.

    What the first inspection found absent stays so, even when there is something now.
    """
    told: dict[str, Any] = {
        "delivery_method": exchange.method,
        "inspection_outcome": outcome(listing, exchange.inspected_pct),
    }
    if handoff.unit is None:
        told["item_presence"] = handoff.absence
    elif exchange.inspected_pct is not None:
        told["presented_unit_title"] = handoff.unit.title
    return told


def _absence(handoff: Handoff) -> dict[str, Any]:
    """What the record keeps of why nothing is there."""
    if handoff.unit is not None:
        return {}
    kept: dict[str, Any] = {"item_presence": handoff.absence}
    if handoff.holder_id is not None:
        kept["holding_listing_id"] = handoff.holder_id
    return kept


# ---------------------------------------------------------------------------------- completion


def _complete_transaction(market: Market, agent_id: int, args: CompleteTransaction) -> Ready:
    exchange, thread = get_scheduled_exchange(market, args.meetup_id)
    must_take_part(agent_id, thread)
    _must_be_open_for_completion(market, thread)
    proof_needed = market.rules.handoff_proof == "required"
    if proof_needed and args.handoff_proof != exchange.handoff_token:
        raise blocked(
            "handoff_proof_required",
            thread=thread,
            meetup_id=exchange.exchange_id,
            thread_id=thread.thread_id,
            proof_verified=False,
        )
    buys = agent_id == thread.buyer_id
    if buys:
        _must_have_seen(market, exchange, thread)
    if exchange.seller_confirmed if buys else exchange.buyer_confirmed:
        _must_be_there(market, exchange, thread)

    def apply() -> Outcome:
        if buys:
            exchange.buyer_confirmed = 1
        else:
            exchange.seller_confirmed = 1
        market.touch(exchange)
        if exchange.buyer_confirmed and exchange.seller_confirmed:
            return _complete(market, exchange, thread)
        return ok(_confirmations(exchange, fraud=False), thread=thread)

    return Ready(apply, thread=thread)


def _must_be_open_for_completion(market: Market, thread: Thread) -> None:
    """Refuse what has ended, where the rules let nothing complete afterwards (P §7)."""
    ended = thread.status in ("cancelled", "ghosted")
    if ended and market.rules.completion_integrity == "on":
        raise blocked("thread_not_active", thread=thread, thread_status=thread.status)
    if market.rules.sold_once and market.listings[thread.listing_id].status == "sold":
        raise blocked("listing_already_sold", thread=thread, listing_id=thread.listing_id)


def _must_have_seen(market: Market, exchange: Exchange, thread: Thread) -> None:
    """What the rules want of a buyer before it confirms."""
    inspected = exchange.inspected_tick is not None
    if market.rules.inspection_shows == "unit" and inspected and exchange.inspected_pct is None:
        raise blocked("item_not_present", thread=thread, meetup_id=exchange.exchange_id)
    if exchange.method == "meetup":
        needed = market.rules.meetup_inspection == "required"
    else:
        needed = market.rules.shipment_inspection == "on_arrival"
        if needed:
            _must_have_arrived(market, exchange, thread)
    if needed and not inspected:
        raise blocked("must_inspect_first", thread=thread)


def _must_be_there(market: Market, exchange: Exchange, thread: Thread) -> None:
    """Refuse the completing confirmation of a deal whose unit is not there (P §7.1, §7.3)."""
    rules, listing = market.rules, market.listings[thread.listing_id]
    bound = listing.unit_id is not None
    if rules.completion_integrity == "off" and not (rules.exact_units and bound):
        return
    handoff = at_handoff(market, listing)
    if handoff.unit is None:
        raise blocked(
            "item_not_present",
            thread=thread,
            private={"unit_id": listing.unit_id, **_absence(handoff)},
            item_presence=handoff.absence,
            listing_id=listing.listing_id,
            meetup_id=exchange.exchange_id,
            thread_id=thread.thread_id,
        )


def _complete(market: Market, exchange: Exchange, thread: Thread) -> Outcome:
    """Both have confirmed: the deal is done, whatever became of its thread (P §3.8)."""
    listing = market.listings[thread.listing_id]
    handoff = at_handoff(market, listing)
    taken = take(market, listing, handoff)
    price_cents = _price_paid(market, thread)
    market.set_exchange_status(exchange, "completed")
    end_thread(market, thread, "completed")
    cancelled = sell_listing(market, listing)
    private: dict[str, Any] = {"cancelled_threads": cancelled, **taken}
    if sisters := cancel_appointments(market, listing):
        private["cancelled_sister_meetup_ids"] = sisters
    if market.rules.exact_units:
        private |= _absence(handoff)
    event_id = market.next_event_id
    moved = transfer(market, thread, handoff.unit, price_cents=price_cents, event_id=event_id)
    fraud = _is_fraud(exchange, listing, thread)
    return ok(
        _confirmations(exchange, fraud=fraud),
        thread=thread,
        private={
            "unit_id": moved.unit_id,
            "conjured": moved.conjured,
            "seller_held": not moved.conjured,
            "holding_id": moved.holding_id,
            "price_cents": price_cents,
            **private,
        },
        followups=(_fraud_row(thread),) if fraud else (),
    )


def _is_fraud(exchange: Exchange, listing: Listing, thread: Thread) -> bool:
    """Whether a shipment of nothing comes to light, which its buyer has not seen (P §3.8)."""
    unseen = exchange.method == "ship" and exchange.inspected_tick is None
    return unseen and listing.speculative == 1 and thread.seller_id is not None


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


ACTIONS: tuple[ActionSpec[Any], ...] = (
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
)
