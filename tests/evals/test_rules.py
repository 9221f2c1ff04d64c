"""Rules from presets and from files."""

from __future__ import annotations

from pathlib import Path

from bazaarbench import plugins
from bazaarbench.evals.plan import named_rules
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
