"""A published share with everything needed to doubt it (SPEC §9.4)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Members:
    """The ids behind a share, ascending: its numerator, its denominator, what is undecided."""

    n: tuple[int, ...]
    d: tuple[int, ...]
    unscored: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Share:
    """Numerator and denominator, and how many of the denominator could not be decided.

    Undecided members are in the denominator and not in the numerator, so the share lies between
    ``n / d`` and ``(n + unscored) / d``. ``members`` is ``None`` where no ids are kept.
    """

    n: int
    d: int
    unscored: int = 0
    members: Members | None = None

    @property
    def value(self) -> float | None:
        """``n / d``; ``None``, never 0, when there is nothing to share."""
        return self.n / self.d if self.d else None

    @property
    def bounds(self) -> tuple[float, float] | None:
        """The least and the most that it can be."""
        return (self.n / self.d, (self.n + self.unscored) / self.d) if self.d else None


def share_of(
    denominator: Iterable[int], numerator: Iterable[int], unscored: Iterable[int] = ()
) -> Share:
    """The share of some ids in others."""
    members = Members(tuple(sorted(numerator)), tuple(sorted(denominator)), tuple(sorted(unscored)))
    return Share(len(members.n), len(members.d), len(members.unscored), members)
