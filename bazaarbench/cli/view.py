"""Looking at runs deal by deal: ``bazaarbench view`` (SPEC §11.1)."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bazaarbench.cli.base import progress
from bazaarbench.errors import SettingError

if TYPE_CHECKING:
    from bazaarbench.viewer.site import Site

#: Where ``inspect view`` runs unless it is told otherwise.
INSPECT_VIEW = "http://127.0.0.1:7575"
HOST = "127.0.0.1"


@click.command()
@click.argument("logs", nargs=-1, required=True)
@click.option("--port", default=7576, show_default=True, type=click.IntRange(0, 65535))
@click.option(
    "--export",
    "folder",
    type=click.Path(path_type=Path),
    help="Write the pages into this folder instead of serving them.",
)
@click.option(
    "--inspect-view",
    "inspect_view",
    default=INSPECT_VIEW,
    show_default=True,
    help="Where Inspect View runs, for links into it; an empty text leaves them out.",
)
def view(logs: tuple[str, ...], port: int, folder: Path | None, inspect_view: str) -> None:
    """Show the evidence behind every number of LOGS: logs, folders of logs, or records (.db).

    Records are only read. The server answers to this machine alone.
    """
    from bazaarbench.evals.viewed import Viewed
    from bazaarbench.viewer.site import Site

    if inspect_view and not inspect_view.startswith(("http://", "https://")):
        raise SettingError(
            f"--inspect-view {inspect_view!r} is no address: it begins with http:// or https://."
        )
    site = Site(Viewed(logs), inspect_view or None, exported=folder is not None)
    found = site.found()
    if not found.runs:
        why = "".join(f"\n  {where}: {reason}" for where, reason in found.left_out)
        raise SettingError(f"there is no run to show in {', '.join(logs)}.{why}")
    if folder is not None:
        _export(site, folder)
    else:
        _serve(site, port, len(found.runs))


def _export(site: Site, folder: Path) -> None:
    from bazaarbench.viewer.export import export

    with progress("Writing pages") as told:
        written = export(site, folder, told)
    for path, why in written.troubles:
        click.echo(f"{path}: {why}", err=True)
    click.echo(
        f"{written.files} files, {written.bytes / 1_000_000:.1f} MB. Open {folder / 'index.html'}"
    )


def _serve(site: Site, port: int, runs: int) -> None:
    import socket

    import uvicorn

    from bazaarbench.viewer.app import application

    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, port))
    except OSError as error:
        listening.close()
        raise SettingError(
            f"port {port} cannot be used ({error.strerror}). Name another with --port, or 0 for "
            "any that is free."
        ) from error
    address = f"http://{HOST}:{listening.getsockname()[1]}/"
    click.echo(f"{runs} run{'' if runs == 1 else 's'} at {address}  (Ctrl+C to end)")
    config = uvicorn.Config(application(site), log_level="warning", server_header=False)
    # Ctrl+C is how it ends; uvicorn has closed everything by then.
    with suppress(KeyboardInterrupt):
        uvicorn.Server(config).run(sockets=[listening])
