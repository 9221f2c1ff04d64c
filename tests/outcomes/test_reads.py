"""Looking changes nothing: what agents read between their deals is in no measure."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.builders import Step
from tests.evidence.acting import Scene
from tests.outcomes.stories.telling import Story, expected, measured, told
from tests.outcomes.test_stories import STORIES

LOOKS: tuple[Step, ...] = (
    (5, "search", {"query": "camera"}),
    (5, "view_listing", {"listing_id": 1}),
    (5, "view_profile", {"agent_id": 1}),
)


def looking(steps: Sequence[Scene]) -> list[Scene]:
    """The same story with a bystander who looks at everything between any two steps."""
    return [scene for step in steps for scene in (*LOOKS, step)] + list(LOOKS)


@pytest.mark.parametrize("story", STORIES[::9], ids=str)
def test_a_bystander_who_only_looks_changes_nothing(tmp_path: Path, story: Story) -> None:
    watched = Story(**{**vars(story), "steps": looking(story.steps)})
    assert told(watched, measured(watched, tmp_path)) == expected(story)
