"""What models were asked and answered: a content-addressed side file of a record (SPEC §5.5).

Observations, prompts and replies are many times larger than the market itself and no measure of the
market needs them, so they lie in ``<record>.text.db``. A forked record does not copy them: it names
the side files of its ancestors.
"""

from __future__ import annotations

import os
import sqlite3
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple, Self

import zstandard

from bazaarbench import paths
from bazaarbench.errors import RecordError
from bazaarbench.market.files import (
    check,
    close_single,
    connect,
    connect_read_only,
    explained,
    transaction,
)
from bazaarbench.market.schema import SCHEMA_VERSION

#: "BzrT".
TEXT_APPLICATION_ID = 0x427A7254
_WHAT = "text side file"
_LEVEL = 1
#: Texts are compressed together up to about this many bytes; reading one unpacks its whole frame.
_FRAME_BYTES = 1 << 20
#: How many digests of stored texts are remembered, so that a repeated prompt is not written again.
#: A text that is written twice all the same, after a resume, costs its size and nothing else.
_KNOWN = 100_000
_DIGEST_BYTES = 16
#: A model may write lone surrogates; what it wrote is kept as it is.
_ERRORS = "surrogatepass"


def text_path(record: Path) -> Path:
    """Where the texts of the record at ``record`` lie."""
    return record.with_name(f"{record.stem}.text.db")


class _Frame(NamedTuple):
    """A frame unpacked: where it lies, where each text ends, and all texts."""

    place: tuple[Path, int]
    ends: list[int]
    data: bytes

    def text(self, number: int) -> str:
        return self.data[self.ends[number] : self.ends[number + 1]].decode(errors=_ERRORS)


class TextStore:
    """Texts by the digest of their content.

    The writing store is fed through ``put`` and written by ``flush``, before the tick that refers
    to it is committed: a committed tick never lacks a text, and a text without a tick harms nobody.
    """

    def __init__(self, record: Path, parents: Sequence[str] = ()) -> None:
        """Attach to the side file of a record; it is created by the first text.

        Args:
            record: the record's path.
            parents: side files of the records it was forked from, as stored in its ``meta``.
        """
        self.record = record
        self.path = text_path(record)
        self.parents = tuple(parents)
        self._writer: sqlite3.Connection | None = None
        self._readers: dict[Path, sqlite3.Connection] = {}
        #: Of each file that was read from: the digests of its frames, as far as they were known.
        self._shelves: dict[Path, dict[int, bytes]] = {}
        self._pending: dict[bytes, bytes] = {}
        self._known: set[bytes] = set()
        #: The frame unpacked last, and which one it is.
        self._unpacked: _Frame | None = None
        self._compress = zstandard.ZstdCompressor(level=_LEVEL).compress
        self._decompress = zstandard.ZstdDecompressor().decompress

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def put(self, text: str) -> str:
        """Keep a text; returns the 32 hex digits by which ``get`` finds it, unchanged."""
        data = text.encode(errors=_ERRORS)
        # Half of a SHA-256: processors have instructions for it, and nobody attacks these names.
        digest = sha256(data).digest()[:_DIGEST_BYTES]
        if digest not in self._known:
            self._pending[digest] = data
            if len(self._known) >= _KNOWN:
                self._known.clear()
            self._known.add(digest)
        return digest.hex()

    def get(self, digest: str) -> str:
        """The text of a digest, from this side file or an ancestor's.

        Raises:
            RecordError: it is nowhere; the message names the side files that are missing.
        """
        key = bytes.fromhex(digest)
        if key in self._pending:
            return self._pending[key].decode(errors=_ERRORS)
        missing = []
        for name, path in [(str(self.path), self.path), *self._ancestors()]:
            if path is None or not path.exists():
                missing.append(name)
                continue
            with explained(path, "read"):
                text = self._find_in(path, key)
            if text is not None:
                return text
        where = f" These side files are missing: {', '.join(missing)}." if missing else ""
        raise RecordError(
            f"the text {digest} of {self.record} is in none of its side files.{where} Put them "
            "beside the record, or back where they were."
        )

    def get_many(self, digests: Iterable[str]) -> dict[str, str]:
        """Those of some texts that are found, by digest; each frame is unpacked once."""
        left = {bytes.fromhex(digest) for digest in digests}
        waiting = left & self._pending.keys()
        found = {key.hex(): self._pending[key].decode(errors=_ERRORS) for key in waiting}
        left -= waiting
        for path in (self.path, *(path for _, path in self._ancestors())):
            if not left or path is None or not path.exists():
                continue
            with explained(path, "read"):
                reader = self._reader(path)
                places = [(place, key) for key in left if (place := self._place(path, reader, key))]
                for place, key in sorted(places):
                    found[key.hex()] = self._text_at(path, reader, place)
                    left.discard(key)
        return found

    def flush(self) -> None:
        """Write what was put since the last time, in one transaction."""
        if not self._pending:
            return
        with explained(self.path, "write"):
            if self._writer is None:
                self._writer = self._open()
            with transaction(self._writer):
                for texts in _frames(self._pending):
                    self._write_frame(self._writer, texts)
        self._pending.clear()

    def _write_frame(self, writer: sqlite3.Connection, texts: Mapping[bytes, bytes]) -> None:
        """One row for all of them: a row and an index entry a text would double what they cost."""
        writer.execute(
            "INSERT INTO frames (digests, lengths, data) VALUES (?, ?, ?)",
            (
                b"".join(texts),
                _packed([len(text) for text in texts.values()]),
                self._compress(b"".join(texts.values())),
            ),
        )

    def _find_in(self, path: Path, key: bytes) -> str | None:
        reader = self._reader(path)
        place = self._place(path, reader, key)
        return None if place is None else self._text_at(path, reader, place)

    def _text_at(self, path: Path, reader: sqlite3.Connection, place: tuple[int, int]) -> str:
        frame, number = place
        # Whoever reads one text of a tick reads its neighbours next.
        if self._unpacked is None or self._unpacked.place != (path, frame):
            query = "SELECT lengths, data FROM frames WHERE id = ?"
            lengths, data = reader.execute(query, (frame,)).fetchone()
            ends = list(accumulate(_unpacked(lengths), initial=0))
            self._unpacked = _Frame((path, frame), ends, self._decompress(data))
        return self._unpacked.text(number)

    def _place(self, path: Path, reader: sqlite3.Connection, key: bytes) -> tuple[int, int] | None:
        """The frame that holds a text and the text's number in it; looks for new frames once."""
        shelf = self._shelves.setdefault(path, {})
        place = _search(shelf, key)
        if place is None:
            query = "SELECT id, digests FROM frames WHERE id > ?"
            new = dict(reader.execute(query, (max(shelf, default=0),)).fetchall())
            shelf.update(new)
            place = _search(new, key)
        return place

    def close(self) -> None:
        """Close all files; texts not flushed belong to no committed tick and are let go."""
        for reader in self._readers.values():
            reader.close()
        self._readers.clear()
        if self._writer is not None:
            writer, self._writer = self._writer, None
            with explained(self.path, "close"):
                close_single(writer)

    def inherited_by(self, fork: Path) -> tuple[str, ...]:
        """The side files that a fork of this record at ``fork`` refers to, nearest first."""
        own = [(str(self.path), self.path)] if self.path.exists() else []
        return tuple(
            name if path is None else _name_for(fork, path)
            for name, path in [*own, *self._ancestors()]
        )

    def _ancestors(self) -> list[tuple[str, Path | None]]:
        return [(name, _find(self.record, name)) for name in self.parents]

    def _open(self) -> sqlite3.Connection:
        if self.path.exists() and self.path.stat().st_size:
            check(self.path, what=_WHAT, application_id=TEXT_APPLICATION_ID)
            return connect(self.path)
        # The header is written before the write-ahead log begins, so that it is always in the file.
        connection = sqlite3.connect(self.path, isolation_level=None)
        with transaction(connection):
            connection.execute(
                "CREATE TABLE frames (id INTEGER PRIMARY KEY, digests BLOB NOT NULL, "
                "lengths BLOB NOT NULL, data BLOB NOT NULL) STRICT"
            )
            connection.execute(f"PRAGMA application_id={TEXT_APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version={SCHEMA_VERSION}")
        connection.close()
        return connect(self.path)

    def _reader(self, path: Path) -> sqlite3.Connection:
        if path == self.path and self._writer is not None:
            return self._writer
        reader = self._readers.get(path)
        if reader is None:
            check(path, what=_WHAT, application_id=TEXT_APPLICATION_ID)
            reader = self._readers[path] = connect_read_only(path)
        return reader


def _search(shelf: Mapping[int, bytes], key: bytes) -> tuple[int, int] | None:
    """The frame whose digests hold a key, and at which place."""
    for frame, digests in shelf.items():
        at = digests.find(key)
        while at >= 0:
            number, rest = divmod(at, _DIGEST_BYTES)
            if not rest:
                return frame, number
            at = digests.find(key, at + 1)
    return None


def _packed(lengths: Sequence[int]) -> bytes:
    return struct.pack(f"<{len(lengths)}I", *lengths)


def _unpacked(lengths: bytes) -> tuple[int, ...]:
    return struct.unpack(f"<{len(lengths) // 4}I", lengths)


def _frames(texts: Mapping[bytes, bytes]) -> Iterator[dict[bytes, bytes]]:
    """The texts in groups of about ``_FRAME_BYTES``."""
    group: dict[bytes, bytes] = {}
    size = 0
    for digest, data in texts.items():
        group[digest] = data
        size += len(data)
        if size >= _FRAME_BYTES:
            yield group
            group, size = {}, 0
    if group:
        yield group


def _name_for(record: Path, side_file: Path) -> str:
    """How ``record`` names a side file: relative to the data folder, else to its own folder."""
    side_file = side_file.absolute()
    home = paths.home()
    if side_file.is_relative_to(home):
        return side_file.relative_to(home).as_posix()
    try:
        return Path(os.path.relpath(side_file, record.absolute().parent)).as_posix()
    except ValueError:  # another drive of Windows: there is no relative path
        return side_file.as_posix()


def _find(record: Path, name: str) -> Path | None:
    """The side file that ``record`` calls ``name``: where it was, or beside the record."""
    folder = record.absolute().parent
    for candidate in (paths.home() / name, folder / name, folder / Path(name).name):
        if candidate.exists() and candidate.absolute() != text_path(record).absolute():
            return candidate
    return None
