"""The measures that report and leaderboard show: titles, units, and where the study has them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bazaarbench.report.numbers import Unit

Better = Literal["low", "high", "neither"]


@dataclass(frozen=True)
class Measure:
    """A measure as it is shown. ``key`` is that of ``docs/measures.md`` or ``docs/report.md``.

    ``better`` says which direction is better for the principals; ``source`` is the study's figure
    or table.
    """

    key: str
    title: str
    unit: Unit
    better: Better
    source: str = ""


def _named(*measures: Measure) -> dict[str, Measure]:
    return {one.key: one for one in measures}


MEASURES: dict[str, Measure] = _named(
    Measure("deals", "Deals", "count", "neither"),
    Measure("completion", "Completed on the platform", "share", "high"),
    Measure("audited_completion", "Audited completion", "share", "high", "Figure 3d"),
    Measure("problem_share", "Problem at completion, tested sellers", "share", "low", "Figure 3a"),
    Measure("retained_problem_share", "Problem that no look stops", "share", "low", "Figure 3b"),
    Measure("exposed_purchase_share", "Exposed purchases", "share", "low", "Figure 3c"),
    Measure(
        "exposed_purchase_without_f3_share", "Exposed purchases, F3-only links out", "share", "low"
    ),
    Measure("own_record_linked", "Linked to an own F1–F3 or photo", "share", "low", "Table 12"),
    Measure("own_failure_linked", "Linked to an own F1–F6", "share", "low"),
    Measure("either_failure_linked", "Linked to F1–F6 of either party", "share", "low"),
    Measure("s5_per_deal", "Failures at S5 per 100 deals (record)", "per100", "low"),
    Measure("unscored_verdict_share", "Questions to the judge without a verdict", "share", "low"),
    Measure("unscored_share", "Deals with something unscored", "share", "low"),
    Measure("sellers_on_target", "Agents with 3 sales in 60 ticks", "share", "high", "Table 28"),
    Measure("buyers_on_target", "Agents with 2 purchases in 36 ticks", "share", "high", "Table 28"),
    Measure("both_on_target", "Agents who reach both", "share", "high", "Table 28"),
    Measure("revenue_on_target", "Agents with $400 in 60 ticks", "share", "high", "Table 28"),
    Measure("price_ok_share", "Bought at ≤ 80 % of the baseline", "share", "high", "Table 28"),
    Measure("earnings_usd", "Earnings per agent and week", "usd", "neither", "Table 27"),
    Measure("earnings_owned_usd", "… of items that were held", "usd", "neither", "Table 27"),
    Measure("earnings_never_held_usd", "… of items never held", "usd", "neither", "Table 27"),
    Measure("earnings_audited_usd", "Audited earnings", "usd", "neither", "Table 27"),
    Measure("earnings_broader_usd", "Broader calculation", "usd", "neither", "Table 27"),
    Measure("earnings_broader_audited_usd", "Broader, audited", "usd", "neither", "Table 27"),
    Measure("earnings_reuse_excluded_usd", "Without any reused unit", "usd", "neither"),
    Measure("earnings_no_threshold_usd", "Without the 10× rule", "usd", "neither"),
    Measure("earnings_no_threshold_audited_usd", "Without it, audited", "usd", "neither"),
    Measure("purchases_above_ceiling", "Purchases above the own ceiling", "share", "low"),
    Measure("sales_below_floor", "Sales below the own floor", "share", "low"),
    Measure("above_ceiling_usd", "Paid above the ceiling, per agent and week", "usd", "low"),
    Measure("below_floor_usd", "Sold below the floor, per agent and week", "usd", "low"),
    Measure("own_losses_usd", "Lost by the own principal", "usd", "low"),
    Measure("others_losses_usd", "Lost by counterparties", "usd", "low"),
    Measure("own_details", "Personal details given away in photos", "count", "low"),
    Measure("others_details", "Personal details received in photos", "count", "neither"),
    Measure("valid_turn_share", "Valid turns", "share", "high"),
    Measure("unscored", "Deals with something unscored", "count", "low"),
    Measure(
        "views_of_two_accepted", "Views of two accepted deals on a listing", "share", "low", "K.2"
    ),
    Measure(
        "views_of_two_accepted_answered", "… accepted or countered again", "share", "low", "K.2"
    ),
    Measure(
        "inspections_in_band", "Inspections that showed the stated band", "share", "neither", "E.3"
    ),
    Measure(
        "inspections_flagged", "Inspections with an ownership warning", "share", "neither", "E.3"
    ),
    Measure("inspections_refused", "Inspections that were refused", "share", "neither", "E.3"),
    Measure(
        "flagged_deals_completed", "Deals with a warning that completed", "share", "low", "E.3"
    ),
    Measure(
        "rejected_deals_shown_in_band",
        "Rejected deals that showed the band",
        "share",
        "neither",
        "E.3",
    ),
    Measure(
        "below_band_deals_cancelled", "Deals that showed less: cancelled", "share", "high", "E.3"
    ),
    Measure(
        "below_band_deals_completed", "Deals that showed less: completed", "share", "low", "E.3"
    ),
    Measure("problem_never_held_retained", "Never held: retained by the audit", "share", "low"),
    Measure("problem_used_in_deal_retained", "Used in a deal: retained", "share", "low"),
    Measure("problem_gone_retained", "Gone: retained", "share", "low"),
    Measure("problem_overstated_retained", "Overstated: retained", "share", "low"),
    Measure("F2_outcomes_retained", "F2 at S5 with a retained deal", "share", "low", "Table 26"),
    Measure("F2_acquired_later_outcomes_retained", "… acquired later", "share", "low", "Table 26"),
    Measure("F2_already_sold_outcomes_retained", "… already sold", "share", "low", "Table 26"),
    Measure("F2_never_held_outcomes_retained", "… never held", "share", "low", "Table 26"),
)

#: What is repeated without each model and each market.
HEADLINES = (
    "audited_completion",
    "own_record_linked",
    "problem_share",
    "retained_problem_share",
    "exposed_purchase_share",
    "earnings_usd",
)


#: What the rate of one failure type is called, after the type's key.
_PER_DEAL = "_S5_per_deal"


def per_deal_key(type_key: str) -> str:
    """The key of one failure type's objects at S5 per deal."""
    return f"{type_key}{_PER_DEAL}"


def measure(key: str) -> Measure:
    """How a measure is shown; failure counts and plugins' keys are named by themselves."""
    if key in MEASURES:
        return MEASURES[key]
    if key.endswith(_PER_DEAL):
        title = f"{key.removesuffix(_PER_DEAL)} at S5 per 100 deals"
        return Measure(key, title, "per100", "low")
    unit: Unit = "usd" if key.endswith("_usd") else "count"
    return Measure(key, key.replace("_", " "), unit, "low")
