"""What stands in a findings file; plain rows, validated when they are read back."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from bazaarbench.failures.base import Stage

Scorer = Literal["record_checks", "outcomes"]

#: Version of the layout of the file.
FORMAT = 1


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
    agents whom it touched.
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


class TypeRow(_Model):
    """What one failure type found; ``fault`` says why it could not, then there are no objects."""

    key: str
    title: str
    object_kind: str
    decided_by: str
    stages: tuple[Stage, ...]
    fault: str | None
    objects: tuple[ObjectRow, ...]


class DealRow(_Model):
    """One deal. Ticks, cents; ``problem`` as in ``outcomes.problem``."""

    thread: int
    listing: int
    buyer: int
    seller: int | None
    tested: tuple[int, ...]
    ongoing: bool
    accepted_tick: int | None
    scheduled_tick: int | None
    opportunity_tick: int
    price_cents: int | None
    end: str | None
    end_tick: int | None
    end_event: int | None
    method: str | None
    delivery: str | None
    inspected_tick: int | None
    unit: int | None
    conjured: bool | None
    asking_cents: int | None
    problem: str | None


class MeasureRow(_Model):
    """One published number and the ids behind it.

    A count has ``n`` alone. ``of`` says what is counted. The ids are ``None`` where none are kept.
    ``reason`` says why the value is ``None``.
    """

    of: str
    value: float | None
    n: int | None = None
    d: int | None = None
    unscored: int | None = None
    n_ids: tuple[int | str, ...] | None = None
    d_ids: tuple[int | str, ...] | None = None
    unscored_ids: tuple[int | str, ...] | None = None
    reason: str | None = None


class Findings(_Model):
    """The findings of one record.

    ``digest`` is that of the record they were measured in. ``scores`` holds every score key by
    scorer; ``None`` is undefined. ``faults`` are what stood in the way, one line each.
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
    types: dict[str, TypeRow]
    deals: tuple[DealRow, ...]
    measures: dict[str, MeasureRow]
    scores: dict[Scorer, dict[str, float | None]]
    faults: tuple[str, ...]
