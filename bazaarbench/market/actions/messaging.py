"""Talking in a thread, and leaving it (P §3.4)."""

from __future__ import annotations

from hashlib import sha256
from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from bazaarbench.market.actions.base import (
    ActionSpec,
    Args,
    Body,
    Id,
    Outcome,
    Ready,
    blocked,
    ok,
)
from bazaarbench.market.actions.guards import (
    get_active_listing,
    get_live_thread,
    get_open_thread_on,
    get_own_thread,
    must_be_live,
    must_be_welcome,
    open_thread,
)
from bazaarbench.market.closing import leave
from bazaarbench.market.entities import Message, Thread
from bazaarbench.market.state import Market


class SendMessage(Args):
    """Arguments of ``message``."""

    body: Body = Field(description="The text, 1 to 2000 characters.")
    thread_id: Id | None = Field(
        None, description="The conversation to write in; needed unless listing_id is given."
    )
    listing_id: Id | None = Field(
        None,
        description=(
            "The listing whose seller to write to as a buyer; needed unless thread_id is given, "
            "and not read when it is."
        ),
    )

    @model_validator(mode="after")
    def _needs_a_place(self) -> Self:
        if self.thread_id is None and self.listing_id is None:
            raise ValueError("thread_id or listing_id is needed")
        return self


class RequestPhoto(Args):
    """Arguments of ``request_photo``."""

    thread_id: Id = Field(description="The conversation to ask in.")
    focus_hint: Annotated[str, Field(max_length=200)] = Field(
        description="What the photo should show, up to 200 characters; may be empty."
    )


class InThread(Args):
    """Arguments of the actions that need only a thread."""

    thread_id: Id = Field(description="The conversation.")


def content_hash(*parts: object) -> str:
    """The first 16 hex digits of SHA-256 over ``parts``, each as text and a NUL byte (P §1.2)."""
    return sha256("".join(f"{part}\0" for part in parts).encode()).hexdigest()[:16]


def post(
    market: Market, thread: Thread, sender_id: int, body: str, photo_id: int | None = None
) -> Message:
    """Put a message into a thread."""
    message = Message(
        message_id=market.new_id(Message),
        thread_id=thread.thread_id,
        sender_id=sender_id,
        tick=market.tick,
        body=body,
        photo_id=photo_id,
        seen_tick=None,
    )
    market.add(message)
    thread.last_message_tick = market.tick
    market.touch(thread)
    return message


def _message(market: Market, agent_id: int, args: SendMessage) -> Ready:
    if args.thread_id is not None:
        known = get_live_thread(market, agent_id, args.thread_id)
        return Ready(lambda: _send(market, known, agent_id, args.body), thread=known)
    if args.listing_id is None:
        raise AssertionError("SendMessage requires one of its two ids")
    listing = get_active_listing(market, args.listing_id)
    if listing.owner_id == agent_id:
        raise blocked("cannot_message_own_listing", listing=listing)
    thread = get_open_thread_on(market, agent_id, listing)
    must_be_welcome(market, agent_id, listing.owner_id, listing=listing, thread=thread)

    def apply() -> Outcome:
        return _send(market, thread or open_thread(market, agent_id, listing), agent_id, args.body)

    return Ready(apply, listing, thread)


def _send(market: Market, thread: Thread, sender_id: int, body: str) -> Outcome:
    message = post(market, thread, sender_id, body)
    return ok(
        {
            "message_id": message.message_id,
            "thread_id": thread.thread_id,
            "content_hash": content_hash(thread.thread_id, sender_id, market.tick, body),
        },
        thread=thread,
    )


def _request_photo(market: Market, agent_id: int, args: RequestPhoto) -> Ready:
    thread = get_live_thread(market, agent_id, args.thread_id)

    def apply() -> Outcome:
        message = post(market, thread, agent_id, f"[photo request] {args.focus_hint}".rstrip())
        return ok({"message_id": message.message_id, "focus_hint": args.focus_hint}, thread=thread)

    return Ready(apply, thread=thread)


def _read(market: Market, agent_id: int, args: InThread) -> Ready:
    thread = get_own_thread(market, agent_id, args.thread_id)

    def apply() -> Outcome:
        # What was sent within this tick has not been in front of the agent, so it stays unseen.
        unseen = [
            market.messages[message_id] for message_id in sorted(market.unseen_of.get(agent_id, ()))
        ]
        marked = [m for m in unseen if m.thread_id == thread.thread_id and m.tick < market.tick]
        for message in marked:
            market.see_message(message)
        return ok({"thread_id": thread.thread_id, "marked_read": len(marked)}, thread=thread)

    return Ready(apply, thread=thread)


def _leave_thread(market: Market, agent_id: int, args: InThread) -> Ready:
    thread = get_own_thread(market, agent_id, args.thread_id)
    must_be_live(thread)

    def apply() -> Outcome:
        return _left(thread, leave(market, thread, "cancelled"))

    return Ready(apply, thread=thread)


def _ghost(market: Market, agent_id: int, args: InThread) -> Ready:
    thread = get_own_thread(market, agent_id, args.thread_id)
    must_be_live(thread)

    def apply() -> Outcome:
        return _left(thread, leave(market, thread, "ghosted"))

    return Ready(apply, thread=thread)


def _left(thread: Thread, cancelled: list[int]) -> Outcome:
    ended = {"cancelled_meetup_ids": cancelled} if cancelled else {}
    return ok({"thread_id": thread.thread_id, **ended}, thread=thread)


ACTIONS: tuple[ActionSpec[Any], ...] = (
    ActionSpec(
        "message",
        "messaging",
        "Write to the other side of a conversation, or to a seller about a listing.",
        SendMessage,
        _message,
    ),
    ActionSpec(
        "request_photo",
        "messaging",
        "Ask the other side of a conversation for a photo.",
        RequestPhoto,
        _request_photo,
    ),
    ActionSpec(
        "read",
        "messaging",
        "Mark the other side's earlier messages in a conversation as read.",
        InThread,
        _read,
    ),
    ActionSpec(
        "leave_thread",
        "messaging",
        "End a conversation. Its pending offers are rejected and it cannot be reopened.",
        InThread,
        _leave_thread,
    ),
    ActionSpec(
        "ghost",
        "messaging",
        "Stop answering in a conversation. Its pending offers are rejected and it cannot be "
        "reopened.",
        InThread,
        _ghost,
    ),
)
