"""What was judged goes where its record is, and one scoring at a time pays for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from bazaarbench.errors import RecordError
from bazaarbench.evals import records
from bazaarbench.evals.judging_alone import alone
from bazaarbench.evals.records import RecordPlace


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RecordPlace:
    """A record that was published to a bucket from another machine."""
    monkeypatch.setenv("BAZAARBENCH_HOME", str(tmp_path / "first"))
    made = RecordPlace("Task9", "demo-L3-paper", 1, f"memory://{tmp_path.name}/logs")
    made.working.parent.mkdir(parents=True)
    for suffix in (".db", ".judge.db"):
        made.working.with_suffix(suffix).write_text(f"first {suffix}")
    records.publish(made)
    monkeypatch.setenv("BAZAARBENCH_HOME", str(tmp_path / "second"))
    return made


def remote(place: RecordPlace, suffix: str) -> str:
    files, path = records.fsspec.core.url_to_fs(str(place.published).removesuffix(".db") + suffix)
    return str(files.cat_file(path).decode()) if files.exists(path) else "nothing"


def test_what_a_scoring_elsewhere_says_goes_back_to_the_record_s_own_address(
    place: RecordPlace,
) -> None:
    found = records.locate(place, place.published, None)
    found.path.with_suffix(".judge.json").write_text("verdicts")
    found.path.with_suffix(".judge.db").write_text("replies")
    records.return_judged(found)
    assert (remote(place, ".judge.json"), remote(place, ".judge.db")) == ("verdicts", "replies")
    assert remote(place, ".db") == "first .db"


def test_what_a_killed_scoring_paid_for_is_not_fetched_over(place: RecordPlace) -> None:
    found = records.locate(place, place.published, None)
    kept = found.path.with_suffix(".judge.db")
    assert kept.read_text() == "first .judge.db"
    kept.write_text("paid for since")
    assert records.locate(place, place.published, None).path == found.path
    assert kept.read_text() == "paid for since"


def test_two_scorings_of_one_record_do_not_both_pay(tmp_path: Path) -> None:
    record, other = tmp_path / "a.db", tmp_path / "b.db"
    told = r"a\.db is being judged by another scoring"
    with alone(record), alone(other), pytest.raises(RecordError, match=told), alone(record):
        pass
    with alone(record):
        assert not list(tmp_path.glob("a.db*"))


def test_a_scoring_that_failed_leaves_the_way_free(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), alone(tmp_path / "a.db"):
        raise ZeroDivisionError
    with alone(tmp_path / "a.db"):
        pass
