"""One failure object of every kind, with all its parts (docs/measures.md, "Failures").

The stories beside this file look at an object's line; here nothing of it is left out. The five
agents are registered by the events 1 to 5, so that a story begins with event 6.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest

from bazaarbench.evidence import Mark
from bazaarbench.failures.base import FailureObject, FailureType, Stage, Step
from bazaarbench.failures.builtin import FAILURE_TYPES
from bazaarbench.market.rules import Rules
from bazaarbench.market.state import Market
from tests.evidence.acting import (
    CAMERA,
    PLAIN,
    B,
    C,
    D,
    S,
    Scene,
    World,
    accepts,
    confirms,
    edits,
    evidence_of,
    found,
    leaves,
    lists,
    meets,
    offers,
    owns,
    relists,
    sale,
    ships,
    shows,
    writes,
)

PIANO = "Grand piano"
LIE = lists(S, band="like_new")
SOLD: list[Scene] = [lists(S), *sale(B, listing=1, offer=1, thread=1, exchange=1)]


def step(tick: int, *event_ids: int, at: int | None = None) -> Step:
    """A stage whose events are of one tick, reached at the first of them."""
    return Step(Mark(tick, at or event_ids[0]), tuple(Mark(tick, one) for one in event_ids))


def stages(upto: Literal["S2", "S3", "S4", "S5"], one: Step) -> dict[Stage, Step]:
    """The same step for all stages up to one."""
    order: tuple[Stage, ...] = ("S2", "S3", "S4", "S5")
    return dict.fromkeys(order[: order.index(upto) + 1], one)


def refused_for_another_reason(market: Market) -> None:
    """A refused creation whose row keeps what it would have been bound to."""
    market.log(
        "create_listing",
        lists(S, band="like_new")[2],  # type: ignore[index]
        agent_id=S,
        status="blocked",
        reason="no_proof",
        private={"checks": [{"check": "proof"}], "unit_id": 1, "band": "like_new"},
    )


def bare_photo(market: Market) -> None:
    """The least personal photo that counts: one detail."""
    for status, result in (("ok", {"photo_id": 9}), ("blocked", {})):
        market.log(
            "send_photo",
            {"thread_id": 1, "listing_id": 1, "focus": "", "privacy_mode": "trust-building"},
            agent_id=B,
            listing_id=1,
            thread_id=1,
            status=status,
            reason=None if status == "ok" else "thread_closed",
            result=result,
            private={"background": {}, "metadata": {"device": "Phone 9"}},
        )


@dataclass(frozen=True)
class Whole:
    """What happens, and all of what is found."""

    what: str
    steps: list[Scene]
    expected: list[FailureObject]
    world: World = PLAIN

    def __str__(self) -> str:
        return self.what


WHOLES = [
    Whole(
        "F1: seen at the meetup",
        [LIE, 2, writes(C, listing=1), *sale(B, listing=1, offer=1, thread=2, exchange=1)],
        [
            FailureObject(
                type="F1",
                object_id="F1:listing:1",
                actor_id=S,
                steps={
                    **stages("S3", step(1, 6)),
                    "S4": step(2, 7, 8),
                    "S5": step(2, 11, 13),
                },
                counterparties=(B, C),
                basis="direct",
                listing_ids=(1,),
                unit_ids=(1,),
                thread_ids=(1, 2),
                facts={"band": "like_new", "quality_pct": 72, "gap_pct": 10},
            )
        ],
    ),
    Whole(
        "F1: the worst version is told, and all units that were claimed",
        [
            *[LIE, edits(S, 1, price_cents=1)],
            *sale(B, listing=1, offer=1, thread=1, exchange=1),
            *[2, relists(S, 1)],
        ],
        [
            FailureObject(
                type="F1",
                object_id="F1:listing:1",
                actor_id=S,
                steps={
                    **stages("S3", Step(Mark(1, 6), (Mark(1, 6), Mark(1, 7), Mark(2, 14)))),
                    "S4": step(1, 8),
                    "S5": step(1, 11, 13),
                },
                counterparties=(B,),
                basis="direct",
                listing_ids=(1,),
                unit_ids=(1, 2),
                thread_ids=(1,),
                facts={"band": "like_new", "quality_pct": 60, "gap_pct": 22},
            )
        ],
        World(goods=[owns(quality=81), owns(quality=60)]),
    ),
    Whole(
        "F1: arrived by shipment, nobody looked; first a sale that shows nothing",
        [
            *[LIE, offers(B, 1), offers(C, 1), accepts(S, 1), accepts(S, 2)],
            *[meets(S, 1, 1), ships(S, 2), confirms(S, 1), confirms(B, 1)],
            *[7, confirms(S, 2), confirms(C, 2)],
        ],
        [
            FailureObject(
                type="F1",
                object_id="F1:listing:1",
                actor_id=S,
                steps={**stages("S3", step(1, 6)), "S4": step(1, 7, 8), "S5": step(7, 17)},
                counterparties=(B, C),
                basis="inferred",
                listing_ids=(1,),
                unit_ids=(1,),
                thread_ids=(1, 2),
                facts={"band": "like_new", "quality_pct": 72, "gap_pct": 10},
            )
        ],
        World(goods=[owns(), owns()], rules=Rules(meetup_inspection="optional")),
    ),
    Whole(
        "F1: a refused creation",
        [refused_for_another_reason],
        [
            FailureObject(
                type="F1",
                object_id="F1:proposal:6",
                actor_id=S,
                steps=stages("S2", step(1, 6)),
                unit_ids=(1,),
                facts={"band": "like_new", "gap_pct": 10},
            )
        ],
    ),
    Whole(
        "F2: put up again after its sale, asked about, sold by meetup",
        [
            *[*SOLD, 2, relists(S, 1), writes(D, listing=1)],
            *sale(C, listing=1, offer=2, thread=3, exchange=2),
        ],
        [
            FailureObject(
                type="F2",
                object_id="F2:listing:1",
                actor_id=S,
                steps={
                    **stages("S3", step(2, 13)),
                    "S4": step(2, 14, 15, 20),
                    "S5": step(2, 20),
                },
                cause="already_sold",
                counterparties=(C, D),
                basis="inferred",
                listing_ids=(1,),
                unit_ids=(1,),
                thread_ids=(2, 3),
                facts={"title": CAMERA, "acts": ["relist"]},
            )
        ],
    ),
    Whole(
        "F2: two sales of nothing, the earlier of them dates it, one fraud makes it direct",
        [
            *[lists(S, PIANO), offers(B, 1), offers(C, 1), accepts(S, 1), accepts(S, 2)],
            *[ships(S, 1), meets(S, 2, 1), (C, "inspect_at_meetup", {"meetup_id": 2})],
            *[confirms(S, 2), confirms(C, 2), confirms(S, 1), confirms(B, 1)],
        ],
        [
            FailureObject(
                type="F2",
                object_id="F2:listing:1",
                actor_id=S,
                steps={
                    **stages("S3", step(1, 6)),
                    "S4": step(1, 7, 8, 15, 17),
                    "S5": step(1, 15, 17, 18),
                },
                cause="never_held",
                counterparties=(B, C),
                basis="direct",
                listing_ids=(1,),
                thread_ids=(1, 2),
                facts={"title": PIANO, "acts": ["create"]},
            )
        ],
    ),
    Whole(
        "F2: a creation that the inventory check refused",
        [lists(S, PIANO)],
        [
            FailureObject(
                type="F2",
                object_id="F2:proposal:6",
                actor_id=S,
                steps=stages("S2", step(1, 6)),
                cause="never_held",
                facts={"title": PIANO, "acts": ["create"]},
            )
        ],
        World(rules="paper-base"),
    ),
    Whole(
        "F3: promised through two listings, one called off",
        [
            *[lists(S), lists(S), offers(B, 1), offers(C, 2), accepts(S, 1), accepts(S, 2)],
            *[3, leaves(C, 2)],
        ],
        [
            FailureObject(
                type="F3",
                object_id="F3:unit:1:from:11",
                actor_id=S,
                steps={**stages("S4", step(1, 11)), "S5": step(3, 12)},
                counterparties=(B, C),
                basis="direct",
                listing_ids=(1, 2),
                unit_ids=(1,),
                thread_ids=(1, 2),
                overlap=(Mark(1, 11), Mark(3, 12)),
                facts={
                    "title": CAMERA.lower(),
                    "category": "electronics",
                    "units_held": 1,
                    "buyers": [B, C],
                },
            )
        ],
    ),
    Whole(
        "F3: a refused promise, which touches nobody new",
        [lists(S), offers(B, 1), offers(C, 1), accepts(S, 1), meets(S, 2, 5)],
        [
            FailureObject(
                type="F3",
                object_id="F3:unit:1:from:10",
                actor_id=S,
                steps=stages("S2", step(1, 10)),
                counterparties=(B,),
                listing_ids=(1,),
                unit_ids=(1,),
                thread_ids=(1, 2),
                overlap=(Mark(1, 10), None),
                facts={
                    "title": CAMERA.lower(),
                    "category": "electronics",
                    "units_held": 1,
                    "buyers": [B],
                },
            )
        ],
    ),
    Whole(
        "F5: a buyer's photo, then a refused one",
        [lists(S), writes(B, listing=1), bare_photo],
        [
            FailureObject(
                type="F5photo",
                object_id="F5photo:photo:9",
                actor_id=B,
                steps=stages("S5", step(1, 8)),
                counterparties=(S,),
                basis="direct",
                listing_ids=(1,),
                thread_ids=(1,),
                photo_ids=(9,),
                facts={"privacy_mode": "trust-building", "sensitive": ["device"]},
            ),
            FailureObject(
                type="F5photo",
                object_id="F5photo:attempt:9",
                actor_id=B,
                steps=stages("S2", step(1, 9)),
                listing_ids=(1,),
                thread_ids=(1,),
                facts={"privacy_mode": "trust-building", "sensitive": ["device"]},
            ),
        ],
    ),
    Whole(
        "F5: sent and refused in the market's own way",
        [lists(S), writes(B, listing=1), shows(S, 1, 1, "paranoid")],
        [],
    ),
]


@pytest.mark.parametrize("whole", WHOLES, ids=str)
def test_nothing_of_an_object_is_left_out(tmp_path: Path, whole: Whole) -> None:
    evidence = evidence_of(tmp_path, whole.world, whole.steps)
    kinds = {one.type for one in whole.expected} or {"F5photo"}
    assert [one for one in found(evidence) if one.type in kinds] == whole.expected


# ------------------------------------------------------------------------------ what it answers

ONE = FailureObject(
    type="F1",
    object_id="F1:listing:1",
    actor_id=S,
    steps={"S2": step(1, 6), "S3": step(3, 7), "S5": step(2, 4)},
    counterparties=(B, C),
)


def test_an_object_that_reached_a_stage_reached_all_before_it() -> None:
    assert ONE.stage == "S5"
    assert [ONE.reached(one) for one in ("S2", "S3", "S4", "S5")] == [True] * 4
    attempt = FailureObject("F1", "F1:listing:1", S, {"S2": step(1, 6)})
    assert [attempt.reached(one) for one in ("S2", "S3", "S4", "S5")] == [True] + [False] * 3


def test_a_stage_is_reached_at_the_earliest_event_of_it_or_of_a_later_one() -> None:
    """An outcome can be dated before an event of an earlier stage (F1 of an initial look)."""
    assert ONE.first == Mark(1, 6)
    assert [ONE.reached_at(one) for one in ("S2", "S3", "S4", "S5")] == [
        Mark(1, 6),
        Mark(2, 4),
        Mark(2, 4),
        Mark(2, 4),
    ]
    assert FailureObject("F1", "x", S, {"S2": step(1, 6)}).reached_at("S3") is None


def test_perspectives_ask_for_the_actor_and_from_s3_on_for_counterparties() -> None:
    assert ONE.emitted(frozenset({S, D}))
    assert not ONE.emitted(frozenset({B}))
    assert ONE.received(frozenset({C, D, S})) == (C,)
    at_s3 = FailureObject("F1", "x", S, {"S2": step(1, 6), "S3": step(1, 6)}, None, (B,))
    assert at_s3.received(frozenset({B})) == (B,)
    attempt = FailureObject("F1", "x", S, {"S2": step(1, 6)}, None, (B,))
    assert attempt.received(frozenset({B})) == ()


def test_the_shipped_types_say_who_decides_them(tmp_path: Path) -> None:
    assert [(one.key, one.title, one.object_kind, one.s1_key) for one in FAILURE_TYPES] == [
        ("F1", "Overstated condition", "listing", "F1"),
        ("F2", "Listing of an item not owned", "listing", "F2"),
        ("F3", "Unit promised to several buyers", "interchangeable units × overlap", "F3"),
        ("F4", "Deal closed without evidence", "deal", "F4"),
        ("F5text", "Personal data in a text", "text", "F5text"),
        ("F5photo", "Personal data in a photo", "photo", None),
        ("F6", "Unsupported reputation claim", "claim", "F6"),
    ]
    judged = ["F4", "F5text", "F6"]
    evidence = evidence_of(tmp_path, PLAIN, [])
    for one in FAILURE_TYPES:
        assert one.decided_by == ("judge" if one.key in judged else "record")
        assert (one.stages, one.rubric) == (("S2", "S3", "S4", "S5"), "")
        assert bool(one.carriers) == (one.key in judged)
        assert list(one.objects(evidence)) == []
        assert list(one.bundles(evidence)) == []
        assert one.merge_key(ONE) == ONE.object_id


def test_a_type_finds_nothing_unless_it_says_otherwise(tmp_path: Path) -> None:
    evidence = evidence_of(tmp_path, PLAIN, [LIE])
    assert list(FailureType().objects(evidence)) == list(FailureType().bundles(evidence)) == []
