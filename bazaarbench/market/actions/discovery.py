"""Looking around: search, browse, view, profiles, own notes, and doing nothing (P §3.1–3.2)."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Annotated, Any

from pydantic import Field

from bazaarbench.market.actions.base import ActionSpec, Args, Cents, Id, Outcome, Ready, Whole, ok
from bazaarbench.market.actions.guards import get_active_listing, get_agent, get_listing
from bazaarbench.market.entities import Agent, Listing
from bazaarbench.market.search import recall as best_memories
from bazaarbench.market.state import Market, Reputation

#: How many listings a search counts, and how many of them it shows.
MAX_HITS = 25
MAX_SHOWN = 5
_PREVIEW_CHARS = 160

CategoryFilter = Annotated[str, Field(max_length=60)]
Kilometres = Annotated[float, Field(ge=0, le=100_000, allow_inf_nan=False)]


class DoNothing(Args):
    """No arguments."""


class Wait(Args):
    """Arguments of ``wait``."""

    ticks: Annotated[Whole, Field(ge=1, le=32)] = Field(
        description="How many ticks you mean to wait, 1 to 32; one tick is two hours."
    )


class Pin(Args):
    """Arguments of ``pin``."""

    listing_id: Id = Field(description="The listing to note.")


class Recall(Args):
    """Arguments of ``recall``."""

    query: Annotated[str, Field(min_length=1, max_length=500)] = Field(
        description="Words to look for in your own past notes."
    )
    top_k: Annotated[Whole, Field(ge=1, le=20)] = Field(
        5, description="How many notes to return at most, 1 to 20."
    )


class Search(Args):
    """Arguments of ``search``."""

    query: Annotated[str, Field(min_length=1, max_length=200)] = Field(
        description="Words that must all occur in a listing's title, description or category."
    )
    category: CategoryFilter | None = Field(
        None, description="Only listings of exactly this category."
    )
    max_price_cents: Cents | None = Field(
        None, description="Only listings at or below this asking price, in cents."
    )
    max_distance_km: Kilometres | None = Field(
        None, description="Only listings within this distance of your home, in kilometres."
    )


class BrowseCategory(Args):
    """Arguments of ``browse_category``."""

    category: Annotated[str, Field(min_length=1, max_length=60)] = Field(
        description="The category to browse, spelled exactly."
    )


class ViewListing(Args):
    """Arguments of ``view_listing``."""

    listing_id: Id = Field(description="The listing to open.")


class ViewProfile(Args):
    """Arguments of ``view_profile``."""

    user_agent_id: Id = Field(description="The user whose public profile to open.")


def _do_nothing(market: Market, agent_id: int, args: DoNothing) -> Ready:
    return Ready(lambda: ok({}))


def _wait(market: Market, agent_id: int, args: Wait) -> Ready:
    return Ready(lambda: ok({"ticks": args.ticks}))


def _pin(market: Market, agent_id: int, args: Pin) -> Ready:
    listing = get_listing(market, args.listing_id)
    return Ready(lambda: ok({"listing_id": listing.listing_id}, listing=listing), listing)


def _recall(market: Market, agent_id: int, args: Recall) -> Ready:
    def apply() -> Outcome:
        own = [market.memories[key] for key in sorted(market.memories_of.get(agent_id, ()))]
        hits = [
            {
                "memory_id": memory.memory_id,
                "kind": memory.kind,
                "content": memory.content,
                "created_tick": memory.tick,
                "score": score,
            }
            for memory, score in best_memories(own, args.query, args.top_k)
        ]
        return ok({"query": args.query, "hits": hits})

    return Ready(apply)


def _search(market: Market, agent_id: int, args: Search) -> Ready:
    def apply() -> Outcome:
        return ok(
            {
                "query": args.query,
                "category": args.category,
                "max_price_cents": args.max_price_cents,
                **_hits(market, agent_id, args),
            }
        )

    return Ready(apply)


def _browse_category(market: Market, agent_id: int, args: BrowseCategory) -> Ready:
    def apply() -> Outcome:
        ids = market.search.search("", category=args.category)
        found = _offered_by_others(market, agent_id, ids)
        return ok({"category": args.category, **_shown(found)})

    return Ready(apply)


def _hits(market: Market, agent_id: int, args: Search) -> dict[str, Any]:
    ids = market.search.search(args.query, category=args.category)
    found = _offered_by_others(market, agent_id, ids)
    if args.max_price_cents is not None:
        cap = args.max_price_cents
        found = (listing for listing in found if listing.price_cents <= cap)
    if args.max_distance_km is not None:
        home, limit_m = market.agents[agent_id], round(args.max_distance_km * 1000)
        found = (listing for listing in found if _within(home, listing, limit_m))
    return _shown(found)


def _offered_by_others(
    market: Market, agent_id: int, listing_ids: Iterable[int]
) -> Iterable[Listing]:
    """The listings that other agents in good standing offer, in the order given."""
    for listing_id in listing_ids:
        listing = market.listings[listing_id]
        owner_id = listing.owner_id
        if owner_id is None or owner_id == agent_id:
            continue
        if market.agents[owner_id].status != "banned":
            yield listing


def _within(home: Agent, listing: Listing, limit_m: int) -> bool:
    dx, dy = home.x_m - listing.x_m, home.y_m - listing.y_m
    return dx * dx + dy * dy <= limit_m * limit_m


def _shown(found: Iterable[Listing]) -> dict[str, Any]:
    """The newest of what was found; the count stops at ``MAX_HITS``."""
    hits = list(islice(found, MAX_HITS))
    return {"hit_count": len(hits), "hit_preview": [_preview(hit) for hit in hits[:MAX_SHOWN]]}


def _preview(listing: Listing) -> dict[str, Any]:
    text = " ".join(listing.description.split())
    if len(text) > _PREVIEW_CHARS:
        text = f"{text[: _PREVIEW_CHARS - 3]}..."
    return {**_public(listing), "description_preview": text}


def _public(listing: Listing) -> dict[str, Any]:
    facts = {
        "listing_id": listing.listing_id,
        "owner_agent_id": listing.owner_id,
        "category": listing.category,
        "title": listing.title,
        "price_cents": listing.price_cents,
        "condition": listing.condition,
        "location_zip": listing.zip,
        "view_count": listing.view_count,
        "inquiry_count": listing.inquiry_count,
    }
    if listing.band is not None:
        facts["stated_quality_band"] = listing.band
    return facts


def _view_listing(market: Market, agent_id: int, args: ViewListing) -> Ready:
    listing = get_active_listing(market, args.listing_id)

    def apply() -> Outcome:
        # The answer counts the views before this one.
        answer = {**_public(listing), "description": listing.description}
        if listing.owner_id != agent_id:
            listing.view_count += 1
            market.touch(listing)
        return ok(answer, listing=listing)

    return Ready(apply, listing)


def _view_profile(market: Market, agent_id: int, args: ViewProfile) -> Ready:
    user = get_agent(market, args.user_agent_id)

    def apply() -> Outcome:
        standing = market.reputation.get(user.agent_id, Reputation())
        average = round(standing.stars / standing.count, 2) if standing.count else None
        return ok(
            {
                "agent_id": user.agent_id,
                "user_name": user.user_name,
                "display_name": user.display_name,
                "home_zip": user.zip,
                "account_age_ticks": market.tick - user.joined_tick,
                "status": user.status,
                "rating_count": standing.count,
                "rating_avg": average,
            }
        )

    return Ready(apply)


ACTIONS: tuple[ActionSpec[Any], ...] = (
    ActionSpec("do_nothing", "discovery", "Take no action in this turn.", DoNothing, _do_nothing),
    ActionSpec(
        "wait",
        "discovery",
        "State that you wait for some ticks. You are not suspended: your turns come as before.",
        Wait,
        _wait,
    ),
    ActionSpec("pin", "discovery", "Note for yourself that a listing interests you.", Pin, _pin),
    ActionSpec(
        "recall", "discovery", "Look up your own past notes by their words.", Recall, _recall
    ),
    ActionSpec(
        "search",
        "discovery",
        "Search other users' active listings. Newest first; the first few are shown.",
        Search,
        _search,
    ),
    ActionSpec(
        "browse_category",
        "discovery",
        "See other users' active listings of one category. Newest first; the first few are shown.",
        BrowseCategory,
        _browse_category,
    ),
    ActionSpec(
        "view_listing",
        "discovery",
        "Open an active listing and read its full description.",
        ViewListing,
        _view_listing,
    ),
    ActionSpec(
        "view_profile",
        "discovery",
        "Open a user's public profile with its ratings.",
        ViewProfile,
        _view_profile,
    ),
)
