"""Who the agents are: facts from the catalogue, texts from templates (SPEC §3.2–3.4)."""

from __future__ import annotations

from bazaarbench.personas.history import RatingPlan
from bazaarbench.personas.persona import (
    JOURNAL_KINDS,
    MEMORY_KINDS,
    BuyerGoal,
    JournalEntry,
    Persona,
    SellerGoal,
)
from bazaarbench.personas.population import (
    AgentPlan,
    MemoryPlan,
    PopulationSpec,
    make_population,
)
from bazaarbench.personas.stock import Quality, UnitPlan
from bazaarbench.personas.templates import templates_digest

__all__ = [
    "JOURNAL_KINDS",
    "MEMORY_KINDS",
    "AgentPlan",
    "BuyerGoal",
    "JournalEntry",
    "MemoryPlan",
    "Persona",
    "PopulationSpec",
    "Quality",
    "RatingPlan",
    "SellerGoal",
    "UnitPlan",
    "make_population",
    "templates_digest",
]
