"""An export is the same pages as files: every link leads to one of them."""

from __future__ import annotations

import os
import re
from pathlib import Path
from urllib.parse import unquote

import pytest
from click.testing import CliRunner

from bazaarbench.cli import main
from bazaarbench.viewer.export import Written, export
from tests.viewer.played import findings_of, key_of, record_of, site_of
from tests.viewer.reading import safe


@pytest.fixture(scope="session")
def exported(logs: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Written]:
    folder = tmp_path_factory.mktemp("export")
    return folder, export(site_of(logs, exported=True), folder)


def test_every_page_could_be_made(exported: tuple[Path, Written]) -> None:
    assert exported[1].troubles == []


def test_every_link_leads_to_a_file_and_every_mark_to_a_place(
    exported: tuple[Path, Written],
) -> None:
    folder, _ = exported
    pages = {path: path.read_text("utf-8") for path in folder.rglob("*.html")}
    places = {path: set(re.findall(r' id="([^"]+)"', text)) for path, text in pages.items()}
    for path, text in pages.items():
        for address in set(re.findall(r' (?:href|src|action)="([^"]*)"', text)):
            if ":" in address.split("/")[0]:
                continue
            plain, _, mark = address.partition("#")
            name = unquote(plain.partition("?")[0])
            target = Path(os.path.normpath(path.parent / name)) if plain else path
            assert target in pages or target.is_file(), (path, address)
            assert target.is_relative_to(folder)
            assert not mark or mark in places[target], (path, address)


def test_exported_pages_run_and_load_nothing(exported: tuple[Path, Written]) -> None:
    for path in sorted(exported[0].rglob("*.html"))[::9]:
        safe(path.read_text("utf-8"))


def test_every_deal_of_every_run_is_there(exported: tuple[Path, Written], logs: Path) -> None:
    folder, _ = exported
    for cell in ("bazaar-L1-paper", "bazaar-L3-paper"):
        key = key_of(site_of(logs), cell)
        deals = {path.stem for path in (folder / "run" / key / "deal").glob("*.html")}
        assert deals == {str(deal.thread) for deal in findings_of(logs, cell).deals}


def test_a_file_carries_its_policy_itself(exported: tuple[Path, Written]) -> None:
    folder, _ = exported
    seen = safe((folder / "index.html").read_text("utf-8"))
    [policy] = [a["content"] for t, a in seen.elements if t == "meta" and "http-equiv" in a]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy


def test_exporting_twice_gives_the_same_bytes(logs: Path, tmp_path: Path) -> None:
    record = record_of(logs, "bazaar-L1-paper")
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        export(site_of(record, exported=True), folder)
    for path in first.rglob("*.[hcj]*"):
        if path.is_dir():
            continue
        assert (second / path.relative_to(first)).read_bytes() == path.read_bytes(), path


def test_the_command_exports_and_refuses_what_is_no_log(logs: Path, tmp_path: Path) -> None:
    runner = CliRunner()
    record, site = record_of(logs, "bazaar-L1-paper"), tmp_path / "site"
    done = runner.invoke(main, ["view", str(record), "--export", str(site)])
    assert done.exit_code == 0, done.output
    assert f"Open {site / 'index.html'}" in done.stdout
    assert (site / "index.html").is_file()
    nothing = tmp_path / "empty"
    nothing.mkdir()
    refused = runner.invoke(main, ["view", str(nothing)])
    assert refused.exit_code == 2
    assert "no run to show" in refused.stderr
    refused = runner.invoke(main, ["view", str(tmp_path / "none"), "--export", str(tmp_path)])
    assert refused.exit_code == 2
    assert "does not exist" in refused.stderr
    refused = runner.invoke(main, ["view", str(logs), "--inspect-view", "javascript:alert(1)"])
    assert refused.exit_code == 2
    assert "is no address" in refused.stderr
