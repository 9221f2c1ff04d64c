"""Which of our measures answers which published figure.

Every number is read from the findings of the runs; nothing is measured here. Shares are pooled as
Σn ÷ Σd, effects are Equation 1, dollars are plain means over runs (SPEC §9.5).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from bazaarbench.effects import weighted_difference
from bazaarbench.findings.rows import DealRow, MeasureRow
from bazaarbench.outcomes.problems import PROBLEMS
from bazaarbench.reproduce.study import MARKETS, MODELS, Cell, Missing, Study

Figure = Callable[[Study], float | str]

_JUDGED = "needs verdicts of a judge on F4, F5 messages, F6 or recorded reasoning"
_INTERVAL = "an interval or p-value of 2,000 draws: 'bazaarbench report' has it for runs in logs"
_OUTSIDE = "nothing in the databases says it"
#: Why some figures have no counterpart, by the beginning of their keys.
_REASONS = {
    "scale.catalogue_items": _OUTSIDE,
    "scale.judge_cost": _OUTSIDE,
    "scale.human_agreement": _OUTSIDE,
    "base_markets": _JUDGED,
    "linked_completions_L1": _JUDGED,
    "considered_before_attempt": _JUDGED,
    "seller_F1_F4": _JUDGED,
    "repeated_decisions": "needs the models that decided",
}


def reason_for(key: str) -> str:
    """Why a figure has no counterpart."""
    if "interval" in key or key.endswith("_p"):
        return _INTERVAL
    return next((text for start, text in _REASONS.items() if key.startswith(start)), _OUTSIDE)


def _rows(cells: Iterable[Cell], key: str) -> list[MeasureRow]:
    """A measure in every run.

    Raises:
        Missing: a run's findings do not know it.
    """
    rows = []
    for cell in cells:
        found = cell.findings
        row = found.measures.get(key) or found.appendix[key]
        if row.n is None:
            raise Missing(f"{cell.source} has no {key}: {row.reason}")
        rows.append(row)
    return rows


def _n(cells: Iterable[Cell], key: str) -> int:
    return sum(row.n or 0 for row in _rows(cells, key))


def _d(cells: Iterable[Cell], key: str) -> int:
    return sum(row.d or 0 for row in _rows(cells, key))


def _percent(cells: Sequence[Cell], key: str) -> float:
    whole = _d(cells, key)
    if not whole:
        raise Missing(f"no {key} to share")
    return 100 * _n(cells, key) / whole


def _percent_of(key: str, condition: str, models: Iterable[str] = MODELS) -> Figure:
    return lambda study: _percent(study.runs(condition, models), key)


def _n_of(key: str, condition: str, models: Iterable[str] = MODELS) -> Figure:
    return lambda study: _n(study.runs(condition, models), key)


def _d_of(key: str, condition: str, models: Iterable[str] = MODELS) -> Figure:
    return lambda study: _d(study.runs(condition, models), key)


def _usd(key: str, condition: str) -> Figure:
    def mean(study: Study) -> float:
        cells = study.runs(condition)
        values = [cell.findings.measures[f"{key}_usd"].value for cell in cells]
        known = [value for value in values if value is not None]
        if len(known) < len(values):
            raise Missing(f"{len(values) - len(known)} runs have no {key}")
        return sum(known) / len(known)

    return mean


def _minus(high: Figure, low: Figure) -> Figure:
    return lambda study: float(high(study)) - float(low(study))


def _pairs_difference(study: Study) -> float:
    """Equation 1 over the fifteen pairs, in percentage points."""
    high, low = (_rows(study.runs(condition), "problem_share") for condition in ("L3", "L1"))
    arrays = [
        np.array([float(value or 0) for value in values])
        for side in (high, low)
        for values in ([row.n for row in side], [row.d for row in side])
    ]
    return 100 * float(weighted_difference(*arrays))


# ------------------------------------------------------------------------------------- deals


def _problems(study: Study, keep: Callable[[DealRow], bool]) -> int:
    """Completions under L3 of tested sellers with a problem."""
    return sum(
        deal.seller in cell.findings.tested and deal.problem in PROBLEMS and keep(deal)
        for cell in study.runs("L3")
        for deal in cell.findings.deals
    )


def _retained(*verdicts: str) -> Figure:
    return lambda study: _problems(
        study, lambda deal: deal.audit == "retained" and deal.problem in verdicts
    )


def _only_f3(study: Study) -> int:
    cells = study.runs("L2")
    return _n(cells, "exposed_purchase_share") - _n(cells, "exposed_purchase_without_f3_share")


def _extreme(choose: Callable[[list[int]], int]) -> Figure:
    """The least or the most F3 outcomes of a model under L1."""
    return lambda study: choose([_n(study.runs("L1", [model]), "F3_S5") for model in MODELS])


# ------------------------------------------------------------------------------------- scale


def _everything(study: Study) -> list[Cell]:
    runs = [cell for condition in ("L1", "L2", "L3") for cell in study.runs(condition)]
    return [*study.bases(), *runs]


def _calls(choose: Callable[[Cell], int]) -> Figure:
    return lambda study: sum(map(choose, _everything(study)))


def _same(values: Iterable[int]) -> int:
    found = sorted(set(values))
    if len(found) != 1:
        raise Missing(f"not the same in all runs: {', '.join(map(str, found))}")
    return found[0]


def _ticks(cell: Cell) -> int:
    start, end = cell.findings.window
    return end - start


def _continued(study: Study) -> list[Cell]:
    return [cell for cell in _everything(study) if not cell.is_base]


def _background(choose: Callable[[Iterable[int]], int]) -> Figure:
    return lambda study: choose(cell.calls.get("background", 0) for cell in _continued(study))


def _scale() -> dict[str, Figure]:
    return {
        "scale.runs": lambda study: len(_everything(study)),
        "scale.base_markets": lambda study: len(study.bases()),
        "scale.continuations": lambda study: len(_continued(study)),
        "scale.agents": lambda study: _same(cell.agents for cell in _everything(study)),
        "scale.tested_agents": lambda study: _same(
            len(cell.findings.tested) for cell in _continued(study)
        ),
        "scale.base_ticks": lambda study: _same(map(_ticks, study.bases())),
        "scale.continuation_ticks": lambda study: _same(map(_ticks, _continued(study))),
        "scale.model_calls.total": _calls(lambda cell: sum(cell.calls.values())),
        "scale.model_calls.base_markets": lambda study: sum(
            sum(cell.calls.values()) for cell in study.bases()
        ),
        "scale.model_calls.continuations": lambda study: sum(
            sum(cell.calls.values()) for cell in _continued(study)
        ),
        "scale.model_calls.tested": _calls(lambda cell: cell.calls.get("tested", 0)),
        "scale.model_calls.background": lambda study: sum(
            cell.calls.get("background", 0) for cell in _continued(study)
        ),
        "scale.background_calls_per_continuation.0": _background(min),
        "scale.background_calls_per_continuation.1": _background(max),
    }


def _deals() -> dict[str, Figure]:
    problem = "problem_at_completion_tested_sellers"
    figures: dict[str, Figure] = {
        "committed.L1": _n_of("deals", "L1"),
        "committed.L2": _n_of("deals", "L2"),
        "audited_completion.L1.n": _n_of("audited_completion", "L1"),
        "audited_completion.L1.of": _d_of("audited_completion", "L1"),
        "audited_completion.L1.share": _percent_of("audited_completion", "L1"),
        "audited_completion.L3.share": _percent_of("audited_completion", "L3"),
        "platform_completion.L1.share": _percent_of("completion", "L1"),
        "platform_completion.L3.share": _percent_of("completion", "L3"),
        "linked_completions_L1.own_F1_F3_or_photo": _percent_of("own_record_linked", "L1"),
        f"{problem}.all.weighted_difference_pp": _pairs_difference,
        "L3_audit_of_370.rejected": lambda study: _problems(
            study, lambda deal: deal.audit == "rejected"
        ),
        "L3_audit_of_370.retained": _retained(*PROBLEMS),
        "L3_audit_of_370.retained_overstated": _retained("overstated"),
        "L3_audit_of_370.retained_never_held": _retained("never_held"),
        "L3_audit_of_370.retained_reused_unit": _retained("used_in_deal", "gone"),
        "L3_audit_of_370.in_figure_3b": _n_of("retained_problem_share", "L3"),
        "figure_3c.L1": _percent_of("exposed_purchase_share", "L1"),
        "figure_3c.L2": _percent_of("exposed_purchase_share", "L2"),
        "figure_3c.L2_linked": _n_of("exposed_purchase_share", "L2"),
        "figure_3c.L2_linked_F3_only": _only_f3,
    }
    for condition in ("L1", "L3"):
        for part, of in (("n", _n_of), ("of", _d_of), ("share", _percent_of)):
            figures[f"{problem}.all.{condition}.{part}"] = of("problem_share", condition)
        for model in MODELS:
            figures[f"{problem}.{model}.{condition}"] = _percent_of(
                "problem_share", condition, [model]
            )
    return figures


def _objects() -> dict[str, Figure]:
    figures: dict[str, Figure] = {
        "base_markets.gpt-5.5.largest_count": lambda study: _n([study.base(MARKETS[0])], "F3_S5"),
        "F3.s5_per_model_L1.min": _extreme(min),
        "F3.s5_per_model_L1.max": _extreme(max),
        "F1_gpt_5_4.attempts.L1": _n_of("F1_S2", "L1", ["gpt-5.4"]),
        "F1_gpt_5_4.attempts.L3": _n_of("F1_S2", "L3", ["gpt-5.4"]),
        "F1_gpt_5_4.s5_L3": _n_of("F1_S5", "L3", ["gpt-5.4"]),
        "F2_gpt_5_4_mini_attempts.L1": _n_of("F2_S2", "L1", ["gpt-5.4-mini"]),
        "F2_gpt_5_4_mini_attempts.L3": _n_of("F2_S2", "L3", ["gpt-5.4-mini"]),
        "F2_listings_s5_L3.n": _n_of("F2_S5", "L3"),
        "F2_listings_s5_L3.with_retained_deal": _n_of("F2_outcomes_retained", "L3"),
        "F2_listings_s5_L3.acquired_later": _n_of("F2_acquired_later_outcomes_retained", "L3"),
        "F2_listings_s5_L3.never_held": _n_of("F2_never_held_outcomes_retained", "L3"),
        "K2_seller_views_L1.views": _d_of("views_of_two_accepted", "L1"),
        "K2_seller_views_L1.with_two_or_more_accepted": _n_of("views_of_two_accepted", "L1"),
        "K2_seller_views_L1.accepted_or_countered_again": _n_of(
            "views_of_two_accepted_answered", "L1"
        ),
    }
    for condition in ("L1", "L2"):
        figures[f"F3.attempts.{condition}"] = _n_of("F3_S2", condition)
        figures[f"F3.s5.{condition}"] = _n_of("F3_S5", condition)
    return figures


def _money() -> dict[str, Figure]:
    figures: dict[str, Figure] = {}
    names = {
        "primary": "earnings",
        "owned_items": "earnings_owned",
        "audited": "earnings_audited",
        "broader": "earnings_broader",
        "broader_audited": "earnings_broader_audited",
    }
    for name, key in names.items():
        low, high = _usd(key, "L1"), _usd(key, "L3")
        start = f"earnings_per_tested_agent_week.{name}"
        figures |= {f"{start}.L1": low, f"{start}.L3": high}
        if name in ("primary", "audited"):
            figures[f"{start}.difference"] = _minus(high, low)
    for condition in ("L1", "L2"):
        figures[f"both_targets_met.{condition}.0"] = _n_of("both_on_target", condition)
        figures[f"both_targets_met.{condition}.1"] = _d_of("both_on_target", condition)
        figures[f"price_at_most_80_percent_of_baseline.{condition}"] = _percent_of(
            "price_ok_share", condition
        )
    return figures


def _inspections() -> dict[str, Figure]:
    def all_n(key: str) -> Figure:
        return lambda study: _n(_continued(study), key)

    def all_d(key: str) -> Figure:
        return lambda study: _d(_continued(study), key)

    return {
        "inspections.with_stored_value": all_d("inspections_in_band"),
        "inspections.inside_stated_band": all_n("inspections_in_band"),
        "inspections.continuation_warnings": all_n("inspections_flagged"),
        "inspections.flagged_deals": all_d("flagged_deals_completed"),
        "inspections.flagged_completed": all_n("flagged_deals_completed"),
        "inspections.audit_rejected": all_d("rejected_deals_shown_in_band"),
        "inspections.rejected_with_in_band_value": all_n("rejected_deals_shown_in_band"),
        "inspections.below_band_L3.n": _d_of("below_band_deals_cancelled", "L3"),
        "inspections.below_band_L3.cancelled": _n_of("below_band_deals_cancelled", "L3"),
        "inspections.below_band_L3.completed": _n_of("below_band_deals_completed", "L3"),
    }


#: By the key of the published figure.
FIGURES: dict[str, Figure] = {
    **_scale(),
    **_deals(),
    **_objects(),
    **_money(),
    **_inspections(),
}
