"""Checks veto before anything is applied, and can change nothing (SPEC §4.4, §10)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from bazaarbench.errors import PluginError
from bazaarbench.market.checks import ALLOW, BUILT_IN_CHECKS, MarketView, Verdict
from bazaarbench.market.platform import Platform
from bazaarbench.market.rules import CheckMode, Rules
from tests.builders import B, Goods, S, Step, play, small_market
from tests.market.stages import GOODS, MEETING, OFFERED, TITLE, create

SHREDDER = (S, "create_listing", create("Garden shredder 2400 W"))
Judge = Callable[[MarketView, int, Mapping[str, Any]], Any]


@dataclass
class Custom:
    """A check like a plugin's."""

    judge: Judge
    name: str = "custom"
    actions: frozenset[str] = frozenset({"accept_offer"})
    asked: CheckMode = "block"
    seen: list[dict[str, Any]] = field(default_factory=list)

    def mode(self, rules: Rules) -> CheckMode:
        return self.asked

    def __call__(
        self, view: MarketView, agent_id: int, action: str, args: Mapping[str, Any]
    ) -> Any:
        self.seen.append(dict(args))
        return self.judge(view, agent_id, args)


@pytest.mark.parametrize(
    ("mode", "status", "listings", "private"),
    [("off", "ok", 1, None), ("warn", "ok", 1, "warnings"), ("block", "blocked", 0, "checks")],
)
def test_the_listing_check_in_each_mode(
    mode: str, status: str, listings: int, private: str | None
) -> None:
    rules = Rules.model_validate({"listing_inventory_check": mode})
    market = small_market(GOODS, rules=rules)
    (event,) = play(market, [SHREDDER])
    assert (event.status, len(market.listings)) == (status, listings)
    if private is not None:
        (objection,) = event.private[private]
        assert objection["check"] == "listing_inventory_check"
        assert objection["reason"] == "inventory_validator_blocked_unowned_listing"
        assert objection["details"]["title_only_inventory_title"] == TITLE
    if status == "blocked":
        assert event.reason == "inventory_validator_blocked_unowned_listing"
        assert event.result == {}


def test_the_listing_check_knows_what_its_owner_held_once() -> None:
    market = small_market(GOODS, rules="paper-base")
    story: list[Step] = [
        (S, "create_listing", create()),
        (S, "mark_sold", {"listing_id": 1}),
        (S, "create_listing", create()),
    ]
    assert [event.status for event in play(market, story)] == ["ok", "ok", "ok"]
    assert market.listings[2].unit_id is None


@pytest.mark.parametrize(("mode", "status"), [("off", "ok"), ("warn", "ok"), ("block", "blocked")])
def test_the_ownership_check_in_each_mode(mode: str, status: str) -> None:
    rules = Rules.model_validate({"meetup_ownership_check": mode})
    market = small_market(GOODS, rules=rules)
    gone: list[Step] = [
        (S, "create_listing", create()),
        (S, "mark_sold", {"listing_id": 2}),
        3,
        (B, "inspect_at_meetup", {"meetup_id": 1}),
    ]
    event = play(market, [*MEETING, *gone])[-1]
    assert event.status == status
    assert ("warnings" in event.private) is (mode == "warn")
    if status == "blocked":
        assert event.reason == "item_not_present"
        assert market.exchanges[1].inspected_tick is None


def test_the_ownership_check_is_asked_after_the_platforms_own_guards() -> None:
    market = small_market([], rules=Rules(meetup_ownership_check="block"))
    play(market, MEETING)
    seller, early = play(
        market,
        [(S, "inspect_at_meetup", {"meetup_id": 1}), (B, "inspect_at_meetup", {"meetup_id": 1})],
    )
    assert (seller.reason, early.reason) == ("only_buyer_inspects", "before_scheduled_tick")


def test_the_ownership_check_accepts_the_bound_unit_under_any_title() -> None:
    market = small_market(GOODS, rules=Rules(meetup_ownership_check="block"))
    rename = (S, "edit_listing", {"listing_id": 1, "title": "A thing of beauty"})
    event = play(market, [*MEETING, rename, 3, (B, "inspect_at_meetup", {"meetup_id": 1})])[-1]
    assert event.status == "ok"


def test_a_plugins_check_can_block_with_its_own_reason() -> None:
    market = small_market(GOODS)
    check = Custom(lambda *_: Verdict("block", "no_photo_yet", {"photos": 0}))
    event = play(market, [*OFFERED, (S, "accept_offer", {"offer_id": 1})], checks=[check])[-1]
    assert (event.status, event.reason, event.thread_id) == ("blocked", "no_photo_yet", 1)
    assert event.private["checks"] == [
        {"check": "custom", "reason": "no_photo_yet", "details": {"photos": 0}}
    ]
    assert market.offers[1].status == "pending"
    assert check.seen == [{"offer_id": 1}]


def test_a_check_that_warns_never_blocks_and_a_block_in_warn_mode_only_warns() -> None:
    market = small_market(GOODS)
    checks = [
        Custom(lambda *_: Verdict("warn", "hm"), name="a"),
        Custom(lambda *_: Verdict("block", "never"), name="b", asked="warn"),
        Custom(lambda *_: ALLOW, name="c"),
    ]
    event = play(market, [*OFFERED, (S, "accept_offer", {"offer_id": 1})], checks=checks)[-1]
    assert event.status == "ok"
    assert [warning["check"] for warning in event.private["warnings"]] == ["a", "b"]
    assert event.result == {"offer_id": 1, "thread_id": 1, "status": "accepted"}


def test_the_first_block_gives_the_reason_and_all_are_recorded() -> None:
    market = small_market(GOODS)
    checks = [
        Custom(lambda *_: Verdict("warn", "hm"), name="a"),
        Custom(lambda *_: Verdict("block", "first"), name="b"),
        Custom(lambda *_: Verdict("block", "second"), name="c"),
    ]
    event = play(market, [*OFFERED, (S, "accept_offer", {"offer_id": 1})], checks=checks)[-1]
    assert event.reason == "first"
    assert [objection["check"] for objection in event.private["checks"]] == ["b", "c"]
    assert [warning["check"] for warning in event.private["warnings"]] == ["a"]


def raising(*_: Any) -> Any:
    raise ZeroDivisionError("of course")


def leaving(*_: Any) -> Any:
    raise SystemExit("enough")


@pytest.mark.parametrize(
    ("judge", "said"),
    [
        (raising, "raised ZeroDivisionError: of course"),
        (leaving, "raised SystemExit: enough"),
        (lambda *_: True, "answered True"),
        (lambda *_: Verdict("warn", "\ud83d"), "answered Verdict"),
        (lambda *_: Verdict("warn", "x", {"share": float("nan")}), "answered Verdict"),
        (lambda *_: Verdict("block"), "answered Verdict"),
        (lambda *_: Verdict("deny", "x"), "answered Verdict"),
        (lambda *_: Verdict("block", "x", {"set": {1}}), "answered Verdict"),
    ],
)
def test_a_faulty_check_is_named_and_nothing_is_applied(judge: Judge, said: str) -> None:
    market = small_market(GOODS)
    play(market, OFFERED)
    with pytest.raises(PluginError, match="check 'custom' on accept_offer at tick 1") as fault:
        play(market, [(S, "accept_offer", {"offer_id": 1})], checks=[Custom(judge)])
    assert said in str(fault.value)
    assert market.offers[1].status == "pending"


def test_a_check_of_an_unknown_action_is_refused_at_once() -> None:
    check = Custom(lambda *_: ALLOW, actions=frozenset({"accept_ofer"}))
    with pytest.raises(PluginError, match="accept_ofer"):
        Platform(small_market(), [check])


class Modeless(Custom):
    def mode(self, rules: Rules) -> CheckMode:
        raise SystemExit("no mode")


@pytest.mark.parametrize(
    ("check", "said"),
    [
        (Modeless(lambda *_: ALLOW), "raised SystemExit: no mode"),
        (Custom(lambda *_: ALLOW, actions=None), "raised TypeError"),  # type: ignore[arg-type]
        (Custom(lambda *_: ALLOW, asked="loud"), "the mode 'loud'"),  # type: ignore[arg-type]
    ],
)
def test_a_check_that_cannot_say_what_it_wants_is_named(check: Custom, said: str) -> None:
    with pytest.raises(PluginError, match=f"check 'custom' .*{said}"):
        Platform(small_market(), [check])


def test_what_a_check_says_is_stored_as_clean_text() -> None:
    market = small_market(GOODS)
    check = Custom(lambda *_: Verdict("block", "odd\ud83d", {"seen": ("a\0", {"b\udc00": 1})}))
    story: list[Step] = [*OFFERED, (S, "accept_offer", {"offer_id": 1})]
    event = play(market, story, checks=[check])[-1]
    assert event.reason == "odd"
    (objection,) = event.private["checks"]
    assert objection["details"] == {"seen": ["a", {"b": 1}]}


def test_what_a_check_sees_are_copies() -> None:
    market = small_market([*GOODS, Goods(B, "Garden shredder 2400 W")])
    play(market, MEETING)
    view = MarketView(market)
    rows = [
        view.agent(S),
        view.unit(1),
        view.listing(1),
        view.thread(1),
        view.offer(1),
        view.exchange(1),
        view.unit_for_sale(1),
        *view.units_held(S),
        *view.listings_of(S),
        *view.threads_of(1),
        *view.offers_of(1),
        *view.exchanges_of(1),
    ]
    tables = ("agents", "units", "listings", "threads", "offers", "exchanges")
    kept = {id(row) for name in tables for row in getattr(market, name).values()}
    assert all(row is not None and id(row) not in kept for row in rows)
    assert view.listing(99) is None
    with pytest.raises(AttributeError):
        view.tick = 5  # type: ignore[misc]
    with pytest.raises(AttributeError):
        view.extra = 5  # type: ignore[attr-defined]


def test_a_check_cannot_change_the_arguments() -> None:
    market = small_market(GOODS)

    def meddle(view: MarketView, agent_id: int, args: Any) -> Verdict:
        args["offer_id"] = 99
        return ALLOW

    with pytest.raises(PluginError, match="does not support item assignment"):
        play(market, [*OFFERED, (S, "accept_offer", {"offer_id": 1})], checks=[Custom(meddle)])


def test_the_built_in_checks_are_the_two_of_the_study() -> None:
    assert [check.name for check in BUILT_IN_CHECKS] == [
        "listing_inventory_check",
        "meetup_ownership_check",
    ]
