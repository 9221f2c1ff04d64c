"""Bundles that people label, and their labels, as JSON Lines (SPEC §8.6, ``docs/judge.md``).

An item is a bundle as a judge is shown it. A label says for one type of one item whether it is
unsafe and which stage it reached; an item file may hold the labels beside the bundles.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from bazaarbench.errors import SettingError
from bazaarbench.failures.base import Bundle, Source
from bazaarbench.judge.requests import shown
from bazaarbench.judge.verdicts import JudgedStage

#: Sets that ship, as files of ``judge/sets``.
LABELLED, INJECTIONS = "labelled", "injections"
_CSV_FIELDS = ("id", "type", "unsafe", "stage", "labeller", "note")
_NEEDED = _CSV_FIELDS[:4]
#: How a spreadsheet and people write yes and no.
_BOOLS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ItemSource(_Part):
    """Something that can be cited; ``by`` is who made it, ``None`` for the platform."""

    kind: str
    id: int
    ticks: tuple[int, ...] = Field(min_length=1)
    by: int | None


class ItemBundle(_Part):
    """A bundle as a judge is shown it."""

    actor: int
    types: tuple[str, ...] = Field(min_length=1)
    highest: JudgedStage
    sources: tuple[ItemSource, ...]
    content: dict[str, Any]


class ItemLabel(_Part):
    """What a person says about one type: unsafe or not, and the stage if it is."""

    type: str
    unsafe: bool
    stage: JudgedStage | None = None
    note: str = ""

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if self.unsafe != (self.stage is not None):
            raise ValueError("a stage is named exactly when the label is unsafe")
        return self

    @property
    def category(self) -> str:
        """``"none"``, or the stage."""
        return self.stage or "none"


class Item(_Part):
    """One bundle of a set; ``pair`` names the item that differs from it by an injection alone."""

    id: str = Field(min_length=1, max_length=80)
    bundle: ItemBundle
    labels: tuple[ItemLabel, ...] = ()
    tags: tuple[str, ...] = ()
    pair: str | None = None

    @model_validator(mode="after")
    def _fits(self) -> Self:
        labelled = [label.type for label in self.labels]
        if len(set(labelled)) != len(labelled):
            raise ValueError("a type is labelled twice")
        for label in self.labels:
            if label.type not in self.bundle.types:
                raise ValueError(f"the bundle does not ask about {label.type}")
            if label.stage is not None and label.stage > self.bundle.highest:
                raise ValueError(f"{label.stage} is above the bundle's highest stage")
        return self

    def as_bundle(self) -> Bundle:
        """The bundle as judges are asked about it."""
        told = self.bundle
        return Bundle(
            bundle_id=self.id,
            actor_id=told.actor,
            targets=told.types,
            highest=told.highest,
            sources=tuple(Source(s.kind, s.id, s.ticks, s.by) for s in told.sources),
            content=told.content,
        )


class LabelRow(_Part):
    """One line of a file of labels."""

    id: str
    type: str
    unsafe: bool
    stage: JudgedStage | None = None
    labeller: str = ""
    note: str = ""

    @property
    def label(self) -> ItemLabel:
        """The label without its item."""
        return ItemLabel(type=self.type, unsafe=self.unsafe, stage=self.stage, note=self.note)


def item_of(bundle: Bundle, name: str) -> Item:
    """A bundle as an item, without labels."""
    told = shown(bundle, name)
    del told["bundle"]
    return Item.model_validate_json(json.dumps({"id": name, "bundle": told}))


def shipped_items(name: str) -> list[Item]:
    """A set that ships; empty when it holds nothing yet."""
    place = files("bazaarbench.judge").joinpath("sets", f"{name}.jsonl")
    return _items(place.read_text("utf-8"), name) if place.is_file() else []


def read_items(path: Path) -> list[Item]:
    """The items of a file.

    Raises:
        SettingError: the file cannot be read, or a line is no item; the message names it.
    """
    return _items(_text(path), str(path))


def write_items(items: Iterable[Item], path: Path) -> None:
    """Write items, one a line, keys sorted."""
    lines = [
        json.dumps(one.model_dump(mode="json", exclude_defaults=True), sort_keys=True)
        for one in items
    ]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def read_labels(path: Path) -> list[LabelRow]:
    """The labels of a file of labels (``.csv`` or ``.jsonl``), or of a file of labelled items.

    Lines of a table whose cells for the label are empty are not labelled yet, and left out.

    Raises:
        SettingError: the file cannot be read, a line is no label (the message names it), or there
            is no label at all.
    """
    found = list(_labels(path))
    if not found:
        raise SettingError(
            f"{path} holds no labels yet: fill in 'unsafe' (yes or no) and, of an unsafe one, "
            "'stage' (S1 to S5)."
        )
    return found


def _labels(path: Path) -> Iterable[LabelRow]:
    text = _text(path)
    if path.suffix.lower() == ".csv":
        return _table_rows(text, path)
    parsed = list(_lines(text, str(path)))
    if parsed and "bundle" in parsed[0][1]:
        return [
            LabelRow(id=item.id, **label.model_dump())
            for item in _items(text, str(path))
            for label in item.labels
        ]
    return [_row(row, where) for where, row in parsed]


def labels_csv(items: Sequence[Item]) -> str:
    """An empty table of labels, one line for each type of each item."""
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    writer.writerow(_CSV_FIELDS)
    for item in items:
        writer.writerows([item.id, key, "", "", "", ""] for key in item.bundle.types)
    return target.getvalue()


def _table_rows(text: str, path: Path) -> Iterable[LabelRow]:
    table = csv.DictReader(io.StringIO(text))
    missing = [name for name in _NEEDED if name not in (table.fieldnames or ())]
    if missing:
        raise SettingError(
            f"{path} has no column {missing[0]!r}; the first line must name the columns "
            f"{', '.join(_CSV_FIELDS)}."
        )
    for row in table:
        told = {name: (row.get(name) or "").strip() for name in _CSV_FIELDS}
        if told["unsafe"] or told["stage"]:
            yield _row(_from_csv(told), f"{path}, line {table.line_num}")


def _from_csv(told: dict[str, str]) -> dict[str, Any]:
    unsafe = _BOOLS.get(told["unsafe"].lower(), told["unsafe"])
    return {**told, "unsafe": unsafe, "stage": told["stage"].upper() or None}


def _row(row: dict[str, Any], where: str) -> LabelRow:
    try:
        found = LabelRow.model_validate(row)
        assert found.label
    except ValidationError as error:
        told = row.get("unsafe")
        if not isinstance(told, bool):
            raise SettingError(
                f"{where} is no label: unsafe is {told!r:.40}; allowed is yes or no."
            ) from error
        raise SettingError(f"{where} is no label: {_first(error)}") from error
    return found


def _items(text: str, where: str) -> list[Item]:
    items: list[Item] = []
    for place, row in _lines(text, where):
        try:
            items.append(Item.model_validate_json(json.dumps(row)))
        except ValidationError as error:
            raise SettingError(f"{place} is no item: {_first(error)}") from error
    names = [item.id for item in items]
    for name in names:
        if names.count(name) > 1:
            raise SettingError(f"{where} holds the item {name!r} twice")
    return items


def _lines(text: str, where: str) -> Iterable[tuple[str, dict[str, Any]]]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        place = f"{where}, line {number}"
        try:
            row = json.loads(line)
        except ValueError as error:
            raise SettingError(f"{place} is no JSON: {error}") from error
        if not isinstance(row, dict):
            raise SettingError(f"{place} is no JSON object")
        yield place, row


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingError(f"{path} cannot be read: {error}") from error


def _first(error: ValidationError) -> str:
    detail = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(part) for part in detail["loc"])
    return f"{where}: {detail['msg']}" if where else str(detail["msg"])
