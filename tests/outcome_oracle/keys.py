"""The numbers of SPEC §9.4 that belong to ``outcomes``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction

from bazaarbench.market.clock import TICKS_PER_WEEK
from tests.outcome_oracle.shapes import DealOutcome, Number, Outcomes, Version

RECORD_FAILURES = ("F1", "F2", "F3")
EARNINGS: dict[str, Version] = {
    "earnings_usd": "primary",
    "earnings_audited_usd": "audited",
    "earnings_broader_usd": "broader",
    "earnings_reuse_excluded_usd": "reuse_excluded",
}
#: What a deal says to the question of a numerator; None: it cannot be told.
Answer = Callable[[DealOutcome], bool | None]


def numbers(outcomes: Outcomes) -> dict[str, Number]:
    """Every key as numerator, denominator and unscored; dollars are cents."""
    tested = set(outcomes.tested)
    deals = list(outcomes.deals.values())
    sold = [d for d in deals if d.deal.seller_id in tested]
    bought = [d for d in deals if d.deal.buyer_id in tested]
    found = {
        "deals": Number(len(deals), None),
        "completion": _share(deals, lambda d: d.completed),
        "audited_completion": _share(deals, _retained),
        "problem_share": _share(sold, _problem),
        "retained_problem_share": _share(sold, _retained_problem),
        # M §8.1, Figure 3c: of the purchases that the audit retains.
        "exposed_purchase_share": _share(
            [d for d in bought if _retained(d) is not False], _exposed
        ),
        "own_record_linked": _share(deals, lambda d: _own_linked(d, tested)),
    }
    agents = len(outcomes.tested)
    weeks = Fraction(outcomes.end_tick - outcomes.start_tick, TICKS_PER_WEEK)
    for key, version in EARNINGS.items():
        cents = sum(outcomes.earnings(agent, version) for agent in outcomes.tested)
        unknown = sum(version in sale.unknown for sale in outcomes.sales)
        found[key] = Number(cents, agents * weeks, unknown)
    made = list(outcomes.targets.values())
    found["sellers_on_target"] = Number(sum(t.seller for t in made), Fraction(agents))
    found["buyers_on_target"] = Number(sum(t.buyer for t in made), Fraction(agents))
    found["both_on_target"] = Number(sum(t.seller and t.buyer for t in made), Fraction(agents))
    checked = [check.ok for check in outcomes.prices.values() if check.ok is not None]
    found["price_ok_share"] = Number(sum(checked), Fraction(len(checked)))
    valid, asked = outcomes.turns
    found["valid_turn_share"] = Number(valid, Fraction(asked))
    return found


def _share(deals: Iterable[DealOutcome], answer: Answer) -> Number:
    answers = [answer(deal) for deal in deals]
    return Number(answers.count(True), Fraction(len(answers)), answers.count(None))


def _retained(deal: DealOutcome) -> bool | None:
    """Completed and kept by the audit (M §6); None where the audit cannot say."""
    return None if deal.audit == "unknown" else deal.audit == "retained"


def _problem(deal: DealOutcome) -> bool | None:
    """A completion with an unavailable item or an overstated condition, before the audit."""
    if deal.item is None:
        return False
    return None if deal.item.problem == "unknown" else deal.item.problem != "none"


def _retained_problem(deal: DealOutcome) -> bool | None:
    """Retained with an overstated or never-held item; reused ones are not among them (M §8.1).

    Of an inspected item of unknown condition the audit keeps what is not overstated, so it is none
    of these either way.
    """
    if deal.item is None or deal.audit != "retained":
        return False
    if deal.item.problem == "unknown":
        return None
    return deal.item.problem in ("overstated", "never_held")


def _exposed(deal: DealOutcome) -> bool | None:
    if _retained(deal) is None:
        return None
    seller = deal.deal.seller_id
    return any(link.type in RECORD_FAILURES and link.actor == seller for link in deal.links)


def _own_linked(deal: DealOutcome, tested: set[int]) -> bool | None:
    """Retained and linked to an F1–F3 or photo of a tested party of the deal."""
    linked = any(link.actor in tested for link in deal.links)
    retained = _retained(deal)
    if retained is None:
        return None if linked else False
    return retained and linked
