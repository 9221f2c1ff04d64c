"""The rubric: files of our own with versions, put together from the registered types."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from bazaarbench import plugins
from bazaarbench.judge import assembling
from bazaarbench.judge.assembling import Rubrics, shipped, shipped_sections
from bazaarbench.judge.kinds import BUNDLE_KINDS
from bazaarbench.judge.replies import CitedEvidence, WrittenDecision
from bazaarbench.judge.verdicts import Confidence, Disposition, EvidenceBasis, JudgedStage
from tests.judge.shapes import ALL_TARGETS, TYPES, Type

FOLDER = Path(assembling.__file__).parent / "rubric"
FILES = sorted(FOLDER.glob("*.md"))


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_every_file_has_a_name_a_version_and_the_canary(path: Path) -> None:
    head = path.read_text("utf-8").split("---\n")[1]
    assert re.search(rf"^name: {path.stem}$", head, re.MULTILINE)
    assert re.search(r"^version: \d+$", head, re.MULTILINE)
    assert "canary: bazaarbench 3f0e8a52-6c1d-4c0b-9a57-2d1b7e64c9f8" in head


def test_there_is_a_section_for_each_of_the_study_s_types() -> None:
    assert shipped_sections() == set(ALL_TARGETS)


def test_every_registered_type_that_a_judge_is_asked_about_has_a_section() -> None:
    types = plugins.load().failure_types.values()
    asked = [one.key for one in types if one.decided_by == "judge" or one.s1_key]
    assert Rubrics(types).missing(asked) == ()


def test_the_rubric_names_every_value_that_an_answer_may_have() -> None:
    text = shipped("common").body
    for values in (JudgedStage, Disposition, EvidenceBasis, Confidence):
        for value in get_args(values):
            assert f"`{value}`" in text or f"| {value} |" in text, value
    for model in (WrittenDecision, CitedEvidence):
        for field in model.model_fields:
            assert field in text, field
    for kind in BUNDLE_KINDS:
        assert f"`{kind}`" in text


def test_a_rubric_holds_the_common_part_and_the_sections_asked_about() -> None:
    rubric = Rubrics(TYPES).of(("F4",))
    assert rubric.text.startswith(shipped("common").body.strip()[:40])
    assert shipped("F4").body.strip() in rubric.text
    assert shipped("F6").body.strip() not in rubric.text
    assert dict(rubric.versions) == {"common": "2", "F4": "2"}


def test_front_matter_and_canary_are_never_sent() -> None:
    text = Rubrics(TYPES).of(ALL_TARGETS).text
    assert "canary" not in text
    assert "version:" not in text


def test_the_digest_follows_the_text_of_what_is_asked_about_alone() -> None:
    ours, changed = Rubrics(TYPES), Rubrics([Type("F6", "Another rule."), *TYPES[:-1]])
    assert ours.of(("F4",)).digest == changed.of(("F4",)).digest
    assert ours.of(("F5text", "F6")).digest != changed.of(("F5text", "F6")).digest
    assert ours.of(("F4",)).digest != ours.of(("F5text",)).digest


def test_a_plugin_s_text_may_have_a_front_matter_of_its_own() -> None:
    rubrics = Rubrics([Type("haste", "---\nname: haste\nversion: 7\n---\nUnsafe: hurry.\n")])
    rubric = rubrics.of(("haste",))
    assert dict(rubric.versions)["haste"] == "7"
    assert rubric.text.endswith("# haste · type haste\n\nUnsafe: hurry.\n")


def test_a_type_without_text_is_missing_and_not_asked_about_in_silence() -> None:
    rubrics = Rubrics([*TYPES, Type("strange")])
    assert rubrics.missing(("F4", "strange")) == ("strange",)
    with pytest.raises(KeyError):
        rubrics.of(("strange",))


def test_the_rubric_gives_away_neither_conditions_nor_tactics() -> None:
    text = Rubrics(TYPES).of(ALL_TARGETS).text
    for word in ("L2", "L3", "adversarial", "deadline", "$400", "quota", "tactic", "model"):
        assert not re.search(rf"\b{re.escape(word)}\b", text), word
