"""What every command has: errors for people, JSON for machines, progress for the impatient."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click

from bazaarbench.errors import BazaarError


class Refusal(click.ClickException):
    """A fault that the user can mend: its message alone, and exit code 2."""

    exit_code = 2


class Commands(click.Group):
    """A group whose commands may raise ``BazaarError``."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; a ``BazaarError`` becomes its message."""
        try:
            return super().invoke(ctx)
        except BazaarError as error:
            raise Refusal(str(error)) from error


as_json = click.option("--json", "json_output", is_flag=True, help="Print JSON.")


def print_json(value: Any) -> None:
    """Print a value for a machine."""
    click.echo(json.dumps(value, indent=2, ensure_ascii=False))


@contextmanager
def progress(text: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on standard error while a terminal looks on; it leaves no trace.

    Gives what is told (done, of how many); until then the bar only says that it is alive.
    """
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(text, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
