"""A document as files: Markdown, HTML, CSV, JSON, SVG and PNG (SPEC §11.2, §12).

Whatever agents, models and people call themselves is data in each of them.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

from bazaarbench.market.files import appearing, explained
from bazaarbench.report.document import Cell, Document, Figure, Section, Table
from bazaarbench.report.figures import files_of
from bazaarbench.report.numbers import Estimate, details, published, shown_estimate, shown_value
from bazaarbench.slug import slug

#: First characters by which a spreadsheet takes a text for a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>|#~$])")
_TABLES, _FIGURES = "tables", "figures"


@dataclass(frozen=True)
class Drawn:
    """A figure's files, and their bytes."""

    svg_name: str
    svg: bytes
    png_name: str
    png: bytes


def write_report(document: Document, folder: Path) -> list[Path]:
    """Write a report into a folder; what is there and equal is left as it is.

    Returns:
        The files, in the order of the document.

    Raises:
        RecordError: a file cannot be written.
    """
    drawn = {figure.name: _drawn(figure) for figure in document.figures()}
    written = [
        put(folder / "report.md", markdown(document, drawn).encode()),
        put(folder / "report.html", html(document, drawn).encode()),
        put(folder / "report.json", json_text(as_json(document)).encode()),
    ]
    for table in document.tables():
        written.append(put(folder / _TABLES / csv_name(table), csv_text(table).encode()))
    for one in drawn.values():
        written.append(put(folder / one.svg_name, one.svg))
        written.append(put(folder / one.png_name, one.png))
    return written


def put(path: Path, data: bytes) -> Path:
    """Write a file whole, unless it is there and equal.

    Raises:
        RecordError: it cannot be written.
    """
    with explained(path, "write"):
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_file() and path.read_bytes() == data:
            return path
        with appearing(path) as workpiece:
            workpiece.write_bytes(data)
    return path


def _drawn(figure: Figure) -> Drawn:
    svg, png = files_of(figure.draw)
    name = slug(figure.name)
    return Drawn(f"{_FIGURES}/{name}.svg", svg, f"{_FIGURES}/{name}.png", png)


def csv_name(table: Table) -> str:
    """The file name of a table."""
    return f"{slug(table.name)}.csv"


def as_json(document: Document) -> dict[str, Any]:
    """The document as plain JSON: an estimate by its parts, undefined as null."""
    return {
        "title": document.title,
        "text": list(document.text),
        "sections": [
            {
                "name": one.name,
                "title": one.title,
                "text": list(one.text),
                "tables": [_table_json(item) for item in one.items if isinstance(item, Table)],
            }
            for one in document.sections
        ],
    }


def _table_json(table: Table) -> dict[str, Any]:
    return {
        "name": table.name,
        "title": table.title,
        "source": table.source,
        "notes": list(table.notes),
        "rows": [
            {column.key: _cell_json(cell) for column, cell in zip(table.columns, row, strict=True)}
            for row in table.rows
        ],
    }


def _cell_json(cell: Cell) -> Any:
    if not isinstance(cell, Estimate):
        return cell
    parts = {name.removeprefix("_") or "value": number for name, number in cell.parts().items()}
    return {name: number for name, number in parts.items() if number is not None} | {
        "value": cell.value,
        "unit": cell.unit,
    }


def json_text(value: Any) -> str:
    """JSON in one form: sorted keys, no NaN."""
    return json.dumps(value, indent=1, sort_keys=True, ensure_ascii=True, allow_nan=False) + "\n"


def csv_text(table: Table) -> str:
    """A table as CSV: a column for each part of an estimate that some row has."""
    rows = [dict(_csv_cells(table, row)) for row in table.rows]
    names = list(_csv_columns(table))
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([neutral(name) for name in names])
    for row in rows:
        writer.writerow([_csv_value(row.get(name)) for name in names])
    return out.getvalue()


def _csv_columns(table: Table) -> Iterator[str]:
    for index, column in enumerate(table.columns):
        cells = [row[index] for row in table.rows]
        estimates = [cell for cell in cells if isinstance(cell, Estimate)]
        if not estimates:
            yield column.key
            continue
        for name in estimates[0].parts():
            if (
                name == ""
                or any(one.parts()[name] for one in estimates)
                or (name in ("_n", "_d") and any(one.d is not None for one in estimates))
            ):
                yield f"{column.key}{name}"


def _csv_cells(table: Table, row: Sequence[Cell]) -> Iterator[tuple[str, Any]]:
    for column, cell in zip(table.columns, row, strict=True):
        if isinstance(cell, Estimate):
            for name, value in cell.parts().items():
                yield f"{column.key}{name}", value
        else:
            yield column.key, cell


def _csv_value(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, int | float):
        return number_text(value)
    return neutral(str(value))


def number_text(value: float) -> str:
    """A number in CSV: whole numbers without a point."""
    known = published(value)
    if known is None:
        return ""
    return str(int(known)) if known.is_integer() and abs(known) < 1e15 else repr(known)


def neutral(text: str) -> str:
    """A text that no spreadsheet takes for a formula; numbers never come here."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def markdown(document: Document, drawn: Mapping[str, Drawn]) -> str:
    """The document as Markdown, with tables as pipes and figures as links to their files."""
    lines = [f"# {escaped(document.title)}", ""]
    for text in document.text:
        lines += [escaped(text), ""]
    for section in document.sections:
        lines += [f"## {escaped(section.title)}", ""]
        for text in section.text:
            lines += [escaped(text), ""]
        for item in section.items:
            if isinstance(item, Table):
                lines += _markdown_table(item)
            else:
                told = f"{escaped(item.title)}{_source(item.source)}"
                image = f"![{escaped(item.alt)}]({drawn[item.name].svg_name})"
                lines += [f"**{told}**", "", image, ""]
    return "\n".join(lines).rstrip() + "\n"


def _markdown_table(table: Table) -> list[str]:
    address = f"[CSV]({_TABLES}/{csv_name(table)})"
    lines = [f"**{escaped(table.title)}**{_source(table.source)} · {address}", ""]
    if table.rows:
        lines.append("| " + " | ".join(escaped(one.title) for one in table.columns) + " |")
        numeric = [is_numeric(table, index) for index in range(len(table.columns))]
        lines.append("|" + "|".join("--:" if one else "---" for one in numeric) + "|")
        for row in table.rows:
            lines.append("| " + " | ".join(escaped(cell_text(cell)) for cell in row) + " |")
    else:
        lines.append("Nothing to show.")
    lines.append("")
    lines += [f"- {escaped(note)}" for note in table.notes]
    return [*lines, ""] if table.notes else lines


def _source(source: str) -> str:
    return f" ({escaped(source)} of the study)" if source else ""


def escaped(text: str) -> str:
    """A text that Markdown shows as it is, on one line."""
    return _MARKDOWN.sub(r"\\\1", " ".join(text.split(" ")).replace("\n", " ").replace("\r", " "))


def cell_text(cell: Cell) -> str:
    """A cell for people."""
    if cell is None:
        return ""
    return shown_estimate(cell) if isinstance(cell, Estimate) else cell


def is_numeric(table: Table, index: int) -> bool:
    """Whether a column holds numbers."""
    return any(isinstance(row[index], Estimate) for row in table.rows)


def html(document: Document, drawn: Mapping[str, Drawn]) -> str:
    """The document as one page that loads nothing and runs nothing."""
    environment = Environment(
        loader=PackageLoader("bazaarbench.report", "templates"),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    style = (Path(__file__).parent / "templates" / "page.css").read_text("utf-8")
    page = environment.get_template("report.html.j2")
    return page.render(
        document=document,
        sections=[(one, _anchor(one)) for one in document.sections],
        # The only text that is not escaped is ours.
        style=Markup(style),
        policy=policy(style),
        is_table=lambda item: isinstance(item, Table),
        numeric=is_numeric,
        value=lambda cell: shown_value(cell) if isinstance(cell, Estimate) else cell_text(cell),
        details=_details,
        image=lambda name: data_uri(drawn[name].svg),
        csv=lambda table: f"{_TABLES}/{csv_name(table)}",
    )


def policy(style: str, script: str | None = None) -> str:
    """A content security policy: nothing but this style, this script and images inside."""
    parts = [
        "default-src 'none'",
        "img-src data:",
        f"style-src '{_hash(style)}'",
        *([f"script-src '{_hash(script)}'"] if script is not None else []),
        "base-uri 'none'",
        "form-action 'none'",
    ]
    return "; ".join(parts)


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def data_uri(svg: bytes) -> str:
    """An SVG as an address that is inside the page."""
    return "data:image/svg+xml;base64," + base64.b64encode(svg).decode()


def _anchor(section: Section) -> str:
    return slug(section.name)


def _details(cell: Cell) -> tuple[str, ...]:
    """What stands small beneath a number."""
    return details(cell) if isinstance(cell, Estimate) else ()
