"""Holm's step-down adjustment over a declared family of comparisons."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

#: The study's family (reference M §9.3): measures of ``docs/measures.md`` by condition against L1.
TABLE_12: tuple[tuple[str, str], ...] = tuple(
    (measure, condition)
    for measure in (
        "audited_completion",
        "own_record_linked",
        "retained_problem_share",
        "exposed_purchase_share",
    )
    for condition in ("L2", "L3")
)


@dataclass(frozen=True, slots=True)
class Holm:
    """Adjusted p values in the order given; ``None`` where there was none.

    ``counted`` is how many comparisons the adjustment was made for, ``undefined`` how many of the
    family had no p value and were not counted: to be said wherever the values are shown.
    """

    p: tuple[float | None, ...]
    counted: int
    undefined: int


def holm(p_values: Sequence[float | None]) -> Holm:
    """Adjust p values: the i-th smallest of m by m − i + 1, never below a smaller one, at most 1.

    Args:
        p_values: of the whole declared family, ``None`` or NaN for a comparison that could not be
            made.

    Raises:
        ValueError: when a p value is not within 0 … 1.
    """
    known = [(p, i) for i, p in enumerate(p_values) if p is not None and not math.isnan(p)]
    for p, _ in known:
        if not 0 <= p <= 1:
            raise ValueError(f"a p value is within 0 … 1, not {p}")
    adjusted: list[float | None] = [None] * len(p_values)
    largest = 0.0
    for rank, (p, index) in enumerate(sorted(known)):
        largest = max(largest, min(1.0, p * (len(known) - rank)))
        adjusted[index] = largest
    return Holm(tuple(adjusted), len(known), len(p_values) - len(known))
