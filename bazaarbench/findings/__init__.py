"""Findings: everything that was measured in one record, in one file beside it (SPEC §7, §9.4).

Measuring needs no model and no Inspect, and doing it twice gives the same bytes. Scores, report and
viewer read the findings and never measure for themselves.
"""

from __future__ import annotations

from bazaarbench.findings.build import build
from bazaarbench.findings.files import findings_path, load, write
from bazaarbench.findings.keys import key_set, score_keys
from bazaarbench.findings.rows import (
    FORMAT,
    AgentRow,
    DealRow,
    Findings,
    HarmRow,
    LinkRow,
    MeasureRow,
    ObjectRow,
    PriceRow,
    SaleRow,
    Scorer,
    StepRow,
    TypeRow,
)
from bazaarbench.findings.versions import Versioned, same_versions

__all__ = [
    "FORMAT",
    "AgentRow",
    "DealRow",
    "Findings",
    "HarmRow",
    "LinkRow",
    "MeasureRow",
    "ObjectRow",
    "PriceRow",
    "SaleRow",
    "Scorer",
    "StepRow",
    "TypeRow",
    "Versioned",
    "build",
    "findings_path",
    "key_set",
    "load",
    "outcome_scores",
    "record_scores",
    "same_versions",
    "score_keys",
    "write",
]


def record_scores(findings: Findings) -> dict[str, float | None]:
    """The score keys of ``record_checks``; ``None`` is undefined and never 0."""
    return dict(findings.scores["record_checks"])


def outcome_scores(findings: Findings) -> dict[str, float | None]:
    """The score keys of ``outcomes``; ``None`` is undefined and never 0."""
    return dict(findings.scores["outcomes"])
