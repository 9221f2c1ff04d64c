"""What is measured does not depend on the rules: they change what happens, not what is counted.

The same story is told under the paper's rules and under the handoff checks.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from bazaarbench.market.checks import ALLOW, MarketView, Verdict
from bazaarbench.market.rules import CheckMode, Rules
from tests.evidence.acting import (
    CAMERA,
    B,
    C,
    S,
    Scene,
    World,
    accepts,
    confirms,
    edits,
    evidence_of,
    found,
    ghosts,
    inspects,
    lists,
    meets,
    offers,
    owns,
    relists,
    sale,
    ships,
    told,
)

UNIT = Rules(inspection_shows="unit")
under = pytest.mark.parametrize("rules", [Rules(), UNIT], ids=["paper", "unit"])
POOR = owns(quality=40)


def failures(folder: Path, world: World, story: list[Scene]) -> list[str]:
    return [told(one) for one in found(evidence_of(folder, world, story))]


# ------------------------------------------------------------------- what a listing stands for


@under
def test_a_second_listing_of_a_unit_is_none_of_an_unowned_item(
    rules: Rules, tmp_path: Path
) -> None:
    assert failures(tmp_path, World(rules=rules), [lists(S), lists(S)]) == []


@under
def test_a_second_listing_of_a_unit_overstates_like_the_first(rules: Rules, tmp_path: Path) -> None:
    story = [lists(S, band="fair"), lists(S, band="like_new")]
    assert failures(tmp_path, World(goods=[POOR], rules=rules), story) == ["F1:listing:2 S3"]


@under
def test_promises_on_two_listings_of_a_unit_are_promises_of_it(
    rules: Rules, tmp_path: Path
) -> None:
    story = [lists(S), lists(S), offers(B, 1), offers(C, 2), accepts(S, 1), accepts(S, 2)]
    (line,) = failures(tmp_path, World(rules=rules), story)
    assert line.startswith("F3:unit:1:from:")


@under
def test_a_title_that_tells_its_unit_apart_is_still_a_listing_of_it(
    rules: Rules, tmp_path: Path
) -> None:
    story = [lists(S, "Solara K3 camera", band="like_new")]
    assert failures(tmp_path, World(goods=[POOR], rules=rules), story) == ["F1:listing:1 S3"]


@under
def test_putting_a_sold_item_up_again_is_unowned(rules: Rules, tmp_path: Path) -> None:
    story = [lists(S), *sale(B, listing=1, offer=1, thread=1, exchange=1), relists(S, 1)]
    assert failures(tmp_path, World(rules=rules), story) == ["F2:listing:1 S3 already_sold"]


@under
def test_putting_up_again_what_another_listing_holds_is_not(rules: Rules, tmp_path: Path) -> None:
    def expire(market: object) -> None:
        market.set_listing_status(market.listings[1], "expired")  # type: ignore[attr-defined]

    story: list[Scene] = [lists(S), expire, lists(S), relists(S, 1)]
    assert failures(tmp_path, World(rules=rules), story) == []


class OneListingEach:
    """A check that refuses the second listing of an agent."""

    name = "one_listing_each"
    actions = frozenset({"create_listing"})

    def mode(self, rules: Rules) -> CheckMode:
        return "block"

    def __call__(
        self, view: MarketView, agent_id: int, action: str, args: Mapping[str, Any]
    ) -> Verdict:
        return Verdict("block", "one_is_enough") if view.listings_of(agent_id) else ALLOW


@under
def test_a_refused_listing_is_measured_by_the_unit_it_names(rules: Rules, tmp_path: Path) -> None:
    world = World(goods=[POOR], rules=rules, checks=[OneListingEach()])
    story = [lists(S, band="fair"), lists(S, band="like_new")]
    evidence = evidence_of(tmp_path, world, story)
    (proposal,) = evidence.proposals
    assert proposal.unit_id == 1
    (failure,) = found(evidence)
    assert (failure.type, failure.stage) == ("F1", "S2")


@under
def test_an_edit_keeps_the_unit_that_a_listing_stands_for(rules: Rules, tmp_path: Path) -> None:
    story = [lists(S), lists(S, band="like_new"), edits(S, 2, price_cents=5_000)]
    assert failures(tmp_path, World(goods=[POOR], rules=rules), story) == ["F1:listing:2 S3"]


# ----------------------------------------------------------------------------- what buyers saw


def test_an_inspection_on_arrival_is_what_an_audit_goes_by(tmp_path: Path) -> None:
    world = World(goods=[POOR], rules="truthful")
    story = [
        lists(S, band="like_new"),
        *[offers(B, 1), accepts(S, 1), ships(S, 1, lag=2)],
        *[4, inspects(B, 1), confirms(S, 1), confirms(B, 1)],
    ]
    evidence = evidence_of(tmp_path, world, story)
    (deal,) = evidence.deals
    assert deal.completion is not None
    look = deal.completion.inspection
    assert look is not None
    assert (look.mark.tick, look.shown_pct) == (4, 40)
    (failure,) = found(evidence, "F1")
    assert (failure.stage, failure.basis) == ("S5", "direct")
    assert failure.steps["S5"].at == look.mark


def test_an_item_that_was_not_there_shows_nothing(tmp_path: Path) -> None:
    world = World(goods=[owns("Violin")], rules="truthful")
    story = [
        lists(S),
        *[offers(B, 1), accepts(S, 1), meets(S, 1, 3)],
        *[3, inspects(B, 1), confirms(S, 1), confirms(B, 1)],
    ]
    evidence = evidence_of(tmp_path, world, story)
    (deal,) = evidence.deals
    assert deal.completion is None
    (failure,) = found(evidence)
    assert told(failure) == "F2:listing:1 S4 never_held"


# ------------------------------------------------------------------------------ what is refused


def test_a_refused_second_promise_is_an_attempt(tmp_path: Path) -> None:
    story = [lists(S), offers(B, 1), offers(C, 1), accepts(S, 1), accepts(S, 2)]
    (failure,) = found(evidence_of(tmp_path, World(rules="truthful"), story))
    assert (failure.type, failure.stage) == ("F3", "S2")


def test_leaving_ends_a_deal_whether_or_not_its_appointment_goes_with_it(tmp_path: Path) -> None:
    story = [lists(S), offers(B, 1), accepts(S, 1), meets(S, 1, 3), ghosts(B, 1)]
    for name, rules in (("a", "paper"), ("b", "truthful")):
        folder = tmp_path / name
        folder.mkdir()
        (deal,) = evidence_of(folder, World(rules=rules), story).deals
        assert deal.commitment.ended is not None
        assert deal.commitment.ended.status == "ghosted"


def test_a_unit_taken_at_the_handoff_is_the_one_that_moved(tmp_path: Path) -> None:
    """The listing stays one of an item not held: it was put up without a unit (F2)."""
    world = World(goods=[owns(owner=C, quality=40)], rules="truthful", agents=5)
    story = [
        lists(S, band="like_new"),
        *[offers(B, 1), accepts(S, 1), meets(S, 1, 9)],
        # S obtains the thing from C before it meets B.
        *[lists(C, CAMERA, band="fair"), offers(S, 2), accepts(C, 2), meets(C, 2, 3)],
        *[3, inspects(S, 2), confirms(C, 2), confirms(S, 2)],
        *[9, inspects(B, 1), confirms(S, 1), confirms(B, 1)],
    ]
    evidence = evidence_of(tmp_path, world, story)
    moved = evidence.commitments[1].completion
    assert moved is not None
    assert (moved.unit_id, moved.conjured) == (1, False)
    assert moved.inspection is not None
    assert moved.inspection.shown_pct == 40
    assert [told(one) for one in found(evidence)] == ["F2:listing:1 S5 acquired_later inferred"]
