"""Import of the study's released judge files: verdicts in our words, and what cannot be used.

A cell is a folder with ``bundles.ndjson`` (the judge's inputs) and ``records.ndjson`` (its
answers). What the records do not decide, or decide against the rules, is unscored with the reason.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from bazaarbench.errors import SettingError
from bazaarbench.judge.calibration_import_rows import (
    ReleasedInput,
    UnusableRecordError,
    bundles_in,
    decisions_of,
)
from bazaarbench.judge.verdicts import JUDGED_STAGES, Verdict

_INPUTS, _RECORDS = "bundles.ndjson", "records.ndjson"
#: The released judge knew model and condition (M §5.1).
_BLIND = False
_NO_RECORD = "no record"


@dataclass
class Imported:
    """What was read: verdicts, and reasons by how often."""

    verdicts: list[Verdict] = field(default_factory=list)
    faults: Counter[str] = field(default_factory=Counter)
    cells: int = 0

    def counts(self) -> dict[str, dict[str, int]]:
        """Decisions by type and stage, ``none`` for safe."""
        found: dict[str, dict[str, int]] = {}
        for verdict in self.verdicts:
            for one in verdict.decisions:
                row = found.setdefault(one.type, dict.fromkeys(("none", *JUDGED_STAGES), 0))
                row[one.stage or "none"] += 1
        return dict(sorted(found.items()))

    @property
    def unscored(self) -> int:
        """Bundles without a verdict."""
        return sum(one.status == "unscored" for one in self.verdicts)

    def as_json(self) -> dict[str, Any]:
        """The counts."""
        return {
            "cells": self.cells,
            "bundles": len(self.verdicts),
            "unscored": self.unscored,
            "decisions": self.counts(),
            "faults": dict(self.faults.most_common()),
        }

    def as_text(self) -> str:
        """The counts, for people."""
        lines = [
            f"{self.cells} cells, {len(self.verdicts)} bundles, {self.unscored} unscored",
            f"{'type':<10}" + "".join(f"{name:>9}" for name in ("none", *JUDGED_STAGES)),
        ]
        for key, row in self.counts().items():
            lines.append(f"{key:<10}" + "".join(f"{count:>9}" for count in row.values()))
        lines += [f"{count} × {fault}" for fault, count in self.faults.most_common()]
        return "\n".join(lines)

    def write(self, path: Path) -> None:
        """Write the verdicts, one a line.

        Raises:
            SettingError: the file cannot be written.
        """
        lines = "".join(f"{one.model_dump_json()}\n" for one in self.verdicts)
        try:
            path.write_text(lines, encoding="utf-8")
        except OSError as error:
            raise SettingError(f"{path} cannot be written: {error}") from error


def import_folder(folder: Path) -> Imported:
    """Read all cells in a folder, or the one that it is.

    Raises:
        SettingError: there is none, or the judge's inputs cannot be read.
    """
    cells = sorted(path.parent for path in folder.rglob(_RECORDS))
    if not cells:
        raise SettingError(
            f"{folder} holds no {_RECORDS}: name a folder of the released judge outputs, with "
            f"{_INPUTS} and {_RECORDS}."
        )
    found = Imported(cells=len(cells))
    for cell in cells:
        _cell(cell, found)
    return found


def _cell(cell: Path, found: Imported) -> None:
    inputs = list(_inputs(cell / _INPUTS))
    if len({one.bundle_id for one in inputs}) != len(inputs):
        raise SettingError(f"{cell / _INPUTS} holds a bundle twice.")
    judged: dict[str, Verdict] = {}
    for record in _records(cell / _RECORDS, found):
        model = str(record.get("model") or "released judge")
        try:
            for told, decisions, rest_is_safe in bundles_in(record, inputs):
                # The latest record of a bundle counts, as in the study's journal (M §5.6).
                judged[told.bundle_id] = _verdict(told, decisions, rest_is_safe, model, found)
        except UnusableRecordError as fault:
            found.faults[f"record: {fault}"] += 1
    for told in inputs:
        found.verdicts.append(
            judged.get(told.bundle_id) or _unscored(told.bundle_id, _NO_RECORD, "released judge")
        )


def _verdict(
    told: ReleasedInput, decisions: Any, rest_is_safe: bool, model: str, found: Imported
) -> Verdict:
    try:
        decided = decisions_of(told, decisions, rest_is_safe=rest_is_safe)
    except UnusableRecordError as fault:
        found.faults[f"bundle: {fault}"] += 1
        return _unscored(told.bundle_id, f"invalid answer: {fault}", model)
    return Verdict(
        bundle_id=told.bundle_id,
        status="judged",
        reason=None,
        decisions=decided,
        model=model,
        served=None,
        rubric="released",
        blind=_BLIND,
    )


def _unscored(bundle_id: str, reason: str, model: str) -> Verdict:
    return Verdict(
        bundle_id=bundle_id,
        status="unscored",
        reason=reason,
        decisions=(),
        model=model,
        served=None,
        rubric="released",
        blind=_BLIND,
    )


def _inputs(path: Path) -> Iterator[ReleasedInput]:
    for where, row in _lines(path):
        try:
            yield ReleasedInput.model_validate(row)
        except ValidationError as error:
            raise SettingError(f"{where} is no judge input of the release: {error}") from error


def _records(path: Path, found: Imported) -> Iterator[dict[str, Any]]:
    for _, row in _lines(path):
        record = row.get("result", row)
        if isinstance(record, dict):
            yield {"model": row.get("model"), **record}
        else:
            found.faults["record: it holds no result"] += 1


def _lines(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    try:
        with path.open(encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield f"{path}, line {number}", json.loads(line)
    except (OSError, ValueError) as error:
        raise SettingError(f"{path} cannot be read: {error}") from error
