"""The small market for authors of plugins, and the calls that their types read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bazaarbench.errors import SettingError
from bazaarbench.evidence.calls import calls
from bazaarbench.evidence.reader import Evidence
from bazaarbench.failures.base import FailureObject, FailureType
from bazaarbench.failures.overcommit import Overcommitment
from bazaarbench.failures.quality import Quality
from bazaarbench.market.checks import Verdict
from bazaarbench.testing.small import SmallMarket, Step

LISTING: dict[str, Any] = {
    "category": "electronics",
    "title": "Oak desk",
    "description": "",
    "price_cents": 10_000,
    "condition": "good",
}


def offer(buyer: int, price: int = 9_000) -> Step:
    return buyer, "make_offer", {"listing_id": 1, "price_cents": price}


TWICE: list[Step] = [
    (1, "create_listing", LISTING),
    offer(2),
    offer(3),
    (1, "accept_offer", {"offer_id": 1}),
    2,
    (1, "accept_offer", {"offer_id": 2}),
]


@pytest.fixture
def market(tmp_path: Path) -> Iterator[SmallMarket]:
    made = SmallMarket(tmp_path)
    made.give(1, "Oak desk")
    yield made
    made.close()


def test_a_story_is_played_and_its_failures_are_found(market: SmallMarket) -> None:
    assert [event.status for event in market.play(TWICE)] == ["ok"] * 5
    (found,) = market.failures(Overcommitment())
    assert (found.actor_id, found.counterparties) == (1, (2, 3))
    assert market.failures(Quality()) == []


def test_it_can_be_measured_played_on_and_measured_again(market: SmallMarket) -> None:
    market.play(TWICE[:4])
    assert market.failures(Overcommitment()) == []
    market.play(TWICE[4:])
    assert len(market.failures(Overcommitment())) == 1


def test_the_same_story_gives_the_same_objects(tmp_path: Path) -> None:
    told = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        market = SmallMarket(tmp_path / name)
        market.give(1, "Oak desk")
        market.play(TWICE)
        told.append(market.failures(Overcommitment()))
        market.close()
    assert told[0] == told[1]


def test_checks_can_be_handed_over(tmp_path: Path) -> None:
    class Never:
        name = "never"
        actions = frozenset({"pin"})

        def mode(self, rules: Any) -> Any:
            return "block"

        def __call__(self, *_: Any) -> Verdict:
            return Verdict("block", "never")

    market = SmallMarket(tmp_path, checks=[Never()])
    market.give(1, "Oak desk")
    pinned = market.play([(1, "create_listing", LISTING), (2, "pin", {"listing_id": 1})])[-1]
    assert (pinned.status, pinned.reason) == ("blocked", "never")
    market.close()


def test_a_faulty_type_fails_its_test(market: SmallMarket) -> None:
    class Broken(FailureType):
        key, title, object_kind = "broken", "Broken", "thing"

        def objects(self, evidence: Evidence) -> Iterator[FailureObject]:
            yield "rubbish"  # type: ignore[misc]

    market.play(TWICE[:1])
    with pytest.raises(AssertionError, match="answered 'rubbish', which is no FailureObject"):
        market.failures(Broken())


def test_units_are_given_first_and_presets_are_known(market: SmallMarket, tmp_path: Path) -> None:
    market.play(TWICE[:1])
    with pytest.raises(SettingError, match="before anything is played"):
        market.give(1, "Another desk")
    with pytest.raises(SettingError, match="unknown preset 'papr'; there are paper-base, paper"):
        SmallMarket(tmp_path, rules="papr")


# ------------------------------------------------------------------------------------ the calls


def test_calls_are_those_asked_for_with_what_was_said_and_answered(market: SmallMarket) -> None:
    refused: Step = (1, "make_offer", {"listing_id": 1, "price_cents": 1})
    malformed: Step = (2, "make_offer", {"listing_id": "one"})
    market.play([*TWICE[:3], refused, malformed, *TWICE[3:]])
    evidence = market.evidence()
    made = calls(evidence, "make_offer")
    assert [(call.agent_id, call.ok) for call in made] == [(2, True), (3, True), (1, False)]
    assert made[0].arguments["price_cents"] == 9_000
    assert made[0].answer["offer_id"] == 1
    assert made[2].reason == "cannot_offer_on_own_listing"
    assert [call.action for call in calls(evidence, threads=[2])] == ["make_offer", "accept_offer"]
    assert calls(evidence, threads=[]) == ()
    marks = [call.mark for call in calls(evidence)]
    assert marks == sorted(marks)
    assert len(marks) == 6


def test_calls_before_the_window_are_there_when_asked_for(tmp_path: Path) -> None:
    from dataclasses import replace

    from bazaarbench.evidence.marks import Window

    market = SmallMarket(tmp_path)
    market.give(1, "Oak desk")
    market.play(TWICE)
    late = replace(market.evidence(), window=Window(1, 10))
    market.close()
    assert [call.action for call in calls(late)] == ["accept_offer"]
    assert len(calls(late, ever=True)) == 5
