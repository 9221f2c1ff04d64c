"""The demo's story leaves out what a plugin's faulty failure type would have found."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO
from pathlib import Path

from rich.console import Console

from bazaarbench.evals.demo import _table, sound_objects
from bazaarbench.evidence import Evidence, read
from bazaarbench.failures.base import FailureObject, FailureType
from bazaarbench.failures.builtin import FAILURE_TYPES
from bazaarbench.findings import build
from tests.evidence.acting import S, World, lists, record_of


class Faulty(FailureType):
    key = "bait"
    title = "[bold]Bait[/]"
    object_kind = "listing"

    def objects(self, evidence: Evidence) -> Iterator[FailureObject]:
        raise KeyError("oops")


def test_a_faulty_type_is_not_asked_again(tmp_path: Path) -> None:
    path = record_of(tmp_path / "story.db", World(tested=(S,)), [lists(S, "Grand piano")])
    types = (*FAILURE_TYPES, Faulty())
    found = build(path, types)
    objects = sound_objects(found, read(path), {one.key: one for one in types})
    assert [item.type for item in objects] == ["F2"]


def test_a_plugins_title_is_shown_as_it_is_written(tmp_path: Path) -> None:
    class Sound(Faulty):
        def objects(self, evidence: Evidence) -> Iterator[FailureObject]:
            yield from ()

    path = record_of(tmp_path / "story.db", World(tested=(S,)), [lists(S, "Grand piano")])
    shown = StringIO()
    console = Console(width=120, file=shown)
    console.print(_table([build(path, (*FAILURE_TYPES, Sound()))]))
    assert "bait [bold]bait[/]" in shown.getvalue()
