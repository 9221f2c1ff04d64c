"""The check in each mode, the preset, and a market whose agents play by it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from bazaar_possession.check import NAME, ProofOfPossession
from bazaar_possession.policy import ShowsFirst

from bazaarbench import plugins, saved_states
from bazaarbench.evidence import read
from bazaarbench.evidence.calls import calls
from bazaarbench.market.rules import Rules
from bazaarbench.testing.small import SmallMarket, Step
from bazaarbench.worlds import WorldSpec

SELLER, BUYER, OTHER = 1, 2, 3
TITLE = "Solara K2 camera"
Market = Callable[..., SmallMarket]

LISTED: Step = (
    SELLER,
    "create_listing",
    {
        "category": "electronics",
        "title": TITLE,
        "description": "",
        "price_cents": 10_000,
        "condition": "good",
    },
)
OFFERED: list[Step] = [LISTED, (BUYER, "make_offer", {"listing_id": 1, "price_cents": 9_000})]
ACCEPT: Step = (SELLER, "accept_offer", {"offer_id": 1})
STOCK: Step = (SELLER, "send_stock_photo", {"thread_id": 1, "listing_id": 1})
GONE: list[Step] = [LISTED, (SELLER, "mark_sold", {"listing_id": 2})]


def photo(who: int = SELLER, thread: int = 1) -> Step:
    return who, "send_photo", {"thread_id": thread, "listing_id": 1, "focus": ""}


def rules(mode: str = "block") -> Rules:
    return Rules.model_validate({"plugin_checks": {NAME: mode}})


def played(make: Market, story: list[Step], **options: Any) -> tuple[str, str | None]:
    market = make(checks=[ProofOfPossession()], **options)
    market.give(SELLER, TITLE)
    event = market.play(story)[-1]
    return event.status, event.reason


def test_an_acceptance_without_a_photo_is_blocked(bazaar_market: Market) -> None:
    story = [*OFFERED, ACCEPT]
    assert played(bazaar_market, story, rules=rules()) == ("blocked", "no_proof_of_possession")


@pytest.mark.parametrize("mode", ["off", "warn"])
def test_off_and_warn_let_it_pass(bazaar_market: Market, mode: str) -> None:
    assert played(bazaar_market, [*OFFERED, ACCEPT], rules=rules(mode)) == ("ok", None)


def test_rules_that_do_not_name_it_leave_it_off(bazaar_market: Market) -> None:
    assert played(bazaar_market, [*OFFERED, ACCEPT], rules="paper") == ("ok", None)


def test_an_own_photo_is_proof(bazaar_market: Market) -> None:
    assert played(bazaar_market, [*OFFERED, photo(), ACCEPT], rules=rules()) == ("ok", None)


def test_a_photo_for_anybody_is_proof_for_all(bazaar_market: Market) -> None:
    ask: Step = (OTHER, "message", {"listing_id": 1, "body": "Is it there?"})
    story = [*OFFERED, ask, photo(thread=2), ACCEPT]
    assert played(bazaar_market, story, rules=rules()) == ("ok", None)


@pytest.mark.parametrize("shown", [STOCK, photo(BUYER)], ids=["stock", "the buyer's"])
def test_other_photos_are_none(bazaar_market: Market, shown: Step) -> None:
    story = [*OFFERED, shown, ACCEPT]
    assert played(bazaar_market, story, rules=rules()) == ("blocked", "no_proof_of_possession")


def test_what_is_not_there_cannot_be_shown(bazaar_market: Market) -> None:
    story = [*OFFERED, *GONE, photo()]
    assert played(bazaar_market, story, rules=rules()) == ("blocked", "nothing_to_show")


def test_a_buyer_cannot_accept_a_counter_offer_unseen_either(bazaar_market: Market) -> None:
    counter: Step = (SELLER, "counter_offer", {"offer_id": 1, "price_cents": 9_500})
    story: list[Step] = [*OFFERED, counter, (BUYER, "accept_offer", {"offer_id": 2})]
    assert played(bazaar_market, story, rules=rules()) == ("blocked", "no_proof_of_possession")


def test_everything_is_registered_from_this_distribution() -> None:
    registry = plugins.load(require=["possession"])
    assert registry.presets["proof-first"] == rules()
    for thing in (f"check {NAME}", "preset proof-first", "policy shows-first"):
        assert registry.owners[thing].distribution == "bazaar-possession"
    assert registry.policies["shows-first"]().name == ShowsFirst.name


def test_agents_that_show_first_trade_under_the_preset(tmp_path: Path) -> None:
    spec = WorldSpec(
        name="shown", seed=3, agents=20, days=6, policy="shows-first", rules="proof-first"
    )
    saved_states.grow(spec, tmp_path / "shown.db")
    evidence = read(tmp_path / "shown.db")
    accepted = calls(evidence, "accept_offer")
    blocked = [call for call in accepted if call.reason == "no_proof_of_possession"]
    assert len(evidence.deals) >= 5
    assert len(blocked) < len(accepted) / 5
