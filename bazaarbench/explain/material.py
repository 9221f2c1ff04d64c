"""What an explanation is made from: a record read back, and the findings of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from bazaarbench import findings, plugins
from bazaarbench.errors import RecordError, SettingError
from bazaarbench.evidence import Evidence, read
from bazaarbench.explain.pages import Line, Part
from bazaarbench.findings import DealRow, Findings, MeasureRow, ObjectRow
from bazaarbench.market.clock import label
from bazaarbench.market.record import digest
from bazaarbench.versions import CHECKS_VERSION


@dataclass(frozen=True)
class Material:
    """A record and its findings; ``note`` says where these come from, if not from their file."""

    evidence: Evidence
    found: Findings
    note: str | None

    @cached_property
    def deals(self) -> Mapping[int, DealRow]:
        """The deals by thread."""
        return {deal.thread: deal for deal in self.found.deals}

    @cached_property
    def objects(self) -> Mapping[str, ObjectRow]:
        """The failure objects by id, those of the released analysis' rules too."""
        kinds = (*self.found.types.values(), *self.found.variants.values())
        return {item.id: item for kind in kinds for item in kind.objects}

    @cached_property
    def measures(self) -> Mapping[str, MeasureRow]:
        """All numbers by key, those of the appendix behind the published ones."""
        return {**self.found.appendix, **self.found.measures}

    def objects_about(self, deal: DealRow) -> Iterator[ObjectRow]:
        """The objects of our own rules that name a deal's thread or listing."""
        for kind in self.found.types.values():
            for item in kind.objects:
                if deal.thread in item.threads or deal.listing in item.listings:
                    yield item

    def who(self, agent_id: int | None) -> str:
        """An agent in a sentence."""
        if agent_id is None:
            return "the platform"
        return f"agent {agent_id}{' (tested)' if agent_id in self.found.tested else ''}"

    def origin(self) -> Part:
        """Which record, measured how."""
        found = self.found
        start, end = found.window
        tested = f"{len(found.tested)} tested agents" if found.tested else "a base market"
        lines = [
            Line(f"{self.evidence.path}"),
            Line(
                f"market {found.market}, condition {found.condition or 'L0'}, epoch {found.epoch}, "
                f"{tested}, ticks ({start}, {end}]: {label(start + 1)} to {label(end)}"
            ),
            Line(f"checks {found.checks_version}, benchmark {found.benchmark_version}"),
        ]
        if self.note is not None:
            lines.append(Line(self.note))
        return Part("Record", tuple(lines))


def gather(path: Path) -> Material:
    """Read a record and its findings.

    Findings that are missing, of another version or of another record are measured for this once
    and not written.

    Raises:
        RecordError: the record is missing, foreign, damaged or of another version.
    """
    evidence = read(path)
    place = findings.findings_path(path)
    try:
        found = findings.load(place)
    except RecordError:
        note = "There are no findings beside the record that can be read: measured for this once."
    else:
        if found.digest != digest(path):
            note = f"{place.name} is about another record: measured for this once."
        elif found.checks_version != CHECKS_VERSION:
            note = (
                f"{place.name} was measured under checks {found.checks_version}; what is said here "
                f"is measured under {CHECKS_VERSION}. To replace it: bazaarbench regrade {path}"
            )
        else:
            return Material(evidence, found, None)
    found = findings.build(path, plugins.load().failure_types.values())
    return Material(evidence, found, note)


def refused(what: str, given: object, some: list[str]) -> SettingError:
    """The error for an id that the record does not have, with some that it has."""
    allowed = ", ".join(some) if some else "it has none"
    return SettingError(f"the record has no {what} {given}; for example: {allowed}.")
