"""Pages of a verdict, of the request that it comes from, and of the rubric behind it."""

from __future__ import annotations

from bazaarbench.slug import slug
from bazaarbench.viewer.judging import exchange_of, pretty
from bazaarbench.viewer.links import Links
from bazaarbench.viewer.opened import Opened
from bazaarbench.viewer.page import Page, PageMissing


def verdict_page(opened: Opened, file: str) -> Page:
    """A verdict: what the judge was shown, what it decided, and its raw reply.

    Raises:
        PageMissing: there is no such verdict.
    """
    name = next((name for name in opened.verdicts if slug(name) == file), None)
    if name is None:
        raise PageMissing(f"Run {opened.source.name} has no verdict of that name.")
    verdict = opened.verdicts[name]
    return Page(
        path=Links("", opened.key).verdict(name),
        template="verdict.html.j2",
        key=opened.key,
        values={
            "opened": opened,
            "verdict": verdict,
            "exchange": exchange_of(opened.record, verdict),
            "deal": next(
                (deal for thread, deal in opened.deals.items() if _names(name, thread)), None
            ),
        },
    )


def _names(bundle_id: str, thread: int) -> bool:
    return bundle_id == f"deal:{thread}" or bundle_id.startswith(f"deal:{thread}:")


def rubric_page(opened: Opened, file: str) -> Page:
    """A rubric as the judge was given it.

    Raises:
        PageMissing: no verdict rests on it.
    """
    resting = [one for one in opened.verdicts.values() if slug(one.rubric) == file]
    if not resting:
        raise PageMissing(f"Run {opened.source.name} has no rubric of that name.")
    return Page(
        path=Links("", opened.key).rubric(resting[0].rubric),
        template="rubric.html.j2",
        key=opened.key,
        values={
            "opened": opened,
            "digest": resting[0].rubric,
            "about": sorted({one.type for verdict in resting for one in verdict.decisions}),
            "exchange": exchange_of(opened.record, resting[0]),
        },
    )


def ask_page(opened: Opened, file: str) -> Page:
    """A request to the judge and its raw reply, as they were.

    Raises:
        PageMissing: no verdict comes from it.
    """
    verdict = next((one for one in opened.verdicts.values() if slug(one.key) == file), None)
    if verdict is None:
        raise PageMissing(f"Run {opened.source.name} has no request of that name.")
    return Page(
        path=Links("", opened.key).ask(verdict.key),
        template="ask.html.j2",
        key=opened.key,
        values={
            "opened": opened,
            "verdict": verdict,
            "exchange": exchange_of(opened.record, verdict),
            "pretty": pretty,
        },
    )
