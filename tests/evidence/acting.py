"""Words to tell event stories with, and the record that such a story leaves.

A story is a list of steps (``tests.builders``): what agents call, and bare numbers for the tick at
which it goes on. S sells; B, C and D buy. Ids count from 1 in the order in which things are made,
so the first listing is 1, its first thread 1, and so on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bazaarbench.evidence import Evidence, read
from bazaarbench.failures.base import FailureObject
from bazaarbench.failures.builtin import FAILURE_TYPES
from bazaarbench.market.checks import BUILT_IN_CHECKS, Check
from bazaarbench.market.record import Record, RecordInfo
from bazaarbench.market.rules import PRESETS, Rules
from bazaarbench.market.state import Market
from tests.builders import Goods, Step, end_tick, play, seed_listing, small_market

S, B, C, D = 1, 2, 3, 4

#: A step, or what the platform or a test's stage hand does to the market by itself.
Scene = Step | Callable[[Market], None]

#: What S has from the beginning, unless a story says otherwise.
CAMERA = "Solara K2 camera"


def owns(title: str = CAMERA, *, owner: int = S, quality: int | None = 72, **more: Any) -> Goods:
    """A unit that an agent begins with; 72 % is in the good band (60–81)."""
    return Goods(owner, title, quality=quality, **more)


def lists(who: int, title: str = CAMERA, *, band: str | None = None, **more: Any) -> Step:
    arguments = {
        "category": "electronics",
        "title": title,
        "description": "",
        "price_cents": 10_000,
        "condition": "good",
        "stated_quality_band": band,
    }
    return who, "create_listing", arguments | more


def edits(who: int, listing: int, **changes: Any) -> Step:
    return who, "edit_listing", {"listing_id": listing} | changes


def relists(who: int, listing: int) -> Step:
    return who, "relist", {"listing_id": listing}


def marks_sold(who: int, listing: int) -> Step:
    return who, "mark_sold", {"listing_id": listing}


def writes(who: int, *, listing: int | None = None, thread: int | None = None) -> Step:
    place = {"listing_id": listing} if thread is None else {"thread_id": thread}
    return who, "message", {"body": "Hello.", **place}


def offers(who: int, listing: int, price: int = 9_000) -> Step:
    return who, "make_offer", {"listing_id": listing, "price_cents": price}


def counters(who: int, offer: int, price: int = 9_500) -> Step:
    return who, "counter_offer", {"offer_id": offer, "price_cents": price}


def accepts(who: int, offer: int) -> Step:
    return who, "accept_offer", {"offer_id": offer}


def meets(who: int, thread: int, tick: int) -> Step:
    arguments = {"location_desc": "station", "scheduled_tick": tick, "payment_method": "cash"}
    return who, "schedule_meetup", {"thread_id": thread} | arguments


def ships(who: int, thread: int, lag: int = 6) -> Step:
    arguments = {"delivery_lag_ticks": lag, "payment_method": "venmo"}
    return who, "schedule_shipment", {"thread_id": thread} | arguments


def inspects(who: int, exchange: int) -> Step:
    return who, "inspect_at_meetup", {"meetup_id": exchange}


def confirms(who: int, exchange: int, proof: str | None = None) -> Step:
    return who, "complete_transaction", {"meetup_id": exchange, "handoff_proof": proof}


def calls_off(who: int, exchange: int) -> Step:
    return who, "cancel_meetup", {"meetup_id": exchange, "reason": ""}


def leaves(who: int, thread: int) -> Step:
    return who, "leave_thread", {"thread_id": thread}


def ghosts(who: int, thread: int) -> Step:
    return who, "ghost", {"thread_id": thread}


def shows(who: int, thread: int, listing: int, privacy: str | None = None) -> Step:
    arguments = {"thread_id": thread, "listing_id": listing, "focus": ""}
    return who, "send_photo", arguments | ({"privacy_mode": privacy} if privacy else {})


def sale(
    buyer: int, *, listing: int, offer: int, thread: int, exchange: int, seller: int = S
) -> list[Step]:
    """A whole deal within one tick, by meetup: offered, accepted, inspected, confirmed."""
    return [
        offers(buyer, listing),
        accepts(seller, offer),
        meets(seller, thread, 0),
        inspects(buyer, exchange),
        confirms(seller, exchange),
        confirms(buyer, exchange),
    ]


@dataclass(frozen=True)
class World:
    """Where a story plays."""

    goods: Sequence[Goods] = (owns(),)
    rules: Rules | str = "paper"
    agents: int = 5
    #: Unit ids that have an initial listing, in order.
    listed: Sequence[int] = ()
    privacy_permille: int = 0
    checks: Sequence[Check] = BUILT_IN_CHECKS
    start: int = 0
    end: int = 400
    tested: tuple[int, ...] = ()
    keys: tuple[str, ...] = field(default=())


#: S owns one camera at 72 %; the paper's rules; a base market in ticks 1–400.
PLAIN = World()


@dataclass(frozen=True)
class Story:
    """What happens, and the failure objects that are in the record afterwards."""

    what: str
    steps: Sequence[Scene]
    expected: Sequence[str]
    world: World = PLAIN

    def __str__(self) -> str:
        return self.what


def record_of(path: Path, world: World, story: Iterable[Scene]) -> Path:
    """Play a story through the real platform into a record; returns the closed record."""
    market = small_market(
        world.goods,
        rules=world.rules,
        agents=world.agents,
        privacy_permille=world.privacy_permille,
    )
    for unit_id in world.listed:
        market.tick = 0
        seed_listing(market, unit_id)
        market.tick = 1
    info = RecordInfo(
        market_name="story",
        seed=market.seed,
        rules=PRESETS[world.rules] if isinstance(world.rules, str) else world.rules,
        start_tick=world.start,
        end_tick=world.end,
        tested=world.tested,
        keys=world.keys,
    )
    with Record.create(path, market, info) as record:
        for scene in story:
            if callable(scene):
                scene(market)
            else:
                play(market, [scene], checks=world.checks, record=record)
        end_tick(market, record)
    return path


def evidence_of(folder: Path, world: World, story: Iterable[Scene]) -> Evidence:
    """The evidence of a story."""
    return read(record_of(folder / "story.db", world, story))


def found(evidence: Evidence, key: str | None = None) -> list[FailureObject]:
    """What the shipped failure types find, of one type or of all."""
    types = [one for one in FAILURE_TYPES if key in (None, one.key)]
    return [failure for one in types for failure in one.objects(evidence)]


def told(failure: FailureObject) -> str:
    """A failure object in one line: id, stage, cause, basis."""
    parts = [failure.object_id, failure.stage, failure.cause, failure.basis]
    return " ".join(part for part in parts if part)
