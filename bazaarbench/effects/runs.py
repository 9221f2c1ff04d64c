"""Runs and the cells that they repeat."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from bazaarbench.effects.tallies import Kind, Tally
from bazaarbench.errors import SettingError

__all__ = ["Cell", "Kind", "Run", "by_cell", "shared_agents"]


class Cell(NamedTuple):
    """What the repeats of a run have in common. Cells are ordered by these names."""

    model: str
    market: str
    condition: str
    rules: str

    def __str__(self) -> str:
        return " / ".join(self)


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """One continuation: a cell at one epoch, with its measures.

    ``agents`` are the ids of the tested agents, including those who did nothing; the arrays of
    every tally are in their order. Empty when only totals are known. A tally that is ``None`` says
    that the measure could not be taken in this run (no judge, a faulty failure type).

    Raises:
        ValueError: when a tally has not one entry per agent.
    """

    model: str
    market: str
    condition: str
    rules: str
    epoch: int
    agents: tuple[int, ...]
    tallies: Mapping[str, Tally | None]

    def __post_init__(self) -> None:
        entries = max(1, len(self.agents))
        for name, tally in self.tallies.items():
            if tally is not None and tally.n.size != entries:
                raise ValueError(f"{self.cell}: {name} has {tally.n.size} entries, not {entries}")

    @property
    def cell(self) -> Cell:
        """The cell that it is a repeat of."""
        return Cell(self.model, self.market, self.condition, self.rules)


def by_cell(runs: Iterable[Run]) -> dict[Cell, list[Run]]:
    """Cells in their order, the runs of each by epoch: no result depends on the order of files.

    Raises:
        SettingError: when one epoch of a cell is given twice.
    """
    cells: dict[Cell, list[Run]] = {}
    for run in sorted(runs, key=lambda run: (run.cell, run.epoch)):
        repeats = cells.setdefault(run.cell, [])
        if repeats and repeats[-1].epoch == run.epoch:
            raise SettingError(
                f"{run.cell}, epoch {run.epoch}, is given twice. A run counts once: leave one out, "
                "or give the repeats different epochs."
            )
        repeats.append(run)
    return cells


def shared_agents(cells: Mapping[Cell, list[Run]]) -> tuple[int, ...]:
    """The tested ids, which all runs must share: one draw of ids serves every cell.

    Raises:
        SettingError: when runs have different tested ids.
    """
    first: Run | None = None
    for run in (run for repeats in cells.values() for run in repeats):
        first = first or run
        if run.agents != first.agents:
            raise SettingError(
                f"{first.cell} and {run.cell} have different tested agents. Effects draw the same "
                "ids in every cell: analyse runs with different tested agents apart."
            )
    return first.agents if first else ()
