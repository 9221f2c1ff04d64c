"""The texts of an agent, made from templates and its facts (SPEC §3.4).

Every name of an item, every price and every place in a text is a fact of that agent; the templates
add manner, habits and advice to oneself. The bars for how different agents must sound are measured
by ``diversity.py``.
"""

from __future__ import annotations

from dataclasses import dataclass

from bazaarbench.catalogue import Item
from bazaarbench.market.draws import between, chance, choice
from bazaarbench.personas.clusters import short_name
from bazaarbench.personas.people import Person, category_words
from bazaarbench.personas.persona import MemoryKind
from bazaarbench.personas.stock import Stock
from bazaarbench.personas.templates import templates

_SMALL_NUMBERS = (
    *("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve"),
)
_CONSTRAINTS = (4, 6)
_MEMORIES = (5, 9)
#: Kinds of memories beyond the two that everybody has, as often as they are drawn.
_FURTHER_KINDS: tuple[MemoryKind, ...] = (
    *("communication", "communication", "communication", "pricing", "pricing"),
    *("buyer_preference", "inventory", "trust", "negotiation"),
)
_BAD_EXPERIENCE_PERMILLE = 150


@dataclass(frozen=True, slots=True)
class Texts:
    """The written part of a persona, and the typed memories: (kind, content)."""

    style: str
    buyer_strategy: str
    seller_strategy: str
    constraints: tuple[str, ...]
    self_summary: str
    background: str
    memories: tuple[tuple[MemoryKind, str], ...]


@dataclass(frozen=True, slots=True)
class Subject:
    """Whom the texts are about; the mean price is that of the category that it trades in."""

    person: Person
    stock: Stock
    interests: tuple[str, ...]
    goal_item: Item
    floor_permille: int
    mean_price_cents: int


def facts_of(subject: Subject, *key: object) -> dict[str, str]:
    """What templates may name, as text."""
    person, stock, goal = subject.person, subject.stock, subject.goal_item
    owned = list(dict.fromkeys(short_name(unit.item) for unit in stock.units))
    past = stock.history
    category = category_words(stock.anchor.category)
    sold_cents = past[0].price_cents * between(720, 1040, *key, "sold") // 1000
    since = tenure(stock.lifetime_days)
    return {
        "name": person.first_name,
        "age": str(person.age),
        "profession": person.profession,
        "a_profession": f"{'an' if person.profession[0] in 'aeiou' else 'a'} {person.profession}",
        "district": person.district,
        "device": person.device,
        "category": category,
        "category_price": f"${subject.mean_price_cents // 100:,}",
        "goal": short_name(goal),
        "goal_brand": goal.brand or short_name(goal),
        "goal_category": category_words(goal.category),
        "own_a": owned[0],
        "own_b": owned[-1] if len(owned) > 1 else f"the rest of my {category}",
        "past_a": short_name(past[0]),
        "past_b": short_name(past[1]),
        "past_price": f"${max(sold_cents // 100, 1):,}",
        "floor_share": str(-(-subject.floor_permille // 10)),
        "interest_a": subject.interests[0],
        "interest_b": subject.interests[1],
        "tenure": since,
        "tenure_cap": since[0].upper() + since[1:],
    }


def write_texts(subject: Subject, seed: int, agent_id: int) -> Texts:
    """All texts of one agent."""
    grammars = templates().grammars
    key = ("texts", seed, agent_id)
    facts = facts_of(subject, *key)
    troubled = subject.stock.cluster.tier == "troubled"

    def text(file: str, symbol: str) -> str:
        return grammars[file].text(symbol, facts, *key, symbol)

    number = between(*_CONSTRAINTS, *key, "constraints")
    return Texts(
        style=text("style", "style"),
        buyer_strategy=text("strategies", "buyer_strategy"),
        seller_strategy=text("strategies", "seller_strategy"),
        constraints=tuple(
            grammars["constraints"].texts("constraint", number, facts, *key, "constraint")
        ),
        self_summary=text("self_summary", "self_summary"),
        background=text("background", "background"),
        memories=_memories(facts, troubled, key),
    )


def _memories(
    facts: dict[str, str], troubled: bool, key: tuple[object, ...]
) -> tuple[tuple[MemoryKind, str], ...]:
    kinds: list[MemoryKind] = ["pricing", "communication"]
    if troubled or chance(_BAD_EXPERIENCE_PERMILLE, *key, "bad"):
        kinds.append("bad_experience")
    number = between(*_MEMORIES, *key, "memories")
    kinds.extend(
        choice(_FURTHER_KINDS, *key, "kind", place) for place in range(number - len(kinds))
    )
    grammar = templates().grammars["memories"]
    memories: list[tuple[MemoryKind, str]] = []
    for kind in dict.fromkeys(kinds):
        contents = grammar.texts(kind, kinds.count(kind), facts, *key, kind)
        memories.extend((kind, content) for content in contents)
    return tuple(memories)


def tenure(days: int) -> str:
    """A number of days in words: ``9 days``, ``six weeks``, ``four months``."""
    if days < 14:
        return _many(days, "day")
    if days < 70:
        return _many(days // 7, "week")
    return _many(days // 30, "month")


def _many(number: int, what: str) -> str:
    word = _SMALL_NUMBERS[number] if number < len(_SMALL_NUMBERS) else str(number)
    return f"{word} {what}{'' if number == 1 else 's'}"
