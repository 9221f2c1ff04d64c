"""``bazaarbench reproduce``: the study's figures from the databases that it released."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bazaarbench.cli.base import as_json, print_json, progress

if TYPE_CHECKING:
    from bazaarbench.reproduce import Line
    from bazaarbench.reproduce.folder import Measured

#: Wide enough for the longest name of a figure beside its numbers, where no terminal wraps it.
_WIDTH = 140


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--work",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where imported records are kept for the next time (default: the data folder).",
)
@click.option("--workers", type=click.IntRange(1), default=1, show_default=True, help="Processes.")
@as_json
def reproduce(folder: Path, work: Path | None, workers: int, json_output: bool) -> None:
    """Import the released databases in FOLDER, measure them, and compare with the paper.

    Prints every published figure with ours and the difference, or with what is missing. Exit code
    1 says that a figure of ours lies outside its tolerance.

    Example: bazaarbench reproduce main_matrix --workers 4
    """
    from bazaarbench import paths
    from bazaarbench.reproduce import Study, compare, measure_folder, published
    from bazaarbench.slug import slug

    place = work or paths.home() / "reproduce" / slug(str(folder.resolve()))
    with progress("importing and measuring") as tell:
        files = measure_folder(folder, place, workers=workers, on_file=tell)
    study = Study(one.cell for one in files if one.cell is not None)
    lines = compare(study, published())
    if json_output:
        print_json({"files": [_file(one) for one in files], "figures": [_row(x) for x in lines]})
    else:
        _tell(files, lines, len(study))
    sys.exit(any(line.verdict == "differs" for line in lines))


def _file(one: Measured) -> dict[str, Any]:
    cell = one.cell
    if cell is None:
        return {"file": str(one.source), "refused": one.refused}
    return {
        "file": str(one.source),
        "market": cell.market,
        "condition": cell.condition,
        "model": cell.model,
        "reported": cell.reported,
    }


def _row(line: Line) -> dict[str, Any]:
    return {
        "key": line.figure.key,
        "unit": line.figure.unit,
        "published": line.figure.value,
        "ours": line.ours,
        "difference": line.difference,
        "tolerance": line.figure.tolerance,
        "verdict": line.verdict,
        "note": line.note,
    }


def _tell(files: list[Measured], lines: list[Line], at_hand: int) -> None:
    from rich.console import Console
    from rich.table import Column, Table

    console = Console()
    longest = None
    if not console.is_terminal:
        console = Console(width=_WIDTH)
        longest = max(len(line.figure.key) for line in lines)
    for one in files:
        cell = one.cell
        if cell is None:
            console.print(f"{one.source}: {one.refused}", markup=False)
        elif not cell.reported:
            console.print(
                f"{one.source}: none of the 48 reported runs (starting market "
                f"{cell.market or 'not known'}, {cell.condition}, model "
                f"{'none' if cell.is_base else cell.model or 'not known'}); left out",
                markup=False,
            )
    # Of figures whose names begin alike, the end is what tells them apart.
    figure = Column("figure", overflow="fold", min_width=longest)
    table = Table(figure, "published", "ours", "difference", "", box=None)
    for line in lines:
        table.add_row(
            line.figure.key,
            _shown(line.figure.value),
            _shown(line.ours),
            "" if line.difference is None else f"{line.difference:+.4g}",
            line.note or line.verdict,
        )
    console.print(table)
    counts = Counter(line.verdict for line in lines)
    console.print(
        f"{at_hand} of 48 runs at hand. {counts['agrees']} figures agree, "
        f"{counts['differs']} differ, {counts['missing']} are missing."
    )


def _shown(value: float | str | None) -> str:
    if value is None:
        return "–"
    return value if isinstance(value, str) else f"{value:.6g}"
