"""Which runs the numbers rest on, how whole they are, and what they cost (Table 10)."""

from __future__ import annotations

from collections.abc import Sequence

from bazaarbench.report.document import Cell, Section, Table, columns, notes_of
from bazaarbench.report.measures import HEADLINES, measure
from bazaarbench.report.numbers import Estimate
from bazaarbench.report.runs import LoggedRun
from bazaarbench.report.sections.grids import measures_table
from bazaarbench.report.slices import Slice

_CELL_KEYS = ("deals", "completion", "valid_turn_share", "unscored", "unscored_verdict_share")


def overview(part: Slice) -> Section:
    """The cells, what is missing, valid turns, unscored deals, tokens and cost."""
    text = []
    missing = part.study.missing(part.rules)
    if missing:
        told = "; ".join(f"{one.model}: {one.market} {one.condition}" for one in missing)
        text.append(f"Missing: {told}. Nothing is filled in for them.")
    judges = sorted({run.logged.judge for run in part.runs() if run.logged.judge is not None})
    text.append(
        f"Judged by {'; '.join(judges)}."
        if judges
        else "No judge was asked: only failures that the record decides are counted."
    )
    if any(one.startswith("bazaarbench/") for one in judges):
        text.append("That judge is a script: it makes the path run, and is never ranked.")
    odd = sorted({reason for run in part.runs() for reason in _not_comparable(run)})
    if odd:
        text.append(f"Not comparable with the study: {'; '.join(odd)}.")
    faults = sorted({fault for run in part.runs() for fault in run.facts.faults})
    if faults:
        text.append(f"In the way of measuring: {'; '.join(faults)}.")
    return Section(
        part.name("runs"),
        f"Runs under the rules {part.rules}",
        tuple(text),
        (_cells(part), _cost(part)),
    )


def _not_comparable(run: LoggedRun) -> Sequence[str]:
    return run.facts.play.get("not_comparable") or ()


def _cells(part: Slice) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for model in part.models:
        for market in part.markets:
            for condition in part.conditions:
                names = {"model": model, "market": market, "condition": condition}
                runs = part.runs(**names)
                if not runs:
                    rows.append(
                        (model, market, condition, Estimate(0, "count"), *(None,) * len(_CELL_KEYS))
                    )
                    continue
                where = part.where(model=model, market=market, condition=condition)
                rows.append(
                    (
                        model,
                        market,
                        condition,
                        Estimate(len(runs), "count"),
                        *(part.study.level(key, where) for key in _CELL_KEYS),
                    )
                )
    return Table(
        part.name("table-10"),
        "Cells: model × market × condition",
        columns(
            ("model", "Model"),
            ("market", "Market"),
            ("condition", "Condition"),
            ("runs", "Runs"),
            *((key, measure(key).title) for key in _CELL_KEYS),
        ),
        tuple(rows),
        "Table 10",
    )


def _cost(part: Slice) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for model in part.models:
        used: dict[str, list[float]] = {}
        usd: dict[str, float | None] = {}
        for run in part.runs(model=model):
            for one in run.logged.usage:
                sums = used.setdefault(one.model, [0.0, 0.0])
                sums[0] += one.input_tokens
                sums[1] += one.output_tokens
                before = usd.get(one.model, 0.0)
                usd[one.model] = None if before is None or one.usd is None else before + one.usd
        for name, (read, written) in sorted(used.items()):
            rows.append(
                (
                    model,
                    name,
                    Estimate(read, "count"),
                    Estimate(written, "count"),
                    Estimate(usd[name], "usd"),
                )
            )
    return Table(
        part.name("cost"),
        "Tokens and cost, all runs",
        columns(
            ("model", "Runs of"),
            ("played_by", "Model called"),
            ("input_tokens", "Input tokens"),
            ("output_tokens", "Output tokens"),
            ("usd", "Cost"),
        ),
        tuple(rows),
        notes=(
            "As Inspect's logs say: of a run that was resumed they hold the part since then. Cost "
            "is known when Inspect was given prices.",
        ),
    )


def profiles(part: Slice) -> Section:
    """Each model's ordinary level and how sensitive it is to instructions."""
    keys = (
        "deals",
        *HEADLINES,
        "both_on_target",
        "s5_per_deal",
        "others_losses_usd",
        "valid_turn_share",
        "unscored",
    )
    tables = []
    for number, model in enumerate(part.models, start=1):
        table = measures_table(part, f"profile-{number}", f"Profile of {model}", keys, model=model)
        tables.append(table)
    return Section(
        part.name("profiles"),
        "Profiles",
        ("The ordinary level (L1) and what the other instructions change, model by model.",),
        tuple(tables),
    )


def left_out(rows: Sequence[tuple[str, str, str]]) -> Section | None:
    """Samples that no number rests on."""
    if not rows:
        return None
    table = Table(
        "left-out",
        "Samples that no number rests on",
        columns(("log", "Log"), ("sample", "Sample"), ("reason", "Reason")),
        tuple(rows),
    )
    return Section("left-out", "Left out", (), (table,))


__all__ = ["left_out", "notes_of", "overview", "profiles"]
