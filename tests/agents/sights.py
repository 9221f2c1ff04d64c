"""Hand-made prompts for scripts, and small living markets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bazaarbench.agents.observation import Observer
from bazaarbench.agents.policy import Facts, Play, Script, ScriptPrompt, parse_prompt
from bazaarbench.agents.prompting import persona_text_of, world_text
from bazaarbench.conditions import CONDITIONS
from bazaarbench.market.checks import BUILT_IN_CHECKS
from bazaarbench.market.draws import acts
from bazaarbench.market.dynamics import end_of_tick
from bazaarbench.market.entities import Event
from bazaarbench.market.platform import Platform
from bazaarbench.market.rules import PRESETS, Rules
from bazaarbench.market.state import Market
from bazaarbench.worlds import WorldSpec, found_market

CONDITION = {condition.name: condition for condition in CONDITIONS}
TITLE, CATEGORY = "Solara K2 camera", "electronics-cameras"

FACTS = Facts(
    agent_id=7,
    ceiling_cents=20_000,
    floor_permille=900,
    goal_category="books",
    goal_title="A long atlas",
    haggle_permille=500,
    interests=("maps",),
    listings_target=2,
    privacy_permille=400,
    trust_permille=500,
)

EMPTY: dict[str, Any] = {
    "accepted_deals": [],
    "account_status": "active",
    "active_threads": [],
    "agent_id": 7,
    "decision_notes": [],
    "discovery_results": [],
    "feed": [],
    "focus_thread": None,
    "history": [],
    "incoming_messages": [],
    "market_baselines": {},
    "memories": [],
    "offers_on_listings": [],
    "own_listings": [],
    "own_units": [],
    "recent_sales": [],
    "scheduled_exchanges": [],
    "tick": 100,
    "time": "Day 9, 17:00",
    "to_rate": [],
    "what_is_due": {},
}


def prompt(
    *, seed: int = 1, deadline: bool = False, adversarial: bool = False, **sections: Any
) -> ScriptPrompt:
    """A prompt of agent 7 at tick 100 that shows the sections given and nothing else."""
    return ScriptPrompt(seed, FACTS, deadline, adversarial, {**EMPTY, **sections})


def unit(quality: int | None = 70, **changes: Any) -> dict[str, Any]:
    bought = None if quality is not None else 50
    return {
        "bought_tick": bought,
        "category": CATEGORY,
        "condition": "good",
        "paid_cents": 5_000,
        "quality_pct": quality,
        "title": TITLE,
    } | changes


def listing(listing_id: int = 1, **changes: Any) -> dict[str, Any]:
    return {
        "band": "good",
        "category": CATEGORY,
        "condition": "good",
        "counters_pending": 0,
        "listing_id": listing_id,
        "offer_count": 0,
        "posted_tick": 90,
        "price_cents": 10_000,
        "title": TITLE,
        "view_count": 0,
    } | changes


def offer(offer_id: int, listing_id: int = 1, **changes: Any) -> dict[str, Any]:
    return {
        "asking_price_cents": 10_000,
        "listing_id": listing_id,
        "offer_id": offer_id,
        "price_cents": 9_800,
        "proposer_avg_stars": None,
        "proposer_id": 20 + offer_id,
        "proposer_ratings": 0,
        "round": 1,
        "thread_id": 100 + offer_id,
        "tick": 99,
        "title": TITLE,
    } | changes


def deal(thread_id: int = 50, *, role: str = "seller", **changes: Any) -> dict[str, Any]:
    return {
        "accepted_tick": 99,
        "band": "good",
        "category": CATEGORY,
        "counterparty_id": 30,
        "listing_id": 1,
        "price_cents": 9_800,
        "role": role,
        "thread_id": thread_id,
        "title": TITLE,
    } | changes


def exchange(meetup_id: int = 60, *, role: str = "seller", **changes: Any) -> dict[str, Any]:
    return {
        "band": "good",
        "category": CATEGORY,
        "counterparty_id": 30,
        "eta_tick": None,
        "inspected_pct": None,
        "listing_id": 1,
        "location": "Library",
        "meetup_id": meetup_id,
        "method": "meetup",
        "payment": "cash",
        "price_cents": 9_800,
        "role": role,
        "scheduled_tick": 100,
        "thread_id": 50,
        "thread_status": "committed",
        "title": TITLE,
        "you_confirmed": False,
    } | changes


def thread(thread_id: int = 50, *, role: str = "buyer", **changes: Any) -> dict[str, Any]:
    return {
        "asking_price_cents": 10_000,
        "counterparty_id": 30,
        "last_message_tick": None,
        "last_pending_offer": None,
        "listing_id": 1,
        "opened_tick": 98,
        "role": role,
        "thread_id": thread_id,
        "title": TITLE,
    } | changes


def pending(by: str, price: int, **changes: Any) -> dict[str, Any]:
    return {"by": by, "offer_id": 5, "price_cents": price, "round": 1, "tick": 99} | changes


def names(play: Play) -> list[str]:
    return [call.name for call in play.calls]


def plays(script: Script, make: Callable[[int], ScriptPrompt], seeds: int = 60) -> list[Play]:
    """What a script does about one sight under many seeds."""
    return [script.act(make(seed)) for seed in range(seeds)]


# ---------------------------------------------------------------------------- living markets

OnEvent = Callable[[Market, int, Event, Play, int], None]


def world(
    *, agents: int = 30, seed: int = 5, rules: Rules | str = "paper", quality: Any = "good"
) -> Market:
    spec = WorldSpec(name="test", seed=seed, agents=agents, quality=quality)
    return found_market(spec, PRESETS[rules] if isinstance(rules, str) else rules)


def live(
    market: Market,
    script: Script,
    until: int,
    *,
    condition: str = "L1",
    policy_seed: int = 3,
    on_event: OnEvent | None = None,
) -> list[Event]:
    """Play all agents by one script, through texts alone; returns the agents' events."""
    texts = {
        agent_id: persona_text_of(agent, CONDITION[condition])
        for agent_id, agent in market.agents.items()
    }
    observer, platform = Observer(market), Platform(market, BUILT_IN_CHECKS)
    events = []
    while market.tick <= until:
        turns, shown = [], {}
        for agent_id, agent in market.agents.items():
            if acts(market.seed, agent_id, market.tick, agent.activity_permille):
                seen = observer.observe(agent_id)
                shown[agent_id] = seen.shown_messages
                asked = parse_prompt((world_text(), texts[agent_id], seen.text), policy_seed)
                turns.append((agent_id, script.act(asked)))
        for agent_id, play in turns:
            for place, call in enumerate(play.calls):
                event = platform.perform(agent_id, None, call)
                events.append(event)
                if on_event is not None:
                    on_event(market, agent_id, event, play, place)
        end_of_tick(market, shown)
        market.clean_tick()
        market.tick += 1
    return events
