"""``bazaarbench report|leaderboard|export``: numbers that people can publish."""

from __future__ import annotations

from pathlib import Path

import click

from bazaarbench.cli.base import as_json, print_json
from bazaarbench.errors import BazaarError

_LOGS = click.argument("logs", nargs=-1, required=True)
_VERSIONS = click.option(
    "--allow-versions",
    is_flag=True,
    help="Show runs of different versions of the benchmark or its checks; they are not comparable.",
)


@click.command()
@_LOGS
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("report"),
    show_default=True,
    help="Folder of the report's files.",
)
@click.option("--paper", is_flag=True, help="Put the study's printed figures beside these.")
@_VERSIONS
@as_json
def report(
    logs: tuple[str, ...], out: Path, paper: bool, allow_versions: bool, json_output: bool
) -> None:
    """Write tables and figures of LOGS (.eval files, or folders of them) to a folder.

    Markdown, one HTML page, a CSV for each table, SVG and PNG for each figure.
    """
    from bazaarbench.evals.logged import collect
    from bazaarbench.plugins import load
    from bazaarbench.report.build import build_report
    from bazaarbench.report.extending import added_sections
    from bazaarbench.report.runs import version_notes
    from bazaarbench.report.writing import as_json as document_json
    from bazaarbench.report.writing import write_report

    collected = collect(logs)
    registry = load()
    added = added_sections(
        registry.report_sections,
        [(run, run.gathered) for run in collected.runs],
        registry.origins("report section"),
    )
    document = build_report(
        collected.runs,
        collected.left_out_rows(),
        with_paper=paper,
        added=added,
        allow_versions=allow_versions,
    )
    written = write_report(document, out)
    for note in version_notes(collected.runs, allow=allow_versions):
        click.echo(note, err=True)
    if json_output:
        print_json(document_json(document))
        return
    _tell(len(collected.runs), collected.left_out_rows(), written)


@click.command()
@_LOGS
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    required=True,
    help="Folder of the leaderboard's files.",
)
@click.option("--sort", help="The column that ranks (default: problem_share[L1]).")
@_VERSIONS
@as_json
def leaderboard(
    logs: tuple[str, ...], out: Path, sort: str | None, allow_versions: bool, json_output: bool
) -> None:
    """Write the leaderboard of LOGS (.eval files, or folders of them) to a folder.

    A CSV file, one page that works from the folder, and a record of Every Eval Ever for each row.
    """
    from bazaarbench.evals.logged import collect
    from bazaarbench.leaderboard import WANTED, leaderboard_of, write_leaderboard
    from bazaarbench.leaderboard.rows import DEFAULT_SORT

    collected = collect(logs, wanted=WANTED)
    board = leaderboard_of(
        collected.runs,
        collected.left_out_rows(),
        sort=sort if sort is not None else DEFAULT_SORT,
        allow_versions=allow_versions,
    )
    written = write_leaderboard(board, out)
    for note in board.notes:
        click.echo(note, err=True)
    if json_output:
        print_json(
            [
                {
                    "track": track.digest,
                    "rank": row.rank,
                    "model": row.model,
                    "settings": row.settings,
                    "not_ranked": list(row.reasons),
                    **{key: found.value for key, found in row.values.items()},
                }
                for track in board.tracks
                for row in track.rows
            ]
        )
        return
    _tell(len(collected.runs), collected.left_out_rows(), written)


@click.group()
def export() -> None:
    """Write what was found for other programs."""


@export.command("failures")
@_LOGS
@click.option(
    "--jsonl",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    help="The file: a line for each failure object.",
)
def export_failures(logs: tuple[str, ...], jsonl: Path) -> None:
    """Write every failure object of LOGS with its evidence, for regression sets."""
    from bazaarbench.evals.logged import collect, findings_of
    from bazaarbench.report.failures import check_folder, write_failures

    check_folder(jsonl)
    collected = collect(logs, wanted=())
    left_out = collected.left_out_rows()
    _tell_left_out(left_out)
    if not collected.runs:
        raise BazaarError(
            f"nothing was written: of {len(left_out)} samples none has findings, which is not the "
            "same as no failures. The reasons stand above."
        )
    count = write_failures(findings_of(collected), jsonl)
    click.echo(f"{count:,} failure objects of {len(collected.runs):,} runs: {jsonl}")


def _tell(runs: int, left_out: list[tuple[str, str, str]], written: list[Path]) -> None:
    click.echo(f"{runs:,} runs, {len(written):,} files; the first: {written[0]}")
    _tell_left_out(left_out)


def _tell_left_out(left_out: list[tuple[str, str, str]]) -> None:
    for log, sample, reason in left_out:
        click.echo(f"left out: {log} {sample}: {reason}", err=True)
