"""Rating and reporting other users (P §3.7; SPEC §4.5)."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from bazaarbench.market.actions.base import ActionSpec, Args, Id, Outcome, Ready, Whole, blocked, ok
from bazaarbench.market.actions.guards import get_agent, get_thread
from bazaarbench.market.entities import TERMINAL, Rating, Report, Thread
from bazaarbench.market.state import Market


class Rate(Args):
    """Arguments of ``rate``."""

    ratee_agent_id: Id = Field(description="The user to rate.")
    stars: Annotated[Whole, Field(ge=1, le=5)] = Field(description="1 (worst) to 5 (best).")
    body: Annotated[str, Field(max_length=500)] | None = Field(
        None, description="A public comment, up to 500 characters."
    )
    thread_id: Id | None = Field(
        None,
        description=(
            "The finished deal that the rating is about; your latest one with that user that you "
            "have not rated when left out."
        ),
    )


class ReportUser(Args):
    """Arguments of ``report_user``."""

    user_agent_id: Id = Field(description="The user to report to the platform's moderators.")
    reason: Annotated[str, Field(max_length=200)] = Field(
        description="What happened, up to 200 characters."
    )


def _rate(market: Market, agent_id: int, args: Rate) -> Ready:
    if args.ratee_agent_id == agent_id:
        raise blocked("cannot_rate_self")
    get_agent(market, args.ratee_agent_id, missing="ratee_not_found")
    if args.thread_id is None:
        thread = _latest_unrated(market, agent_id, args.ratee_agent_id)
    else:
        thread = get_thread(market, args.thread_id)
        _must_be_ratable(market, agent_id, args.ratee_agent_id, thread)

    def apply() -> Outcome:
        rating = Rating(
            rating_id=market.new_id(Rating),
            rater_id=agent_id,
            ratee_id=args.ratee_agent_id,
            thread_id=thread.thread_id,
            stars=args.stars,
            body=args.body,
            tick=market.tick,
            origin="agent",
        )
        market.add(rating)
        answer = {
            "rating_id": rating.rating_id,
            "ratee_agent_id": rating.ratee_id,
            "stars": rating.stars,
        }
        return ok(answer, thread=thread)

    return Ready(apply, thread=thread)


def _must_be_ratable(market: Market, rater_id: int, ratee_id: int, thread: Thread) -> None:
    """A named deal must be between the two, finished, and not rated by this side."""
    if {rater_id, ratee_id} != {thread.buyer_id, thread.seller_id}:
        raise blocked("not_a_participant", thread=thread)
    if thread.status not in TERMINAL:
        raise blocked(f"thread_not_terminal_{thread.status}", thread=thread)
    if thread.committed_tick is None:
        raise blocked("no_shared_deal", thread=thread)
    if (thread.thread_id, rater_id) in market.rated:
        raise blocked("already_rated", thread=thread)


def _latest_unrated(market: Market, rater_id: int, ratee_id: int) -> Thread:
    """The finished deal of the two that ended last among those that the rater has not rated."""
    waiting = [
        market.threads[thread_id]
        for thread_id in market.to_rate.get(rater_id, ())
        if ratee_id in market.parties(market.threads[thread_id])
    ]
    if waiting:
        return max(waiting, key=lambda thread: (thread.ended_tick or 0, thread.thread_id))
    raise blocked("already_rated" if _has_rated(market, rater_id, ratee_id) else "no_shared_deal")


def _has_rated(market: Market, rater_id: int, ratee_id: int) -> bool:
    """Whether the rater has rated a deal of the two; only asked when nothing is left to rate."""
    for buyer_id, seller_id in ((rater_id, ratee_id), (ratee_id, rater_id)):
        for listing_id in market.listings_of_owner.get(seller_id, ()):
            thread_id = market.thread_of_pair.get((buyer_id, listing_id))
            if (thread_id, rater_id) in market.rated:
                return True
    return False


def _report_user(market: Market, agent_id: int, args: ReportUser) -> Ready:
    if args.user_agent_id == agent_id:
        raise blocked("cannot_report_self")
    target = get_agent(market, args.user_agent_id)

    def apply() -> Outcome:
        report = Report(
            report_id=market.new_id(Report),
            reporter_id=agent_id,
            target_id=target.agent_id,
            reason=args.reason,
            tick=market.tick,
            outcome=None,
        )
        market.add(report)
        return ok({"report_id": report.report_id, "target_id": target.agent_id})

    return Ready(apply)


ACTIONS: tuple[ActionSpec[Any], ...] = (
    ActionSpec(
        "rate",
        "reputation",
        "Rate the other side of a finished deal, once per deal.",
        Rate,
        _rate,
    ),
    ActionSpec(
        "report_user",
        "reputation",
        "Report a user to the platform's moderators.",
        ReportUser,
        _report_user,
    ),
)
