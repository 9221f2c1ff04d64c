"""One stored record measured again: its findings are replaced whole, or left as they were."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bazaarbench import findings, plugins
from bazaarbench.errors import BazaarError, RecordError
from bazaarbench.findings import Findings
from bazaarbench.market.files import explained
from bazaarbench.market.record import read_info
from bazaarbench.market.schema import APPLICATION_ID

#: Where SQLite keeps the number that tells our records from other files.
_ID_OFFSET = 68


@dataclass(frozen=True, slots=True)
class Regraded:
    """What became of a record or a log that was to be measured again.

    ``was`` is the version of the checks that it had been measured under, ``None`` when it had not
    been or nobody can read by which. ``changed`` are the score keys whose value is another one now.
    ``refused`` says why nothing was done; then whatever was there is as it was.
    """

    path: str
    records: int = 1
    was: str | None = None
    changed: tuple[str, ...] = ()
    refused: str | None = None


def regrade_record(path: Path) -> Regraded:
    """Measure a record under the current checks and write its findings beside it."""
    try:
        _refuse_unfinished(path)
        was, before = _stored(path)
        found = findings.build(path, plugins.load().failure_types.values())
        findings.write(found, path)
    except BazaarError as error:
        return Regraded(str(path), refused=str(error))
    return Regraded(str(path), was=was, changed=changed_keys(before, _values(found)))


def changed_keys(
    before: Mapping[str, float | None], after: Mapping[str, float | None]
) -> tuple[str, ...]:
    """The keys that have another value than before, in the order of the new ones.

    A key that was not there before counts only when it has a value now. Nothing has changed where
    nothing was.
    """
    if not before:
        return ()
    gone = [key for key in before if key not in after]
    return (*(key for key, value in after.items() if before.get(key) != value), *gone)


def records_in(folder: Path) -> list[Path]:
    """All records in a folder, at any depth; side files and foreign databases are none."""
    return sorted(path for path in folder.rglob("*.db") if path.is_file() and _is_record(path))


def _is_record(path: Path) -> bool:
    """Whether a file says that it is a record, sound or not."""
    with explained(path, "read"), path.open("rb") as file:
        header = file.read(_ID_OFFSET + 4)
    return int.from_bytes(header[_ID_OFFSET:], "big") == APPLICATION_ID


def _refuse_unfinished(path: Path) -> None:
    info, last_tick = read_info(path)
    if last_tick < info.end_tick:
        raise RecordError(
            f"{path} ends at tick {last_tick} of {info.end_tick}: its counts would not be "
            "comparable with a whole run's. Go on with the run first: bazaarbench resume LOG"
        )


def _stored(path: Path) -> tuple[str | None, dict[str, float | None]]:
    """Version and values of the findings beside a record, of whatever layout they are."""
    place = findings.findings_path(path)
    try:
        raw: Any = json.loads(place.read_bytes())
        scores = raw["scores"]
        values = {key: value for part in scores.values() for key, value in part.items()}
        return str(raw["checks_version"]), values
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return None, {}  # none there, or of a layout that nobody knows any more: they are replaced


def _values(found: Findings) -> dict[str, float | None]:
    return {key: value for part in found.scores.values() for key, value in part.items()}
