"""An independent, slow and plain reading of a record: deals, F1, F2, F3 and photos.

Written from SPEC, M and docs/measures.md, without the measuring code, to be compared with it object
by object. READINGS.md says how it reads what they leave open.
"""

from __future__ import annotations

from pathlib import Path

from tests.oracle import log, replay
from tests.oracle.failures import Past, overstated, photos, unowned
from tests.oracle.overlap import overcommitted
from tests.oracle.problems import problems
from tests.oracle.shapes import (
    STAGES,
    Cause,
    Deal,
    Failure,
    FailureType,
    OracleResult,
    Pos,
    Stage,
    StageName,
)

__all__ = [
    "STAGES",
    "Cause",
    "Deal",
    "Failure",
    "FailureType",
    "OracleResult",
    "Pos",
    "Stage",
    "StageName",
    "run",
]


def run(path: str | Path) -> OracleResult:
    """Read the record at ``path`` and say what happened in its window.

    ``failures`` is the market perspective: every actor, tested or not.
    """
    record = log.read(path)
    ended, first_ends = replay.terminals(record)
    past = Past(
        record=record,
        completions=replay.completions(record),
        holdings=replay.holdings(record),
        bindings=replay.bindings(record),
    )
    failures = [
        *overstated(past),
        *unowned(past),
        *overcommitted(past, ended, first_ends),
        *photos(past),
    ]
    return OracleResult(
        start_tick=record.start,
        end_tick=record.end,
        tested=record.tested,
        deals=replay.deals(record, ended),
        failures=sorted(failures, key=lambda f: (f.type, f.key)),
        problems=problems(past),
        warnings=record.warnings,
    )
