"""The live state of one market: its rows and the indexes over them.

Every change goes through a method here, which keeps the indexes and notes the row for the tick's
transaction. ``load.py`` builds the same object from a record by the same methods, so a resumed,
forked or imported market cannot differ from the live one.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import defaultdict, deque
from dataclasses import dataclass, field
from typing import Any

from bazaarbench.market.entities import (
    TERMINAL,
    Agent,
    Block,
    Event,
    Exchange,
    ExchangeStatus,
    Feed,
    Holding,
    Listing,
    ListingStatus,
    Memory,
    Message,
    Offer,
    OfferStatus,
    Photo,
    Rating,
    Report,
    Status,
    Thread,
    ThreadStatus,
    Turn,
    Unit,
)
from bazaarbench.market.grid import ListingGrid
from bazaarbench.market.rules import Rules
from bazaarbench.market.schema import TABLE_OF, columns
from bazaarbench.market.search import SearchIndex

#: How many of its own past events, discovery answers and decision notes an agent is shown.
HISTORY_SHOWN = 10
DISCOVERIES_SHOWN = 10
NOTES_SHOWN = 2
RECENT_SALES_SHOWN = 10
#: Actions whose answers come back in the next observation under every rule.
DISCOVERY_ACTIONS = frozenset({"search", "browse_category", "view_listing"})
#: Actions that leave no trace in an agent's own history.
PASSIVE_ACTIONS = frozenset({"do_nothing", "wait"})
#: The kind of memory row that holds a policy's own notebook (SPEC §5.6), never shown by recall.
NOTEBOOK = "notebook"


@dataclass(slots=True)
class Reputation:
    """Running count and sum of the stars that one agent has received."""

    count: int = 0
    stars: int = 0


@dataclass(slots=True)
class Market:
    """One marketplace between two ticks.

    ``tick`` is the tick being played (the last committed one + 1 between ticks). The dictionaries
    are keyed by id and keep insertion order, which is ascending id. Read them freely; change them
    only through the methods. The indexes are sets: their order means nothing, whoever shows one
    to an agent sorts it by stored keys.
    """

    seed: int
    rules: Rules
    tick: int = 0

    agents: dict[int, Agent] = field(default_factory=dict)
    units: dict[int, Unit] = field(default_factory=dict)
    holdings: dict[int, Holding] = field(default_factory=dict)
    listings: dict[int, Listing] = field(default_factory=dict)
    threads: dict[int, Thread] = field(default_factory=dict)
    messages: dict[int, Message] = field(default_factory=dict)
    offers: dict[int, Offer] = field(default_factory=dict)
    exchanges: dict[int, Exchange] = field(default_factory=dict)
    photos: dict[int, Photo] = field(default_factory=dict)
    ratings: dict[int, Rating] = field(default_factory=dict)
    reports: dict[int, Report] = field(default_factory=dict)
    blocks: dict[int, Block] = field(default_factory=dict)
    memories: dict[int, Memory] = field(default_factory=dict)
    feeds: dict[int, Feed] = field(default_factory=dict)

    next_event_id: int = 1
    next_turn_id: int = 1
    last_id: dict[str, int] = field(default_factory=lambda: defaultdict(int))

    # What this tick has changed, for its transaction: rows by table and id, new events and turns.
    dirty: dict[str, dict[int, Any]] = field(default_factory=lambda: defaultdict(dict))
    new_events: list[Event] = field(default_factory=list)
    new_turns: list[Turn] = field(default_factory=list)

    # Indexes. A dict with None values is a set of ids with cheap removal.
    search: SearchIndex = field(default_factory=SearchIndex)
    grid: ListingGrid = field(default_factory=ListingGrid)
    units_of: dict[int, dict[int, None]] = field(default_factory=lambda: defaultdict(dict))
    past_units_of: dict[int, dict[int, None]] = field(default_factory=lambda: defaultdict(dict))
    holding_of_unit: dict[int, int] = field(default_factory=dict)
    listings_of_owner: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    active_listings: dict[int, Listing] = field(default_factory=dict)
    active_of_owner: dict[int, dict[int, None]] = field(default_factory=lambda: defaultdict(dict))
    active_of_unit: dict[int, dict[int, None]] = field(default_factory=lambda: defaultdict(dict))
    #: Asking prices of a category's active listings, ascending, and their sum (cents).
    active_prices: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    active_price_sum: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    thread_of_pair: dict[tuple[int, int], int] = field(default_factory=dict)
    threads_of_listing: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    open_threads_of: dict[int, dict[int, None]] = field(default_factory=lambda: defaultdict(dict))
    committed_threads_of: dict[int, dict[int, None]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    messages_of_thread: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    #: Messages that the agent is to be shown and has not been.
    unseen_of: dict[int, dict[int, None]] = field(default_factory=lambda: defaultdict(dict))
    offers_of_thread: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    offer_count: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    pending_of_thread: dict[int, dict[int, None]] = field(default_factory=lambda: defaultdict(dict))
    #: Pending offers that the agent may accept (it takes part and did not propose them).
    pending_for: dict[int, dict[int, None]] = field(default_factory=lambda: defaultdict(dict))
    exchanges_of_thread: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    scheduled_of: dict[int, dict[int, None]] = field(default_factory=lambda: defaultdict(dict))
    photo_count: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    reputation: dict[int, Reputation] = field(default_factory=lambda: defaultdict(Reputation))
    #: (thread, rater) pairs that have been rated.
    rated: set[tuple[int, int]] = field(default_factory=set)
    #: Threads that the agent may rate and has not rated yet.
    to_rate: dict[int, dict[int, None]] = field(default_factory=lambda: defaultdict(dict))
    #: (blocker, blocked) pairs.
    blocked_pairs: set[tuple[int, int]] = field(default_factory=set)
    memories_of: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    notebook_of: dict[int, int] = field(default_factory=dict)
    open_reports: dict[int, Report] = field(default_factory=dict)
    #: (accepted tick, offer id) of the newest accepted offers, ascending.
    recent_sales: list[tuple[int, int]] = field(default_factory=list)
    #: The last events of an agent that it is shown again, newest last.
    history: dict[int, deque[Event]] = field(
        default_factory=lambda: defaultdict(lambda: deque(maxlen=HISTORY_SHOWN))
    )
    discoveries: dict[int, deque[Event]] = field(
        default_factory=lambda: defaultdict(lambda: deque(maxlen=DISCOVERIES_SHOWN))
    )
    #: (tick, decision note) of an agent's last turns that had one, newest last.
    notes: dict[int, deque[tuple[int, str]]] = field(
        default_factory=lambda: defaultdict(lambda: deque(maxlen=NOTES_SHOWN))
    )

    # ------------------------------------------------------------------------------ adding rows

    def new_id(self, entity: type[Any]) -> int:
        """The id that the next row of ``entity`` takes."""
        return self.last_id[TABLE_OF[entity]] + 1

    def add(self, row: Any, *, stored: bool = False) -> None:
        """Take a row into its table and every index over it.

        Args:
            row: an entity of ``entities.py`` with any status, except ``Event`` and ``Turn``.
            stored: whether it comes from the record, so that it need not be written again.
        """
        table = TABLE_OF[type(row)]
        key = getattr(row, columns(table)[0])
        getattr(self, table)[key] = row
        self.last_id[table] = max(self.last_id[table], key)
        if not stored:
            self.dirty[table][key] = row
        index = getattr(self, f"_index_{table}", None)
        if index is not None:
            index(row)

    def touch(self, *rows: Any) -> None:
        """Note that rows have changed in a column that no index depends on."""
        for row in rows:
            table = TABLE_OF[type(row)]
            self.dirty[table][getattr(row, columns(table)[0])] = row

    def log(
        self,
        action: str,
        payload: dict[str, Any],
        *,
        agent_id: int | None = None,
        turn_id: int | None = None,
        status: Status = "ok",
        reason: str | None = None,
        result: dict[str, Any] | None = None,
        private: dict[str, Any] | None = None,
        listing_id: int | None = None,
        thread_id: int | None = None,
    ) -> Event:
        """Append one row to the event log, at this tick."""
        event = Event(
            event_id=self.next_event_id,
            tick=self.tick,
            agent_id=agent_id,
            turn_id=turn_id,
            action=action,
            status=status,
            reason=reason,
            listing_id=listing_id,
            thread_id=thread_id,
            payload=payload,
            result=result or {},
            private=private or {},
        )
        self.next_event_id += 1
        self.new_events.append(event)
        self.remember_event(event)
        return event

    def log_turn(self, turn: Turn) -> None:
        """Append one turn; its id is ``next_turn_id``."""
        self.next_turn_id = turn.turn_id + 1
        self.new_turns.append(turn)
        self.remember_note(turn.agent_id, turn.tick, turn.note)

    def remember_event(self, event: Event) -> None:
        """Keep an agent's own event where its next observations look for it."""
        if event.agent_id is None or event.action in PASSIVE_ACTIONS:
            return
        if event.action in DISCOVERY_ACTIONS:
            if event.status == "ok":
                self.discoveries[event.agent_id].append(event)
        else:
            self.history[event.agent_id].append(event)

    def remember_note(self, agent_id: int, tick: int, note: str | None) -> None:
        """Keep an agent's decision note for its next observations."""
        if note:
            self.notes[agent_id].append((tick, note))

    # --------------------------------------------------------------------------- changing rows

    def set_listing_status(self, listing: Listing, status: ListingStatus) -> None:
        """Activate or end a listing; ``sold_tick`` follows."""
        self._unlist(listing)
        listing.status = status
        listing.sold_tick = self.tick if status == "sold" else None
        self._list(listing)
        self.touch(listing)

    def edit_listing(self, listing: Listing, **changes: Any) -> None:
        """Change title, description, price or condition; a new version of the listing."""
        self._unlist(listing)
        for name, value in changes.items():
            setattr(listing, name, value)
        listing.version += 1
        self._list(listing)
        self.touch(listing)

    def bind_unit(self, listing: Listing, unit_id: int | None) -> None:
        """Bind a listing to a unit, or to none."""
        self._unlist(listing)
        listing.unit_id = unit_id
        self._list(listing)
        self.touch(listing)

    def set_thread_status(self, thread: Thread, status: ThreadStatus) -> None:
        """Move a thread; the commitment and end ticks follow."""
        for agent_id in self.parties(thread):
            self.open_threads_of[agent_id].pop(thread.thread_id, None)
            self.committed_threads_of[agent_id].pop(thread.thread_id, None)
        thread.status = status
        if status == "committed" and thread.committed_tick is None:
            thread.committed_tick = self.tick
        if status in TERMINAL:
            thread.ended_tick = self.tick
        self._index_thread_status(thread)
        self.touch(thread)

    def set_offer_status(self, offer: Offer, status: OfferStatus) -> None:
        """Settle a pending offer; ``accepted_tick`` follows."""
        self.pending_of_thread[offer.thread_id].pop(offer.offer_id, None)
        for agent_id in self.parties(self.threads[offer.thread_id]):
            self.pending_for[agent_id].pop(offer.offer_id, None)
        offer.status = status
        if status == "accepted":
            offer.accepted_tick = self.tick
        self._index_offer_status(offer)
        self.touch(offer)

    def set_exchange_status(self, exchange: Exchange, status: ExchangeStatus) -> None:
        """End a scheduled exchange; ``completed_tick`` follows."""
        for agent_id in self.parties(self.threads[exchange.thread_id]):
            self.scheduled_of[agent_id].pop(exchange.exchange_id, None)
        exchange.status = status
        if status == "completed":
            exchange.completed_tick = self.tick
        self._index_exchange_status(exchange)
        self.touch(exchange)

    def see_message(self, message: Message) -> None:
        """Note that the reader of a message has been shown it, at this tick."""
        reader = self.other_party(self.threads[message.thread_id], message.sender_id)
        if reader is not None:
            self.unseen_of[reader].pop(message.message_id, None)
        message.seen_tick = self.tick
        self.touch(message)

    def close_holding(
        self, unit: Unit, *, event_id: int, sold_cents: int | None, outside: bool
    ) -> None:
        """End the holding of a unit by its owner; the unit then has no owner."""
        holding = self.holdings[self.holding_of_unit.pop(unit.unit_id)]
        holding.to_tick = self.tick
        holding.to_event = event_id
        holding.ended_how = "sold_outside" if outside else "sold"
        holding.sold_cents = sold_cents
        self.units_of[holding.agent_id].pop(unit.unit_id, None)
        self.past_units_of[holding.agent_id][unit.unit_id] = None
        unit.owner_id = None
        self.touch(holding, unit)

    def open_holding(self, unit: Unit, holding: Holding) -> None:
        """Give an ownerless unit to the agent of a new, current holding."""
        unit.owner_id = holding.agent_id
        self.touch(unit)
        self.add(holding)

    def settle_report(self, report: Report, outcome: str) -> None:
        """Note the moderator's verdict, ``"warned"`` or ``"banned"``, on a report."""
        report.outcome = outcome  # type: ignore[assignment]
        self.open_reports.pop(report.report_id, None)
        self.touch(report)

    def write_notebook(self, agent_id: int, content: str) -> None:
        """Replace a policy's own notebook for one agent (JSON text)."""
        memory_id = self.notebook_of.get(agent_id)
        if memory_id is None:
            self.add(Memory(self.new_id(Memory), agent_id, NOTEBOOK, content, self.tick))
            return
        memory = self.memories[memory_id]
        memory.content, memory.tick = content, self.tick
        self.touch(memory)

    # --------------------------------------------------------------------------------- reading

    @staticmethod
    def parties(thread: Thread) -> tuple[int, ...]:
        """Buyer and seller of a thread; the buyer alone when the platform sells."""
        if thread.seller_id is None:
            return (thread.buyer_id,)
        return (thread.buyer_id, thread.seller_id)

    @staticmethod
    def other_party(thread: Thread, agent_id: int) -> int | None:
        """The party of ``thread`` that is not ``agent_id``."""
        return thread.seller_id if agent_id == thread.buyer_id else thread.buyer_id

    def scheduled_exchange(self, thread_id: int) -> Exchange | None:
        """The exchange of a thread that is still to happen."""
        for exchange_id in self.exchanges_of_thread.get(thread_id, ()):
            if self.exchanges[exchange_id].status == "scheduled":
                return self.exchanges[exchange_id]
        return None

    def clean_tick(self) -> None:
        """Forget what the tick has changed, once it is in the record."""
        self.dirty.clear()
        self.new_events.clear()
        self.new_turns.clear()

    # ----------------------------------------------------------- the indexes, one method a table

    def _index_holdings(self, holding: Holding) -> None:
        if holding.to_event is None:
            self.holding_of_unit[holding.unit_id] = holding.holding_id
            self.units_of[holding.agent_id][holding.unit_id] = None
            self.past_units_of[holding.agent_id].pop(holding.unit_id, None)
        elif holding.unit_id not in self.units_of[holding.agent_id]:
            self.past_units_of[holding.agent_id][holding.unit_id] = None

    def _index_listings(self, listing: Listing) -> None:
        if listing.owner_id is not None:
            self.listings_of_owner[listing.owner_id].append(listing.listing_id)
        self._list(listing)

    def _list(self, listing: Listing) -> None:
        if listing.status != "active":
            return
        self.active_listings[listing.listing_id] = listing
        if listing.owner_id is not None:
            self.active_of_owner[listing.owner_id][listing.listing_id] = None
        if listing.unit_id is not None:
            self.active_of_unit[listing.unit_id][listing.listing_id] = None
        insort(self.active_prices[listing.category], listing.price_cents)
        self.active_price_sum[listing.category] += listing.price_cents
        self.search.add(listing)
        self.grid.add(listing)

    def _unlist(self, listing: Listing) -> None:
        if listing.status != "active":
            return
        del self.active_listings[listing.listing_id]
        if listing.owner_id is not None:
            self.active_of_owner[listing.owner_id].pop(listing.listing_id, None)
        if listing.unit_id is not None:
            self.active_of_unit[listing.unit_id].pop(listing.listing_id, None)
        prices = self.active_prices[listing.category]
        del prices[bisect_left(prices, listing.price_cents)]
        self.active_price_sum[listing.category] -= listing.price_cents
        self.search.remove(listing)
        self.grid.remove(listing)

    def _index_threads(self, thread: Thread) -> None:
        self.thread_of_pair[thread.buyer_id, thread.listing_id] = thread.thread_id
        self.threads_of_listing[thread.listing_id].append(thread.thread_id)
        self._index_thread_status(thread)

    def _index_thread_status(self, thread: Thread) -> None:
        for agent_id in self.parties(thread):
            if thread.status == "open":
                self.open_threads_of[agent_id][thread.thread_id] = None
            elif thread.status == "committed":
                self.committed_threads_of[agent_id][thread.thread_id] = None
            elif thread.committed_tick is not None and thread.seller_id is not None:
                if (thread.thread_id, agent_id) not in self.rated:
                    self.to_rate[agent_id][thread.thread_id] = None

    def _index_messages(self, message: Message) -> None:
        self.messages_of_thread[message.thread_id].append(message.message_id)
        reader = self.other_party(self.threads[message.thread_id], message.sender_id)
        if message.seen_tick is None and reader is not None:
            self.unseen_of[reader][message.message_id] = None

    def _index_offers(self, offer: Offer) -> None:
        self.offers_of_thread[offer.thread_id].append(offer.offer_id)
        self.offer_count[self.threads[offer.thread_id].listing_id] += 1
        self._index_offer_status(offer)

    def _index_offer_status(self, offer: Offer) -> None:
        if offer.status == "pending":
            self.pending_of_thread[offer.thread_id][offer.offer_id] = None
            reader = self.other_party(self.threads[offer.thread_id], offer.proposer_id)
            if reader is not None:
                self.pending_for[reader][offer.offer_id] = None
        elif offer.accepted_tick is not None:
            insort(self.recent_sales, (offer.accepted_tick, offer.offer_id))
            del self.recent_sales[:-RECENT_SALES_SHOWN]

    def _index_exchanges(self, exchange: Exchange) -> None:
        self.exchanges_of_thread[exchange.thread_id].append(exchange.exchange_id)
        self._index_exchange_status(exchange)

    def _index_exchange_status(self, exchange: Exchange) -> None:
        if exchange.status == "scheduled":
            for agent_id in self.parties(self.threads[exchange.thread_id]):
                self.scheduled_of[agent_id][exchange.exchange_id] = None

    def _index_photos(self, photo: Photo) -> None:
        self.photo_count[photo.listing_id] += 1

    def _index_ratings(self, rating: Rating) -> None:
        standing = self.reputation[rating.ratee_id]
        standing.count += 1
        standing.stars += rating.stars
        if rating.thread_id is not None:
            self.rated.add((rating.thread_id, rating.rater_id))
            self.to_rate[rating.rater_id].pop(rating.thread_id, None)

    def _index_reports(self, report: Report) -> None:
        if report.outcome is None:
            self.open_reports[report.report_id] = report

    def _index_blocks(self, block: Block) -> None:
        self.blocked_pairs.add((block.blocker_id, block.blocked_id))

    def _index_memories(self, memory: Memory) -> None:
        if memory.kind == NOTEBOOK:
            self.notebook_of[memory.agent_id] = memory.memory_id
        else:
            self.memories_of[memory.agent_id].append(memory.memory_id)
