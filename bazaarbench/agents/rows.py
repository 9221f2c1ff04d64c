"""The rows of an observation, and what is kept of them from one observation to the next.

Most of what agents see is the same for all of them: what is on offer. Such a row is made once and
made again only when its listing has changed, so an observation costs what is new in it. Rows are
shared between observations and must not be changed. Keys stand in alphabetical order, so that the
plain JSON of an observation is already its canonical form; the text of a kept row is kept with it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from bazaarbench.agents.policy import render
from bazaarbench.market.entities import Event, Holding, Listing, Thread, Unit
from bazaarbench.market.inventory import unit_for_sale
from bazaarbench.market.state import Market

Row = dict[str, Any]


class Shown(NamedTuple):
    """A row or a section: its data and the JSON of that."""

    data: Any
    text: str


def shown(data: Any) -> Shown:
    """Data with its text."""
    return Shown(data, render(data))


def section(rows: Sequence[Shown]) -> Shown:
    """A section of rows whose texts are known."""
    return Shown([row.data for row in rows], f"[{','.join([row.text for row in rows])}]")


EMPTY = Shown([], "[]")


#: Limits of SPEC §5.2 and reference A §3.1, in rows and characters.
BASELINES_SHOWN = 30
SALES_SHOWN = 10
FEED_SHOWN = 10
HITS_SHOWN = 5
FEED_TEXT = 140
DETAIL_TEXT = 240
ARGUMENT_TEXT = 80
ARGUMENTS_SHOWN = 12

#: How many cached rows beyond the active listings are kept before all are made anew.
_SLACK = 4_096


class Rows:
    """Makes the rows of one market's observations."""

    def __init__(self, market: Market) -> None:
        self._market = market
        self._tick = -1
        self._public: dict[int, tuple[tuple[int, ...], Shown]] = {}
        self._brief: dict[int, tuple[int, Row]] = {}
        self._units: dict[int, Shown] = {}
        self._events: dict[int, Shown] = {}
        self._feeds: dict[int, tuple[str, list[int]]] = {}
        self._memories: dict[int, tuple[int, Shown]] = {}
        self.baselines = EMPTY
        self.sales = EMPTY
        self._freshest: list[int] | None = None

    def start(self) -> None:
        """Bring what all agents of a tick share up to that tick; cheap when called again."""
        market = self._market
        if self._tick == market.tick:
            return
        self._tick = market.tick
        self._freshest = None
        if len(self._public) > _SLACK + 2 * len(market.active_listings):
            self._public.clear()
            self._brief.clear()
        if len(self._events) > _SLACK + 32 * len(market.agents):
            self._events.clear()
        if len(self._units) > _SLACK + 2 * len(market.units):
            self._units.clear()
        self.baselines = shown(self._make_baselines())
        self.sales = shown([self._sale(offer_id) for _, offer_id in reversed(market.recent_sales)])

    # -------------------------------------------------------------------------- what is on offer

    def public(self, listing: Listing) -> Shown:
        """A listing as everybody sees it in the feed."""
        market, listing_id = self._market, listing.listing_id
        key = (
            listing.version,
            listing.view_count,
            market.offer_count.get(listing_id, 0),
            market.photo_count.get(listing_id, 0),
        )
        known = self._public.get(listing_id)
        if known is not None and known[0] == key:
            return known[1]
        row = shown(
            {
                "band": listing.band,
                "category": listing.category,
                "condition": listing.condition,
                "description": listing.description[:FEED_TEXT],
                "listing_id": listing_id,
                "offer_count": key[2],
                "photo_count": key[3],
                "posted_tick": listing.created_tick,
                "price_cents": listing.price_cents,
                "seller_id": listing.owner_id,
                "title": listing.title,
                "view_count": listing.view_count,
            }
        )
        self._public[listing_id] = (key, row)
        return row

    def brief(self, listing: Listing) -> Row:
        """A listing as a search shows it."""
        known = self._brief.get(listing.listing_id)
        if known is not None and known[0] == listing.version:
            return known[1]
        row = {
            "band": listing.band,
            "category": listing.category,
            "listing_id": listing.listing_id,
            "price_cents": listing.price_cents,
            "seller_id": listing.owner_id,
            "title": listing.title,
        }
        self._brief[listing.listing_id] = (listing.version, row)
        return row

    def feed(self, agent_id: int) -> Shown:
        """The agent's recommendations that are still on offer, best first."""
        market = self._market
        active, agents = market.active_listings, market.agents
        rows = []
        for listing_id in self._feed_ids(agent_id):
            listing = active.get(listing_id)
            if listing is None or listing.owner_id == agent_id:
                continue
            if listing.owner_id is not None and agents[listing.owner_id].status == "banned":
                continue
            rows.append(self.public(listing))
            if len(rows) == FEED_SHOWN:
                break
        return section(rows)

    def _feed_ids(self, agent_id: int) -> list[int]:
        feed = self._market.feeds.get(agent_id)
        if feed is None or feed.listing_ids == "[]":
            return self._fresh_ids()
        known = self._feeds.get(agent_id)
        if known is None or known[0] != feed.listing_ids:
            known = (feed.listing_ids, json.loads(feed.listing_ids))
            self._feeds[agent_id] = known
        return known[1]

    def _fresh_ids(self) -> list[int]:
        """The newest active listings, when there is no feed; a few more for those left out."""
        if self._freshest is None:
            newest = sorted(
                self._market.active_listings.values(),
                key=lambda listing: (-listing.created_tick, -listing.listing_id),
            )
            self._freshest = [listing.listing_id for listing in newest[: 4 * FEED_SHOWN]]
        return self._freshest

    def discovery(self, event: Event) -> Row | None:
        """One of the agent's own searches or views, with what of it is still on offer."""
        active = self._market.active_listings
        if event.action == "view_listing":
            listing = active.get(event.payload["listing_id"])
            return None if listing is None else self._detail(listing, event.tick)
        hits = []
        for hit in event.result.get("hit_preview", ())[:HITS_SHOWN]:
            listing = active.get(hit["listing_id"])
            if listing is not None:
                hits.append(self.brief(listing))
        row: Row = {"action": event.action}
        for name in ("category", "hit_count", "hits", "max_price_cents", "query"):
            value = hits if name == "hits" else event.result.get(name)
            if value is not None:
                row[name] = value
        row["tick"] = event.tick
        return row

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
        market = self._market
        unit_ids = sorted(market.units_of.get(agent_id, ()))
        rows = []
        for unit_id in unit_ids:
            holding_id = market.holding_of_unit[unit_id]
            row = self._units.get(holding_id)
            if row is None:
                row = shown(self._unit(market.units[unit_id], market.holdings[holding_id]))
                self._units[holding_id] = row
            rows.append(row)
        if market.rules.unit_status_shown == "off":
            return section(rows)
        promised = self._promised(agent_id)
        return shown(
            [
                _with_status(row.data, "promised" if unit_id in promised else "free")
                for row, unit_id in zip(rows, unit_ids, strict=True)
            ]
        )

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

        What a bought unit is really like stays in the ledger, unless inspections show the unit
        itself (rule ``inspection_shows``) and the buyer has inspected.
        """
        condition, quality_pct = unit.condition, unit.quality_pct
        if holding.thread_id is not None:
            thread = self._market.threads[holding.thread_id]
            condition = self._market.listings[thread.listing_id].condition
            quality_pct = None
            if self._market.rules.inspection_shows == "unit" and holding.how == "purchase":
                quality_pct = self._inspected(thread)
        return {
            "bought_tick": None if holding.thread_id is None else holding.from_tick,
            "category": unit.category,
            "condition": condition,
            "paid_cents": holding.cost_cents,
            "quality_pct": quality_pct,
            "title": unit.title,
        }

    def _inspected(self, thread: Thread) -> int | None:
        market = self._market
        for exchange_id in market.exchanges_of_thread.get(thread.thread_id, ()):
            if market.exchanges[exchange_id].inspected_pct is not None:
                return market.exchanges[exchange_id].inspected_pct
        return None

    def _promised(self, agent_id: int) -> set[int]:
        """Units that deals in progress would take, each deal a different one where it can be."""
        market = self._market
        promised: set[int] = set()
        for thread_id in sorted(market.committed_threads_of.get(agent_id, ())):
            thread = market.threads[thread_id]
            if thread.seller_id != agent_id:
                continue
            unit = unit_for_sale(market, market.listings[thread.listing_id])
            if unit is not None:
                promised.add(unit.unit_id)
        return promised

    def memories(self, agent_id: int, limit: int) -> Shown:
        """The agent's newest notes."""
        market = self._market
        ids = market.memories_of.get(agent_id, [])
        known = self._memories.get(agent_id)
        if known is None or known[0] != len(ids):
            rows = [
                {"content": memory.content, "kind": memory.kind, "tick": memory.tick}
                for memory in (market.memories[memory_id] for memory_id in reversed(ids[-limit:]))
            ]
            known = (len(ids), shown(rows))
            self._memories[agent_id] = known
        return known[1]

    def event(self, event: Event) -> Shown:
        """One of the agent's own past actions; its answer only under ``results_fed_back=all``."""
        known = self._events.get(event.event_id)
        if known is None:
            row: Row = {"action": event.action, "arguments": _arguments(event.payload)}
            if self._market.rules.results_fed_back == "all":
                row["reason"] = event.reason
                row["result"] = canonical(event.result)
                row["status"] = event.status
            row["tick"] = event.tick
            known = self._events[event.event_id] = shown(row)
        return known


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
