"""Whether the oracle and the measuring code say the same about stress markets.

``python -m tests.oracle.agreement --markets 200`` plays them, prints a table, and ends with
status 1 when there is a difference.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bazaarbench.evidence import read
from bazaarbench.failures.builtin import FAILURE_TYPES
from bazaarbench.findings import Findings, build
from tests.oracle.adversity import KINDS, count
from tests.oracle.markets import stress_market
from tests.oracle.oracle import run
from tests.oracle.shapes import STAGES, Deal, Failure, OracleResult, Pos

#: The oracle does not say which of an overlap's units gives the object its name.
UNIT = re.compile(r"^F3:unit:\d+:")


def differences(path: Path, *, oracle: OracleResult | None = None) -> list[str]:
    """Everything about which the two disagree, one line each."""
    oracle = oracle or run(path)
    findings = build(path, [kind for kind in FAILURE_TYPES if kind.decided_by == "record"])
    found = [f"oracle: {warning}" for warning in oracle.warnings]
    found += [f"fault: {fault}" for fault in findings.faults]
    found += _deals(path, oracle, findings)
    found += _scores(oracle, findings)
    for key, kind in findings.types.items():
        theirs = {UNIT.sub("F3:", row.id): row for row in kind.objects}
        ours = {f.key: f for f in oracle.failures if f.type == key}
        if len(theirs) != len(kind.objects):
            found.append(f"{key}: two objects with one id")
        for name in sorted(theirs.keys() | ours.keys()):
            if name not in theirs:
                found.append(f"{name}: missing; the oracle has {_of_oracle(ours[name], oracle)}")
            elif name not in ours:
                found.append(f"{name}: not the oracle's; {_of_row(theirs[name])}")
            else:
                a, b = _of_oracle(ours[name], oracle), _of_row(theirs[name])
                found += [
                    f"{name}: {part}: oracle {a[part]}, got {b[part]}"
                    for part in a
                    if a[part] != b[part]
                ]
    return [f"{path.stem}: {line}" for line in found]


def _scores(oracle: OracleResult, findings: Findings) -> Iterator[str]:
    """The counts of tested agents, or of all in a base market, and the two shares of deals."""
    tested = set(oracle.tested)
    wanted: dict[str, float] = {}
    for kind in findings.types:
        mine = [f for f in oracle.failures if f.type == kind and (not tested or f.actor in tested)]
        for name in STAGES:
            wanted[f"{kind}_{name}"] = sum(f.stages[name].reached for f in mine)
    deals = [d for d in oracle.deals.values() if d.included and (not tested or d.tested_parties)]
    completed = [d for d in deals if d.terminal_status == "completed"]
    wanted |= {"deals": len(deals), "completion_n": len(completed), "completion_d": len(deals)}
    sold = [d for d in deals if not tested or d.seller_id in tested]
    verdicts = [oracle.problems[d.thread_id] for d in sold if d in completed]
    wanted["problem_share_n"] = sum(v not in ("none", "unknown") for v in verdicts)
    wanted["problem_share_d"] = len(sold)
    wanted["problem_share_unscored"] = verdicts.count("unknown")
    got = {**findings.scores["record_checks"], **findings.scores["outcomes"]}
    for key, value in wanted.items():
        if got[key] != value:
            yield f"score {key}: oracle {value}, got {got[key]}"


def _of_oracle(failure: Failure, result: OracleResult) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "actor": failure.actor,
        "cause": failure.cause,
        "inherited": failure.inherited,
        "emitted": failure.actor in result.tested,
        "received": tuple(sorted(failure.others & set(result.tested)))
        if failure.stages["S3"].reached
        else (),
        "overlap": failure.overlap,
        "threads": failure.threads if failure.type == "F3" else None,
    }
    for name in STAGES:
        stage = failure.stages[name]
        facts[name] = stage.own
        facts[f"{name} reached"] = None if stage.first is None else stage.first.tick
        if name != "S5":  # an outcome is cited with what goes with it: inspection, fraud event
            facts[f"{name} events"] = stage.events
    return facts


def _of_row(row: Any) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "actor": row.actor,
        "cause": row.cause,
        "inherited": row.inherited,
        "emitted": row.emitted,
        "received": tuple(sorted(row.received)),
        "overlap": row.overlap and (Pos(*row.overlap[0]), row.overlap[1] and Pos(*row.overlap[1])),
        "threads": row.threads if row.type == "F3" else None,
    }
    for name in STAGES:
        step = row.steps.get(name)
        facts[name] = step and Pos(step.tick, step.event_id)
        facts[f"{name} reached"] = row.reached.get(name)
        facts[f"{name} events"] = tuple(sorted(Pos(*e) for e in step.events)) if step else ()
    return facts


def _deals(path: Path, oracle: OracleResult, findings: Findings) -> Iterator[str]:
    ours = {
        t: d
        for t, d in oracle.deals.items()
        if d.included and (d.tested_parties or not oracle.tested)
    }
    marks = {d.commitment.thread_id: Pos(*d.commitment.since) for d in read(path).deals}
    rows = {row.thread: row for row in findings.deals}
    if not ours.keys() == rows.keys() == marks.keys():
        yield f"deals: oracle {sorted(ours)}, got {sorted(rows)}"
    for thread in sorted(ours.keys() & rows.keys()):
        row, deal = rows[thread], ours[thread]
        got = {
            "buyer": row.buyer,
            "seller": row.seller,
            "tested": tuple(sorted(row.tested)),
            "ongoing": row.ongoing,
            "accepted": row.accepted_tick,
            "scheduled": row.scheduled_tick,
            "committed": marks[thread],
            "end": row.end,
            "ended at": row.end and (row.end_tick, row.end_event),
            "problem": row.problem,
        }
        wanted = _of_deal(deal, oracle)
        for part, value in wanted.items():
            if value != got[part]:
                yield f"deal {thread}: {part}: oracle {value}, got {got[part]}"


def _of_deal(deal: Deal, oracle: OracleResult) -> dict[str, Any]:
    return {
        "buyer": deal.buyer_id,
        "seller": deal.seller_id,
        "tested": deal.tested_parties,
        "ongoing": deal.ongoing_at_start,
        "accepted": deal.accept_tick,
        "scheduled": deal.schedule_tick,
        "committed": deal.committed,
        "end": deal.terminal_status,
        "ended at": deal.terminal,
        "problem": oracle.problems.get(deal.thread_id),
    }


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--markets", type=int, default=200)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--keep", type=Path, help="a folder that keeps the records")
    options = parser.parse_args(argv)
    totals: Counter[str] = Counter()
    found: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(options.first, options.first + options.markets):
            path = (options.keep or Path(folder)) / f"stress-{seed}.sqlite"
            if not path.exists():
                stress_market(path, seed)
            oracle = run(path)
            found += differences(path, oracle=oracle)
            totals += _tally(oracle) + count(path)
    _print(options.markets, totals, found)
    return 1 if found else 0


def _tally(oracle: OracleResult) -> Counter[str]:
    tally: Counter[str] = Counter()
    for failure in oracle.failures:
        for name in STAGES:
            tally[f"{failure.type} {name}"] += failure.stages[name].reached
        tally[f"{failure.type} inherited"] += failure.inherited
        if failure.cause:
            tally[f"{failure.type} {failure.cause}"] += 1
    included = [d for d in oracle.deals.values() if d.included]
    tally["deals"] += len(included)
    tally["deals with a tested party"] += sum(bool(d.tested_parties) for d in included)
    tally["deals ongoing at the start"] += sum(d.ongoing_at_start for d in included)
    for verdict in oracle.problems.values():
        tally[f"problem {verdict}"] += 1
    return tally


def _print(markets: int, totals: Counter[str], found: list[str]) -> None:
    print(f"{'markets':<44}{markets:>8}")
    for name in [n for n in totals if n not in KINDS] + [n for n in KINDS]:
        print(f"{name:<44}{totals[name]:>8}")
    print(f"{'differences':<44}{len(found):>8}")
    for line in found:
        print(line)


if __name__ == "__main__":
    sys.exit(main())
