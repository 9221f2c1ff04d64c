"""Where the records of runs lie and how they are found again (DESIGN §3.7).

The working record is always local: ``<home>/records/<task id>/<sample>-<epoch>.db``. When its
sample ends it is a single closed file and is published, with its side files, to the folder of the
log. The task id survives a retry, so a retry finds what an interrupted run has left.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import fsspec  # type: ignore[import-untyped]

from bazaarbench import paths
from bazaarbench.errors import RecordError
from bazaarbench.evals.samples import file_stem
from bazaarbench.market.record import copy

#: Folder that is looked into for records, beside the log's own.
FOLDER_VARIABLE = "BAZAARBENCH_RECORDS"
_RECORDS = "records"
#: What stands beside a record and travels with it; the lock and SQLite's own files stay.
FINDINGS = ".findings.json"
#: What a judge was asked and answered, and what came of it.
JUDGED = (".judge.db", ".judge.json")
#: What answers cost whose tick was never committed.
LOST = ".lost.jsonl"
_SIDE_FILES = (".text.db", ".truth.jsonl", LOST, FINDINGS, *JUDGED)
#: Says that the record of a sample was begun, so that a retry never starts again in silence.
_BEGUN = ".begun"
_TASK_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


@dataclass(frozen=True)
class RecordPlace:
    """Which record, and the log folder (a path or a URL) that it is published to."""

    task_id: str
    sample_id: str
    epoch: int
    log_folder: str | None

    def __post_init__(self) -> None:
        """Refuse a task id that would leave the folder of records.

        Raises:
            RecordError: The id, which may come from a log, is none.
        """
        if not _TASK_ID.fullmatch(self.task_id):
            raise RecordError(
                f"{self.task_id!r} is no task id of Inspect, so no record can be found by it; the "
                "log that it comes from was not written by this benchmark."
            )

    @property
    def name(self) -> str:
        """File name of the record."""
        return f"{file_stem(self.sample_id, self.epoch)}.db"

    @property
    def working(self) -> Path:
        """The record while its run is going on."""
        return paths.records_dir() / self.task_id / self.name

    @property
    def published(self) -> str | None:
        """The record beside the log, when the log folder is known."""
        if self.log_folder is None:
            return None
        return f"{self.log_folder.rstrip('/')}/{_RECORDS}/{self.task_id}/{self.name}"


def folder_of(location: str) -> str:
    """The folder of a log, as a path or a URL."""
    if "://" in location:
        return location.rsplit("/", 1)[0]
    return str(Path(location).absolute().parent)


def begin(place: RecordPlace) -> None:
    """Note, here and in the log folder, that a record is being begun."""
    working = place.working.with_suffix(_BEGUN)
    paths.made(working.parent)
    working.touch()
    if place.published is not None:
        with _opened(_sibling(place.published, _BEGUN), "wb") as marker:
            marker.write(b"")


def find_working(place: RecordPlace, *, retried: bool) -> Path | None:
    """The record to go on with, brought into the home folder; ``None`` for a sample not yet begun.

    Args:
        place: Which record.
        retried: Whether the run goes on from an earlier log.

    Raises:
        RecordError: The sample was begun before, or the run is a retry of which nothing is left,
            and no record is found; the message says where it looked.
    """
    if place.working.is_file():
        return place.working
    looked = [str(place.working)]
    begun = place.working.with_suffix(_BEGUN).exists()
    task_seen = place.working.parent.exists()
    for candidate in _elsewhere(place):
        looked.append(candidate)
        if _exists(candidate):
            _fetch(candidate, place.working)
            return place.working
        begun = begun or _exists(_sibling(candidate, _BEGUN))
        task_seen = task_seen or _exists(candidate.rsplit("/", 1)[0])
    if begun or (retried and not task_seen):
        raise RecordError(_missing(place, looked, "This run goes on from an earlier one"))
    return None


def publish(place: RecordPlace) -> str | None:
    """Copy the closed record and its side files beside the log; the record's address there.

    Each file appears whole or not at all. ``None`` when the log folder is not known.
    """
    if place.published is None:
        return None
    for suffix in (*_SIDE_FILES, ".db"):
        source = place.working.with_suffix(suffix)
        if source.exists():
            upload(source, _sibling(place.published, suffix))
    return place.published


def publish_findings(place: RecordPlace, record: Path, published: str | None) -> None:
    """Copy the findings of a record beside the copy of it that was published."""
    if published is not None and _is_address_of(published, place) and _exists(published):
        return_findings(FoundRecord(record, published))


def publish_judged(place: RecordPlace, published: str | None) -> None:
    """Copy what a judge said of a working record beside the record that was published."""
    if published is not None and _is_address_of(published, place) and _exists(published):
        return_judged(FoundRecord(place.working, published))


def publish_copy(place: RecordPlace) -> None:
    """Publish what the record holds now, while the run goes on writing it.

    The texts follow at the end: no measure needs them and a resumed run does not read them.
    """
    if place.published is None:
        return
    snapshot = place.working.with_suffix(".snapshot")
    copy(place.working, snapshot)
    try:
        upload(snapshot, place.published)
    finally:
        snapshot.unlink()


@dataclass(frozen=True)
class FoundRecord:
    """A record that was found: its address, and the local file, a copy when that is elsewhere."""

    path: Path
    address: str


def return_findings(found: FoundRecord) -> None:
    """Put the findings of a record beside the one that it is a copy of."""
    files, path = fsspec.core.url_to_fs(found.address)
    if not _is_local(files) or Path(path) != found.path:
        upload(found.path.with_suffix(FINDINGS), _sibling(found.address, FINDINGS))


def return_judged(found: FoundRecord) -> None:
    """Put what a judge said of a record beside the one that it is a copy of."""
    files, path = fsspec.core.url_to_fs(found.address)
    if _is_local(files) and Path(path) == found.path:
        return
    for suffix in JUDGED:
        source = found.path.with_suffix(suffix)
        if source.exists():
            upload(source, _sibling(found.address, suffix))


def find_scored(place: RecordPlace, published: str | None, folder: str | None) -> Path:
    """The file of the record that a score is made from; arguments and errors as ``locate``."""
    return locate(place, published, folder).path


def locate(place: RecordPlace, published: str | None, folder: str | None) -> FoundRecord:
    """The record that a score is made from.

    Args:
        place: Which record.
        published: Its address as the sample's store has it; only an address that ends like this
            record's is followed.
        folder: ``-S records=``.

    Raises:
        RecordError: It is in none of the places, which the message names.
    """
    address = address_of(place, published, folder)
    return FoundRecord(_local(address, place), address)


def address_of(place: RecordPlace, published: str | None, folder: str | None) -> str:
    """Where the record lies that a score is made from; arguments and errors as ``locate``."""
    looked = []
    if published is not None and _is_address_of(published, place):
        looked.append(published)
    if folder is not None:
        looked.extend(_inside(folder, place))
    looked.extend(_elsewhere(place))
    looked.append(str(place.working))
    for candidate in dict.fromkeys(looked):
        if _exists(candidate):
            return candidate
    raise RecordError(_missing(place, list(dict.fromkeys(looked)), "Scores are read from it"))


def findings_addresses(place: RecordPlace) -> list[str]:
    """Where the findings of a record may lie, the log's own folder first."""
    places = [*_elsewhere(place), str(place.working)]
    return [_sibling(address, FINDINGS) for address in dict.fromkeys(places)]


def _is_address_of(address: str, place: RecordPlace) -> bool:
    return address.endswith(f"/{_RECORDS}/{place.task_id}/{place.name}")


def _elsewhere(place: RecordPlace) -> Iterator[str]:
    if place.published is not None:
        yield place.published
    folder = os.environ.get(FOLDER_VARIABLE)
    if folder:
        yield from _inside(folder, place)


def _inside(folder: str, place: RecordPlace) -> Iterator[str]:
    root = folder.rstrip("/")
    yield f"{root}/{place.task_id}/{place.name}"
    yield f"{root}/{_RECORDS}/{place.task_id}/{place.name}"


def _missing(place: RecordPlace, looked: list[str], why: str) -> str:
    places = "\n  ".join(looked)
    return (
        f"the record of sample {place.sample_id}, epoch {place.epoch}, is gone. {why}. Looked at:\n"
        f"  {places}\nPut the file back, name its folder with {FOLDER_VARIABLE}=… (or -S records=… "
        "when scoring), or start a new run with 'inspect eval'."
    )


def _sibling(address: str, suffix: str) -> str:
    return f"{address.removesuffix('.db')}{suffix}"


def _exists(address: str) -> bool:
    files, path = fsspec.core.url_to_fs(address)
    return bool(files.exists(path))


def _opened(address: str, mode: str) -> Any:
    files, path = fsspec.core.url_to_fs(address)
    files.makedirs(str(PurePosixPath(path).parent), exist_ok=True)
    return files.open(path, mode)


def upload(source: Path, address: str) -> None:
    """Copy a file; at its address it appears whole or not at all.

    Raises:
        RecordError: It cannot be copied.
    """
    files, path = fsspec.core.url_to_fs(address)
    try:
        files.makedirs(str(PurePosixPath(path).parent), exist_ok=True)
        if not _is_local(files):
            files.put_file(str(source), path)
            return
        partial = Path(f"{path}.partial")
        shutil.copyfile(source, partial)
        os.replace(partial, path)
    except OSError as error:
        raise RecordError(
            f"{source} cannot be copied to {address}: {error}. The record itself is whole; free "
            "some space or mend the address, and resume the run."
        ) from error


def _fetch(address: str, target: Path) -> None:
    """Bring a record and its side files to ``target``; the record last, so it is never alone."""
    paths.made(target.parent)
    for suffix in (*_SIDE_FILES, ".db"):
        source = _sibling(address, suffix)
        # A judge's file that is here already holds what a scoring paid for before it was killed.
        if (suffix == JUDGED[0] and target.with_suffix(suffix).exists()) or not _exists(source):
            continue
        files, path = fsspec.core.url_to_fs(source)
        partial = target.with_suffix(suffix + ".partial")
        files.get_file(path, str(partial))
        os.replace(partial, target.with_suffix(suffix))


def _local(address: str, place: RecordPlace) -> Path:
    files, path = fsspec.core.url_to_fs(address)
    if _is_local(files):
        return Path(path)
    target = paths.home() / "fetched" / place.task_id / place.name
    _fetch(address, target)
    return target


def _is_local(files: Any) -> bool:
    protocol = files.protocol if isinstance(files.protocol, tuple) else (files.protocol,)
    return "file" in protocol
