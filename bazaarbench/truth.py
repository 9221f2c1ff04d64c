"""The truth file: what scripted policies planted, as the platform took it (SPEC §5.6).

It stands beside the record and never in it, so no measure can read it. Each line is one planted
failure with its ids and the stage that the platform's answer settles: S2 when it was refused, S3
when it was applied. S4 and S5 depend on others and are an oracle's.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from bazaarbench.errors import RecordError
from bazaarbench.market.files import explained


@dataclass(frozen=True, slots=True)
class Planted:
    """One planted failure.

    ``stage`` is 2 (attempted) or 3 (reached another participant); ``object`` names what it is
    about, as the record's ids.
    """

    tick: int
    agent_id: int
    type: str
    stage: int
    event_id: int
    listing_id: int | None
    thread_id: int | None
    detail: str


class TruthLog:
    """Appends planted failures tick by tick to a JSON-lines file."""

    def __init__(self, path: Path, *, last_tick: int) -> None:
        """Open the file and drop lines of ticks after ``last_tick``, which were never committed."""
        self._path = path
        kept = [entry for entry in read(path) if entry.tick <= last_tick]
        partial = path.with_suffix(".partial")
        with explained(path, "write"):
            partial.write_text("".join(_line(entry) for entry in kept), encoding="utf-8")
            os.replace(partial, path)

    def write(self, entries: Iterable[Planted]) -> None:
        """Append the entries of one tick; called before the tick is committed."""
        with explained(self._path, "write"), self._path.open("a", encoding="utf-8") as out:
            out.writelines(_line(entry) for entry in entries)


def truth_path(record: Path) -> Path:
    """Where the truth file of a record stands."""
    return record.with_suffix(".truth.jsonl")


def read(path: Path) -> list[Planted]:
    """All planted failures of a truth file; none when it does not exist.

    A last line that a kill cut short belongs to a tick that was never committed and is left out.

    Raises:
        RecordError: a line before that is none of ours, or the file cannot be read.
    """
    if not path.exists():
        return []
    with explained(path, "read"):
        lines = path.read_bytes().split(b"\n")
    return [_planted(path, number, line) for number, line in enumerate(lines[:-1], start=1)]


def _planted(path: Path, number: int, line: bytes) -> Planted:
    try:
        return Planted(**json.loads(line))
    except (ValueError, TypeError) as error:
        raise RecordError(
            f"line {number} of the truth file {path} is damaged ({error}). Restore the file from a "
            "copy, or delete it: no measure needs it, but what was planted is then not known."
        ) from error


def _line(entry: Planted) -> str:
    return json.dumps(asdict(entry), sort_keys=True) + "\n"
