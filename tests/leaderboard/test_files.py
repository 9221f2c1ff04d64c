"""CSV, page and records of a leaderboard."""

from __future__ import annotations

import csv
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from bazaarbench.effects import Resampling
from bazaarbench.errors import BazaarError
from bazaarbench.evals.logged import Collected
from bazaarbench.leaderboard import leaderboard_of, write_leaderboard
from bazaarbench.leaderboard.records import check, record_of, record_path, schema
from bazaarbench.report.runs import LoggedRun
from tests.report.made import whole

FEW = Resampling(draws=100)
HOSTILE = ("openai/../../x", "a:b", "x" * 300, "CON", "=1+1/<script>alert(1)</script>", "..")


def runs_of(*models: str) -> list[LoggedRun]:
    return [whole(model, condition) for model in models for condition in ("L1", "L2", "L3")]


def write(folder: Path, runs: Any) -> list[Path]:
    return write_leaderboard(leaderboard_of(runs, resampling=FEW), folder)


def test_records_fit_every_eval_ever(tmp_path: Path, collected: Collected) -> None:
    _, _, *records = write(tmp_path, collected.runs)
    assert len(records) == 2
    for path in records:
        record = json.loads(path.read_text("utf-8"))
        check(record)
        assert record["schema_version"] == "0.3.0"
        # One day is too short for targets: undefined has no result.
        names = {one["evaluation_name"] for one in record["evaluation_results"]}
        assert "bazaarbench.problem_share[L3-L1]" in names
        assert "bazaarbench.both_on_target[L1]" not in names


@pytest.mark.parametrize(
    "spoil",
    [
        lambda record: record.pop("model_info"),
        lambda record: record.update(extra=1),
        lambda record: record["evaluation_results"][0]["score_details"].update(score=None),
        lambda record: record["evaluation_results"][0]["metric_config"].pop("lower_is_better"),
        lambda record: record["source_metadata"].update(evaluator_relationship="self"),
        lambda record: record["source_metadata"]["additional_details"].update(number=1),
    ],
)
def test_a_record_that_does_not_fit_is_refused(spoil: Any) -> None:
    [track] = leaderboard_of(runs_of("a/one"), resampling=FEW).tracks
    record = record_of(track, track.rows[0])
    spoil(record)
    with pytest.raises(BazaarError, match=r"does not fit Every Eval Ever 0\.3\.0"):
        check(record)


def test_the_schema_is_a_schema() -> None:
    from jsonschema import Draft7Validator  # type: ignore[import-untyped]

    Draft7Validator.check_schema(schema())


def test_ids_are_stable_and_writing_twice_changes_nothing(tmp_path: Path) -> None:
    files = write(tmp_path, runs_of("a/one", "b/two"))
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in files}
    assert write(tmp_path, list(reversed(runs_of("a/one", "b/two")))) == files
    assert {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in files} == before


def test_ids_tell_settings_and_tracks_apart() -> None:
    runs = [*runs_of("a/one"), *(whole("a/one", c, settings="t=1") for c in ("L1", "L2", "L3"))]
    [track] = leaderboard_of(runs, resampling=FEW).tracks
    records = [record_of(track, row) for row in track.rows]
    assert len({one["evaluation_id"] for one in records}) == 2
    assert len({record_path(track, row) for row in track.rows}) == 2
    assert {one["model_info"]["id"] for one in records} == {"a/one"}


def test_hostile_model_names_give_safe_files_and_inert_text(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    files = write(folder, runs_of(*HOSTILE))
    assert [one.name for one in tmp_path.iterdir()] == ["out"]
    assert len({str(path).lower() for path in files}) == len(HOSTILE) + 2
    for path in folder.rglob("*"):
        assert re.fullmatch(r"[A-Za-z0-9._-]{1,90}", path.name)
    with (folder / "leaderboard.csv").open(encoding="utf-8", newline="") as lines:
        models = {row["model"] for row in csv.DictReader(lines)}
    assert "'=1+1/<script>alert(1)</script>" in models
    page = (folder / "leaderboard.html").read_text("utf-8")
    assert "<script>alert" not in page


class _Page(HTMLParser):
    """Addresses, handlers and headers of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.inline: list[str] = []
        self.heads = 0
        self.sorted: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        self.heads += tag == "th" and "scope" in named
        if "aria-sort" in named:
            self.sorted.append(str(named["aria-sort"]))
        for name, value in attrs:
            if name in ("src", "href"):
                self.addresses.append(value or "")
            if name.startswith("on") or name == "style":
                self.inline.append(name)


def test_the_page_loads_nothing_and_its_policy_names_its_only_script(tmp_path: Path) -> None:
    write(tmp_path, runs_of("a/one"))
    text = (tmp_path / "leaderboard.html").read_text("utf-8")
    page = _Page()
    page.feed(text)
    assert page.addresses == ["leaderboard.csv"]
    assert not page.inline
    assert page.sorted == ["ascending"]
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', text)
    assert policy is not None
    assert policy[1].count("sha256-") == 2
    assert "unsafe" not in policy[1]


def test_csv_numbers_are_numbers_and_no_file_holds_nan(tmp_path: Path) -> None:
    for path in write(tmp_path, runs_of("a/one", "b/two")):
        if path.suffix == ".html":
            continue
        text = path.read_text("utf-8").replace('"Infinity"', "").replace('"-Infinity"', "")
        assert not re.search(r"\b(nan|inf|infinity)\b", text, re.IGNORECASE)
    with (tmp_path / "leaderboard.csv").open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            assert float(row["problem_share[L1]"]) == 0.1
            assert float(row["earnings_usd[L1]_low"]) < float(row["earnings_usd[L1]"])


def test_without_continuations_the_page_says_so(tmp_path: Path) -> None:
    write(tmp_path, [])
    assert "no continuations" in (tmp_path / "leaderboard.html").read_text("utf-8")
