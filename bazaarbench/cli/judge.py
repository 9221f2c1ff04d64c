"""``bazaarbench judge …``: how good a judge is (SPEC §8.6, ``docs/judge.md``)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
import yaml

from bazaarbench.cli.base import as_json, print_json

if TYPE_CHECKING:
    from bazaarbench.evals.judging_calibration import Asked
    from bazaarbench.judge.store import Spending

F = TypeVar("F", bound=Callable[..., Any])
_FILE = click.Path(path_type=Path, exists=True, dir_okay=False)


@click.group()
def judge() -> None:
    """Calibration of the judge: samples to label, agreement, comparisons, import."""


def _asking(command: F) -> F:
    """The options by which a model is asked."""
    for option in (
        click.option("--budget", help="US dollars (5) or tokens ('2M tokens')."),
        click.option(
            "--option",
            "options",
            multiple=True,
            metavar="NAME=VALUE",
            help="An option of Inspect's generate, such as reasoning_effort=low.",
        ),
    ):
        command = option(command)
    return command


def _asked(model: str, options: tuple[str, ...], budget: str | None) -> Asked:
    from bazaarbench.evals.judging_calibration import Asked

    told: dict[str, Any] = {}
    for option in options:
        name, equals, value = option.partition("=")
        if not equals:
            raise click.UsageError(f"--option {option}: write NAME=VALUE.")
        told[name] = yaml.safe_load(value)
    return Asked(model, told, budget)


@judge.command("sample")
@click.argument("logs", nargs=-1, required=True)
@click.option("--out", type=click.Path(path_type=Path), required=True, help="A new folder.")
@click.option("-n", "--count", default=100, show_default=True, type=click.IntRange(1))
@click.option("--seed", default=0, show_default=True)
@click.option("--type", "types", multiple=True, help="Only these types of failure.")
@as_json
def sample(
    logs: tuple[str, ...],
    out: Path,
    count: int,
    seed: int,
    types: tuple[str, ...],
    json_output: bool,
) -> None:
    """Draw bundles of LOGS (logs or records) for people to label: blind and stratified.

    Writes bundles.jsonl, labels.csv, the offline page label.html, and key.jsonl, which labellers
    must not see.
    """
    from bazaarbench.evals.judging_calibration import draw_sample
    from bazaarbench.judge.calibration_sampling import SHARES

    chosen = draw_sample(logs, count=count, seed=seed, folder=out, types=types or None)
    drawn = [{"id": one.name, "type": one.type, "stratum": one.stratum} for one in chosen]
    if json_output:
        print_json(drawn)
        return
    click.echo(f"{len(chosen)} bundles in {out}: open label.html, or fill in labels.csv")
    counts = Counter((one.type, one.stratum) for one in chosen)
    click.echo(f"  {'type':<12}" + "".join(f"{name:>8}" for name, _ in SHARES))
    for key in sorted({key for key, _ in counts}):
        click.echo(f"  {key:<12}" + "".join(f"{counts[key, name]:>8}" for name, _ in SHARES))


@judge.command("agreement")
@click.option("--model", help="Who judges now; the scripted judge is bazaarbench/judge-rules.")
@click.option("--bundles", type=_FILE, help="Items to judge; by default the set that ships.")
@click.option("--labels", type=_FILE, help="Labels, as CSV or JSON Lines.")
@click.option("--key", type=_FILE, help="Compare with what the judge said of a drawn sample.")
@_asking
@as_json
def agreement(
    model: str | None,
    bundles: Path | None,
    labels: Path | None,
    key: Path | None,
    options: tuple[str, ...],
    budget: str | None,
    json_output: bool,
) -> None:
    """Compare a judge with labels, by type and stage.

    Either --model judges labelled bundles now, or --labels and --key say what was labelled and what
    had been judged. The set that ships was labelled by one model from the rubric alone, not by
    people.
    """
    from bazaarbench.evals.judging_calibration import agreement_of, agreement_with_key
    from bazaarbench.judge.agreement import as_json as row_as_json
    from bazaarbench.judge.agreement import as_text

    if (model is None) == (key is None) or (key is not None and labels is None):
        raise click.UsageError("give --model, or --labels with --key.")
    from bazaarbench.judge.verdicts import why_unscored

    spending, missing = None, []
    if key is not None and labels is not None:
        rows = agreement_with_key(labels, key)
    else:
        rows, judging = agreement_of(_asked(str(model), options, budget), bundles, labels)
        spending, missing = judging.now, why_unscored(judging.verdicts)
    if json_output:
        print_json({"judge": model, "label": _label(model), "rows": [*map(row_as_json, rows)]})
        return
    if model is not None and bundles is None and labels is None:
        missing = ["Labels: the set that ships, by one model and not by people", *missing]
    _head(model, spending, missing)
    click.echo(as_text(rows))


@judge.command("compare")
@click.argument("logs", nargs=-1)
@click.option("--model", required=True, help="Who judges.")
@click.option("-n", "--count", default=200, show_default=True, type=click.IntRange(1))
@click.option("--seed", default=0, show_default=True)
@click.option("--injections", is_flag=True, help="The injections that ship, instead of LOGS.")
@_asking
@as_json
def compare(  # noqa: PLR0913, PLR0917 — each is an option
    logs: tuple[str, ...],
    model: str,
    count: int,
    seed: int,
    injections: bool,
    options: tuple[str, ...],
    budget: str | None,
    json_output: bool,
) -> None:
    """Judge the same bundles in two ways and report the flips by type, with intervals.

    Of LOGS (logs or records): blind, and not blind. With --injections: without, and with words to
    the judge planted in the evidence.
    """
    from bazaarbench.evals.judging_calibration import compare_blindness, compare_injections
    from bazaarbench.judge.calibration_compare import as_json as rows_as_json
    from bazaarbench.judge.calibration_compare import as_text

    if bool(logs) == injections:
        raise click.UsageError("give LOGS, or --injections.")
    asked = _asked(model, options, budget)
    found = (
        compare_injections(asked)
        if injections
        else compare_blindness(logs, asked, count=count, seed=seed)
    )
    if json_output:
        print_json(
            {
                "judge": model,
                "label": _label(model),
                "first": found.first,
                "second": found.second,
                "pairs": found.items,
                "rows": rows_as_json(found.rows),
            }
        )
        return
    _head(model, found.spending, found.unscored)
    click.echo(as_text(found.rows, found.first, found.second))


@judge.command("import")
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--out", type=click.Path(path_type=Path), help="Write the verdicts, as JSON Lines.")
@as_json
def import_(folder: Path, out: Path | None, json_output: bool) -> None:
    """Read the study's released judge files in FOLDER, check them, and count what they say."""
    from bazaarbench.judge.calibration_import import import_folder

    found = import_folder(folder)
    if out is not None:
        found.write(out)
    if json_output:
        print_json(found.as_json())
    else:
        click.echo(found.as_text())


def _label(model: str | None) -> str | None:
    from bazaarbench.judge.scripted import SCRIPTED_JUDGE, SCRIPTED_LABEL

    return SCRIPTED_LABEL if model == SCRIPTED_JUDGE else None


def _head(model: str | None, spending: Spending | None, missing: Iterable[str]) -> None:
    if model is None:
        return
    label = _label(model)
    click.echo(f"Judge: {model}" + (f"\n  {label}" if label else ""))
    if spending is not None:
        cost = "unknown price" if spending.cost_usd is None else f"${spending.cost_usd:,.2f}"
        tokens = spending.tokens.get("total_tokens", 0)
        click.echo(f"{spending.asks} requests, {tokens:,} tokens, {cost}")
    for line in missing:
        click.echo(line)
    click.echo()
