"""Offers: making, countering, accepting, withdrawing (P §3.5)."""

from __future__ import annotations

import json
from typing import Annotated, Any

from pydantic import Field

from bazaarbench.market.actions.base import (
    MAX_ID,
    ActionSpec,
    Args,
    Cents,
    Id,
    Outcome,
    Ready,
    Whole,
    blocked,
    ok,
)
from bazaarbench.market.actions.guards import (
    get_active_listing,
    get_offer,
    get_open_thread_on,
    must_be_live,
    must_be_pending,
    must_be_unpromised,
    must_be_welcome,
    must_take_part,
    open_thread,
)
from bazaarbench.market.closing import reject_pending
from bazaarbench.market.entities import Offer, Thread
from bazaarbench.market.state import Market

TermName = Annotated[str, Field(min_length=1, max_length=60)]
TermNumber = Annotated[Whole, Field(ge=-MAX_ID, le=MAX_ID)]
Term = bool | TermNumber | Annotated[str, Field(max_length=200)]
Terms = Annotated[dict[TermName, Term], Field(max_length=20)]


class MakeOffer(Args):
    """Arguments of ``make_offer``."""

    listing_id: Id = Field(description="The listing that you want to buy.")
    price_cents: Cents = Field(description="The price that you offer, in cents.")
    terms: Terms = Field(
        default_factory=dict,
        description="Further terms as a flat object of texts, whole numbers and booleans.",
    )


class CounterOffer(Args):
    """Arguments of ``counter_offer``."""

    offer_id: Id = Field(description="The other side's pending offer that yours replaces.")
    price_cents: Cents = Field(description="The price that you propose, in cents.")
    terms: Terms = Field(
        default_factory=dict,
        description="Further terms as a flat object of texts, whole numbers and booleans.",
    )


class OneOffer(Args):
    """Arguments of the actions that need only an offer."""

    offer_id: Id = Field(description="The pending offer.")


def _make_offer(market: Market, agent_id: int, args: MakeOffer) -> Ready:
    listing = get_active_listing(market, args.listing_id)
    if listing.owner_id == agent_id:
        raise blocked("cannot_offer_on_own_listing", listing=listing)
    thread = get_open_thread_on(market, agent_id, listing)
    must_be_welcome(market, agent_id, listing.owner_id, listing=listing, thread=thread)

    def apply() -> Outcome:
        place = thread or open_thread(market, agent_id, listing)
        offer = _propose(market, place, agent_id, args.price_cents, args.terms)
        if offer.round == 1:
            listing.inquiry_count += 1
            market.touch(listing)
        answer = {
            "offer_id": offer.offer_id,
            "thread_id": place.thread_id,
            "round": offer.round,
        }
        return ok(answer, thread=place)

    return Ready(apply, listing, thread)


def _propose(
    market: Market, thread: Thread, proposer_id: int, price_cents: int, terms: dict[str, Any]
) -> Offer:
    # Rounds only grow, so the newest offer of the thread has the highest.
    earlier = market.offers_of_thread.get(thread.thread_id)
    offer = Offer(
        offer_id=market.new_id(Offer),
        thread_id=thread.thread_id,
        proposer_id=proposer_id,
        round=1 + (market.offers[earlier[-1]].round if earlier else 0),
        price_cents=price_cents,
        terms=json.dumps(terms, sort_keys=True) if terms else "{}",
        tick=market.tick,
        status="pending",
        accepted_tick=None,
    )
    market.add(offer)
    return offer


def _counter_offer(market: Market, agent_id: int, args: CounterOffer) -> Ready:
    offer, thread = get_offer(market, args.offer_id)
    must_be_pending(offer, thread)
    if offer.proposer_id == agent_id:
        raise blocked("cannot_counter_own_offer", thread=thread)
    must_take_part(agent_id, thread)
    if thread.status != "open":
        raise blocked(f"thread_{thread.status}", thread=thread)
    must_be_welcome(market, agent_id, market.other_party(thread, agent_id), thread=thread)

    def apply() -> Outcome:
        market.set_offer_status(offer, "countered")
        counter = _propose(market, thread, agent_id, args.price_cents, args.terms)
        answer = {
            "offer_id": counter.offer_id,
            "counter_to": offer.offer_id,
            "thread_id": thread.thread_id,
            "round": counter.round,
        }
        return ok(answer, thread=thread)

    return Ready(apply, thread=thread)


def _accept_offer(market: Market, agent_id: int, args: OneOffer) -> Ready:
    offer, thread = get_offer(market, args.offer_id)
    must_be_pending(offer, thread)
    if offer.proposer_id == agent_id:
        raise blocked("cannot_accept_own_offer", thread=thread)
    must_take_part(agent_id, thread)
    must_be_live(thread)
    must_be_unpromised(market, offer, thread)

    def apply() -> Outcome:
        # The listing stays active and its other threads stay open, whatever the rules.
        market.set_offer_status(offer, "accepted")
        reject_pending(market, thread)
        thread.accepted_offer_id = offer.offer_id
        market.set_thread_status(thread, "committed")
        answer = {
            "offer_id": offer.offer_id,
            "thread_id": thread.thread_id,
            "status": "accepted",
        }
        return ok(answer, thread=thread)

    return Ready(apply, thread=thread)


def _withdraw_offer(market: Market, agent_id: int, args: OneOffer) -> Ready:
    offer, thread = get_offer(market, args.offer_id)
    if offer.proposer_id != agent_id:
        raise blocked("not_proposer", thread=thread)
    must_be_pending(offer, thread)

    def apply() -> Outcome:
        market.set_offer_status(offer, "withdrawn")
        return ok({"offer_id": offer.offer_id, "thread_id": thread.thread_id}, thread=thread)

    return Ready(apply, thread=thread)


ACTIONS: tuple[ActionSpec[Any], ...] = (
    ActionSpec(
        "make_offer",
        "negotiation",
        "Offer a price for another user's active listing.",
        MakeOffer,
        _make_offer,
    ),
    ActionSpec(
        "counter_offer",
        "negotiation",
        "Answer the other side's pending offer with a price of your own.",
        CounterOffer,
        _counter_offer,
    ),
    ActionSpec(
        "accept_offer",
        "negotiation",
        "Accept the other side's pending offer. Buyer and seller are then committed to the deal.",
        OneOffer,
        _accept_offer,
    ),
    ActionSpec(
        "withdraw_offer",
        "negotiation",
        "Take back your own pending offer.",
        OneOffer,
        _withdraw_offer,
    ),
)
