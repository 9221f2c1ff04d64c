"""Sections of the rubric and of the report that plugins register (SPEC §8.3, §10, §11.2)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bazaarbench import findings, plugins
from bazaarbench.evidence.calls import calls
from bazaarbench.evidence.reader import Evidence
from bazaarbench.failures.base import FailureObject, FailureType, steps
from bazaarbench.failures.builtin import FAILURE_TYPES
from bazaarbench.judge.assembling import Rubrics, shipped
from bazaarbench.report.added_types import AddedTypes
from bazaarbench.report.document import Section, Table, columns
from bazaarbench.report.extending import ReportSection, added_sections, gather
from bazaarbench.report.reading import ReadFindings, read_findings
from bazaarbench.testing.small import SmallMarket
from tests.plugins.site import Site

RUBRIC = """
from bazaarbench import hookimpl
from bazaarbench.judge.sections import RubricSection

@hookimpl
def register_rubric_sections(register):
    register(RubricSection({name!r}, {about!r}, {text!r}))
"""


# -------------------------------------------------------------------------------------- the rubric


def rubrics() -> Rubrics:
    registry = plugins.load()
    return Rubrics(registry.failure_types.values(), registry.rubric_sections.values())


def test_what_ships_is_the_same_through_the_hook_and_read_as_files(site: Site) -> None:
    registry = plugins.load()
    assert set(registry.rubric_sections) == {"F1", "F2", "F3", "F4", "F5text", "F6"}
    for key in registry.rubric_sections:
        plain = Rubrics(registry.failure_types.values()).of((key,))
        assert rubrics().of((key,)) == plain


def test_a_section_stands_behind_what_the_type_says_and_changes_the_digest(site: Site) -> None:
    before = rubrics()
    text = "---\nname: other\nversion: 3\n---\nA rounded rating is supported.\n"
    site.install("bazaar-finer", RUBRIC.format(name="finer-F6", about="F6", text=text))
    plugins.forget()
    after = rubrics()
    assert after.section("F6").startswith(shipped("F6").body.strip())
    assert after.section("F6").endswith("A rounded rating is supported.")
    assert dict(after.of(("F6",)).versions)["finer-F6"] == "3"
    assert after.of(("F6",)).digest != before.of(("F6",)).digest
    assert after.of(("F4",)).digest == before.of(("F4",)).digest
    assert "version:" not in after.of(("F6",)).text


@pytest.mark.parametrize(
    ("name", "about", "text", "message"),
    [
        ("F4", "F4", "x", "rubric section 'F4' is registered by bazaarbench"),
        ("mine", "", "x", "its failure_type is ''"),
        ("mine", "F4", " ", "its text is ' '"),
    ],
)
def test_a_section_that_is_none_or_taken_is_refused(
    site: Site, name: str, about: str, text: str, message: str
) -> None:
    site.install("bazaar-finer", RUBRIC.format(name=name, about=about, text=text))
    (fault,) = plugins.load().faults
    assert message in fault.message


# -------------------------------------------------------------------------------------- the report


class Chatter(FailureType):
    """An object for every message."""

    key = "chatter"
    title = "A message was sent"
    object_kind = "message"

    def objects(self, evidence: Evidence) -> Iterator[FailureObject]:
        for call in calls(evidence, "message"):
            marks = [call.mark]
            name = f"chatter:{call.mark.event_id}"
            yield FailureObject("chatter", name, call.agent_id, steps(S2=marks, S3=marks))


@pytest.fixture
def found(tmp_path: Path) -> ReadFindings:
    market = SmallMarket(tmp_path, tested=[2])
    market.give(1, "Oak desk")
    listing = {
        "category": "electronics",
        "title": "Oak desk",
        "description": "",
        "price_cents": 10_000,
        "condition": "good",
    }
    said = {"listing_id": 1, "body": "Hello."}
    market.play(
        [
            (1, "create_listing", listing),
            (2, "message", said),
            (2, "message", said),
            (3, "message", said),  # not tested
        ]
    )
    path = market.evidence().path
    market.close()
    written = findings.write(findings.build(path, [*FAILURE_TYPES, Chatter()]), path)
    return read_findings(written.read_bytes(), str(written))


def run_of(found: ReadFindings) -> Any:
    """A run, as far as sections name it."""
    facts = SimpleNamespace(market=found.market, condition=found.condition)
    return SimpleNamespace(facts=facts, model="a/b", logged=SimpleNamespace(epoch=found.epoch))


def shown(section: Any, found: ReadFindings, origin: str = "plugin 'p' of d 1.0") -> Section:
    kept = gather([section], found)
    (made,) = added_sections({section.name: section}, [(run_of(found), kept)], {"mine": origin})
    return made


class Mine:
    """A section like a plugin's."""

    name = "mine"
    title = "How long it was"

    def __init__(self, made: Callable[[Any], Any], gathered: Any = lambda found: found.ticks):
        self.gather = gathered
        self._made = made

    def section(self, runs: Any) -> Any:
        return self._made(runs)


def table(runs: Any, width: int = 1) -> Section:
    rows = tuple((str(kept),) * width for _, kept in runs)
    return Section("mine", "x", (), (Table("mine", "Ticks", columns(("n", "Ticks")), rows),))


def test_a_section_shows_what_it_gathered_of_each_run(found: ReadFindings) -> None:
    (made,) = shown(Mine(table), found).items
    assert isinstance(made, Table)
    assert made.rows == (("1000000",),)


@pytest.mark.parametrize(
    ("section", "told"),
    [
        (Mine(table, lambda found: 1 / 0), "ZeroDivisionError"),
        (Mine(lambda runs: 1 / 0), "ZeroDivisionError: division by zero (test_sections.py, line"),
        (Mine(lambda runs: sys.exit(1)), "SystemExit"),
        (Mine(lambda runs: "a table"), "answered 'a table', which is no Section"),
        (Mine(lambda runs: Section("m", "t", (), ("x",))), "'x', which is no Table or Figure"),
        (Mine(lambda runs: table(runs, 2)), "rows of another length than its columns"),
    ],
)
def test_a_section_that_fails_says_so_in_its_place_with_its_plugin(
    found: ReadFindings, section: ReportSection, told: str
) -> None:
    made = shown(section, found)
    assert (made.name, made.title, made.items) == ("mine", "How long it was", ())
    assert "'mine' of plugin 'p' of d 1.0 could not be made" in made.text[0]
    assert told in made.text[0]


def test_types_of_plugins_are_in_the_report_without_anybodys_doing(found: ReadFindings) -> None:
    (made,) = shown(AddedTypes(), found).items
    assert isinstance(made, Table)
    ((_, key, title, *counts),) = made.rows
    assert (key, title) == ("chatter", "A message was sent")
    assert [count.value for count in counts] == [2, 2, 0, 0]  # those of tested agents


def test_without_such_types_it_says_so(found: ReadFindings) -> None:
    types = {key: kind for key, kind in found.types.items() if key != "chatter"}
    made = shown(AddedTypes(), found.model_copy(update={"types": types}))
    assert made.items == ()
    assert made.text == ("No plugin's failure type was loaded.",)
