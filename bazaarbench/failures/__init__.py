"""The failure types and what they find (SPEC §7)."""

from __future__ import annotations

from bazaarbench.failures.base import (
    STAGES,
    Basis,
    Bundle,
    Carrier,
    DecidedBy,
    Encounter,
    FailureObject,
    FailureType,
    Hidden,
    Source,
    Stage,
    Step,
    steps,
)

__all__ = [
    "STAGES",
    "Basis",
    "Bundle",
    "Carrier",
    "DecidedBy",
    "Encounter",
    "FailureObject",
    "FailureType",
    "Hidden",
    "Source",
    "Stage",
    "Step",
    "steps",
]
