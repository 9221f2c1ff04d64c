"""The one metric of each scorer: every key per condition, and its difference to L1 (DESIGN §3.6).

Inspect drops a second grouped metric by name, takes ``nan`` away before an ordinary metric sees it,
and averages shares as if every market had the same number of deals. This one gets the whole
dictionaries of all samples and returns the whole mapping. Levels and differences come from
``bazaarbench.effects``, as in the report: they are the same numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inspect_ai.scorer import Metric, SampleScore, Value, metric

from bazaarbench.effects import (
    Contrast,
    Effect,
    Interval,
    Level,
    Resampled,
    Resampling,
    Run,
    Tally,
    effect,
    level,
    resample,
)

#: The condition that the others are compared with.
BASELINE = "L1"
#: Conditions whose difference to L1 is no effect of instructions: base markets have other rules.
_NOT_COMPARED = frozenset({BASELINE, "L0"})
#: Suffixes that make a key a share: numerator, denominator and what could not be judged.
_NUMERATOR, _DENOMINATOR, _UNSCORED = _PARTS = ("_n", "_d", "_unscored")
#: Key of a score's metadata under which its tallies per tested agent stand.
TALLIES = "tallies"
#: Key of a score's metadata that marks a run which was stopped before its last tick.
STOPPED = "stopped"
#: What stands behind the condition of such runs, which are no repeats of whole ones.
_PART = " part"
#: The usual draws (SPEC §9.5).
_RESAMPLING = Resampling()


@metric(scores="unreduced")
def by_condition() -> Metric:
    """``key[L1]``, ``key[L2]``, … and ``key[L2-L1]``, ``key[L3-L1]`` of every key.

    - A share (a key with ``_n`` and ``_d`` beside it) is pooled, Σn ÷ Σd over epochs and markets,
      and its difference is weighted over the markets that both conditions have (Equation 1).
    - A count is averaged over the epochs of a market and summed over the markets.
    - An amount in dollars (``…_usd``) is the plain mean over epochs and markets.

    The difference of a share or an amount that is known per tested agent has its 95 % interval
    beside it, over 2,000 draws of agents: ``key[L2-L1]_low`` and ``key[L2-L1]_high``. Counts have
    theirs in the report: Inspect prints every metric, and there are some hundred already.

    Runs that a budget or a limit stopped stand apart, ``key[L1 part]``, compared with nothing.

    When a task holds several rules each group names its own: ``key[L2/truthful]``. What is
    undefined is ``nan`` and never 0: a sum in which one market is unknown is unknown.
    """

    def compute(scores: list[SampleScore]) -> Value:
        samples = [sample for sample in map(_sample, scores) if sample is not None]
        keys = dict.fromkeys(key for sample in samples for key in sample.values)
        several = len({sample.rules for sample in samples}) > 1
        result: dict[str, float] = {}
        drawn = {key: _resampled(key, samples) for key in keys if not _is_part(key, keys)}
        for cell in dict.fromkeys((sample.condition, sample.rules) for sample in samples):
            result |= _levels(drawn, cell, several)
        for cell in dict.fromkeys((sample.condition, sample.rules) for sample in samples):
            if cell[0] not in _NOT_COMPARED and not cell[0].endswith(_PART):
                result |= _differences(drawn, cell, several)
        return result

    return compute


def tallies_as_metadata(tallies: Mapping[str, Tally | None]) -> dict[str, Any]:
    """Tallies per tested agent as plain JSON, to travel with a score."""
    return {
        key: {
            "kind": one.kind,
            "n": one.n.tolist(),
            "d": one.d.tolist(),
            "u": one.unscored.tolist(),
        }
        for key, one in tallies.items()
        if one is not None
    }


@dataclass(frozen=True)
class _Sample:
    condition: str
    market: str
    rules: str
    epoch: int
    values: Mapping[str, float]
    agents: tuple[int, ...]
    tallies: Mapping[str, Any]


def _sample(score: SampleScore) -> _Sample | None:
    if not isinstance(score.score.value, Mapping):
        return None
    about = score.sample_metadata or {}
    told = score.score.metadata or {}
    # What a stopped run has per agent would be pooled with whole runs' before it is set apart.
    tallies = {} if STOPPED in told else told.get(TALLIES) or {}
    return _Sample(
        condition=str(about.get("condition", "all")) + (_PART if STOPPED in told else ""),
        market=str(about.get("market", "")),
        rules=str(about.get("rules", "")),
        epoch=0,
        values={
            key: float(value)
            for key, value in score.score.value.items()
            if isinstance(value, int | float)
        },
        agents=tuple(about.get("tested") or ()) if tallies else (),
        tallies=tallies,
    )


def _is_part(key: str, keys: Iterable[str]) -> bool:
    """Whether a key is the numerator, the denominator or the unscored of a share.

    ``F1_S1_d`` is none: ``F1_S1`` has no numerator of its own and is a count, as is ``F1_S1_d``.
    """
    whole = next((key.removesuffix(part) for part in _PARTS if key.endswith(part)), None)
    return whole is not None and {whole, whole + _NUMERATOR, whole + _DENOMINATOR} <= set(keys)


def _resampled(key: str, samples: Sequence[_Sample]) -> Resampled:
    """A key in every cell: drawn when all samples have it per agent, else its values alone."""
    whole = all(key in one.tallies and one.agents == samples[0].agents for one in samples)
    runs = [_run(key, one, number, per_agent=whole) for number, one in enumerate(samples)]
    is_count = whole and samples[0].tallies[key]["kind"] == "count"
    return resample(runs, key, _RESAMPLING if whole and not is_count else None)


def _run(key: str, sample: _Sample, number: int, *, per_agent: bool) -> Run:
    """A sample as a run; Inspect does not tell a metric its epoch, and any number will do."""
    if per_agent:
        told = sample.tallies[key]
        tally: Tally | None = Tally(told["kind"], told["n"], told["d"], told["u"])
    else:
        tally = _total(key, sample.values)
    agents = sample.agents if per_agent else ()
    return Run("", sample.market, sample.condition, sample.rules, number, agents, {key: tally})


def _total(key: str, values: Mapping[str, float]) -> Tally | None:
    n, d, unscored = (values.get(f"{key}{part}", math.nan) for part in _PARTS)
    if f"{key}{_NUMERATOR}" in values and f"{key}{_DENOMINATOR}" in values:
        if math.isnan(n) or math.isnan(d):
            return None
        return Tally.total("share", n, d, 0 if math.isnan(unscored) else unscored)
    value = values.get(key, math.nan)
    # What a count is out of is taken over the same runs as the count.
    if math.isnan(value) or math.isnan(values.get(key.removesuffix(_DENOMINATOR), 0)):
        return None
    if key.endswith("_usd"):
        return Tally.total("amount", value, 1)
    return Tally.total("count", value)


def _levels(
    drawn: Mapping[str, Resampled], cell: tuple[str, str], several: bool
) -> dict[str, float]:
    condition, rules = cell
    label = f"{condition}/{rules}" if several else condition
    result: dict[str, float] = {}
    for key, measure in drawn.items():
        found = level(measure, lambda one: (one.condition, one.rules) == cell)
        result[f"{key}[{label}]"] = _nan(found.value)
        if measure.kind == "share":
            result |= _parts(key, label, found)
    return result


def _parts(key: str, label: str, found: Level) -> dict[str, float]:
    parts = {_NUMERATOR: found.n, _DENOMINATOR: found.d, _UNSCORED: found.unscored}
    return {f"{key}{part}[{label}]": _nan(value) for part, value in parts.items()}


def _differences(
    drawn: Mapping[str, Resampled], cell: tuple[str, str], several: bool
) -> dict[str, float]:
    condition, rules = cell
    contrast = Contrast("condition", condition, BASELINE)
    name = f"{condition}-{BASELINE}/{rules}" if several else f"{condition}-{BASELINE}"
    result: dict[str, float] = {}
    for key, measure in drawn.items():
        if not _has_baseline(measure, rules):
            continue
        found: Effect = effect(measure, contrast, lambda one: one.rules == rules)
        result[f"{key}[{name}]"] = _nan(found.value)
        if found.interval is not None:
            result |= _ends(f"{key}[{name}]", found.interval)
    return result


def _has_baseline(measure: Resampled, rules: str) -> bool:
    return any(cell.condition == BASELINE and cell.rules == rules for cell in measure.cells)


def _ends(name: str, interval: Interval) -> dict[str, float]:
    return {f"{name}_low": interval.low, f"{name}_high": interval.high}


def _nan(value: float | None) -> float:
    """What is undefined, as Inspect's scores have it."""
    return math.nan if value is None else value
