"""Where runs come from: what a log or a folder says of each, before its record is opened."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from bazaarbench.report.runs import Logged
from bazaarbench.slug import slug

#: ``finished`` and scored or not, stopped by an ``error``, ``running`` or killed, or a bare record.
State = Literal["finished", "error", "unfinished", "record"]


@dataclass(frozen=True)
class RunSource:
    """One run that can be looked at.

    ``find`` gives its record's path, or raises a ``RecordError`` that says where it looked.
    ``logged`` is what report and leaderboard know of it, ``None`` when no number of theirs rests on
    it; ``why`` then says why. ``market`` is the market's name, empty when it is not known.
    ``deal_event`` gives the id of a deal's event in Inspect's transcript.
    """

    key: str
    name: str
    epoch: int
    model: str
    state: State
    find: Callable[[], Path]
    logged: Logged | None = None
    why: str = ""
    market: str = ""
    log: str | None = None
    sample_uuid: str | None = None
    task_id: str | None = None
    deal_event: Callable[[int], str] | None = None
    scores: Mapping[str, float | None] = field(default_factory=dict)


@dataclass(frozen=True)
class Found:
    """All runs of some paths, and what could not be read, as (where, why)."""

    runs: tuple[RunSource, ...]
    left_out: tuple[tuple[str, str], ...] = ()


#: Looks for the runs again.
Finder = Callable[[], Found]


def run_key(stem: str, task_id: str) -> str:
    """The name of a run in addresses: that of its record's file, and of its task."""
    return slug(f"{stem}.{task_id[:10]}".lower(), limit=120)
