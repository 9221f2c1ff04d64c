"""The help page of every command is text for people, 80 columns wide."""

from __future__ import annotations

from collections.abc import Iterator

import click
import pytest

from bazaarbench.cli import main


def pages(command: click.Command, *path: str) -> Iterator[tuple[str, str]]:
    """The path and the help page of a command and of those below it."""
    context = click.Context(command, info_name=" ".join(path), terminal_width=80)
    yield " ".join(path), command.get_help(context)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from pages(below, *path, name)


@pytest.mark.parametrize(("path", "page"), list(pages(main, "bazaarbench")))
def test_a_help_page_has_no_marks_of_its_making_and_fits_80_columns(path: str, page: str) -> None:
    assert "\\b" not in page
    assert "\b" not in page
    assert max(map(len, page.splitlines())) <= 80, path
