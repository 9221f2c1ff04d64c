"""The documentation names every score key and every cause, and no key that does not exist."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from bazaarbench.failures.builtin import FAILURE_TYPES
from bazaarbench.failures.variants import VARIANTS
from bazaarbench.findings import Findings, build, score_keys
from bazaarbench.judge.results import rubric_keys
from bazaarbench.outcomes import Audit, Excluded, Verdict
from tests.evidence.acting import PLAIN, lists, record_of

MEASURES = (Path(__file__).parents[2] / "docs" / "measures.md").read_text(encoding="utf-8")
CODE = set(re.findall(r"`([^`]+)`", MEASURES))


def test_every_score_key_is_documented() -> None:
    assert set(score_keys(FAILURE_TYPES)) <= CODE


def test_no_key_is_documented_that_does_not_exist() -> None:
    keys = {word for word in CODE if re.fullmatch(r"\w+_(S[1-5]|n|d|unscored)", word)}
    variants = {f"{one.key}_{stage}" for one in VARIANTS for stage in one.stages}
    assert keys <= {*score_keys(FAILURE_TYPES), *rubric_keys(FAILURE_TYPES)} | variants


def test_every_key_of_the_judge_is_documented() -> None:
    assert set(rubric_keys(FAILURE_TYPES)) <= CODE


@pytest.fixture(scope="module")
def findings(tmp_path_factory: pytest.TempPathFactory) -> Findings:
    record = record_of(tmp_path_factory.mktemp("docs") / "story.db", PLAIN, [lists(1)])
    return build(record, FAILURE_TYPES)


def test_every_measure_in_the_findings_is_documented(findings: Findings) -> None:
    assert {*findings.measures, *findings.appendix, *findings.split} <= CODE
    assert {*findings.variants, *findings.health} <= CODE


def test_every_measure_of_the_tables_is_in_the_findings(findings: Findings) -> None:
    """A word in the first column of a table of measures names one of them."""
    first = "\n".join(re.findall(r"^\| (`.*?) \|", MEASURES, re.MULTILINE))
    named = {word for word in re.findall(r"`([^`]+)`", first) if re.fullmatch(r"\w+", word)}
    judged = rubric_keys(FAILURE_TYPES)
    tables = {*findings.measures, *findings.appendix, *findings.health}
    known = {*tables, *get_args(Verdict), *judged}
    assert named - known == set()


def test_every_verdict_and_cause_is_documented() -> None:
    assert {*get_args(Audit), *get_args(Excluded)} <= CODE
    assert {*get_args(Verdict), "already_sold", "acquired_later", "never_held"} <= CODE
