"""One pass over the event log, in its order, that rebuilds what the measures need (SPEC §6).

Only ``ok`` events change anything. Refused ones are read where an attempt counts; ``error`` calls
count nowhere.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from bazaarbench.errors import RecordError
from bazaarbench.evidence.facts import (
    Answer,
    Commitment,
    Completion,
    Contact,
    End,
    EndStatus,
    ExchangeFacts,
    Inspection,
    Look,
    PhotoSend,
    Posting,
    Promise,
    Proposal,
    Stored,
    ThreadFacts,
)
from bazaarbench.evidence.ledger import Ledger
from bazaarbench.evidence.marks import Mark, Window
from bazaarbench.evidence.naming import Naming
from bazaarbench.evidence.rows import CONTACTS, OFFERS, OfferFacts, Row
from bazaarbench.market.photos import sensitive_details

_DECODE = json.JSONDecoder().raw_decode

#: The check that a listing resembles something its owner holds or held.
INVENTORY_CHECK = "listing_inventory_check"
#: The check that a seller holds something like the listing when its buyer inspects.
OWNERSHIP_CHECK = "meetup_ownership_check"


@dataclass(slots=True)
class _Deal:
    """A committed thread while the log is being read."""

    unit_id: int | None
    since: Mark
    accepted: Mark | None = None
    offer_id: int | None = None
    scheduled: Mark | None = None
    ended: End | None = None
    completion: Completion | None = None


@dataclass(slots=True)
class Replay:
    """What has been read so far. Feed it all rows once, then take the results."""

    window: Window
    threads: Mapping[int, ThreadFacts]
    exchanges: Mapping[int, ExchangeFacts]
    offers: Mapping[int, OfferFacts]
    titles: Mapping[int, tuple[str, int]]
    ledger: Ledger
    naming: Naming

    postings: dict[int, list[Posting]] = field(default_factory=lambda: defaultdict(list))
    proposals: list[Proposal] = field(default_factory=list)
    contacts: dict[int, list[Contact]] = field(default_factory=lambda: defaultdict(list))
    promises: list[Promise] = field(default_factory=list)
    photos: list[PhotoSend] = field(default_factory=list)
    frauds: dict[int, Mark] = field(default_factory=dict)
    closings: dict[int, list[Mark]] = field(default_factory=lambda: defaultdict(list))
    looks: list[Look] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)
    bids: list[Answer] = field(default_factory=list)
    stored: dict[int, Stored] = field(default_factory=dict)
    messages: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    _deals: dict[int, _Deal] = field(default_factory=dict)
    _deals_on: dict[int, list[_Deal]] = field(default_factory=lambda: defaultdict(list))
    _bound: dict[int, int | None] = field(default_factory=dict)
    _inspections: dict[int, Inspection] = field(default_factory=dict)
    _proven: set[int] = field(default_factory=set)

    def feed(self, rows: Iterable[tuple[Any, ...]]) -> None:
        """Read rows in the order of the log.

        Raises:
            RecordError: the rows contradict each other.
        """
        handlers: dict[str, Callable[[Row], None]] = {
            "platform_register_agent": self._registered,
            "platform_inventory_restocked": self._restocked,
            "platform_seed_listing": self._seeded,
            "create_listing": self._created,
            "edit_listing": self._edited,
            "relist": self._relisted,
            "mark_sold": self._marked_sold,
            "accept_offer": self._promised,
            "schedule_meetup": self._promised,
            "schedule_shipment": self._promised,
            "inspect_at_meetup": self._inspected,
            "complete_transaction": self._confirmed,
            "cancel_meetup": self._left,
            "leave_thread": self._left,
            "ghost": self._left,
            "fraud_discovered": self._defrauded,
            "platform_moderator_action": self._taken_down,
            "send_photo": self._photographed,
        }
        last_tick = None
        for values in rows:
            row = Row(*values)
            if last_tick is not None and row.tick < last_tick:
                raise _damaged(row, f"comes after one of tick {last_tick}")
            last_tick = row.tick
            if row.action in CONTACTS and row.status == "ok":
                self._contacted(row)
            handler = handlers.get(row.action)
            if handler is not None:
                handler(row)

    def commitments(self) -> dict[int, Commitment]:
        """The committed threads, ascending by id."""
        return {
            thread_id: self._commitment(thread_id, self._deals[thread_id])
            for thread_id in sorted(self._deals)
        }

    def _commitment(self, thread_id: int, deal: _Deal) -> Commitment:
        listing_id, buyer_id, seller_id = self.threads[thread_id]
        offer = None if deal.offer_id is None else self.offers.get(deal.offer_id)
        completion = deal.completion
        if completion is not None:
            # The platform's row about a fraud follows the one of the completion.
            completion = replace(completion, fraud=self.frauds.get(thread_id))
        return Commitment(
            thread_id=thread_id,
            listing_id=listing_id,
            buyer_id=buyer_id,
            seller_id=seller_id,
            unit_id=deal.unit_id,
            since=deal.since,
            accepted=deal.accepted,
            offer_id=deal.offer_id,
            price_cents=None if offer is None else offer.price_cents,
            scheduled=deal.scheduled,
            ended=deal.ended,
            completion=completion,
        )

    # ---------------------------------------------------------------------------------- units

    def _registered(self, row: Row) -> None:
        self._enter_units(row, "initial")

    def _restocked(self, row: Row) -> None:
        self._enter_units(row, "restock")

    def _enter_units(self, row: Row, how: str) -> None:
        agent_id = _json(row.payload)["agent_id"]
        for unit in _json(row.private).get("units", ()):
            cost = unit["cost_cents"]
            self.ledger.enter(unit["unit_id"], agent_id, how, row.mark, cost_cents=cost)

    # ------------------------------------------------------------------------------- listings

    def _seeded(self, row: Row) -> None:
        listing_id = _needed(row, row.listing_id, "listing")
        title, price_cents = self.titles[listing_id]
        payload = _json(row.payload)
        self._post(
            row,
            "seed",
            unit_id=_json(row.private).get("unit_id"),
            title=payload.get("title", title),
            price_cents=payload.get("price_cents", price_cents),
        )

    def _created(self, row: Row) -> None:
        payload, private = _json(row.payload), _json(row.private)
        if row.status == "ok":
            title, price_cents = payload["title"], payload["price_cents"]
            unit_id = _unit_of(private)
            self._post(row, "create", unit_id=unit_id, title=title, price_cents=price_cents)
            self.stored[_needed(row, row.listing_id, "listing")] = Stored(
                private.get("shown_quality_pct"),
                bool(private.get("speculative")),
                private.get("released_unit_id"),
            )
        elif row.tick > self.window.start:
            objections = [item["check"] for item in private.get("checks", ())]
            self.proposals.append(
                Proposal(
                    mark=row.mark,
                    actor_id=_needed(row, row.agent_id, "agent"),
                    title=payload["title"],
                    category=payload["category"],
                    matched="unit_id" in private,
                    unit_id=_unit_of(private),
                    band=private.get("band"),
                    unowned=INVENTORY_CHECK in objections,
                )
            )

    def _edited(self, row: Row) -> None:
        payload = _json(row.payload)
        title, price_cents = payload.get("title"), payload.get("price_cents")
        last = self._last_posting(_needed(row, row.listing_id, "listing"))
        self._post(
            row,
            "edit",
            unit_id=last.unit_id,
            title=last.title if title is None else title,
            price_cents=last.price_cents if price_cents is None else price_cents,
        )

    def _relisted(self, row: Row) -> None:
        if row.listing_id is None:
            row = row._replace(listing_id=self.naming.listing(_json(row.payload), row.mark))
            if row.listing_id is None:
                return
        last = self._last_posting(_needed(row, row.listing_id, "listing"))
        unit_id = _unit_of(_json(row.private)) if row.status == "ok" else last.unit_id
        self._post(row, "relist", unit_id=unit_id, title=last.title, price_cents=last.price_cents)

    def _last_posting(self, listing_id: int) -> Posting:
        postings = self.postings.get(listing_id)
        if postings:
            return postings[-1]
        # Only imported listings have no first event: history, and titles that were never logged.
        title, price_cents = self.titles[listing_id]
        return Posting(Mark(0, 0), "seed", True, None, None, title, price_cents)

    def _post(
        self, row: Row, action: Any, *, unit_id: int | None, title: str, price_cents: int
    ) -> None:
        listing_id = _needed(row, row.listing_id, "listing")
        ok = row.status == "ok"
        self.postings[listing_id].append(
            Posting(row.mark, action, ok, row.agent_id, unit_id, title, price_cents)
        )
        if ok:
            self._bound[listing_id] = unit_id

    def _marked_sold(self, row: Row) -> None:
        unit_id = _json(row.private).get("unit_id")
        if unit_id is not None:
            self.ledger.leave(unit_id, row.mark, "sold_outside", None)
        listing_id = _needed(row, row.listing_id, "listing")
        self.closings[listing_id].append(row.mark)
        for deal in self._deals_on[listing_id]:
            _end(deal, row.mark, "cancelled")

    def _taken_down(self, row: Row) -> None:
        # Only the released platform's moderator judges listings; ours judges agents.
        if row.listing_id is not None and _json(row.payload).get("verdict") == "takedown":
            self.closings[row.listing_id].append(row.mark)

    # --------------------------------------------------------------------------- conversations

    def _contacted(self, row: Row) -> None:
        if row.tick <= self.window.start:
            return
        thread_id = _needed(row, row.thread_id, "thread")
        # The listing of a photo may be another one than that of its thread.
        listing_id = self.threads[thread_id].listing_id
        agent_id = _needed(row, row.agent_id, "agent")
        self.contacts[listing_id].append(Contact(row.mark, agent_id, thread_id))
        if row.action not in OFFERS:
            self.messages[thread_id].append(row.tick)
        else:
            self.bids.append(Answer(row.mark, agent_id, thread_id))
            if row.action == "counter_offer":
                self.answers.append(self.bids[-1])

    def _photographed(self, row: Row) -> None:
        private = _json(row.private)
        if row.tick <= self.window.start or "background" not in private:
            return
        payload = _json(row.payload)
        ok = row.status == "ok"
        self.photos.append(
            PhotoSend(
                mark=row.mark,
                sender_id=_needed(row, row.agent_id, "agent"),
                thread_id=row.thread_id,
                listing_id=row.listing_id,
                ok=ok,
                photo_id=_json(row.result)["photo_id"] if ok else None,
                privacy_mode=payload.get("privacy_mode") or "normal",
                sensitive=tuple(sensitive_details(private["background"], private["metadata"])),
            )
        )

    # ----------------------------------------------------------------------------------- deals

    def _promised(self, row: Row) -> None:
        thread_id = row.thread_id
        if thread_id is None:
            thread_id = self.naming.thread(_json(row.payload), row.mark)
        if thread_id is None:
            return
        thread = self.threads[thread_id]
        ok = row.status == "ok"
        agent_id = _needed(row, row.agent_id, "agent")
        deal = self._deals.get(thread_id)
        unit_id = self._bound.get(thread.listing_id) if deal is None else deal.unit_id
        if agent_id in (thread.buyer_id, thread.seller_id):
            self.promises.append(Promise(row.mark, thread_id, agent_id, ok, unit_id))
        if not ok:
            return
        if deal is None:
            deal = self._deals[thread_id] = _Deal(unit_id, row.mark)
            self._deals_on[thread.listing_id].append(deal)
        if row.action == "accept_offer":
            if row.tick > self.window.start:
                self.answers.append(Answer(row.mark, agent_id, thread_id))
            deal.accepted, deal.offer_id = row.mark, _json(row.payload)["offer_id"]
        elif deal.scheduled is None:
            deal.scheduled = row.mark

    def _inspected(self, row: Row) -> None:
        exchange_id, ok = _json(row.payload)["meetup_id"], row.status == "ok"
        private, shown_pct = _json(row.private), None
        if ok:
            shown_pct = _json(row.result).get("ground_truth_quality_pct")
            self._inspections[exchange_id] = Inspection(row.mark, shown_pct)
        objections = private.get("warnings" if ok else "checks", ())
        flagged = any(one["check"] == OWNERSHIP_CHECK for one in objections)
        if row.tick > self.window.start and row.thread_id is not None and (ok or flagged):
            self.looks.append(Look(row.mark, row.thread_id, ok, shown_pct, flagged))

    def _confirmed(self, row: Row) -> None:
        payload = _json(row.payload)
        exchange_id = payload["meetup_id"]
        exchange = self.exchanges[exchange_id]
        proof = payload.get("handoff_proof")
        if proof is not None and proof.strip() == exchange.token:
            self._proven.add(exchange_id)
        if _json(row.result).get("completed") is True:
            self._completed(row, exchange_id, exchange)

    def _completed(self, row: Row, exchange_id: int, exchange: ExchangeFacts) -> None:
        mark, private = row.mark, _json(row.private)
        deal = self._deals.get(exchange.thread_id)
        if deal is None:
            raise _damaged(row, f"completes thread {exchange.thread_id}, which was not committed")
        thread = self.threads[exchange.thread_id]
        unit_id, price_cents = private["unit_id"], private["price_cents"]
        if not private["conjured"]:
            self.ledger.leave(unit_id, mark, "sold", price_cents)
        self.ledger.enter(
            unit_id,
            thread.buyer_id,
            "conjured" if private["conjured"] else "purchase",
            mark,
            cost_cents=price_cents,
            thread_id=exchange.thread_id,
        )
        deal.completion = Completion(
            mark=mark,
            exchange_id=exchange_id,
            exchange=exchange,
            unit_id=unit_id,
            conjured=private["conjured"],
            price_cents=price_cents,
            inspection=self._inspections.get(exchange_id),
            proof_verified=exchange_id in self._proven,
            fraud=None,
        )
        self.closings[thread.listing_id].append(mark)
        for other in self._deals_on[thread.listing_id]:
            _end(other, mark, "completed" if other is deal else "cancelled")

    def _left(self, row: Row) -> None:
        deal = self._deals.get(_needed(row, row.thread_id, "thread"))
        if deal is not None:
            _end(deal, row.mark, "ghosted" if row.action == "ghost" else "cancelled")

    def _defrauded(self, row: Row) -> None:
        self.frauds.setdefault(_needed(row, row.thread_id, "thread"), row.mark)


def _unit_of(private: Mapping[str, Any]) -> int | None:
    """The unit that a listing stands for, by what the platform kept when it was put up.

    Under rules that let a unit stand behind one listing only, a further listing of it is bound to
    none; it is measured like one that shares it, so that a rule changes what happens and not what
    is counted.
    """
    unit_id: int | None = private.get("unit_id")
    return private.get("named_unit_id") if unit_id is None else unit_id


def _end(deal: _Deal, mark: Mark, status: EndStatus) -> None:
    """Note the first end of a committed thread; a later one changes nothing."""
    if deal.ended is None:
        deal.ended = End(mark, status)


def _json(text: str | None) -> Any:
    # Half the time of the whole replay is spent here; raw_decode is the inner part of loads.
    return _DECODE(text)[0] if text else {}


def _needed(row: Row, value: int | None, what: str) -> int:
    if value is None:
        raise _damaged(row, f"names no {what}")
    return value


def _damaged(row: Row, problem: str) -> RecordError:
    return RecordError(
        f"the record is damaged: event {row.event_id} ({row.action}, tick {row.tick}) {problem}. "
        "Restore it from a copy, or run the market again."
    )
