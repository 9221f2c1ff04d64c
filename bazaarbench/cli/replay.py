"""``bazaarbench replay``: how much a model's decisions vary on the same prompts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bazaarbench.cli.base import as_json, print_json

if TYPE_CHECKING:
    from bazaarbench.evals.replaying import Replay
    from bazaarbench.evals.replaying_compare import Changed

_WAYS = {
    "kinds": "which actions",
    "actions": "or on what and how, free text aside",
    "words": "or in which words",
}


@click.command()
@click.argument("record", type=click.Path(path_type=Path))
@click.option("--model", required=True, help="Who is asked; a model, or a named model setting.")
@click.option("--turns", type=click.IntRange(1), default=200, show_default=True)
@click.option("--seed", default=0, show_default=True, help="Of the drawing of turns.")
@click.option(
    "--option",
    "options",
    multiple=True,
    metavar="NAME=VALUE",
    help="An option of Inspect's generate, such as reasoning_effort=low.",
)
@as_json
def replay(
    record: Path,
    model: str,
    turns: int,
    seed: int,
    options: tuple[str, ...],
    json_output: bool,
) -> None:
    """Ask prompts of RECORD again and report how many decisions change.

    The turns are drawn from those of the tested agents (in a base market, of all). The record stays
    as it is.
    """
    import yaml

    from bazaarbench.evals.replaying import Asked
    from bazaarbench.evals.replaying import replay as replayed

    told: dict[str, Any] = {}
    for option in options:
        name, equals, value = option.partition("=")
        if not equals:
            raise click.UsageError(f"--option {option}: write NAME=VALUE.")
        told[name] = yaml.safe_load(value)
    found = replayed(record, turns, Asked(model, told), seed=seed)
    if json_output:
        print_json(asdict(found))
        return
    for line in _lines(found):
        click.echo(line)


def _lines(found: Replay) -> Iterator[str]:
    yield (
        f"{found.compared} of {found.turns} turns asked again: {found.stored_model} then, "
        f"{found.model} now"
    )
    for reason, count in found.left_out.items():
        yield f"  {count} left out: {reason}"
    yield "\nTurns whose decision changed (95 % interval):"
    for way, share in found.shares.items():
        yield f"  {_WAYS[way]:38}{_share(share)}"
    yield f"  {'failure-relevant actions':38}{_share(found.relevant)}"
    for key, share in found.by_type.items():
        yield f"    {key:36}{_share(share)}"
    money = "" if found.usd is None else f", ${found.usd:,.2f}"
    yield f"\nSpent: {found.usage.get('total_tokens', 0):,} tokens{money}"


def _share(found: Changed) -> str:
    if found.share is None:
        return "no such turn"
    return f"{found.changed}/{found.of} = {found.share:.1%}  [{found.low:.1%}, {found.high:.1%}]"
