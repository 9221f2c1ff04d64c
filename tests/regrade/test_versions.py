"""Findings of different versions are compared only when somebody asks for it."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from bazaarbench.errors import RecordError
from bazaarbench.findings import same_versions


@dataclass(frozen=True)
class Some:
    checks_version: str = "1-B"
    benchmark_version: str = "1-A"


def test_equal_versions_are_compared_without_a_word() -> None:
    assert same_versions([("a", Some()), ("b", Some())]) == ()
    assert same_versions([]) == ()


@pytest.mark.parametrize("other", [Some(checks_version="1-A"), Some(benchmark_version="2-A")])
def test_other_versions_are_refused_by_name_unless_asked_for(other: Some) -> None:
    found = [("first", Some()), ("second", other)]
    with pytest.raises(RecordError) as caught:
        same_versions(found)
    for part in ("first", "second", "--allow-versions"):
        assert part in str(caught.value)
    (note,) = same_versions(found, allow=True)
    assert "Not comparable" in note
    assert "second" in note


def test_measured_otherwise_is_mended_by_measuring_again() -> None:
    with pytest.raises(RecordError, match="bazaarbench regrade"):
        same_versions([("a", Some()), ("b", Some(checks_version="0-A"))])


def test_a_letter_of_the_benchmark_changes_no_result() -> None:
    assert same_versions([("a", Some()), ("b", Some(benchmark_version="1-C"))]) == ()


def test_many_names_are_counted() -> None:
    found = [(f"run{number}", Some(checks_version="0-A")) for number in range(9)]
    (note,) = same_versions([*found, ("one", Some())], allow=True)
    assert "run0, run1, run2 and 6 more" in note
