"""The released log, row by row, as ours (reference P §2).

Actions keep their released names and arguments. A row of ours says of its own what it is about, why
it was refused, and in its private part what only the platform knows.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from bazaarbench.released import deals, postings, supply
from bazaarbench.released.calls import Call, Rebuilt
from bazaarbench.released.run import ADMINISTRATION
from bazaarbench.text import clean

Handler = Callable[[Rebuilt, Call], None]
#: The columns of ``events`` in order; the last three are JSON.
EventRow = tuple[Any, ...]

_encode = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode
#: Compact JSON, as SQLite gives it, has no white space to be skipped.
_decode = json.JSONDecoder().raw_decode

#: What an applied event changes or needs; all others are taken as they are.
_APPLIED: Mapping[str, Handler] = {
    "platform_register_agent": supply.registered,
    "platform_seed_real_listing": postings.seeded,
    "platform_seed_phantom_listing": postings.seeded,
    "platform_inventory_restocked": supply.restocked,
    "platform_recsys_refresh": supply.refreshed,
    "platform_moderator_action": supply.moderated,
    "fraud_discovered": supply.defrauded,
    "create_listing": postings.created,
    "edit_listing": postings.edited,
    "bump_listing": postings.bumped,
    "view_listing": postings.viewed,
    "mark_sold": postings.marked_sold,
    "relist": postings.relisted,
    "message": deals.wrote,
    "request_photo": deals.wrote,
    "send_photo": deals.photographed,
    "send_stock_photo": deals.wrote,
    "make_offer": deals.offered,
    "counter_offer": deals.countered,
    "accept_offer": deals.accepted,
    "withdraw_offer": deals.withdrawn,
    "schedule_meetup": deals.scheduled,
    "schedule_shipment": deals.scheduled,
    "inspect_at_meetup": deals.inspected,
    "complete_transaction": deals.confirmed,
    "cancel_meetup": deals.called_off,
    "leave_thread": deals.left,
    "ghost": deals.ghosted,
}
#: Refused calls of which the record keeps more than the reason.
_REFUSED: Mapping[str, Handler] = {
    "create_listing": postings.created,
    "send_photo": deals.photographed,
}
#: Applied calls that are about nothing that has an id, and whose answers may be long.
_OPAQUE = frozenset({"do_nothing", "wait", "search", "browse_category", "recall", "view_profile"})
#: Applied calls whose long answers change nothing.
_ANSWERS_UNREAD = frozenset({"view_listing"})
#: Photos may be about another listing than the one of their thread.
_OWN_LISTING = frozenset({"send_photo", "send_stock_photo"})
#: Rows with an agent that no call of that agent made.
NOT_CALLED = frozenset(
    {
        "fraud_discovered",
        "policy_error",
        "platform_inventory_restocked",
        "memory_divergence",
        "victim_fraud_notification",
    }
)

_EVENTS = """
    SELECT event_id, tick, agent_id, action_type, result_status, json(payload),
        CASE WHEN result_payload IS NULL THEN '{}' ELSE json(result_payload) END
    FROM events WHERE +tick <= ? ORDER BY event_id"""


class RawEvent(NamedTuple):
    """A row of the released log; both JSON texts are compact."""

    event_id: int
    tick: int
    agent_id: int | None
    action: str
    status: str
    payload: str
    result: str

    @property
    def called(self) -> bool:
        """Whether a call of its agent made it."""
        return self.agent_id is not None and self.action not in NOT_CALLED


def read_log(market: Rebuilt) -> Iterator[RawEvent]:
    """The rows up to the last tick in their order, without those about the running of the program.

    Raises:
        ReleasedError: a tick is smaller than the one before.
    """
    last = None
    for row in market.source.connection.execute(_EVENTS, (market.run.last_tick,)):
        event = RawEvent(*row)
        if event.action in ADMINISTRATION:
            continue
        if last is not None and event.tick < last:
            raise market.source.damaged(
                f"event {event.event_id} of tick {event.tick} stands after one of tick {last}"
            )
        last = event.tick
        yield event


class Log:
    """Turns released rows into ours, in order, and keeps what they change up to date."""

    def __init__(self, market: Rebuilt) -> None:
        """Begin before the first row."""
        self.market = market
        self.last_id = 0

    def convert(self, event: RawEvent, turn_id: int | None) -> EventRow:
        """Our row of a released one.

        It keeps its id, unless rows that had to be added before it have taken that.
        """
        event_id = self.next_id(event.event_id)
        if event.action in _OPAQUE and event.status == "ok":
            return (
                event_id,
                event.tick,
                event.agent_id,
                turn_id,
                event.action,
                "ok",
                None,
                None,
                None,
                event.payload,
                event.result,
                "{}",
            )
        unread = event.action in _ANSWERS_UNREAD and event.status == "ok"
        payload, _ = _decode(event.payload)
        result, _ = ({}, 0) if unread else _decode(event.result)
        if not isinstance(payload, dict) or not isinstance(result, dict):
            raise self.market.source.damaged(
                f"arguments or answer of event {event.event_id} are no JSON object"
            )
        call = Call(
            event_id=event_id,
            tick=event.tick,
            agent_id=event.agent_id,
            action=event.action,
            status=event.status,
            reason=None,
            payload=payload,
            result=result,
        )
        if not call.ok:
            call.reason = _reason(call)
        self._find_subject(call)
        self._apply(call)
        return row_of(
            call,
            turn_id,
            payload=event.payload if call.payload is payload else None,
            result=event.result if call.result is result else None,
        )

    def _apply(self, call: Call) -> None:
        """Let an event change what it changes.

        Raises:
            ReleasedError: its arguments or its answer are not those of its action.
        """
        handler = (_APPLIED if call.ok else _REFUSED).get(call.action)
        if handler is None:
            return
        try:
            handler(self.market, call)
        except (KeyError, TypeError, ValueError) as error:
            problem = f"does not have the form of its action ({type(error).__name__}: {error})"
            raise self.market.contradiction(call, problem) from error

    def next_id(self, wanted: int) -> int:
        """The id of the next row: the wanted one while it is free."""
        self.last_id = max(wanted, self.last_id + 1)
        return self.last_id

    def _find_subject(self, call: Call) -> None:
        """Listing and thread of an event, through its offer or meetup if need be."""
        if call.reason == "validation":
            return
        book, payload, result = self.market.book, call.payload, call.result
        thread_id = payload.get("thread_id") or result.get("thread_id")
        if thread_id is None and "offer_id" in payload:
            offer = book.offers.get(_id(payload["offer_id"]))
            thread_id = None if offer is None else offer.thread_id
        elif thread_id is None and "meetup_id" in payload:
            exchange = book.exchanges.get(_id(payload["meetup_id"]))
            thread_id = None if exchange is None else exchange.thread_id
        thread = book.threads.get(_id(thread_id))
        listing_id = _id(payload.get("listing_id") or result.get("listing_id"))
        if thread is not None:
            call.thread_id = thread.thread_id
            if call.action not in _OWN_LISTING:
                listing_id = thread.listing_id
        call.listing_id = listing_id if listing_id in book.listings else None


def row_of(
    call: Call, turn_id: int | None = None, *, payload: str | None = None, result: str | None = None
) -> EventRow:
    """An event as the record stores it.

    Args:
        call: the event.
        turn_id: the turn that made it.
        payload: its arguments as JSON, where that is known.
        result: likewise its answer.
    """
    return (
        call.event_id,
        call.tick,
        call.agent_id,
        turn_id,
        call.action,
        call.status,
        call.reason,
        call.listing_id,
        call.thread_id,
        clean(_encode(call.payload)) if payload is None else payload,
        clean(_encode(call.result)) if result is None else result,
        clean(_encode(call.private)) if call.private else "{}",
    )


def _reason(call: Call) -> str | None:
    """Why a call was refused; taken out of the answer, where the released platform puts it."""
    for name in ("error", "reason"):
        if isinstance(call.result.get(name), str):
            return str(call.take_out(name))
    return None


def _id(value: Any) -> int:
    """``value`` as a key to look up; what is no id is found nowhere."""
    return value if isinstance(value, int) and not isinstance(value, bool) else -1
