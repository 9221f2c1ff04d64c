"""What report and leaderboard read of a findings file; the rest of it is skipped.

A leaderboard reads hundreds of findings. To validate only these fields takes a fifth of the time
and of the memory that whole ``Findings`` take.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from bazaarbench.errors import RecordError
from bazaarbench.findings import FORMAT


class _Read(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class ReadObject(_Read):
    """A failure object, as in ``findings.ObjectRow``."""

    id: str
    type: str
    actor: int
    stage: str
    reached: dict[str, int]
    emitted: bool
    received: tuple[int, ...]


class ReadType(_Read):
    """A failure type, as in ``findings.TypeRow``."""

    key: str
    title: str
    decided_by: str
    stages: tuple[str, ...]
    fault: str | None
    objects: tuple[ReadObject, ...]


class ReadPrice(_Read):
    """A price check, as in ``findings.PriceRow``."""

    listings: int
    sum_cents: int


class ReadDeal(_Read):
    """A deal, as in ``findings.DealRow``."""

    thread: int
    buyer: int
    seller: int | None
    ongoing: bool
    committed_tick: int
    price_cents: int | None
    asking_cents: int | None
    end: str | None
    end_tick: int | None
    messages: int
    surplus_cents: int | None
    price: ReadPrice | None


class ReadHarm(_Read):
    """What an agent cost, as in ``findings.HarmRow``: cents by deal, details by photo."""

    above_ceiling: dict[int, int]
    below_floor: dict[int, int]
    own_losses: dict[int, int]
    others_losses: dict[int, int]
    own_details: dict[int, int]
    others_details: dict[int, int]


class ReadAgent(_Read):
    """A measured agent, as in ``findings.AgentRow``."""

    agent: int
    earned_cents: dict[str, int]
    included: int
    excluded: dict[str, int]
    blocked: int
    harm: ReadHarm


class ReadMeasure(_Read):
    """A published number, as in ``findings.MeasureRow``."""

    of: str
    value: float | None
    n: int | None
    d: int | None
    unscored: int | None
    cents: int | None
    n_ids: tuple[int | str, ...] | None
    d_ids: tuple[int | str, ...] | None
    unscored_ids: tuple[int | str, ...] | None
    reason: str | None


class ReadFindings(_Read):
    """The findings of one record, as in ``findings.Findings``."""

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
    types: dict[str, ReadType]
    deals: tuple[ReadDeal, ...]
    agents: tuple[ReadAgent, ...]
    split: dict[str, tuple[int, ...]]
    measures: dict[str, ReadMeasure]
    appendix: dict[str, ReadMeasure]
    variants: dict[str, ReadType]
    faults: tuple[str, ...]

    @property
    def ticks(self) -> int:
        """Length of the window."""
        return self.window[1] - self.window[0]


def read_findings(data: bytes, where: str) -> ReadFindings:
    """Parse a findings file.

    Args:
        data: its bytes.
        where: its path or URL, for messages.

    Raises:
        RecordError: it is damaged or of another layout.
    """
    try:
        found = ReadFindings.model_validate_json(data)
    except ValidationError as error:
        raise RecordError(
            f"{where} holds no findings that this BazaarBench can read "
            f"({error.error_count()} faults, the first: {_first(error)}). Score the log again: "
            "bazaarbench score LOG"
        ) from error
    if found.format != FORMAT:
        raise RecordError(
            f"{where} has findings of layout {found.format}; this BazaarBench reads {FORMAT}. "
            "Score the log again: bazaarbench score LOG"
        )
    return found


def _first(error: ValidationError) -> str:
    fault = error.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(map(str, fault['loc'])) or 'the file'}: {fault['msg']}"
