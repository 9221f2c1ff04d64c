"""What scripts share: one turn's prompt, its draws, the calls collected, and the seller's stock."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from bazaarbench.agents.observation import LISTINGS_SHOWN
from bazaarbench.agents.policy import Plant, PlantType, Play, ScriptPrompt
from bazaarbench.market.bands import BAND_RANGE, band_of
from bazaarbench.market.calls import ToolCall
from bazaarbench.market.draws import draw
from bazaarbench.market.titles import (
    ANY_CATEGORY_PPM,
    IN_CATEGORY_PPM,
    compatible,
    normal_title,
    ratio_ppm,
)

Row = dict[str, Any]
#: Interchangeable units: normalised title and category (SPEC §1).
Kind = tuple[str, str]

#: The most listings that a script keeps, one below what an observation shows: it must see them all.
MAX_LISTINGS = LISTINGS_SHOWN - 1
#: Calls after which a script looks for nothing more to do in a turn.
ENOUGH_CALLS = 3


@lru_cache(maxsize=1 << 16)
def kind_of(title: str, category: str) -> Kind:
    """Which units a unit or listing of that title and category is interchangeable with."""
    return normal_title(title), category


#: The draw of what an agent is like about something, which it asks itself in turn after turn.
_trait = lru_cache(maxsize=1 << 16, typed=True)(draw)


def resembles(unit: Row, title: str, category: str) -> bool:
    """Whether the platform could bind a listing of that title and category to an own unit."""
    needed = IN_CATEGORY_PPM if compatible(unit["category"], category) else ANY_CATEGORY_PPM
    return ratio_ppm(unit["title"], title) >= needed


class Desk:
    """One turn: what the prompt says, and what the script does about it."""

    __slots__ = (
        "_roll",
        "_stock",
        "agent_id",
        "calls",
        "data",
        "facts",
        "plants",
        "prompt",
        "reasons",
        "tick",
    )

    def __init__(self, prompt: ScriptPrompt) -> None:
        self.prompt = prompt
        self.data = prompt.data
        self.facts = prompt.facts
        self.tick: int = prompt.data["tick"]
        self.agent_id: int = prompt.data["agent_id"]
        self.calls: list[ToolCall] = []
        self.plants: list[Plant] = []
        self.reasons: list[str] = []
        self._roll: int | None = None
        self._stock: Stock | None = None

    # ------------------------------------------------------------------------------ acting

    def do(self, name: str, why: str, /, **arguments: Any) -> None:
        """Add a call, and why, for the note."""
        self.calls.append(ToolCall(name, arguments))
        self.reasons.append(why)

    def plant(self, kind: PlantType, detail: str) -> None:
        """Mark the call added last as a failure that is meant."""
        self.plants.append(Plant(kind, len(self.calls) - 1, detail))

    def play(self) -> Play:
        """The finished turn."""
        note = "; ".join(self.reasons[:3]) if self.reasons else "Nothing calls for action now"
        return Play(f"{note}.", tuple(self.calls), tuple(self.plants))

    @property
    def busy(self) -> bool:
        """Whether the turn holds enough already."""
        return len(self.calls) >= ENOUGH_CALLS

    def under(self, switch: str) -> bool:
        """Whether the observation tells of a rule beyond what the world message says."""
        return switch in self.data.get("platform_rules", ())

    # ------------------------------------------------------------------------------ drawing

    def below(self, bound: int, *key: object) -> int:
        """An integer in 0 … bound − 1 that depends on seed, agent, tick and key."""
        prompt = self.prompt
        return draw(prompt.seed, self.agent_id, self.tick, *key) * bound >> 64

    def chance(self, permille: int, *key: object) -> bool:
        """True with a probability of ``permille`` ÷ 1000."""
        return self.below(1000, *key) < permille

    def trait(self, bound: int, *key: object) -> int:
        """Like ``below``, but the same at every tick: what an agent is like about something."""
        return _trait(self.prompt.seed, self.agent_id, *key) * bound >> 64

    def roll(self, bound: int) -> int:
        """A part of the one draw of the turn; the bounds may take up 64 bits in all."""
        if self._roll is None:
            self._roll = draw(self.prompt.seed, self.agent_id, self.tick)
        self._roll, value = divmod(self._roll, bound)
        return value

    def pick(self, rows: Sequence[Row], *key: object) -> Row:
        """One of the rows, each equally likely."""
        return rows[self.below(len(rows), *key)]

    # ------------------------------------------------------------------------------ the stock

    @property
    def stock(self) -> Stock:
        """What is held, listed and promised, kept up to date with this turn's calls."""
        if self._stock is None:
            self._stock = Stock(self.data)
        return self._stock

    @property
    def floor_permille(self) -> int:
        """The least share of an asking price that the principal accepts."""
        return self.facts.floor_permille

    def floor_cents(self, asking_cents: int) -> int:
        """The least price in cents that may be accepted for something listed at that price."""
        return -(-asking_cents * self.facts.floor_permille // 1000)

    def purchase_may_arrive(self) -> bool:
        """Whether a purchase may complete within this tick, before or after the agent's own calls.

        A buyer's deal cannot complete without the buyer's confirmation, which is in the
        observation or among this turn's calls.
        """
        confirmed = {
            call.arguments["meetup_id"]
            for call in self.calls
            if call.name == "complete_transaction" and call.arguments is not None
        }
        return any(
            row["role"] == "buyer" and (row["you_confirmed"] or row["meetup_id"] in confirmed)
            for row in self.data["scheduled_exchanges"]
        )


class Stock:
    """A seller's books, drawn up from the observation alone.

    By kind: the units held, the promises that bind them (accepted deals, and exchanges that are
    still scheduled whatever became of their thread), the own counter-offers that a buyer may accept
    at any moment, and the active listings. A promise made in this turn is entered at once.

    Scripts list units under their own titles, but a market may have been played by somebody else
    before. A listing whose title is no held unit's is booked on every kind that it could be bound
    to: rather a unit too few on offer than one promised twice.
    """

    __slots__ = (
        "_category",
        "_listings",
        "_mixed",
        "_new_busy",
        "_new_listings",
        "counters",
        "held",
        "listed",
        "promised",
        "promises_on",
    )

    def __init__(self, data: Any) -> None:
        self.held: dict[Kind, list[Row]] = {}
        self.promised: dict[Kind, int] = {}
        self.promises_on: dict[int, int] = {}
        self.counters: dict[Kind, int] = {}
        self.listed: dict[Kind, list[Row]] = {}
        self._new_busy: set[int] = set()
        self._new_listings: dict[Kind, int] = {}
        self._listings = len(data["own_listings"])
        self._category: dict[str, str] = {}
        self._mixed: set[str] = set()
        for row in data["own_units"]:
            self.held.setdefault(self._kind(row), []).append(row)
        for section in ("accepted_deals", "scheduled_exchanges"):
            for row in data[section]:
                if row["role"] == "seller":
                    for kind in self._kinds(row):
                        self.promised[kind] = self.promised.get(kind, 0) + 1
                    listing_id = row["listing_id"]
                    self.promises_on[listing_id] = self.promises_on.get(listing_id, 0) + 1
        for row in data["own_listings"]:
            for kind in self._kinds(row):
                self.listed.setdefault(kind, []).append(row)
                self.counters[kind] = self.counters.get(kind, 0) + row["counters_pending"]

    def _kind(self, row: Row) -> Kind:
        kind = kind_of(row["title"], row["category"])
        if self._category.setdefault(kind[0], kind[1]) != kind[1]:
            self._mixed.add(kind[0])
        return kind

    def _kinds(self, row: Row) -> list[Kind]:
        """The kinds that a listing, or a deal on it, may bind."""
        kind = self._kind(row)
        if kind in self.held:
            return [kind]
        title, category = row["title"], row["category"]
        return [kind] + [k for k, rows in self.held.items() if resembles(rows[0], title, category)]

    def is_plain(self, kind: Kind) -> bool:
        """Whether the title stands for one category only.

        The platform may bind a listing to a unit of the same title in a related category; then
        nobody but the platform knows which unit a promise takes, so nothing is promised.
        """
        return kind[0] not in self._mixed

    def can_promise(self, listing: Row) -> bool:
        """Whether one more promise on an own listing is certain to be kept.

        Only while promises, and counters that may turn into promises in this very tick, are fewer
        than the interchangeable units held; and one at a time on a listing, because a sale ends
        every other deal on it.
        """
        kind = kind_of(listing["title"], listing["category"])
        bound = self.promised.get(kind, 0) + self.counters.get(kind, 0)
        if bound >= len(self.held.get(kind, ())) or not self.is_plain(kind):
            return False
        if self._listings >= LISTINGS_SHOWN:
            return False  # further listings, with counters of their own, may be out of sight
        return not self.is_busy(listing)

    def is_busy(self, listing: Row) -> bool:
        """Whether a promise or a counter already stands on the listing."""
        listing_id = listing["listing_id"]
        return (
            listing_id in self.promises_on
            or listing["counters_pending"] > 0
            or listing_id in self._new_busy
        )

    def promise(self, listing: Row) -> None:
        """Enter an acceptance or a counter of this turn."""
        kind = kind_of(listing["title"], listing["category"])
        self.promised[kind] = self.promised.get(kind, 0) + 1
        self._new_busy.add(listing["listing_id"])

    def over_promised(self, row: Row) -> bool:
        """Whether more deals than units stand on the kind of thing that a deal is about."""
        kinds = self._kinds(row)
        held = [kind for kind in kinds if kind in self.held]
        return not held or any(self.promised[kind] > len(self.held[kind]) for kind in held)

    @property
    def room(self) -> bool:
        """Whether one more listing would still be seen whole."""
        return self._listings + sum(self._new_listings.values()) < MAX_LISTINGS

    def put_on_offer(self, kind: Kind) -> None:
        """Enter a listing that this turn creates or renews."""
        self._new_listings[kind] = self._new_listings.get(kind, 0) + 1

    def spare(self, kind: Kind) -> int:
        """How many units of a kind are neither listed nor promised."""
        if not self.is_plain(kind):
            return 0
        used = self._new_listings.get(kind, 0)
        active = self.listed.get(kind)
        if active is None:
            return len(self.held.get(kind, ())) - used - self.promised.get(kind, 0)
        seen = set()
        for row in active:
            seen.add(row["listing_id"])
            used += max(1, self.promises_on.get(row["listing_id"], 0))
        # Promises on listings that are no longer active bind units as well.
        on_active = sum(self.promises_on.get(listing_id, 0) for listing_id in seen)
        used += max(0, self.promised.get(kind, 0) - on_active)
        return len(self.held.get(kind, ())) - used

    def free_of_promises(self, kind: Kind) -> bool:
        """Whether nothing of a kind is promised or may become so within this tick."""
        return not self.promised.get(kind) and not self.counters.get(kind)

    def safe_band(self, kind: Kind) -> str:
        """The best band that is true of whichever unit of the kind a listing is bound to.

        The platform chooses among interchangeable units by ids that no agent sees, so the claim is
        that of the worst. A unit whose condition is not known for certain, as after a purchase, is
        claimed as ``for_parts``: the one band that no unit can fall short of.
        """
        worst = 100
        for row in self.held[kind]:
            if row["quality_pct"] is None:
                return "for_parts"
            worst = min(worst, row["quality_pct"])
        return band_of(worst)

    def band_holds(self, kind: Kind, band: str | None) -> bool:
        """Whether a band stated earlier is true of whichever unit of the kind stands behind it."""
        if band is None:
            return True
        lowest = BAND_RANGE[band][0]
        return lowest == 0 or all(
            row["quality_pct"] is not None and row["quality_pct"] >= lowest
            for row in self.held.get(kind, ())
        )
