"""The page about the import names every released table and column (docs/released-data.md)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.released.generator.schema import NEW, column_names

PAGE = (Path(__file__).parents[2] / "docs" / "released-data.md").read_text(encoding="utf-8")
COLUMNS = column_names(NEW)


def about(table: str) -> str:
    """What the page says about a table: its section, or its row among those not imported."""
    section = re.search(rf"^### {table}$(.*?)(?=^##)", PAGE, re.MULTILINE | re.DOTALL)
    row = re.search(rf"^\| `{table}` \|.*$", PAGE, re.MULTILINE)
    found = section or row
    assert found is not None, f"{table} is not on the page"
    return found[0]


@pytest.mark.parametrize("table", COLUMNS)
def test_every_column_has_a_line(table: str) -> None:
    text = about(table)
    if text.startswith("###"):
        named = re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)
        assert sorted(named) == sorted(COLUMNS[table])
    else:
        named = re.findall(r"`(\w+)`", text)
        assert named == [table, *COLUMNS[table]]


def test_every_note_is_explained() -> None:
    package = Path(__file__).parents[2] / "bazaarbench" / "released"
    code = "".join(path.read_text(encoding="utf-8") for path in sorted(package.glob("*.py")))
    notes = set(re.findall(r'notes\["(\w+)"\]', code))
    compared = {f"differing_{what}" for what in re.findall(r'_compare\(market, "(\w+)"', code)}
    section = PAGE[PAGE.index("## What `notes` counts") :]
    explained = {
        name
        for line in section.splitlines()
        if line.startswith("| `")
        for name in re.findall(r"`(\w+)`", line.split("|")[1])
    }
    assert notes | compared == explained
