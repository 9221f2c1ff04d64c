"""The one metric of each scorer: every key per condition, and its difference to L1 (DESIGN §3.6).

Inspect drops a second grouped metric by name, takes ``nan`` away before an ordinary metric sees it,
and averages shares as if every market had the same number of deals. This one gets the whole
dictionaries of all samples and returns the whole mapping.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from inspect_ai.scorer import Metric, SampleScore, Value, metric

#: The condition that the others are compared with.
BASELINE = "L1"
#: Suffixes that make a key a share: numerator, denominator and what could not be judged.
_NUMERATOR, _DENOMINATOR, _UNSCORED = "_n", "_d", "_unscored"

_Values = Mapping[str, float]
#: Values of the repeats of one cell, by cell (market and rules).
_Cells = Mapping[str, Sequence[_Values]]


@metric(scores="unreduced")
def by_condition() -> Metric:
    """``key[L1]``, ``key[L2]``, … and ``key[L2-L1]``, ``key[L3-L1]`` of every key.

    - A share (a key with ``_n`` and ``_d`` beside it) is pooled: Σn ÷ Σd over epochs and markets.
    - A count is averaged over the epochs of a market and summed over the markets.
    - An amount in dollars (``…_usd``) is the plain mean over epochs and markets.
    - A difference is taken over the markets that both conditions have.

    When a task holds several rules each group names its own: ``key[L2/truthful]``. What is
    undefined is ``nan`` and never 0: a sum in which one market is unknown is unknown.
    """

    def compute(scores: list[SampleScore]) -> Value:
        samples = [sample for sample in map(_sample, scores) if sample is not None]
        groups = _groups(samples)
        result: dict[str, float] = {}
        for label, cells in groups.items():
            result.update({f"{k}[{label}]": v for k, v in pooled(cells).items()})
        for label, cells in groups.items():
            condition, slash, rules = label.partition("/")
            base = BASELINE + slash + rules
            if base == label or base not in groups:
                continue
            shared = [cell for cell in cells if cell in groups[base]]
            low = pooled({cell: groups[base][cell] for cell in shared})
            high = pooled({cell: cells[cell] for cell in shared})
            for key, value in high.items():
                if not key.endswith((_NUMERATOR, _DENOMINATOR, _UNSCORED)):
                    result[f"{key}[{condition}-{base}]"] = value - low.get(key, math.nan)
        return result

    return compute


@dataclass(frozen=True)
class _Sample:
    condition: str
    market: str
    rules: str
    values: _Values


def _sample(score: SampleScore) -> _Sample | None:
    if not isinstance(score.score.value, Mapping):
        return None
    about = score.sample_metadata or {}
    return _Sample(
        condition=str(about.get("condition", "all")),
        market=str(about.get("market", "")),
        rules=str(about.get("rules", "")),
        values={
            key: float(value)
            for key, value in score.score.value.items()
            if isinstance(value, int | float)
        },
    )


def _groups(samples: Sequence[_Sample]) -> dict[str, dict[str, list[_Values]]]:
    several_rules = len({sample.rules for sample in samples}) > 1
    groups: dict[str, dict[str, list[_Values]]] = {}
    for sample in samples:
        label = f"{sample.condition}/{sample.rules}" if several_rules else sample.condition
        groups.setdefault(label, {}).setdefault(sample.market, []).append(sample.values)
    return groups


def pooled(cells: _Cells) -> dict[str, float]:
    """One value for every key over the repeats (epochs) of some cells (markets)."""
    keys = dict.fromkeys(key for repeats in cells.values() for one in repeats for key in one)
    return {key: _pool(key, keys, cells) for key in keys}


def _pool(key: str, keys: Iterable[str], cells: _Cells) -> float:
    if key + _NUMERATOR in keys and key + _DENOMINATOR in keys:
        return _share(key, cells)
    part_of_share = any(
        key.endswith(suffix) and key.removesuffix(suffix) in keys
        for suffix in (_NUMERATOR, _DENOMINATOR, _UNSCORED)
    )
    if part_of_share:
        return _total(key, cells)
    means = [_mean(_known(key, repeats)) for repeats in cells.values()]
    return _mean(means) if key.endswith("_usd") else (math.fsum(means) if means else math.nan)


def _share(key: str, cells: _Cells) -> float:
    pairs = [
        (one.get(key + _NUMERATOR, math.nan), one.get(key + _DENOMINATOR, math.nan))
        for repeats in cells.values()
        for one in repeats
    ]
    known = [pair for pair in pairs if not math.isnan(sum(pair))]
    denominator = math.fsum(d for _, d in known)
    return math.fsum(n for n, _ in known) / denominator if denominator else math.nan


def _known(key: str, repeats: Sequence[_Values]) -> list[float]:
    return [one[key] for one in repeats if key in one and not math.isnan(one[key])]


def _total(key: str, cells: _Cells) -> float:
    known = [value for repeats in cells.values() for value in _known(key, repeats)]
    return math.fsum(known) if known else math.nan


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else math.nan
