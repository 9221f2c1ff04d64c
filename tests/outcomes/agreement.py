"""The findings' outcomes against an independent slow reading of the same record.

``tests.outcome_oracle`` was written from the specification alone. Run as a program it compares as
many stress markets and scripted base markets (each with fifteen weeks) as one likes, and counts
what they held:

    python -m tests.outcomes.agreement --markets 200 --seeds 2
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from bazaarbench.failures.builtin import FAILURE_TYPES
from bazaarbench.findings import DealRow, Findings, build
from tests.oracle.agreement import UNIT
from tests.outcome_oracle.oracle import run
from tests.outcome_oracle.shapes import DealOutcome, Number, Outcomes, Version
from tests.outcome_oracle.subjects import scripted_days, stress

#: The oracle's names for what the findings call otherwise.
VERSIONS: dict[Version, str] = {
    "primary": "earnings",
    "owned": "earnings_owned",
    "never_held": "earnings_never_held",
    "audited": "earnings_audited",
    "broader": "earnings_broader",
    "broader_audited": "earnings_broader_audited",
    "reuse_excluded": "earnings_reuse_excluded",
    "no_threshold": "earnings_no_threshold",
}
PARTS = {
    "retained_linked": "linked",
    "retained_unlinked": "clean",
    "rejected": "rejected",
    "not_completed": "not_completed",
    "unknown": "undecided",
}
DELIVERY = {
    "proof": "proof",
    "meetup_on_time": "meetup",
    "shipment_arrived": "shipment",
    "unknown": "none",
}
REASONS = {"reused": "used_in_deal"}
#: The deadlines in ticks: a shorter window has nobody to share here, and everybody there.
DEADLINES = {"sellers_on_target": 60, "buyers_on_target": 36, "both_on_target": 60}


def differences(path: Path) -> list[str]:
    """Everything about which the two disagree, one line each."""
    oracle, findings = run(path), build(path, FAILURE_TYPES)
    found = [f"oracle: {warning}" for warning in oracle.warnings]
    found += list(_numbers(oracle, findings))
    rows = {row.thread: row for row in findings.deals}
    if rows.keys() != oracle.deals.keys():
        found.append(f"deals: oracle {sorted(oracle.deals)}, got {sorted(rows)}")
    parts = {thread: part for part, threads in findings.split.items() for thread in threads}
    for thread in sorted(rows.keys() & oracle.deals.keys()):
        wanted = _of_oracle(oracle.deals[thread], oracle)
        got = _of_row(rows[thread], findings) | {"part": parts[thread]}
        found += [
            f"deal {thread}: {name}: oracle {wanted[name]}, got {got[name]}"
            for name in wanted
            if wanted[name] != got[name]
        ]
    for agent in findings.agents:
        theirs = oracle.targets[agent.agent]
        pair = (agent.sales, agent.revenue_cents, agent.purchases)
        if pair != (theirs.sales, theirs.revenue_cents, theirs.purchases):
            found.append(f"agent {agent.agent}: oracle {theirs}, got {pair}")
    return [f"{path.stem}: {line}" for line in found]


def _numbers(oracle: Outcomes, findings: Findings) -> Iterator[str]:
    length = oracle.end_tick - oracle.start_tick
    for key, number in oracle.numbers.items():
        if length < DEADLINES.get(key, 0):
            continue
        row = findings.measures[key]
        if key.endswith("_usd"):
            wanted: Any = (_dollars(number), number.unscored)
            got: Any = (row.value, row.unscored)
        elif number.denominator is None:
            wanted, got = number.numerator, row.n
        else:
            wanted = (number.numerator, number.denominator, number.unscored)
            got = (row.n, row.d, row.unscored)
        if wanted != got:
            yield f"{key}: oracle {wanted}, got {got}"


def _dollars(number: Number) -> float | None:
    value = number.value
    return None if value is None else float(value / 100)


def _of_oracle(one: DealOutcome, oracle: Outcomes) -> dict[str, Any]:
    sale, price = one.sale, oracle.prices.get(one.deal.thread_id)
    return {
        "price": one.price_cents,
        "asking": one.asking_cents,
        "delivery": one.basis and DELIVERY[one.basis],
        "inspection": one.inspection and tuple(one.inspection),
        "shown": one.inspected_pct,
        "problem": one.item and one.item.problem,
        "audit": one.audit,
        "links": sorted((link.type, UNIT.sub("F3:", link.key), link.actor) for link in one.links),
        "part": PARTS[one.part],
        "excluded": sale and REASONS.get(str(sale.excluded), sale.excluded),
        "cents": sale and {name: sale.cents.get(key, 0) for key, name in VERSIONS.items()},
        "compared": price and (price.others, price.sum_cents, price.ok),
    }


def _of_row(row: DealRow, findings: Findings) -> dict[str, Any]:
    measured = {agent.agent for agent in findings.agents}
    sale = row.sale if row.seller in measured else None
    price = row.price if row.buyer in measured else None
    looked = row.inspected_tick is not None
    return {
        "price": row.price_cents,
        "asking": row.asking_cents,
        "delivery": row.delivery,
        "inspection": (row.inspected_tick, row.inspected_event) if looked else None,
        "shown": row.inspected_pct,
        "problem": row.problem,
        "audit": row.audit,
        "links": sorted(
            (link.type, UNIT.sub("F3:", link.object), link.actor)
            for link in row.links
            if link.role != "other"
        ),
        "excluded": sale and sale.excluded,
        "cents": sale and {name: sale.cents[name] or 0 for name in VERSIONS.values()},
        "compared": price and (price.listings, price.sum_cents, price.ok),
    }


def _held(path: Path) -> Counter[str]:
    """What a record held, so that an agreement about nothing is seen."""
    oracle = run(path)
    held = Counter(records=1, deals=len(oracle.deals), sales=len(oracle.sales))
    for one in oracle.deals.values():
        held[f"part {one.part}"] += 1
        held["links"] += len(one.links)
        if one.item is not None:
            held[f"problem {one.item.problem}"] += 1
    return held + Counter({f"excluded {name}": count for name, count in oracle.excluded().items()})


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--markets", type=int, default=50)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--seeds", type=int, default=0, help="scripted base markets")
    options = parser.parse_args(argv)
    found: list[str] = []
    held: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        seeds = range(options.first, options.first + options.markets)
        scripted = scripted_days(Path(folder), range(options.seeds))
        for subject in chain(stress(Path(folder), seeds), scripted):
            found += differences(subject.path)
            held += _held(subject.path)
    for line in found:
        print(line)
    for name, count in sorted(held.items()):
        print(f"{count:8,} {name}")
    print(f"{held['records']} records, {len(found)} differences")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
