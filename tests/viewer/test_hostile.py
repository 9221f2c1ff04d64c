"""Whatever an agent wrote is shown as it is: nothing runs, nothing is loaded, nothing is lost."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from bazaarbench.findings import findings_path, load
from bazaarbench.viewer.literal import SHOWN, literal, named, short, whole
from tests.viewer.hostile import HOSTILE, MEGABYTE, spoil
from tests.viewer.played import client_of, copied, site_of
from tests.viewer.reading import safe


class Spoilt:
    """A run in which every text is hostile."""

    def __init__(self, record: Path) -> None:
        self.record = record
        self.site = site_of(record)
        self.client: TestClient = client_of(self.site)
        self.run = f"/run/{self.site.found().runs[0].key}"

    def pages(self) -> Iterator[str]:
        yield "index.html"
        yield "deals.html"
        yield "objects.html"
        found = load(findings_path(self.record))
        for deal in found.deals[:6]:
            yield f"deal/{deal.thread}.html"
        yield "agent/1.html"
        yield "agent/6.html"
        connection = sqlite3.connect(self.record)
        turns = connection.execute("SELECT turn_id FROM turns ORDER BY turn_id DESC LIMIT 3")
        yield from [f"turn/{turn_id}.html" for (turn_id,) in turns]
        connection.close()


@pytest.fixture(scope="session")
def spoilt(logs: Path, tmp_path_factory: pytest.TempPathFactory) -> Spoilt:
    record = copied(logs, tmp_path_factory.mktemp("hostile"))
    spoil(record)
    return Spoilt(record)


def test_no_page_holds_anything_that_could_run_or_load(spoilt: Spoilt) -> None:
    for path in spoilt.pages():
        answer = spoilt.client.get(f"{spoilt.run}/{path}")
        assert answer.status_code == 200, (path, answer.text[:400])
        safe(answer.content.decode("utf-8"))


def test_every_hostile_text_of_a_deal_is_there_to_read(spoilt: Spoilt) -> None:
    deal = load(findings_path(spoilt.record)).deals[0].thread
    page = spoilt.client.get(f"{spoilt.run}/deal/{deal}.html").text
    assert 'id="story"' in page
    text = safe(page).text
    for piece in HOSTILE:
        assert named(piece).replace("[U+", "U+").replace("]", "") in text.replace("]", ""), piece


def test_nothing_of_a_megabyte_is_lost(spoilt: Spoilt) -> None:
    connection = sqlite3.connect(spoilt.record)
    (turn_id,) = connection.execute("SELECT max(turn_id) FROM turns").fetchone()
    connection.close()
    seen = safe(spoilt.client.get(f"{spoilt.run}/turn/{turn_id}.html").text)
    assert seen.text.count("M") >= MEGABYTE
    assert f"{MEGABYTE - SHOWN:,} more characters" in seen.words


def test_a_hostile_search_is_a_search(spoilt: Spoilt) -> None:
    for piece in HOSTILE:
        text = piece.encode("utf-8", "replace").decode()
        answer = spoilt.client.get(f"{spoilt.run}/deals.html", params={"q": text})
        assert answer.status_code == 200
        safe(answer.text)


@pytest.mark.parametrize(
    "path", ["<script>alert(1)</script>", "run/%3Csvg%20onload=x%3E/index.html"]
)
def test_an_address_is_not_repeated_as_markup(client: TestClient, path: str) -> None:
    answer = client.get(f"/{path}")
    assert answer.status_code == 404
    safe(answer.text)


def test_unseen_characters_are_named_where_they_stand() -> None:
    assert literal("a\u202eb\x00c\ud800d\u200be") == (
        '<bdi>a<span class="unseen">U+202E</span>b<span class="unseen">U+0000</span>c'
        '<span class="unseen">U+D800</span>d<span class="unseen">U+200B</span>e</bdi>'
    )
    assert named("x\u2066y") == "x[U+2066]y"
    assert literal("Grand piano 🎹 é 日本 سلام") == "<bdi>Grand piano 🎹 é 日本 سلام</bdi>"


def test_markup_is_text() -> None:
    assert literal("</bdi><script>") == "<bdi>&lt;/bdi&gt;&lt;script&gt;</bdi>"
    assert short("one\ntwo\n\n three") == "<bdi>one two three</bdi>"
    assert short("x" * 500, 10) == f"<bdi>{'x' * 9}…</bdi>"


def test_a_long_text_is_folded_and_whole() -> None:
    text = whole("Ω" * (SHOWN + 3))
    assert text.count("Ω") == SHOWN + 3
    assert "3 more characters" in text


def test_json_that_is_hostile_is_data(spoilt: Spoilt) -> None:
    assert json.dumps("\ud800") == '"\\ud800"'
    text = safe(spoilt.client.get(f"{spoilt.run}/objects.html").text).text
    assert "{{7*7}}" in text
