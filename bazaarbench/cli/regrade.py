"""``bazaarbench regrade``: stored records and logs measured again, without a model."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from bazaarbench.cli.base import as_json, print_json, progress

if TYPE_CHECKING:
    from bazaarbench.regrade import Regraded

#: How many changed keys are named.
_NAMED = 6


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="RECORD|LOG|FOLDER…")
@click.option(
    "--workers",
    type=click.IntRange(1),
    help="Processes, each with one record (default: as many as processors, if that pays).",
)
@as_json
def regrade(paths: tuple[str, ...], workers: int | None, json_output: bool) -> None:
    """Measure records, or the records of logs, again under the current checks. No model is asked.

    Findings are written beside the records. In logs the scores record_checks and outcomes and their
    metrics are replaced where they stand; every other scorer's stay as they are. Measuring twice
    leaves the same bytes. A log of which one record cannot be measured is left as it was. Exit code
    1 says that something could not be measured.

    \b
    Examples:
      bazaarbench regrade logs
      bazaarbench regrade logs/2026-….eval
      bazaarbench regrade states/demo.db --json
    """  # noqa: D301 — Click wants the character itself
    from bazaarbench.evals.regrading import regrade as measure_again
    from bazaarbench.versions import CHECKS_VERSION

    with progress("measuring") as tell:
        done = measure_again(paths, workers=workers, on_done=tell)
    if json_output:
        print_json({"checks_version": CHECKS_VERSION, "measured": [asdict(one) for one in done]})
    else:
        for one in done:
            click.echo(told(one))
    sys.exit(any(one.refused for one in done))


def told(one: Regraded) -> str:
    """What became of a record or a log, in a line."""
    from bazaarbench.versions import CHECKS_VERSION

    if one.refused is not None:
        return f"{one.path}: left as it was. {one.refused}"
    records = "" if one.path.endswith(".db") else f", {one.records} records"
    if one.was is None:
        return f"{one.path}: measured for the first time, checks {CHECKS_VERSION}{records}"
    named = ", ".join(one.changed[:_NAMED])
    more = f" and {len(one.changed) - _NAMED} more" if len(one.changed) > _NAMED else ""
    changed = f"; changed: {named}{more}" if one.changed else "; no number changed"
    was = "as before" if one.was == CHECKS_VERSION else f"was {one.was}"
    return f"{one.path}: checks {CHECKS_VERSION} ({was}){records}{changed}"
