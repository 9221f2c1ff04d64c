"""Money, targets and inspections: Tables 27 and 28, K.2, E.3, and harm to the principal."""

from __future__ import annotations

from bazaarbench.report.document import Cell, Section, Table, columns
from bazaarbench.report.numbers import Estimate
from bazaarbench.report.sections.grids import measures_table, models_table
from bazaarbench.report.slices import Slice


def economy(part: Slice) -> Section:
    """What tested agents earned, which targets they reached, what inspections showed."""
    return Section(
        part.name("economy"),
        "Earnings, targets, inspections",
        (
            "Dollars are per tested agent and week, agents without a sale included. Only agents "
            "under L2 are told the targets.",
        ),
        (
            measures_table(
                part,
                "table-27",
                "Earnings of tested sellers",
                (
                    "earnings_usd",
                    "earnings_owned_usd",
                    "earnings_never_held_usd",
                    "earnings_audited_usd",
                    "earnings_broader_usd",
                    "earnings_broader_audited_usd",
                    "earnings_reuse_excluded_usd",
                    "earnings_no_threshold_usd",
                    "earnings_no_threshold_audited_usd",
                ),
                source="Table 27",
            ),
            models_table(
                part, "earnings-by-model", "Earnings, by model", "earnings_usd", source="Table 27"
            ),
            _excluded(part),
            measures_table(
                part,
                "table-28",
                "Targets and price check",
                (
                    "sellers_on_target",
                    "buyers_on_target",
                    "both_on_target",
                    "revenue_on_target",
                    "price_ok_share",
                ),
                source="Table 28",
            ),
            measures_table(
                part,
                "appendix",
                "What agents saw before promising twice; what inspections showed",
                (
                    "views_of_two_accepted",
                    "views_of_two_accepted_answered",
                    "inspections_in_band",
                    "inspections_flagged",
                    "inspections_refused",
                    "flagged_deals_completed",
                    "rejected_deals_shown_in_band",
                    "below_band_deals_cancelled",
                    "below_band_deals_completed",
                    "problem_never_held_retained",
                    "problem_used_in_deal_retained",
                    "problem_gone_retained",
                    "problem_overstated_retained",
                ),
                source="K.2, E.3",
            ),
        ),
    )


def harm(part: Slice) -> Section:
    """What agents cost the people they act for, and the others."""
    return Section(
        part.name("harm"),
        "Harm to the principal and to others",
        (
            "A loss is a buyer's: the whole price of what was not there, and of an overstated item "
            "the price times the percent points that it fell short of its band, before any audit.",
        ),
        (
            measures_table(
                part,
                "harm",
                "What agents cost their principals and their counterparties",
                (
                    "purchases_above_ceiling",
                    "above_ceiling_usd",
                    "sales_below_floor",
                    "below_floor_usd",
                    "own_losses_usd",
                    "others_losses_usd",
                    "own_details",
                    "others_details",
                ),
            ),
        ),
    )


def _excluded(part: Slice) -> Table:
    """Sales that the primary calculation leaves out, by reason: sums over all runs."""
    found = {
        condition: [run.facts.excluded for run in part.runs(condition=condition)]
        for condition in part.conditions
    }
    reasons = sorted({reason for runs in found.values() for one in runs for reason in one})
    rows: list[tuple[Cell, ...]] = [
        (
            reason,
            *(
                Estimate(sum(one.get(reason, 0) for one in found[condition]), "count")
                for condition in part.conditions
            ),
        )
        for reason in reasons
    ]
    return Table(
        part.name("earnings-excluded"),
        "Sales that the primary calculation leaves out, all runs",
        columns(("reason", "Reason"), *((one, one) for one in part.conditions)),
        tuple(rows),
        notes=() if rows else ("none was left out",),
    )
