"""``bazaarbench explain``: why a deal, a failure or a number is what it is."""

from __future__ import annotations

from pathlib import Path

import click

from bazaarbench.cli.base import as_json, print_json
from bazaarbench.errors import SettingError


@click.command()
@click.argument("source", metavar="RECORD|LOG")
@click.option("--deal", type=int, metavar="N", help="A deal, by the id of its thread.")
@click.option("--object", "object_id", metavar="ID", help="A failure, such as F1:listing:12.")
@click.option("--measure", metavar="KEY", help="A number, such as audited_completion or F2_S4.")
@click.option("--sample", metavar="ID", help="Which sample of LOG, if it has several.")
@click.option("--epoch", type=click.IntRange(1), help="Which epoch of the sample, likewise.")
@as_json
def explain(
    source: str,
    deal: int | None,
    object_id: str | None,
    measure: str | None,
    sample: str | None,
    epoch: int | None,
    json_output: bool,
) -> None:
    """Say why a deal or a failure is what it is, or what a number is made of.

    Every sentence names its events, with ticks and ids, and the section of its rule. What stands in
    a number's numerator, denominator and unscored set is named.

    \b
    Examples:
      bazaarbench explain logs/records/…/demo-l3-paper-1.db --deal 812
      bazaarbench explain RUN.eval --sample demo-L3-paper --object F1:listing:40
      bazaarbench explain states/demo.db --measure audited_completion
    """  # noqa: D301 — Click wants the character itself
    if [deal, object_id, measure].count(None) != 2:
        raise SettingError("give one of --deal N, --object ID and --measure KEY.")
    from bazaarbench import explain as pages

    material = pages.gather(_record(source, sample, epoch))
    if deal is not None:
        page = pages.explain_deal(material, deal)
    elif object_id is not None:
        page = pages.explain_object(material, object_id)
    else:
        page = pages.explain_measure(material, str(measure))
    if json_output:
        print_json(pages.as_json(page))
    else:
        click.echo(pages.as_text(page))


def _record(source: str, sample: str | None, epoch: int | None) -> Path:
    if source.endswith(".db"):
        if sample is not None or epoch is not None:
            raise SettingError(f"{source} is a record: --sample and --epoch are for logs.")
        return Path(source)
    from bazaarbench.evals.explaining import record_of_sample

    return record_of_sample(source, sample, epoch)
