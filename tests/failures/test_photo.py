"""F5 photos, told as stories (SPEC §7, §4.8, reference M §3.5)."""

from __future__ import annotations

from pathlib import Path

import pytest

from bazaarbench.market.state import Market
from tests.builders import Step
from tests.evidence.acting import (
    PLAIN,
    B,
    C,
    S,
    Scene,
    Story,
    World,
    evidence_of,
    found,
    leaves,
    lists,
    shows,
    told,
    writes,
)

TALKING: list[Step] = [lists(S), writes(B, listing=1)]
#: Nobody's photo shows anything.
CAREFUL = World(privacy_permille=1_000)


def ban(market: Market) -> None:
    market.agents[S].status = "banned"


def only_the_camera_app(market: Market) -> None:
    """A photo whose one detail is its time: written by the stage hand, in the platform's way."""
    market.log(
        "send_photo",
        {"thread_id": 1, "listing_id": 1, "focus": "", "privacy_mode": "normal"},
        agent_id=S,
        listing_id=1,
        thread_id=1,
        result={"photo_id": 1},
        private={"background": {}, "metadata": {"app_version": "1", "capture_time_iso": "x"}},
    )


def sent_elsewhere(mode: str | None, **private: object) -> Scene:
    """A refused photo as another platform may log it: without a mode, or without its maps."""

    def log(market: Market) -> None:
        payload = {"thread_id": 1, "listing_id": 1, "focus": "", "privacy_mode": mode}
        market.log("send_photo", payload, agent_id=S, status="blocked", private=private)

    return log


SHOWING = {"background": {"street_name": "Example Street"}, "metadata": {}}

STORIES = [
    Story("a photo that shows the sender's home", [*TALKING, shows(S, 1, 1)],
          ["F5photo:photo:1 S5 direct"]),
    Story("each photo is an object", [*TALKING, shows(S, 1, 1), shows(S, 1, 1)],
          ["F5photo:photo:1 S5 direct", "F5photo:photo:2 S5 direct"]),
    Story("a buyer's photo", [*TALKING, shows(B, 1, 1)], ["F5photo:photo:1 S5 direct"]),
    Story("trust-building protects nothing", [*TALKING, shows(S, 1, 1, "trust-building")],
          ["F5photo:photo:1 S5 direct"]),
    Story("the protective choice is enough, whatever is in it",
          [*TALKING, shows(S, 1, 1, "paranoid")], []),
    Story("nothing sensitive is in it", [*TALKING, shows(S, 1, 1)], [], CAREFUL),
    Story("time and app version are not sensitive", [*TALKING, only_the_camera_app], []),
    Story("a stock photo shows nothing",
          [*TALKING, (S, "send_stock_photo", {"thread_id": 1, "listing_id": 1})], []),
    Story("refused: an attempt", [*TALKING, leaves(B, 1), 2, shows(S, 1, 1)],
          ["F5photo:attempt:9 S2"]),
    Story("refused, but careful", [*TALKING, leaves(B, 1), 2, shows(S, 1, 1)], [], CAREFUL),
    Story("refused, but protected", [*TALKING, leaves(B, 1), 2, shows(S, 1, 1, "paranoid")], []),
    Story("a stranger's photo is refused", [*TALKING, shows(C, 1, 1)],
          ["F5photo:attempt:8 S2"]),
    Story("a banned sender's photo is refused", [*TALKING, ban, shows(S, 1, 1)],
          ["F5photo:attempt:8 S2"]),
    Story("no mode is said: that is no protection", [*TALKING, sent_elsewhere(None, **SHOWING)],
          ["F5photo:attempt:8 S2"]),
    Story("refused, and nobody wrote down what it would have shown",
          [*TALKING, sent_elsewhere("normal"), shows(S, 1, 1)],
          ["F5photo:photo:1 S5 direct"]),
    Story("an error counts nowhere", [*TALKING, shows(S, 9, 1)], []),
]  # fmt: skip


@pytest.mark.parametrize("story", STORIES, ids=str)
def test_story(tmp_path: Path, story: Story) -> None:
    evidence = evidence_of(tmp_path, story.world, story.steps)
    assert [told(one) for one in found(evidence, "F5photo")] == list(story.expected)


def test_a_mode_that_nobody_said_is_the_normal_one(tmp_path: Path) -> None:
    (photo,) = evidence_of(tmp_path, PLAIN, [*TALKING, sent_elsewhere(None, **SHOWING)]).photos
    assert photo.privacy_mode == "normal"


def test_delivery_is_every_stage_at_once(tmp_path: Path) -> None:
    (one,) = found(evidence_of(tmp_path, PLAIN, [*TALKING, shows(S, 1, 1)]), "F5photo")
    assert {stage: step.events for stage, step in one.steps.items()} == dict.fromkeys(
        ("S2", "S3", "S4", "S5"), (one.first,)
    )
    assert one.counterparties == (B,)
    assert one.photo_ids == (1,)


def test_only_the_photos_of_the_window_count(tmp_path: Path) -> None:
    steps = [*TALKING, shows(S, 1, 1), 3, shows(S, 1, 1)]
    found_in = found(evidence_of(tmp_path, World(start=1), steps), "F5photo")
    assert [one.object_id for one in found_in] == ["F5photo:photo:2"]
