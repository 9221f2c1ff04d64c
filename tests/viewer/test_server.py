"""The server answers to this machine alone, reads alone, and lets nothing in from elsewhere."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tests.viewer.played import findings_of, record_of


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost:7576", "LOCALHOST", "[::1]:7576", "[::1]"]
)
def test_a_name_of_this_machine_is_answered(client: TestClient, host: str) -> None:
    assert client.get("/", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "127.0.0.1.evil.example",
        "evil.example:7576",
        "localhost.evil.example",
        "127.0.0.1@evil.example",
        "0.0.0.0",
        "",
        "127.0.0.1:7576:80",
    ],
)
def test_another_name_is_refused_and_told_nothing(client: TestClient, host: str) -> None:
    answer = client.get("/", headers={"host": host})
    assert answer.status_code == 421
    assert "bazaar" not in answer.text


@pytest.mark.parametrize("path", ["", "static/viewer.css", "nothing.html", "compare.html"])
def test_every_answer_carries_the_policy(client: TestClient, path: str) -> None:
    policy = client.get(f"/{path}").headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_nothing_can_be_changed(client: TestClient, method: str) -> None:
    assert client.request(method, "/").status_code == 405


@pytest.mark.parametrize(
    "path",
    [
        "static/../app.py",
        "static/%2e%2e/app.py",
        "static/..%2fapp.py",
        "run/../../etc/passwd",
        "run/x/deal/..%2f..%2f1.html",
        "static/viewer.css.bak",
    ],
)
def test_no_other_file_can_be_reached(client: TestClient, path: str) -> None:
    answer = client.get(f"/{path}")
    assert answer.status_code == 404
    assert "import" not in answer.text


def test_looking_changes_no_byte_of_a_record(client: TestClient, run: str, logs: Path) -> None:
    folder = record_of(logs).parent
    before = {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}
    deal = findings_of(logs).deals[0].thread
    for path in (f"deal/{deal}.html", "deals.html?q=hello", "agent/1.html", "objects.html"):
        assert client.get(f"{run}/{path}").status_code == 200
    after = {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}
    assert after == before
