"""The live state of one market: its rows and the indexes over them.

Every change goes through a method here, which keeps the indexes and notes the row for the tick's
transaction. ``load.py`` builds the same object from a record by the same methods, so a resumed,
forked or imported market cannot differ from the live one.
"""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import dataclass, field
from typing import Any

from bazaarbench.market import indexes
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
_KEY = {table: columns(table)[0] for table in TABLE_OF.values()}
#: Actions whose answers come back in the next observation under every rule.
DISCOVERY_ACTIONS = frozenset({"search", "browse_category", "view_listing"})
#: The platform's row about a new content of a policy's notebook.
NOTEBOOK_WRITTEN = "platform_notebook_written"
#: Actions that leave no trace in an agent's own history.
PASSIVE_ACTIONS = frozenset({"do_nothing", "wait"})


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
    #: What the tick before had changed, for those who keep something made from rows, and how often
    #: ``dirty`` has been handed over to it. No part of the state.
    changed: dict[str, dict[int, Any]] = field(default_factory=dict, compare=False)
    cleanings: int = field(default=0, compare=False)

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
        return self.last_id.get(TABLE_OF[entity], 0) + 1

    def add(self, row: Any, *, stored: bool = False) -> None:
        """Take a row into its table and every index over it.

        Args:
            row: an entity of ``entities.py`` with any status, except ``Event`` and ``Turn``.
            stored: whether it comes from the record, so that it need not be written again.
        """
        table = TABLE_OF[type(row)]
        key = getattr(row, _KEY[table])
        getattr(self, table)[key] = row
        self.last_id[table] = max(self.last_id[table], key)
        if not stored:
            self.dirty[table][key] = row
        index = indexes.INDEXERS.get(type(row))
        if index is not None:
            index(self, row)

    def touch(self, *rows: Any) -> None:
        """Note that rows have changed in a column that no index depends on."""
        for row in rows:
            table = TABLE_OF[type(row)]
            self.dirty[table][getattr(row, _KEY[table])] = row

    def log(  # noqa: PLR0913 - an event row has that many columns
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
        indexes.unlist_listing(self, listing)
        listing.status = status
        listing.sold_tick = self.tick if status == "sold" else None
        indexes.list_listing(self, listing)
        self.touch(listing)

    def edit_listing(self, listing: Listing, **changes: Any) -> None:
        """Change title, description, price or condition; a new version of the listing."""
        indexes.unlist_listing(self, listing)
        for name, value in changes.items():
            setattr(listing, name, value)
        listing.version += 1
        indexes.list_listing(self, listing)
        self.touch(listing)

    def bind_unit(self, listing: Listing, unit_id: int | None) -> None:
        """Bind a listing to a unit, or to none."""
        indexes.unlist_listing(self, listing)
        listing.unit_id = unit_id
        indexes.list_listing(self, listing)
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
        indexes.thread_status(self, thread)
        self.touch(thread)

    def set_offer_status(self, offer: Offer, status: OfferStatus) -> None:
        """Settle a pending offer; ``accepted_tick`` follows."""
        self.pending_of_thread[offer.thread_id].pop(offer.offer_id, None)
        for agent_id in self.parties(self.threads[offer.thread_id]):
            self.pending_for[agent_id].pop(offer.offer_id, None)
        offer.status = status
        if status == "accepted":
            offer.accepted_tick = self.tick
        indexes.offer_status(self, offer)
        self.touch(offer)

    def set_exchange_status(self, exchange: Exchange, status: ExchangeStatus) -> None:
        """End a scheduled exchange; ``completed_tick`` follows."""
        for agent_id in self.parties(self.threads[exchange.thread_id]):
            self.scheduled_of[agent_id].pop(exchange.exchange_id, None)
        exchange.status = status
        if status == "completed":
            exchange.completed_tick = self.tick
        indexes.exchange_status(self, exchange)
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
        """Replace a policy's own notebook for one agent (JSON text).

        The table keeps the newest alone, so the log keeps them all: with it, every tick of the
        market can be told again.
        """
        self.log(NOTEBOOK_WRITTEN, {"agent_id": agent_id}, private={"content": content})
        memory_id = self.notebook_of.get(agent_id)
        if memory_id is None:
            self.add(Memory(self.new_id(Memory), agent_id, indexes.NOTEBOOK, content, self.tick))
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
        self.changed = dict(self.dirty)
        self.cleanings += 1
        self.dirty.clear()
        self.new_events.clear()
        self.new_turns.clear()
