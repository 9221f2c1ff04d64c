"""What an observer keeps from one observation to the next never shows what is no longer so."""

from __future__ import annotations

from bazaarbench.agents.kept import Kept
from bazaarbench.agents.observation import Observer, observe
from bazaarbench.agents.policies.honest import Honest
from bazaarbench.agents.policies.random_ import Random
from bazaarbench.market.state import Market
from tests.agents.sights import live, world
from tests.builders import B, Goods, play, small_market
from tests.market.stages import COMMITTED, GOODS, INSPECTED, MEETING, OFFERED, SOLD


def sees_what_is(observer: Observer, market: Market) -> bool:
    return all(observer.observe(agent) == observe(market, agent) for agent in market.agents)


def test_ticks_that_an_observer_has_missed_are_not_missing_from_what_it_shows() -> None:
    market = world(agents=12)
    observer = Observer(market)
    for until in (1, 2, 5, 6, 7, 15, 16):
        live(market, Random(), until)
        assert sees_what_is(observer, market)


def test_what_changes_within_a_tick_is_seen_at_once() -> None:
    for story in (OFFERED, COMMITTED, MEETING, INSPECTED, SOLD):
        market = small_market([*GOODS, Goods(B, "Lamp")], agents=4)
        observer = Observer(market)
        assert sees_what_is(observer, market)
        for step in story:
            play(market, [step])
            assert sees_what_is(observer, market)


def test_a_ban_takes_listings_out_of_kept_feeds() -> None:
    market = world(agents=12)
    live(market, Honest(), 6)
    observer = Observer(market)
    sellers = {row["seller_id"] for a in market.agents for row in observer.observe(a).data["feed"]}
    banned = market.agents[min(sellers)]
    banned.status = "banned"
    market.touch(banned)
    market.log("platform_moderator_action", {"agent_id": banned.agent_id, "verdict": "banned"})
    assert sees_what_is(observer, market)
    for agent_id in market.agents:
        feed = observer.observe(agent_id).data["feed"]
        assert banned.agent_id not in {row["seller_id"] for row in feed}


def test_a_kept_row_is_made_again_only_for_another_state() -> None:
    kept, made = Kept(limit=2), []

    def make(value: int) -> dict[str, int]:
        made.append(value)
        return {"value": value}

    assert kept.row(1, "a", make, 10).text == '{"value":10}'
    assert kept.row(1, "a", make, 11).data == {"value": 10}
    assert kept.row(1, "b", make, 12).data == {"value": 12}
    kept.row(2, "a", make, 20)
    kept.row(3, "a", make, 30)
    assert kept.row(1, "b", make, 13).data == {"value": 13}
    assert made == [10, 12, 20, 30, 13]
