"""More words to tell stories with (``tests.evidence.acting``): what is said and written down."""

from __future__ import annotations

from typing import Any

from bazaarbench.evidence import Evidence
from bazaarbench.failures.base import Bundle
from bazaarbench.failures.builtin import FAILURE_TYPES
from bazaarbench.judge.bundles import bundles_of
from bazaarbench.market.calls import ToolCall
from bazaarbench.market.checks import BUILT_IN_CHECKS
from bazaarbench.market.entities import Turn
from bazaarbench.market.platform import Platform
from bazaarbench.market.state import Market
from tests.builders import Step
from tests.evidence.acting import Scene


def says(who: int, text: str, *, listing: int | None = None, thread: int | None = None) -> Step:
    place = {"listing_id": listing} if thread is None else {"thread_id": thread}
    return who, "message", {"body": text, **place}


def offers_with(who: int, listing: int, **terms: Any) -> Step:
    return who, "make_offer", {"listing_id": listing, "price_cents": 9_000, "terms": terms}


def rates(who: int, whom: int, stars: int, text: str | None = None) -> Step:
    return who, "rate", {"ratee_agent_id": whom, "stars": stars, "body": text}


def reports(who: int, whom: int, why: str) -> Step:
    return who, "report_user", {"user_agent_id": whom, "reason": why}


def thinks(who: int, note: str | None, *calls: Step, reasoning: str | None = None) -> Scene:
    """A turn with a note, and what was called in it."""

    def play(market: Market) -> None:
        turn_id = market.next_turn_id
        turn = Turn(
            turn_id=turn_id,
            tick=market.tick,
            agent_id=who,
            role="tested",
            model="model",
            outcome="acted",
            note=note,
            reasoning=reasoning,
            text=None,
            stop_reason=None,
            error=None,
            calls=len(calls),
            valid_calls=len(calls),
            requests=1,
            observation=None,
            prompt="[]",
            reply="[]",
            usage="{}",
            latency_ms=None,
            message_id=None,
        )
        market.log_turn(turn)
        platform = Platform(market, BUILT_IN_CHECKS)
        for call in calls:
            assert not isinstance(call, int)
            platform.perform(who, turn_id, ToolCall(call[1], call[2]))

    return play


def bundles(evidence: Evidence, kind: str | None = None, **more: Any) -> list[Bundle]:
    """What a judge is shown, of one kind or of all."""
    found = bundles_of(evidence, FAILURE_TYPES, **more)
    return [one for one in found if kind in (None, one.bundle_id.split(":")[0])]


def asked(evidence: Evidence, kind: str | None = None, **more: Any) -> list[str]:
    """The bundles in one line each: id, and the types asked about."""
    return [f"{one.bundle_id} {' '.join(one.targets)}" for one in bundles(evidence, kind, **more)]
