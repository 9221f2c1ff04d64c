"""How different the agents of a population sound: the bars of SPEC §3.4, measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from bazaarbench.personas.population import AgentPlan

#: The bars of SPEC §3.4: the largest mean similarities, the least share of distinct constraints.
MOST_ALIKE = {"style": 0.20, "self_summary": 0.25, "memories": 0.31}
LEAST_DISTINCT_CONSTRAINTS = 0.90


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

    @property
    def missed(self) -> tuple[str, ...]:
        """The names of the bars that are missed."""
        too_alike = [name for name, most in MOST_ALIKE.items() if getattr(self, name) > most]
        few = self.distinct_constraints < LEAST_DISTINCT_CONSTRAINTS
        return (*too_alike, *(["distinct_constraints"] if few else []))


@dataclass(frozen=True, slots=True)
class Voice:
    """The texts of one agent that are compared with those of others."""

    style: str
    self_summary: str
    memories: tuple[str, ...]
    constraints: tuple[str, ...]


def measure(plans: Sequence[AgentPlan]) -> Diversity:
    """Measure a population of at least two agents; the work grows with the square of its size."""
    return measure_voices(
        [
            Voice(
                style=plan.persona.style,
                self_summary=plan.persona.self_summary,
                memories=tuple(memory.content for memory in plan.memories),
                constraints=plan.persona.constraints,
            )
            for plan in plans
        ]
    )


def measure_voices(voices: Sequence[Voice]) -> Diversity:
    """Measure the texts of at least two agents."""
    constraints = [text for voice in voices for text in voice.constraints]
    return Diversity(
        style=mean_similarity([voice.style for voice in voices]),
        self_summary=mean_similarity([voice.self_summary for voice in voices]),
        memories=mean_similarity(["\n".join(voice.memories) for voice in voices]),
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
