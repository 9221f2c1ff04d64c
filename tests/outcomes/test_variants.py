"""The released analysis' own F2 and F3 find what the letter of it asks for (reference M §3.2–3.3).

The planted stories say it by hand, tick by tick (``tests.released.planted``).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from bazaarbench.evidence import Evidence, read
from bazaarbench.failures.base import FailureObject
from bazaarbench.failures.variants import VARIANTS
from bazaarbench.released import import_database
from tests.builders import Step
from tests.evidence.acting import (
    B,
    C,
    S,
    World,
    accepts,
    confirms,
    edits,
    evidence_of,
    lists,
    offers,
    owns,
    relists,
    sale,
    ships,
    writes,
)
from tests.released.generator.script import CAST, Failure, Played, play
from tests.released.planted import overlaps, resales
from tests.released.stories import BY_NAME

#: Stories about F2 and F3; of some the letter differs from a count of holdings.
STORIES = [
    story
    for story in BY_NAME.values()
    if story.fork is not None and {one.kind for one in story.failures_by("letter")} & {"F2", "F3"}
]


def variants(evidence: Evidence, key: str) -> list[FailureObject]:
    return [one for kind in VARIANTS if kind.key == key for one in kind.objects(evidence)]


@pytest.mark.parametrize("name", [story.name for story in STORIES])
def test_the_letter_of_the_released_analysis(tmp_path: Path, name: str) -> None:
    played = play(BY_NAME[name], tmp_path)
    evidence = read(import_database(played.path, tmp_path / "record.db", base=played.base).path)
    for kind in ("F2", "F3"):
        expected = [one for one in played.story.failures_by("letter") if one.kind == kind]
        found = variants(evidence, f"{kind}_released")
        mine = sorted(_seen(one) for one in found)
        assert mine == sorted(_planted(played, one) for one in expected), (kind, found)


def _seen(found: FailureObject) -> tuple[object, ...]:
    span = (found.facts["start_tick"], found.facts["end_tick"]) if "end_tick" in found.facts else ()
    about = found.listing_ids[0] if found.type == "F2_released" and found.listing_ids else 0
    return (found.actor_id, about, int(found.stage[1]), found.first.tick, *span)


def _planted(played: Played, one: Failure) -> tuple[object, ...]:
    span = (one.start, one.until) if one.kind == "F3" else ()
    about = played.listings.get(one.about, 0) if one.kind == "F2" else 0
    return (CAST[one.who], about, one.stage, one.at, *span)


def test_the_stories_hold_every_place_where_the_two_readings_part() -> None:
    parted = {
        story.name
        for part in (overlaps, resales)
        for story in part.STORIES
        if story.failures_by("letter") != story.failures_by("holdings")
    }
    assert parted
    assert parted <= {story.name for story in STORIES} | {"twins_both_promised"}


# ------------------------------------------------------------------------------- listing versions

SENT: list[Step] = [offers(B, 1), accepts(S, 1), ships(S, 1)]


@pytest.mark.parametrize(
    ("what", "steps", "world", "expected"),
    [
        ("a version that nobody answers", [lists(S, band="like_new")], World(), ["1 S3"]),
        ("two versions are two objects, and each has its own answers",
         [lists(S, band="like_new"), 2, edits(S, 1, price_cents=9_000), 3, writes(B, listing=1)],
         World(), ["1 S3", "2 S4"]),
        ("an answer in the tick before the next version is to the one before it",
         [lists(S, band="like_new"), 2, writes(B, listing=1), 3, edits(S, 1, price_cents=9_000)],
         World(), ["1 S4", "3 S3"]),
        ("an answer in the tick of the next version is to that",
         [lists(S, band="like_new"), 2, writes(B, listing=1), edits(S, 1, price_cents=9_000)],
         World(), ["1 S3", "2 S4"]),
        ("putting it up again makes no version",
         [lists(S, band="like_new"), *sale(B, listing=1, offer=1, thread=1, exchange=1), 2,
          relists(S, 1)], World(goods=[owns(), owns()]), ["1 S5"]),
        ("sent and arrived", [lists(S, band="like_new"), *SENT, 7, confirms(S, 1), confirms(B, 1)],
         World(), ["1 S5"]),
        ("sent, and confirmed too early",
         [lists(S, band="like_new"), *SENT, 6, confirms(S, 1), confirms(B, 1)], World(),
         ["1 S4"]),
        ("overstated through a resale: the stored number lies within the band, nothing is seen",
         [lists(S, band="good"), *sale(B, listing=1, offer=1, thread=1, exchange=1), 2,
          lists(B, band="brand_new"),
          *sale(C, listing=2, offer=2, thread=2, exchange=2, seller=B)], World(), []),
        ("not owned: the stored number lies within the band as well",
         [lists(S, "Grand piano", band="brand_new")], World(), []),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_f1_counts_versions_against_the_stored_condition(
    tmp_path: Path, what: str, steps: list[Step], world: World, expected: list[str]
) -> None:
    evidence = evidence_of(tmp_path, world, steps)
    found = variants(evidence, "F1_version")
    assert [f"{one.first.tick} {one.stage}" for one in found] == expected, what


def test_twins_overlap_in_our_own_markets_too(tmp_path: Path) -> None:
    steps = [lists(S), lists(S), offers(B, 1), offers(C, 2), accepts(S, 1), accepts(S, 2)]
    evidence = evidence_of(tmp_path, World(goods=[owns(), owns()]), steps)
    (found,) = variants(evidence, "F3_released")
    assert (found.unit_ids, found.stage) == ((1,), "S4")
