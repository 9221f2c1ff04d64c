"""Which bundles people are given to label: stratified, blind, the same for the same seed.

Of each type one fifth is drawn at random before anything is known of the verdicts, half from those
that the judge calls unsafe, the rest from the near ones: not unsafe, but with a word on the subject
or without high confidence (reference M §5.7). Recorded reasoning about a type is a type of its own
here, ``F4_S1``. Within a stratum the runs take turns. What a stratum has not got is drawn at
random.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from bazaarbench.failures.base import Bundle
from bazaarbench.judge.agreement import NONE, UNSCORED
from bazaarbench.judge.verdicts import Verdict
from bazaarbench.market.draws import draw, shuffled

Stratum = Literal["random", "unsafe", "near"]
#: Shares of a type's quota, in percent, in the order in which they are drawn.
SHARES: tuple[tuple[Stratum, int], ...] = (("random", 20), ("unsafe", 50), ("near", 30))


@dataclass(frozen=True, slots=True)
class Candidate:
    """A bundle that could be drawn.

    ``run`` names the record that it is from, ``judged`` the judge's category by type, ``near`` the
    types about which it is not unsafe but near; both are empty when nobody has judged yet.
    ``reasoning`` says that it is recorded reasoning.
    """

    run: str
    bundle_id: str
    targets: tuple[str, ...]
    judged: Mapping[str, str] = field(default_factory=dict)
    near: frozenset[str] = frozenset()
    reasoning: bool = False

    @property
    def strata(self) -> dict[str, str]:
        """The types that it can be drawn for: the name to draw by, and the target's key."""
        return {f"{key}_S1" if self.reasoning else key: key for key in self.targets}


@dataclass(frozen=True, slots=True)
class Chosen:
    """A bundle that was drawn, for which type, and from which stratum."""

    name: str
    candidate: Candidate
    type: str
    stratum: Stratum


def candidate(run: str, bundle: Bundle, verdict: Verdict | None) -> Candidate:
    """A bundle with what a judge said about it, if one was asked."""
    targets, reasoning = bundle.targets, bundle.highest == "S1"
    if verdict is None:
        return Candidate(run, bundle.bundle_id, targets, reasoning=reasoning)
    judged = {key: UNSCORED for key in targets}
    near = set()
    for decision in verdict.decisions:
        judged[decision.type] = decision.stage or NONE
        quiet = decision.disposition in ("no_relevant_reasoning", "missing_reasoning")
        if not decision.unsafe and not (quiet and decision.confidence == "high"):
            near.add(decision.type)
    return Candidate(run, bundle.bundle_id, targets, judged, frozenset(near), reasoning)


def sampled(
    candidates: Iterable[Candidate], count: int, seed: int, types: Sequence[str] | None = None
) -> list[Chosen]:
    """Draw bundles to label.

    Args:
        candidates: all there are.
        count: how many bundles; fewer when there are not as many.
        seed: what the draws are keyed by.
        types: among which the count is divided; by default all that bundles ask about.
    """
    pool = list(candidates)
    asked = list(dict.fromkeys(name for one in pool for name in one.strata))
    wanted = [key for key in types if key in asked] if types is not None else sorted(asked)
    taken: set[tuple[str, str]] = set()
    chosen: list[tuple[Candidate, str, Stratum]] = []
    for place, key in enumerate(wanted):
        quota = count // len(wanted) + (place < count % len(wanted))
        mine = [one for one in pool if key in one.strata]
        left = quota
        for stratum, share in SHARES:
            room = min(left, -(-quota * share // 100))
            drawn = _drawn(mine, _in(stratum, key), room, (seed, key, stratum), taken)
            chosen += [(one, key, stratum) for one in drawn]
            left -= len(drawn)
        rest = _drawn(mine, lambda one: True, left, (seed, key, "rest"), taken)
        chosen += [(one, key, "random") for one in rest]
    # In an order that tells nothing about strata, types and runs.
    mixed = shuffled(chosen, seed, "judge sample")
    return [Chosen(f"case-{n:03d}", *row) for n, row in enumerate(mixed, 1)]


def _in(stratum: Stratum, key: str) -> Callable[[Candidate], bool]:
    if stratum == "unsafe":
        return lambda one: one.judged.get(one.strata[key], NONE) not in (NONE, UNSCORED)
    if stratum == "near":
        return lambda one: one.strata[key] in one.near
    return lambda one: True


def _drawn(
    pool: Sequence[Candidate],
    fits: Callable[[Candidate], bool],
    count: int,
    key: tuple[object, ...],
    taken: set[tuple[str, str]],
) -> list[Candidate]:
    """Up to ``count`` that are not taken yet, the runs taking turns; each run in a drawn order."""
    queues: dict[str, deque[Candidate]] = defaultdict(deque)
    for one in sorted(pool, key=lambda one: draw(*key, one.run, one.bundle_id)):
        if fits(one) and (one.run, one.bundle_id) not in taken:
            queues[one.run].append(one)
    turns = deque(sorted(queues, key=lambda run: draw(*key, run)))
    found: list[Candidate] = []
    while turns and len(found) < count:
        run = turns.popleft()
        one = queues[run].popleft()
        taken.add((one.run, one.bundle_id))
        found.append(one)
        if queues[run]:
            turns.append(run)
    return found
