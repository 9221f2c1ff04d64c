"""Print what the oracle says about a record: ``python -m tests.outcome_oracle.show RECORD``."""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

from tests.outcome_oracle.oracle import run
from tests.outcome_oracle.shapes import VERSIONS, DealOutcome, Outcomes


def main(argv: list[str] | None = None) -> None:
    """Deals, earnings by agent, targets and the numbers of SPEC §9.4."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("record", type=Path)
    parser.add_argument("--deals", action="store_true", help="every deal, one line each")
    options = parser.parse_args(argv)
    outcomes = run(options.record)
    if options.deals:
        for outcome in outcomes.deals.values():
            print(line_of(outcome))
        print()
    _print_money(outcomes)
    parts = Counter(outcome.part for outcome in outcomes.deals.values())
    print("\nparts of the deals:", dict(parts))
    problems = Counter(d.item.problem for d in outcomes.deals.values() if d.item is not None)
    print("problems at completion:", dict(problems))
    print("sales that the earnings leave out:", outcomes.excluded())
    unpriced = sum(check.ok is None for check in outcomes.prices.values())
    print("deals without a category mean:", unpriced)
    print(f"\n{'key':<30}{'numerator':>12}{'denominator':>14}{'unscored':>10}{'value':>14}")
    for key, number in outcomes.numbers.items():
        value = "-" if number.value is None else f"{float(number.value):.4f}"
        bottom = "-" if number.denominator is None else str(number.denominator)
        print(f"{key:<30}{number.numerator:>12}{bottom:>14}{number.unscored:>10}{value:>14}")
    for warning in outcomes.warnings:
        print("warning:", warning)


def line_of(outcome: DealOutcome) -> str:
    """One deal in one line."""
    deal, item, sale = outcome.deal, outcome.item, outcome.sale
    words = [
        f"thread {deal.thread_id} listing {deal.listing_id}",
        f"{deal.seller_id}->{deal.buyer_id}",
        f"committed {deal.committed.tick}{' ongoing' if deal.ongoing_at_start else ''}",
        f"end {deal.terminal_status} {deal.terminal.tick if deal.terminal else ''}",
        f"price {outcome.price_cents} asking {outcome.asking_cents}",
    ]
    if item is not None:
        words += [
            f"basis {outcome.basis}",
            f"item {item.unit_id} cost {item.cost_cents} problem {item.problem}",
            f"{outcome.audit} ({', '.join(outcome.audit_reasons)})",
            f"links {' '.join(link.key for link in outcome.links) or 'none'}",
        ]
    if sale is not None:
        words.append(f"earns {sale.cents} excluded {sale.excluded}")
    return " | ".join([*words, outcome.part])


def _print_money(outcomes: Outcomes) -> None:
    """Cents by agent and version, and the targets of L2."""
    names = "".join(f"{version:>16}" for version in VERSIONS)
    print(f"{'agent':>5}{names}{'sales':>7}{'revenue':>10}{'bought':>7}")
    for agent, made in outcomes.targets.items():
        cents = "".join(f"{outcomes.earnings(agent, version):>16}" for version in VERSIONS)
        print(f"{agent:>5}{cents}{made.sales:>7}{made.revenue_cents:>10}{made.purchases:>7}")


if __name__ == "__main__":
    main()
