"""A saved state as one file: a tar of its files, compressed with Zstandard (SPEC §13).

The first entry, ``bazaarbench-state.json``, says what the others are: names, sizes, SHA-256. What
is read is compared with it before anything takes its place among the states, so that a file that
was cut off, changed or comes from elsewhere leaves nothing behind.
"""

from __future__ import annotations

import glob
import io
import json
import os
import tarfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import IO, Annotated, Any, Literal

import zstandard
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bazaarbench.errors import StateError
from bazaarbench.market.files import appearing as appearing_file
from bazaarbench.market.files import explained
from bazaarbench.market.schema import SCHEMA_VERSION
from bazaarbench.market.texts import text_path
from bazaarbench.saved_states import shelf
from bazaarbench.saved_states.manifest import (
    MANIFEST_NAME,
    RECORD_NAME,
    DamagedStateError,
    Manifest,
    SavedState,
    read_manifest,
    verify_whole,
)
from bazaarbench.truth import truth_path

FORMAT: Literal["bazaarbench-state"] = "bazaarbench-state"
FORMAT_VERSION = 1
#: How a file that Zstandard wrote begins.
MAGIC = b"\x28\xb5\x2f\xfd"
_CONTENTS = f"{FORMAT}.json"
_MAX_CONTENTS_BYTES = 1 << 20
_CHUNK = 1 << 20
#: Small, because it may unpack to thousands of times its size.
_PACKED_CHUNK = 1 << 14
_LEVEL = 6
#: An export writes all the time; one that has not for so long is dead. In seconds.
_ABANDONED_S = 600
#: The files of a state that travel with it. What stands beside a record while it is written stays.
_FILES = (
    MANIFEST_NAME,
    RECORD_NAME,
    text_path(Path(RECORD_NAME)).name,
    truth_path(Path(RECORD_NAME)).name,
)

#: Told (bytes done, bytes in all).
Progress = Callable[[int, int], None]


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    name: str
    bytes: Annotated[int, Field(ge=0)]
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class _Contents(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    format: Literal["bazaarbench-state"]
    version: Annotated[int, Field(ge=1)]
    name: str
    benchmark_version: str
    schema_version: int
    files: list[_File]


def export_state(
    state: SavedState, file: Path, *, force: bool = False, progress: Progress | None = None
) -> None:
    """Write a state to one file; equal states give equal bytes.

    Its own texts travel with it; those of the records that it was forked from do not.

    Args:
        state: a saved state with a name.
        file: where; it appears whole or not at all.
        force: whether a file that is there is replaced.
        progress: told the bytes that were read.

    Raises:
        StateError: the state is damaged, or ``file`` exists.
        RecordError: the file cannot be written.
    """
    if file.exists() and not force:
        raise StateError(f"{file} exists already. Choose another file, or give --force.")
    # Under the lock, so that nobody replaces or deletes what is being read.
    with shelf.locked(state.path.parent) as folder:
        state = shelf.read_state(folder)
        verify_whole(state)
        paths = [folder / name for name in _FILES if (folder / name).exists()]
        with explained(file, "write"):
            _export(state, paths, file, progress)


def _export(state: SavedState, paths: list[Path], file: Path, progress: Progress | None) -> None:
    contents = _Contents(
        format=FORMAT,
        version=FORMAT_VERSION,
        name=state.name,
        benchmark_version=state.manifest.benchmark_version,
        schema_version=state.manifest.schema_version,
        files=[_file(path) for path in paths],
    )
    count = _Counter(sum(one.bytes for one in contents.files), progress)
    _sweep(file)
    with appearing_file(file) as workpiece, workpiece.open("wb") as out:
        _write(out, contents, paths, count)
        out.flush()
        os.fsync(out.fileno())


def _sweep(file: Path) -> None:
    """Remove what killed exports to ``file`` have left beside it, where nobody sees it."""
    for left in file.parent.glob(f".{glob.escape(file.name)}.*.new"):
        with suppress(FileNotFoundError):  # somebody else sweeps too
            if time.time() - left.stat().st_mtime > _ABANDONED_S:
                left.unlink()


def import_archive(
    file: Path, name: str | None = None, *, progress: Progress | None = None
) -> SavedState:
    """Take a state from a file that ``export_state`` wrote; it is there whole or not at all.

    Args:
        file: the file; it is only read.
        name: what the state is to be called here; its own name without one.
        progress: told the bytes that were written.

    Raises:
        StateError: the name is taken, or the file is cut off, damaged, newer, or no such file.
        RecordError: the state cannot be written.
    """
    with _opened(file) as (tar, unpacked), _understood(file):
        contents = _contents(file, tar)
        called = shelf.check_new_name(contents.name if name is None else name)
        with shelf.locked(shelf.folder_of(called)) as folder:
            with shelf.appearing(folder, called=called) as workshop:
                count = _Counter(sum(one.bytes for one in contents.files), progress)
                for one in contents.files:
                    _take(file, tar, one, workshop, count)
                if tar.next() is not None:
                    raise _damaged(file, "it holds more than it says")
                unpacked.finish()
                _adopt(file, contents, workshop, called)
            return shelf.read_state(folder)


class _Unpacked(io.RawIOBase):
    """A Zstandard file unpacked bit by bit, as ``tarfile`` reads it.

    The library's own reader takes a file that was cut off for one that ends.
    """

    def __init__(self, source: IO[bytes]) -> None:
        self._source = source
        self._decompressor = zstandard.ZstdDecompressor().decompressobj()
        self._ready = b""

    def read(self, size: int = -1) -> bytes:
        """Up to ``size`` bytes; none at the end.

        Raises:
            EOFError: the file was cut off.
            ZstdError: it is damaged.
        """
        parts, missing = [self._ready], size - len(self._ready)
        while missing > 0 and not self._decompressor.eof:
            packed = self._source.read(_PACKED_CHUNK)
            if not packed:
                raise EOFError("it ends too early")
            parts.append(self._decompressor.decompress(packed))
            missing -= len(parts[-1])
        ready = b"".join(parts)
        self._ready = ready[size:]
        return ready[:size]

    def finish(self) -> None:
        """Read to the end, where the checksum over all of it stands.

        Raises:
            EOFError: something follows it, or it is missing.
        """
        while self.read(_CHUNK):
            pass
        if self._decompressor.unused_data or self._source.read(1):
            raise EOFError("something follows its end")


class _Counter:
    def __init__(self, total: int, progress: Progress | None) -> None:
        self._done, self._total, self._progress = 0, total, progress

    def add(self, count: int) -> None:
        self._done += count
        if self._progress is not None:
            self._progress(self._done, self._total)


def _file(path: Path) -> _File:
    total, size = sha256(), 0
    with path.open("rb") as source:
        while chunk := source.read(_CHUNK):
            total.update(chunk)
            size += len(chunk)
    return _File(name=path.name, bytes=size, sha256=total.hexdigest())


def _write(out: IO[bytes], contents: _Contents, paths: list[Path], count: _Counter) -> None:
    compressor = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True)
    with (
        compressor.stream_writer(out, closefd=False) as packed,
        tarfile.open(fileobj=packed, mode="w|", format=tarfile.USTAR_FORMAT) as tar,
    ):
        head = contents.model_dump_json(indent=1).encode()
        tar.addfile(_entry(_CONTENTS, len(head)), io.BytesIO(head))
        for path, one in zip(paths, contents.files, strict=True):
            with path.open("rb") as source:
                tar.addfile(_entry(one.name, one.bytes), source)
            count.add(one.bytes)


def _entry(name: str, size: int) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = size, 0o644
    return entry


@contextmanager
def _opened(file: Path) -> Iterator[tuple[tarfile.TarFile, _Unpacked]]:
    with explained(file, "read"):
        if not file.is_file():
            raise StateError(f"there is no file {file}. Give the path of an exported market.")
        with file.open("rb") as source:
            if source.read(len(MAGIC)) != MAGIC:
                raise _foreign(file)
            source.seek(0)
            with _understood(file):
                unpacked = _Unpacked(source)
                with tarfile.open(fileobj=unpacked, mode="r|") as tar:
                    yield tar, unpacked


@contextmanager
def _understood(file: Path) -> Iterator[None]:
    """Say of what the readers of tar and Zstandard trip over that the file is damaged."""
    try:
        yield
    except (tarfile.TarError, zstandard.ZstdError, EOFError) as error:
        raise _damaged(file, str(error)) from error


def _contents(file: Path, tar: tarfile.TarFile) -> _Contents:
    first = tar.next()
    if first is None or first.name != _CONTENTS or first.size > _MAX_CONTENTS_BYTES:
        raise _foreign(file)
    source = tar.extractfile(first)
    try:
        told: Any = json.loads(source.read()) if source is not None else None
    except (ValueError, RecursionError) as error:
        raise _damaged(file, "its list of contents is no JSON") from error
    version = told.get("version") if isinstance(told, dict) else None
    if isinstance(version, int) and version > FORMAT_VERSION:
        raise StateError(
            f"{file} was written by a newer BazaarBench (format {version}; this one reads "
            f"{FORMAT_VERSION}). Upgrade BazaarBench to import it."
        )
    try:
        contents = _Contents.model_validate(told)
    except ValidationError as error:
        fault = error.errors(include_input=False)[0]
        where = ".".join(map(str, fault["loc"]))
        raise _damaged(file, f"its list of contents: {where}: {fault['msg']}") from error
    names = [one.name for one in contents.files]
    if not {MANIFEST_NAME, RECORD_NAME} <= set(names) <= set(_FILES) or len(names) != len(
        set(names)
    ):
        raise _damaged(file, f"its contents are {', '.join(names):.300}")
    if contents.schema_version != SCHEMA_VERSION:
        newer = contents.schema_version > SCHEMA_VERSION
        raise StateError(
            f"{file} holds a record of schema {contents.schema_version}, this BazaarBench reads "
            f"schema {SCHEMA_VERSION}. "
            + ("Upgrade BazaarBench." if newer else "Build the market again and export it anew.")
        )
    return contents


def _take(file: Path, tar: tarfile.TarFile, wanted: _File, workshop: Path, count: _Counter) -> None:
    """Write one file of the archive, no byte more than was announced."""
    entry = tar.next()
    source = None if entry is None or entry.name != wanted.name else tar.extractfile(entry)
    if entry is None or source is None or entry.size != wanted.bytes:
        raise _damaged(file, f"{wanted.name} is not where its list of contents says")
    total = sha256()
    with (workshop / wanted.name).open("xb") as out:
        while chunk := source.read(_CHUNK):
            total.update(chunk)
            out.write(chunk)
            count.add(len(chunk))
    if total.hexdigest() != wanted.sha256:
        raise _damaged(file, f"{wanted.name} has another checksum")


def _adopt(file: Path, contents: _Contents, workshop: Path, called: str) -> None:
    """Look whether the files are a state, and give it its name here."""
    try:
        manifest = read_manifest(workshop)
        verify_whole(SavedState(manifest.name, workshop / RECORD_NAME, manifest))
    except DamagedStateError as error:
        # Without its advice, which is about a state that is here.
        raise _damaged(file, f"what it holds is no whole state: {error.fault}") from error
    if manifest.name != contents.name:
        raise _damaged(file, "its list of contents names another state")
    if called != manifest.name:
        _rename(workshop, manifest, called)


def _rename(workshop: Path, manifest: Manifest, called: str) -> None:
    text = manifest.model_copy(update={"name": called}).model_dump_json(indent=1)
    (workshop / MANIFEST_NAME).write_text(text, encoding="utf-8")


def _damaged(file: Path, why: str) -> StateError:
    return StateError(
        f"{file} is damaged or cut off: {why}. Nothing was imported; take the file again from "
        "where it came from."
    )


def _foreign(file: Path) -> StateError:
    return StateError(
        f"{file} is not an exported market. 'bazaarbench market export NAME FILE' writes one; a "
        "released database is an SQLite file (.db)."
    )
