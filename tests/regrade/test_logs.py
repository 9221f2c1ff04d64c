"""A log is scored again in place: our scores are the current ones, everything else is as it was."""

from __future__ import annotations

import json
import os
import signal
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import score
from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log, write_eval_log

from bazaarbench import findings
from bazaarbench.errors import BazaarError
from bazaarbench.evals import regrading
from bazaarbench.evals.logs import score_log
from bazaarbench.evals.regrading import regrade
from bazaarbench.scorers.record_checks import record_checks
from bazaarbench.versions import CHECKS_VERSION

OURS = ("record_checks", "outcomes")


def records_of(log: Path) -> list[Path]:
    return sorted(p for p in log.parent.glob("records/*/*.db") if not p.name.endswith(".text.db"))


def outdate(path: Path) -> None:
    """Make a log look as if it had been measured long ago, by other rules."""
    log = read_eval_log(str(path))
    for sample in log.samples or []:
        scores = [(sample.scores or {})[name] for name in OURS]
        scores += [event.score for event in sample.events if event.event == "score"][:2]
        for one in scores:
            assert one.metadata is not None
            assert isinstance(one.value, dict)
            one.metadata["checks_version"] = "0-A"
            one.value["deals" if "deals" in one.value else "F1_S2"] = 999
    assert log.results is not None
    for result in log.results.scores[:2]:
        for metric in result.metrics.values():
            metric.value = 999
    write_eval_log(log, str(path))
    for record in records_of(path):
        place = findings.findings_path(record)
        raw = json.loads(place.read_text())
        raw["checks_version"] = "0-A"
        place.write_text(json.dumps(raw))


def dumped(log: EvalLog, *, ours: bool) -> list[Any]:
    """What a log holds of our scorers, or of all others, comparable (``nan`` is a text)."""
    assert log.results is not None
    results = [one.model_dump() for one in log.results.scores if (one.name in OURS) == ours]
    scores = [
        {name: one.model_dump() for name, one in (s.scores or {}).items() if (name in OURS) == ours}
        for s in log.samples or []
    ]
    events = [
        event.model_dump()
        for s in log.samples or []
        for event in s.events
        if (event.event == "score" and event.scorer in OURS) == ours
    ]
    return [json.dumps(part, default=str) for part in (results, scores, events)]


def other_scores_text(path: Path) -> list[str]:
    """The other scorer's scores as they stand in the file."""
    found = []
    with zipfile.ZipFile(path) as archive:
        for name in sorted(archive.namelist()):
            if name.startswith("samples/"):
                text = archive.read(name).decode()
                start = text.index('"another":{', text.index('"scores":{'))
                found.append(text[start : text.index("}}", start)])
    return found


def test_scores_metrics_and_transcript_become_the_current_ones(played: Path) -> None:
    before = read_eval_log(str(played))
    outdate(played)
    stale = read_eval_log(str(played))
    assert dumped(stale, ours=True) != dumped(before, ours=True)
    (done,) = regrade([str(played)], workers=1)
    assert (done.was, done.records, done.refused) == ("0-A", 2, None)
    assert {"F1_S2", "deals"} == set(done.changed)
    after = read_eval_log(str(played))
    assert dumped(after, ours=True) == dumped(before, ours=True)
    for record in records_of(played):
        measured = findings.load(findings.findings_path(record))
        assert measured.checks_version == CHECKS_VERSION


def test_every_other_scorers_scores_stay_byte_for_byte(played: Path) -> None:
    outdate(played)
    text, rest = other_scores_text(played), dumped(read_eval_log(str(played)), ours=False)
    assert len(text) == 2
    regrade([str(played)], workers=1)
    assert other_scores_text(played) == text
    assert dumped(read_eval_log(str(played)), ours=False) == rest


def test_a_second_time_changes_no_byte(played: Path) -> None:
    outdate(played)
    regrade([str(played.parent)], workers=1)
    files = [p for p in played.parent.rglob("*") if p.is_file()]
    once = {path: path.read_bytes() for path in files}
    done = regrade([str(played.parent)], workers=1)
    assert {path: path.read_bytes() for path in files} == once
    assert [one.changed for one in done] == [()]


def test_a_folder_measures_the_records_of_its_logs_once(played: Path) -> None:
    done = regrade([str(played.parent)], workers=1)
    assert [(one.path, one.records) for one in done] == [(str(played), 2)]


def test_what_inspect_had_appended_under_another_name_goes(played: Path) -> None:
    log = read_eval_log(str(played))
    checks = record_checks(records=str(played.parent))
    twice = score(log, [checks], model="none", action="append", display="none")
    assert twice.results is not None
    assert "record_checks1" in [one.name for one in twice.results.scores]
    write_eval_log(twice, str(played))
    regrade([str(played)], workers=1)
    after = read_eval_log(str(played))
    assert after.results is not None
    assert [one.name for one in after.results.scores] == ["record_checks", "outcomes", "another"]
    assert [one.name for one in after.eval.scorers or []] == [
        "record_checks",
        "outcomes",
        "another",
    ]
    for sample in after.samples or []:
        assert list(sample.scores or {}) == ["record_checks", "outcomes", "another"]


def test_a_log_without_our_scores_gets_them(played: Path) -> None:
    log = read_eval_log(str(played))
    whole = dumped(log, ours=True)[:2]
    assert log.results is not None
    log.results.scores = [one for one in log.results.scores if one.name not in OURS]
    log.eval.scorers = [one for one in log.eval.scorers or [] if one.name not in OURS]
    for sample in log.samples or []:
        sample.scores = {k: v for k, v in (sample.scores or {}).items() if k not in OURS}
    write_eval_log(log, str(played))
    (done,) = regrade([str(played)], workers=1)
    assert done.was is None
    assert dumped(read_eval_log(str(played)), ours=True)[:2] == whole


def test_processes_give_the_same_as_one(played: Path) -> None:
    outdate(played)
    old = played.read_bytes()
    alone = regrade([str(played)], workers=1)
    one = dumped(read_eval_log(str(played)), ours=True)
    played.write_bytes(old)
    told: list[tuple[int, int]] = []
    together = regrade([str(played)], workers=2, on_done=lambda *at: told.append(at))
    assert together == alone
    assert told == [(1, 2), (2, 2)]
    assert dumped(read_eval_log(str(played)), ours=True) == one


@pytest.mark.parametrize("harm", ["gone", "cut off", "another run's", "another schema's", "rotten"])
def test_without_one_of_its_records_a_log_is_left_as_it_was(played: Path, harm: str) -> None:
    outdate(played)
    first, second = records_of(played)
    if harm == "gone":
        first.unlink()
    elif harm == "another run's":
        first.write_bytes(second.read_bytes())
    else:
        data = bytearray(first.read_bytes())
        if harm == "another schema's":
            data[60:64] = (99).to_bytes(4, "big")
        elif harm == "rotten":
            data[4096:] = b"\xff" * (len(data) - 4096)
        first.write_bytes(data[:5000] if harm == "cut off" else data)
    old = played.read_bytes()
    (done,) = regrade([str(played)], workers=1)
    assert done.refused is not None
    assert first.name in done.refused or "is gone" in done.refused
    assert played.read_bytes() == old
    with pytest.raises(BazaarError):
        score_log(str(played))
    assert played.read_bytes() == old


def kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def killed_while_writing(log: EvalLog, location: str, **_: Any) -> None:
    Path(location).write_bytes(b"half a log")
    kill()


def killed_before_replacing(*_: Any) -> None:
    kill()


@pytest.mark.parametrize(
    ("where", "name", "instead"),
    [
        (regrading, "write_eval_log", killed_while_writing),
        (os, "replace", killed_before_replacing),
    ],
)
def test_killed_it_leaves_the_old_log(
    played: Path, where: Any, name: str, instead: Callable[..., None]
) -> None:
    outdate(played)
    old = played.read_bytes()
    pid = os.fork()
    if pid == 0:
        # After its findings are in place: the next file that is put in place is the log.
        opened = regrading._opened(str(played), OURS)
        scored = [regrading._measure(sample) for sample in opened.samples]
        setattr(where, name, instead)
        regrading._finished(opened, scored, OURS)
        os._exit(0)
    _, status = os.waitpid(pid, 0)
    assert os.WIFSIGNALED(status)
    assert played.read_bytes() == old
    assert len(list_eval_logs(str(played.parent))) == 1
    (done,) = regrade([str(played)], workers=1)
    assert done.was == "0-A"
    assert played.read_bytes() != old


def test_score_replaces_in_place(played: Path) -> None:
    before = read_eval_log(str(played))
    outdate(played)
    assert score_log(str(played)) == 0
    after = read_eval_log(str(played))
    assert dumped(after, ours=True) == dumped(before, ours=True)
    assert dumped(after, ours=False) == dumped(before, ours=False)


@pytest.mark.parametrize("given", ["outcomes", "bazaarbench/outcomes", "scorers/outcomes.py"])
def test_score_replaces_one_scorer_alone(played: Path, given: str) -> None:
    outdate(played)
    assert score_log(str(played), [given]) == 0
    for sample in read_eval_log(str(played)).samples or []:
        versions = [((sample.scores or {})[name].metadata or {})["checks_version"] for name in OURS]
        assert versions == ["0-A", CHECKS_VERSION]


def test_a_log_that_is_still_written_is_left_alone(played: Path) -> None:
    log = read_eval_log(str(played))
    log.status = "started"
    write_eval_log(log, str(played))
    old = played.read_bytes()
    (done,) = regrade([str(played)], workers=1)
    assert "still being written" in str(done.refused)
    assert played.read_bytes() == old


def test_a_path_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BazaarError, match="does not exist"):
        regrade([str(tmp_path / "nowhere")])
    with pytest.raises(BazaarError, match="nothing to measure"):
        regrade([str(tmp_path)])
