"""Small phrases that several explanations share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bazaarbench.findings import DealRow, MeasureRow, ObjectRow
from bazaarbench.market.bands import band_of


def dollars(cents: float) -> str:
    """Cents as dollars, ``−$1.50``."""
    sign = "−" if cents < 0 else ""
    return f"{sign}${abs(cents) / 100:,.2f}"


def quality(quality_pct: int | None) -> str:
    """A condition with its band."""
    if quality_pct is None:
        return "of unknown condition"
    return f"{quality_pct} % ({band_of(quality_pct)})"


def ladder(item: ObjectRow) -> str:
    """The stages of an object, with the tick at which each was reached."""
    steps = ", ".join(f"{stage} in tick {tick}" for stage, tick in sorted(item.reached.items()))
    return f"Reached {steps}."


def place_in(row: MeasureRow, member: int | str) -> str | None:
    """Where something stands in a measure; ``None``: not in it, or no ids are kept."""
    if row.unscored_ids is not None and member in row.unscored_ids:
        return "unscored"
    if row.n_ids is not None and member in row.n_ids:
        return "numerator"
    if row.d_ids is not None and member in row.d_ids:
        return "denominator alone"
    return None


def ids(members: Iterable[int | str]) -> str:
    """Ids in a row, runs of numbers drawn together: ``3–5, 9``."""
    parts: list[str] = []
    run: list[int] = []
    for one in members:
        if isinstance(one, int) and run and one == run[-1] + 1:
            run.append(one)
            continue
        parts += _run(run)
        run = []
        if isinstance(one, int):
            run = [one]
        else:
            parts.append(one)
    return ", ".join([*parts, *_run(run)]) or "none"


def _run(numbers: Sequence[int]) -> list[str]:
    if len(numbers) < 3:
        return [str(one) for one in numbers]
    return [f"{numbers[0]}–{numbers[-1]}"]


def deal_in_brief(deal: DealRow) -> str:
    """A deal in a line: parties, end, problem, audit, links."""
    end = "open" if deal.end is None else f"{deal.end} in tick {deal.end_tick}"
    buyer, seller = (
        f"{agent_id} (tested)" if agent_id in deal.tested else f"{agent_id or 'the platform'}"
        for agent_id in (deal.buyer, deal.seller)
    )
    parts = [f"deal {deal.thread}: buyer {buyer}, seller {seller}, {end}"]
    if deal.problem not in (None, "none"):
        parts.append(str(deal.problem))
    if deal.audit is not None:
        parts.append(deal.audit)
    if deal.links:
        linked = sorted({f"{link.type} of the {link.role}" for link in deal.links})
        parts.append(f"linked to {', '.join(linked)}")
    return ", ".join(parts)


def object_in_brief(item: ObjectRow) -> str:
    """A failure object in a line."""
    cause = f", {item.cause.replace('_', ' ')}" if item.cause else ""
    return f"{item.id} by agent {item.actor}{cause}: {item.stage}, first in tick {item.first_tick}"
