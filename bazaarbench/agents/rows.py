"""The rows of an observation, and what is kept of them from one observation to the next.

Most of what agents see is the same for all of them: what is on offer. Such a row is made once and
made again only when its listing has changed, so an observation costs what is new in it. Rows are
shared between observations and must not be changed. Keys stand in alphabetical order, so that the
plain JSON of an observation is already its canonical form; the text of a kept row is kept with it.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable
from heapq import nlargest
from typing import Any, TypeVar

from bazaarbench.agents.kept import EMPTY, Found, Row, Shown, section, shown
from bazaarbench.agents.watch import Changes
from bazaarbench.market.bands import CONDITION_BAND, band_of
from bazaarbench.market.clock import label
from bazaarbench.market.entities import Event, Holding, Listing, Thread, Unit
from bazaarbench.market.handoff import promised_units
from bazaarbench.market.inventory import UNSTATED_QUALITY_PCT, unit_condition_pct
from bazaarbench.market.state import Market

#: Limits of SPEC §5.2 and reference A §3.1, in rows and characters.
BASELINES_SHOWN = 30
SALES_SHOWN = 10
FEED_SHOWN = 10
MEMORIES_SHOWN = 5
HITS_SHOWN = 5
FEED_TEXT = 140
DETAIL_TEXT = 240
ARGUMENT_TEXT = 80
ARGUMENTS_SHOWN = 12

#: The condition in a word that goes with a band.
BAND_CONDITION: dict[str, str] = {
    **{band: condition for condition, band in CONDITION_BAND.items()},
    "for_parts": "poor",
}

#: How many cached rows beyond the active listings are kept before all are made anew.
_SLACK = 4_096


T = TypeVar("T")


class _Memo(dict[int, T]):
    """Something by ids, made when it is first asked for."""

    __slots__ = ("_make",)

    def __init__(self, make: Callable[[int], T]) -> None:
        self._make = make

    def __missing__(self, key: int) -> T:
        value = self[key] = self._make(key)
        return value


class Rows:
    """Makes the rows of one market's observations."""

    def __init__(self, market: Market) -> None:
        self._market = market
        # Kept until a row that they show has changed; see ``start``.
        self._public = _Memo(self._public_row)
        self._brief = _Memo(self._brief_row)
        self._feed_ids = _Memo(self._make_feed_ids)
        self._stocks = _Memo(self._make_stock)
        self._memories = _Memo(self._make_memories)
        self._found: defaultdict[int, Found] = defaultdict(Found)
        #: By whom, and by which event, a listing was found or viewed.
        self._finders: defaultdict[int, set[tuple[int, int]]] = defaultdict(set)
        self._viewers: defaultdict[int, set[tuple[int, int]]] = defaultdict(set)
        self._histories: dict[int, tuple[int, list[Shown], Shown]] = {}
        self._freshest: list[int] | None = None
        self.baselines = EMPTY
        self.sales = EMPTY
        self.time = EMPTY

    def start(self, changes: Changes | None) -> None:
        """Let go of what has changed, of everything when that is not known, and go on from there.

        The text of listings in feeds and searches is the same for all agents, and so is all that
        is made here for the tick.
        """
        market = self._market
        self._freshest = None
        full = len(self._public) > _SLACK + 2 * len(market.active_listings)
        if changes is None or full or any(changes.rows("agents")):
            self._forget_all()
        else:
            self._forget(changes)
        self.time = shown(label(market.tick))
        self.baselines = shown(self._make_baselines())
        self.sales = shown([self._sale(offer_id) for _, offer_id in reversed(market.recent_sales)])

    def _forget_all(self) -> None:
        for kept in (
            self._public,
            self._brief,
            self._feed_ids,
            self._stocks,
            self._memories,
            self._found,
            self._finders,
            self._viewers,
        ):
            kept.clear()

    def _forget(self, changes: Changes) -> None:
        threads = self._market.threads
        for listing in changes.rows("listings"):
            listing_id = listing.listing_id
            self._public.pop(listing_id, None)
            finders = self._viewers.pop(listing_id, set())
            # Searches do not show how often something was viewed, which changes most.
            if self._brief.get(listing_id, (None, None))[0] != _brief_version(listing):
                self._brief.pop(listing_id, None)
                finders |= self._finders.pop(listing_id, set())
            for agent_id, event_id in finders:
                self._found[agent_id].forget(event_id)
        for offer in changes.rows("offers"):
            self._public.pop(threads[offer.thread_id].listing_id, None)
        for photo in changes.rows("photos"):
            self._public.pop(photo.listing_id, None)
        for holding in changes.rows("holdings"):
            self._stocks.pop(holding.agent_id, None)
        for memory in changes.rows("memories"):
            self._memories.pop(memory.agent_id, None)
        for feed in changes.rows("feeds"):
            self._feed_ids.pop(feed.agent_id, None)

    # -------------------------------------------------------------------------- what is on offer

    def feed(self, agent_id: int) -> Shown:
        """The agent's recommendations that are still on offer, best first."""
        listing_ids = self._feed_ids[agent_id]
        if not listing_ids:
            own = self._market.active_of_owner.get(agent_id, {})
            listing_ids = [i for i in self._fresh_ids() if i not in own]
        rows = [row for row in map(self._public.__getitem__, listing_ids) if row is not None]
        return section(rows[:FEED_SHOWN])

    def _public_row(self, listing_id: int) -> Shown | None:
        """A listing in the feed; ``None`` when it is gone or its owner banned."""
        market = self._market
        listing = market.active_listings.get(listing_id)
        if listing is None:
            return None
        if listing.owner_id is not None and market.agents[listing.owner_id].status == "banned":
            return None
        return shown(
            {
                "band": listing.band,
                "category": listing.category,
                "condition": listing.condition,
                "description": listing.description[:FEED_TEXT],
                "listing_id": listing_id,
                "offer_count": market.offer_count.get(listing_id, 0),
                "photo_count": market.photo_count.get(listing_id, 0),
                "posted_tick": listing.created_tick,
                "price_cents": listing.price_cents,
                "seller_id": listing.owner_id,
                "title": listing.title,
                "view_count": listing.view_count,
            }
        )

    def _make_feed_ids(self, agent_id: int) -> list[int]:
        market = self._market
        feed = market.feeds.get(agent_id)
        if feed is None:
            return []
        own = set(market.listings_of_owner.get(agent_id, ()))
        return [i for i in json.loads(feed.listing_ids) if i not in own]

    def _fresh_ids(self) -> list[int]:
        """The newest active listings, when there is no feed; a few more for those left out."""
        if self._freshest is None:
            newest = nlargest(
                4 * FEED_SHOWN,
                self._market.active_listings.values(),
                key=lambda listing: (listing.created_tick, listing.listing_id),
            )
            self._freshest = [listing.listing_id for listing in newest]
        return self._freshest

    def discoveries(self, agent_id: int) -> Shown:
        """What of the agent's own searches and views is still on offer, newest first."""
        events = self._market.discoveries.get(agent_id)
        if not events:
            return EMPTY
        found = self._found[agent_id]
        if found.newest != events[-1].event_id:
            kept, found.rows = found.rows, {}
            for event in reversed(events):
                event_id = event.event_id
                found.rows[event_id] = kept[event_id] if event_id in kept else self._find(event)
            found.section = section([row for row in found.rows.values() if row is not None])
            found.newest = events[-1].event_id
        return found.section

    def _find(self, event: Event) -> Shown | None:
        """The row of one search or view, until one of the listings that it shows changes."""
        found_by = self._viewers if event.action == "view_listing" else self._finders
        for listing_id in _listing_ids(event):
            found_by[listing_id].add((event.agent_id or 0, event.event_id))
        row = self._discovery(event)
        return None if row is None else shown(row)

    def _discovery(self, event: Event) -> Row | None:
        """One search or view; ``None`` when nothing of it is left. No hits at all stay so."""
        if event.action == "view_listing":
            listing = self._market.active_listings.get(event.payload["listing_id"])
            return None if listing is None else self._detail(listing, event.tick)
        listing_ids = _listing_ids(event)
        briefs = map(self._brief.__getitem__, listing_ids)
        hits = [row for _, row in briefs if row is not None]
        if listing_ids and not hits:
            return None
        row: Row = {"action": event.action}
        for name in ("category", "hit_count", "hits", "max_price_cents", "query"):
            value = hits if name == "hits" else event.result.get(name)
            if value is not None:
                row[name] = value
        row["tick"] = event.tick
        return row

    def _brief_row(self, listing_id: int) -> tuple[int | None, Row | None]:
        """A listing as a search shows it and its version; ``None`` when it is gone."""
        listing = self._market.active_listings.get(listing_id)
        if listing is None:
            return None, None
        row = {
            "band": listing.band,
            "category": listing.category,
            "listing_id": listing_id,
            "price_cents": listing.price_cents,
            "seller_id": listing.owner_id,
            "title": listing.title,
        }
        return _brief_version(listing), row

    def _detail(self, listing: Listing, tick: int) -> Row:
        return {
            "action": "view_listing",
            "band": listing.band,
            "category": listing.category,
            "condition": listing.condition,
            "description": listing.description[:DETAIL_TEXT],
            "inquiry_count": listing.inquiry_count,
            "listing_id": listing.listing_id,
            "price_cents": listing.price_cents,
            "seller_id": listing.owner_id,
            "tick": tick,
            "title": listing.title,
            "view_count": listing.view_count,
            "zip": listing.zip,
        }

    def _make_baselines(self) -> Row:
        market = self._market
        full = [(category, prices) for category, prices in market.active_prices.items() if prices]
        full.sort(key=lambda pair: (-len(pair[1]), pair[0]))
        return {
            category: {
                "avg": market.active_price_sum[category] // len(prices),
                "count": len(prices),
                "max": prices[-1],
                "min": prices[0],
            }
            for category, prices in sorted(full[:BASELINES_SHOWN])
        }

    def _sale(self, offer_id: int) -> Row:
        market = self._market
        offer = market.offers[offer_id]
        thread = market.threads[offer.thread_id]
        listing = market.listings[thread.listing_id]
        return {
            "buyer_id": thread.buyer_id,
            "category": listing.category,
            "listing_id": listing.listing_id,
            "price_cents": offer.price_cents,
            "seller_id": thread.seller_id,
            "tick": offer.accepted_tick,
            "title": listing.title,
        }

    # -------------------------------------------------------------------- what is the agent's own

    def units(self, agent_id: int) -> Shown:
        """The agent's own unsold units, in ascending id; the ids stay hidden."""
        unit_ids, stock = self._stocks[agent_id]
        if self._market.rules.unit_status_shown == "off":
            return stock
        promised = promised_units(self._market, agent_id)
        return shown(
            [
                _with_status(row, "promised" if unit_id in promised else "free")
                for row, unit_id in zip(stock.data, unit_ids, strict=True)
            ]
        )

    def _make_stock(self, agent_id: int) -> tuple[list[int], Shown]:
        market = self._market
        unit_ids = sorted(market.units_of.get(agent_id, ()))
        holdings = [market.holdings[market.holding_of_unit[unit_id]] for unit_id in unit_ids]
        pairs = zip(map(market.units.__getitem__, unit_ids), holdings, strict=True)
        return unit_ids, shown([self._unit(unit, holding) for unit, holding in pairs])

    def sold_units(self, agent_id: int, limit: int) -> list[Row]:
        """Units that the agent held and has sold, newest id first (rule ``unit_status_shown``)."""
        market = self._market
        newest = sorted(market.past_units_of.get(agent_id, ()), reverse=True)[:limit]
        return [
            {
                "category": market.units[unit_id].category,
                "status": "sold",
                "title": market.units[unit_id].title,
            }
            for unit_id in newest
        ]

    def _unit(self, unit: Unit, holding: Holding) -> Row:
        """What the holder knows: its own first-entry unit in full, a bought one as it was sold.

        As it was sold means by the stated band, which cannot be edited, or by what inspections show
        when none was stated; so the row is the same whenever it is made.
        What a bought unit is really like stays in the ledger, unless inspections show the unit
        itself (rule ``inspection_shows``) and the buyer has inspected.
        """
        condition, quality_pct = unit.condition, unit.quality_pct
        if holding.thread_id is not None:
            thread = self._market.threads[holding.thread_id]
            band = self._market.listings[thread.listing_id].band
            condition = BAND_CONDITION[band or band_of(UNSTATED_QUALITY_PCT)]
            quality_pct = None
            if self._market.rules.inspection_shows == "unit" and holding.how == "purchase":
                quality_pct = self._inspected(thread, unit)
        return {
            "bought_tick": None if holding.thread_id is None else holding.from_tick,
            "category": unit.category,
            "condition": condition,
            "paid_cents": holding.cost_cents,
            "quality_pct": quality_pct,
            "title": unit.title,
        }

    def _inspected(self, thread: Thread, unit: Unit) -> int | None:
        """What its buyer saw of a unit.

        An inspection of before these rules may have shown a number made up for its listing: that
        one says nothing about the unit.
        """
        market = self._market
        shown_pct = unit_condition_pct(market, unit)
        for exchange_id in market.exchanges_of_thread.get(thread.thread_id, ()):
            if market.exchanges[exchange_id].inspected_pct == shown_pct:
                return shown_pct
        return None

    def memories(self, agent_id: int) -> Shown:
        """The agent's newest notes."""
        return self._memories[agent_id]

    def _make_memories(self, agent_id: int) -> Shown:
        market = self._market
        newest = reversed(market.memories_of.get(agent_id, [])[-MEMORIES_SHOWN:])
        memories = map(market.memories.__getitem__, newest)
        return shown([{"content": m.content, "kind": m.kind, "tick": m.tick} for m in memories])

    def history(self, agent_id: int) -> Shown:
        """The agent's own last actions, newest first."""
        events = self._market.history.get(agent_id)
        if not events:
            return EMPTY
        newest, rows, shown_rows = self._histories.get(agent_id, (0, [], EMPTY))
        if newest != events[-1].event_id:
            new = [self._event(event) for event in events if event.event_id > newest]
            rows = [*reversed(new), *rows][: len(events)]
            shown_rows = section(rows)
            self._histories[agent_id] = (events[-1].event_id, rows, shown_rows)
        return shown_rows

    def _event(self, event: Event) -> Shown:
        """One of the agent's own past actions; its answer only under ``results_fed_back=all``."""
        row: Row = {"action": event.action, "arguments": _arguments(event.payload)}
        if self._market.rules.results_fed_back == "all":
            row["reason"] = event.reason
            row["result"] = canonical(event.result)
            row["status"] = event.status
        row["tick"] = event.tick
        return shown(row)


def _listing_ids(event: Event) -> list[int]:
    """The listings that a search or view shows."""
    if event.action == "view_listing":
        return [event.payload["listing_id"]]
    return [hit["listing_id"] for hit in event.result.get("hit_preview", ())[:HITS_SHOWN]]


def _brief_version(listing: Listing) -> int | None:
    return listing.version if listing.status == "active" else None


def canonical(value: Any) -> Any:
    """A copy of a JSON value with the keys of its objects in order, at every depth."""
    if isinstance(value, dict):
        return {key: canonical(value[key]) for key in sorted(value)}
    if isinstance(value, list | tuple):
        return [canonical(item) for item in value]
    return value


def _arguments(payload: dict[str, Any]) -> Row:
    """The plain arguments of a call, cut: a model may have written any number of any length."""
    plain: Row = {}
    for key in sorted(payload)[:ARGUMENTS_SHOWN]:
        value = payload[key]
        if isinstance(value, str):
            plain[key[:ARGUMENT_TEXT]] = value[:ARGUMENT_TEXT]
        elif isinstance(value, int | float):
            plain[key[:ARGUMENT_TEXT]] = value
    return plain


def _with_status(row: Row, status: str) -> Row:
    """A unit's row with its status in its place, between ``quality_pct`` and ``title``."""
    marked = {key: value for key, value in row.items() if key != "title"}
    return {**marked, "status": status, "title": row["title"]}
