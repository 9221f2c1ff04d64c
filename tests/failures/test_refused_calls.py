"""Refused calls, told as stories: what they were about, and why there was no unit (SPEC §7)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bazaarbench.market.state import Market
from tests.evidence.acting import (
    CAMERA,
    PLAIN,
    B,
    C,
    S,
    Scene,
    Story,
    World,
    accepts,
    evidence_of,
    found,
    lists,
    meets,
    offers,
    owns,
    sale,
    ships,
    told,
)

BASE = World(rules="paper-base")
SOLD: list[Scene] = [lists(S), *sale(B, listing=1, offer=1, thread=1, exchange=1)]
ASKED: list[Scene] = [lists(S), offers(B, 1), offers(C, 1), accepts(S, 1)]
VIOLIN = World(goods=[owns(), owns("Violin", owner=B)], rules="paper-base")
#: S buys B's violin: events 7 to 13.
BUYS_THE_VIOLIN: list[Scene] = [
    lists(B, "Violin"),
    *sale(S, listing=1, offer=1, thread=1, exchange=1, seller=B),
]


def ban(market: Market) -> None:
    market.agents[S].status = "banned"


def refused_create(**private: Any) -> Callable[[Market], None]:
    """A refused creation as other platforms and plugins log it, with a private part of its own."""

    def log(market: Market) -> None:
        market.log(
            "create_listing",
            {"title": "Grand piano", "category": "music"},
            agent_id=S,
            status="blocked",
            reason="refused",
            private=private,
        )

    return log


STORIES = [
    # ---- creations
    Story("what it names was sold before", [*SOLD, ban, 2, lists(S)],
          ["F2:proposal:13 S2 already_sold"]),
    Story("what was sold is something else", [*SOLD, ban, 2, lists(S, "Grand piano")],
          ["F2:proposal:13 S2 never_held"]),
    Story("what was sold was of another category",
          [*SOLD, ban, 2, lists(S, "Solara K2 digital cam, boxed", category="toys")],
          ["F2:proposal:13 S2 never_held"]),
    Story("somebody else sold one", [*SOLD, 2, lists(C)],
          ["F2:proposal:13 S2 never_held"], BASE),
    Story("bought afterwards", [lists(S, "Violin"), 2, *BUYS_THE_VIOLIN],
          ["F2:proposal:6 S2 acquired_later"], VIOLIN),
    Story("bought afterwards, in the last tick of the window",
          [lists(S, "Violin"), 2, *BUYS_THE_VIOLIN],
          ["F2:proposal:6 S2 acquired_later"],
          World(goods=VIOLIN.goods, rules=VIOLIN.rules, end=2)),
    Story("bought after the window: not seen", [lists(S, "Violin"), 2, *BUYS_THE_VIOLIN],
          ["F2:proposal:6 S2 never_held"],
          World(goods=VIOLIN.goods, rules=VIOLIN.rules, end=1)),
    Story("something else was bought", [lists(S, "Grand piano"), 2, *BUYS_THE_VIOLIN],
          ["F2:proposal:6 S2 never_held"], VIOLIN),
    Story("somebody else bought one",
          [lists(C, "Violin"), 2, *BUYS_THE_VIOLIN],
          ["F2:proposal:6 S2 never_held"], VIOLIN),
    Story("of before the window", [lists(S, "Grand piano"), 3], [],
          World(rules="paper-base", start=1)),
    Story("in the first tick of the window", [2, lists(S, "Grand piano"), 3],
          ["F2:proposal:6 S2 never_held"], World(rules="paper-base", start=1)),
    Story("the record kept no unit, and the inventory check objected",
          [refused_create(checks=[{"check": "proof"}, {"check": "listing_inventory_check"}])],
          ["F2:proposal:6 S2 never_held"]),
    Story("the record kept no unit, and another check objected",
          [refused_create(checks=[{"check": "proof"}])], []),
    Story("the record kept no unit and no reason", [refused_create()], []),
    Story("the record kept a unit, whatever objected",
          [refused_create(checks=[{"check": "listing_inventory_check"}], unit_id=1)], []),
    # ---- promises of a banned seller, which name their thread in the arguments alone
    Story("accepting", [*ASKED, ban, accepts(S, 2)], ["F3:unit:1:from:10 S2"]),
    Story("accepting what does not exist", [*ASKED, ban, accepts(S, 99)], []),
    Story("a meetup", [*ASKED, ban, meets(S, 2, 5)], ["F3:unit:1:from:10 S2"]),
    Story("a shipment", [*ASKED, ban, ships(S, 2)], ["F3:unit:1:from:10 S2"]),
    Story("a meetup in a thread that does not exist", [*ASKED, ban, meets(S, 99, 5)], []),
]  # fmt: skip


@pytest.mark.parametrize("story", STORIES, ids=str)
def test_story(tmp_path: Path, story: Story) -> None:
    evidence = evidence_of(tmp_path, story.world, story.steps)
    assert [told(one) for one in found(evidence)] == list(story.expected)


def test_a_proposal_keeps_what_it_proposed(tmp_path: Path) -> None:
    evidence = evidence_of(tmp_path, PLAIN, [ban, 2, lists(S, band="like_new")])
    (one,) = evidence.proposals
    assert (one.mark, one.actor_id, one.title, one.category) == ((2, 6), S, CAMERA, "electronics")
    assert (one.matched, one.unit_id, one.band, one.unowned) == (True, 1, "like_new", False)
