"""What deals came to, told as stories: ends, problems, audit, links, earnings, targets, prices."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.outcomes.stories import audits, deals, earnings, links, targets
from tests.outcomes.stories.telling import Story, expected, measured, told

STORIES: list[Story] = [
    *deals.STORIES,
    *audits.STORIES,
    *earnings.STORIES,
    *links.STORIES,
    *targets.STORIES,
]


def test_there_are_enough_stories_and_no_two_of_a_name() -> None:
    assert len({story.what for story in STORIES}) == len(STORIES) >= 120


@pytest.mark.parametrize("story", STORIES, ids=str)
def test_story(tmp_path: Path, story: Story) -> None:
    assert told(story, measured(story, tmp_path)) == expected(story)


@pytest.mark.parametrize(("what", "steps", "facts"), deals.FACTS, ids=[f[0] for f in deals.FACTS])
def test_fact(tmp_path: Path, what: str, steps: list[object], facts: dict[str, object]) -> None:
    (deal,) = measured(Story(what, steps), tmp_path).deals  # type: ignore[arg-type]
    assert {name: getattr(deal, name) for name in facts} == facts
