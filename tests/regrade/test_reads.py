"""Reads between writes are in no findings, and measuring twice writes the same bytes."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from bazaarbench.failures.builtin import FAILURE_TYPES
from bazaarbench.findings import Findings, build, write
from tests.evidence.acting import record_of
from tests.outcomes.stories.telling import Story
from tests.outcomes.test_reads import LOOKS, looking
from tests.outcomes.test_stories import STORIES

READS = frozenset(str(step[1]) for step in LOOKS if isinstance(step, tuple))
#: Of the record's own rows: they hold every call, and are another record's.
ROWS = {"digest", "play"}
BOOKED = [story for story in STORIES if story.links or story.problems][::7]


def writes_of(record: Path) -> list[int]:
    """The ids of all events but reads, in order."""
    marks = ",".join("?" * len(READS))
    query = f"SELECT event_id FROM events WHERE action NOT IN ({marks}) ORDER BY event_id"
    with closing(sqlite3.connect(record)) as connection:
        return [row[0] for row in connection.execute(query, sorted(READS))]


def renumbered(found: Findings, ids: dict[int, int]) -> Any:
    """Findings with the event ids of the record without reads."""

    def plain(value: Any, name: str = "") -> Any:
        if isinstance(value, dict):
            return {plain(k): plain(v, k) for k, v in value.items()}
        if name in ("events", "overlap") and isinstance(value, list):
            pairs = [value] if value and isinstance(value[0], int) else value
            return [pair and [pair[0], ids[pair[1]]] for pair in pairs]
        if isinstance(value, list):
            return [plain(item, name) for item in value]
        if isinstance(value, int) and (name == "event_id" or name.endswith("_event")):
            return ids[value]
        if isinstance(value, str):
            pattern = r"(:from:|:proposal:|:attempt:|:event:)(\d+)"
            return re.sub(pattern, lambda m: f"{m[1]}{ids[int(m[2])]}", value)
        return value

    raw = found.model_dump(mode="json")
    events = [row for row in raw["appendix"].values() if row["of"] == "event"]
    for row in events:
        for name in ("n_ids", "d_ids"):
            row[name] = [ids[one] for one in row[name]]
    # A look at what is gone is a refused call, and those are counted.
    del raw["health"]["blocked_per_deal"]
    for agent in raw["agents"]:
        del agent["blocked"]
    return plain({name: value for name, value in raw.items() if name not in ROWS})


@pytest.mark.parametrize("story", BOOKED, ids=str)
def test_looking_between_any_two_steps_changes_no_finding(tmp_path: Path, story: Story) -> None:
    alone = record_of(tmp_path / "alone.db", story.world, story.steps)
    watched = record_of(tmp_path / "watched.db", story.world, looking(story.steps))
    before, after = writes_of(alone), writes_of(watched)
    assert len(before) == len(after)
    same = renumbered(build(alone, FAILURE_TYPES), dict(zip(before, before, strict=True)))
    seen = renumbered(build(watched, FAILURE_TYPES), dict(zip(after, before, strict=True)))
    assert seen == same


@pytest.mark.parametrize("story", BOOKED[:6], ids=str)
def test_measuring_twice_writes_the_same_bytes(tmp_path: Path, story: Story) -> None:
    record = record_of(tmp_path / "story.db", story.world, story.steps)
    stored = record.read_bytes()
    once = write(build(record, FAILURE_TYPES), record).read_bytes()
    assert write(build(record, FAILURE_TYPES), record).read_bytes() == once
    assert record.read_bytes() == stored
