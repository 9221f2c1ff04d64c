"""Which score keys there are (SPEC §9.4): fixed by the failure types that are loaded."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from bazaarbench.evidence.reader import Evidence
from bazaarbench.failures.base import STAGES, DecidedBy, FailureType, Stage
from bazaarbench.findings.rows import Scorer
from bazaarbench.outcomes import Share, completion, problem_share, valid_turn_share

#: The shares of the scorer ``outcomes``; each has keys for its parts too.
SHARES: dict[str, Callable[[Evidence], Share]] = {
    "completion": completion,
    "problem_share": problem_share,
    "valid_turn_share": valid_turn_share,
}
_PARTS = ("", "_n", "_d", "_unscored")
_STAGE_KEY = re.compile(r"(.+)_(S[2-5])")


def key_set(failure_types: Iterable[FailureType]) -> dict[Scorer, tuple[str, ...]]:
    """All score keys of each scorer, in the order in which they are shown."""
    return {
        "record_checks": tuple(
            f"{one.key}_{stage}"
            for one in failure_types
            if decided_by(one) == "record"
            for stage in stages_of(one)
        ),
        "outcomes": ("deals", *(f"{name}{part}" for name in SHARES for part in _PARTS)),
    }


def score_keys(failure_types: Iterable[FailureType]) -> tuple[str, ...]:
    """All score keys of a run: what ``RecordInfo.keys`` keeps."""
    return tuple(key for keys in key_set(failure_types).values() for key in keys)


def missing_types(
    promised: Iterable[str], failure_types: Iterable[FailureType]
) -> dict[str, list[str]]:
    """Keys that a run began with and whose failure type is no longer loaded, by type."""
    loaded = {one.key for one in failure_types}
    missing: dict[str, list[str]] = {}
    for key in promised:
        match = _STAGE_KEY.fullmatch(key)
        if match and match[1] not in loaded:
            missing.setdefault(match[1], []).append(key)
    return missing


def stages_of(failure_type: FailureType) -> tuple[Stage, ...]:
    """The stages that a type counts: all of them when it names none, or what is no stage.

    A type that names something else has a fault (``attribute_fault``); its keys must still be the
    same at the start of a run and when it is scored.
    """
    stages: object = getattr(failure_type, "stages", STAGES)
    if not isinstance(stages, tuple) or not stages:
        return STAGES
    return stages if all(stage in STAGES for stage in stages) else STAGES


def decided_by(failure_type: FailureType) -> DecidedBy:
    """Who decides a type: the record when it does not say, or names somebody else."""
    return "judge" if getattr(failure_type, "decided_by", "record") == "judge" else "record"


def attribute_fault(failure_type: FailureType) -> str | None:
    """What is wrong with the attributes of a plugin's type, if anything is."""
    for name in ("title", "object_kind"):
        value: object = getattr(failure_type, name, None)
        if not isinstance(value, str):
            return f"its {name} is {value!r:.200}; needed is a text"
    for name, value, used in (
        ("stages", getattr(failure_type, "stages", STAGES), stages_of(failure_type)),
        ("decided_by", getattr(failure_type, "decided_by", "record"), decided_by(failure_type)),
    ):
        if value != used:
            allowed = ", ".join(STAGES) if name == "stages" else "'record' or 'judge'"
            kind = "a tuple of " if name == "stages" else ""
            return f"its {name} is {value!r:.200}; allowed is {kind}{allowed}"
    return None
