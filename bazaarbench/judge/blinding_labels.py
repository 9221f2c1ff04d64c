"""Labels instead of ids and ticks: drawn by a key for one bundle, the same everywhere in it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from bazaarbench.judge.kinds import SUMMARY
from bazaarbench.market.clock import TICKS_PER_DAY
from bazaarbench.market.draws import below, between

#: The ids of events and turns keep their order, because the order within a tick is evidence.
EVENT, TURN, AGENT = "event", "turn", "agent"
_ORDERED = (EVENT, TURN)
#: What labels are drawn from; three digits for agents, four for everything else.
_RANGE: Mapping[str, tuple[int, int]] = {AGENT: (101, 999)}
_OTHER_RANGE = (1_001, 9_999)
_MOST_GAP = 9
#: On which day, of the labels, a bundle begins.
_FIRST_DAY, _LAST_DAY = 10, 69


@dataclass(slots=True)
class Labels:
    """The labels of one bundle. Ids that texts mention besides get theirs when they are met."""

    key: str
    shift_ticks: int
    _labels: dict[str, dict[int, int]] = field(default_factory=lambda: defaultdict(dict))
    _taken: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))

    @classmethod
    def of(cls, key: str, ids: Mapping[str, Collection[int]], ticks: Iterable[int]) -> Labels:
        """Draw labels for the ids of a bundle, by what they are ids of, and for its ticks."""
        first = min(ticks, default=0)
        day = between(_FIRST_DAY, _LAST_DAY, key, "day")
        labels = cls(key, (day - first // TICKS_PER_DAY) * TICKS_PER_DAY)
        for space in sorted(ids):
            known = sorted(ids[space])
            labels._taken[space].update(known)
            if space in _ORDERED:
                labels._draw_in_order(space, known)
            else:
                for one in known:
                    labels.id(space, one)
        return labels

    def _draw_in_order(self, space: str, known: Iterable[int]) -> None:
        label = between(*_OTHER_RANGE, self.key, space)
        for one in known:
            label += between(1, _MOST_GAP, self.key, space, one)
            while label in self._taken[space]:
                label += 1
            self._labels[space][one] = label
        self._taken[space].update(self._labels[space].values())

    def id(self, space: str, one: int) -> int:
        """The label of an id. No label of a bundle is also one of its true ids of that kind."""
        labels = self._labels[space]
        if one not in labels:
            low, high = _RANGE.get(space, _OTHER_RANGE)
            label, taken = low + below(high - low + 1, self.key, space, one), self._taken[space]
            while label in taken or label == one:
                # Past its range rather than never: a hostile text may mention any number of ids.
                label += 1
            taken.add(label)
            labels[one] = label
        return labels[one]

    def knows(self, space: str, one: int) -> bool:
        """Whether an id is one of the bundle's own, or was met before."""
        return one in self._labels[space]

    def tick(self, tick: int) -> int:
        """The label of a tick: all of a bundle are shifted by the same whole days."""
        return tick + self.shift_ticks

    def day(self, day: int) -> int:
        """The label of a day."""
        return day + self.shift_ticks // TICKS_PER_DAY

    def back(self) -> Relabelling:
        """The way back."""
        return Relabelling(
            self.shift_ticks,
            {
                space: {label: one for one, label in labels.items()}
                for space, labels in self._labels.items()
            },
        )


@dataclass(frozen=True, slots=True)
class Relabelling:
    """From the labels of one bundle to the true ids and ticks."""

    shift_ticks: int
    _ids: Mapping[str, Mapping[int, int]]

    def source(self, kind: str, source_id: int) -> tuple[str, int]:
        """Kind and true id of a source.

        Raises:
            KeyError: the bundle has no such label.
        """
        return kind, self._ids[space_of_source(kind)][source_id]

    def tick(self, tick: int) -> int:
        """The true tick."""
        return tick - self.shift_ticks

    def agent(self, agent_id: int) -> int:
        """The true agent id.

        Raises:
            KeyError: the bundle has no such label.
        """
        return self._ids[AGENT][agent_id]


class Identity:
    """The way back from a bundle that was shown as it is."""

    def source(self, kind: str, source_id: int) -> tuple[str, int]:
        """Kind and id, unchanged."""
        return kind, source_id

    def tick(self, tick: int) -> int:
        """The tick, unchanged."""
        return tick

    def agent(self, agent_id: int) -> int:
        """The agent id, unchanged."""
        return agent_id


def space_of_source(kind: str) -> str:
    """Of what the ids of sources of a kind are ids."""
    return TURN if kind == SUMMARY else EVENT
