"""The leaderboard as files: CSV, one page, records."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

from bazaarbench.leaderboard.columns import LeaderColumn
from bazaarbench.leaderboard.records import record_of, record_path
from bazaarbench.leaderboard.rows import Leaderboard, Row, Track
from bazaarbench.report.measures import measure
from bazaarbench.report.numbers import UNDEFINED, details, shown, shown_value
from bazaarbench.report.writing import json_text, neutral, number_text, policy, put

_TEMPLATES = Path(__file__).parent / "templates"


def write_leaderboard(board: Leaderboard, folder: Path) -> list[Path]:
    """Write a leaderboard into a folder; what is there and equal is left as it is.

    Returns:
        The files: CSV, page, then a record for each row.

    Raises:
        RecordError: a file cannot be written.
    """
    written = [
        put(folder / "leaderboard.csv", csv_text(board).encode()),
        put(folder / "leaderboard.html", html(board).encode()),
    ]
    for track in board.tracks:
        for row in track.rows:
            record = json_text(record_of(track, row))
            written.append(put(folder / record_path(track, row), record.encode()))
    return written


def csv_text(board: Leaderboard) -> str:
    """A line for each row, with every part of every number."""
    columns = board.columns
    lines = [dict(_csv_cells(track, row, columns)) for track in board.tracks for row in track.rows]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    names = list(lines[0]) if lines else ["model"]
    writer.writerow(names)
    for line in lines:
        writer.writerow([_csv_value(line[name]) for name in names])
    return out.getvalue()


def _csv_cells(
    track: Track, row: Row, columns: Sequence[LeaderColumn]
) -> Iterator[tuple[str, Any]]:
    yield "rank", row.rank
    yield "model", row.model
    yield "settings", row.settings
    yield "track", track.digest
    yield "rules", track.rules
    yield "benchmark_version", track.about["benchmark_version"]
    yield "checks_version", track.about["checks_version"]
    yield "cells", row.cells
    yield "cells_expected", row.expected
    yield "runs", row.runs
    for column in columns:
        for part, value in row.values.get(column.key, UNDEFINED).parts().items():
            if column.contrast is None or part not in ("_n", "_d"):
                yield f"{column.key}{part}", value
    yield "usd", row.usd
    yield "input_tokens", row.input_tokens
    yield "output_tokens", row.output_tokens
    yield "judge", row.judge
    yield "not_ranked", "; ".join(row.reasons)
    yield "remarks", "; ".join(row.remarks)


def _csv_value(value: Any) -> str:
    if value is None:
        return ""
    return number_text(value) if isinstance(value, int | float) else neutral(str(value))


def html(board: Leaderboard) -> str:
    """One page that works from a file, loads nothing and runs one script, which sorts."""
    environment = Environment(
        loader=PackageLoader("bazaarbench.leaderboard", "templates"),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    style = (Path(__file__).parents[1] / "report" / "templates" / "page.css").read_text("utf-8")
    style += (_TEMPLATES / "leaderboard.css").read_text("utf-8")
    script = (_TEMPLATES / "sort.js").read_text("utf-8")
    return environment.get_template("leaderboard.html.j2").render(
        board=board,
        groups=_groups,
        # Style and script are ours, and the policy names their digests.
        style=Markup(style),
        script=Markup(script),
        policy=policy(style, script),
        shown=shown_value,
        details=details,
        number=lambda value: "" if value is None else number_text(value),
        usd=lambda value: shown(value, "usd"),
        about=lambda track: json.dumps(track.about, indent=1, sort_keys=True, ensure_ascii=False),
        short=_short,
    )


def _groups(columns: Sequence[LeaderColumn]) -> list[tuple[str, int, str]]:
    """Measures with the number of their columns and the better direction, as a first header."""
    groups: list[tuple[str, int, str]] = []
    for column in columns:
        about = measure(column.measure)
        if groups and groups[-1][0] == about.title:
            groups[-1] = (about.title, groups[-1][1] + 1, about.better)
        else:
            groups.append((about.title, 1, about.better))
    return groups


def _short(column: LeaderColumn) -> str:
    """What stands under a measure's title."""
    if column.contrast is not None:
        return f"{column.contrast.high} − {column.contrast.low}"
    return column.condition or "all"
