"""The site: which page stands at which address. Server and export ask the same."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from threading import RLock

from bazaarbench.report.runs import Facts
from bazaarbench.viewer import agent_pages, compare_pages, run_pages, verdict_pages
from bazaarbench.viewer.deal_page import deal_page
from bazaarbench.viewer.kept import PATIENCE, Kept
from bazaarbench.viewer.links import COMPARE, HOME, Links
from bazaarbench.viewer.opened import Opened, Shelf
from bazaarbench.viewer.overview import FACTS_KEPT, runs_page
from bazaarbench.viewer.page import Page, PageMissing, TextFile
from bazaarbench.viewer.sources import Finder, Found, RunSource

Query = Mapping[str, str]
Answer = Page | TextFile
#: Logs are looked for again after so many seconds at least.
_LEAST_S = 2.0

_KEY = r"[A-Za-z0-9._-]+"
_ID = r"[0-9]{1,18}"


@dataclass
class Site:
    """All pages of some runs.

    ``inspect_view`` is where Inspect View runs, for links into it; ``exported`` puts whole tables
    on one page.
    """

    find: Finder
    inspect_view: str | None = None
    exported: bool = False
    shelf: Shelf = field(default_factory=Shelf)
    facts: Kept[Facts] = field(default_factory=lambda: Kept(FACTS_KEPT))
    _lock: RLock = field(default_factory=RLock)
    _found: tuple[float, float, Found] | None = None

    def found(self, *, again: bool = False) -> Found:
        """The runs; looked for again now and then, so that new ones appear.

        Raises:
            BazaarError: a path that was given cannot be read at all.
        """
        with self._lock:
            now = time.monotonic()
            if self._found is not None and not again:
                at, cost, found = self._found
                if now - at < max(_LEAST_S, PATIENCE * cost):
                    return found
            found = self.find()
            self._found = (now, time.monotonic() - now, found)
            return found

    def answer(self, path: str, query: Query | None = None) -> Answer:
        """The page at an address.

        Args:
            path: relative to the site, such as ``run/north-l3-1.abc/deal/12.html``.
            query: what stands behind the question mark.

        Raises:
            PageMissing: there is none.
            BazaarError: the record or the findings that it needs cannot be read.
        """
        query = query or {}
        path = f"{path}{HOME}" if path == "" or path.endswith("/") else path
        if path == HOME:
            with self._lock:
                return runs_page(self.found(), self.facts)
        if path == COMPARE:
            return self._compare(query)
        for pattern, page in _PAGES:
            match = pattern.fullmatch(path)
            if match is not None:
                return page(self, match, query)
        raise PageMissing("There is no page at this address.")

    def opened(self, key: str) -> Opened:
        """A run by its key.

        Raises:
            PageMissing: there is no such run.
            BazaarError: neither its record nor its findings can be read.
        """
        return self.shelf.open(self._source(key))

    def _source(self, key: str) -> RunSource:
        for again in (False, True):
            for source in self.found(again=again).runs:
                if source.key == key:
                    return source
        raise PageMissing("There is no run of that name in the logs that are open.")

    def _compare(self, query: Query) -> Page:
        one, other = query.get("a", ""), query.get("b", "")
        if one and other:
            page = compare_pages.pair_page(self.opened(one), self.opened(other))
            return Page(COMPARE, page.template, page.values)
        return compare_pages.choose_page(self.found())


_Route = Callable[[Site, re.Match[str], Query], Answer]


def _run(
    rest: str, page: Callable[[Site, Opened, re.Match[str], Query], Answer]
) -> tuple[re.Pattern[str], _Route]:
    """A page of one run, at ``run/<key>/`` and the rest."""

    def route(site: Site, match: re.Match[str], query: Query) -> Answer:
        return page(site, site.opened(match["key"]), match, query)

    return re.compile(rf"run/(?P<key>{_KEY})/{rest}"), route


def _pair(
    rest: str, page: Callable[[Opened, Opened, re.Match[str]], Answer]
) -> tuple[re.Pattern[str], _Route]:
    """A page of two runs."""

    def route(site: Site, match: re.Match[str], _: Query) -> Answer:
        return page(site.opened(match["a"]), site.opened(match["b"]), match)

    return re.compile(rf"compare/(?P<a>{_KEY})/(?P<b>{_KEY})/{rest}"), route


_PAGES: tuple[tuple[re.Pattern[str], _Route], ...] = (
    _run(r"index\.html", lambda _, opened, __, ___: run_pages.run_page(opened)),
    _run(
        r"deals\.html",
        lambda site, opened, _, query: run_pages.deals_page(opened, query, all_rows=site.exported),
    ),
    _run(
        r"objects\.html",
        lambda site, opened, _, query: run_pages.objects_page(
            opened, query, all_rows=site.exported
        ),
    ),
    _run(
        r"(?P<name>deals|objects)\.csv",
        lambda _, opened, match, query: run_pages.csv_file(opened, match["name"], query),
    ),
    _run(
        rf"deal/(?P<id>{_ID})\.html",
        lambda site, opened, match, _: deal_page(
            site.shelf, opened, int(match["id"]), site.inspect_view
        ),
    ),
    _run(
        rf"turn/(?P<id>{_ID})\.html",
        lambda site, opened, match, _: agent_pages.turn_page(
            opened, int(match["id"]), site.inspect_view
        ),
    ),
    _run(
        rf"agent/(?P<id>{_ID})(?:-(?P<part>[1-9][0-9]{{0,6}}))?\.html",
        lambda _, opened, match, __: agent_pages.agent_page(
            opened, int(match["id"]), int(match["part"] or 1)
        ),
    ),
    _run(
        rf"measure/(?P<file>{_KEY})\.html",
        lambda site, opened, match, _: run_pages.measure_page(
            opened, match["file"], all_rows=site.exported
        ),
    ),
    _run(
        rf"object/(?P<file>{_KEY})\.html",
        lambda _, opened, match, __: run_pages.object_page(opened, match["file"]),
    ),
    _run(
        rf"verdict/(?P<file>{_KEY})\.html",
        lambda _, opened, match, __: verdict_pages.verdict_page(opened, match["file"]),
    ),
    _run(
        rf"rubric/(?P<file>{_KEY})\.html",
        lambda _, opened, match, __: verdict_pages.rubric_page(opened, match["file"]),
    ),
    _run(
        rf"ask/(?P<file>{_KEY})\.html",
        lambda _, opened, match, __: verdict_pages.ask_page(opened, match["file"]),
    ),
    _pair(r"index\.html", lambda one, other, _: compare_pages.pair_page(one, other)),
    _pair(
        rf"agent-(?P<id>{_ID})\.html",
        lambda one, other, match: compare_pages.agent_pair_page(one, other, int(match["id"])),
    ),
)


def links_from(page: Page) -> Links:
    """The links of a page."""
    return Links(page.path, page.key)
