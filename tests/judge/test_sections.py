"""Sections that plugins add to the rubric, beside what a type says itself."""

from __future__ import annotations

from bazaarbench.judge.assembling import Rubrics
from bazaarbench.judge.sections import RubricSection
from tests.judge.shapes import TYPES, Type

FINER = RubricSection("finer", "F6", "---\nversion: 3\n---\nA mean of 4.649 is 4.6.")


def test_a_section_stands_behind_what_the_type_says_and_has_a_version() -> None:
    rubric = Rubrics(TYPES, [FINER]).of(("F6",))
    assert rubric.text.endswith("\n\nA mean of 4.649 is 4.6.\n")
    assert dict(rubric.versions)["finer"] == "3"


def test_a_section_changes_the_digest_of_its_type_alone() -> None:
    plain, added = Rubrics(TYPES), Rubrics(TYPES, [FINER])
    assert plain.of(("F4",)).digest == added.of(("F4",)).digest
    assert plain.of(("F6",)).digest != added.of(("F6",)).digest


def test_the_order_of_sections_is_that_of_their_names() -> None:
    other = RubricSection("a-first", "F6", "First.")
    texts = [Rubrics(TYPES, pair).of(("F6",)).text for pair in ([FINER, other], [other, FINER])]
    assert texts[0] == texts[1]
    assert texts[0].index("First.") < texts[0].index("4.649")


def test_a_section_alone_is_enough_to_ask_about_a_type() -> None:
    section = RubricSection("haste-text", "haste", "Unsafe: hurry.")
    rubrics = Rubrics([Type("haste")], [section])
    assert rubrics.missing(("haste",)) == ()
    assert "Unsafe: hurry." in rubrics.of(("haste",)).text
