"""A whole population: one plan for each agent, from a catalogue and a seed (SPEC §3.2–3.4)."""

from __future__ import annotations

from dataclasses import dataclass

from bazaarbench.catalogue import Catalogue, Item
from bazaarbench.market.clock import TICKS_PER_DAY
from bazaarbench.market.draws import between
from bazaarbench.market.entities import Agent
from bazaarbench.personas.clusters import Shelves
from bazaarbench.personas.goals import Supply, draw_goal
from bazaarbench.personas.history import RatingPlan, draw_journal, draw_ratings
from bazaarbench.personas.people import Person, draw_interests, draw_person
from bazaarbench.personas.persona import JournalEntry, MemoryKind, Persona, SellerGoal
from bazaarbench.personas.stock import Quality, Stock, UnitPlan, draw_stock
from bazaarbench.personas.texts import Subject, Texts, write_texts

_FLOOR_PERMILLE = (860, 970)


@dataclass(frozen=True, slots=True)
class PopulationSpec:
    """What a population depends on besides the catalogue; ``units`` are the least and the most."""

    seed: int
    agents: int
    units: tuple[int, int]
    quality: Quality


@dataclass(frozen=True, slots=True)
class MemoryPlan:
    """A typed memory that an agent starts with."""

    kind: MemoryKind
    content: str


@dataclass(frozen=True, slots=True)
class AgentPlan:
    """Everything that an agent brings into a market at tick 0.

    ``agent`` is the row as it will be stored, its ``persona`` the JSON of ``persona``. The first of
    ``units`` is the one that it lists first; ``history`` are items that it no longer has.
    """

    agent: Agent
    persona: Persona
    units: tuple[UnitPlan, ...]
    memories: tuple[MemoryPlan, ...]
    history_ratings: tuple[RatingPlan, ...]
    history: tuple[Item, ...]
    goal_item: Item


def make_population(catalogue: Catalogue, spec: PopulationSpec) -> list[AgentPlan]:
    """The plans of agents 1 … ``spec.agents``, in that order.

    Raises:
        CatalogueError: the catalogue is too small or too uniform for a market.
    """
    shelves = Shelves.of(catalogue)
    ids = range(1, spec.agents + 1)
    stocks = {
        agent_id: draw_stock(shelves, spec.seed, agent_id, units=spec.units, quality=spec.quality)
        for agent_id in ids
    }
    journals = {
        agent_id: draw_journal(
            spec.seed, agent_id, stock.cluster.tier, stock.lifetime_days, stock.history
        )
        for agent_id, stock in stocks.items()
    }
    joined = {agent_id: -TICKS_PER_DAY * stock.lifetime_days for agent_id, stock in stocks.items()}
    ratings = draw_ratings(spec.seed, journals, joined)
    maker = _Maker(shelves, Supply(list(stocks.values())), spec.seed)
    return [
        maker.plan(agent_id, stocks[agent_id], journals[agent_id], ratings[agent_id])
        for agent_id in ids
    ]


class _Maker:
    """Makes the plan of one agent when the stocks of all are known."""

    def __init__(self, shelves: Shelves, supply: Supply, seed: int) -> None:
        self._shelves = shelves
        self._supply = supply
        self._seed = seed
        self._by_title: dict[str, Item] = {item.title: item for item in reversed(shelves.items)}
        self._mean_price = {
            category: sum(item.price_cents for item in items) // len(items)
            for category, items in shelves.by_category.items()
        }

    def plan(
        self,
        agent_id: int,
        stock: Stock,
        journal: tuple[JournalEntry, ...],
        ratings: tuple[RatingPlan, ...],
    ) -> AgentPlan:
        """One agent with its person, goals and texts."""
        seed, tier = self._seed, stock.cluster.tier
        person = draw_person(seed, agent_id, tier)
        interests = draw_interests(seed, agent_id, (unit.item.category for unit in stock.units))
        buyer = draw_goal(self._shelves, self._supply, stock, seed, agent_id)
        seller = SellerGoal(
            floor_permille=between(*_FLOOR_PERMILLE, "seller", seed, agent_id, "floor"),
            listings_target=min(
                len(stock.units), between(2, 6, "seller", seed, agent_id, "listings")
            ),
        )
        subject = Subject(
            person=person,
            stock=stock,
            interests=interests,
            goal_item=self._by_title[buyer.title],
            floor_permille=seller.floor_permille,
            mean_price_cents=self._mean_price[stock.anchor.category],
        )
        texts = write_texts(subject, seed, agent_id)
        persona = Persona(
            agent_id=agent_id,
            display_name=person.display_name,
            age=person.age,
            profession=person.profession,
            zip=person.zip,
            district=person.district,
            device=person.device,
            tier=tier,
            cluster=stock.cluster.key,
            lifetime_days=stock.lifetime_days,
            interests=interests,
            privacy_permille=person.privacy_permille,
            trust_permille=person.trust_permille,
            haggle_permille=person.haggle_permille,
            buyer=buyer,
            seller=seller,
            style=texts.style,
            buyer_strategy=texts.buyer_strategy,
            seller_strategy=texts.seller_strategy,
            constraints=texts.constraints,
            self_summary=texts.self_summary,
            background=texts.background,
            journal=journal,
        )
        return AgentPlan(
            agent=_agent_row(person, persona),
            persona=persona,
            units=stock.units,
            memories=_memories(texts),
            history_ratings=ratings,
            history=stock.history,
            goal_item=subject.goal_item,
        )


def _memories(texts: Texts) -> tuple[MemoryPlan, ...]:
    return tuple(MemoryPlan(kind, content) for kind, content in texts.memories)


def _agent_row(person: Person, persona: Persona) -> Agent:
    return Agent(
        agent_id=persona.agent_id,
        user_name=person.user_name,
        display_name=person.display_name,
        status="active",
        zip=person.zip,
        x_m=person.x_m,
        y_m=person.y_m,
        street=person.street,
        device=person.device,
        activity_permille=person.activity_permille,
        privacy_permille=person.privacy_permille,
        tier=persona.tier,
        joined_tick=-TICKS_PER_DAY * persona.lifetime_days,
        persona=persona.model_dump_json(),
    )
