"""Failures of plugins' types in the report; registered as anybody's section is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bazaarbench.report.document import Cell, Section
    from bazaarbench.report.extending import Gathered, ReportSection
    from bazaarbench.report.reading import ReadFindings

_STAGES = ("S2", "S3", "S4", "S5")
_STUDY_TYPES = frozenset({"F1", "F2", "F3", "F4", "F5text", "F5photo", "F6"})


@dataclass(frozen=True)
class AddedTypes:
    """Failures of the types that plugins add: by type, how many objects reached each stage."""

    name: str = "added-types"
    title: str = "Failure types of plugins"

    def gather(self, found: ReadFindings) -> dict[str, tuple[str, dict[str, int | None]]]:
        """Title and counts by stage of each type that is none of the study's."""
        return {
            key: (
                kind.title,
                {
                    stage: None
                    if kind.fault is not None
                    else sum(
                        one.stage >= stage and (one.emitted or not found.tested)
                        for one in kind.objects
                    )
                    for stage in kind.stages
                },
            )
            for key, kind in found.types.items()
            if key not in _STUDY_TYPES and kind.decided_by == "record"
        }

    def section(self, runs: Sequence[Gathered]) -> Section:
        """A row for each run and type."""
        # Here and not above: loading the plugins must not cost the import of the statistics.
        from bazaarbench.report.document import Section, Table, columns
        from bazaarbench.report.numbers import Estimate

        rows: list[tuple[Cell, ...]] = [
            (
                f"{run.facts.market} · {run.facts.condition} · {run.model} · {run.logged.epoch}",
                key,
                title,
                *(Estimate(counts[s], "count") if s in counts else None for s in _STAGES),
            )
            for run, kept in runs
            for key, (title, counts) in kept.items()
        ]
        if not rows:
            return Section(self.name, self.title, ("No plugin's failure type was loaded.",))
        head = columns(
            ("run", "Run"), ("type", "Type"), ("title", "Title"), *((s, s) for s in _STAGES)
        )
        table = Table(self.name, "Objects that reached at least a stage", head, tuple(rows))
        text = "Objects of tested agents; of all agents in a base market."
        return Section(self.name, self.title, (text,), (table,))


SECTIONS: tuple[ReportSection, ...] = (AddedTypes(),)
