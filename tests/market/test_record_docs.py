"""``docs/record.md`` describes every table and column of a record, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import sqlite_utils

from bazaarbench.market.record import Record
from bazaarbench.market.schema import DIGEST_TABLES
from bazaarbench.market.texts import text_path
from tests.market.rows import founded, info_of

PAGE = Path(__file__).parents[2] / "docs" / "record.md"
_HEADING = re.compile(r"^### (\*?)`(\w+)`\*?$", re.MULTILINE)


def described() -> dict[str, list[str]]:
    """Table → columns, as the page has them."""
    parts = _HEADING.split(PAGE.read_text(encoding="utf-8"))
    sections = zip(parts[2::3], parts[3::3], strict=True)
    return {name: _columns(text) for name, text in sections}


def _columns(section: str) -> list[str]:
    """The first cells of a section's first table."""
    table = section[section.index("| column | meaning |") :].split("\n\n", maxsplit=1)[0]
    return re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)


def test_the_page_names_every_table_and_column_in_order(tmp_path: Path) -> None:
    market = founded()
    path = tmp_path / "m.db"
    with Record.create(path, market, info_of(market)) as record:
        record.texts.put("text")
        record.commit(market)
    real = {}
    for file in (path, text_path(path)):
        database = sqlite_utils.Database(file)
        real |= {table.name: [c.name for c in table.columns] for table in database.tables}
        database.close()
    assert described() == real


def test_the_page_marks_the_tables_outside_the_digest() -> None:
    marked = {name: bool(star) for star, name in _HEADING.findall(PAGE.read_text("utf-8"))}
    assert {name for name, outside in marked.items() if not outside} == set(DIGEST_TABLES)
