"""A measure of one run, as sums per tested agent.

A bootstrap draw gives every tested agent a multiplicity. A deal weighs as much as the tested agent
in the measure's role was drawn, and with two tested parties the mean of both multiplicities
(SPEC §9.5). That is linear in the multiplicities: a deal of two may be halved between its parties
once and for all, and a draw costs one product per agent, however many deals there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, Self

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

#: How the runs and cells of a measure are put together: Σn ÷ Σd, a sum, or a plain mean.
Kind = Literal["share", "count", "amount"]


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """One measure of one run; the arrays have one entry per tested agent, in the run's order.

    ``n`` sums to the numerator, the count, or the amount of money of the run; ``d`` to the
    denominator of a share, to the number of agents whose amount is known, and to 0 for a count.
    ``unscored`` are the members that could not be decided: in the denominator, not in the
    numerator.

    Raises:
        ValueError: when the arrays differ in shape, hold what is not finite, or ``d`` or
            ``unscored`` is negative.
    """

    kind: Kind
    n: FloatArray
    d: FloatArray
    unscored: FloatArray

    def __post_init__(self) -> None:
        for name in ("n", "d", "unscored"):
            values = np.array(getattr(self, name), dtype=np.float64)
            if values.ndim != 1 or values.shape != np.shape(self.n) or not values.size:
                raise ValueError(f"Tally.{name} must be one number per agent, as n is")
            if not np.isfinite(values).all() or (name != "n" and (values < 0).any()):
                raise ValueError(f"Tally.{name} must be finite, and not negative unless it is n")
            values.flags.writeable = False
            object.__setattr__(self, name, values)

    @classmethod
    def shares(
        cls, n: npt.ArrayLike, d: npt.ArrayLike, unscored: npt.ArrayLike | None = None
    ) -> Self:
        """A share or rate whose members belong to one agent each, such as turns or targets.

        Args:
            n: members in the numerator, per agent.
            d: members in the denominator, per agent.
            unscored: undecided members, per agent; none when left out.
        """
        top = np.asarray(n, dtype=np.float64)
        undecided = np.zeros_like(top) if unscored is None else np.asarray(unscored, np.float64)
        return cls("share", top, np.asarray(d, dtype=np.float64), undecided)

    @classmethod
    def counts(cls, n: npt.ArrayLike, unscored: npt.ArrayLike | None = None) -> Self:
        """A count per agent, such as failure objects by their actor."""
        top = np.asarray(n, dtype=np.float64)
        undecided = np.zeros_like(top) if unscored is None else np.asarray(unscored, np.float64)
        return cls("count", top, np.zeros_like(top), undecided)

    @classmethod
    def amounts(cls, values: npt.ArrayLike) -> Self:
        """An amount per agent, such as dollars; NaN is unknown and leaves that agent out.

        An agent without any sale has earned 0, which is known.
        """
        amount = np.asarray(values, dtype=np.float64)
        known = ~np.isnan(amount)
        return cls(
            "amount",
            np.where(known, amount, 0.0),
            known.astype(np.float64),
            np.zeros_like(amount),
        )

    @classmethod
    def total(cls, kind: Kind, n: float, d: float = 0.0, unscored: float = 0.0) -> Self:
        """What is known only in sum, for a run without agents: values, but no intervals."""
        return cls(kind, np.array([n]), np.array([d]), np.array([unscored]))


@dataclass(frozen=True, slots=True, eq=False)
class Parties:
    """Which tested agents the rows (deals, failure objects) of a run belong to, and how much.

    A row of one tested party belongs to it whole; of k parties, 1/k to each. The arrays are the
    entries of a sparse matrix: ``row``, ``agent`` (its position among the tested agents), weight.
    """

    rows: int
    agents: int
    row: IntArray
    agent: IntArray
    weight: FloatArray

    @classmethod
    def from_columns(cls, agents: int, *columns: npt.ArrayLike) -> Self:
        """Rows with a column per role: the position of the tested agent in it, −1 without one.

        ``from_columns(20, seller)`` is for measures of tested sellers,
        ``from_columns(20, seller, buyer)`` for measures of either side.

        Raises:
            ValueError: when columns differ in length, or hold no such position.
        """
        table = np.array([np.asarray(column, dtype=np.int64) for column in columns])
        if table.ndim != 2:
            raise ValueError("Parties need at least one column, one entry per row")
        if table.size and (table.min() < -1 or table.max() >= agents):
            raise ValueError(f"a party's position must be −1 … {agents - 1}")
        present = table >= 0
        parties = present.sum(axis=0)
        column, row = np.nonzero(present)
        return cls(table.shape[1], agents, row, table[column, row], 1.0 / parties[row])

    @classmethod
    def from_ids(cls, tested: Sequence[int], groups: Iterable[Iterable[int | None]]) -> Self:
        """Rows with their parties' ids; who is not tested is left out.

        Args:
            tested: ids of the tested agents, in the run's order.
            groups: for every row the ids of its parties in the measure's role.
        """
        position = {agent_id: index for index, agent_id in enumerate(tested)}
        rows: list[tuple[int, int, float]] = []
        total = 0
        for row, group in enumerate(groups):
            total = row + 1
            inside = sorted({position[one] for one in group if one is not None and one in position})
            rows.extend((row, agent, 1.0 / len(inside)) for agent in inside)
        row_of, agent_of, weights = zip(*rows, strict=True) if rows else ((), (), ())
        return cls(
            total,
            len(tested),
            np.array(row_of, dtype=np.int64),
            np.array(agent_of, dtype=np.int64),
            np.array(weights, dtype=np.float64),
        )

    def share(
        self,
        numerator: npt.ArrayLike,
        denominator: npt.ArrayLike,
        unscored: npt.ArrayLike | None = None,
    ) -> Tally:
        """A share of the rows, from one flag per row.

        Raises:
            ValueError: when a row is in the numerator or unscored and not in the denominator, is
                both, or is in the denominator and belongs to no tested agent.
        """
        inside = self._flags(denominator)
        top = self._flags(numerator)
        undecided = self._flags(np.zeros(self.rows) if unscored is None else unscored)
        wrong = np.flatnonzero(((top | undecided) & ~inside) | (top & undecided))
        if wrong.size:
            raise ValueError(
                f"row {wrong[0]}: the numerator and the unscored are separate parts of the "
                "denominator"
            )
        self._check_owned(inside)
        return Tally("share", self._sum(top), self._sum(inside), self._sum(undecided))

    def count(self, counted: npt.ArrayLike, unscored: npt.ArrayLike | None = None) -> Tally:
        """A count of the flagged rows.

        Raises:
            ValueError: when a row is counted and unscored, or belongs to no tested agent.
        """
        top = self._flags(counted)
        undecided = self._flags(np.zeros(self.rows) if unscored is None else unscored)
        if (top & undecided).any():
            raise ValueError("a row is either counted or unscored")
        self._check_owned(top | undecided)
        return Tally.counts(self._sum(top), self._sum(undecided))

    def _flags(self, flags: npt.ArrayLike) -> BoolArray:
        array = np.asarray(flags, dtype=np.bool_)
        if array.shape != (self.rows,):
            raise ValueError(f"one flag per row is needed: {self.rows}, not {array.shape}")
        return array

    def _check_owned(self, rows: BoolArray) -> None:
        owned = np.zeros(self.rows, dtype=np.bool_)
        owned[self.row] = True
        orphans = np.flatnonzero(rows & ~owned)
        if orphans.size:
            raise ValueError(f"row {orphans[0]} counts and belongs to no tested agent")

    def _sum(self, flags: BoolArray) -> FloatArray:
        return np.bincount(
            self.agent, weights=self.weight * flags[self.row], minlength=self.agents
        ).astype(np.float64)
