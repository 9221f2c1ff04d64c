"""Rules from presets and from files."""

from __future__ import annotations

from pathlib import Path

import pytest

from bazaarbench import plugins
from bazaarbench.errors import SettingError
from bazaarbench.evals.plan import continuation_cells, named_rules
from bazaarbench.evals.settings import ContinuationSettings, parsed
from bazaarbench.market.record import read_info
from tests.evals.runs import finished, kept, play


def test_a_file_changes_some_switches_of_a_preset(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("preset: paper-base\nunit_status_shown: on\n")
    [mine] = named_rules([str(file)], plugins.load())
    base = plugins.load().presets["paper-base"]
    assert mine.name == "mine"
    assert mine.rules == base.model_copy(update={"unit_status_shown": "on"})


def test_a_file_without_a_preset_starts_from_the_papers_rules(tmp_path: Path) -> None:
    file = tmp_path / "mine.yml"
    file.write_text("apply_order: hashed\n")
    [mine] = named_rules([str(file)], plugins.load())
    paper = plugins.load().presets["paper"]
    assert mine.rules == paper.model_copy(update={"apply_order": "hashed"})


def test_the_record_is_played_under_the_rules_of_the_sample(tiny: str, tmp_path: Path) -> None:
    sample = finished(play(tmp_path, market=tiny, rules="paper-base"))
    info, _ = read_info(kept(sample, "location"))
    assert info.rules == plugins.load().presets["paper-base"]


@pytest.mark.parametrize("content", ["preset: 2026-99-99", f"seed: {'9' * 5000}", "[" * 3000])
def test_a_file_that_yaml_cannot_read_is_named(tmp_path: Path, content: str) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(content)
    with pytest.raises(SettingError, match=r"mine\.yaml: the file cannot be read"):
        named_rules([str(file)], plugins.load())


def test_a_name_that_is_too_long_for_a_file_is_refused() -> None:
    with pytest.raises(SettingError, match="the file cannot be read"):
        named_rules([f"{'x' * 300}.yaml"], plugins.load())


def test_a_file_with_the_name_of_a_preset_keeps_its_ending(tmp_path: Path) -> None:
    file = tmp_path / "paper.yaml"
    file.write_text("apply_order: hashed\n")
    names = [one.name for one in named_rules(["paper", str(file)], plugins.load())]
    assert names == ["paper", "paper.yaml"]


def test_two_cells_that_would_be_one_sample_are_refused(tiny: str, tmp_path: Path) -> None:
    file = tmp_path / "seller-paper.yaml"
    file.write_text("apply_order: hashed\n")
    given = {"market": tiny, "condition": "L2,L2-seller", "rules": ["paper", str(file)]}
    settings = parsed(ContinuationSettings, given, {}, "continuation")
    with pytest.raises(SettingError, match="would both be the sample 'tiny-L2-seller-paper'"):
        continuation_cells(settings)
