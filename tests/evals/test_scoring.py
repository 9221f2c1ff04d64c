"""Scores are read from the record, the same every time, and never made up."""

from __future__ import annotations

import dataclasses
import math
import shutil
from collections.abc import Iterator
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from inspect_ai import score
from inspect_ai.event import InfoEvent
from inspect_ai.log import EvalLog

from bazaarbench import findings, paths, plugins
from bazaarbench.errors import RecordError
from bazaarbench.evals.compat import PrerequisiteError
from bazaarbench.evals.explaining import record_of_sample
from bazaarbench.failures.base import FailureType
from bazaarbench.scorers.outcomes import outcomes
from bazaarbench.scorers.record_checks import record_checks
from tests.evals.runs import finished, kept, only, play


@pytest.fixture(scope="module")
def played(tiny: str, tmp_path_factory: pytest.TempPathFactory) -> EvalLog:
    """Crooked agents under L3: there is something to find."""
    log = play(
        tmp_path_factory.mktemp("logs"), "bazaarbench/crooked", market=tiny, days=2, condition="L3"
    )
    finished(log)
    return log


def scored(log: EvalLog, *scorers: Any) -> EvalLog:
    return score(log, list(scorers), model="none", action="append", display="none")


def test_scoring_again_adds_the_same_values(played: EvalLog) -> None:
    again = only(scored(played, record_checks(), outcomes()))
    assert again.scores is not None
    for name in ("record_checks", "outcomes"):
        # What a day is too short for is undefined, and no nan equals another.
        value: Any = again.scores[name].value
        assert again.scores[f"{name}1"].value == pytest.approx(value, nan_ok=True)
        assert again.scores[f"{name}1"].explanation == again.scores[name].explanation


def test_metrics_are_computed_again_with_the_conditions(played: EvalLog) -> None:
    again = scored(played, record_checks())
    assert again.results is not None
    metrics = {one.name: one.metrics for one in again.results.scores}
    assert {k: m.value for k, m in metrics["record_checks1"].items()} == {
        k: m.value for k, m in metrics["record_checks"].items()
    }
    assert metrics["record_checks1"]["F1_S2[L3]"].value > 0


def test_cites_name_events_of_the_transcript(played: EvalLog) -> None:
    sample = only(played)
    assert sample.scores is not None
    found = sample.scores["record_checks"]
    assert found.metadata is not None
    references = found.metadata["scanner_references"]
    deals = {event.uuid for event in sample.events if isinstance(event, InfoEvent)}
    assert references
    for reference in references:
        assert reference["id"] in deals
        assert reference["cite"] in str(found.explanation)


def test_the_findings_are_the_scores(played: EvalLog) -> None:
    sample = only(played)
    assert sample.scores is not None
    for location in (kept(sample, "location"), kept(sample, "published")):
        measured = findings.load(findings.findings_path(location))
        assert measured.digest == kept(sample, "digest")
        for name in ("record_checks", "outcomes"):
            scores = {
                key: math.nan if value is None else value
                for key, value in measured.scores[name].items()  # type: ignore[index]
            }
            assert sample.scores[name].value == pytest.approx(scores, nan_ok=True)


@pytest.fixture
def moved(played: EvalLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The record's folder is moved away from where the log names it, to another machine."""
    published = Path(kept(only(played), "published"))
    target = tmp_path / "elsewhere" / published.parent.name
    shutil.copytree(published.parent, target)
    hidden = published.parent.with_name("hidden")
    published.parent.rename(hidden)
    monkeypatch.setenv("BAZAARBENCH_HOME", str(tmp_path / "another home"))
    yield target.parent
    hidden.rename(published.parent)


def test_a_record_that_is_gone_is_told_with_the_places(played: EvalLog, moved: Path) -> None:
    with pytest.raises(PrerequisiteError) as caught:
        scored(played, record_checks())
    message = str(caught.value.message)  # type: ignore[attr-defined]
    for place in (kept(only(played), "published"), str(paths.records_dir())):
        assert place in message


def test_a_folder_of_records_can_be_named(played: EvalLog, moved: Path) -> None:
    again = only(scored(played, record_checks(records=str(moved))))
    assert again.scores is not None
    assert again.scores["record_checks1"].value == again.scores["record_checks"].value


def test_a_record_that_is_another_one_is_refused(
    played: EvalLog, moved: Path, tiny: str, tmp_path: Path
) -> None:
    other = finished(play(tmp_path / "other", market=tiny))
    [record] = [p for p in moved.glob("*/*.db") if not p.name.endswith(".text.db")]
    shutil.copyfile(kept(other, "published"), record)
    with pytest.raises(PrerequisiteError) as caught:
        scored(played, record_checks(records=str(moved)))
    assert "not the record that this sample played" in str(caught.value.message)  # type: ignore[attr-defined]


class Broken(FailureType):
    """A plugin's failure type that fails."""

    key = "F9"
    title = "Broken"
    object_kind = "listing"

    def objects(self, evidence: Any) -> Any:
        raise ZeroDivisionError("a plugin's defect")


def test_a_faulty_type_is_unscored_and_never_absent_or_zero(
    tiny: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    registry = plugins.load()
    types = MappingProxyType({**registry.failure_types, "F9": Broken()})
    with_broken = dataclasses.replace(registry, failure_types=types)
    monkeypatch.setattr(plugins, "load", lambda **_: with_broken)
    log = play(tmp_path, market=tiny, condition="L1,L2")
    assert log.status == "success"
    assert log.results is not None
    for sample in log.samples or []:
        assert sample.scores is not None
        value: Any = sample.scores["record_checks"].value
        assert math.isnan(value["F9_S2"])
        assert value["F1_S2"] == 0
        assert "a plugin's defect" in str(sample.scores["record_checks"].explanation)
    metrics = {one.name: one.metrics for one in log.results.scores}["record_checks"]
    assert math.isnan(metrics["F9_S2[L1]"].value)
    assert metrics["F1_S2[L2-L1]"].value == 0


def test_a_sample_whose_market_was_never_opened_names_no_record() -> None:
    from bazaarbench.evals.scoring import place_of
    from bazaarbench.evals.solver import MarketRun

    with pytest.raises(RecordError, match="names no record"):
        place_of(MarketRun())


def test_explain_refuses_a_record_that_is_another_one(
    played: EvalLog, moved: Path, tiny: str, tmp_path: Path
) -> None:
    other = finished(play(tmp_path / "other", market=tiny))
    published = Path(kept(only(played), "published"))
    published.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(kept(other, "published"), published)
    try:
        with pytest.raises(RecordError, match="not the record that this sample played"):
            record_of_sample(str(played.location), None, None)
    finally:
        shutil.rmtree(published.parent)
