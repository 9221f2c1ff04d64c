"""What bundles are put together from: calls, listings and threads as a judge reads them.

Everything that may be cited has ``kind``, ``id``, ``tick`` and ``by``; the id is that of the event.
What stands there for understanding alone has ``context`` and no id.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bazaarbench.evidence import Evidence, ListingHistory, Mark
from bazaarbench.failures.base import Source
from bazaarbench.judge.bundles_log import Call, Log, Thought
from bazaarbench.judge.kinds import COMPLETION, SUMMARY
from bazaarbench.market.clock import TICKS_PER_DAY

#: What a call of each action leaves for others to read.
_KIND = {
    "message": "message",
    "request_photo": "message",
    "send_photo": "message",
    "send_stock_photo": "message",
    "make_offer": "offer",
    "counter_offer": "offer",
    "create_listing": "listing",
    "edit_listing": "listing",
    "relist": "listing",
    "rate": "rating",
    "report_user": "report",
}
#: Arguments that are shown under another name, or are no business of a judge.
_LEFT_OUT = frozenset({"body", "handoff_proof", "focus_hint", "focus", "privacy_mode"})
#: Answers of the platform that say what came to be.
_ANSWERED = (
    "offer_id",
    "meetup_id",
    "listing_id",
    "thread_id",
    "delivered_at_tick",
    "delivery_method",
    "buyer_confirmed",
    "seller_confirmed",
    "completed",
)


def kind_of(call: Call) -> str:
    """What a call counts as when it is cited."""
    return COMPLETION if call.completes else _KIND.get(call.action, "call")


def own_text(call: Call) -> str:
    """What an agent wrote in its own words in a call; empty when it wrote none."""
    payload = call.payload
    match call.action:
        case "message" | "rate":
            words = [payload.get("body")]
        case "request_photo":
            words = [payload.get("focus_hint")]
        case "send_photo":
            words = [payload.get("focus")]
        case "make_offer" | "counter_offer":
            terms = payload.get("terms") or {}
            words = [f"{name}: {value}" for name, value in sorted(terms.items())]
        case "report_user":
            words = [payload.get("reason")]
        case "create_listing" | "edit_listing":
            words = [payload.get("title"), payload.get("description")]
        case "schedule_meetup":
            words = [payload.get("location_desc")]
        case "cancel_meetup":
            words = [payload.get("reason")]
        case "complete_transaction":
            words = [payload.get("handoff_proof")]
        case _:
            words = []
    return "\n".join(word for word in words if word).strip()


def entry(evidence: Evidence, call: Call, *, context: bool = False) -> dict[str, Any]:
    """A call as a judge reads it."""
    shown: dict[str, Any] = {"kind": kind_of(call), "tick": call.tick, "by_agent_id": call.agent_id}
    shown |= {"context": True} if context else {"id": call.event_id}
    shown["action"] = call.action
    if not call.ok:
        shown |= {"status": call.status, "reason": call.reason}
    arguments = {k: v for k, v in call.payload.items() if k not in _LEFT_OUT and v is not None}
    if call.action in ("create_listing", "edit_listing"):
        shown |= arguments
    else:
        shown["arguments"] = arguments
        text = own_text(call)
        if text and call.action in ("message", "rate", "request_photo", "send_photo"):
            shown["text"] = text
    answered = {k: call.result[k] for k in _ANSWERED if k in call.result and k not in arguments}
    if answered and call.ok:
        shown["answer"] = answered
    if call.action == "complete_transaction":
        shown |= _proof(evidence, call)
    if call.action == "inspect_at_meetup" and call.ok:
        shown["shown_pct"] = call.result.get("ground_truth_quality_pct")
    return shown


def verified(evidence: Evidence, call: Call) -> bool:
    """Whether a confirmation carries the exchange's own code."""
    proof = call.payload.get("handoff_proof")
    exchange = evidence.exchanges.get(call.payload.get("meetup_id", -1))
    return exchange is not None and proof is not None and proof.strip() == exchange.token


def _proof(evidence: Evidence, call: Call) -> dict[str, Any]:
    if verified(evidence, call):
        return {"proof": "verified"}
    text = call.payload.get("handoff_proof")
    return {"proof": "free text", "proof_text": text} if text else {"proof": None}


def thought(found: Thought) -> dict[str, Any]:
    """A turn's note and reasoning as a judge reads them."""
    shown: dict[str, Any] = {
        "kind": SUMMARY,
        "id": found.turn_id,
        "tick": found.tick,
        "by_agent_id": found.agent_id,
    }
    texts = {"note": found.note, "reasoning": found.reasoning}
    return shown | {name: text for name, text in texts.items() if text and text.strip()}


def source(call: Call) -> Source:
    """A call as something that can be cited."""
    return Source(kind_of(call), call.event_id, (call.tick,), call.agent_id)


def thought_source(found: Thought) -> Source:
    """A turn's note and reasoning as something that can be cited."""
    return Source(SUMMARY, found.turn_id, (found.tick,), found.agent_id)


def thoughts_of(log: Log, calls: Iterable[Call]) -> tuple[list[Thought], dict[str, int]]:
    """What was written down in the turns of some calls, and in how many of them anything was."""
    turns = sorted({call.turn_id for call in calls if call.turn_id is not None})
    found = [log.thought(turn_id) for turn_id in turns]
    observed = [one for one in found if one.observed]
    return observed, {"linked": len(found), "observed": len(observed)}


def listing_shown(log: Log, listing_id: int, mark: Mark) -> dict[str, Any]:
    """A listing as it stood when an event happened, and how it can be known."""
    history = log.evidence.listings[listing_id]
    posting = history.at(mark)
    shown: dict[str, Any] = {
        "context": True,
        "listing_id": listing_id,
        "owner_agent_id": history.owner_id,
        "category": history.category,
        "stated_band": history.band,
    }
    if posting is not None:
        shown |= {"title": posting.title, "price_cents": posting.price_cents}
    text = _described(log, history, mark)
    return shown | ({"description": text} if text is not None else {})


def _described(log: Log, history: ListingHistory, mark: Mark) -> str | None:
    """The text of a listing in force at an event; ``None`` when no event has one."""
    text = None
    for posting in history.postings:
        if posting.mark > mark:
            break
        if posting.ok and posting.action in ("create", "edit"):
            said = log.call(posting.mark.event_id).payload.get("description")
            text = text if said is None else said
    return text


def thread_shown(evidence: Evidence, thread_id: int) -> dict[str, Any]:
    """Who talks to whom about what."""
    listing_id, buyer_id, seller_id = evidence.threads[thread_id]
    return {
        "thread_id": thread_id,
        "listing_id": listing_id,
        "buyer_agent_id": buyer_id,
        "seller_agent_id": seller_id,
    }


def standing(log: Log, agent_id: int, tick: int) -> dict[str, Any]:
    """What could be known of an agent's reputation in a tick (reference M §3.6).

    Ratings with a tick not after it count; the mean has two decimals, the age is in whole days.
    """
    user_name, display_name, zip_code, joined_tick = log.public(agent_id)
    ratings, stars = log.evidence.reputation.at(agent_id, tick)
    return {
        "context": True,
        "agent_id": agent_id,
        "user_name": user_name,
        "display_name": display_name,
        "zip": zip_code,
        "ratings": ratings,
        "mean_stars": round(stars / ratings, 2) if ratings else None,
        "account_age_days": (tick - joined_tick) // TICKS_PER_DAY,
        "badges_issued_by_platform": 0,
    }


def standings(log: Log, agents: Iterable[int | None], tick: int) -> list[dict[str, Any]]:
    """The reputation of some agents in a tick, ascending by agent."""
    return [standing(log, one, tick) for one in sorted({a for a in agents if a is not None})]


def window_shown(evidence: Evidence) -> list[int]:
    """First and last tick of the window, both inclusive."""
    return [evidence.window.start + 1, evidence.window.end]


def in_window(evidence: Evidence, calls: Sequence[Call]) -> list[Call]:
    """The calls that may be cited: those of the window."""
    return [call for call in calls if evidence.window.holds(call.mark)]


def with_contexts(
    evidence: Evidence, calls: Sequence[Call], citable: Iterable[Call]
) -> list[Mapping[str, Any]]:
    """Calls as a judge reads them; those not citable stand there as context."""
    ids = {call.event_id for call in citable}
    return [entry(evidence, call, context=call.event_id not in ids) for call in calls]
