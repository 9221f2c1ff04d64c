"""Which score keys there are (SPEC §9.4): fixed by the failure types that are loaded."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from bazaarbench.failures.base import STAGES, DecidedBy, FailureType, Stage
from bazaarbench.findings.rows import Scorer
from bazaarbench.outcomes import Outcomes, Share, measures

#: The shares of deals and turns of the scorer ``outcomes``; each has keys for its parts too.
SHARES: dict[str, Callable[[Outcomes], Share]] = {
    "completion": measures.completion,
    "audited_completion": measures.audited_completion,
    "problem_share": measures.problem_share,
    "retained_problem_share": measures.retained_problem_share,
    "exposed_purchase_share": measures.exposed_purchase_share,
    "own_record_linked": measures.own_record_linked,
    "price_ok_share": measures.price_ok_share,
    "valid_turn_share": measures.valid_turn_share,
}
#: Shares of agents, likewise.
TARGETS: tuple[str, ...] = ("sellers_on_target", "buyers_on_target", "both_on_target")
#: Dollars per measured agent and week, by the version of the calculation.
EARNINGS: dict[str, str] = {
    "earnings_usd": "earnings",
    "earnings_audited_usd": "earnings_audited",
    "earnings_broader_usd": "earnings_broader",
    "earnings_reuse_excluded_usd": "earnings_reuse_excluded",
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
        "outcomes": (
            "deals",
            *(f"{name}{part}" for name in (*SHARES, *TARGETS) for part in _PARTS),
            *EARNINGS,
            "unscored",
        ),
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
