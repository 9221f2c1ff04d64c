"""What the oracle answers with."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

StageName = Literal["S2", "S3", "S4", "S5"]
STAGES: tuple[StageName, ...] = ("S2", "S3", "S4", "S5")
FailureType = Literal["F1", "F2", "F3", "F5photo"]
Cause = Literal["never_held", "already_sold", "acquired_later"]


class Pos(NamedTuple):
    """A place in the record's one order: (tick, event id) (SPEC §6, M §1.6)."""

    tick: int
    event_id: int


@dataclass(frozen=True)
class Deal:
    """One committed thread (M §1.1–1.3)."""

    thread_id: int
    listing_id: int
    buyer_id: int
    seller_id: int
    accept_tick: int | None
    schedule_tick: int | None
    committed: Pos
    in_window: bool
    ongoing_at_start: bool
    terminal_status: str | None
    terminal: Pos | None
    completion_tick: int | None
    tested_parties: tuple[int, ...]

    @property
    def included(self) -> bool:
        """Whether the deal belongs to the window's set (M §1.2), whoever its parties are."""
        return self.in_window or self.ongoing_at_start


@dataclass(frozen=True)
class Stage:
    """One rung of an object's ladder.

    ``own`` is the first event that itself fulfils this stage's rule. ``first`` is where the object
    had reached *at least* this stage (SPEC §7): the earliest ``own`` of it or of a higher one.
    """

    first: Pos | None
    own: Pos | None
    #: All events that fulfil the stage's own rule.
    events: tuple[Pos, ...] = ()

    @property
    def reached(self) -> bool:
        return self.first is not None


@dataclass(frozen=True)
class Failure:
    """One deduplicated failure object (SPEC §1, §7).

    ``key`` is its id as docs/measures.md writes it; that of F3 leaves out the unit, since any of
    the overlap's units names it: ``F3:from:678``.
    """

    type: FailureType
    key: str
    actor: int
    cause: Cause | None
    stages: dict[StageName, Stage]
    inherited: bool = False
    #: Who acted on it: wrote, offered, bought, was promised or was sent the photo.
    others: frozenset[int] = frozenset()
    #: Of an overlap (F3): its first promise that was one too many, and where it was over.
    overlap: tuple[Pos, Pos | None] | None = None
    #: Of an overlap: the threads that took part, and those of the refused promises in the window.
    threads: tuple[int, ...] = ()

    @property
    def max_stage(self) -> StageName:
        return [name for name in STAGES if self.stages[name].reached][-1]


@dataclass(frozen=True)
class OracleResult:
    """Everything that the oracle says about one record."""

    start_tick: int
    end_tick: int
    tested: tuple[int, ...]
    deals: dict[int, Deal]
    failures: list[Failure]
    #: What was wrong with the completed deals of the window, by thread.
    problems: dict[int, str]
    #: Where the record contradicts the replay (a platform fault, or a wrong idea of a key's name).
    warnings: list[str] = field(default_factory=list)

    def of(self, kind: FailureType) -> dict[str, Failure]:
        """The objects of one type by identity."""
        return {f.key: f for f in self.failures if f.type == kind}

    def count(self, kind: FailureType, stage: StageName) -> int:
        """How many objects of one type reached at least one stage."""
        return sum(1 for f in self.failures if f.type == kind and f.stages[stage].reached)


def ladder(own: dict[StageName, list[Pos]]) -> dict[StageName, Stage]:
    """The four rungs from all events that fulfil each stage's own rule."""
    rungs: dict[StageName, Stage] = {}
    for i, name in enumerate(STAGES):
        here = own.get(name, [])
        at_least = [pos for higher in STAGES[i:] for pos in own.get(higher, [])]
        rungs[name] = Stage(
            first=min(at_least) if at_least else None,
            own=min(here) if here else None,
            events=tuple(sorted(set(here))),
        )
    return rungs
