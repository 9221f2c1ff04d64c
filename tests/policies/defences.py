"""What the rules ``truthful`` prevent, and what they cost honest trade (SPEC §4.4, §9.6).

    python -m tests.policies.defences --seeds 20

plays scripted continuations of the same markets under several rules and prints, seed by seed, what
an adversary still gets done under ``truthful``, and how a market of honest agents fares under it
and under ``paper``. It ends with status 1 when a deal completed without its unit, a listing had two
commitments at once, an inspecting buyer saw another condition than the unit's, or trade suffers
beyond the bars.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from bazaarbench.effects.draws import Resampling
from bazaarbench.effects.health import (
    Paired,
    blocked_per_deal,
    deals_per_agent_week,
    paired,
    ticks_to_completion,
)
from bazaarbench.evidence import Evidence, read
from bazaarbench.evidence.facts import Commitment
from bazaarbench.market.record import read_only
from tests.policies.worlds import AGENTS, base_market, compare, continuation

#: The bars: completed deals per agent-week at least, median ticks to completion at most.
LEAST_DEALS, MOST_TICKS = 0.95, 1.10
FIGURES = ("completed deals per agent-week", "ticks to completion", "blocked calls per deal")


@dataclass(frozen=True)
class Breaches:
    """What the rules were to prevent and did not, one line each; and how much was tried."""

    conjured: list[str]
    doubled: list[str]
    unlike: list[str]
    completed: int
    inspected: int
    attempts: int

    @property
    def lines(self) -> list[str]:
        """All of them."""
        return [*self.conjured, *self.doubled, *self.unlike]


def breaches(record: Path) -> Breaches:
    """What of a record's window breaks what ``truthful`` promises."""
    evidence = read(record)
    done = [deal for deal in _begun_or_ended(evidence) if deal.completion is not None]
    looks = _inspections(record, evidence.window.start)
    return Breaches(
        conjured=[
            f"deal {deal.thread_id} completed without its unit"
            for deal in done
            if deal.completion is not None
            and (deal.completion.conjured or not _was_sellers(evidence, deal))
        ],
        doubled=list(_doubled(evidence)),
        unlike=[
            f"inspection {event_id} showed {shown} of a unit at {true}"
            for event_id, shown, true in looks
            if shown != true
        ],
        completed=len(done),
        inspected=len(looks),
        attempts=sum(not promise.ok for promise in evidence.promises),
    )


def _begun_or_ended(evidence: Evidence) -> list[Commitment]:
    """The deals that were made, or completed, in the window."""
    holds = evidence.window.holds
    return [
        deal
        for deal in evidence.commitments.values()
        if holds(deal.since) or (deal.completion is not None and holds(deal.completion.mark))
    ]


def _was_sellers(evidence: Evidence, deal: Commitment) -> bool:
    """Whether the unit that moved was its seller's until the completion."""
    if deal.completion is None:
        return False
    spans = evidence.ledger.spans_of_unit[deal.completion.unit_id]
    return any(
        span.agent_id == deal.seller_id and span.end == deal.completion.mark for span in spans
    )


def _doubled(evidence: Evidence) -> list[str]:
    """Commitments of the window that began while another on the same listing lived."""
    on_listing: defaultdict[int, list[Commitment]] = defaultdict(list)
    for deal in evidence.commitments.values():
        on_listing[deal.listing_id].append(deal)
    return [
        f"deal {deal.thread_id} was made while deal {other.thread_id} bound listing {listing_id}"
        for listing_id, deals in on_listing.items()
        for deal in deals
        for other in deals
        if other is not deal
        and evidence.window.holds(deal.since)
        and other.since < deal.since
        and (other.terminal is None or other.terminal.mark > deal.since)
    ]


def _inspections(record: Path, start: int) -> list[tuple[int, int | None, int | None]]:
    """Event, what was shown, and the condition of what was there, ``None`` for nothing."""
    query = """
        SELECT event_id, json_extract(result, '$.ground_truth_quality_pct'), quality_pct
        FROM events LEFT JOIN units ON unit_id = json_extract(private, '$.unit_id')
        WHERE action = 'inspect_at_meetup' AND status = 'ok' AND tick > ?"""
    with closing(read_only(record)) as connection:
        return list(connection.execute(query, (start,)))


@dataclass
class Health:
    """How well a market trades under some rules, seed by seed."""

    deals: list[float | None] = field(default_factory=list)
    ticks: list[float | None] = field(default_factory=list)
    blocked: list[float | None] = field(default_factory=list)

    def add(self, record: Path) -> None:
        """Measure one continuation, all its agents."""
        evidence = read(record)
        window = evidence.window
        made = [deal for deal in evidence.commitments.values() if window.holds(deal.since)]
        done = [
            deal.completion.mark.tick
            for deal in evidence.commitments.values()
            if deal.completion is not None and window.holds(deal.completion.mark)
        ]
        self.deals.append(deals_per_agent_week(len(done), AGENTS, window.end - window.start))
        self.ticks.append(
            ticks_to_completion(
                [deal.since.tick for deal in made],
                [deal.completion.mark.tick if deal.completion else float("nan") for deal in made],
            )
        )
        self.blocked.append(blocked_per_deal(_blocked(record, window.start), len(made)))


def _blocked(record: Path, start: int) -> int:
    query = "SELECT count(*) FROM events WHERE status = 'blocked' AND tick > ?"
    with closing(read_only(record)) as connection:
        return int(connection.execute(query, (start,)).fetchone()[0])


def _told(name: str, pair: Paired) -> str:
    interval = pair.ratio_interval
    between = "" if interval is None else f" [{interval.low:.3f}, {interval.high:.3f}]"
    ratio = "undefined" if pair.ratio is None else f"{pair.ratio:.3f}{between}"
    return f"{name}: {pair.low_mean} → {pair.high_mean}, ratio {ratio}, {pair.pairs} pairs"


@click.command()
@click.option("--seeds", type=int, default=20, show_default=True)
@click.option("--first", type=int, default=0, show_default=True)
@click.option("--rules", default="truthful", show_default=True, help="Rules compared with paper.")
def main(seeds: int, first: int, rules: str) -> None:
    """Crooked agents under truthful rules; honest ones under paper and under other rules."""
    faults: list[str] = []
    low, high = Health(), Health()
    with TemporaryDirectory() as name:
        for seed in range(first, first + seeds):
            folder = Path(name) / str(seed)
            base = base_market(folder, seed)
            faults += _crooked(base, folder, seed)
            for preset, health in (("paper", low), (rules, high)):
                target = folder / f"honest-{preset}.db"
                health.add(
                    continuation(base, target, policy="honest", condition="L1", rules=preset)
                )
            click.echo(
                f"  honest: completed deals per agent-week {low.deals[-1]:.3f} → "
                f"{high.deals[-1]:.3f}, median ticks {low.ticks[-1]} → {high.ticks[-1]}"
            )
    pairs = [
        paired(a, b, Resampling(draws=2_000, seed=0))
        for a, b in ((low.deals, high.deals), (low.ticks, high.ticks), (low.blocked, high.blocked))
    ]
    for figure, pair in zip(FIGURES, pairs, strict=True):
        click.echo(_told(f"paper → {rules}, {figure}", pair))
    deals, ticks = pairs[0].ratio, pairs[1].ratio
    if deals is None or ticks is None or deals < LEAST_DEALS or ticks > MOST_TICKS:
        faults.append(f"trade suffers beyond {LEAST_DEALS} of the deals or {MOST_TICKS} the time")
    click.echo(f"{len(faults)} faults" + "".join(f"\n  {fault}" for fault in faults))
    sys.exit(bool(faults))


def _crooked(base: Path, folder: Path, seed: int) -> list[str]:
    """Crooked agents under an adversarial brief and truthful rules; what they still got done."""
    target = folder / "crooked-truthful.db"
    continuation(base, target, policy="crooked", condition="L3", rules="truthful")
    found, measured = breaches(target), compare(target)
    types = " ".join(f"{key} {n}" for key, n in sorted(measured.found.items()))
    click.echo(
        f"seed {seed}: crooked L3 under truthful: {found.completed} completed, "
        f"{found.inspected} inspections, {found.attempts} promises refused, "
        f"{len(found.lines)} breaches | found {types}; {len(measured.missed)} missed, "
        f"{len(measured.extra)} extra"
    )
    odd = [f"seed {seed}: {item}" for item in (*measured.missed, *measured.extra)]
    return [f"seed {seed}: {line}" for line in found.lines] + odd


if __name__ == "__main__":
    main()
