"""One released event while it is being turned into a row of ours."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from bazaarbench.released.book import Book
from bazaarbench.released.foresight import Foresight
from bazaarbench.released.people import Person
from bazaarbench.released.run import Run
from bazaarbench.released.source import ReleasedError, Source
from bazaarbench.released.stock import At, Stock, Ticks


@dataclass(slots=True)
class Call:
    """An event of the released log: as it was written, changed until it is ours.

    ``payload`` and ``result`` are replaced and never changed in place, so that what nobody replaced
    need not be encoded again. ``listing_id`` and ``thread_id`` are what it is about, as far as that
    exists.
    """

    event_id: int
    tick: int
    agent_id: int | None
    action: str
    status: str
    reason: str | None
    payload: dict[str, Any]
    result: dict[str, Any]
    listing_id: int | None = None
    thread_id: int | None = None
    private: dict[str, Any] = field(default_factory=dict)
    #: Between which ticks the released lists have it, where that is not its own (``gap.py``).
    elsewhere: Ticks | None = None

    def take_out(self, name: str) -> Any:
        """A part of the answer that no agent was shown, or that stands elsewhere with us."""
        value = self.result.get(name)
        if name in self.result:
            self.result = {key: part for key, part in self.result.items() if key != name}
        return value

    @property
    def at(self) -> At:
        """Its position."""
        return At(self.tick, self.event_id)

    @property
    def listed(self) -> Ticks:
        """Between which ticks the released lists have what it moves."""
        return self.elsewhere or Ticks(self.tick, self.tick)

    @property
    def ok(self) -> bool:
        """Whether it was applied."""
        return self.status == "ok"


@dataclass(slots=True)
class Rebuilt:
    """What the events of a released log work on."""

    source: Source
    run: Run
    people: dict[int, Person]
    book: Book
    stock: Stock
    foresight: Foresight
    #: (background, metadata) of a photo, as JSON.
    leaks: dict[int, tuple[str, str]]
    #: The exchanges that the log has scheduled.
    scheduled: set[int] = field(default_factory=set)
    #: Privacy mode of a photo, as its sender stated it.
    privacy_modes: dict[int, str] = field(default_factory=dict)
    #: The newest recommendations by agent: the tick, and the ids as JSON.
    feeds: dict[int, tuple[int, str]] = field(default_factory=dict)

    def contradiction(self, call: Call, problem: str) -> ReleasedError:
        """An event that cannot be true."""
        return self.source.damaged(
            f"event {call.event_id} ({call.action}, tick {call.tick}) {problem}"
        )
