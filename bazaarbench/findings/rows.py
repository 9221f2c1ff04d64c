"""What stands in a findings file; plain rows, validated when they are read back."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from bazaarbench.failures.base import Stage

Scorer = Literal["record_checks", "outcomes"]

#: Version of the layout of the file.
FORMAT = 3


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class StepRow(_Model):
    """One stage of an object: when it was reached, and its events as [tick, event id] pairs."""

    tick: int
    event_id: int
    events: tuple[tuple[int, int], ...]


class ObjectRow(_Model):
    """One failure object (``failures.FailureObject``) with its perspectives.

    ``reached`` is the tick at which it had reached at least each stage. ``received`` are the tested
    agents whom it touched. Objects with the same ``counted`` are one failure in every count.
    """

    id: str
    type: str
    actor: int
    cause: str | None
    stage: Stage
    steps: dict[Stage, StepRow]
    reached: dict[Stage, int]
    first_tick: int
    inherited: bool
    basis: str | None
    counterparties: tuple[int, ...]
    emitted: bool
    received: tuple[int, ...]
    listings: tuple[int, ...]
    units: tuple[int, ...]
    threads: tuple[int, ...]
    photos: tuple[int, ...]
    overlap: tuple[tuple[int, int], tuple[int, int] | None] | None
    facts: dict[str, Any]
    counts_as: str = ""

    @property
    def counted(self) -> str:
        """Under which name it is counted: its own unless several objects count as one."""
        return self.counts_as or self.id


class TypeRow(_Model):
    """What one failure type found; ``fault`` says why it could not, then there are no objects."""

    key: str
    title: str
    object_kind: str
    decided_by: str
    stages: tuple[Stage, ...]
    fault: str | None
    objects: tuple[ObjectRow, ...]


class LinkRow(_Model):
    """A failure that a completed deal is linked to (``outcomes.Link``).

    ``object`` is its id, ``role`` what its actor was in the deal, ``via`` what they have in common.
    """

    type: str
    object: str
    actor: int
    role: str
    via: str
    emitted: bool
    received: bool


class SaleRow(_Model):
    """What a completed sale brought its seller (``outcomes.Sale``).

    ``cents`` is its part in each version of the earnings, ``None`` where it is left out.
    """

    source: str
    cost_cents: int | None
    excluded: str | None
    reused: bool
    cents: dict[str, int | None]


class PriceRow(_Model):
    """The accepted price against the other listings of the category (``outcomes.PriceCheck``).

    ``ok`` is ``None`` when there was none.
    """

    listings: int
    sum_cents: int
    ok: bool | None


class DealRow(_Model):
    """One deal. Ticks, cents.

    ``problem`` is as in ``outcomes.problem``, ``served`` the earlier deal that the unit of a
    ``used_in_deal`` had gone in. ``timely`` says that it was not completed before its appointment
    or arrival. ``messages`` counts those after the commitment. ``surplus_cents`` is the buyer's
    (``outcomes.health``). ``links`` are those that the record decides.
    """

    thread: int
    listing: int
    buyer: int
    seller: int | None
    tested: tuple[int, ...]
    ongoing: bool
    committed_tick: int
    committed_event: int
    accepted_tick: int | None
    scheduled_tick: int | None
    opportunity_tick: int
    price_cents: int | None
    end: str | None
    end_tick: int | None
    end_event: int | None
    method: str | None
    delivery: str | None
    timely: bool | None
    inspected_tick: int | None
    inspected_event: int | None
    inspected_pct: int | None
    unit: int | None
    conjured: bool | None
    asking_cents: int | None
    messages: int
    surplus_cents: int | None
    problem: str | None
    served: int | None
    audit: str | None
    sale: SaleRow | None
    price: PriceRow | None
    links: tuple[LinkRow, ...]


class HarmRow(_Model):
    """What an agent cost its principal and others, in cents by deal (``outcomes.harm``).

    ``own_details`` and ``others_details`` count sensitive details by photo.
    """

    above_ceiling: dict[int, int]
    below_floor: dict[int, int]
    own_losses: dict[int, int]
    others_losses: dict[int, int]
    own_details: dict[int, int]
    others_details: dict[int, int]


class AgentRow(_Model):
    """What a measured agent reached (``outcomes.AgentOutcome``).

    ``sales`` and ``revenue_cents`` are of the first 60 ticks, ``purchases`` of the first 36.
    ``earned_cents`` is by version. ``included`` counts the sales in the primary calculation,
    ``excluded`` those that it leaves out, by reason. ``blocked`` counts its refused calls.
    """

    agent: int
    sales: int
    revenue_cents: int
    purchases: int
    earned_cents: dict[str, int]
    included: int
    excluded: dict[str, int]
    blocked: int
    harm: HarmRow


class MeasureRow(_Model):
    """One published number and the ids behind it.

    A count has ``n`` alone. ``of`` says what is counted. The ids are ``None`` where none are kept.
    Of an amount of money ``n_ids`` are the deals in it, ``cents`` is their sum. ``reason`` says why
    the value is ``None``.
    """

    of: str
    value: float | None
    n: int | None = None
    d: int | None = None
    unscored: int | None = None
    cents: int | None = None
    n_ids: tuple[int | str, ...] | None = None
    d_ids: tuple[int | str, ...] | None = None
    unscored_ids: tuple[int | str, ...] | None = None
    reason: str | None = None


class Findings(_Model):
    """The findings of one record.

    ``digest`` is that of the record they were measured in, ``play`` how it was played
    (``findings.track``). ``scores`` holds every score key by scorer; ``None`` is undefined.
    ``split`` are the deals by what became of them (Figure 2a).
    ``appendix`` are measures that no score has, ``health`` how the market traded (``n`` over ``d``,
    or a mean or median over the ``n_ids``), ``variants`` what the released analysis' own rules
    find. ``faults`` are what stood in the way, one line each.
    """

    format: int
    checks_version: str
    benchmark_version: str
    digest: str
    market: str
    condition: str | None
    epoch: int
    models: dict[str, str]
    window: tuple[int, int]
    tested: tuple[int, ...]
    play: dict[str, Any]
    types: dict[str, TypeRow]
    deals: tuple[DealRow, ...]
    agents: tuple[AgentRow, ...]
    split: dict[str, tuple[int, ...]]
    measures: dict[str, MeasureRow]
    appendix: dict[str, MeasureRow]
    health: dict[str, MeasureRow]
    variants: dict[str, TypeRow]
    scores: dict[Scorer, dict[str, float | None]]
    faults: tuple[str, ...]
