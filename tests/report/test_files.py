"""The files of a report: safe names, inert text, no NaN, and the same bytes twice."""

from __future__ import annotations

import csv
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from bazaarbench.effects import Resampling, Tally
from bazaarbench.report.build import build_report
from bazaarbench.report.document import Table, columns
from bazaarbench.report.numbers import Estimate, published, shown
from bazaarbench.report.runs import LoggedRun
from bazaarbench.report.writing import csv_text, escaped, write_report
from tests.report.made import run, share

HOSTILE = (
    "openai/../../etc/passwd",
    "C:\\windows\\nul",
    "a" * 300,
    "CON",
    "=HYPERLINK('x')",
    "<script>alert(1)</script>",
    "$x^2$ | pipe `code` [link](javascript:alert(1))",
    "line\nbreak\ud800",
)
FEW = Resampling(draws=100)


def runs_of(*models: str, market: str = "demo", rules: str = "paper") -> list[LoggedRun]:
    tallies: dict[str, Tally | None] = {
        "deals": Tally.counts([3, 1, 0, 0]),
        "problem_share": share([1, 0, 0, 0], [2, 1, 1, 0]),
        **{f"F1_{stage}": Tally.counts([1, 0, 0, 0]) for stage in ("S2", "S3", "S4", "S5")},
    }
    return [
        run(model, market, condition, tallies=tallies, rules_name=rules)
        for model in models
        for condition in ("L1", "L3")
    ]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("hostile")
    models = tuple(one.encode("utf-8", "replace").decode() for one in HOSTILE)
    write_report(build_report(runs_of(*models, market="<b>&"), resampling=FEW), target / "out")
    return target


def test_every_file_stays_in_its_folder_and_has_a_plain_name(folder: Path) -> None:
    assert [one.name for one in folder.iterdir()] == ["out"]
    for path in (folder / "out").rglob("*"):
        assert re.fullmatch(r"[A-Za-z0-9._-]{1,90}", path.name)


class _Page(HTMLParser):
    """The tags and addresses of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.addresses: list[str] = []
        self.handlers: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        for name, value in attrs:
            if name in ("src", "href"):
                self.addresses.append(value or "")
            if name.startswith("on") or name == "style":
                self.handlers.append(name)


def test_the_page_runs_nothing_and_loads_nothing(folder: Path) -> None:
    text = (folder / "out" / "report.html").read_text("utf-8")
    page = _Page()
    page.feed(text)
    assert "script" not in page.tags
    assert not page.handlers
    for address in page.addresses:
        assert address.startswith(("data:image/svg+xml;base64,", "#", "tables/"))
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', text)
    assert policy is not None
    assert "default-src" in policy[1]
    assert "unsafe" not in policy[1]
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text


def test_markdown_shows_names_as_they_are(folder: Path) -> None:
    text = (folder / "out" / "report.md").read_text("utf-8")
    assert "<script>" not in text
    assert "\\[link\\](javascript:" in text  # brackets that are no link
    assert escaped("a|b\nc") == "a\\|b c"


def test_csv_cells_that_begin_like_a_formula_are_neutralised_and_numbers_are_not() -> None:
    table = Table(
        "t",
        "t",
        columns(("name", "Name"), ("change", "Change")),
        tuple(
            (text, Estimate(-0.25, "points")) for text in ("=1+1", "+1", "-1", "@x", "\tx", "ok")
        ),
    )
    rows = list(csv.reader(csv_text(table).splitlines()))
    assert [row[0] for row in rows[1:]] == ["'=1+1", "'+1", "'-1", "'@x", "'\tx", "ok"]
    assert {row[1] for row in rows[1:]} == {"-0.25"}


def test_no_file_holds_a_nan_or_an_infinity(folder: Path) -> None:
    for path in (folder / "out").rglob("*"):
        if path.suffix in (".csv", ".json"):
            text = path.read_text("utf-8")
            assert not re.search(r"\b(nan|inf|infinity)\b", text, re.IGNORECASE), path


def test_every_figure_is_there_as_svg_and_png(folder: Path) -> None:
    figures = folder / "out" / "figures"
    names = {path.stem for path in figures.iterdir()}
    assert {"figure-3", "figure-4"} <= names
    for name in names:
        assert (figures / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        assert "<svg" in (figures / f"{name}.svg").read_text("utf-8")


def test_writing_twice_changes_nothing(tmp_path: Path) -> None:
    document = build_report(runs_of("a/one", "b/two"), resampling=FEW)
    files = write_report(document, tmp_path)
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in files}
    again = build_report(list(reversed(runs_of("a/one", "b/two"))), resampling=FEW)
    assert write_report(again, tmp_path) == files
    assert {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in files} == before


def test_several_rules_have_tables_of_their_own_and_a_chapter_on_what_they_change() -> None:
    document = build_report(
        [*runs_of("a/one"), *runs_of("a/one", rules="truthful")], resampling=FEW
    )
    names = [table.name for table in document.tables()]
    assert len(set(names)) == len(names)
    assert {"headline-paper", "headline-truthful", "defence-truthful"} <= set(names)
    [health] = [table for table in document.tables() if table.name == "defence-health-truthful"]
    beside = {"ticks_to_completion", "blocked_per_deal", "buyer_surplus_usd", "messages_per_deal"}
    assert beside <= {row[1] for row in health.rows}


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0.70357, "share", "70.4 %"),
        (0.166, "points", "+16.6 pp"),
        (-0.004, "points", "−0.4 pp"),
        (20.194, "usd", "$20.19"),
        (-3.5, "usd", "−$3.50"),
        (1457.0, "count", "1,457"),
        (2.5, "count", "2.5"),
        (1.283, "per100", "128.3"),
        (None, "share", "–"),
    ],
)
def test_numbers_for_people(value: float | None, unit: str, text: str) -> None:
    assert shown(value, unit).replace("\N{NO-BREAK SPACE}", " ") == text  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), None])
def test_what_is_no_number_is_null(value: float | None) -> None:
    assert published(value) is None
    assert str(published(-0.0)) == "0.0"
