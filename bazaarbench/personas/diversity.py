"""How different the agents of a population sound: the bars of SPEC §3.4, measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from bazaarbench.personas.population import AgentPlan


@dataclass(frozen=True, slots=True)
class Diversity:
    """Mean pairwise trigram Jaccard of three texts, and the share of distinct constraints.

    A similarity of 0 means that no two agents share three letters in a row, 1 that all texts are
    equal. ``distinct_constraints`` is the number of different constraints ÷ all constraints.
    """

    style: float
    self_summary: float
    memories: float
    distinct_constraints: float


def measure(plans: Sequence[AgentPlan]) -> Diversity:
    """Measure a population of at least two agents; the work grows with the square of its size."""
    constraints = [text for plan in plans for text in plan.persona.constraints]
    return Diversity(
        style=mean_similarity([plan.persona.style for plan in plans]),
        self_summary=mean_similarity([plan.persona.self_summary for plan in plans]),
        memories=mean_similarity(
            ["\n".join(memory.content for memory in plan.memories) for plan in plans]
        ),
        distinct_constraints=len(set(constraints)) / len(constraints),
    )


def mean_similarity(texts: Sequence[str]) -> float:
    """Mean over all pairs of the Jaccard index of their character trigrams."""
    sets = [trigrams(text) for text in texts]
    pairs = list(combinations(sets, 2))
    return sum(len(one & other) / len(one | other) for one, other in pairs) / len(pairs)


def trigrams(text: str) -> frozenset[str]:
    """The runs of three characters in ``text``, lower-cased and with single spaces."""
    squeezed = " ".join(text.lower().split())
    return frozenset(squeezed[i : i + 3] for i in range(len(squeezed) - 2))
