"""What a writer is told about one agent: facts alone, each with a short reference (SPEC §3.4).

The writer cites items by ``ref`` and events by their number; who owns what, what it costs and what
has happened stays what scripts have drawn.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import sha256
from typing import Literal

from pydantic import BaseModel, ConfigDict

from bazaarbench.catalogue import Item
from bazaarbench.personas.clusters import short_name
from bazaarbench.personas.people import category_words
from bazaarbench.personas.persona import JournalKind, Tier
from bazaarbench.personas.population import AgentPlan

Standing = Literal["in hand", "had before", "wanted"]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class ItemFact(_Frozen):
    """An item that the agent has, has had or wants; ``asking_cents`` for what it has."""

    ref: str
    standing: Standing
    name: str
    title: str
    brand: str
    category: str
    condition: str | None = None
    asking_cents: int | None = None


class EventFact(_Frozen):
    """Something that happened before tick 0, to an item that the agent no longer has."""

    event: int
    days_ago: int
    kind: JournalKind
    ref: str


class Brief(_Frozen):
    """The facts about one agent, and two hints that make agents differ: work and manner."""

    agent_id: int
    name: str
    age: int
    district: str
    tier: Tier
    lifetime_days: int
    interests: tuple[str, ...]
    haggle_permille: int
    trust_permille: int
    privacy_permille: int
    ceiling_cents: int
    floor_permille: int
    items: tuple[ItemFact, ...]
    events: tuple[EventFact, ...]
    work_hint: str
    manner_hint: str

    @property
    def digest(self) -> str:
        """SHA-256 over the facts: texts fit an agent when they were written from equal ones."""
        facts = self.model_dump(mode="json", exclude={"work_hint", "manner_hint"})
        return sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()

    @property
    def refs(self) -> frozenset[str]:
        """The references that a text of this agent may make."""
        return frozenset(item.ref for item in self.items)

    @property
    def amounts_cents(self) -> frozenset[int]:
        """The amounts of money that a text of this agent may name."""
        asked = (item.asking_cents for item in self.items if item.asking_cents is not None)
        return frozenset((self.ceiling_cents, *asked))

    def told(self) -> str:
        """The facts as the writer reads them: a JSON text."""
        facts = {
            "name": self.name.split()[0],
            "age": self.age,
            "district": self.district,
            "tier": self.tier,
            "days_on_the_marketplace": self.lifetime_days,
            "interests": self.interests,
            "character": {
                "haggles": self.haggle_permille // 10,
                "trusts_strangers": self.trust_permille // 10,
                "guards_privacy": self.privacy_permille // 10,
            },
            "highest_price_for_what_is_wanted": _dollars(self.ceiling_cents),
            "lowest_share_of_own_asking_price_percent": self.floor_permille // 10,
            "items": [_told(item) for item in self.items],
            "events": [event.model_dump() for event in self.events],
            "work_hint": self.work_hint,
            "manner_hint": self.manner_hint,
        }
        return json.dumps(facts, indent=1, ensure_ascii=False)


def brief_of(plan: AgentPlan) -> Brief:
    """The brief of one agent; it depends on facts alone, and its hints on the templates."""
    persona = plan.persona
    items = tuple(_items(plan))
    ref_of = {item.name: item.ref for item in reversed(items) if item.standing == "had before"}
    return Brief(
        agent_id=persona.agent_id,
        name=persona.display_name,
        age=persona.age,
        district=persona.district,
        tier=persona.tier,
        lifetime_days=persona.lifetime_days,
        interests=persona.interests,
        haggle_permille=persona.haggle_permille,
        trust_permille=persona.trust_permille,
        privacy_permille=persona.privacy_permille,
        ceiling_cents=persona.buyer.ceiling_cents,
        floor_permille=persona.seller.floor_permille,
        items=items,
        events=tuple(
            EventFact(
                event=number, days_ago=entry.days_ago, kind=entry.kind, ref=ref_of[entry.item]
            )
            for number, entry in enumerate(persona.journal, start=1)
        ),
        work_hint=persona.profession,
        manner_hint=persona.style,
    )


def _items(plan: AgentPlan) -> Iterator[ItemFact]:
    for number, unit in enumerate(plan.units, start=1):
        yield _fact(
            f"own-{number}",
            "in hand",
            unit.item,
            condition=unit.condition,
            asking_cents=unit.asking_cents,
        )
    for number, item in enumerate(plan.history, start=1):
        yield _fact(f"past-{number}", "had before", item)
    yield _fact("goal-1", "wanted", plan.goal_item)


def _fact(
    ref: str,
    standing: Standing,
    item: Item,
    *,
    condition: str | None = None,
    asking_cents: int | None = None,
) -> ItemFact:
    return ItemFact(
        ref=ref,
        standing=standing,
        name=short_name(item),
        title=item.title,
        brand=item.brand,
        category=item.category,
        condition=condition,
        asking_cents=asking_cents,
    )


def _told(item: ItemFact) -> dict[str, str]:
    told = {
        "ref": item.ref,
        "standing": item.standing,
        "name": item.name,
        "kind_of_thing": category_words(item.category),
    }
    if item.condition is not None:
        told["condition"] = item.condition.replace("_", " ")
    if item.asking_cents is not None:
        told["asking_price"] = _dollars(item.asking_cents)
    return told


def _dollars(cents: int) -> str:
    return f"${cents // 100:,}" if cents % 100 == 0 else f"${cents // 100:,}.{cents % 100:02d}"
