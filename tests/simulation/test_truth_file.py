"""The truth file is whole up to its last line, or it is named with what is wrong in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from bazaarbench.errors import RecordError
from bazaarbench.truth import Planted, TruthLog, read

ENTRY = Planted(1, 2, "F1", 3, 4, 5, None, "")


@pytest.mark.parametrize("garbage", [b"{", b"[1]", b'{"tick": 1}', b"\xff", b"null"])
def test_a_line_that_is_none_of_ours_is_named(tmp_path: Path, garbage: bytes) -> None:
    path = tmp_path / "m.truth.jsonl"
    TruthLog(path, last_tick=0).write([ENTRY])
    path.write_bytes(path.read_bytes() + garbage + b"\n")
    with pytest.raises(RecordError, match=r"^line 2 of the truth file .*m\.truth\.jsonl"):
        read(path)


def test_a_last_line_that_was_cut_short_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "m.truth.jsonl"
    TruthLog(path, last_tick=0).write([ENTRY])
    path.write_bytes(path.read_bytes() + b'{"tick": 2')
    assert read(path) == [ENTRY]
