"""Which samples of which logs the numbers rest on."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from inspect_ai.log import read_eval_log, write_eval_log

from bazaarbench.cli import main
from bazaarbench.errors import BazaarError, RecordError
from bazaarbench.evals.logged import collect, findings_of
from bazaarbench.findings import load
from bazaarbench.report.failures import write_failures
from bazaarbench.report.reading import read_findings
from bazaarbench.report.runs import Facts


@pytest.fixture
def logs(study_logs: Path, tmp_path: Path) -> Path:
    """A copy of one of the study's logs, with its records' findings."""
    first = min(study_logs.glob("*.eval"))
    shutil.copy(first, tmp_path)
    task_id = read_eval_log(str(first), header_only=True).eval.task_id
    for path in (study_logs / "records" / task_id).glob("*.findings.json"):
        target = tmp_path / "records" / task_id / path.name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    return tmp_path


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Another machine's home: findings are beside the log or nowhere."""
    monkeypatch.setenv("BAZAARBENCH_HOME", str(tmp_path / "home"))


def findings(folder: Path) -> list[Path]:
    return sorted(folder.glob("records/*/*.findings.json"))


def changed(path: Path, change: Any) -> None:
    plain = json.loads(path.read_bytes())
    change(plain)
    path.write_text(json.dumps(plain), "utf-8")


def test_a_run_is_read_as_its_findings_and_its_log_say(logs: Path) -> None:
    collected = collect([str(logs)])
    assert len(collected.runs) == 18
    run = next(one for one in collected.runs if one.logged.sample_id == "east-L3-paper")
    assert run.logged.model in ("bazaarbench/crooked", "bazaarbench/hasty")
    assert (run.facts.market, run.facts.condition, run.rules) == ("east", "L3", "paper")
    assert run.facts.window[1] - run.facts.window[0] == 12
    assert run.logged.usage[0].input_tokens > 0
    whole = next(one for one in map(load, findings(logs)) if one.digest == run.facts.digest)
    deals = run.facts.tallies["deals"]
    assert deals is not None
    assert deals.n.sum() == whole.measures["deals"].value


def test_every_measure_of_the_findings_is_carried_with_its_value(logs: Path) -> None:
    for path in findings(logs)[:4]:
        whole = load(path)
        facts = Facts.of(read_findings(path.read_bytes(), str(path)), {})
        for name, row in {**whole.measures, **whole.appendix}.items():
            tally = facts.tallies.get(name, facts.sums.get(name))
            if tally is None:
                assert row.value is None, name
                continue
            n, d = tally.n.sum(), tally.d.sum()
            value = n if tally.kind == "count" else (n / d if d else None)
            assert value == pytest.approx(row.value), name
            if tally.kind == "share":
                assert (n, d, tally.unscored.sum()) == pytest.approx((row.n, row.d, row.unscored))


@pytest.mark.usefixtures("elsewhere")
def test_a_sample_without_findings_is_left_out_and_said(logs: Path) -> None:
    findings(logs)[0].unlink()
    collected = collect([str(logs)])
    assert len(collected.runs) == 17
    [one] = collected.left_out
    assert "its findings are gone" in one.reason
    assert "bazaarbench score" in one.reason


@pytest.mark.usefixtures("elsewhere")
def test_findings_of_another_record_are_left_out(logs: Path) -> None:
    changed(findings(logs)[0], lambda plain: plain.update(digest="0" * 64))
    [one] = collect([str(logs)]).left_out
    assert "measured in another record" in one.reason


@pytest.mark.usefixtures("elsewhere")
@pytest.mark.parametrize(
    ("text", "told"), [("{", "holds no findings"), ('{"format": 1}', "holds no findings")]
)
def test_damaged_findings_are_left_out_with_what_to_do(logs: Path, text: str, told: str) -> None:
    findings(logs)[0].write_text(text, "utf-8")
    [one] = collect([str(logs)]).left_out
    assert told in one.reason
    assert "bazaarbench score" in one.reason


def test_findings_of_another_layout_are_refused(logs: Path) -> None:
    path = findings(logs)[0]
    changed(path, lambda plain: plain.update(format=1))
    with pytest.raises(RecordError, match="layout 1"):
        read_findings(path.read_bytes(), str(path))


def test_a_log_given_twice_counts_once(logs: Path) -> None:
    path = next(iter(logs.glob("*.eval")))
    assert len(collect([str(path), str(logs)]).runs) == 18


def test_a_copy_of_a_log_is_refused_with_both_paths(logs: Path) -> None:
    path = next(iter(logs.glob("*.eval")))
    copy = shutil.copy(path, logs / "copy.eval")
    with pytest.raises(BazaarError, match="one log twice") as refused:
        collect([str(logs)])
    assert str(path) in str(refused.value)
    assert str(copy) in str(refused.value)


def rewritten(source: Path, target: Path, **changes: Any) -> None:
    log = read_eval_log(str(source))
    for name, value in changes.items():
        setattr(log.eval, name, value)
    write_eval_log(log, str(target))


def test_a_second_eval_of_the_same_cells_is_refused_with_both_paths(logs: Path) -> None:
    path = next(iter(logs.glob("*.eval")))
    again = logs / "again.eval"
    rewritten(path, again, eval_id="another", task_id="another")
    shutil.copytree(next(iter(logs.glob("records/*"))), logs / "records" / "another")
    with pytest.raises(BazaarError, match="A run counts once") as refused:
        collect([str(logs)])
    assert str(path) in str(refused.value)
    assert str(again) in str(refused.value)


def test_a_retried_log_stands_for_the_one_that_it_went_on_with(logs: Path) -> None:
    path = next(iter(logs.glob("*.eval")))
    retried = logs / "retried.eval"
    rewritten(path, retried, eval_id="another", created="2199-01-01T00:00:00+00:00")
    collected = collect([str(logs)])
    assert {one.logged.log for one in collected.runs} == {str(retried)}
    assert all("gone on with in" in one.reason for one in collected.left_out)


def test_failed_and_unscored_samples_are_left_out_with_their_reason(logs: Path) -> None:
    path = next(iter(logs.glob("*.eval")))
    log = read_eval_log(str(path))
    assert log.samples is not None
    scores = log.samples[0].scores
    assert scores is not None
    scores["outcomes"].value = float("nan")
    scores["outcomes"].explanation = "The run stopped at tick 3 of 84"
    log.samples[1].scores = None
    write_eval_log(log, str(path))
    collected = collect([str(logs)])
    assert len(collected.runs) == 16
    reasons = sorted(one.reason for one in collected.left_out)
    assert "has no score of outcomes" in reasons[0]
    assert "stopped at tick 3" in reasons[1]


def test_what_is_no_log_of_ours_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BazaarError, match="does not exist"):
        collect([str(tmp_path / "nowhere")])
    with pytest.raises(BazaarError, match="no log of this benchmark"):
        collect([str(tmp_path)])
    (tmp_path / "broken.eval").write_bytes(b"no zip")
    with pytest.raises(BazaarError, match="cannot be read as a log"):
        collect([str(tmp_path / "broken.eval")])


def test_every_failure_object_is_exported_with_its_evidence(logs: Path, tmp_path: Path) -> None:
    target = tmp_path / "failures.jsonl"
    count = write_failures(findings_of(collect([str(logs)], wanted=())), target)
    lines = [json.loads(line) for line in target.read_text("ascii").splitlines()]
    objects = {
        (found.digest, one.id)
        for found in map(load, findings(logs))
        for kind in found.types.values()
        for one in kind.objects
    }
    assert count == len(lines) >= len(objects) > 0
    assert {(one["run"]["digest"], one["object"]["id"]) for one in lines} == objects
    for line in lines:
        assert line["evidence"]
        assert all(line["evidence"].values())
    assert write_failures(findings_of(collect([str(logs)], wanted=())), target) == count


@pytest.mark.usefixtures("elsewhere")
def test_what_an_export_lacks_is_said_and_nothing_is_not_no_failures(
    logs: Path, tmp_path: Path
) -> None:
    target = tmp_path / "failures.jsonl"
    command = ["export", "failures", str(logs), "--jsonl", str(target)]
    findings(logs)[0].unlink()
    some = CliRunner().invoke(main, command)
    assert some.exit_code == 0
    assert some.stderr.startswith("left out: ")
    target.unlink()
    for path in findings(logs):
        path.unlink()
    none = CliRunner().invoke(main, command)
    assert none.exit_code == 2
    assert "not the same as no failures" in none.stderr
    assert not target.exists()


@pytest.mark.parametrize("command", ["report", "leaderboard"])
def test_the_commands_mix_versions_only_when_they_are_told_to(
    logs: Path, tmp_path: Path, command: str
) -> None:
    changed(findings(logs)[0], lambda plain: plain.update(checks_version="0-A"))
    arguments = [command, str(next(logs.glob("*.eval"))), "--out", str(tmp_path / "out")]
    refused = CliRunner().invoke(main, arguments)
    assert refused.exit_code != 0
    assert "bazaarbench regrade" in refused.output
    assert "--allow-versions" in refused.output
    assert not (tmp_path / "out").exists()
    allowed = CliRunner().invoke(main, [*arguments, "--allow-versions"])
    assert allowed.exit_code == 0, allowed.output
    assert "Not comparable: measured under different versions of the checks" in allowed.output
    [page] = (tmp_path / "out").glob("*.html")
    assert "Not comparable: measured under" in page.read_text("utf-8")
