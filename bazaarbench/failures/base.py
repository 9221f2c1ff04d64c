"""What a failure type is, and what it finds (SPEC §7, §10)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, NamedTuple

from bazaarbench.evidence.marks import Mark
from bazaarbench.evidence.reader import Evidence

#: How far a failure got. S1, considered, is a separate count and no stage of an object.
Stage = Literal["S2", "S3", "S4", "S5"]
STAGES: tuple[Stage, ...] = ("S2", "S3", "S4", "S5")
#: What S5 of a failure rests on: a direct observation, or the timing of an exchange.
Basis = Literal["direct", "inferred"]
#: Who decides: rules over the record, or the judge.
DecidedBy = Literal["record", "judge"]
#: What stands in a record for a judge to read.
Carrier = Literal["deal", "message", "offer", "listing", "rating", "report"]


@dataclass(frozen=True, slots=True)
class Step:
    """One stage of a failure: when it was reached, and the events that show it, ascending."""

    at: Mark
    events: tuple[Mark, ...]


@dataclass(frozen=True, slots=True)
class FailureObject:
    """One deduplicated failure.

    ``object_id`` is readable and stays the same when the record is measured again. ``steps`` holds
    the stages that have events of their own; an object that reached one has reached all before it.
    ``counterparties`` are those whom it demonstrably touched, ascending. ``inherited`` says that
    the same object had already failed before the window. ``overlap`` is the interval of F3, its end
    open when it lasted to the end of the window; with the ids it is what links a failure to deals
    (reference M §3.7). ``facts`` is JSON for people. ``counts_as`` is for types whose objects
    have two actors: the two parties of a deal that both close it early are one deal, counted once.
    """

    type: str
    object_id: str
    actor_id: int
    steps: Mapping[Stage, Step]
    cause: str | None = None
    counterparties: tuple[int, ...] = ()
    inherited: bool = False
    basis: Basis | None = None
    listing_ids: tuple[int, ...] = ()
    unit_ids: tuple[int, ...] = ()
    thread_ids: tuple[int, ...] = ()
    photo_ids: tuple[int, ...] = ()
    overlap: tuple[Mark, Mark | None] | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    counts_as: str = ""

    @property
    def counted(self) -> str:
        """Under which name it is counted: its own unless several objects count as one."""
        return self.counts_as or self.object_id

    @property
    def stage(self) -> Stage:
        """The highest stage reached."""
        return max(self.steps)

    @property
    def first(self) -> Mark:
        """When it began."""
        return min(step.at for step in self.steps.values())

    def reached(self, stage: Stage) -> bool:
        """Whether it reached at least a stage."""
        return self.stage >= stage

    def reached_at(self, stage: Stage) -> Mark | None:
        """When it had reached at least a stage; ``None`` when it did not."""
        return min((step.at for name, step in self.steps.items() if name >= stage), default=None)

    def emitted(self, tested: frozenset[int]) -> bool:
        """Whether a tested agent is its actor."""
        return self.actor_id in tested

    def received(self, tested: frozenset[int]) -> tuple[int, ...]:
        """The tested agents that it reached: its counterparties, from S3 on."""
        if not self.reached("S3"):
            return ()
        return tuple(agent_id for agent_id in self.counterparties if agent_id in tested)


def steps(**marks: Iterable[Mark]) -> dict[Stage, Step]:
    """The stages that have events, each reached at its earliest: ``steps(S2=…, S3=…)``."""
    found: dict[Stage, Step] = {}
    for stage in STAGES:
        events = tuple(sorted(set(marks.get(stage, ()))))
        if events:
            found[stage] = Step(events[0], events)
    return found


@dataclass(frozen=True, slots=True)
class Source:
    """Something that a judge may cite: what it is, its id, its ticks, and who made it.

    The id is that of the event by which it came to be, whatever it is; of recorded reasoning
    (``kind`` ``"reasoning"``) it is that of the turn.
    """

    kind: str
    source_id: int
    ticks: tuple[int, ...]
    author_id: int | None


class Encounter(NamedTuple):
    """The first proof that somebody met a source: by what, and in which tick."""

    source_id: int
    agent_id: int
    tick: int
    how: str


@dataclass(frozen=True)
class Hidden:
    """What a blind judge must not read, of one record; the same object in all its bundles.

    ``names`` are the names and handles of its agents. ``words`` are what tells which run it was:
    models, market, condition. ``instructions`` are the texts that agents may have been given under
    any condition, so that quotations of them can be found.
    """

    names: Mapping[str, int] = field(default_factory=dict)
    words: tuple[str, ...] = ()
    instructions: tuple[str, ...] = ()

    @cached_property
    def by_first_word(self) -> Mapping[str, tuple[str, ...]]:
        """The names that begin with a word, the longest first."""
        found: dict[str, list[str]] = {}
        for name in sorted(self.names, key=lambda one: (-len(one), one)):
            found.setdefault(name.split()[0], []).append(name)
        return {word: tuple(names) for word, names in found.items()}


@dataclass(frozen=True, slots=True)
class Bundle:
    """What a judge is shown to judge one actor (SPEC §8.1).

    ``content`` is JSON data, all of it untrusted. ``targets`` are the keys of the failure types
    asked about, ``highest`` the highest stage that the evidence can show: ``"S1"`` for reasoning,
    ``"S2"`` for a refused call. Blinding relabels ids and ticks in ``content`` by the names of
    their keys (``listing_id``, ``agent_id``, ``tick``, ``eta_tick`` …) and in texts by the words
    before them.

    ``anchor`` is what the failure is about, such as ``"deal:12"``: verdicts of several bundles
    about one anchor and one actor are one failure. ``tick`` is that of what is judged.
    ``encounters`` say who demonstrably met which of the sources; only they can be counterparties.
    """

    bundle_id: str
    actor_id: int
    targets: tuple[str, ...]
    highest: Literal["S1", "S2", "S3", "S4", "S5"]
    sources: tuple[Source, ...]
    content: Mapping[str, Any]
    anchor: str = ""
    tick: int = 0
    thread_id: int | None = None
    listing_id: int | None = None
    encounters: tuple[Encounter, ...] = ()
    hidden: Hidden = field(default_factory=Hidden)


class FailureType:
    """One type of failure.

    A type is a small class with the attributes below; one that is decided by the record overrides
    ``objects``; one that a judge decides names what is to be judged in ``carriers`` and
    ``attempts``, or overrides ``bundles``. All methods must give the same answer for the same
    record, in the same order, and must not change it.

    Attributes:
        key: name in score keys, such as ``"F1"``; unique.
        title: a few words for people.
        object_kind: what its objects are.
        decided_by: whether ``objects`` or a judge's verdicts count.
        stages: the stages that are counted and reported.
        s1_key: under which key recorded reasoning about it counts; ``None`` when it has none.
        rubric: what a judge is told about it; empty when no judge is asked.
        carriers: what a judge is shown to find it, of everybody: ``"deal"`` (both parties of each
            deal in which evidence was missing for a while), ``"message"`` (photo requests and
            photos' captions included), ``"offer"``, ``"listing"``, ``"rating"``, ``"report"``.
        attempts: the actions whose refused calls a judge is shown, as attempts.
    """

    key: str
    title: str
    object_kind: str
    decided_by: DecidedBy = "record"
    stages: tuple[Stage, ...] = STAGES
    s1_key: str | None = None
    rubric: str = ""
    carriers: tuple[Carrier, ...] = ()
    attempts: tuple[str, ...] = ()

    def objects(self, evidence: Evidence) -> Iterable[FailureObject]:
        """The failures that the record decides."""
        return ()

    def bundles(self, evidence: Evidence) -> Iterable[Bundle]:
        """What a judge is to be shown beside ``carriers`` and ``attempts``."""
        return ()

    def decided(self, evidence: Evidence) -> frozenset[int]:
        """The refused calls, by event id, about which the record alone decides.

        A judge is not asked about them for this type, and could not overrule the record.
        """
        return frozenset()

    def universe(self, evidence: Evidence) -> Iterable[tuple[int, str]]:
        """What could have been a failure of this type (S0): agents, and keys as ``merge_key``.

        What is judged belongs to it by itself, whatever the verdict.
        """
        return ()

    def merge_key(self, found: FailureObject) -> str:
        """Under which key a judge's verdict is the same failure as ``found`` (reference M §4).

        A verdict's key is the type's key, a colon and the bundle's ``anchor``.
        """
        return found.counted
