"""Stories of deals, and what they came to in words.

A story is what agents call (``tests.evidence.acting``: S sells, B, C and D buy; ids count from 1;
a bare number is the tick at which it goes on) and what must be measured afterwards. Each kind of
expectation is a list with a line for each deal that has something to say; a story names only the
kinds that it is about:

``ends``      ``"1 completed 5"``, ``"2 open"``; ``(ongoing)`` behind: begun before the window
``problems``  ``"1 never_held rejected"``: the problem at completion and the audit; ``of 1`` behind
              it: the deal in which the unit had gone
``links``     ``"1 F1 seller listing"``: type, whose failure, what it has in common with the deal
``earns``     ``"1 50.00"``: dollars in the primary calculation; ``"2 - used_in_deal"``: left out
``prices``    ``"1 ok 80.00 of 100.00"``: accepted price and the mean of the others; ``high``, and
              ``"1 nothing to compare"``
``shares``    ``{"completion": "1/2"}``; ``"1/3 (1 open)"`` with one that could not be decided
``dollars``   ``{"earnings_usd": 50.0}``, per measured agent and week
``agents``    ``"1: 3 sales $270.00, 2 purchases"``, of those who have any
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bazaarbench.failures.builtin import FAILURE_TYPES
from bazaarbench.findings import DealRow, Findings, build
from tests.evidence.acting import PLAIN, Scene, World, record_of

KINDS = ("ends", "problems", "links", "earns", "prices", "shares", "dollars", "agents")


@dataclass(frozen=True)
class Story:
    """What happens, and what of it must be measured; ``None``: not what the story is about."""

    what: str
    steps: Sequence[Scene]
    world: World = PLAIN
    ends: Sequence[str] | None = None
    problems: Sequence[str] | None = None
    links: Sequence[str] | None = None
    earns: Sequence[str] | None = None
    prices: Sequence[str] | None = None
    agents: Sequence[str] | None = None
    shares: Mapping[str, str] = field(default_factory=dict)
    dollars: Mapping[str, float | None] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.what


def measured(story: Story, folder: Path) -> Findings:
    """Play a story and measure its record."""
    return build(record_of(folder / "story.db", story.world, story.steps), FAILURE_TYPES)


def told(story: Story, found: Findings) -> dict[str, object]:
    """What the findings say about everything that a story is about."""
    lines = {
        "ends": [_end(deal) for deal in found.deals],
        "problems": [_problem(deal) for deal in found.deals if deal.audit],
        "links": [line for deal in found.deals for line in _links(deal)],
        "earns": [_earned(deal) for deal in found.deals if deal.sale],
        "prices": [_price(deal) for deal in found.deals if deal.price],
        "agents": list(_agents(found)),
    }
    said: dict[str, object] = {
        kind: lines[kind] for kind in lines if getattr(story, kind) is not None
    }
    said["shares"] = {key: _share(found, key) for key in story.shares}
    said["dollars"] = {key: found.measures[key].value for key in story.dollars}
    return said


def expected(story: Story) -> dict[str, object]:
    """The same as the story has it."""
    said = {kind: getattr(story, kind) for kind in KINDS}
    return {
        kind: list(value) if isinstance(value, Sequence) else dict(value)
        for kind, value in said.items()
        if value is not None
    }


def _end(deal: DealRow) -> str:
    end = "open" if deal.end is None else f"{deal.end} {deal.end_tick}"
    return f"{deal.thread} {end}{' (ongoing)' if deal.ongoing else ''}"


def _problem(deal: DealRow) -> str:
    served = "" if deal.served is None else f" of {deal.served}"
    return f"{deal.thread} {deal.problem} {deal.audit}{served}"


def _links(deal: DealRow) -> Iterable[str]:
    return [f"{deal.thread} {link.type} {link.role} {link.via}" for link in deal.links]


def _earned(deal: DealRow) -> str:
    assert deal.sale is not None
    if deal.sale.excluded:
        return f"{deal.thread} - {deal.sale.excluded}"
    cents = deal.sale.cents["earnings"]
    assert cents is not None
    return f"{deal.thread} {cents / 100:.2f}"


def _price(deal: DealRow) -> str:
    assert deal.price is not None
    assert deal.price_cents is not None
    if deal.price.ok is None:
        return f"{deal.thread} nothing to compare"
    mean = deal.price.sum_cents / deal.price.listings / 100
    word = "ok" if deal.price.ok else "high"
    return f"{deal.thread} {word} {deal.price_cents / 100:.2f} of {mean:.2f}"


def _agents(found: Findings) -> Iterable[str]:
    for one in found.agents:
        if one.sales or one.purchases:
            money = one.revenue_cents / 100
            yield f"{one.agent}: {one.sales} sales ${money:.2f}, {one.purchases} purchases"


def _share(found: Findings, key: str) -> str:
    row = found.measures[key]
    return f"{row.n}/{row.d}" + (f" ({row.unscored} open)" if row.unscored else "")
