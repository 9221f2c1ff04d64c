"""Files that are no eBay sample: one clear error that names the file and what to do (SPEC §3.1)."""

from __future__ import annotations

import gzip
import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from bazaarbench.catalogue import CatalogueError
from bazaarbench.catalogue.csv_rows import COLUMNS
from bazaarbench.catalogue.promptcloud import load
from bazaarbench.catalogue.tally import Mode
from tests.catalogue.samples import distinct, row, write


def _sound(path: Path) -> bytes:
    rows = [distinct(number, Title=f"Kopfhörer no {number}") for number in range(40)]
    return write(path, *rows).read_bytes()


def _zipped(data: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("ebay.csv", data)
    return packed.getvalue()


def _line(data: bytes, number: int, change: Callable[[bytes], bytes]) -> bytes:
    lines = data.split(b"\r\n")
    lines[number - 1] = change(lines[number - 1])
    return b"\r\n".join(lines)


HEADER = ",".join(COLUMNS).encode()
BROKEN: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "empty": (lambda data: b"", "is empty"),
    "blank": (lambda data: b"\n \n\r\n", "is empty"),
    "header alone": (lambda data: HEADER + b"\r\n", "Nothing is left of the 0 rows"),
    "zip": (_zipped, "is a ZIP archive"),
    "gzip": (gzip.compress, "is a gzip archive"),
    "png": (lambda data: b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(200), "Line 1 of"),
    "zeros": (lambda data: bytes(3_000_000), "has a NUL byte"),
    "one endless line": (lambda data: b"x" * 3_000_000, "more than 1,000,000 bytes"),
    "a hole": (lambda data: data[:3_000] + bytes(512) + data[3_512:], "has a NUL byte"),
    "utf-16": (lambda data: data.decode().encode("utf-16"), "is UTF-16"),
    "latin-1": (lambda data: data.decode().encode("latin-1"), "Line 2 of"),
    "json": (lambda data: b'{"items": []}\n', "has 1 comma-separated columns"),
    "html": (lambda data: b"<html><body>Not found</body></html>", "1 comma-separated columns"),
    "semicolons": (lambda data: data.replace(b",", b";"), "has 1 comma-separated columns"),
    "no header": (lambda data: data.split(b"\r\n", 1)[1], "not those of the eBay sample"),
    "a column missing": (lambda data: data.replace(b"Stock,", b"", 1), "missing are 'Stock'"),
    "a column renamed": (
        lambda data: data.replace(b",Price,", b",Preis,", 1),
        "missing are 'Price'; not among them are 'Preis'",
    ),
    "columns in another order": (
        lambda data: data.replace(b"Title,Num Of Reviews", b"Num Of Reviews,Title", 1),
        "another order",
    ),
    "a quote too many": (
        lambda data: _line(data, 7, lambda line: line.replace(b"ebay.com,", b'ebay.com,"', 1)),
        "begins on line 7 is not proper CSV",
    ),
    "a quote too few": (
        lambda data: _line(data, 9, lambda line: line.replace(b'743"', b"743", 1)),
        "begins on line 9 is not proper CSV",
    ),
    "a loose quote and a field too many": (
        lambda data: _line(data, 9, lambda line: line.replace(b'743"', b'743"x,y', 1)),
        "begins on line 9 is not proper CSV",
    ),
    "a carriage return inside a line": (
        lambda data: _line(data, 9, lambda line: line.replace(b"ebay.com,", b"ebay\r.com,", 1)),
        "begins on line 9 is not proper CSV",
    ),
    "line ends of old Macs": (
        lambda data: data.replace(b"\r\n", b"\r"),
        "begins on line 1 is not proper CSV",
    ),
    "an endless field": (
        lambda data: _line(data, 9, lambda line: line.replace(b"ebay.com,", b"x" * 200_000, 1)),
        "begins on line 9 is not proper CSV",
    ),
    "cut off inside quotes": (
        lambda data: data[: data.rindex(b'T&T"')],
        "begins on line 41 is not proper CSV",
    ),
}


@pytest.mark.parametrize("kind", BROKEN)
@pytest.mark.parametrize("mode", ["clean", "strict"])
def test_a_broken_file_gives_one_error_that_says_what_and_where(
    kind: str, mode: Mode, tmp_path: Path
) -> None:
    path = tmp_path / "broken.csv"
    change, says = BROKEN[kind]
    path.write_bytes(change(_sound(path)))
    with pytest.raises(CatalogueError) as refused:
        load(path, mode)
    message = str(refused.value)
    assert says in message
    assert str(path) in message
    assert "PromptCloud" in message
    assert "25 columns" in message
    assert any(word in message for word in ("Download", "download", "Unpack", "Save", "Give"))
    assert len(message) < 1_000


def test_nothing_left_says_why(tmp_path: Path) -> None:
    path = write(tmp_path / "ebay.csv", row(Price="NA"), row(Price="NA"), row(Title=""))
    with pytest.raises(CatalogueError) as refused:
        load(path)
    assert "3 rows" in str(refused.value)
    assert "1 × no title; 2 × no price" in str(refused.value)


def test_a_missing_file_and_a_folder_are_named(tmp_path: Path) -> None:
    for path in (tmp_path / "nowhere.csv", tmp_path):
        with pytest.raises(CatalogueError) as refused:
            load(path)
        assert f"{path} cannot be read" in str(refused.value)
