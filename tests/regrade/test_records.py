"""A record is measured again whole, into the same bytes, or its findings stay as they were."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from bazaarbench import findings
from bazaarbench.cli import main
from bazaarbench.market.texts import TEXT_APPLICATION_ID
from bazaarbench.regrade import changed_keys, in_processes, records_in, regrade_record
from bazaarbench.versions import CHECKS_VERSION
from tests.evidence.acting import B, S, World, lists, offers, record_of, sale

#: The market is over after its second tick, as a finished run is.
SHORT = World(end=2)
STORY = [lists(S, band="brand_new"), *sale(B, listing=1, offer=1, thread=1, exchange=1), 2]


@pytest.fixture
def record(tmp_path: Path) -> Path:
    return record_of(tmp_path / "records" / "story.db", SHORT, STORY)


def test_findings_are_written_beside_the_record(record: Path) -> None:
    done = regrade_record(record)
    assert (done.was, done.changed, done.refused) == (None, (), None)
    found = findings.load(findings.findings_path(record))
    assert found.checks_version == CHECKS_VERSION
    assert found.measures["problem_share"].n_ids == (1,)


def test_twice_is_the_same_bytes(record: Path) -> None:
    regrade_record(record)
    once = findings.findings_path(record).read_bytes()
    stored = record.read_bytes()
    done = regrade_record(record)
    assert (done.was, done.changed) == (CHECKS_VERSION, ())
    assert findings.findings_path(record).read_bytes() == once
    assert record.read_bytes() == stored


def test_what_was_measured_by_other_rules_is_replaced_and_told(record: Path) -> None:
    regrade_record(record)
    place = findings.findings_path(record)
    whole = place.read_bytes()
    raw = json.loads(whole)
    raw["checks_version"] = "0-A"
    raw["scores"]["record_checks"] = {"F1_S2": 7, "F9_S2": 1}
    place.write_text(json.dumps(raw))
    done = regrade_record(record)
    assert done.was == "0-A"
    assert {"F1_S2", "F9_S2", "F2_S2"} <= set(done.changed)
    assert "deals" not in done.changed
    assert place.read_bytes() == whole


@pytest.mark.parametrize("old", [b"", b"[]", b"null", b'{"scores": 3}', b"\xff"])
def test_findings_that_nobody_can_read_are_replaced(record: Path, old: bytes) -> None:
    findings.findings_path(record).write_bytes(old)
    assert regrade_record(record).refused is None
    assert findings.load(findings.findings_path(record)).market == "story"


@pytest.mark.parametrize("harm", ["gone", "cut off", "foreign", "another schema's"])
def test_of_a_record_that_cannot_be_read_the_findings_stay(record: Path, harm: str) -> None:
    regrade_record(record)
    kept = findings.findings_path(record).read_bytes()
    data = record.read_bytes()
    if harm == "gone":
        record.unlink()
    elif harm == "another schema's":
        record.write_bytes(data[:60] + (99).to_bytes(4, "big") + data[64:])
    else:
        record.write_bytes(data[:5000] if harm == "cut off" else b"no record")
    done = regrade_record(record)
    assert done.refused is not None
    assert str(record) in done.refused
    assert findings.findings_path(record).read_bytes() == kept


def test_a_run_that_did_not_end_is_not_measured(tmp_path: Path) -> None:
    path = record_of(tmp_path / "story.db", World(end=84), [lists(S), offers(B, 1)])
    done = regrade_record(path)
    assert "ends at tick 1 of 84" in str(done.refused)
    assert not findings.findings_path(path).exists()


def test_side_files_and_other_databases_are_no_records(record: Path) -> None:
    texts = b"SQLite format 3\0".ljust(68, b"\0") + TEXT_APPLICATION_ID.to_bytes(4, "big")
    (record.parent / "story.text.db").write_bytes(texts)
    (record.parent / "empty.db").touch()
    (record.parent / "folder.db").mkdir()
    deeper = record.parent / "deeper"
    deeper.mkdir()
    shutil.copyfile(record, deeper / "copy.db")
    assert records_in(record.parent) == [deeper / "copy.db", record]


def test_several_processes_measure_as_one_does(record: Path) -> None:
    copies = [record.with_name(f"copy{number}.db") for number in range(3)]
    for copy in copies:
        shutil.copyfile(record, copy)
    told: list[tuple[int, int]] = []
    done = in_processes(regrade_record, copies, 2, lambda *at: told.append(at))
    assert [one.path for one in done] == [str(copy) for copy in copies]
    assert told == [(1, 3), (2, 3), (3, 3)]
    regrade_record(record)
    whole = findings.findings_path(record).read_bytes()
    assert {findings.findings_path(copy).read_bytes() for copy in copies} == {whole}


def test_only_other_values_have_changed() -> None:
    before = {"a": 1.0, "b": None, "c": 0.0}
    assert changed_keys(before, {"a": 1.0, "b": None, "c": None, "d": 2.0}) == ("c", "d")
    assert changed_keys(before, {"a": 1.0, "e": None}) == ("b", "c")
    assert changed_keys({}, {"a": 1.0}) == ()


def test_the_command_tells_what_changed_and_what_was_left(record: Path) -> None:
    missing = record.with_name("missing.db")
    run = CliRunner().invoke
    first = run(main, ["regrade", str(record)])
    assert (first.exit_code, first.output) == (
        0,
        f"{record}: measured for the first time, checks {CHECKS_VERSION}\n",
    )
    again = run(main, ["regrade", str(record.parent), "--json"])
    raw = json.loads(again.output)
    assert raw["checks_version"] == CHECKS_VERSION
    (one,) = raw["measured"]
    assert (one["path"], one["was"], one["changed"]) == (str(record), CHECKS_VERSION, [])
    record.write_bytes(record.read_bytes()[:5000])
    broken = run(main, ["regrade", str(record)])
    assert broken.exit_code == 1
    assert "left as it was" in broken.output
    nowhere = run(main, ["regrade", str(missing)])
    assert nowhere.exit_code == 2
    assert "does not exist" in nowhere.output
