"""Pages read as a browser reads them: elements, addresses, text."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

_VOID = {"meta", "link", "br", "input", "img", "hr"}


@dataclass
class Seen(HTMLParser):
    """What is on a page."""

    html: str
    elements: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    open: list[str] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.feed(self.html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in _VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag, f"</{tag}> closes another element"

    def handle_data(self, data: str) -> None:
        self.pieces.append(data)

    @property
    def text(self) -> str:
        return "".join(self.pieces)

    @property
    def words(self) -> str:
        """The text with white space squeezed."""
        return re.sub(r"\s+", " ", self.text)

    def values(self, name: str) -> list[str]:
        """All values of an attribute."""
        return [attrs[name] for _, attrs in self.elements if name in attrs]


def safe(html: str) -> Seen:
    """A page that runs and loads nothing but our own two files; read."""
    seen = Seen(html)
    assert not seen.open, f"left open: {seen.open}"
    tags = {tag for tag, _ in seen.elements}
    assert not tags & {"style", "iframe", "object", "embed", "img", "base", "math"}
    scripts = [attrs for tag, attrs in seen.elements if tag == "script"]
    assert [set(one) - {"defer"} for one in scripts] == [{"src"}]
    assert scripts[0]["src"].endswith("static/viewer.js")
    assert "://" not in scripts[0]["src"]
    for tag, attrs in seen.elements:
        assert not [name for name in attrs if name.startswith("on") or name == "style"], (
            tag,
            attrs,
        )
        for name in ("href", "src", "action"):
            _check_address(tag, attrs.get(name, ""))
    return seen


def _check_address(tag: str, address: str) -> None:
    if re.match(r"[a-z][a-z0-9+.-]*:", address, re.IGNORECASE):
        allowed = "data:," if tag == "link" else "http://127.0.0.1:7575/#/logs/"
        assert address.startswith(allowed), address
