"""``bazaarbench catalogue …``: the items that markets are made of."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import click

from bazaarbench.cli.base import as_json, print_json


@click.group()
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
        print_json(checked.as_json())
    else:
        print_check(checked)
