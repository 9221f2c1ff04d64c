"""Filling a record from a released database: the log first, then what it has rebuilt."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from itertools import groupby
from operator import attrgetter

from bazaarbench.market.schema import columns
from bazaarbench.released import rows
from bazaarbench.released.calls import Call, Rebuilt
from bazaarbench.released.gap import catch_up
from bazaarbench.released.log import EventRow, Log, RawEvent, read_log, row_of
from bazaarbench.released.postings import seeded, unposted
from bazaarbench.released.sheets import Sheets
from bazaarbench.released.supply import introduce
from bazaarbench.released.turns import Asked, Dispatched, Turns

_TICK, _ACTION, _REASON = map(columns("events").index, ("tick", "action", "reason"))
_IDLE = Dispatched()


class Filling:
    """One record while it is being filled."""

    def __init__(self, market: Rebuilt, turns: Turns, sheets: Sheets) -> None:
        """Begin with an empty record."""
        self.market = market
        self.turns = turns
        self.sheets = sheets
        self.events_in: Counter[int] = Counter()
        self.turns_in: Counter[int] = Counter()
        self._log = Log(market)

    def fill(self) -> None:
        """Write everything but the settings."""
        self.sheets.write_values("events", self._events())
        market, write = self.market, self.sheets.write
        rows.settle(market)
        write("agents", (person.agent for person in market.people.values()))
        write("units", market.stock.units.values())
        write("holdings", market.stock.holdings)
        write("listings", market.book.listings.values())
        write("threads", market.book.threads.values())
        write("messages", rows.messages(market))
        write("offers", market.book.offers.values())
        write("exchanges", market.book.exchanges.values())
        write("photos", rows.photos(market))
        write("ratings", rows.ratings(market))
        write("reports", rows.reports(market))
        write("blocks", rows.blocks(market))
        write("memories", rows.memories(market))
        write("feeds", rows.feeds(market))

    def ticks(self) -> Iterator[tuple[int, int, int]]:
        """Tick, turns and events for every tick; the first holds all that came before it."""
        for tick in range(self.market.run.last_tick + 1):
            yield tick, self.turns_in[tick], self.events_in[tick]

    def _events(self) -> Iterator[EventRow]:
        """All rows of the log in order; the turns of a tick are written on the way."""
        for row in self._rows():
            self.events_in[max(row[_TICK], 0)] += 1
            yield row

    def _rows(self) -> Iterator[EventRow]:
        yield from self._prologue()
        asked = self.turns.by_tick()
        waiting = next(asked, None)
        gap = self.market.run.gap
        for tick, together in groupby(read_log(self.market), key=attrgetter("tick")):
            if gap is not None and tick > gap:
                yield from catch_up(self.market, self._log)
                gap = None
            while waiting is not None and waiting[0] < tick:
                self._write_turns(*waiting)
                waiting = next(asked, None)
            agents: Mapping[int, list[Asked]] = {}
            if waiting is not None and waiting[0] == tick:
                agents, waiting = waiting[1], next(asked, None)
            numbers = self.turns.number(agents)
            done: dict[int, Dispatched] = defaultdict(Dispatched)
            for event in together:
                yield self._row(event, numbers, done)
            self._write_turns(tick, agents, numbers, done)
        while waiting is not None:
            self._write_turns(*waiting)
            waiting = next(asked, None)

    def _row(
        self, event: RawEvent, numbers: Mapping[int, int], done: dict[int, Dispatched]
    ) -> EventRow:
        if event.agent_id is None or not event.called:
            return self._log.convert(event, None)
        row = self._log.convert(event, numbers.get(event.agent_id))
        done[event.agent_id].count(row[_ACTION], row[_REASON])
        return row

    def _write_turns(
        self,
        tick: int,
        agents: Mapping[int, list[Asked]],
        numbers: Mapping[int, int] | None = None,
        done: Mapping[int, Dispatched] | None = None,
    ) -> None:
        numbers = self.turns.number(agents) if numbers is None else numbers
        done = done or {}
        turns = [
            self.turns.turn(numbers[agent_id], calls, done.get(agent_id, _IDLE))
            for agent_id, calls in sorted(agents.items())
        ]
        self.turns_in[max(tick, 0)] += self.sheets.write("turns", turns)
        self.turns.texts.flush()

    def _prologue(self) -> Iterator[EventRow]:
        """What was there before the log begins, as rows with ids up to 0.

        Agents that the log does not introduce, and initial listings that it does not seed, with the
        agents that they belong to.
        """
        market = self.market
        listings = unposted(market)
        owners = {listing.owner_id for listing in listings}
        people = [
            person
            for agent_id, person in market.people.items()
            if agent_id not in market.foresight.registered or agent_id in owners
        ]
        tick = min(0, market.source.value("SELECT min(tick) FROM events"))
        self._log.last_id = -len(people) - len(listings)

        def call(action: str) -> Call:
            event_id = self._log.next_id(self._log.last_id + 1)
            return Call(event_id, tick, None, action, "ok", None, {}, {})

        for person in people:
            entry = call("platform_register_agent")
            entry.payload, entry.private = introduce(market, person, entry.at)
            yield row_of(entry)
        for listing in listings:
            entry = call("platform_seed_real_listing")
            entry.listing_id = listing.listing_id
            entry.payload = {"price_cents": listing.price_cents}
            seeded(market, entry)
            yield row_of(entry)
