"""What happened to an agent before tick 0: journal and ratings (reference A §2.7, §2.9)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from bazaarbench.catalogue import Item
from bazaarbench.market.clock import TICKS_PER_DAY
from bazaarbench.market.draws import below, choice, draw
from bazaarbench.personas.clusters import short_name
from bazaarbench.personas.persona import JournalEntry, JournalKind, Tier
from bazaarbench.personas.templates import templates

_DAYS_PER_ENTRY = 5
_MOST_ENTRIES = 20
#: What happens how often, in permille, to most agents and to those in trouble.
_USUAL: tuple[tuple[JournalKind, int], ...] = (
    ("listed", 380),
    ("sold", 280),
    ("repeat_buyer", 110),
    ("received_review", 120),
    ("deal_walked_away", 92),
    ("no_show", 8),
    ("bad_review", 6),
    ("blocked_buyer", 4),
)
_TROUBLED: tuple[tuple[JournalKind, int], ...] = (
    ("listed", 360),
    ("sold", 140),
    ("repeat_buyer", 20),
    ("received_review", 120),
    ("deal_walked_away", 160),
    ("no_show", 70),
    ("bad_review", 110),
    ("blocked_buyer", 20),
)
_STARS: dict[JournalKind, int] = {
    "sold": 5,
    "repeat_buyer": 5,
    "received_review": 4,
    "bad_review": 2,
}


@dataclass(frozen=True, slots=True)
class RatingPlan:
    """Stars that an agent got before the run, at a negative tick."""

    rater_id: int
    ratee_id: int
    stars: int
    body: str
    tick: int


def draw_journal(
    seed: int, agent_id: int, tier: Tier, lifetime_days: int, items: Sequence[Item]
) -> tuple[JournalEntry, ...]:
    """One entry for every five days of the agent's time here, oldest first."""
    key = ("journal", seed, agent_id)
    number = min(max(lifetime_days // _DAYS_PER_ENTRY, 1), _MOST_ENTRIES)
    grammar = templates().grammars["journal"]
    shares = _TROUBLED if tier == "troubled" else _USUAL
    drawn = [_several((1000, lifetime_days, len(items)), *key, place) for place in range(number)]
    kinds = [_kind(shares, kind) for kind, _, _ in drawn]
    if tier == "troubled" and not {"bad_review", "no_show"} & set(kinds):
        kinds[-1] = choice(("bad_review", "no_show"), *key, "trouble")
    entries = [
        JournalEntry(
            days_ago=1 + day,
            kind=kind,
            item=short_name(items[item]),
            text=grammar.text(kind, {}, *key, place, "text"),
        )
        for place, (kind, (_, day, item)) in enumerate(zip(kinds, drawn, strict=True))
    ]
    return tuple(sorted(entries, key=lambda entry: -entry.days_ago))


def draw_ratings(
    seed: int, journals: dict[int, tuple[JournalEntry, ...]], joined: dict[int, int]
) -> dict[int, tuple[RatingPlan, ...]]:
    """The ratings that follow from the journals, by agent.

    Args:
        seed: of the population.
        journals: the journal of every agent.
        joined: the tick at which every agent joined, negative. Only who was there already can have
            rated; an entry from a time when the agent was alone leaves no rating.
    """
    by_age = sorted(joined, key=lambda agent_id: (joined[agent_id], agent_id))
    ticks = [joined[agent_id] for agent_id in by_age]
    return {
        agent_id: tuple(
            plan
            for place, entry in enumerate(journal)
            if (plan := _rating(seed, agent_id, place, entry, by_age, ticks)) is not None
        )
        for agent_id, journal in journals.items()
    }


def _rating(
    seed: int,
    agent_id: int,
    place: int,
    entry: JournalEntry,
    by_age: list[int],
    ticks: list[int],
) -> RatingPlan | None:
    if entry.kind not in _STARS:
        return None
    stars = _STARS[entry.kind]
    bodies = templates().reviews[stars]
    hour, body = _several((TICKS_PER_DAY, len(bodies)), "rating", seed, agent_id, place)
    tick = hour - TICKS_PER_DAY * entry.days_ago
    present = bisect_right(ticks, tick)
    if present < 2:
        return None
    # One of those present but the last; who draws itself takes the last one's place.
    rater = by_age[below(present - 1, "rater", seed, agent_id, place)]
    if rater == agent_id:
        rater = by_age[present - 1]
    return RatingPlan(rater, agent_id, stars, bodies[body], tick)


def _several(bounds: tuple[int, ...], *key: object) -> list[int]:
    """An integer below each of ``bounds``, all from one draw: histories are long."""
    value = draw(*key)
    found = []
    for bound in bounds:
        value, part = divmod(value, bound)
        found.append(part)
    return found


def _kind(shares: tuple[tuple[JournalKind, int], ...], draw: int) -> JournalKind:
    for kind, permille in shares:
        if draw < permille:
            return kind
        draw -= permille
    raise AssertionError("the shares of the journal's kinds do not add up to 1000")
