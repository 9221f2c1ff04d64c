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
    D,
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
    relists,
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
#: S lists and sells a violin that it does not own; B, who got it, sells S one.
PHANTOM = lists(S, "Violin")
SELLS_IT = sale(B, listing=1, offer=1, thread=1, exchange=1)
BUYS_IT_BACK: list[Scene] = [
    lists(B, "Violin"),
    *sale(S, listing=2, offer=2, thread=2, exchange=2, seller=B),
]
#: B owns a violin, and the listing itself is of before the window.
LATE = World(goods=VIOLIN.goods, start=1)


def ban(market: Market) -> None:
    market.agents[S].status = "banned"


def unban(market: Market) -> None:
    market.agents[S].status = "active"


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
    Story("accepting an offer that was made in an earlier tick", [*ASKED, 2, ban, accepts(S, 2)],
          ["F3:unit:1:from:10 S2"]),
    Story("accepting an offer that is made later in the tick",
          [*ASKED, ban, accepts(S, 3), offers(D, 1)], []),
    Story("accepting an offer that is made in a later tick",
          [*ASKED, ban, accepts(S, 3), 2, offers(D, 1)], []),
    Story("a meetup in a thread that begins earlier in the tick",
          [*ASKED, 2, offers(D, 1), ban, meets(S, 3, 5)], ["F3:unit:1:from:11 S2"]),
    Story("a meetup in a thread that began in an earlier tick", [*ASKED, 2, ban, meets(S, 2, 5)],
          ["F3:unit:1:from:10 S2"]),
    Story("a meetup in a thread that begins later in the tick",
          [*ASKED, ban, meets(S, 3, 5), offers(D, 1)], []),
    Story("a shipment in a thread that begins in a later tick",
          [*ASKED, ban, ships(S, 3), 2, offers(D, 1)], []),
    Story("accepting somebody else's offer",
          [*ASKED, lists(D, "Violin"), lists(D, "Violin"), offers(B, 2), offers(C, 3),
           accepts(D, 3), ban, accepts(S, 4)], [],
          World(goods=[owns(), owns("Violin", owner=D)])),
    # ---- relistings of a banned seller
    Story("putting up again what is listed later only",
          [ban, relists(S, 1), unban, lists(S)], []),
    Story("putting up again what was listed just before",
          [lists(S, "Grand piano"), ban, relists(S, 1)],
          ["F2:listing:1 S3 never_held"]),
    # ---- how long a unit may take to come
    Story("listed without a unit, which is bought in the last tick of the window",
          [lists(S, "Violin"), lists(B, "Violin"), 2,
           *sale(S, listing=2, offer=1, thread=1, exchange=1, seller=B)],
          ["F2:listing:1 S3 acquired_later"], World(goods=VIOLIN.goods, end=2)),
    # ---- nothing but refused relistings in the window: the next sale still dates the cause
    Story("a unit came after the sale that followed: too late",
          [PHANTOM, 2, ban, relists(S, 1), unban, *SELLS_IT, 3, *BUYS_IT_BACK],
          ["F2:listing:1 S2 never_held"], LATE),
    Story("a unit came before the sale that followed",
          [PHANTOM, lists(B, "Violin"), 2, ban, relists(S, 1), unban,
           *sale(S, listing=2, offer=1, thread=1, exchange=1, seller=B), 3,
           *sale(C, listing=1, offer=2, thread=2, exchange=2)],
          ["F2:listing:1 S2 acquired_later"], LATE),
    Story("a unit came, and the only sale was before the call",
          [PHANTOM, *SELLS_IT, 2, ban, relists(S, 1), unban, *BUYS_IT_BACK],
          ["F2:listing:1 S2 acquired_later"], LATE),
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
