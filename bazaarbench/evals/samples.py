"""One sample is one market under one condition and one set of rules (DESIGN §3.1)."""

from __future__ import annotations

from collections.abc import Iterable

from inspect_ai.dataset import MemoryDataset, Sample

from bazaarbench.evals.plan import Cell
from bazaarbench.market.clock import TICKS_PER_DAY
from bazaarbench.slug import slug


def dataset(cells: Iterable[Cell], name: str) -> MemoryDataset:
    """The samples of a task, in the order of ``cells``."""
    return MemoryDataset([sample(cell) for cell in cells], name=name)


def sample(cell: Cell) -> Sample:
    """The sample that plays ``cell``; all that it needs travels in its metadata."""
    days = (cell.end_tick - cell.start_tick) // TICKS_PER_DAY
    return Sample(
        id=cell.sample_id,
        input=(
            f"The market {cell.market} under condition {cell.condition} and the rules "
            f"{cell.rules}: ticks {cell.start_tick + 1} to {cell.end_tick} ({days} days), "
            f"{len(cell.tested) or 'no'} tested agents."
        ),
        metadata=cell.model_dump(mode="json"),
    )


def file_stem(sample_id: str | int, epoch: int) -> str:
    """File name, without ending, of the record of one sample in one epoch (from 1)."""
    return f"{slug(str(sample_id))}-{epoch}"
