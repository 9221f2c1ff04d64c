"""``bazaarbench …``: what people do beside ``inspect eval`` and ``inspect score`` (SPEC §2).

Commands are thin: each calls one function of the library, imported when the command runs, and turns
a ``BazaarError`` into its message on standard error and exit code 2.
"""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from bazaarbench import __version__
from bazaarbench.errors import BazaarError

if TYPE_CHECKING:
    from bazaarbench.saved_states import SavedState

START = """
Start here:
  bazaarbench demo                                      three conditions, scripted, offline
  inspect eval bazaarbench/continuation --model bazaarbench/honest -T condition=L2
  inspect eval bazaarbench/continuation --model openai/gpt-5.5 -T condition=all
"""


class _Refusal(click.ClickException):
    """A fault that the user can mend: its message alone, and exit code 2."""

    exit_code = 2


class _Commands(click.Group):
    """A group whose commands may raise ``BazaarError``."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BazaarError as error:
            raise _Refusal(str(error)) from error


as_json = click.option("--json", "json_output", is_flag=True, help="Print JSON.")


@click.group(
    cls=_Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="bazaarbench")
@click.pass_context
def main(ctx: click.Context) -> None:
    """Delegation safety of LLM agents that buy and sell for people.

    Runs are started with `inspect eval`; these commands are for what stands around them.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
        click.echo(START, nl=False)


@main.command()
def demo() -> None:
    """Run the demo market under L1, L2 and L3 with a scripted model; no key, no network."""
    from bazaarbench.evals.demo import run_demo

    run_demo()


@main.command()
@as_json
def plugins(json_output: bool) -> None:
    """List what is loaded, from where, what it registered, and what was refused."""
    from bazaarbench.plugins import load

    registry = load()
    if json_output:
        _print_json(
            {
                "plugins": [dataclasses.asdict(one) for one in registry.plugins],
                "faults": [dataclasses.asdict(one) for one in registry.faults],
                "switched_off": [dataclasses.asdict(one) for one in registry.switched_off],
            }
        )
        return
    for plugin in registry.plugins:
        click.echo(f"{plugin.name}  ({plugin.distribution} {plugin.version})  loaded")
        for thing in plugin.registered or ("nothing",):
            click.echo(f"    {thing}")
    for off in registry.switched_off:
        click.echo(f"{off.name}  ({off.distribution} {off.version})  switched off")
    for fault in registry.faults:
        click.echo(f"{fault.plugin}  ({fault.distribution})  refused")
        click.echo(f"    {fault.where}: {fault.message}")


@main.group()
def market() -> None:
    """Saved states: the markets that continuations start from."""


@market.command("build")
@click.argument("name")
@click.option("--force", is_flag=True, help="Build it again even when it exists.")
@as_json
def market_build(name: str, force: bool, json_output: bool) -> None:
    """Build the shipped market NAME, unless it is there already."""
    from bazaarbench import saved_states

    with _progress(f"building {name}") as progress:
        state = saved_states.build(name, force=force, progress=progress)
    if json_output:
        _print_json(_state(state))
    else:
        click.echo(f"{state.name}: {state.path}")
        click.echo(f"digest {state.manifest.digest}")


@market.command("list")
@as_json
def market_list(json_output: bool) -> None:
    """List the markets that are built, and the shipped ones that are not yet."""
    from bazaarbench import saved_states

    built = {state.name: state for state in saved_states.list_states()}
    damaged = saved_states.damaged_states()
    names = saved_states.known()
    if json_output:
        _print_json(
            [
                _state(built[name])
                if name in built
                else {"name": name, "built": False}
                | ({"fault": str(damaged[name])} if name in damaged else {})
                for name in names
            ]
        )
        return
    for name in names:
        if name in built:
            manifest = built[name].manifest
            click.echo(
                f"{name:<20} tick {manifest.tick}, {manifest.agents} agents, seed {manifest.seed}, "
                f"digest {manifest.digest[:12]}"
            )
        elif name in damaged:
            click.echo(f"{name:<20} damaged: {damaged[name]}")
        else:
            click.echo(f"{name:<20} not built yet: built on first use")


@market.command("show")
@click.argument("name")
@as_json
def market_show(name: str, json_output: bool) -> None:
    """Show the market NAME (a name or a record's path) with its digest; builds a shipped one."""
    from bazaarbench import saved_states

    with _progress(f"building {name}") as progress:
        state = saved_states.resolve(name, progress=progress)
    if json_output:
        _print_json(_state(state))
    else:
        click.echo(saved_states.show(name))


@main.group()
def catalogue() -> None:
    """Catalogues: the items that markets are made of."""


@catalogue.command("check")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--mode",
    type=click.Choice(["clean", "strict"]),
    default="clean",
    show_default=True,
    help="Repair and leave out what is wrong, or count by the study's rule.",
)
@as_json
def catalogue_check(file: Path, mode: Literal["clean", "strict"], json_output: bool) -> None:
    """Say what FILE (the eBay sample, or a catalogue of ours) holds, and what was left out."""
    from bazaarbench.catalogue.check import check_file, print_check

    checked = check_file(file, mode)
    if json_output:
        _print_json(checked.as_json())
    else:
        print_check(checked)


@main.command()
@click.argument("log")
def resume(log: str) -> None:
    """Go on with the unfinished samples of LOG from their last tick, in the log's own folder."""
    from bazaarbench.evals.logs import resume_log

    sys.exit(resume_log(log))


@main.command()
@click.argument("log")
@click.option("--scorer", "scorers", multiple=True, help="A scorer; may be given several times.")
def score(log: str, scorers: tuple[str, ...]) -> None:
    """Score LOG again from its records, without a model; adds to the scores that it has."""
    from bazaarbench.evals.logs import score_log

    sys.exit(score_log(log, scorers))


def _state(state: SavedState) -> dict[str, Any]:
    return {
        "name": state.name,
        "built": True,
        "path": str(state.path),
        "manifest": state.manifest.model_dump(mode="json"),
    }


def _print_json(value: Any) -> None:
    click.echo(json.dumps(value, indent=2, ensure_ascii=False))


@contextmanager
def _progress(text: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on standard error while a terminal looks on; it leaves no trace."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(text, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
