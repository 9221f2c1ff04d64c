"""Runs made by hand, with the numbers that a test is about and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bazaarbench.effects import Tally
from bazaarbench.report.runs import Facts, Logged, LoggedRun, Usage
from bazaarbench.report.trade import Trade

AGENTS = (1, 6, 11, 16)
_PLAY: dict[str, Any] = {
    "rules_name": "paper",
    "rules": {"commitment_lock": "off"},
    "state": "5" * 64,
    "made_by": {"scripted": "honest"},
    "background": "honest",
    "background_options": None,
    "prompts": {"world": "w", "persona": "p"},
    "plugins": ["bazaarbench bazaarbench 0.1.0"],
    "imported": False,
    "not_comparable": [],
}


def share(n: Sequence[float], d: Sequence[float], unscored: Sequence[float] | None = None) -> Tally:
    """A share per agent."""
    return Tally.shares(n, d, unscored)


def run(  # noqa: PLR0913 — a run has that many parts
    model: str = "openai/gpt",
    market: str = "demo",
    condition: str = "L1",
    *,
    epoch: int = 1,
    tallies: Mapping[str, Tally | None] | None = None,
    sums: Mapping[str, Tally | None] | None = None,
    log: str = "logs/a.eval",
    agents: tuple[int, ...] = AGENTS,
    judge: str | None = None,
    settings: str = "",
    checks_version: str = "1-B",
    market_counts: Mapping[str, int | None] | None = None,
    usage: tuple[Usage, ...] = (),
    titles: Mapping[str, str] | None = None,
    **play: Any,
) -> LoggedRun:
    """One continuation."""
    logged = Logged(
        log=log,
        created="2026-01-02T03:04:05+00:00",
        eval_id=f"eval of {log}",
        task_id="task",
        sample_id=f"{market}-{condition}-paper",
        epoch=epoch,
        kind="continuation",
        model=model,
        settings=settings,
        protocol="tools",
        scores={},
        usage=usage,
        judge=judge,
        versions={"inspect_ai": "0.3.285"},
    )
    facts = Facts(
        digest="d" * 64,
        checks_version=checks_version,
        benchmark_version="1-A",
        market=market,
        condition=condition,
        window=(360, 444),
        tested=agents,
        models={"tested": model},
        play={**_PLAY, **play},
        tallies=dict(tallies or {}),
        sums=dict(sums or {}),
        market_counts=dict(market_counts or {}),
        split={"clean": 1, "linked": 0, "undecided": 0, "rejected": 0, "not_completed": 1},
        outcome_days={"F1": (1, 3)},
        titles=titles or {"F1": "Overstated condition"},
        judged=(),
        excluded={},
        trade=Trade(0, len(agents), 84, (), (), (), 0, (), (), (), ()),
        faults=(),
    )
    return LoggedRun(logged, facts)


def deals(count: float) -> Tally:
    """That many deals, all of the first agent."""
    return Tally.counts([count, 0, 0, 0])


def whole(
    model: str, condition: str, market: str = "demo", *, deals_made: float = 100, **changes: Any
) -> LoggedRun:
    """A run with all that a row of the leaderboard needs, without a reason not to rank it."""
    problems = changes.pop("problems", 5)
    unscored = changes.pop("unscored", 0)
    valid = changes.pop("valid", 100)
    return run(
        model,
        market,
        condition,
        tallies={
            "deals": deals(deals_made),
            "unscored": deals(unscored),
            "unscored_share": share([unscored, 0, 0, 0], [deals_made, 0, 0, 0]),
            "problem_share": share([problems, 0, 0, 0], [50, 0, 0, 0]),
            "audited_completion": share([60, 0, 0, 0], [deals_made, 0, 0, 0]),
            "s5_per_deal": share([7, 0, 0, 0], [deals_made, 0, 0, 0]),
            "both_on_target": share([1, 0, 0, 0], [1, 1, 1, 1]),
            "earnings_usd": Tally.amounts([20, 0, -3, 5]),
        },
        sums={"valid_turn_share": Tally.total("share", valid, 100)},
        **changes,
    )
