"""What the evidence consists of: small frozen facts, each with its position in the log."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from bazaarbench.evidence.marks import Mark

EndStatus = Literal["completed", "cancelled", "ghosted"]
#: What shows that a sale changed hands, strongest first (reference M §1.5).
Delivery = Literal["proof", "meetup", "shipment", "none"]


class ThreadFacts(NamedTuple):
    """One buyer and one listing; ``seller_id`` is ``None`` when the platform sells."""

    listing_id: int
    buyer_id: int
    seller_id: int | None


class ExchangeFacts(NamedTuple):
    """A meetup or shipment as it was scheduled; ``eta_tick`` is ``None`` for a meetup."""

    thread_id: int
    method: Literal["meetup", "ship"]
    scheduled_tick: int
    eta_tick: int | None
    token: str


class Posting(NamedTuple):
    """A listing put before the market, or tried to be: created, changed or put up again.

    ``unit_id`` is the unit to which the platform's record binds the listing from here on, ``None``
    when its owner held no matching unit. A refused posting leaves binding and text as they were; of
    a refused creation there is only what it proposed. ``price_cents`` is the asking price.
    """

    mark: Mark
    action: Literal["seed", "create", "edit", "relist"]
    ok: bool
    actor_id: int | None
    unit_id: int | None
    title: str
    price_cents: int


class Stood(NamedTuple):
    """From which tick to which a listing was on the market, as its row says.

    ``until`` is ``None`` while it still is. The price is the row's, which is the last one.
    """

    since: int
    until: int | None
    price_cents: int


class Stored(NamedTuple):
    """What the platform stored with a listing when it was created (reference M §2.5).

    ``shown_pct`` is the condition that the released analysis takes for the truth, ``speculative``
    says that nothing its owner holds or held resembled it, ``unit_id`` is the unit of the released
    rule for ties where an import has kept it.
    """

    shown_pct: int | None
    speculative: bool
    unit_id: int | None


#: Listings that no agent created.
NOTHING_STORED = Stored(None, False, None)


@dataclass(frozen=True, slots=True)
class ListingHistory:
    """A listing through all its versions; the stated band never changes.

    ``closings`` are the events that took it off the market, ascending. ``stood`` is for listings
    without a first event, as imported histories have. ``stored`` is what the released analysis
    went by.
    """

    listing_id: int
    owner_id: int | None
    origin: str
    category: str
    band: str | None
    postings: tuple[Posting, ...]
    closings: tuple[Mark, ...] = ()
    stood: Stood | None = None
    stored: Stored = NOTHING_STORED

    def at(self, mark: Mark) -> Posting | None:
        """The applied posting in force when the event at ``mark`` happened."""
        current = None
        for posting in self.postings:
            if posting.mark > mark:
                break
            if posting.ok:
                current = posting
        return current

    def bound_before(self, mark: Mark) -> int | None:
        """The last unit that the listing was bound to before the event at ``mark``."""
        units = [p.unit_id for p in self.postings if p.ok and p.mark < mark]
        return next((unit_id for unit_id in reversed(units) if unit_id is not None), None)


@dataclass(frozen=True, slots=True)
class Proposal:
    """A new listing that the platform refused.

    ``matched`` says whether the record kept which unit it named; only then do ``unit_id`` and
    ``band`` mean anything. ``unowned`` says that the platform's inventory check objected to it.
    """

    mark: Mark
    actor_id: int
    title: str
    category: str
    matched: bool
    unit_id: int | None
    band: str | None
    unowned: bool


class Contact(NamedTuple):
    """A message, photo, photo request or offer of a buyer in a thread."""

    mark: Mark
    agent_id: int
    thread_id: int


class Promise(NamedTuple):
    """An acceptance or a scheduling, applied (``ok``) or refused, by one of the two parties.

    ``unit_id`` is what it promises: what the listing was bound to at the thread's first applied
    promise, or is now when there is none yet. Putting the listing up again moves no promise.
    """

    mark: Mark
    thread_id: int
    actor_id: int
    ok: bool
    unit_id: int | None


class End(NamedTuple):
    """How a committed thread ended."""

    mark: Mark
    status: EndStatus


@dataclass(frozen=True, slots=True)
class Inspection:
    """A buyer's look at the item; ``shown_pct`` is the percent it was shown."""

    mark: Mark
    shown_pct: int | None


class Look(NamedTuple):
    """A call to inspect, applied or refused by the ownership check.

    ``shown_pct`` is the percent that it showed. ``flagged`` says that the ownership check found
    nothing like the listing with its seller; no agent is told.
    """

    mark: Mark
    thread_id: int
    ok: bool
    shown_pct: int | None
    flagged: bool


class Answer(NamedTuple):
    """An applied offer, counter-offer or acceptance, by whoever made it."""

    mark: Mark
    agent_id: int
    thread_id: int


class AgentFacts(NamedTuple):
    """What an agent's principal set it: the most to pay for the goal, the least to sell for.

    ``floor_permille`` is of the asking price, ``wanted_category`` that of the goal. ``None``: the
    record does not say.
    """

    agent_id: int
    acts: bool
    ceiling_cents: int | None
    floor_permille: int | None
    wanted_category: str | None


@dataclass(frozen=True, slots=True)
class Completion:
    """Both parties have confirmed; a unit moved, or was conjured because the seller held none.

    ``fraud`` is the platform's fraud event of the thread, if there is one.
    """

    mark: Mark
    exchange_id: int
    exchange: ExchangeFacts
    unit_id: int
    conjured: bool
    price_cents: int
    inspection: Inspection | None
    proof_verified: bool
    fraud: Mark | None

    @property
    def timely(self) -> bool:
        """Whether it came at or after the appointment, or the announced arrival."""
        due = self.exchange.eta_tick
        return self.mark.tick >= (self.exchange.scheduled_tick if due is None else due)

    @property
    def delivery(self) -> Delivery:
        """What shows that the item changed hands (reference M §1.5)."""
        if self.proof_verified:
            return "proof"
        if not self.timely:
            return "none"
        return "meetup" if self.exchange.method == "meetup" else "shipment"


@dataclass(frozen=True, slots=True)
class Commitment:
    """A thread from its first promise on (reference M §1.2–1.3).

    ``unit_id`` is what its listing was bound to at the first promise. ``ended`` is the first event
    that ended it; a thread can still be completed afterwards, through an exchange that survived.
    """

    thread_id: int
    listing_id: int
    buyer_id: int
    seller_id: int | None
    unit_id: int | None
    since: Mark
    accepted: Mark | None
    offer_id: int | None
    price_cents: int | None
    scheduled: Mark | None
    ended: End | None
    completion: Completion | None

    @property
    def terminal(self) -> End | None:
        """How it ended for good: its own completion overrides an earlier end."""
        if self.completion is not None:
            return End(self.completion.mark, "completed")
        return self.ended


@dataclass(frozen=True, slots=True)
class PhotoSend:
    """An own photo sent in a thread, or refused; ``sensitive`` are the sensitive details in it."""

    mark: Mark
    sender_id: int
    thread_id: int | None
    listing_id: int | None
    ok: bool
    photo_id: int | None
    privacy_mode: str
    sensitive: tuple[str, ...]


class TurnCounts(NamedTuple):
    """Turns asked of the measured agents in the window, and those with a schema-valid call."""

    asked: int
    valid: int
