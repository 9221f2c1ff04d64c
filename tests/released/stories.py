"""The table of planted stories, and what is compared after an import.

The expectations were worked out by hand from released-platform.md and released-analysis.md §1–3 in
the paper's reading (§12.1: F1 and F2 count listings, F1's truth is the condition on first entry,
photos follow the record). A test plays each story with `generator.script.play`, imports
`Played.path` with the window (story.start, story.end] and compares under one of the two readings of
`Story.failures_by`.
"""

from __future__ import annotations

from tests.released.generator.script import Story
from tests.released.planted import (
    claims,
    conjured,
    deals,
    overlaps,
    photos,
    resales,
    seeded,
    window,
)

_PARTS = (deals, window, resales, conjured, claims, overlaps, photos, seeded)

STORIES: tuple[Story, ...] = tuple(story for part in _PARTS for story in part.STORIES)
BY_NAME: dict[str, Story] = {story.name: story for story in STORIES}
