"""What ``judge sample`` writes: bundles to label, empty labels, a page, and the key kept apart."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from bazaarbench.errors import SettingError
from bazaarbench.judge.agreement import NONE, UNSCORED, Pair
from bazaarbench.judge.assembling import Rubrics
from bazaarbench.judge.calibration_items import Item, LabelRow, labels_csv, write_items
from bazaarbench.judge.calibration_page import page
from bazaarbench.judge.verdicts import Verdict

BUNDLES, LABELS, PAGE, KEY = "bundles.jsonl", "labels.csv", "label.html", "key.jsonl"


class KeyRow(BaseModel):
    """What labellers do not see of an item: where it is from, and what the judge said by type."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    record: str
    bundle: str
    type: str
    stratum: str
    judge: dict[str, str]
    model: str | None
    served: str | None
    rubric: str | None
    blind: bool | None


def write_sample(
    folder: Path, items: Sequence[Item], keys: Sequence[KeyRow], rubrics: Rubrics
) -> None:
    """Write a sample into a folder that holds none.

    Raises:
        SettingError: there is one already, or nothing can be written.
    """
    taken = [name for name in (BUNDLES, LABELS, PAGE, KEY) if (folder / name).exists()]
    if taken:
        raise SettingError(
            f"{folder} already holds {', '.join(taken)}, perhaps with labels. Choose another "
            "folder."
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_items(items, folder / BUNDLES)
        (folder / LABELS).write_text(labels_csv(items), encoding="utf-8")
        (folder / PAGE).write_text(page(items, rubrics), encoding="utf-8")
        lines = [json.dumps(row.model_dump(mode="json"), sort_keys=True) for row in keys]
        (folder / KEY).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    except OSError as error:
        raise SettingError(f"{folder} cannot be written: {error}") from error


def read_key(path: Path) -> list[KeyRow]:
    """The key of a sample.

    Raises:
        SettingError: it cannot be read, or a line is no part of a key.
    """
    try:
        lines = path.read_text("utf-8").splitlines()
        return [KeyRow.model_validate_json(line) for line in lines if line.strip()]
    except (OSError, UnicodeDecodeError, ValidationError) as error:
        raise SettingError(f"{path} cannot be read as the key of a sample: {error}") from error


def pairs_of_key(labels: Iterable[LabelRow], keys: Iterable[KeyRow]) -> list[Pair]:
    """Labels beside what the judge had said when the sample was drawn.

    Raises:
        SettingError: a label is about an item that the key does not have, or nobody had judged it.
    """
    rows = {row.id: row for row in keys}
    found = []
    for label in labels:
        row = rows.get(label.id)
        if row is None:
            raise SettingError(f"the key has no item {label.id!r}; it belongs to another sample.")
        if label.type not in row.judge:
            raise SettingError(
                f"nobody had judged {label.id} for {label.type} when the sample was drawn. Name a "
                "model with --model to judge it now."
            )
        found.append(Pair(label.id, label.type, row.judge[label.type], label.label.category))
    return found


def pairs_of_verdicts(labels: Iterable[LabelRow], verdicts: Iterable[Verdict]) -> list[Pair]:
    """Labels beside the verdicts on the same items."""
    by_id = {verdict.bundle_id: verdict for verdict in verdicts}
    found = []
    for label in labels:
        verdict = by_id.get(label.id)
        if verdict is None:
            raise SettingError(f"there is no item {label.id!r} among the bundles that were judged.")
        decision = verdict.decision(label.type)
        judge = UNSCORED if decision is None else decision.stage or NONE
        found.append(Pair(label.id, label.type, judge, label.label.category))
    return found
