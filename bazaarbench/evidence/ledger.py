"""Units and who held them, replayed from the log (reference M §2, SPEC §4.6).

The holdings table of a record says the same; a test holds the two against each other.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from bazaarbench.evidence.marks import Mark


class Kind(NamedTuple):
    """What makes units of one owner interchangeable: normalised title and category (SPEC §1)."""

    title: str
    category: str


class Wording(NamedTuple):
    """A unit's title and category as they stand, which is what a listing is compared with."""

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
class Alike:
    """One agent's holdings of units of one wording, as they came and as they went."""

    came: list[Span] = field(default_factory=list)
    left: list[Span] = field(default_factory=list)


@dataclass(slots=True)
class Ledger:
    """All units and all spans; ``enter`` and ``leave`` are for the replay alone.

    ``alike_of_agent`` has an agent's holdings by wording: a market lives long, and few titles have
    to be compared where there are many units.
    """

    units: dict[int, UnitFacts]
    spans: list[Span] = field(default_factory=list)
    spans_of_agent: dict[int, list[Span]] = field(default_factory=lambda: defaultdict(list))
    spans_of_unit: dict[int, list[Span]] = field(default_factory=lambda: defaultdict(list))
    spans_of_kind: dict[tuple[int, Kind], list[Span]] = field(
        default_factory=lambda: defaultdict(list)
    )
    alike_of_agent: dict[int, dict[Wording, Alike]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(Alike))
    )

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
        unit = self.units[unit_id]
        self.spans_of_kind[agent_id, unit.kind].append(span)
        self._alike(agent_id, unit).came.append(span)

    def leave(self, unit_id: int, mark: Mark, ended_how: str, sold_cents: int | None) -> None:
        """End the holding that lasts."""
        span = self.spans_of_unit[unit_id][-1]
        span.end, span.ended_how, span.sold_cents = mark, ended_how, sold_cents
        self._alike(span.agent_id, self.units[unit_id]).left.append(span)

    def _alike(self, agent_id: int, unit: UnitFacts) -> Alike:
        return self.alike_of_agent[agent_id][Wording(unit.title, unit.category)]

    def ended_at(self, unit_id: int, mark: Mark) -> Span | None:
        """The holding of a unit that the event at ``mark`` ended."""
        return next((span for span in self.spans_of_unit[unit_id] if span.end == mark), None)

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
        return sum(span.covers(mark) for span in self.spans_of_kind.get((agent_id, kind), ()))

    def held_alike(self, agent_id: int, kind: Kind, mark: Mark) -> list[int]:
        """The interchangeable units that an agent held then, in the order in which they came."""
        spans = self.spans_of_kind.get((agent_id, kind), ())
        return [span.unit_id for span in spans if span.covers(mark)]

    def last_left(self, agent_id: int, wording: Wording, mark: Mark) -> Span | None:
        """How the unit of a wording went that left an agent last before the event at ``mark``.

        With its last holding; a unit that the agent had again then is not among them.
        """
        alike = self.alike_of_agent.get(agent_id, {}).get(wording)
        if alike is None:
            return None
        until = bisect_left(alike.left, mark, key=_end_of)
        for place in range(until - 1, -1, -1):
            span = alike.left[place]
            if not self._held_again(span, mark):
                return span
        return None

    def _held_again(self, span: Span, mark: Mark) -> bool:
        return any(
            other.agent_id == span.agent_id and span.start < other.start < mark
            for other in self.spans_of_unit[span.unit_id]
        )

    def came_between(self, agent_id: int, wording: Wording, after: Mark, before: Mark) -> bool:
        """Whether an agent obtained a unit of a wording strictly between two events."""
        alike = self.alike_of_agent.get(agent_id, {}).get(wording)
        if alike is None:
            return False
        place = bisect_right(alike.came, after, key=_start_of)
        return place < len(alike.came) and alike.came[place].start < before


def _start_of(span: Span) -> Mark:
    return span.start


def _end_of(span: Span) -> Mark:
    assert span.end is not None
    return span.end
