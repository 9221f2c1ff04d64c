"""The demo: a scripted model trades in the demo market under L1, L2 and L3, with no key at all.

It goes the whole way of a real run: saved state, Inspect's model path, record, scorers, findings.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalLog, EvalSample
from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.progress import Progress
from rich.table import Table
from rich.text import Text

from bazaarbench import findings, saved_states
from bazaarbench.errors import BazaarError
from bazaarbench.evals.solver import MarketRun
from bazaarbench.evidence import Evidence, read
from bazaarbench.failures.base import FailureObject, FailureType
from bazaarbench.findings import DealRow, Findings, MeasureRow, ObjectRow
from bazaarbench.outcomes.problems import PROBLEMS
from bazaarbench.plugins import load as load_plugins
from bazaarbench.report.story import tell_deal

MARKET = "demo"
MODEL = "bazaarbench/crooked"
#: Measures of the result table and how they are called there.
_MEASURES = {
    "deals": "deals",
    "completion": "completed",
    "problem_share": "problem at completion",
    "valid_turn_share": "valid turns",
}


_PROBLEM_WORDS = {
    "never_held": "the seller never held what it sold",
    "used_in_deal": "the item had already been sold to somebody else",
    "gone": "the item had already left the market",
    "overstated": "the item was worse than its stated condition",
}


def run_demo(log_dir: str | None = None) -> None:
    """Run the demo and print what came of it.

    Args:
        log_dir: where the log goes; ``INSPECT_LOG_DIR``, else ``logs``, by default.

    Raises:
        BazaarError: the run did not succeed; the log says why.
    """
    console = Console()
    _build(console)
    folder = log_dir or os.environ.get("INSPECT_LOG_DIR", "logs")
    console.print(
        f"Playing seven days under L1, L2 and L3: {MODEL} for 20 agents, scripts for the other 80."
    )
    with console.status("three markets of 84 ticks, about half a minute"):
        (log,) = inspect_eval(
            "bazaarbench/continuation",
            model=MODEL,
            task_args={"market": MARKET, "condition": "all"},
            log_dir=folder,
            display="none",
        )
    samples = log.samples or []
    if log.status != "success" or any(sample.error for sample in samples):
        raise BazaarError(
            f"the demo's run ended with status {log.status}; 'inspect view' shows why: "
            f"{log.location}"
        )
    records = [_record(sample) for sample in samples]
    measured = [findings.load(findings.findings_path(path)) for path in records]
    console.print()
    console.print(_table(measured))
    _tell_one(console, measured, records)
    _where(console, log, records)


def _build(console: Console) -> None:
    console.print(f"The market {MARKET!r} is built on first use: 100 agents, 30 scripted days.")
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(f"building the market {MARKET!r} (once)", total=None)
        saved_states.resolve(
            MARKET, progress=lambda done, total: bar.update(task, completed=done, total=total)
        )


def _record(sample: EvalSample) -> Path:
    """Where the log says that a sample's record lies; the store of a log is plain JSON."""
    name = MarketRun.__name__
    return Path(sample.store[f"{name}:published"] or sample.store[f"{name}:location"])


def _table(measured: Sequence[Findings]) -> Table:
    table = Table(
        title=f"{MODEL} in the market {MARKET!r}",
        title_justify="left",
        caption="F rows: failures at S2 attempted · S3 reached others · S4 acted upon · S5 outcome",
        caption_justify="left",
    )
    table.add_column("measure")
    for found in measured:
        table.add_column(str(found.condition), justify="right")
    for key, title in _MEASURES.items():
        table.add_row(title, *(_shown(found.measures[key]) for found in measured))
    for key, kind in measured[0].types.items():
        if kind.decided_by == "judge":
            continue  # nobody is asked to judge in the demo
        ladders = [" · ".join(_count(found, key, s) for s in kind.stages) for found in measured]
        table.add_row(escape(f"{key} {kind.title.lower()}"), *ladders)
    return table


def _shown(measure: MeasureRow) -> str:
    if measure.value is None:
        return f"undefined ({measure.reason})"
    if measure.d is None:
        return f"{measure.value:g}"
    unscored = f" +{measure.unscored} unscored" if measure.unscored else ""
    return f"{100 * measure.value:.1f} % {measure.n}/{measure.d}{unscored}"


def _count(found: Findings, key: str, stage: str) -> str:
    value = found.scores["record_checks"][f"{key}_{stage}"]
    return "?" if value is None else f"{value:g}"


def _tell_one(console: Console, measured: Sequence[Findings], records: Sequence[Path]) -> None:
    """The last condition's first completed deal of a tested seller that was a problem."""
    for found, path in reversed(list(zip(measured, records, strict=True))):
        deal = _failing(found)
        if deal is None:
            continue
        evidence = read(path)
        objects = sound_objects(found, evidence, load_plugins().failure_types)
        console.print(
            f"\nOne failing deal under {found.condition}: {_PROBLEM_WORDS[str(deal.problem)]}.\n"
        )
        for line in tell_deal(evidence, deal.thread, objects).split("\n"):
            indent = len(line) - len(line.lstrip())
            console.print(
                Padding(Text(line.strip()), (0, 0, 0, indent)), markup=False, highlight=False
            )
        return
    console.print("\nNo completed deal of a tested seller was a problem.")


def sound_objects(
    found: Findings, evidence: Evidence, failure_types: Mapping[str, FailureType]
) -> list[FailureObject]:
    """The objects of every type that had no fault when the record was measured."""
    return [
        item
        for key, kind in failure_types.items()
        if found.types[key].decided_by == "record" and found.types[key].fault is None
        for item in kind.objects(evidence)
    ]


def _failing(found: Findings) -> DealRow | None:
    concerned = {thread for item in _objects(found) for thread in item.threads}
    failing = [
        deal for deal in found.deals if deal.seller in found.tested and deal.problem in PROBLEMS
    ]
    # Rather one that harms somebody who is not tested, and that a failure object explains.
    failing.sort(key=lambda deal: (deal.buyer in found.tested, deal.thread not in concerned))
    return next(iter(failing), None)


def _objects(found: Findings) -> Iterable[ObjectRow]:
    return (item for kind in found.types.values() for item in kind.objects)


def _where(console: Console, log: EvalLog, records: Sequence[Path]) -> None:
    lines = [f"\nLog      {log.location}"]
    lines += [f"Record   {path}" for path in records]
    inspect = Path(sys.executable).with_name("inspect")
    lines.append(f"Look     {inspect} view --log-dir {Path(log.location).parent}")
    console.print("\n".join(lines), soft_wrap=True, highlight=False, markup=False)
