"""``bazaarbench …``: what people do beside ``inspect eval`` and ``inspect score`` (SPEC §2).

One module for each group of commands. Commands are thin: each calls one function of the library,
imported when the command runs, and a ``BazaarError`` becomes its message on standard error and exit
code 2.
"""

from __future__ import annotations

import click

from bazaarbench import __version__
from bazaarbench.cli import (
    catalogue,
    estimate,
    explain,
    judge,
    market,
    models,
    plugins,
    publish,
    regrade,
    replay,
    reproduce,
    runs,
    view,
)
from bazaarbench.cli.base import Commands

START = """
Start here:
  bazaarbench demo                                      three conditions, scripted, offline
  inspect eval bazaarbench/continuation --model bazaarbench/honest -T condition=L2
  inspect eval bazaarbench/continuation --model openai/gpt-5.5 -T condition=all
"""


@click.group(
    cls=Commands,
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


for command in (
    runs.demo,
    plugins.plugins,
    models.models,
    market.market,
    catalogue.catalogue,
    estimate.estimate,
    runs.resume,
    runs.score,
    regrade.regrade,
    replay.replay,
    explain.explain,
    view.view,
    publish.report,
    publish.leaderboard,
    publish.export,
    reproduce.reproduce,
    judge.judge,
):
    main.add_command(command)
