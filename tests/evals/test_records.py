"""Where records are looked for, and that a run never starts again in silence."""

from __future__ import annotations

from pathlib import Path

import pytest

from bazaarbench.errors import RecordError
from bazaarbench.evals import records
from bazaarbench.evals.records import RecordPlace


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BAZAARBENCH_HOME", str(tmp_path / "home"))
    monkeypatch.delenv(records.FOLDER_VARIABLE, raising=False)


@pytest.fixture
def place(tmp_path: Path) -> RecordPlace:
    return RecordPlace("Task1", "demo-l2-paper", 1, str(tmp_path / "logs"))


def written(path: Path | str, text: str = "record") -> Path:
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_a_sample_that_was_never_begun_starts(place: RecordPlace) -> None:
    assert records.find_working(place, retried=False) is None


def test_the_working_record_is_found_at_home(place: RecordPlace) -> None:
    written(place.working)
    assert records.find_working(place, retried=True) == place.working


def test_a_record_beside_the_log_is_brought_home_with_its_side_files(place: RecordPlace) -> None:
    assert place.published is not None
    written(place.published)
    written(place.published.replace(".db", ".text.db"), "texts")
    assert records.find_working(place, retried=True) == place.working
    assert place.working.read_text() == "record"
    assert place.working.with_suffix(".text.db").read_text() == "texts"


@pytest.mark.parametrize("inside", ["Task1", "records/Task1"])
def test_a_record_is_found_in_the_folder_of_the_variable(
    place: RecordPlace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, inside: str
) -> None:
    written(tmp_path / "other" / inside / place.name)
    monkeypatch.setenv(records.FOLDER_VARIABLE, str(tmp_path / "other"))
    assert records.find_working(place, retried=True) == place.working


def test_a_retry_of_which_nothing_is_left_says_where_it_looked(
    place: RecordPlace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(records.FOLDER_VARIABLE, str(tmp_path / "other"))
    with pytest.raises(RecordError) as caught:
        records.find_working(place, retried=True)
    for looked in (str(place.working), str(place.published), str(tmp_path / "other")):
        assert looked in str(caught.value)


@pytest.mark.parametrize("where", ["home", "log folder"])
@pytest.mark.parametrize("retried", [True, False])
def test_a_sample_that_was_begun_and_has_lost_its_record_stops(
    place: RecordPlace, where: str, retried: bool
) -> None:
    records.begin(place)
    assert place.published is not None
    for folder in (place.working.parent, Path(place.published).parent):
        if (folder == place.working.parent) != (where == "home"):
            (folder / place.name).with_suffix(".begun").unlink()
    with pytest.raises(RecordError, match="is gone"):
        records.find_working(place, retried=retried)


def test_a_retry_starts_the_samples_that_the_first_run_had_not_begun(place: RecordPlace) -> None:
    records.begin(RecordPlace(place.task_id, "another-sample", 1, place.log_folder))
    assert records.find_working(place, retried=True) is None


def test_another_epoch_is_another_record(place: RecordPlace) -> None:
    written(place.working)
    second = RecordPlace(place.task_id, place.sample_id, 2, place.log_folder)
    assert records.find_working(second, retried=False) is None


def test_what_is_published_is_the_record_with_its_side_files(place: RecordPlace) -> None:
    written(place.working)
    written(place.working.with_suffix(".findings.json"), "{}")
    written(place.working.with_suffix(".db.lock"), "")
    address = records.publish(place)
    assert address == place.published
    names = {path.name for path in Path(str(address)).parent.iterdir()}
    assert names == {place.name, place.name.replace(".db", ".findings.json")}


def test_a_remote_log_folder_is_written_and_read(
    place: RecordPlace, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    remote = RecordPlace(place.task_id, place.sample_id, 1, "memory://bucket/logs")
    written(remote.working)
    records.begin(remote)
    assert records.publish(remote) == f"memory://bucket/logs/records/Task1/{remote.name}"
    monkeypatch.setenv("BAZAARBENCH_HOME", str(tmp_path / "other machine"))
    found = records.find_working(remote, retried=True)
    assert found is not None
    assert found.read_text() == "record"
    assert records.find_scored(remote, remote.published, None).read_text() == "record"


def test_a_score_reads_the_published_record_first(place: RecordPlace) -> None:
    assert place.published is not None
    written(place.working, "home")
    written(place.published, "published")
    assert records.find_scored(place, place.published, None).read_text() == "published"


def test_a_score_without_any_record_says_where_it_looked(
    place: RecordPlace, tmp_path: Path
) -> None:
    with pytest.raises(RecordError) as caught:
        records.find_scored(place, place.published, str(tmp_path / "given"))
    for looked in (str(place.published), str(tmp_path / "given"), str(place.working)):
        assert looked in str(caught.value)


def test_an_address_in_a_log_that_is_not_this_records_is_not_followed(
    place: RecordPlace, tmp_path: Path
) -> None:
    secret = written(tmp_path / "secret.db")
    with pytest.raises(RecordError) as caught:
        records.find_scored(place, str(secret), None)
    assert str(secret) not in str(caught.value)


@pytest.mark.parametrize("task_id", ["../../etc", "a/b", "", "a" * 65, "a b"])
def test_a_task_id_never_leaves_the_folder_of_records(task_id: str) -> None:
    with pytest.raises(RecordError, match="no task id"):
        RecordPlace(task_id, "s", 1, None)


def test_sample_ids_become_file_names_inside_the_folder() -> None:
    hostile = RecordPlace("Task1", "../../../etc/passwd", 1, None)
    assert hostile.working.parent.name == "Task1"
    assert "/" not in hostile.name
