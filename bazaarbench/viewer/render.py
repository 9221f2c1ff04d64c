"""Pages as HTML: everything is escaped, nothing is run, nothing comes from elsewhere (SPEC §12)."""

from __future__ import annotations

from functools import cache
from importlib import resources

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from bazaarbench.report.numbers import details, shown
from bazaarbench.versions import BENCHMARK_VERSION, CHECKS_VERSION
from bazaarbench.viewer import words
from bazaarbench.viewer.links import Links
from bazaarbench.viewer.literal import as_json, literal, named, short, whole
from bazaarbench.viewer.page import Page
from bazaarbench.viewer.reasons import PLACE_WORDS

#: Ours, served and exported as they are.
STATIC = {"viewer.css": "text/css", "viewer.js": "text/javascript"}
_COMMON = "default-src 'none'; base-uri 'none'; img-src data:"
#: Of the server, as a header.
POLICY = (
    f"{_COMMON}; style-src 'self'; script-src 'self'; form-action 'self'; frame-ancestors 'none'"
)
#: Of exported pages: from a file, ``'self'`` is nobody in some browsers.
FILE_POLICY = f"{_COMMON}; style-src 'self' file:; script-src 'self' file:; form-action 'self'"


def static_file(name: str) -> bytes:
    """One of our own files."""
    return resources.files("bazaarbench.viewer").joinpath("static", name).read_bytes()


def html(page: Page, links: Links, *, exported: bool = False) -> bytes:
    """A page, as UTF-8.

    Args:
        page: what is shown.
        links: from where its links start.
        exported: whether it is a file, which has no server behind it.
    """
    text = (
        _environment()
        .get_template(page.template)
        .render(
            **page.values, links=links, exported=exported, policy=FILE_POLICY if exported else None
        )
    )
    return text.encode("utf-8", "backslashreplace")


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("bazaarbench.viewer", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        # What is not marked as text of an agent is shown plainly, and may stand in attributes.
        finalize=_finalized,
    )
    environment.filters.update(
        t=literal,
        short=short,
        whole=whole,
        json=as_json,
        money=words.money,
        when=words.when,
        spoken=words.spoken,
        condition=words.condition,
        band=words.band,
    )
    environment.globals.update(
        argument=words.argument,
        side=words.side,
        ending=words.ending,
        stage_words=words.STAGE_WORDS,
        problem_words=words.PROBLEM_WORDS,
        part_words=words.PART_WORDS,
        place_words=PLACE_WORDS,
        delivery_words=words.DELIVERY_WORDS,
        shown=shown,
        details=details,
        rungs=words.ladder,
        versions=f"benchmark {BENCHMARK_VERSION}, checks {CHECKS_VERSION}",
    )
    return environment


def _finalized(value: object) -> object:
    if value is None:
        return "–"
    if isinstance(value, str) and not isinstance(value, Markup):
        return named(value)
    return value
