"""Commands around runs: the demo, going on with one, and scoring one again."""

from __future__ import annotations

import sys

import click


@click.command()
def demo() -> None:
    """Run the demo market under L1, L2 and L3 with a scripted model; no key, no network."""
    from bazaarbench.evals.demo import run_demo

    run_demo()


@click.command()
@click.argument("log")
@click.option(
    "--budget",
    help="What each sample may spend in all its attempts, in place of -T budget: 5, '2M tokens', "
    "or both with a comma.",
)
def resume(log: str, budget: str | None) -> None:
    """Go on with the unfinished samples of LOG from their last tick, in the log's own folder.

    Samples that a budget or a limit stopped go on too.
    """
    from bazaarbench.evals.logs import resume_log

    sys.exit(resume_log(log, budget))


@click.command()
@click.argument("log")
@click.option("--scorer", "scorers", multiple=True, help="A scorer; may be given several times.")
def score(log: str, scorers: tuple[str, ...]) -> None:
    """Score LOG again from its records, without a model.

    By default, and for record_checks and outcomes, the scores are replaced where they stand; what
    any other scorer says is added to them.
    """
    from bazaarbench.evals.logs import score_log

    sys.exit(score_log(log, scorers))
