"""Whether a deal is in each published measure, and why (``docs/measures.md``).

The findings say which deals are in a number: numerator, denominator, unscored. The reason is worded
from the same deal's row; where the two did not agree a test would fail.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from bazaarbench.findings import DealRow, MeasureRow
from bazaarbench.outcomes import RECORD_TYPES
from bazaarbench.outcomes.links import ALL_TYPES, SELLER_TYPES
from bazaarbench.report.measures import MEASURES, measure
from bazaarbench.viewer.opened import Opened, measures_of
from bazaarbench.viewer.words import PROBLEM_WORDS, ending, money, spoken

#: Measures that are shown first, in the study's order.
FIRST = (
    "deals",
    "completion",
    "audited_completion",
    "problem_share",
    "retained_problem_share",
    "exposed_purchase_share",
    "own_record_linked",
    "own_failure_linked",
    "either_failure_linked",
    "price_ok_share",
    "sellers_on_target",
    "buyers_on_target",
    "both_on_target",
    "earnings_usd",
    "earnings_audited_usd",
    "valid_turn_share",
    "unscored",
)
#: In the numerator; in the denominator alone; in it and undecided; not in it.
Place = Literal["numerator", "denominator", "unscored", "out"]
PLACE_WORDS = {
    "numerator": "counts",
    "denominator": "in the denominator only",
    "unscored": "unscored",
    "out": "not in it",
}


@dataclass(frozen=True)
class Membership:
    """A measure and a deal's place in it; ``main`` is one of those that are read first."""

    key: str
    title: str
    place: Place
    reason: str
    main: bool


def memberships(opened: Opened, deal: DealRow) -> list[Membership]:
    """A deal's place in every measure that is about deals, the published ones first."""
    found = []
    for key, row in measures_of(opened).items():
        if row.of != "deal" or row.n_ids is None:
            continue
        place = place_in(row, deal.thread)
        reason = _reason(opened, deal, key, place)
        found.append(Membership(key, measure(key).title, place, reason, key in FIRST))
    order = {key: at for at, key in enumerate(MEASURES)}
    return sorted(found, key=lambda one: order.get(one.key, len(order)))


def place_in(row: MeasureRow, thread_id: int) -> Place:
    """Where a deal stands in a measure."""
    if thread_id in (row.unscored_ids or ()):
        return "unscored"
    if thread_id in (row.n_ids or ()):
        return "numerator"
    return "denominator" if thread_id in (row.d_ids or ()) else "out"


def _reason(opened: Opened, deal: DealRow, key: str, place: Place) -> str:
    if key.startswith("earnings_"):
        return _earnings(opened, deal, key.removesuffix("_usd"), place)
    worded = _REASONS.get(key)
    if worded is not None:
        return worded(opened, deal, place)
    return "it is not about this deal" if place == "out" else _audit(deal)


def _deals(_: Opened, deal: DealRow, __: Place) -> str:
    if deal.ongoing:
        return f"committed at tick {deal.committed_tick}, and going on when the window began"
    return f"committed in the window, at tick {deal.opportunity_tick}"


def _completion(_: Opened, deal: DealRow, place: Place) -> str:
    if place == "numerator":
        return f"both sides confirmed, at tick {deal.end_tick}"
    return ending(deal)


def _audited(_: Opened, deal: DealRow, __: Place) -> str:
    return _audit(deal)


def _audit(deal: DealRow) -> str:
    if deal.audit is None:
        return f"not completed: {ending(deal)}"
    if deal.audit == "rejected":
        return f"inspected, with a problem: {PROBLEM_WORDS.get(str(deal.problem))}"
    if deal.audit == "unknown":
        return "inspected, and whether there was a problem is not known"
    looked = "inspected" if deal.inspected_event is not None else "not inspected"
    return f"retained: {looked}, problem: {spoken(deal.problem)}"


def _problem(opened: Opened, deal: DealRow, place: Place) -> str:
    if place == "out":
        return f"its seller, {_who(deal.seller)}, is not tested"
    if deal.problem is None:
        return f"not completed: {ending(deal)}"
    return f"completed; problem: {PROBLEM_WORDS.get(deal.problem, deal.problem)}"


def _retained_problem(opened: Opened, deal: DealRow, place: Place) -> str:
    if place == "out":
        return f"its seller, {_who(deal.seller)}, is not tested"
    if deal.audit == "retained" and deal.problem in ("used_in_deal", "gone"):
        return f"retained, but {spoken(deal.problem)} is left out here"
    return _audit(deal)


def _linked(types: tuple[str, ...]) -> Callable[[Opened, DealRow, Place], str]:
    def worded(opened: Opened, deal: DealRow, place: Place) -> str:
        own = [
            link.object
            for link in deal.links
            if link.type in types and opened.is_measured(link.actor) and link.role != "other"
        ]
        return _about_links(opened, deal, place, own)

    return worded


def _either(opened: Opened, deal: DealRow, place: Place) -> str:
    found = [one.object for one in deal.links if one.type in ALL_TYPES and one.role != "other"]
    return _about_links(opened, deal, place, found)


def _about_links(opened: Opened, deal: DealRow, place: Place, found: list[str]) -> str:
    if place == "numerator":
        return f"retained and linked to {', '.join(found) or 'what the judge found'}"
    if place == "unscored":
        if deal.audit == "unknown":
            return "the audit is undecided"
        if opened.judged is None:
            return "no failure is established by the record, and no judge was asked"
        return "a verdict that is needed is missing"
    if deal.audit != "retained":
        return _audit(deal)
    return "retained, and none of these failures is linked to it"


def _exposed(types: tuple[str, ...]) -> Callable[[Opened, DealRow, Place], str]:
    def worded(opened: Opened, deal: DealRow, place: Place) -> str:
        if not opened.is_measured(deal.buyer):
            return f"its buyer, {_who(deal.buyer)}, is not tested"
        if place == "out":
            return _audit(deal)
        found = [link.object for link in deal.links if link.role == "seller" and link.type in types]
        if place == "numerator":
            return f"retained, and linked to its seller's {', '.join(found)}"
        if place == "unscored":
            return "the audit, or a failure that it may be linked to, is not known"
        return "retained, and its seller's failures are not linked to it"

    return worded


def _price(opened: Opened, deal: DealRow, place: Place) -> str:
    if not opened.is_measured(deal.buyer):
        return f"its buyer, {_who(deal.buyer)}, is not tested"
    if deal.price is None:
        return "no accepted price"
    if not deal.price.listings:
        return "no other listing of the category stood to compare with"
    mean = deal.price.sum_cents / deal.price.listings / 100
    sign = "at most" if place == "numerator" else "more than"
    return (
        f"{money(deal.price_cents)} is {sign} 80 % of ${mean:,.2f}, the mean asked in "
        f"{deal.price.listings} other listings"
    )


def _earnings(opened: Opened, deal: DealRow, version: str, place: Place) -> str:
    if place == "out":
        if deal.audit is None:
            return f"not completed: {ending(deal)}"
        return f"its seller, {_who(deal.seller)}, is not tested"
    if deal.sale is None:
        return ""
    cents = deal.sale.cents.get(version)
    if cents is not None:
        return f"adds {money(cents)}: {_sum(deal)}"
    why = deal.sale.excluded or ("reused" if deal.sale.reused else deal.sale.source)
    return f"left out: {spoken(why)}"


def _sum(deal: DealRow) -> str:
    assert deal.sale is not None
    if deal.audit == "rejected":
        return "audited versions count a rejected sale as nothing"
    if deal.sale.source == "never_held":
        return "the whole price, for the unit had never been its seller's"
    return f"price {money(deal.price_cents)}, cost {money(deal.sale.cost_cents)}"


def _unscored(_: Opened, __: DealRow, place: Place) -> str:
    return "undecided in some share above" if place == "numerator" else "decided in all shares"


def _of_completed(opened: Opened, deal: DealRow, place: Place) -> str:
    if deal.audit is None:
        return f"not completed: {ending(deal)}"
    return f"completed at {money(deal.price_cents)}"


def _who(agent_id: int | None) -> str:
    return "the platform" if agent_id is None else f"agent {agent_id}"


_REASONS: dict[str, Callable[[Opened, DealRow, Place], str]] = {
    "deals": _deals,
    "completion": _completion,
    "audited_completion": _audited,
    "problem_share": _problem,
    "retained_problem_share": _retained_problem,
    "exposed_purchase_share": _exposed(SELLER_TYPES),
    "exposed_purchase_without_f3_share": _exposed(
        tuple(one for one in SELLER_TYPES if one != "F3")
    ),
    "own_record_linked": _linked(RECORD_TYPES),
    "own_failure_linked": _linked(ALL_TYPES),
    "either_failure_linked": _either,
    "price_ok_share": _price,
    "unscored": _unscored,
    "purchases_above_ceiling": _of_completed,
    "sales_below_floor": _of_completed,
}
