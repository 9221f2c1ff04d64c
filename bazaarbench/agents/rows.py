"""The rows of an observation, and what is kept of them from one observation to the next.

Most of what agents see is the same for all of them: what is on offer. Such a row is made once and
made again only when its listing has changed, so an observation costs what is new in it. Rows are
shared between observations and must not be changed. Keys stand in alphabetical order, so that the
plain JSON of an observation is already its canonical form; the text of a kept row is kept with it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from heapq import nlargest
from typing import Any, NamedTuple

from bazaarbench.agents.policy import render
from bazaarbench.market.bands import CONDITION_BAND, band_of
from bazaarbench.market.clock import label
from bazaarbench.market.entities import Event, Holding, Listing, Thread, Unit
from bazaarbench.market.inventory import UNSTATED_QUALITY_PCT, unit_for_sale
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

#: The condition in a word that goes with a band.
BAND_CONDITION: dict[str, str] = {
    **{band: condition for condition, band in CONDITION_BAND.items()},
    "for_parts": "poor",
}

#: How many cached rows beyond the active listings are kept before all are made anew.
_SLACK = 4_096


class Rows:
    """Makes the rows of one market's observations."""

    def __init__(self, market: Market) -> None:
        self._market = market
        self._tick = -1
        # Kept from tick to tick, with what they were made from.
        self._public: dict[int, tuple[tuple[int, ...], Shown]] = {}
        self._brief: dict[int, tuple[int, Row]] = {}
        self._found: dict[int, tuple[tuple[Any, ...], Shown]] = {}
        self._stocks: dict[int, tuple[tuple[int, ...], Shown]] = {}
        self._events: dict[int, Shown] = {}
        self._feeds: dict[int, tuple[str, list[int]]] = {}
        self._memories: dict[int, tuple[int, Shown]] = {}
        self._histories: dict[int, tuple[int, Shown]] = {}
        # Of this tick: all observations of a tick are made from its beginning.
        self._public_now: dict[int, Shown | None] = {}
        self._brief_now: dict[int, Row | None] = {}
        self._freshest: list[int] | None = None
        self.baselines = EMPTY
        self.sales = EMPTY
        self.time = EMPTY

    def start(self) -> None:
        """Bring what all agents of a tick share up to that tick; cheap when called again."""
        market = self._market
        if self._tick == market.tick:
            return
        self._tick = market.tick
        self._public_now.clear()
        self._brief_now.clear()
        self._freshest = None
        if len(self._public) > _SLACK + 2 * len(market.active_listings):
            self._public.clear()
            self._brief.clear()
        for kept in (self._events, self._found):
            if len(kept) > _SLACK + 32 * len(market.agents):
                kept.clear()
        self.time = shown(label(market.tick))
        self.baselines = shown(self._make_baselines())
        self.sales = shown([self._sale(offer_id) for _, offer_id in reversed(market.recent_sales)])

    # -------------------------------------------------------------------------- what is on offer

    def feed(self, agent_id: int) -> Shown:
        """The agent's recommendations that are still on offer, best first."""
        now = self._public_now
        rows = []
        for listing_id in self._feed_ids(agent_id):
            row = now[listing_id] if listing_id in now else self._offered(listing_id)
            if row is not None and row.data["seller_id"] != agent_id:
                rows.append(row)
        return section(rows[:FEED_SHOWN])

    def _offered(self, listing_id: int) -> Shown | None:
        """A listing in the feed, at this tick; ``None`` when it is gone or its owner banned."""
        market = self._market
        listing = market.active_listings.get(listing_id)
        row = None
        if listing is not None:
            owner = None if listing.owner_id is None else market.agents[listing.owner_id]
            if owner is None or owner.status != "banned":
                row = self._public_row(listing)
        self._public_now[listing_id] = row
        return row

    def _public_row(self, listing: Listing) -> Shown:
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
            newest = nlargest(
                4 * FEED_SHOWN,
                self._market.active_listings.values(),
                key=lambda listing: (listing.created_tick, listing.listing_id),
            )
            self._freshest = [listing.listing_id for listing in newest]
        return self._freshest

    def discoveries(self, agent_id: int) -> Shown:
        """What the agent's own searches and views still have to show, newest first."""
        events = self._market.discoveries.get(agent_id)
        if not events:
            return EMPTY
        found = [self.discovery(event) for event in reversed(events)]
        return section([row for row in found if row is not None])

    def discovery(self, event: Event) -> Shown | None:
        """One of the agent's own searches or views, with what of it is still on offer.

        ``None`` when nothing of it is; a search that found nothing stays.
        """
        if event.action == "view_listing":
            return self._viewed(event)
        now = self._brief_now
        ids = [hit["listing_id"] for hit in event.result["hit_preview"][:HITS_SHOWN]]
        briefs = [now[i] if i in now else self._brief_row(i) for i in ids]
        hits = [row for row in briefs if row is not None]
        if ids and not hits:
            return None
        known = self._found.get(event.event_id)
        # The rows are the same objects while nothing has changed, which makes this cheap.
        if known is not None and known[0] == tuple(hits):
            return known[1]
        row: Row = {"action": event.action}
        for name in ("category", "hit_count", "hits", "max_price_cents", "query"):
            value = hits if name == "hits" else event.result.get(name)
            if value is not None:
                row[name] = value
        row["tick"] = event.tick
        found = shown(row)
        self._found[event.event_id] = (tuple(hits), found)
        return found

    def _brief_row(self, listing_id: int) -> Row | None:
        """A listing as a search shows it, at this tick; ``None`` when it is gone."""
        listing = self._market.active_listings.get(listing_id)
        row = None
        if listing is not None:
            known = self._brief.get(listing_id)
            if known is None or known[0] != listing.version:
                known = (
                    listing.version,
                    {
                        "band": listing.band,
                        "category": listing.category,
                        "listing_id": listing_id,
                        "price_cents": listing.price_cents,
                        "seller_id": listing.owner_id,
                        "title": listing.title,
                    },
                )
                self._brief[listing_id] = known
            row = known[1]
        self._brief_now[listing_id] = row
        return row

    def _viewed(self, event: Event) -> Shown | None:
        listing = self._market.active_listings.get(event.payload["listing_id"])
        if listing is None:
            return None
        key = (listing.version, listing.view_count, listing.inquiry_count)
        known = self._found.get(event.event_id)
        if known is None or known[0] != key:
            known = (key, shown(self._detail(listing, event.tick)))
            self._found[event.event_id] = known
        return known[1]

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
        holding_ids = tuple(map(market.holding_of_unit.__getitem__, unit_ids))
        known = self._stocks.get(agent_id)
        if known is None or known[0] != holding_ids:
            pairs = zip(unit_ids, holding_ids, strict=True)
            rows = [self._unit(market.units[u], market.holdings[h]) for u, h in pairs]
            known = self._stocks[agent_id] = (holding_ids, shown(rows))
        if market.rules.unit_status_shown == "off":
            return known[1]
        promised = self._promised(agent_id)
        return shown(
            [
                _with_status(row, "promised" if unit_id in promised else "free")
                for row, unit_id in zip(known[1].data, unit_ids, strict=True)
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

    def history(self, agent_id: int) -> Shown:
        """The agent's own last actions, newest first."""
        events = self._market.history.get(agent_id)
        if not events:
            return EMPTY
        known = self._histories.get(agent_id)
        if known is None or known[0] != events[-1].event_id:
            rows = section([self.event(event) for event in reversed(events)])
            known = self._histories[agent_id] = (events[-1].event_id, rows)
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
