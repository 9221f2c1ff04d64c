"""Looking up what an action names, and the guards that several actions share (reference P §3)."""

from __future__ import annotations

from bazaarbench.market.actions.base import blocked, error
from bazaarbench.market.commitments import primary
from bazaarbench.market.entities import TERMINAL, Agent, Exchange, Listing, Offer, Thread
from bazaarbench.market.state import Market


def get_agent(market: Market, agent_id: int, missing: str = "user_not_found") -> Agent:
    """The agent, or the error ``missing``."""
    agent = market.agents.get(agent_id)
    if agent is None:
        raise error(missing)
    return agent


def get_listing(market: Market, listing_id: int) -> Listing:
    """The listing, or the error ``listing_not_found``."""
    listing = market.listings.get(listing_id)
    if listing is None:
        raise error("listing_not_found")
    return listing


def get_active_listing(market: Market, listing_id: int) -> Listing:
    """A listing that is on the market, else ``listing_not_active``."""
    listing = get_listing(market, listing_id)
    if listing.status != "active":
        raise blocked("listing_not_active", listing=listing)
    return listing


def get_own_listing(market: Market, agent_id: int, listing_id: int) -> Listing:
    """A listing of the agent itself, else ``not_owner``."""
    listing = get_listing(market, listing_id)
    if listing.owner_id != agent_id:
        raise blocked("not_owner", listing=listing)
    return listing


def get_own_active_listing(market: Market, agent_id: int, listing_id: int) -> Listing:
    """A listing of the agent itself that is on the market, else ``listing_<status>``."""
    listing = get_own_listing(market, agent_id, listing_id)
    if listing.status != "active":
        raise blocked(f"listing_{listing.status}", listing=listing)
    return listing


def get_thread(market: Market, thread_id: int) -> Thread:
    """The thread, or the error ``thread_not_found``."""
    thread = market.threads.get(thread_id)
    if thread is None:
        raise error("thread_not_found")
    return thread


def must_take_part(agent_id: int, thread: Thread) -> None:
    """Refuse with ``not_a_participant`` whoever is neither buyer nor seller of the thread."""
    if agent_id not in (thread.buyer_id, thread.seller_id):
        raise blocked("not_a_participant", thread=thread)


def get_own_thread(market: Market, agent_id: int, thread_id: int) -> Thread:
    """A thread that the agent takes part in, whatever its status."""
    thread = get_thread(market, thread_id)
    must_take_part(agent_id, thread)
    return thread


def must_be_live(thread: Thread) -> None:
    """Refuse with ``thread_<status>`` when the thread has ended."""
    if thread.status in TERMINAL:
        raise blocked(f"thread_{thread.status}", thread=thread)


def must_be_welcome(
    market: Market,
    agent_id: int,
    other_id: int | None,
    *,
    listing: Listing | None = None,
    thread: Thread | None = None,
) -> None:
    """Refuse with ``blocked_by_counterparty`` whom the other side has blocked (SPEC §4.5)."""
    if (other_id, agent_id) in market.blocked_pairs:
        raise blocked("blocked_by_counterparty", listing=listing, thread=thread)


def get_live_thread(market: Market, agent_id: int, thread_id: int) -> Thread:
    """A thread in which the agent can still be heard: own, not ended, not blocked."""
    thread = get_own_thread(market, agent_id, thread_id)
    must_be_live(thread)
    must_be_welcome(market, agent_id, market.other_party(thread, agent_id), thread=thread)
    return thread


def get_open_thread_on(market: Market, buyer_id: int, listing: Listing) -> Thread | None:
    """The buyer's thread on a listing, ``None`` before the first contact.

    There is one thread per buyer and listing for ever: once it is committed or has ended, the
    listing is closed to this buyer with ``thread_<status>``.
    """
    thread_id = market.thread_of_pair.get((buyer_id, listing.listing_id))
    if thread_id is None:
        return None
    thread = market.threads[thread_id]
    if thread.status != "open":
        raise blocked(f"thread_{thread.status}", thread=thread)
    return thread


def get_offer(market: Market, offer_id: int) -> tuple[Offer, Thread]:
    """The offer with its thread, or the error ``offer_not_found``."""
    offer = market.offers.get(offer_id)
    if offer is None:
        raise error("offer_not_found")
    return offer, market.threads[offer.thread_id]


def must_be_pending(offer: Offer, thread: Thread) -> None:
    """Refuse with ``offer_<status>`` when the offer is settled."""
    if offer.status != "pending":
        raise blocked(f"offer_{offer.status}", thread=thread)


def must_be_unpromised(market: Market, offer: Offer, thread: Thread) -> None:
    """Refuse with ``listing_already_committed`` while another deal binds the listing (P §7.2)."""
    if market.rules.commitment_lock == "off":
        return
    other = primary(market, thread.listing_id, but=thread)
    if other is not None:
        raise blocked(
            "listing_already_committed",
            thread=thread,
            listing_id=thread.listing_id,
            thread_id=thread.thread_id,
            committed_thread_id=other.thread_id,
            offer_id=offer.offer_id,
        )


def must_come_first(market: Market, thread: Thread) -> None:
    """Refuse with ``listing_already_committed`` unless the deal comes first (P §7.2)."""
    if market.rules.commitment_lock == "off":
        return
    first = primary(market, thread.listing_id)
    if first is not None and first is not thread:
        raise blocked(
            "listing_already_committed",
            thread=thread,
            listing_id=thread.listing_id,
            thread_id=thread.thread_id,
            committed_thread_id=first.thread_id,
        )


def get_scheduled_exchange(market: Market, meetup_id: int) -> tuple[Exchange, Thread]:
    """A meetup or shipment that is still to happen with its thread, else ``meetup_<status>``."""
    exchange = market.exchanges.get(meetup_id)
    if exchange is None:
        raise error("meetup_not_found")
    thread = market.threads[exchange.thread_id]
    if exchange.status != "scheduled":
        raise blocked(f"meetup_{exchange.status}", thread=thread)
    return exchange, thread


def open_thread(market: Market, buyer_id: int, listing: Listing) -> Thread:
    """Begin the thread of a buyer and a listing."""
    thread = Thread(
        thread_id=market.new_id(Thread),
        listing_id=listing.listing_id,
        buyer_id=buyer_id,
        seller_id=listing.owner_id,
        status="open",
        created_tick=market.tick,
        last_message_tick=None,
        accepted_offer_id=None,
        committed_tick=None,
        ended_tick=None,
    )
    market.add(thread)
    return thread
