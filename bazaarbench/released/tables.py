"""Reading the released tables of listings, threads, offers and exchanges (reference P §1.2)."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, get_args

from bazaarbench.market.actions.exchange import handoff_token
from bazaarbench.market.bands import BANDS, CONDITIONS
from bazaarbench.market.entities import (
    Exchange,
    ExchangeStatus,
    Listing,
    ListingOrigin,
    ListingStatus,
    Offer,
    OfferStatus,
    Thread,
    ThreadStatus,
)
from bazaarbench.released.book import Book, ExchangeEnd, ListingEnd, Text, ThreadEnd
from bazaarbench.released.lots import Lots
from bazaarbench.released.people import Person, Plane
from bazaarbench.released.source import Source
from bazaarbench.released.values import MOST_CENTS, cents, percent, text, whole

_LISTINGS = (
    "listing_id owner_agent_id category title description price_cents condition "
    "stated_quality_band location_zip location_lat location_lng is_phantom is_seeded status "
    "created_at_tick last_bumped_tick sold_at_tick view_count inquiry_count is_speculative "
    "ground_truth_quality_pct acquisition_cost_cents reference_fair_price_cents"
)
_THREADS = (
    "thread_id listing_id buyer_agent_id seller_agent_id created_at_tick last_msg_tick status"
)
_OFFERS = "offer_id thread_id proposer_id round price_cents terms_json tick status"
_MEETUPS = (
    "meetup_id thread_id scheduled_tick location_desc payment_method buyer_confirmed "
    "seller_confirmed handoff_token status delivery_method buyer_inspected_quality_pct "
    "delivered_at_tick"
)
_LISTING = frozenset(get_args(ListingStatus))
_THREAD = frozenset(get_args(ThreadStatus))
_OFFER = frozenset(get_args(OfferStatus))
_EXCHANGE = frozenset(get_args(ExchangeStatus))
#: Statuses that the released platform's queries know and that nothing writes (P §1.2).
_LISTING_STATUSES = {"bumped": "active", "committed": "active"}
_EXCHANGE_STATUSES = {"no_show": "cancelled"}

_Row = Mapping[str, Any]


def read_book(source: Source, people: Mapping[int, Person], plane: Plane, lots: Lots) -> Book:
    """All four tables, every row as it was made.

    Raises:
        ReleasedError: a row names something that does not exist, or has an unknown status.
    """
    reader = _Reader(source, people, plane, lots, Book())
    for row in reader.rows("listings", _LISTINGS, "listing_id"):
        reader.take_listing(row)
    for row in reader.rows("threads", _THREADS, "thread_id"):
        reader.take_thread(row)
    for row in reader.rows("offers", _OFFERS, "offer_id"):
        reader.take_offer(row)
    for row in reader.rows("meetups", _MEETUPS, "meetup_id"):
        reader.take_exchange(row)
    return reader.book


@dataclass(slots=True)
class _Reader:
    source: Source
    people: Mapping[int, Person]
    plane: Plane
    lots: Lots
    book: Book

    def rows(self, table: str, names: str, order: str) -> Iterator[_Row]:
        split = names.split()
        for values in self.source.rows(table, names, order=order):
            yield dict(zip(split, values, strict=True))

    def take_listing(self, row: _Row) -> None:
        key: int = row["listing_id"]
        what = f"listing {key}"
        east, north = self.plane.place(row["location_lat"], row["location_lng"])
        listing = Listing(
            listing_id=key,
            owner_id=self._agent(row["owner_agent_id"], what),
            category=text(row["category"]),
            title=text(row["title"]),
            description=text(row["description"]),
            price_cents=self.price(row["price_cents"]),
            condition=row["condition"] if row["condition"] in CONDITIONS else "good",
            band=_band(row["stated_quality_band"]),
            zip=text(row["location_zip"]),
            x_m=east,
            y_m=north,
            origin=self._origin(row),
            status="active",
            created_tick=whole(row["created_at_tick"]) or 0,
            created_event=0,
            bumped_tick=None,
            sold_tick=None,
            view_count=0,
            inquiry_count=0,
            version=1,
            unit_id=None,
            match_ppm=0,
            match_confidence="none",
            speculative=int(bool(row["is_speculative"])),
            shown_quality_pct=percent(row["ground_truth_quality_pct"]),
            cost_cents=cents(row["acquisition_cost_cents"]),
            reference_cents=cents(row["reference_fair_price_cents"]),
        )
        self.book.listings[key] = listing
        self.book.listing_texts[key] = text_of(listing)
        self.book.listing_ends[key] = ListingEnd(
            status=self._status(row, _LISTING, what, _LISTING_STATUSES),
            bumped_tick=row["last_bumped_tick"],
            sold_tick=row["sold_at_tick"],
            view_count=row["view_count"] or 0,
            inquiry_count=row["inquiry_count"] or 0,
        )

    def _origin(self, row: _Row) -> ListingOrigin:
        """Invented history belongs to real agents; what bots or nobody offer is the platform's.

        Where the column ``is_seeded`` is absent, negative ticks tell history. Of the rest the
        replay calls ``initial`` what the log seeds.
        """
        owner = self.people.get(row["owner_agent_id"])
        if owner is None or row["is_phantom"] or row["listing_id"] in self.lots.listings:
            return "platform"
        if row["is_seeded"] or (whole(row["created_at_tick"]) or 0) < 0:
            return "platform" if owner.seeded else "history"
        return "agent"

    def take_thread(self, row: _Row) -> None:
        key: int = row["thread_id"]
        what = f"thread {key}"
        if row["listing_id"] not in self.book.listings:
            raise self.source.damaged(f"{what} is about a listing that does not exist")
        buyer_id = self._agent(row["buyer_agent_id"], what)
        if buyer_id is None:
            raise self.source.damaged(f"{what} has no buyer")
        self.book.threads[key] = Thread(
            thread_id=key,
            listing_id=row["listing_id"],
            buyer_id=buyer_id,
            seller_id=self._agent(row["seller_agent_id"], what),
            status="open",
            created_tick=whole(row["created_at_tick"]) or 0,
            last_message_tick=None,
            accepted_offer_id=None,
            committed_tick=None,
            ended_tick=None,
        )
        status = self._status(row, _THREAD, what)
        self.book.thread_ends[key] = ThreadEnd(status, row["last_msg_tick"])

    def take_offer(self, row: _Row) -> None:
        key: int = row["offer_id"]
        self.book.offers[key] = Offer(
            offer_id=key,
            thread_id=self._thread(row, f"offer {key}"),
            proposer_id=row["proposer_id"],
            round=row["round"],
            price_cents=self.price(row["price_cents"]),
            terms=text(row["terms_json"]) or "{}",
            tick=whole(row["tick"]) or 0,
            status="pending",
            accepted_tick=None,
        )
        self.book.offer_ends[key] = self._status(row, _OFFER, f"offer {key}")

    def take_exchange(self, row: _Row) -> None:
        key: int = row["meetup_id"]
        thread_id = self._thread(row, f"meetup {key}")
        ships = row["delivery_method"] == "ship"
        location, payment = text(row["location_desc"]), text(row["payment_method"])
        # A shipment has no token of its own, and old files have none at all. One that nobody was
        # ever told can be proof of nothing.
        due = whole(row["scheduled_tick"]) or 0
        token = row["handoff_token"] or handoff_token(thread_id, due, location, payment)
        self.book.exchanges[key] = Exchange(
            exchange_id=key,
            thread_id=thread_id,
            method="ship" if ships else "meetup",
            scheduled_tick=due,
            eta_tick=row["delivered_at_tick"] if ships else None,
            location=location,
            payment=payment,
            buyer_confirmed=0,
            seller_confirmed=0,
            status="scheduled",
            inspected_pct=None,
            inspected_tick=None,
            completed_tick=None,
            handoff_token=token,
        )
        self.book.exchange_ends[key] = ExchangeEnd(
            status=self._status(row, _EXCHANGE, f"meetup {key}", _EXCHANGE_STATUSES),
            buyer_confirmed=int(bool(row["buyer_confirmed"])),
            seller_confirmed=int(bool(row["seller_confirmed"])),
            inspected_pct=percent(row["buyer_inspected_quality_pct"]),
            delivered_tick=row["delivered_at_tick"],
        )

    def _thread(self, row: _Row, what: str) -> int:
        thread_id: int = row["thread_id"]
        if thread_id not in self.book.threads:
            raise self.source.damaged(f"{what} belongs to a thread that does not exist")
        return thread_id

    def _agent(self, agent_id: Any, what: str) -> int | None:
        if agent_id is None or agent_id in self.people:
            return whole(agent_id)
        raise self.source.damaged(f"{what} names agent {agent_id}, who does not exist")

    def _status(
        self, row: _Row, known: Container[str], what: str, renamed: Mapping[str, str] | None = None
    ) -> Any:
        status = (renamed or {}).get(row["status"], row["status"])
        if status not in known:
            raise self.source.damaged(f"{what} has the unknown status {row['status']!r}")
        return status

    def price(self, value: Any) -> int:
        """A price within what a record holds; the released platform has no limit."""
        price = whole(value) or 0
        if not 0 <= price <= MOST_CENTS:
            self.book.notes["prices_clamped"] += 1
        return min(max(price, 0), MOST_CENTS)


def text_of(listing: Listing) -> Text:
    """What an edit can change in a listing, as it is now."""
    return Text(listing.title, listing.description, listing.price_cents, listing.condition)


def _band(value: Any) -> str | None:
    return value if value in BANDS else None
