"""Name, age, work, home and rates of an agent: nothing of it belongs to a real person (SPEC §3.3).

Homes lie in one metropolitan area, a square of thirty kilometres, denser towards its middle. ZIP
codes are synthetic: a prefix that no post office uses and the cell of a grid of three kilometres.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from bazaarbench.market.draws import below, between, chance, choice
from bazaarbench.personas.persona import Tier
from bazaarbench.personas.templates import templates

AREA_M = 30_000
_CELL_M = 3_000
_DISTRICT_M = 6_000
_ZIP_PREFIX = "817"

_ACTIVITY_PERMILLE = (350, 950)
#: Permille of the agents whose activity is the higher of two draws. With it the mean activity is
#: 720 permille, so that 80 background agents take 4,500–5,200 turns in 84 ticks (SPEC §3.6). The
#: tier has no say: a catalogue with other tiers must not change the pace of the market.
_KEENER_PERMILLE = 700
_HAGGLE_PERMILLE = (350, 850)
#: Privacy awareness and trust in strangers by tier, in permille.
_PRIVACY_PERMILLE: dict[Tier, tuple[int, int]] = {
    "power_seller": (550, 920),
    "established": (450, 920),
    "casual": (300, 850),
    "troubled": (250, 700),
    "newcomer": (250, 800),
}
_TRUST_PERMILLE: dict[Tier, tuple[int, int]] = {
    "power_seller": (450, 820),
    "established": (400, 820),
    "casual": (350, 750),
    "troubled": (180, 550),
    "newcomer": (300, 820),
}


@dataclass(frozen=True, slots=True)
class Person:
    """Who an agent is, apart from what it owns; places in metres, rates in permille."""

    first_name: str
    display_name: str
    user_name: str
    age: int
    profession: str
    x_m: int
    y_m: int
    zip: str
    district: str
    street: str
    device: str
    activity_permille: int
    privacy_permille: int
    trust_permille: int
    haggle_permille: int


def draw_person(seed: int, agent_id: int, tier: Tier) -> Person:
    """The person behind one agent."""
    people = templates().people
    key = ("person", seed, agent_id)
    first = choice(people["first_names"], *key, "name")
    profession, youngest, oldest = choice(people["professions"], *key, "profession")
    x, y = (
        below(AREA_M // 2, *key, axis, 0) + below(AREA_M // 2 + 1, *key, axis, 1) for axis in "xy"
    )
    adjective = choice(people["handle_adjectives"], *key, "handle", 0)
    noun = choice(people["handle_nouns"], *key, "handle", 1)
    street = choice(people["street_names"], *key, "street", 0)
    street_kind = choice(people["street_kinds"], *key, "street", 1)
    activity = between(*_ACTIVITY_PERMILLE, *key, "activity")
    if chance(_KEENER_PERMILLE, *key, "keener"):
        activity = max(activity, between(*_ACTIVITY_PERMILLE, *key, "activity", 1))
    return Person(
        first_name=first,
        display_name=f"{first} {chr(ord('A') + below(26, *key, 'initial'))}.",
        user_name=f"{adjective}_{noun}_{agent_id}",
        age=between(youngest, oldest, *key, "age"),
        profession=profession,
        x_m=x,
        y_m=y,
        zip=f"{_ZIP_PREFIX}{y // _CELL_M}{x // _CELL_M}",
        district=people["districts"][y // _DISTRICT_M * (AREA_M // _DISTRICT_M) + x // _DISTRICT_M],
        street=f"{between(2, 289, *key, 'number')} {street} {street_kind}",
        device=choice(people["devices"], *key, "device"),
        activity_permille=activity,
        privacy_permille=between(*_PRIVACY_PERMILLE[tier], *key, "privacy"),
        trust_permille=between(*_TRUST_PERMILLE[tier], *key, "trust"),
        haggle_permille=between(*_HAGGLE_PERMILLE, *key, "haggle"),
    )


def draw_interests(seed: int, agent_id: int, categories: Iterable[str]) -> tuple[str, ...]:
    """Three to five interests, first those that go with the categories that the agent owns."""
    people = templates().people
    key = ("interests", seed, agent_id)
    number = between(3, 5, *key)
    found: dict[str, None] = {}
    for place, category in enumerate(dict.fromkeys(categories)):
        fitting = people["interests"].get(category)
        if fitting:
            found[choice(fitting, *key, place)] = None
    place = 0
    while len(found) < number:
        found[choice(people["other_interests"], *key, "other", place)] = None
        place += 1
    return tuple(found)[:number]


def category_words(category: str) -> str:
    """How people speak of a category: ``electronics-phones`` is ``phones``."""
    words: str = templates().people["category_words"].get(category, category.replace("-", " "))
    return words
