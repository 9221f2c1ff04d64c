"""Stories as data: what is played, what must come out, and the player.

Six agents are always there: S, B, C, D, E, T with ids 1–6. A thread is named "listing/buyer"; its
offer and its meetup or shipment have that name too unless a step gives another. Within a tick the
player sorts the steps by agent id, as a released tick is dispatched; so a buyer who must answer the
seller does it a tick later.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from tests.released.generator.core import Settings
from tests.released.generator.dealing import World
from tests.released.generator.rows import Json, Result
from tests.released.generator.seeding import seed_unit

CAST = {"S": 1, "B": 2, "C": 3, "D": 4, "E": 5, "T": 6}
TESTED = "ST"


@dataclass(frozen=True)
class Goods:
    """A kind of thing; what a seat owns of it is `unit(...)`."""

    title: str
    category: str

    def unit(self, quality: int | None = 70, **more: Any) -> Json:
        return seed_unit(self.title, self.category, quality=quality, **more)


@dataclass(frozen=True)
class Step:
    """One call. `refused` is the error that the platform must answer with."""

    tick: int
    who: str
    action: str
    args: Mapping[str, Any]
    name: str = ""
    refused: str = ""

    def but(self, refused: str) -> Step:
        """The same call, refused."""
        return replace(self, refused=refused)


# ------------------------------------------------------------------------------------ expectations


@dataclass(frozen=True)
class Unit:
    """An inventory row and what it physically is; `ref` is seat and list position from 0.

    `root` is the unit with which the thing first entered the market (itself for seed and restock),
    None if a completion created it from nothing. `quality` is the root's percent then. `walk` is
    the (root, quality) that following the *create-time* links of released-analysis.md §2.4 gives,
    where that differs from the unit that the sale really used up.
    """

    ref: str
    lineage: Literal["seed", "restock", "bought"]
    quality: int | None
    root: str | None
    source: str | None = None
    born: int = 0
    sold: tuple[int, str] | None = None
    walk: tuple[str | None, int | None] | None = None

    @property
    def released_id(self) -> str:
        """The id that the released analysis gives the row."""
        return f"{self.lineage}/{CAST[self.ref[0]]}/{int(self.ref[1:]) + 1:04d}"


def seed(ref: str, quality: int | None = 70, sold: tuple[int, str] | None = None) -> Unit:
    """A unit that was there at the start."""
    return Unit(ref, "seed", quality, ref, sold=sold)


def restocked(ref: str, quality: int, born: int, sold: tuple[int, str] | None = None) -> Unit:
    """A unit that the platform brought."""
    return Unit(ref, "restock", quality, ref, born=born, sold=sold)


def bought(
    ref: str,
    root: str,
    quality: int | None,
    born: int,
    *,
    source: str | None = None,
    sold: tuple[int, str] | None = None,
    walk: tuple[str | None, int | None] | None = None,
) -> Unit:
    """A purchase of the unit `source` (the root itself unless it went through other hands)."""
    return Unit(ref, "bought", quality, root, source or root, born, sold, walk)


def conjured(
    ref: str,
    born: int,
    *,
    source: str | None = None,
    sold: tuple[int, str] | None = None,
    walk: tuple[str | None, int | None] | None = None,
) -> Unit:
    """A purchase of what the seller did not have, or (with `source`) of such a thing."""
    return Unit(ref, "bought", None, None, source, born, sold, walk)


DealStatus = Literal["completed", "cancelled", "ghosted", "ongoing"]
Basis = Literal["proof", "meetup", "arrival", "unknown"]


@dataclass(frozen=True)
class Deal:
    """A committed thread as the story's window sees it; terminals after the end are not seen."""

    thread: str
    status: DealStatus
    price: int | None
    commit: int
    completed: int | None = None
    ended: int | None = None
    tested: str = ""
    basis: Basis | None = None
    inspected: int | None = None
    included: bool = True
    """False: over before the window began, so none of its transactions."""


Reading = Literal["both", "letter", "holdings"]


@dataclass(frozen=True)
class Failure:
    """One failure object: `stage` is the highest reached, `at` the tick of S2, `top` that of stage.

    The object is a listing (F1, F2), the step that was refused (F2), a unit (F3; the overlap runs
    from `start` to `until`) or a photo (F5). `reading` tells where the letter of
    released-analysis.md §3 and a count of holdings (two units, two buyers: no failure) part.
    """

    kind: Literal["F1", "F2", "F3", "F5"]
    who: str
    about: str
    stage: int
    at: int
    top: int
    start: int | None = None
    until: int | None = None
    cause: Literal["never_held", "already_sold", "acquired_later"] | None = None
    evidence: Literal["direct", "inferred"] | None = None
    reading: Reading = "both"


@dataclass(frozen=True)
class Story:
    """One planted story; the window is (fork, end], or (0, end] of a base if there is no fork."""

    name: str
    words: str
    steps: tuple[Step, ...]
    seats: Mapping[str, Sequence[Json]] = field(default_factory=dict)
    units: tuple[Unit, ...] = ()
    deals: tuple[Deal, ...] = ()
    failures: tuple[Failure, ...] = ()
    unsettled: tuple[Failure, ...] = ()
    """Objects that the reference neither asks for nor excludes."""
    initial: tuple[tuple[str, str, int], ...] = ()
    """Tick-0 listings: name, owner, list position of the unit."""
    fork: int | None = 10
    end: int = 40
    until: int | None = None
    """The last tick that is played, if the file goes on after the window."""
    careless: str = ""
    """Seats whose every photo shows everything; the others' show nothing."""
    history: bool = False
    lots: int | None = None
    phantom: str = ""

    @property
    def start(self) -> int:
        return self.fork or 0

    @property
    def tested(self) -> str:
        return TESTED if self.fork is not None else ""

    def failures_by(self, reading: Reading) -> tuple[Failure, ...]:
        """What counts under one of the two readings."""
        return tuple(each for each in self.failures if each.reading in ("both", reading))


# ------------------------------------------------------------------------------------------ player


@dataclass
class Played:
    """The databases of a story and the ids that its names got."""

    story: Story
    path: Path
    base: Path | None
    agents: dict[str, int]
    listings: dict[str, int] = field(default_factory=dict)
    threads: dict[str, int] = field(default_factory=dict)
    offers: dict[str, int] = field(default_factory=dict)
    meetups: dict[str, int] = field(default_factory=dict)
    photos: dict[str, int] = field(default_factory=dict)
    events: dict[str, int] = field(default_factory=dict)

    def row(self, ref: str) -> tuple[int, int]:
        """(agent id, position from 0 in the persona's inventory) of a unit named "S0"."""
        return self.agents[ref[0]], int(ref[1:])


class _Player:
    def __init__(self, story: Story, folder: Path, settings: Settings) -> None:
        self.story = story
        suffix = "" if story.fork is None else "-base"
        self.final = folder / f"{story.name}.db"
        self.world = World(folder / f"{story.name}{suffix}.db", settings)
        self.played = Played(story, self.final, None, dict(CAST))

    def run(self) -> Played:
        story, world = self.story, self.world
        self._found()
        fork = story.fork
        steps = sorted(story.steps, key=lambda step: (step.tick, CAST.get(step.who, 99)))
        world.start_run(fork or story.end)
        if fork is not None:
            self._perform(step for step in steps if step.tick <= fork)
            world.end_run(fork)
            horizon = story.end - fork
            treated = [CAST[seat] for seat in TESTED]
            self.played.base = world.fork(self.final, horizon=horizon, treated=treated)
            world.start_run(12)
        self._perform(step for step in steps if step.tick > story.start)
        world.end_run(story.until or story.end)
        world.close()
        return self.played

    def _found(self) -> None:
        story, world = self.story, self.world
        for seat in CAST:
            units = story.seats.get(seat, ())
            privacy = 0.0 if seat in story.careless else 1.0
            # Who starts with nothing is no dealer: no background supply may reach the purchases.
            tier = None if units else "pure_buyer"
            world.add_agent(f"seat_{seat.lower()}", units, privacy=privacy, tier=tier)
        if story.history:
            bots = [world.add_agent(f"history_bot_{n}", seeded=True) for n in (1, 2)]
            for seat, units in story.seats.items():
                for number, unit in enumerate(units):
                    world.history(CAST[seat], bots[0], unit["title"], days=20 + number)
                    world.history(CAST[seat], bots[1], "Old rug", days=9, sold=False)
        for name, seat, index in story.initial:
            self.played.listings[name] = world.initial_listing(CAST[seat], index)
        if story.phantom:
            self.played.listings[story.phantom] = world.phantom()
        if story.lots is not None:
            world.lot_sales(story.lots)

    def _perform(self, steps: Iterable[Step]) -> None:
        for step in steps:
            self.world.advance_to(step.tick)
            if step.action == "restock":
                self.world.restock(CAST[step.who], **step.args)
                continue
            answer: Result = getattr(self.world, step.action)(CAST[step.who], **self._args(step))
            said = "" if answer.ok else str(answer["error"])
            if said != step.refused:
                raise AssertionError(f"{self.story.name}: {step} was answered {said or 'ok'!r}")
            self._remember(step, answer)

    def _args(self, step: Step) -> Json:
        known = self.played
        tables: dict[str, dict[str, int]] = {
            "listing_id": known.listings,
            "thread_id": known.threads,
            "offer_id": known.offers,
            "meetup_id": known.meetups,
            "user_agent_id": known.agents,
            "ratee_agent_id": known.agents,
        }
        args: Json = {}
        for key, value in step.args.items():
            table = tables.get(key)
            args[key] = table[value] if table is not None and isinstance(value, str) else value
        if args.get("handoff_proof") == "the token":
            args["handoff_proof"] = self.world.meetups[args["meetup_id"]].handoff_token
        return args

    def _remember(self, step: Step, answer: Result) -> None:
        known = self.played
        if step.name:
            known.events[step.name] = answer.event_id
        if not answer.ok:
            return
        thread = answer["thread_id"]
        if thread is not None:
            row = self.world.threads[thread]
            names = {number: name for name, number in known.listings.items()}
            seats = {number: seat for seat, number in CAST.items()}
            name = f"{names[row.listing_id]}/{seats[row.buyer_agent_id]}"
            known.threads[name] = thread
        if step.action == "create_listing":
            known.listings[step.name] = answer["listing_id"]
        elif step.action in ("make_offer", "counter_offer"):
            known.offers[step.name] = answer["offer_id"]
        elif step.action in ("schedule_meetup", "schedule_shipment"):
            known.meetups[step.name] = answer["meetup_id"]
        elif step.action in ("send_photo", "send_stock_photo"):
            known.photos[step.name] = answer["photo_id"]


def play(story: Story, folder: Path, settings: Settings | None = None) -> Played:
    """Write the story's database, and the base that it was forked from, into `folder`."""
    return _Player(story, folder, settings or Settings()).run()
