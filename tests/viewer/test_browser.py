"""A real Chromium: pages load clean, filters, keyboard and deep links work, nothing gets out."""

from __future__ import annotations

import os
import shutil
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import uvicorn
from playwright.sync_api import Browser, Page, Request, sync_playwright

from bazaarbench.viewer.app import application
from bazaarbench.viewer.export import export
from bazaarbench.viewer.site import Site
from tests.viewer.hostile import spoil
from tests.viewer.played import copied, findings_of, key_of, record_of, site_of

WIDE, NARROW = {"width": 1280, "height": 900}, {"width": 400, "height": 800}
_PATIENCE_MS = 15_000
#: The run with fewer pages.
UNJUDGED = "bazaar-L1-paper"


def chromium() -> str:
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        if os.environ.get("CI"):
            pytest.fail("there is no Chromium: .ci/run installs it")
        pytest.skip("there is no Chromium: apt-get install chromium")
    return found


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(
            executable_path=chromium(), args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        yield launched
        launched.close()


class Serving:
    """A server on a free port of this machine."""

    def __init__(self, site: Site) -> None:
        listening = socket.socket()
        listening.bind(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{listening.getsockname()[1]}/"
        self._server = uvicorn.Server(uvicorn.Config(application(site), log_level="warning"))
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [listening]})
        self._thread.start()

    def close(self) -> None:
        self._server.should_exit = True
        self._thread.join()


@pytest.fixture(scope="module")
def address(site: Site) -> Iterator[str]:
    serving = Serving(site)
    yield serving.address
    serving.close()


@dataclass
class Opened:
    """A browser's page with everything that went wrong on it."""

    page: Page
    troubles: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def go(self, address: str) -> Page:
        self.page.goto(address)
        return self.page

    def check(self, beginning: str) -> None:
        assert self.troubles == []
        assert [one for one in self.asked if not one.startswith((beginning, "data:"))] == []


@pytest.fixture
def opened(browser: Browser) -> Iterator[Opened]:
    page = browser.new_page(viewport=WIDE)
    page.set_default_timeout(_PATIENCE_MS)
    found = Opened(page)

    def asked(request: Request) -> None:
        found.asked.append(request.url)

    page.on("request", asked)
    page.on("pageerror", lambda error: found.troubles.append(str(error)))
    page.on("dialog", lambda dialog: found.troubles.append(dialog.message))
    page.on(
        "console",
        lambda said: (
            found.troubles.append(said.text) if said.type in ("error", "warning") else None
        ),
    )
    yield found
    page.close()


def some_pages(site: Site, logs: Path) -> list[str]:
    key, other = key_of(site), key_of(site, "bazaar-L1-paper")
    found = findings_of(logs)
    deal = next(deal for deal in found.deals if deal.links)
    turn = site.opened(key)
    with turn.reading() as connection:
        (turn_id,) = connection.execute(
            "SELECT max(turn_id) FROM turns WHERE role = 'tested'"
        ).fetchone()
    paths = [
        "index.html",
        "deals.html",
        "objects.html",
        f"deal/{deal.thread}.html",
        f"agent/{found.tested[0]}.html",
        f"turn/{turn_id}.html",
        "measure/problem_share.html",
    ]
    return [
        "index.html",
        "compare.html",
        f"compare/{other}/{key}/index.html",
        f"compare/{other}/{key}/agent-{found.tested[0]}.html",
        *(f"run/{key}/{path}" for path in paths),
    ]


@pytest.mark.parametrize(("size", "scheme"), [(WIDE, "light"), (NARROW, "dark")])
def test_every_page_loads_clean_and_fits_the_window(
    opened: Opened, address: str, site: Site, logs: Path, size: dict[str, int], scheme: str
) -> None:
    opened.page.set_viewport_size(size)  # type: ignore[arg-type]
    opened.page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    for path in some_pages(site, logs):
        page = opened.go(address + path)
        wider = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        assert wider <= 0, path
        assert page.locator("h1").count() == 1, path
        unnamed = page.evaluate(
            "[...document.querySelectorAll('a, button, input, select, summary')].filter("
            "e => !(e.textContent.trim() || e.labels?.length || e.ariaLabel)).length"
        )
        assert unnamed == 0, path
    opened.check(address)


def test_filters_search_and_the_back_button(
    opened: Opened, address: str, site: Site, logs: Path
) -> None:
    page = opened.go(f"{address}run/{key_of(site)}/deals.html")
    everything = page.locator("tbody tr").count()
    with page.expect_navigation():
        page.select_option("select[name=audit]", "retained")
    assert "audit=retained" in page.url
    assert "q=" not in page.url
    retained = sum(deal.audit == "retained" for deal in findings_of(logs).deals)
    assert page.locator("tbody tr").count() == retained
    page.go_back()
    assert page.locator("tbody tr").count() == everything
    page.keyboard.press("/")
    page.keyboard.type("nobody ever said this")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    assert page.locator(".empty").inner_text() == "No deal passes these filters."
    opened.check(address)


def test_the_keyboard_goes_from_row_to_deal_to_deal_and_up(
    opened: Opened, address: str, site: Site, logs: Path
) -> None:
    page = opened.go(f"{address}run/{key_of(site)}/deals.html")
    deals = [deal.thread for deal in findings_of(logs).deals]
    page.keyboard.press("j")
    page.keyboard.press("j")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    assert page.url.endswith(f"/deal/{deals[1]}.html")
    with page.expect_navigation():
        page.keyboard.press("]")
    assert page.url.endswith(f"/deal/{deals[2]}.html")
    with page.expect_navigation():
        page.keyboard.press("[")
    assert page.url.endswith(f"/deal/{deals[1]}.html")
    page.keyboard.press("o")
    assert page.locator("main details:not([open])").count() == 0
    with page.expect_navigation():
        page.keyboard.press("u")
    assert page.url.endswith("/deals.html")
    opened.check(address)


def test_a_deep_link_leads_to_its_event(
    opened: Opened, address: str, site: Site, logs: Path
) -> None:
    deal = findings_of(logs).deals[-1]
    page = opened.go(
        f"{address}run/{key_of(site)}/deal/{deal.thread}.html#event-{deal.committed_event}"
    )
    assert page.locator(f"#event-{deal.committed_event}").is_visible()
    top = page.evaluate(
        f"document.getElementById('event-{deal.committed_event}').getBoundingClientRect().top"
    )
    assert 0 <= top <= WIDE["height"]
    opened.check(address)


def test_without_script_a_page_has_everything(
    browser: Browser, address: str, site: Site, logs: Path
) -> None:
    page = browser.new_page(viewport=WIDE, java_script_enabled=False)
    page.goto(f"{address}run/{key_of(site)}/deals.html")
    page.select_option("select[name=audit]", "retained")
    page.click("button[type=submit]")
    retained = sum(deal.audit == "retained" for deal in findings_of(logs).deals)
    assert page.locator("tbody tr").count() == retained
    page.close()


def test_hostile_texts_neither_run_nor_load(opened: Opened, logs: Path, tmp_path: Path) -> None:
    record = copied(logs, tmp_path)
    spoil(record)
    site = site_of(record)
    serving = Serving(site)
    try:
        key = site.found().runs[0].key
        deal = findings_of(logs).deals[0].thread
        for path in (f"deal/{deal}.html", "agent/1.html", "deals.html", "objects.html"):
            page = opened.go(f"{serving.address}run/{key}/{path}")
            page.keyboard.press("o")
            page.mouse.move(300, 300)
            assert page.title() != "ran"
            assert page.locator("main script, main iframe, main img, main style").count() == 0
            assert page.evaluate("getComputedStyle(document.body).display") != "none"
        opened.check(serving.address)
    finally:
        serving.close()


def test_an_export_opens_from_a_disk_and_filters_there(
    opened: Opened, logs: Path, tmp_path: Path
) -> None:
    record = record_of(logs, UNJUDGED)
    site = site_of(record, exported=True)
    export(site, tmp_path)
    key = site.found().runs[0].key
    beginning = tmp_path.as_uri()
    page = opened.go((tmp_path / "index.html").as_uri())
    page.click(f'a[href*="{key}"]')
    page.click("text=Deals >> nth=0")
    retained = sum(deal.audit == "retained" for deal in findings_of(logs, UNJUDGED).deals)
    page.select_option("select[name=audit]", "retained")
    assert page.locator("tbody tr:visible").count() == retained
    assert page.locator("output b").inner_text() == str(retained)
    page.goto((tmp_path / "run" / key / "deals.html").as_uri() + "?audit=retained")
    assert page.locator("tbody tr:visible").count() == retained
    page.locator("tbody tr:visible th a").first.click()
    assert "/deal/" in page.url
    color = page.evaluate("getComputedStyle(document.querySelector('.verdicts')).display")
    assert color == "grid", "the style sheet is not applied"
    opened.check(beginning)


def test_a_foreign_page_cannot_put_the_viewer_in_a_frame(opened: Opened, address: str) -> None:
    page = opened.page
    page.set_content(f'<iframe src="{address}"></iframe>')
    page.wait_for_timeout(500)
    assert [frame.url for frame in page.frames] == ["about:blank", "chrome-error://chromewebdata/"]
