"""One file holds a state whole; anything else than such a file leaves nothing behind."""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
import shutil
import sqlite3
import tarfile
from collections.abc import Callable
from hashlib import sha256
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import zstandard

from bazaarbench import saved_states
from bazaarbench.errors import BazaarError, StateError
from bazaarbench.saved_states import SavedState
from bazaarbench.saved_states.archive import export_state, import_archive
from tests.saved_states.states import contents, shelf, tiny

FLIPS = 60
CUTS = 40


@pytest.fixture
def state() -> SavedState:
    return tiny("one")


@pytest.fixture
def file(state: SavedState, tmp_path: Path) -> Path:
    """The state ``one``, exported."""
    file = tmp_path / "one.bazaar"
    export_state(state, file)
    return file


def test_export_delete_import_gives_the_same_bytes(state: SavedState, file: Path) -> None:
    before = contents(state.path.parent)
    saved_states.delete("one")
    assert shelf() == []
    assert import_archive(file) == state
    assert contents(state.path.parent) == before


def test_equal_states_give_equal_files_much_smaller_than_the_state(
    state: SavedState, file: Path, tmp_path: Path
) -> None:
    export_state(state, tmp_path / "again.bazaar")
    assert (tmp_path / "again.bazaar").read_bytes() == file.read_bytes()
    size = sum(map(len, contents(state.path.parent).values()))
    assert file.stat().st_size < size / 2


def test_under_another_name_the_record_is_the_same(state: SavedState, file: Path) -> None:
    other = import_archive(file, "two")
    assert other.manifest == state.manifest.model_copy(update={"name": "two"})
    assert other.path.read_bytes() == state.path.read_bytes()
    assert saved_states.list_states() == [state, other]


def test_a_taken_or_impossible_name_is_refused(state: SavedState, file: Path) -> None:
    before = contents(state.path.parent)
    with pytest.raises(StateError, match="already"):
        import_archive(file)
    with pytest.raises(StateError, match="lower-case"):
        import_archive(file, "../two")
    assert contents(state.path.parent) == before
    assert shelf() == ["one"]


def test_a_file_that_is_there_is_replaced_only_when_asked(
    state: SavedState, tmp_path: Path
) -> None:
    there = tmp_path / "there"
    there.write_text("mine")
    with pytest.raises(StateError, match="exists already"):
        export_state(state, there)
    assert there.read_text() == "mine"
    export_state(state, there, force=True)
    assert import_archive(there, "two").manifest.digest == state.manifest.digest


def test_what_a_killed_export_left_beside_the_file_is_swept_up_by_the_next(
    state: SavedState, tmp_path: Path
) -> None:
    dead, busy, other = (tmp_path / name for name in (".a.b.1.new", ".a.b.2.new", ".a.c.1.new"))
    for path in (dead, busy, other):
        path.write_bytes(b"x")
    for path in (dead, other):
        os.utime(path, (0, 0))
    export_state(state, tmp_path / "a.b")
    assert {path.name for path in tmp_path.iterdir() if path.is_file()} == {
        "a.b",
        busy.name,
        other.name,
    }


def test_a_damaged_state_is_not_exported(state: SavedState, tmp_path: Path) -> None:
    record = sqlite3.connect(state.path, isolation_level=None)
    record.execute("UPDATE listings SET view_count = view_count + 1")
    record.close()
    with pytest.raises(StateError, match="digest"):
        export_state(state, tmp_path / "x")
    assert not (tmp_path / "x").exists()


def refused(data: bytes, tmp_path: Path, match: str | None = None) -> None:
    broken = tmp_path / "broken.bazaar"
    broken.write_bytes(data)
    with pytest.raises(BazaarError, match=match) as refusal:
        import_archive(broken, "other")
    assert "broken.bazaar" in str(refusal.value)
    assert shelf() == ["one"]


def test_every_cut_is_refused_and_a_flipped_bit_never_changes_what_is_imported(
    state: SavedState, file: Path, tmp_path: Path
) -> None:
    data, chance = file.read_bytes(), random.Random(20261129)
    for length in (0, 1, 4, len(data) - 1, *chance.sample(range(len(data)), CUTS)):
        refused(data[:length], tmp_path)
    for place in (len(data) - 1, *chance.sample(range(6, len(data)), FLIPS)):
        changed = bytearray(data)
        changed[place] ^= 1 << chance.randrange(8)
        refused(bytes(changed), tmp_path)
    # Flags and window size, of which some bits have no meaning for what is unpacked.
    for place, bit in product((4, 5), range(8)):
        changed = bytearray(data)
        changed[place] ^= 1 << bit
        (tmp_path / "flag").write_bytes(changed)
        with contextlib.suppress(BazaarError):
            assert import_archive(tmp_path / "flag", "two").manifest.digest == state.manifest.digest
            saved_states.delete("two")


@pytest.mark.parametrize("more", [b"x", b"\0" * 600, zstandard.compress(b"more")])
def test_what_follows_the_end_is_refused(file: Path, tmp_path: Path, more: bytes) -> None:
    refused(file.read_bytes() + more, tmp_path, "follows its end")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"hello",
        b"PK\x03\x04" + b"x" * 600,
        b"SQLite format 3\0" + b"x" * 600,
        zstandard.compress(b"hello"),
        zstandard.compress(b"\0" * 10_240),
        zstandard.compress(b""),
    ],
)
def test_a_foreign_file_is_refused(
    state: SavedState, file: Path, tmp_path: Path, data: bytes
) -> None:
    refused(data, tmp_path, r"is not an exported market|is damaged or cut off")


def members(file: Path) -> list[tuple[tarfile.TarInfo, bytes]]:
    unpacked = zstandard.ZstdDecompressor().stream_reader(file.open("rb")).read()
    with tarfile.open(fileobj=io.BytesIO(unpacked)) as tar:
        return [(one, tar.extractfile(one).read()) for one in tar]  # type: ignore[union-attr]


def packed(entries: list[tuple[tarfile.TarInfo, bytes]]) -> bytes:
    """A tar of ours, its own checksums whole, whatever stands in it."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for entry, data in entries:
            entry.size = len(data) if entry.isreg() else 0
            tar.addfile(entry, io.BytesIO(data))
    return zstandard.ZstdCompressor(write_checksum=True).compress(out.getvalue())


def edited(file: Path, edit: Callable[[dict[str, Any]], None]) -> bytes:
    """The file with another list of contents."""
    (entry, head), *rest = members(file)
    told = json.loads(head)
    edit(told)
    return packed([(entry, json.dumps(told).encode()), *rest])


def set_value(name: str, value: Any) -> Callable[[dict[str, Any]], None]:
    return lambda told: told.__setitem__(name, value)


def in_first(name: str, value: Any) -> Callable[[dict[str, Any]], None]:
    return lambda told: told["files"][0].__setitem__(name, value)


@pytest.mark.parametrize(
    ("edit", "match"),
    [
        (set_value("version", 2), "newer BazaarBench"),
        (set_value("version", 0), "version"),
        (set_value("schema_version", 99), r"schema 99.*Upgrade"),
        (set_value("schema_version", 0), r"schema 0.*Build the market again"),
        (set_value("format", "other"), "damaged"),
        (set_value("name", "../../one"), "damaged|lower-case"),
        (set_value("colour", 1), "colour"),
        (set_value("files", []), "its contents are"),
        (lambda told: told["files"].append(told["files"][0]), "its contents are"),
        (in_first("name", "../../../evil"), "its contents are"),
        (in_first("name", "/etc/passwd"), "its contents are"),
        (in_first("bytes", 1), "is not where"),
        (in_first("bytes", 1 << 60), "is not where"),
        (in_first("bytes", -1), "bytes"),
        (in_first("sha256", "0" * 64), "another checksum"),
        (lambda told: told["files"].reverse(), "is not where"),
    ],
)
def test_a_list_of_contents_that_lies_is_refused(
    state: SavedState, file: Path, tmp_path: Path, edit: Any, match: str
) -> None:
    refused(edited(file, edit), tmp_path, match)


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE])
def test_links_and_folders_are_no_files(
    state: SavedState, file: Path, tmp_path: Path, kind: bytes
) -> None:
    entries = members(file)
    entries[1][0].type, entries[1][0].linkname = kind, "/etc/passwd"
    refused(packed(entries), tmp_path)


def test_more_files_than_announced_are_refused(file: Path, tmp_path: Path) -> None:
    refused(
        packed([*members(file), (tarfile.TarInfo("../../evil"), b"x")]), tmp_path, "more than it"
    )
    assert not (tmp_path / "evil").exists()


def test_files_that_do_not_belong_together_are_refused(
    state: SavedState, file: Path, tmp_path: Path
) -> None:
    """A whole archive with right checksums around the record of another market."""
    other = tiny("other", seed=2)
    shutil.copyfile(other.path, state.path)
    saved_states.delete("other")
    swapped = [
        (entry, state.path.read_bytes() if entry.name == "record.db" else data)
        for entry, data in members(file)
    ]
    told = json.loads(swapped[0][1])
    for one in told["files"]:
        if one["name"] == "record.db":
            data = state.path.read_bytes()
            one["bytes"], one["sha256"] = len(data), sha256(data).hexdigest()
    swapped[0] = (swapped[0][0], json.dumps(told).encode())
    refused(packed(swapped), tmp_path, "what it holds is no whole state")
    # The advice about a damaged state here would name one that is whole.
    with pytest.raises(StateError) as refusal:
        import_archive(tmp_path / "broken.bazaar", "new")
    assert "market delete" not in str(refusal.value)


def test_a_list_of_contents_without_an_end_of_brackets_is_no_defect(
    file: Path, tmp_path: Path
) -> None:
    (entry, _), *rest = members(file)
    refused(packed([(entry, b"[" * 100_000), *rest]), tmp_path, "no JSON")


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    for path in (tmp_path / "none", tmp_path):
        with pytest.raises(StateError, match="there is no file"):
            import_archive(path)
