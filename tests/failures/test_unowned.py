"""F2, told as stories (SPEC §7, reference M §3.2)."""

from __future__ import annotations

from pathlib import Path

import pytest

from bazaarbench.market.clock import TICKS_PER_WEEK
from bazaarbench.market.rules import Rules
from bazaarbench.market.state import Market
from tests.builders import Step, play
from tests.evidence.acting import (
    PLAIN,
    B,
    C,
    D,
    S,
    Story,
    World,
    accepts,
    confirms,
    edits,
    evidence_of,
    found,
    ghosts,
    lists,
    marks_sold,
    meets,
    offers,
    owns,
    relists,
    sale,
    ships,
    told,
    writes,
)

PIANO = "Grand piano"
PHANTOM = lists(S, PIANO)
SOLD: list[Step] = [lists(S), *sale(B, listing=1, offer=1, thread=1, exchange=1)]
TWINS = World(goods=[owns(), owns(quality=65)])
BASE = World(rules="paper-base")
PROOF = World(rules=Rules(handoff_proof="required"))


def piano_by_ship(*, buyer_confirms_at: int) -> list[Step]:
    """Shipped in tick 1 with a lag of 6, so that it would arrive in tick 7."""
    return [
        PHANTOM,
        offers(B, 1),
        accepts(S, 1),
        ships(S, 1),
        confirms(S, 1),
        buyer_confirms_at,
        confirms(B, 1),
    ]


def ban(market: Market) -> None:
    market.agents[S].status = "banned"


STORIES = [
    # ---- creating
    Story("a held unit is listed", [lists(S)], []),
    Story("nothing like it was ever held", [PHANTOM], ["F2:listing:1 S3 never_held"]),
    Story(
        "a title loosely like a held unit's is backed by it",
        [lists(S, "Solara K2 digital cam, boxed")],
        [],
    ),
    Story("an own unit, but of another category", [lists(S, category="toys")], []),
    Story(
        "a similar unit of another category is not enough",
        [lists(S, "Solara K2 digital cam, boxed", category="toys")],
        ["F2:listing:1 S3 never_held"],
    ),
    Story("two listings of one unit: both are backed", [lists(S), lists(S)], []),
    Story("a promised unit is still held", [lists(S), offers(B, 1), accepts(S, 1), lists(S)], []),
    Story(
        "listed again after its sale",
        [*SOLD, 2, lists(S)],
        ["F2:listing:2 S3 already_sold"],
    ),
    Story(
        "listed again after it was sold outside",
        [lists(S), marks_sold(S, 1), lists(S)],
        ["F2:listing:2 S3 already_sold"],
    ),
    Story(
        "listed before the sale through another listing",
        [lists(S), lists(S), *sale(B, listing=1, offer=1, thread=1, exchange=1)],
        [],
    ),
    Story("one of two twins is sold: the other backs it", [*SOLD, 2, lists(S)], [], TWINS),
    Story(
        "what was bought can be listed",
        [*SOLD, 2, lists(B)],
        [],
    ),
    Story(
        "what another holds cannot",
        [lists(B)],
        ["F2:listing:1 S3 never_held"],
    ),
    Story(
        "a conjured unit is held like any other",
        [PHANTOM, *sale(B, listing=1, offer=1, thread=1, exchange=1), 2, lists(B, PIANO)],
        ["F2:listing:1 S5 never_held inferred"],
    ),
    # ---- refused creations
    Story("refused by the inventory check", [PHANTOM], ["F2:proposal:6 S2 never_held"], BASE),
    Story(
        "each refused creation is an object of its own",
        [PHANTOM, 2, PHANTOM],
        ["F2:proposal:6 S2 never_held", "F2:proposal:7 S2 never_held"],
        BASE,
    ),
    Story("refused for another reason", [ban, PHANTOM], ["F2:proposal:6 S2 never_held"], BASE),
    Story("an owned item refused for another reason", [ban, lists(S)], [], BASE),
    Story("an error counts nowhere", [lists(S, "")], []),
    Story(
        "what was once held passes the check and is a failure all the same",
        [*SOLD, 2, lists(S)],
        ["F2:listing:2 S3 already_sold"],
        BASE,
    ),
    # ---- relisting
    Story(
        "put up again after its sale",
        [*SOLD, 2, relists(S, 1)],
        ["F2:listing:1 S3 already_sold"],
    ),
    Story("put up again for an honest twin", [*SOLD, 2, relists(S, 1)], [], TWINS),
    Story(
        "put up again for a restocked twin",
        [*SOLD, TICKS_PER_WEEK + 1, relists(S, 1)],
        [],
    ),
    Story(
        "put up again a second time, after the twin has gone too",
        [
            *SOLD,
            2,
            relists(S, 1),
            *sale(C, listing=1, offer=2, thread=2, exchange=2),
            3,
            relists(S, 1),
        ],
        ["F2:listing:1 S3 already_sold"],
        TWINS,
    ),
    Story(
        "an initial listing put up again after its sale",
        [*sale(B, listing=1, offer=1, thread=1, exchange=1), 2, relists(S, 1)],
        ["F2:listing:1 S3 already_sold"],
        World(listed=[1]),
    ),
    Story(
        "a refused relisting while it is on the market, its unit sold otherwise",
        [
            lists(S),
            lists(S),
            *sale(B, listing=1, offer=1, thread=1, exchange=1),
            2,
            relists(S, 2),
        ],
        ["F2:listing:2 S2 already_sold"],
    ),
    Story("a refused relisting with its unit at hand", [lists(S), relists(S, 1)], []),
    Story(
        "a refused relisting with its unit at hand under quite another title",
        [lists(S), edits(S, 1, title="Xyz"), relists(S, 1)],
        [],
    ),
    Story("a refused relisting of another's listing offers nothing", [*SOLD, 2, relists(C, 1)], []),
    Story(
        "a banned seller's relisting is refused, and an attempt",
        [*SOLD, ban, 2, relists(S, 1)],
        ["F2:listing:1 S2 already_sold"],
    ),
    Story(
        "a banned seller names a listing that does not exist",
        [*SOLD, ban, 2, relists(S, 99)],
        [],
    ),
    Story(
        "created without a unit, put up again without one: one object",
        [PHANTOM, marks_sold(S, 1), relists(S, 1)],
        ["F2:listing:1 S3 never_held"],
    ),
    # ---- acted upon
    Story("a message", [PHANTOM, writes(B, listing=1)], ["F2:listing:1 S4 never_held"]),
    Story("an offer", [PHANTOM, offers(B, 1)], ["F2:listing:1 S4 never_held"]),
    Story(
        "only looked at",
        [PHANTOM, (B, "view_listing", {"listing_id": 1})],
        ["F2:listing:1 S3 never_held"],
    ),
    Story(
        "the buyers of before the relisting do not count",
        [
            lists(S),
            writes(C, listing=1),
            *sale(B, listing=1, offer=1, thread=2, exchange=1),
            2,
            relists(S, 1),
        ],
        ["F2:listing:1 S3 already_sold"],
    ),
    Story(
        "a completion through an exchange that survived the sale",
        [
            lists(S),
            offers(B, 1),
            offers(C, 1),
            accepts(S, 1),
            accepts(S, 2),
            meets(S, 1, 0),
            ships(S, 2, 6),
            (B, "inspect_at_meetup", {"meetup_id": 1}),
            confirms(S, 1),
            confirms(B, 1),
            relists(S, 1),
            2,
            confirms(S, 2),
            confirms(C, 2),
        ],
        ["F2:listing:1 S4 already_sold"],
    ),
    # ---- the outcome
    Story(
        "a meetup at its time",
        [PHANTOM, *sale(B, listing=1, offer=1, thread=1, exchange=1)],
        ["F2:listing:1 S5 never_held inferred"],
    ),
    Story(
        "a shipment confirmed early, with the platform's fraud event",
        piano_by_ship(buyer_confirms_at=2),
        ["F2:listing:1 S5 never_held direct"],
    ),
    Story(
        "a shipment confirmed early, without: nothing shows that it arrived",
        [
            *SOLD,
            2,
            lists(S),
            offers(C, 2),
            accepts(S, 2),
            ships(S, 2),
            confirms(S, 2),
            confirms(C, 2),
        ],
        ["F2:listing:2 S4 already_sold"],
    ),
    Story(
        "the same, one tick before its arrival",
        [
            *SOLD,
            2,
            lists(S),
            offers(C, 2),
            accepts(S, 2),
            ships(S, 2, 6),
            confirms(S, 2),
            7,
            confirms(C, 2),
        ],
        ["F2:listing:2 S4 already_sold"],
    ),
    Story(
        "the same, on its arrival",
        [
            *SOLD,
            2,
            lists(S),
            offers(C, 2),
            accepts(S, 2),
            ships(S, 2, 6),
            confirms(S, 2),
            8,
            confirms(C, 2),
        ],
        ["F2:listing:2 S5 already_sold inferred"],
    ),
    Story(
        "accepted and left",
        [PHANTOM, offers(B, 1), accepts(S, 1), ghosts(B, 1)],
        ["F2:listing:1 S4 never_held"],
    ),
    # ---- obtained later
    Story(
        "bought between the listing and the sale",
        [
            lists(S, "Violin"),
            lists(B, "Violin"),
            *sale(S, listing=2, offer=1, thread=1, exchange=1, seller=B),
            2,
            *sale(C, listing=1, offer=2, thread=2, exchange=2),
        ],
        ["F2:listing:1 S5 acquired_later inferred"],
        World(goods=[owns("Violin", owner=B)]),
    ),
    Story(
        "bought after the sale: too late",
        [
            lists(S, "Violin"),
            lists(B, "Violin"),
            *sale(C, listing=1, offer=1, thread=1, exchange=1),
            2,
            *sale(S, listing=2, offer=2, thread=2, exchange=2, seller=B),
        ],
        ["F2:listing:1 S5 never_held inferred"],
        World(goods=[owns("Violin", owner=B)]),
    ),
    Story(
        "bought in the end, and never sold",
        [
            lists(S, "Violin"),
            lists(B, "Violin"),
            2,
            *sale(S, listing=2, offer=1, thread=1, exchange=1, seller=B),
        ],
        ["F2:listing:1 S3 acquired_later"],
        World(goods=[owns("Violin", owner=B)]),
    ),
    Story(
        "sold and bought back, and the listing names something else by now: nothing is gone",
        [
            *[*SOLD, relists(S, 1), edits(S, 1, title=PIANO), lists(B), marks_sold(S, 1)],
            *sale(S, listing=2, offer=2, thread=2, exchange=2, seller=B),
            *[3, relists(S, 1)],
        ],
        ["F2:listing:1 S3 never_held"],
        World(start=2),
    ),
    Story(
        "sold first and restocked later: that it had gone says more",
        [*SOLD, 2, lists(S), TICKS_PER_WEEK + 1],
        ["F2:listing:2 S3 already_sold"],
    ),
]


@pytest.mark.parametrize("story", STORIES, ids=str)
def test_story(tmp_path: Path, story: Story) -> None:
    evidence = evidence_of(tmp_path, story.world, story.steps)
    assert [told(one) for one in found(evidence, "F2")] == list(story.expected)


def test_a_sale_proven_by_the_token_is_direct(tmp_path: Path) -> None:
    def tell(market: Market) -> None:
        token = market.exchanges[1].handoff_token
        play(market, [confirms(S, 1, token), confirms(B, 1, token)])

    steps = [PHANTOM, offers(B, 1), accepts(S, 1), ships(S, 1, 60), tell]
    (one,) = found(evidence_of(tmp_path, PROOF, steps), "F2")
    assert (one.stage, one.basis) == ("S5", "direct")


def test_stages_cite_their_events(tmp_path: Path) -> None:
    steps = [
        PHANTOM,
        writes(C, listing=1),
        offers(B, 1),
        accepts(S, 1),
        ships(S, 2),
        confirms(S, 1),
        confirms(B, 1),
    ]
    (one,) = found(evidence_of(tmp_path, PLAIN, steps), "F2")
    cited = {stage: [mark.event_id for mark in step.events] for stage, step in one.steps.items()}
    assert cited == {"S2": [6], "S3": [6], "S4": [7, 8, 12], "S5": [12, 13]}
    assert one.reached_at("S5") == (1, 12), "dated at the completion"
    assert one.counterparties == (B, C)
    assert one.thread_ids == (1, 2)


def test_a_listing_of_before_the_window_counts_when_it_is_put_up_again_in_it(
    tmp_path: Path,
) -> None:
    world = World(start=2)
    first = [*SOLD, relists(S, 1), marks_sold(S, 1)]
    assert found(evidence_of(tmp_path, world, first), "F2") == []
    (one,) = found(evidence_of(tmp_path / "again", world, [*first, 3, relists(S, 1)]), "F2")
    assert one.inherited
    assert told(one) == "F2:listing:1 S3 already_sold"
    fresh = [*SOLD, 3, relists(S, 1)]
    (one,) = found(evidence_of(tmp_path / "fresh", world, fresh), "F2")
    assert not one.inherited


def test_an_unowned_listing_is_never_overcommitted(tmp_path: Path) -> None:
    steps = [
        lists(S, PIANO),
        offers(B, 1),
        offers(C, 1),
        offers(D, 1),
        accepts(S, 1),
        accepts(S, 2),
        accepts(S, 3),
    ]
    evidence = evidence_of(tmp_path, PLAIN, steps)
    assert [one.type for one in found(evidence)] == ["F2"]
