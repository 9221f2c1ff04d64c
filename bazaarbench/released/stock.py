"""Units and who held them, rebuilt from released inventory lists and the log (SPEC §3.7, §4.6).

A released list says what an agent has had and by which listing a row was sold; a row that was
bought is another row in another list. Here both are one unit that moves. What a sale moves:

1. the unit that the listing was bound to, or one interchangeable with it, the one first that the
   platform marked as sold through this listing at this tick;
2. for a listing that was bound to nothing, the unit that the platform marked, else what its title
   names now;
3. else nothing: the buyer got a row out of nothing, which is a conjured unit.

A listing that is marked sold takes with it what the platform marked, and nothing else.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from bazaarbench.market.entities import Holding, Listing, MatchConfidence, Unit
from bazaarbench.market.inventory import interchangeable
from bazaarbench.market.titles import SAME_PPM, ratio_ppm
from bazaarbench.released.matching import Held, Pool, pool_of
from bazaarbench.released.people import Item


class Link(NamedTuple):
    """Which unit a listing names. ``released_id`` is that of the released rule for ties."""

    unit_id: int | None
    ppm: int
    confidence: MatchConfidence
    released_id: int | None


class At(NamedTuple):
    """Where in the log something happens."""

    tick: int
    event_id: int


class Ticks(NamedTuple):
    """Some ticks, both ends included."""

    first: int
    last: int

    def hold(self, tick: int | None) -> bool:
        """Whether a tick is among them."""
        return tick is not None and self.first <= tick <= self.last


class Sale(NamedTuple):
    """A completed deal: of which listing, to whom, at what price in cents, in which thread."""

    listing: Listing
    buyer_id: int
    price_cents: int
    thread_id: int


class Moved(NamedTuple):
    """What a sale moved."""

    unit_id: int
    holding_id: int
    conjured: bool


@dataclass(slots=True)
class Stock:
    """All units while the log is being read, in its order."""

    items: Mapping[int, list[Item]]
    units: dict[int, Unit] = field(default_factory=dict)
    holdings: list[Holding] = field(default_factory=list)
    #: In whose hands what is, in the order of the lists.
    _held: dict[int, dict[int, Held]] = field(default_factory=lambda: defaultdict(dict))
    _holding_of: dict[int, Holding] = field(default_factory=dict)
    #: How many active listings are bound to a unit.
    _listed: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    _unit_of: dict[tuple[int, int], int] = field(default_factory=dict)
    _marks: dict[tuple[int, int], list[Item]] = field(default_factory=lambda: defaultdict(list))
    _bought: dict[tuple[int, int], list[Item]] = field(default_factory=lambda: defaultdict(list))
    _by_uid: dict[tuple[int, str], Item] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for rows in self.items.values():
            for item in rows:
                if item.sold_via is not None and item.sold_tick is not None:
                    self._marks[item.agent_id, item.sold_via].append(item)
                if item.lineage == "bought" and item.bought_via is not None:
                    self._bought[item.agent_id, item.bought_via].append(item)
                if item.uid is not None:
                    self._by_uid.setdefault((item.agent_id, item.uid), item)

    # ------------------------------------------------------------------------------ coming in

    def enter(self, item: Item, at: At, how: str) -> Unit:
        """An item enters the market in its first owner's hands: ``initial`` or ``restock``."""
        unit = Unit(
            unit_id=len(self.units) + 1,
            owner_id=None,
            title=item.title,
            category=item.category,
            description=item.description,
            condition=item.condition,
            quality_pct=item.quality_pct,
            origin="restock" if how == "restock" else "initial",
            entered_tick=at.tick,
            asking_cents=item.asking_cents,
            entry_cost_cents=item.cost_cents,
            transfers=0,
        )
        self.units[unit.unit_id] = unit
        self._take(unit, item.agent_id, at, how, cost_cents=item.cost_cents, item=item)
        return unit

    def restocked(self, agent_id: int, ticks: Ticks) -> list[Item]:
        """The rows of a list that a restock added then and that have not come yet."""
        return [
            item
            for item in self.items.get(agent_id, ())
            if item.lineage == "restock" and ticks.hold(item.came_tick) and not self.has_come(item)
        ]

    def has_come(self, item: Item) -> bool:
        """Whether a row stands for a unit already."""
        return (item.agent_id, item.place) in self._unit_of

    def _take(
        self,
        unit: Unit,
        agent_id: int,
        at: At,
        how: str,
        *,
        cost_cents: int | None,
        item: Item | None = None,
        thread_id: int | None = None,
    ) -> Holding:
        holding = Holding(
            holding_id=len(self.holdings) + 1,
            unit_id=unit.unit_id,
            agent_id=agent_id,
            how=how,  # type: ignore[arg-type]
            from_tick=at.tick,
            from_event=at.event_id,
            cost_cents=cost_cents,
            thread_id=thread_id,
        )
        self.holdings.append(holding)
        self._holding_of[unit.unit_id] = holding
        unit.owner_id = agent_id
        title, category = unit.title, unit.category
        if item is not None:
            self._unit_of[item.agent_id, item.place] = unit.unit_id
            title, category = item.title, item.category
        self._held[agent_id][unit.unit_id] = Held(unit.unit_id, title, category)
        return holding

    # ------------------------------------------------------------------------------- listings

    def link(self, listing: Listing, *, tick: int | None = None, native: str | None = None) -> Link:
        """Which of its owner's units a listing names now.

        Args:
            listing: with title and category as they are now.
            tick: when it is put up again; ``None`` for its creation.
            native: the unit's own identity, where the platform logged one (its unit mode).
        """
        owner_id = listing.owner_id
        if owner_id is None:
            return Link(None, 0, "none", None)
        if native is not None:
            known = self._held_row(self._by_uid.get((owner_id, native)), owner_id)
            if known is not None:
                ppm = ratio_ppm(known.title, listing.title)
                return Link(known.unit_id, ppm, _confidence(ppm), known.unit_id)
        pool = pool_of(self._held[owner_id].values(), listing.title, listing.category)
        marked = self._marked(listing, pool, tick)
        if marked is not None:
            ppm = ratio_ppm(marked.title, listing.title)
            return Link(marked.unit_id, ppm, _confidence(ppm), marked.unit_id)
        if not pool.winners:
            return Link(None, pool.best_ppm, "none", None)
        kinds = {unit_id: self.units[unit_id] for unit_id, _, _ in pool.winners}
        first = pool.winners[0]
        confidence = _confidence(pool.best_ppm)
        if not all(interchangeable(kinds[first.unit_id], unit) for unit in kinds.values()):
            confidence = "ambiguous"
        chosen = self._unlisted_first(kinds)
        return Link(chosen, pool.best_ppm, confidence, first.unit_id)

    def _marked(self, listing: Listing, pool: Pool, tick: int | None) -> Held | None:
        """The one unit that the platform sold through a listing, if it is a candidate for it.

        At creation it must be the only one ever; when the listing is put up again, of the later
        ones.
        """
        owner_id = listing.owner_id
        marks = self._marks.get((owner_id or 0, listing.listing_id), [])
        if tick is not None:
            marks = [item for item in marks if (item.sold_tick or 0) >= tick]
        if len(marks) != 1 or owner_id is None:
            return None
        held = self._held_row(marks[0], owner_id)
        if held is None or held not in pool.candidates:
            return None
        return held if ratio_ppm(held.title, listing.title) >= pool.least_ppm else None

    def _held_row(self, item: Item | None, owner_id: int) -> Held | None:
        """What a row of a list stands for, while its owner holds it."""
        if item is None:
            return None
        unit_id = self._unit_of.get((item.agent_id, item.place))
        return None if unit_id is None else self._held[owner_id].get(unit_id)

    def _unlisted_first(self, unit_ids: Iterable[int]) -> int:
        """Of units in the order of the list, the first that is in no active listing."""
        return min(unit_ids, key=lambda unit_id: bool(self._listed.get(unit_id)))

    def put_up(self, unit_id: int | None) -> None:
        """An active listing is bound to a unit from now on."""
        if unit_id is not None:
            self._listed[unit_id] += 1

    def take_down(self, unit_id: int | None) -> None:
        """It is no more."""
        if unit_id is not None:
            self._listed[unit_id] -= 1

    def is_held(self, unit_id: int | None, agent_id: int | None) -> bool:
        """Whether an agent holds a unit now."""
        return agent_id is not None and unit_id in self._held[agent_id]

    # ---------------------------------------------------------------------------------- sales

    def for_sale(self, listing: Listing, when: Ticks, *, native: str | None = None) -> int | None:
        """The unit that a sale through a listing hands over (see the module).

        Args:
            listing: which one.
            when: between which ticks the lists have the sale.
            native: the unit's own identity, where the platform logged one.
        """
        owner_id = listing.owner_id
        if owner_id is None:
            return None
        marked = [held.unit_id for held in self._marks_at(listing, when)]
        if native is not None:
            known = self._held_row(self._by_uid.get((owner_id, native)), owner_id)
            marked = marked if known is None else [known.unit_id]
        if listing.unit_id is None:
            return marked[0] if marked else self.link(listing, tick=when.first).unit_id
        bound = self.units[listing.unit_id]
        for unit_id in marked:
            if interchangeable(self.units[unit_id], bound):
                return unit_id
        held = self._held[owner_id]
        if bound.unit_id in held:
            return bound.unit_id
        twins = [unit_id for unit_id in held if interchangeable(self.units[unit_id], bound)]
        return self._unlisted_first(twins) if twins else None

    def marked(self, listing: Listing, when: Ticks) -> int | None:
        """The unit that the platform marked as sold through a listing, if its seller holds it."""
        return next((held.unit_id for held in self._marks_at(listing, when)), None)

    def _marks_at(self, listing: Listing, when: Ticks) -> Iterator[Held]:
        owner_id = listing.owner_id or 0
        for item in self._marks.get((owner_id, listing.listing_id), ()):
            held = self._held_row(item, owner_id) if when.hold(item.sold_tick) else None
            if held is not None:
                yield held

    def sell(self, sale: Sale, at: At, when: Ticks, *, native: str | None = None) -> Moved:
        """Give the buyer of a completed deal its unit, or one out of nothing."""
        item = self._bought_row(sale, when)
        unit_id = self.for_sale(sale.listing, when, native=native)
        if unit_id is None:
            unit = self._conjure(sale, at)
        else:
            unit = self.units[unit_id]
            self._leave(unit, at, "sold", sale.price_cents)
            unit.transfers += 1
            unit.asking_cents = sale.price_cents
        holding = self._take(
            unit,
            sale.buyer_id,
            at,
            "conjured" if unit_id is None else "purchase",
            cost_cents=sale.price_cents,
            item=item,
            thread_id=sale.thread_id,
        )
        return Moved(unit.unit_id, holding.holding_id, unit_id is None)

    def retire(self, unit_id: int, at: At) -> None:
        """A unit leaves the market: its listing was marked sold."""
        self._leave(self.units[unit_id], at, "sold_outside", None)
        self.units[unit_id].owner_id = None

    def _leave(self, unit: Unit, at: At, how: str, sold_cents: int | None) -> None:
        holding = self._holding_of.pop(unit.unit_id)
        holding.to_tick, holding.to_event = at.tick, at.event_id
        holding.ended_how = how  # type: ignore[assignment]
        holding.sold_cents = sold_cents
        del self._held[holding.agent_id][unit.unit_id]

    def _bought_row(self, sale: Sale, when: Ticks) -> Item | None:
        """The row that a sale added to its buyer's list."""
        rows = self._bought.get((sale.buyer_id, sale.listing.listing_id), ())
        new = (item for item in rows if when.hold(item.came_tick) and not self.has_come(item))
        return next(new, None)

    def _conjure(self, sale: Sale, at: At) -> Unit:
        listing = sale.listing
        unit = Unit(
            unit_id=len(self.units) + 1,
            owner_id=None,
            title=listing.title,
            category=listing.category,
            description=listing.description,
            condition=listing.condition,
            quality_pct=None,
            origin="conjured",
            entered_tick=at.tick,
            asking_cents=sale.price_cents,
            entry_cost_cents=None,
            transfers=0,
        )
        self.units[unit.unit_id] = unit
        return unit


def _confidence(ppm: int) -> MatchConfidence:
    return "exact" if ppm == SAME_PPM else "clear"
