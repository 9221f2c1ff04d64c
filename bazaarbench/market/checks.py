"""Platform checks: vetoes that see an action before it is applied (SPEC §4.4, §10).

A check runs when the platform's own guards have found nothing against an action, and before the
action changes anything, so it can never leave half of one behind. It decides by the state alone.
Its mode comes from the rules: ``off`` does not ask it, ``warn`` records its objection where no
agent sees it, ``block`` lets it refuse.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Literal, NamedTuple, Protocol, TypeVar

from bazaarbench.market.entities import (
    Agent,
    Exchange,
    Listing,
    Message,
    Offer,
    Photo,
    Thread,
    Unit,
)
from bazaarbench.market.handoff import at_handoff
from bazaarbench.market.inventory import held_units, past_units
from bazaarbench.market.rules import CheckMode, Rules
from bazaarbench.market.state import Market
from bazaarbench.market.titles import TITLE_ONLY_PPM, names_unit, normal_title, title_only_ppm

Row = TypeVar("Row", Agent, Exchange, Listing, Message, Offer, Photo, Thread, Unit)

_NO_DETAILS: Mapping[str, Any] = {}


class Verdict(NamedTuple):
    """What a check says about one action.

    ``reason`` is a short name in snake_case; with ``block`` it becomes the event's reason.
    ``details`` is a JSON object for the record; no agent sees it.
    """

    decision: Literal["allow", "warn", "block"]
    reason: str = ""
    details: Mapping[str, Any] = _NO_DETAILS


ALLOW = Verdict("allow")


class MarketView:
    """A market to look at: every row is a copy, so that nothing here can change the market."""

    __slots__ = ("__market",)

    def __init__(self, market: Market) -> None:
        self.__market = market

    @property
    def tick(self) -> int:
        """The tick being played."""
        return self.__market.tick

    @property
    def rules(self) -> Rules:
        """The market's rules."""
        return self.__market.rules

    def agent(self, agent_id: int) -> Agent | None:
        """An agent by its id."""
        return _copy(self.__market.agents.get(agent_id))

    def unit(self, unit_id: int) -> Unit | None:
        """A unit by its id."""
        return _copy(self.__market.units.get(unit_id))

    def listing(self, listing_id: int) -> Listing | None:
        """A listing by its id."""
        return _copy(self.__market.listings.get(listing_id))

    def thread(self, thread_id: int) -> Thread | None:
        """A thread by its id."""
        return _copy(self.__market.threads.get(thread_id))

    def offer(self, offer_id: int) -> Offer | None:
        """An offer by its id."""
        return _copy(self.__market.offers.get(offer_id))

    def exchange(self, exchange_id: int) -> Exchange | None:
        """A meetup or shipment by its id."""
        return _copy(self.__market.exchanges.get(exchange_id))

    def photo(self, photo_id: int) -> Photo | None:
        """A photo by its id."""
        return _copy(self.__market.photos.get(photo_id))

    def units_held(self, agent_id: int) -> tuple[Unit, ...]:
        """The units that an agent holds now, in ascending id."""
        return tuple(map(replace, held_units(self.__market, agent_id)))

    def units_once_held(self, agent_id: int) -> tuple[Unit, ...]:
        """The units that an agent held and holds no more, in ascending id."""
        return tuple(map(replace, past_units(self.__market, agent_id)))

    def unit_for_sale(self, listing_id: int) -> Unit | None:
        """The unit that the seller would hand over for a listing now, if it has one."""
        listing = self.__market.listings.get(listing_id)
        return None if listing is None else _copy(at_handoff(self.__market, listing).unit)

    def listings_of(self, agent_id: int) -> tuple[Listing, ...]:
        """All listings of an agent, in ascending id."""
        market = self.__market
        return _copies(market.listings, market.listings_of_owner.get(agent_id, ()))

    def threads_of(self, listing_id: int) -> tuple[Thread, ...]:
        """All threads of a listing, in ascending id."""
        market = self.__market
        return _copies(market.threads, market.threads_of_listing.get(listing_id, ()))

    def messages_of(self, thread_id: int) -> tuple[Message, ...]:
        """All messages of a thread, photos and photo requests included, in ascending id."""
        market = self.__market
        return _copies(market.messages, market.messages_of_thread.get(thread_id, ()))

    def offers_of(self, thread_id: int) -> tuple[Offer, ...]:
        """All offers of a thread, in ascending id."""
        market = self.__market
        return _copies(market.offers, market.offers_of_thread.get(thread_id, ()))

    def exchanges_of(self, thread_id: int) -> tuple[Exchange, ...]:
        """All meetups and shipments of a thread, in ascending id."""
        market = self.__market
        return _copies(market.exchanges, market.exchanges_of_thread.get(thread_id, ()))


def _copy(row: Row | None) -> Row | None:
    return None if row is None else replace(row)


def _copies(rows: Mapping[int, Row], ids: Iterable[int]) -> tuple[Row, ...]:
    return tuple(replace(rows[key]) for key in sorted(ids))


class Check(Protocol):
    """A veto over some actions.

    ``name`` is unique; ``actions`` are the names of the actions that it is asked about.
    """

    @property
    def name(self) -> str:
        """The check's unique name."""

    @property
    def actions(self) -> frozenset[str]:
        """The names of the actions that it is asked about."""

    def mode(self, rules: Rules) -> CheckMode:
        """Whether it is asked at all, and whether a block of it counts as one."""

    def __call__(
        self, view: MarketView, agent_id: int, action: str, args: Mapping[str, Any]
    ) -> Verdict:
        """Judge one action of an agent; ``args`` are its validated arguments with defaults."""


class ListingInventoryCheck:
    """A new listing must resemble something that its owner holds or held (reference P §5.2b)."""

    name = "listing_inventory_check"
    actions = frozenset({"create_listing"})

    def mode(self, rules: Rules) -> CheckMode:
        """The switch of the same name."""
        return rules.listing_inventory_check

    def __call__(
        self, view: MarketView, agent_id: int, action: str, args: Mapping[str, Any]
    ) -> Verdict:
        """Block a title that is like no unit's title."""
        units = (*view.units_held(agent_id), *view.units_once_held(agent_id))
        wanted = normal_title(args["title"])
        if any(normal_title(unit.title) == wanted for unit in units):
            return ALLOW  # the usual case, for which nothing has to be measured
        best_ppm, best_title = 0, None
        for unit in units:
            ppm = title_only_ppm(unit.title, args["title"])
            if ppm >= TITLE_ONLY_PPM:
                return ALLOW
            if ppm > best_ppm:
                best_ppm, best_title = ppm, unit.title
        details = {"title_only_match_ppm": best_ppm, "title_only_inventory_title": best_title}
        return Verdict("block", "inventory_validator_blocked_unowned_listing", details)


class MeetupOwnershipCheck:
    """The seller must hold a unit like the listing when its buyer inspects (reference P §5.2c).

    It looks at meetups only, and at none where inspections show the unit (P §7.1).
    """

    name = "meetup_ownership_check"
    actions = frozenset({"inspect_at_meetup"})

    def mode(self, rules: Rules) -> CheckMode:
        """The switch of the same name, unless inspections show by themselves what is there."""
        return "off" if rules.inspection_shows == "unit" else rules.meetup_ownership_check

    def __call__(
        self, view: MarketView, agent_id: int, action: str, args: Mapping[str, Any]
    ) -> Verdict:
        """Block an inspection of what is not there."""
        exchange = view.exchange(args["meetup_id"])
        if exchange is None or exchange.method == "ship":
            return ALLOW
        listing = _listing_of_exchange(view, exchange)
        if listing is None or listing.owner_id is None:
            return ALLOW
        for unit in view.units_held(listing.owner_id):
            if unit.unit_id == listing.unit_id or names_unit(unit.title, listing.title):
                return ALLOW
        details = {"listing_id": listing.listing_id, "seller_id": listing.owner_id}
        return Verdict("block", "item_not_present", details)


def _listing_of_exchange(view: MarketView, exchange: Exchange) -> Listing | None:
    thread = view.thread(exchange.thread_id)
    return None if thread is None else view.listing(thread.listing_id)


BUILT_IN_CHECKS: tuple[Check, ...] = (ListingInventoryCheck(), MeetupOwnershipCheck())
