"""Units and who held them, replayed from the log (reference M §2, SPEC §4.6).

The holdings table of a record says the same; a test holds the two against each other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from bazaarbench.evidence.marks import Mark


class Kind(NamedTuple):
    """What makes units of one owner interchangeable: normalised title and category (SPEC §1)."""

    title: str
    category: str


@dataclass(frozen=True, slots=True)
class UnitFacts:
    """A unit as it entered the market; ``quality_pct`` is ``None`` for a conjured one."""

    unit_id: int
    title: str
    category: str
    kind: Kind
    quality_pct: int | None
    origin: str


@dataclass(slots=True)
class Span:
    """One agent's holding of one unit, from one event to another.

    ``end`` is ``None`` while it lasts, ``ended_how`` is ``"sold"`` for a deal and
    ``"sold_outside"`` for a sale outside the market. Money in cents, ``None`` when not known.
    """

    unit_id: int
    agent_id: int
    how: str
    start: Mark
    cost_cents: int | None
    thread_id: int | None
    end: Mark | None = None
    ended_how: str | None = None
    sold_cents: int | None = None

    def covers(self, mark: Mark) -> bool:
        """Whether the unit was held when the event at ``mark`` happened, before its effect."""
        return self.start < mark and (self.end is None or self.end >= mark)


@dataclass(slots=True)
class Ledger:
    """All units and all spans; ``enter`` and ``leave`` are for the replay alone."""

    units: dict[int, UnitFacts]
    spans: list[Span] = field(default_factory=list)
    spans_of_agent: dict[int, list[Span]] = field(default_factory=lambda: defaultdict(list))
    spans_of_unit: dict[int, list[Span]] = field(default_factory=lambda: defaultdict(list))

    def enter(
        self,
        unit_id: int,
        agent_id: int,
        how: str,
        mark: Mark,
        *,
        cost_cents: int | None,
        thread_id: int | None = None,
    ) -> None:
        """Begin a holding."""
        span = Span(unit_id, agent_id, how, mark, cost_cents, thread_id)
        self.spans.append(span)
        self.spans_of_agent[agent_id].append(span)
        self.spans_of_unit[unit_id].append(span)

    def leave(self, unit_id: int, mark: Mark, ended_how: str, sold_cents: int | None) -> None:
        """End the holding that lasts."""
        span = self.spans_of_unit[unit_id][-1]
        span.end, span.ended_how, span.sold_cents = mark, ended_how, sold_cents

    def kind(self, unit_id: int) -> Kind:
        """What the unit is interchangeable by."""
        return self.units[unit_id].kind

    def held(self, agent_id: int, mark: Mark) -> Iterator[UnitFacts]:
        """The units that an agent held when the event at ``mark`` happened, before its effect."""
        for span in self.spans_of_agent.get(agent_id, ()):
            if span.covers(mark):
                yield self.units[span.unit_id]

    def count(self, agent_id: int, kind: Kind, mark: Mark) -> int:
        """How many interchangeable units an agent held then."""
        return sum(unit.kind == kind for unit in self.held(agent_id, mark))

    def left_before(self, agent_id: int, mark: Mark) -> Iterator[Span]:
        """How the units went that an agent no longer held when the event at ``mark`` happened.

        Each with its last holding; a unit that the agent had again then is not among them.
        """
        last = {
            span.unit_id: span
            for span in self.spans_of_agent.get(agent_id, ())
            if span.start < mark
        }
        for span in last.values():
            if span.end is not None and span.end < mark:
                yield span

    def acquired(self, agent_id: int, after: Mark, before: Mark) -> Iterator[UnitFacts]:
        """The units that an agent obtained strictly between two events."""
        for span in self.spans_of_agent.get(agent_id, ()):
            if after < span.start < before:
                yield self.units[span.unit_id]
