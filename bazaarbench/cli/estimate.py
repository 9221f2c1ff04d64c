"""``bazaarbench estimate``: what an eval will take, before it is started."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Literal

import click

from bazaarbench.cli.base import as_json, print_json

if TYPE_CHECKING:
    from bazaarbench.estimate import Precision, RoleEstimate
    from bazaarbench.evals.estimating import Estimated

_ABOUT = (
    "Calls are counted from the activity draws. Tokens are estimated from the characters of this "
    "market's own prompts (4 a token of text, 3 of JSON); {output} tokens and {seconds:g} s an "
    "answer are assumed. What a judge is sent is scaled from a scripted run. docs/cost.md has the "
    "rest; a run's log has its exact totals."
)


@click.command()
@click.option("-T", "settings", multiple=True, metavar="NAME=VALUE", help="As in inspect eval.")
@click.option("--model", required=True, help="Of inspect eval, or a named model setting.")
@click.option(
    "--model-role",
    "roles",
    multiple=True,
    metavar="ROLE=MODEL",
    help="background=… or judge=…; a model or a named setting.",
)
@click.option(
    "--task",
    type=click.Choice(["continuation", "base_market"]),
    default="continuation",
    show_default=True,
)
@click.option("--epochs", type=click.IntRange(1), default=1, show_default=True)
@click.option(
    "--connections",
    type=click.IntRange(1),
    default=20,
    show_default=True,
    help="To each model at the same time (--max-connections of inspect eval).",
)
@click.option("--output-tokens", type=click.IntRange(1), help="Of one answer, reasoning included.")
@click.option("--seconds", type=click.FloatRange(min=0, min_open=True), help="Of one answer.")
@click.option(
    "--power",
    "difference",
    type=float,
    metavar="DELTA",
    help="Epochs that show a difference of so much between two conditions (0.1: ten points).",
)
@click.option("--measure", metavar="KEY", help="Of which score key; needed by --power.")
@as_json
def estimate(  # noqa: PLR0913, PLR0917 — every option is an argument
    settings: tuple[str, ...],
    model: str,
    roles: tuple[str, ...],
    task: Literal["continuation", "base_market"],
    epochs: int,
    connections: int,
    output_tokens: int | None,
    seconds: float | None,
    difference: float | None,
    measure: str | None,
    json_output: bool,
) -> None:
    """Say what an eval takes before it is started: calls, tokens, money, time, epochs.

    No model is asked. A shipped market that is not there yet is built.
    """
    from bazaarbench.evals.estimating import OUTPUT_TOKENS, SECONDS, Wanted, estimated

    found = estimated(
        Wanted(
            task=task,
            model=model,
            settings=_pairs("-T", settings, parse=True),
            roles=_pairs("--model-role", roles, parse=False),
            epochs=epochs,
            connections=connections,
            output_tokens=output_tokens or OUTPUT_TOKENS,
            seconds=seconds or SECONDS,
            difference=difference,
            measure=measure,
        )
    )
    told = _told(found)
    if json_output:
        print_json(told)
        return
    for line in _lines(found, told):
        click.echo(line)


def _pairs(option: str, given: Iterable[str], *, parse: bool) -> dict[str, Any]:
    import yaml

    told: dict[str, Any] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals:
            raise click.UsageError(f"{option} {text}: write NAME=VALUE.")
        try:
            told[name] = yaml.safe_load(value) if parse else value
        except yaml.YAMLError as error:
            raise click.UsageError(f"{option} {text}: no value of YAML ({error}).") from error
    return told


def _told(found: Estimated) -> dict[str, Any]:
    """Everything as plain JSON; money is ``null`` with the reason where a price is not known."""
    epochs = found.wanted.epochs
    totals: dict[str, dict[str, Any]] = {}
    for sample in found.samples:
        for role in sample.roles:
            totals[role.role] = _sum(totals.get(role.role), _row(role, epochs))
    usd = [row["usd"] for row in totals.values()]
    waits = sum(sample.waves for sample in found.samples) * epochs
    return {
        "samples": [
            {
                "sample": sample.sample,
                "ticks": sample.ticks,
                "scripted_turns": sample.scripted_turns,
                "waits": sample.waves,
                "roles": {role.role: _row(role, 1) for role in sample.roles},
            }
            for sample in found.samples
        ],
        "epochs": epochs,
        "connections": found.wanted.connections,
        "total": {
            "roles": totals,
            "calls": sum(row["calls"] for row in totals.values()),
            "usd": None if None in usd else sum(usd),
            "waits": waits,
            "seconds": waits * found.wanted.seconds,
        },
        "precision": None if found.precision is None else asdict(found.precision),
        "background": found.background,
        "assumed": {
            "output_tokens": found.wanted.output_tokens,
            "seconds": found.wanted.seconds,
            "characters_per_token": {"text": 4, "json": 3},
        },
    }


def _row(role: RoleEstimate, times: int) -> dict[str, Any]:
    tokens = role.tokens.times(times)
    return {
        "model": role.payer.name,
        "calls": role.calls * times,
        "input_tokens": tokens.input,
        "input_tokens_cached": tokens.cached,
        "input_tokens_uncached": tokens.uncached,
        "output_tokens": tokens.output,
        "usd": role.payer.usd(tokens),
        "usd_without_cache": role.payer.usd(tokens, cache=False),
        "usd_unknown": role.payer.unknown,
    }


def _sum(one: dict[str, Any] | None, other: dict[str, Any]) -> dict[str, Any]:
    if one is None:
        return other
    return {
        key: value + other[key] if isinstance(value, int | float) else value
        for key, value in one.items()
    }


def _lines(found: Estimated, told: dict[str, Any]) -> Iterable[str]:
    for sample in told["samples"]:
        yield f"{sample['sample']}: {sample['ticks']} ticks"
        for role, row in sample["roles"].items():
            yield _line(role, row)
        if sample["scripted_turns"]:
            yield f"  {'scripted':11}{sample['scripted_turns']:>9,} turns of {found.background}"
    total, wanted = told["total"], found.wanted
    yield f"\nIn all, {len(told['samples'])} samples × {wanted.epochs} epochs:"
    for role, row in total["roles"].items():
        yield _line(role, row)
    for reason in dict.fromkeys(row["usd_unknown"] for row in total["roles"].values()):
        if reason is not None:
            yield f"  money: {reason}"
    if total["usd"] is not None:
        yield f"  money: ${total['usd']:,.2f}"
    yield (
        f"  time: {_duration(total['seconds'])}, one market after the other, {wanted.connections} "
        f"connections to each model ({total['waits']:,} times a wait of {wanted.seconds:g} s); the "
        "judge comes on top"
    )
    if found.precision is not None:
        yield from _precision_lines(found.precision)
    yield "\n" + _ABOUT.format(output=wanted.output_tokens, seconds=wanted.seconds)


def _line(role: str, row: dict[str, Any]) -> str:
    money = ""
    if row["usd"] is not None:
        money = f"  ${row['usd']:,.2f}"
        if row["usd_without_cache"] > row["usd"]:
            money += f" (${row['usd_without_cache']:,.2f} if nothing is cached)"
    return (
        f"  {role:11}{row['calls']:>9,} calls to {row['model']}: "
        f"{_millions(row['input_tokens_cached'])} cached + "
        f"{_millions(row['input_tokens_uncached'])} new tokens in, "
        f"{_millions(row['output_tokens'])} out{money}"
    )


def _precision_lines(found: Precision) -> Iterable[str]:
    yield (
        f"\n{found.measure}: {found.base:.1%} of {found.members:.0f} {found.of} a run under L1 in "
        f"the study; a difference of {found.difference:+.1%} over {found.pairs} markets"
    )
    yield (
        f"  epochs for 80 % power: at least {_epochs(found.least_epochs)}; "
        f"{_epochs(found.cautious_epochs)} if agents and runs differ as one should be ready for"
    )
    yield (
        f"  with {found.epochs} epochs, by the careful assumption: power {found.power:.0%}, and "
        f"{found.detectable:.1%} is the smallest difference found with 80 %"
    )


def _epochs(number: int | None) -> str:
    return "no number of them (more markets are needed)" if number is None else str(number)


def _millions(tokens: int) -> str:
    return f"{tokens / 1e6:,.2f}M"


def _duration(seconds: float) -> str:
    minutes = round(seconds / 60)
    hours, rest = divmod(minutes, 60)
    return f"about {hours} h {rest:02d} min" if hours else f"about {minutes} min"
