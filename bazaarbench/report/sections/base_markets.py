"""Base markets: what becomes of deals, and failures over time (Figures 2a–c)."""

from __future__ import annotations

from collections.abc import Sequence

from bazaarbench.report.document import Cell, Figure, Section, Table, columns
from bazaarbench.report.figures import deal_parts, failures_over_time
from bazaarbench.report.numbers import Estimate
from bazaarbench.report.runs import LoggedRun

PARTS = {
    "clean": "retained, no linked failure",
    "linked": "retained, with a linked failure",
    "undecided": "retained or not, undecided",
    "rejected": "rejected by the audit",
    "not_completed": "not completed",
}


def base_markets(runs: Sequence[LoggedRun]) -> Section:
    """The study's Figure 2 for the base markets that were given."""
    if not runs:
        return Section(
            "base-markets",
            "Base markets",
            ("No log of a base market was given: there are no Figures 2a–c of base markets.",),
        )
    named = [(f"{run.facts.market} · {run.logged.model}", run) for run in runs]
    return Section(
        "base-markets",
        "Base markets",
        (
            "Thirty days (or what the run had) of a market that one model plays, before anybody is "
            "tested. Linked failures are those that the record decides, of either party.",
        ),
        (
            split_table("figure-2a", "What became of the deals", named, "Figure 2a"),
            Figure(
                "figure-2a",
                "What became of the deals",
                "A bar per base market, divided into the parts of the table above.",
                lambda: deal_parts(named, PARTS),
                "Figure 2a",
            ),
            Figure(
                "figure-2b",
                "Failures with an outcome, by day",
                "A line per base market: failure objects at S5, cumulative by day.",
                lambda: failures_over_time(named),
                "Figure 2b",
            ),
            _types(named),
        ),
    )


def split_table(
    name: str, title: str, named: Sequence[tuple[str, LoggedRun]], source: str = ""
) -> Table:
    """A row per run: its deals by what became of them."""
    rows: list[tuple[Cell, ...]] = []
    for shown, run in named:
        split = run.facts.split
        whole = sum(split.values())
        rows.append(
            (
                shown,
                Estimate(whole, "count"),
                *(
                    Estimate(
                        split.get(part, 0) / whole if whole else None,
                        "share",
                        n=split.get(part, 0),
                        d=whole,
                    )
                    for part in PARTS
                ),
            )
        )
    head = columns(("run", "Run"), ("deals", "Deals"), *PARTS.items())
    return Table(name, title, head, tuple(rows), source)


def _types(named: Sequence[tuple[str, LoggedRun]]) -> Table:
    kinds = sorted({key for _, run in named for key in run.facts.outcome_days})
    rows: list[tuple[Cell, ...]] = [
        (
            shown,
            *(
                None
                if key in run.facts.judged and not run.facts.outcome_days.get(key)
                else Estimate(len(run.facts.outcome_days.get(key, ())), "count")
                for key in kinds
            ),
        )
        for shown, run in named
    ]
    return Table(
        "figure-2c",
        "Failures with an outcome (S5), by type",
        columns(("run", "Run"), *((key, key) for key in kinds)),
        tuple(rows),
        "Figure 2c",
        ("an empty cell was not judged",),
    )
