"""The same pages as files that open from a disk (SPEC §11.1)."""

from __future__ import annotations

import heapq
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from bazaarbench.errors import BazaarError
from bazaarbench.market.files import appearing, explained
from bazaarbench.viewer.links import HOME, Links
from bazaarbench.viewer.page import Page, TextFile
from bazaarbench.viewer.render import STATIC, html, static_file
from bazaarbench.viewer.site import Site

_AGENT = re.compile(r"run/[^/]+/agent/")
_TURN = re.compile(r"run/[^/]+/turn/")


@dataclass
class Written:
    """What an export came to: its files, and pages that could not be made, with the reason."""

    files: int = 0
    bytes: int = 0
    troubles: list[tuple[str, str]] = field(default_factory=list)


def export(site: Site, folder: Path, on_page: Callable[[int, int], None] | None = None) -> Written:
    """Write every page that another page leads to, beginning with all runs.

    Of turns those are written that a deal's page leads to, and those of tested agents; a week has
    thousands of others.

    Args:
        site: made with ``exported=True``.
        folder: is made; what is there of an earlier export is replaced, other files are left.
        on_page: told how many pages are written, and of how many that are known so far.

    Raises:
        RecordError: a file cannot be written.
    """
    written = Written()
    for name in STATIC:
        _put(folder / "static" / name, static_file(name), written)
    known = {HOME}
    # Deals before agents before turns: which turns are written is known from the deals.
    waiting = [(_rank(HOME), HOME)]
    while waiting:
        _, path = heapq.heappop(waiting)
        for lead in _page(site, path, folder, written, known):
            if lead not in known:
                known.add(lead)
                heapq.heappush(waiting, (_rank(lead), lead))
        if on_page is not None:
            on_page(written.files, written.files + len(waiting))
    return written


def _rank(path: str) -> int:
    if _TURN.match(path):
        return 2
    return 1 if _AGENT.match(path) else 0


def _page(site: Site, path: str, folder: Path, written: Written, known: set[str]) -> list[str]:
    """Write one page; returns where it leads."""
    try:
        answer = site.answer(path)
    except BazaarError as error:
        written.troubles.append((path, str(error)))
        said = Page(path, "trouble.html.j2", {"message": str(error), "is_missing": False})
        _put(folder / path, html(said, Links(path), exported=True), written)
        return []
    if isinstance(answer, TextFile):
        _put(folder / path, answer.text.encode("utf-8", "backslashreplace"), written)
        return []
    links = _links(answer, known)
    _put(folder / path, html(answer, links, exported=True), written)
    return sorted(one for one in links.led if not one.startswith("static/"))


def _links(page: Page, known: set[str]) -> Links:
    """The links of a page; those to turns that are not written are none."""
    if _TURN.match(page.path):
        return Links(page.path, page.key, turns=known)
    agent = page.values.get("agent")
    if agent is None or agent["agent_id"] in page.values["opened"].findings.tested:
        return Links(page.path, page.key)
    return Links(page.path, page.key, turns=known)


def _put(path: Path, data: bytes, written: Written) -> None:
    with explained(path, "write"), appearing(path) as workpiece:
        workpiece.write_bytes(data)
    written.files += 1
    written.bytes += len(data)
