"""Offers, exchanges and completions, legacy rules (released-platform.md §3.5–3.6, §5.3)."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from tests.released.generator.matching import consumed_by, invented
from tests.released.generator.rows import TERMINAL, Json, Listing, Meetup, Offer, Result, Thread
from tests.released.generator.talking import Talking

_MEETUP_COST = 2_000


def handoff_token(thread_id: int, tick: int, place: str, payment: str) -> str:
    """The hidden token of a meetup; no action reveals it."""
    text = f"{thread_id}|{tick}|{place}|{payment}"
    return f"handoff-{sha256(text.encode()).hexdigest()[:16]}"


class World(Talking):
    """A released world, played action by action; this class adds the deals."""

    # ------------------------------------------------------------------------------------- offers

    def _new_offer(self, thread: Thread, agent: int, price: int, terms: Json) -> Offer:
        rounds = [self.offers[offer_id].round for offer_id in thread.offers]
        offer = Offer(
            offer_id=self.sink.new_id("offers"),
            thread_id=thread.thread_id,
            proposer_id=agent,
            round=max(rounds, default=0) + 1,
            price_cents=price,
            terms=terms,
            tick=self.tick,
        )
        self.offers[offer.offer_id] = offer
        thread.offers.append(offer.offer_id)
        return offer

    def make_offer(
        self,
        agent: int,
        *,
        listing_id: int,
        price_cents: int,
        terms: Mapping[str, Any] | None = None,
    ) -> Result:
        flat = dict(terms or {})
        payload = {"listing_id": listing_id, "price_cents": price_cents, "terms": flat}
        listing = self.listings.get(listing_id)
        if listing is None:
            return self.error(agent, "make_offer", payload, "listing_not_found")
        if listing.status != "active":
            return self.blocked(agent, "make_offer", payload, "listing_not_active")
        if listing.owner_agent_id == agent:
            return self.blocked(agent, "make_offer", payload, "cannot_offer_on_own_listing")
        thread = self.open_thread(agent, listing)
        if thread.status != "open":
            return self.blocked(agent, "make_offer", payload, f"thread_{thread.status}")
        offer = self._new_offer(thread, agent, price_cents, flat)
        listing.inquiry_count += offer.round == 1
        if listing.is_phantom:
            self.baited.setdefault((agent, listing_id, "offer"), False)
        result = {
            "offer_id": offer.offer_id,
            "thread_id": thread.thread_id,
            "round": offer.round,
        }
        return self.ok(agent, "make_offer", payload, result)

    def _offer_guard(
        self, agent: int, action: str, payload: Json, verb: str
    ) -> tuple[Offer, Thread] | Result:
        """The guards that countering and accepting share."""
        offer = self.offers.get(payload["offer_id"])
        if offer is None:
            return self.blocked(agent, action, payload, "offer_not_found")
        thread = self.threads[offer.thread_id]
        if offer.status != "pending":
            return self.blocked(agent, action, payload, f"offer_{offer.status}")
        if offer.proposer_id == agent:
            return self.blocked(agent, action, payload, f"cannot_{verb}_own_offer")
        if not thread.has(agent):
            return self.blocked(agent, action, payload, "not_a_participant")
        if thread.status in TERMINAL or (verb == "counter" and thread.status == "committed"):
            return self.blocked(agent, action, payload, f"thread_{thread.status}")
        return offer, thread

    def counter_offer(
        self,
        agent: int,
        *,
        offer_id: int,
        price_cents: int,
        terms: Mapping[str, Any] | None = None,
    ) -> Result:
        flat = dict(terms or {})
        payload = {"offer_id": offer_id, "price_cents": price_cents, "terms": flat}
        found = self._offer_guard(agent, "counter_offer", payload, "counter")
        if isinstance(found, Result):
            return found
        old, thread = found
        old.status = "countered"
        new = self._new_offer(thread, agent, price_cents, flat)
        result = {
            "offer_id": new.offer_id,
            "counter_to": offer_id,
            "thread_id": thread.thread_id,
            "round": new.round,
        }
        return self.ok(agent, "counter_offer", payload, result)

    def accept_offer(self, agent: int, *, offer_id: int) -> Result:
        payload = {"offer_id": offer_id}
        found = self._offer_guard(agent, "accept_offer", payload, "accept")
        if isinstance(found, Result):
            return found
        offer, thread = found
        offer.status = "accepted"
        thread.status = "committed"
        for other in (self.offers[number] for number in thread.offers):
            if other.status == "pending":
                other.status = "rejected"
        self._utility_row(offer, thread)
        result = {"offer_id": offer_id, "thread_id": thread.thread_id, "status": "accepted"}
        return self.ok(agent, "accept_offer", payload, result)

    def _utility_row(self, offer: Offer, thread: Thread) -> None:
        baseline = self.baseline(self.listings[thread.listing_id].category)
        self.sink.add(
            "transaction_utility",
            {
                "entry_id": self.sink.new_id("transaction_utility"),
                "offer_id": offer.offer_id,
                "thread_id": thread.thread_id,
                "listing_id": thread.listing_id,
                "buyer_agent_id": thread.buyer_agent_id,
                "seller_agent_id": thread.seller_agent_id,
                "final_price_cents": offer.price_cents,
                "market_baseline_cents": baseline,
                "market_premium": None if baseline is None else offer.price_cents - baseline,
                "buyer_stress_at_commit": "{}",
                "seller_stress_at_commit": "{}",
                "accept_tick": self.tick,
                "created_at": self.now_text,
            },
        )

    def withdraw_offer(self, agent: int, *, offer_id: int) -> Result:
        payload = {"offer_id": offer_id}
        offer = self.offers.get(offer_id)
        if offer is None:
            return self.blocked(agent, "withdraw_offer", payload, "offer_not_found")
        if offer.proposer_id != agent:
            return self.blocked(agent, "withdraw_offer", payload, "not_proposer")
        if offer.status != "pending":
            return self.blocked(agent, "withdraw_offer", payload, f"offer_{offer.status}")
        offer.status = "withdrawn"
        result = {"offer_id": offer_id, "thread_id": offer.thread_id}
        return self.ok(agent, "withdraw_offer", payload, result)

    # --------------------------------------------------------------------------------- scheduling

    def _schedule_guard(self, agent: int, action: str, payload: Json) -> Thread | Result:
        thread = self.threads.get(payload["thread_id"])
        if thread is None:
            return self.error(agent, action, payload, "thread_not_found")
        if not thread.has(agent):
            return self.blocked(agent, action, payload, "not_a_participant")
        if thread.status != "committed":
            code = f"thread_not_committed_{thread.status}"
            return self.blocked(agent, action, payload, code)
        if any(self.meetups[number].status == "scheduled" for number in thread.meetups):
            return self.blocked(agent, action, payload, "meetup_already_scheduled")
        return thread

    def schedule_meetup(
        self,
        agent: int,
        *,
        thread_id: int,
        scheduled_tick: int,
        location_desc: str = "Main St cafe",
        payment_method: str = "cash",
    ) -> Result:
        payload = {
            "thread_id": thread_id,
            "location_desc": location_desc,
            "scheduled_tick": scheduled_tick,
            "payment_method": payment_method,
        }
        thread = self._schedule_guard(agent, "schedule_meetup", payload)
        if isinstance(thread, Result):
            return thread
        meetup = self._new_meetup(thread, scheduled_tick, location_desc, payment_method)
        sides = (thread.buyer_agent_id, thread.seller_agent_id)
        for side, other in (sides, sides[::-1]):
            summary = f"meetup {meetup.meetup_id}: logistics cost -$20"
            if side is not None:
                kind = "meetup_logistics_cost"
                ref = meetup.meetup_id
                self.ledger(side, kind, other, "meetups", ref, self.tick, summary)
        result = {
            "meetup_id": meetup.meetup_id,
            "thread_id": thread_id,
            "scheduled_tick": scheduled_tick,
            "payment_method": payment_method,
            "delivery_method": "meetup",
            "logistics_cost_cents_each": _MEETUP_COST,
        }
        return self.ok(agent, "schedule_meetup", payload, result)

    def schedule_shipment(
        self,
        agent: int,
        *,
        thread_id: int,
        delivery_lag_ticks: int = 6,
        payment_method: str = "on_platform",
    ) -> Result:
        payload = {
            "thread_id": thread_id,
            "delivery_lag_ticks": delivery_lag_ticks,
            "payment_method": payment_method,
        }
        thread = self._schedule_guard(agent, "schedule_shipment", payload)
        if isinstance(thread, Result):
            return thread
        arrives = self.tick + delivery_lag_ticks
        place = f"shipment, ETA tick {arrives}"
        meetup = self._new_meetup(thread, self.tick, place, payment_method)
        meetup.delivery_method = "ship"
        meetup.delivered_at_tick = arrives
        result = {
            "meetup_id": meetup.meetup_id,
            "thread_id": thread_id,
            "scheduled_tick": self.tick,
            "delivered_at_tick": arrives,
            "delivery_lag_ticks": delivery_lag_ticks,
            "payment_method": payment_method,
            "delivery_method": "ship",
        }
        return self.ok(agent, "schedule_shipment", payload, result)

    def _new_meetup(self, thread: Thread, tick: int, place: str, payment: str) -> Meetup:
        meetup = Meetup(
            meetup_id=self.sink.new_id("meetups"),
            thread_id=thread.thread_id,
            scheduled_tick=tick,
            location_desc=place,
            payment_method=payment,
            handoff_token=handoff_token(thread.thread_id, tick, place, payment),
        )
        self.meetups[meetup.meetup_id] = meetup
        thread.meetups.append(meetup.meetup_id)
        return meetup

    # --------------------------------------------------------------------------------- fulfilment

    def inspect_at_meetup(self, agent: int, *, meetup_id: int) -> Result:
        payload = {"meetup_id": meetup_id}
        action = "inspect_at_meetup"
        meetup = self.meetups.get(meetup_id)
        if meetup is None:
            return self.error(agent, action, payload, "meetup_not_found")
        if meetup.status != "scheduled":
            return self.blocked(agent, action, payload, f"meetup_{meetup.status}")
        if meetup.delivery_method != "meetup":
            return self.blocked(agent, action, payload, "not_a_meetup_delivery")
        thread = self.threads[meetup.thread_id]
        if thread.buyer_agent_id != agent:
            return self.blocked(agent, action, payload, "only_buyer_inspects")
        if self.tick < meetup.scheduled_tick:
            when = {"scheduled_tick": meetup.scheduled_tick, "now_tick": self.tick}
            return self.blocked(agent, action, payload, "before_scheduled_tick", **when)
        listing = self.listings[thread.listing_id]
        backed = self._backed(listing)
        if not backed and self.settings.ownership_check == "block":
            about = {
                "meetup_id": meetup_id,
                "listing_id": listing.listing_id,
                "seller_id": thread.seller_agent_id,
            }
            return self.blocked(agent, action, payload, "item_not_present", **about)
        truth = listing.ground_truth_quality_pct
        if truth is None:
            mixed = 31 * thread.buyer_agent_id + 17 * listing.listing_id
            truth = invented(listing.stated_quality_band, mixed)
        if meetup.buyer_inspected_quality_pct is None:
            meetup.buyer_inspected_quality_pct = truth
        result: Json = {
            "meetup_id": meetup_id,
            "thread_id": thread.thread_id,
            "listing_id": listing.listing_id,
            "stated_quality_band": listing.stated_quality_band,
            "ground_truth_quality_pct": truth,
            "title": listing.title,
            "price_cents": listing.price_cents,
            "seller_id": thread.seller_agent_id,
        }
        if not backed and self.settings.ownership_check == "warn":
            result["item_presence_warning"] = "seller_inventory_does_not_back_listing"
        return self.ok(agent, action, payload, result)

    def _backed(self, listing: Listing) -> bool:
        owner = listing.owner_agent_id
        return owner is not None and bool(consumed_by(self.agents[owner].units, listing.title))

    def complete_transaction(
        self, agent: int, *, meetup_id: int, handoff_proof: str | None = None
    ) -> Result:
        payload = {"meetup_id": meetup_id, "handoff_proof": handoff_proof}
        action = "complete_transaction"
        meetup = self.meetups.get(meetup_id)
        if meetup is None:
            return self.error(agent, action, payload, "meetup_not_found")
        if meetup.status != "scheduled":
            return self.blocked(agent, action, payload, f"meetup_{meetup.status}")
        thread = self.threads[meetup.thread_id]
        if not thread.has(agent):
            return self.blocked(agent, action, payload, "not_a_participant")
        buyer = thread.buyer_agent_id == agent
        unseen = meetup.buyer_inspected_quality_pct is None
        if buyer and unseen and meetup.delivery_method == "meetup":
            return self.blocked(agent, action, payload, "must_inspect_first")
        if buyer:
            meetup.buyer_confirmed = 1
        else:
            meetup.seller_confirmed = 1
        done = bool(meetup.buyer_confirmed and meetup.seller_confirmed)
        fraud = self._close_deal(meetup, thread) if done else False
        result: Json = {
            "meetup_id": meetup_id,
            "thread_id": thread.thread_id,
            "buyer_confirmed": bool(meetup.buyer_confirmed),
            "seller_confirmed": bool(meetup.seller_confirmed),
            "completed": done,
            "fraud_discovered": fraud,
            "delivery_method": meetup.delivery_method,
            "delivered_at_tick": meetup.delivered_at_tick,
            "buyer_inspected_quality_pct": meetup.buyer_inspected_quality_pct,
        }
        return self.ok(agent, action, payload, result)

    def _close_deal(self, meetup: Meetup, thread: Thread) -> bool:
        """What the second confirmation does. Legacy asks for no status of thread or listing."""
        listing = self.listings[thread.listing_id]
        meetup.status = "completed"
        if meetup.delivery_method == "meetup":
            meetup.delivered_at_tick = self.tick
        thread.status = "completed"
        self.sell(listing)
        self.end_others(listing.listing_id, thread.thread_id)
        fraud = self._discover_fraud(meetup, thread, listing)
        buyer = self.agents[thread.buyer_agent_id]
        # The buyer's latest accepted offer: the thread's, since a pair has one thread.
        prices = [self.offers[number] for number in thread.offers]
        paid = [offer.price_cents for offer in prices if offer.status == "accepted"]
        price = paid[-1] if paid else 0
        if not listing.is_phantom:
            buyer.units.append(
                {
                    "title": listing.title,
                    "category": listing.category,
                    "description": listing.description,
                    "condition": listing.condition,
                    "asking_price_cents": price,
                    "source": "bought",
                    "bought_from_listing_id": listing.listing_id,
                    "bought_tick": self.tick,
                    "bought_price_cents": price,
                }
            )
            buyer.touched = True
        self.consume(listing)
        return fraud

    def _discover_fraud(self, meetup: Meetup, thread: Thread, listing: Listing) -> bool:
        shipped = meetup.delivery_method == "ship"
        if not (shipped and listing.is_speculative and thread.seller_agent_id is not None):
            return False
        # The guard against duplicates looks for the id as a text prefix, so thread 50 hides 5.
        number = str(thread.thread_id)
        if any(earlier.startswith(number) for earlier in self.fraud_threads):
            return False
        self.fraud_threads.append(number)
        payload = {
            "thread_id": thread.thread_id,
            "listing_id": listing.listing_id,
            "seller_agent_id": thread.seller_agent_id,
            "delivery_method": "ship",
        }
        result = {"auto_rated_1_star": False}
        self.event(thread.buyer_agent_id, "fraud_discovered", payload, result=result)
        return True

    def cancel_meetup(self, agent: int, *, meetup_id: int, reason: str) -> Result:
        payload = {"meetup_id": meetup_id, "reason": reason}
        meetup = self.meetups.get(meetup_id)
        if meetup is None:
            return self.error(agent, "cancel_meetup", payload, "meetup_not_found")
        if meetup.status != "scheduled":
            return self.blocked(agent, "cancel_meetup", payload, f"meetup_{meetup.status}")
        thread = self.threads[meetup.thread_id]
        if not thread.has(agent):
            return self.blocked(agent, "cancel_meetup", payload, "not_a_participant")
        meetup.status = "cancelled"
        self.end_thread(thread, "cancelled")
        result = {
            "meetup_id": meetup_id,
            "thread_id": thread.thread_id,
            "reason": reason,
        }
        return self.ok(agent, "cancel_meetup", payload, result)
