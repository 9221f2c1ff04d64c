"""What is missing, damaged or of another version is said on the page, without a traceback."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from bazaarbench import plugins
from bazaarbench.findings import build, findings_path, load
from bazaarbench.judge.results import results_path
from bazaarbench.judge.store import store_path
from bazaarbench.market.texts import text_path
from bazaarbench.released import import_released
from tests.released.generator import bulk
from tests.viewer.played import client_of, copied, edit_json, site_of
from tests.viewer.reading import Seen, safe


class Looked:
    """A bare record that is looked at."""

    def __init__(self, record: Path) -> None:
        self.record = record
        self.site = site_of(record)
        self.client: TestClient = client_of(self.site)
        self.run = f"/run/{self.site.found().runs[0].key}"

    def page(self, path: str, status: int = 200) -> Seen:
        answer = self.client.get(f"{self.run}/{path}")
        assert answer.status_code == status, answer.text
        return safe(answer.text)

    @property
    def deal(self) -> str:
        deals = load(findings_path(self.record)).deals
        completed = next(deal for deal in deals if deal.end == "completed")
        return f"deal/{completed.thread}.html"


@pytest.fixture
def record(logs: Path, tmp_path: Path) -> Path:
    return copied(logs, tmp_path / "copy")


def test_a_record_that_is_deleted_while_open_leaves_what_was_measured(record: Path) -> None:
    looked = Looked(record)
    deal = looked.deal
    assert "Timeline" in looked.page(deal).words
    record.unlink()
    seen = looked.page(deal)
    assert "has been deleted since it was opened" in seen.words
    assert "In which numbers it is" in seen.words
    assert "Timeline" not in seen.words
    for path in ("index.html", "deals.html", "objects.html", "measure/completion.html"):
        assert "deleted since it was opened" in looked.page(path).words
    assert "record of this run is gone" in looked.page("agent/1.html", 409).words


def test_a_record_that_was_never_there_says_where_it_was_looked_for(record: Path) -> None:
    looked = Looked(record)
    record.unlink()
    assert str(record) in looked.page("index.html", 409).words


def test_missing_texts_are_said_where_they_would_stand(record: Path) -> None:
    text_path(record).unlink()
    looked = Looked(record)
    seen = looked.page(looked.deal)
    assert "is in none of its side files" in seen.words
    assert "Decision note" in seen.words


def test_a_missing_judge_is_unscored_and_not_clean(record: Path) -> None:
    results_path(record).unlink()
    store_path(record).unlink()
    looked = Looked(record)
    assert "No judge: F4, F5text, F6 are unscored" in looked.page("index.html").words
    assert "No judge was asked" in looked.page(looked.deal).words


def test_a_missing_file_of_the_judge_leaves_its_verdicts(record: Path) -> None:
    store_path(record).unlink()
    looked = Looked(record)
    seen = looked.page(looked.deal)
    verdict = next(one for one in seen.values("href") if "../verdict/" in one)
    page = looked.page(f"deal/{verdict}")
    assert "is not beside the record" in page.words
    assert "What it wrote" not in page.words
    assert "Decisions" in page.words


def test_an_unscored_verdict_says_why(record: Path) -> None:
    looked = Looked(record)
    thread = int(looked.deal.split("/")[1].removesuffix(".html"))

    def unscore(judged: dict[str, Any]) -> None:
        for one in judged["verdicts"]:
            if one["bundle_id"].startswith(f"deal:{thread}:"):
                one |= {"status": "unscored", "reason": "refused: the provider", "decisions": []}
                return
        judged["verdicts"].append(
            {
                **judged["verdicts"][0],
                "bundle_id": f"deal:{thread}:by:1",
                "status": "unscored",
                "reason": "refused: the provider",
                "decisions": [],
            }
        )

    edit_json(results_path(record), unscore)
    seen = looked.page(looked.deal)
    assert "unscored" in seen.words
    assert "refused: the provider" in seen.words


def test_without_findings_it_is_measured_and_said(record: Path) -> None:
    before = load(findings_path(record))
    findings_path(record).unlink()
    looked = Looked(record)
    seen = looked.page("index.html")
    assert "has not been scored" in seen.words
    assert f"What became of {len(before.deals)} deals" in seen.words
    assert not findings_path(record).exists()


def test_findings_of_another_layout_are_not_trusted(record: Path) -> None:
    edit_json(findings_path(record), lambda found: found.update(format=1))
    words = Looked(record).page("index.html").words
    assert "layout 1" in words
    assert "measured just now" in words


def test_findings_of_other_checks_are_shown_as_they_are(record: Path) -> None:
    edit_json(findings_path(record), lambda found: found.update(checks_version="0-Z"))
    assert "Measured under checks version 0-Z" in Looked(record).page("index.html").words


def test_a_record_of_another_schema_is_refused_in_words(record: Path) -> None:
    connection = sqlite3.connect(record)
    connection.execute("PRAGMA user_version=99")
    connection.close()
    assert "record schema 99" in Looked(record).page("index.html", 409).words


def test_a_damaged_record_is_refused_in_words(record: Path) -> None:
    record.write_bytes(record.read_bytes()[:5000])
    assert "cut off" in Looked(record).page("index.html", 409).words


def test_turns_without_texts_say_so(record: Path) -> None:
    connection = sqlite3.connect(record)
    connection.execute(
        "UPDATE turns SET observation = NULL, prompt = '[]', reply = '[]', usage = '{}'"
    )
    connection.commit()
    connection.close()
    looked = Looked(record)
    seen = looked.page(looked.deal)
    assert "The record holds no observation of this turn" in seen.words
    turn = next(one for one in seen.values("href") if "../turn/" in one)
    assert "holds no prompt" in looked.page(f"deal/{turn.split('#')[0]}").words


def test_imported_data_says_what_it_lacks(tmp_path: Path) -> None:
    files = bulk.grow_pair(tmp_path, events=2_000, agents=20, ticks=(60, 24), seed=6)
    state, _ = import_released(files[1], name="looked at", base=files[0])
    findings = build(state.path, plugins.load().failure_types.values())
    looked = Looked(state.path)
    assert "Imported from a released database" in looked.page("index.html").words
    for deal in findings.deals:
        seen = looked.page(f"deal/{deal.thread}.html")
        assert "In which numbers it is" in seen.words
    assert "Its observation is no JSON" in seen.words
    turns = [one for one in seen.values("href") if "../turn/" in one]
    assert "Raw reply 1" in looked.page(f"deal/{turns[0].split('#')[0]}").words
    looked.page(f"agent/{findings.tested[0]}.html")
    looked.page("objects.html")


def test_a_log_without_its_record_says_where_it_looked(
    logs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BAZAARBENCH_HOME", str(tmp_path / "home"))
    for log in logs.glob("*.eval"):
        (tmp_path / log.name).write_bytes(log.read_bytes())
    site = site_of(tmp_path)
    client = client_of(site)
    seen = safe(client.get("/").text)
    assert "bazaar-L3-paper" in seen.words
    for source in site.found().runs:
        answer = client.get(f"/run/{source.key}/index.html")
        assert answer.status_code == 409
        assert "Looked at" in safe(answer.text).words


def test_a_file_that_is_no_log_is_left_out_and_named(logs: Path, tmp_path: Path) -> None:
    (tmp_path / "2026-01-01T00-00-00-00-00_continuation_x.eval").write_bytes(b"no log")
    for log in logs.glob("*.eval"):
        (tmp_path / log.name).write_bytes(log.read_bytes())
    seen = safe(client_of(site_of(tmp_path)).get("/").text)
    assert "cannot be read as a log" in seen.words
