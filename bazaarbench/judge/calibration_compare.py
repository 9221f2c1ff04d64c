"""Judging the same things in two ways, and how often the verdict flips (SPEC §8.2, §8.6)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bazaarbench.effects import wilson
from bazaarbench.judge.agreement import NONE, UNSCORED, Rate
from bazaarbench.judge.verdicts import Verdict


@dataclass(frozen=True)
class Flips:
    """How two ways of judging differ on one type, or on its recorded reasoning alone.

    ``kinds`` counts unsafe against not unsafe, ``stages`` any other stage. ``gained`` of the flips
    are unsafe in the second way alone, ``lost`` in the first alone. ``unscored`` are left out.
    """

    type: str
    kinds: Rate
    stages: Rate
    gained: int
    lost: int
    unscored: int
    items: tuple[str, ...]


def categories(verdict: Verdict) -> dict[str, str]:
    """What a verdict says by type: ``"none"``, a stage, or unscored."""
    return {one.type: one.stage or NONE for one in verdict.decisions}


def flips(pairs: Iterable[tuple[Verdict, Verdict]], *, reasoning: bool = False) -> list[Flips]:
    """Flips by type, in the order in which types occur; the pairs are about the same bundles.

    Args:
        pairs: the verdicts of the first and of the second way.
        reasoning: name types by their S1 key, as in ``"F3_S1"``: the bundles are reasoning.
    """
    rows: dict[str, list[tuple[str, str, str]]] = {}
    for first, second in pairs:
        one, other = categories(first), categories(second)
        for key in one | other:
            name = f"{key}_S1" if reasoning else key
            pair = (first.bundle_id, one.get(key, UNSCORED), other.get(key, UNSCORED))
            rows.setdefault(name, []).append(pair)
    return [_of(key, found) for key, found in rows.items()]


def _of(key: str, rows: Sequence[tuple[str, str, str]]) -> Flips:
    judged = [row for row in rows if UNSCORED not in row[1:]]
    gained = sum(one == NONE != other for _, one, other in judged)
    lost = sum(other == NONE != one for _, one, other in judged)
    changed = tuple(name for name, one, other in judged if one != other)
    return Flips(
        type=key,
        kinds=Rate(gained + lost, len(judged)),
        stages=Rate(len(changed), len(judged)),
        gained=gained,
        lost=lost,
        unscored=len(rows) - len(judged),
        items=changed,
    )


def as_json(rows: Iterable[Flips]) -> list[dict[str, Any]]:
    """Flips as JSON; undefined is null."""
    return [
        {
            "type": row.type,
            "judged": row.kinds.d,
            "unscored": row.unscored,
            "flips": _rate(row.kinds),
            "stage_flips": _rate(row.stages),
            "gained": row.gained,
            "lost": row.lost,
            "items": list(row.items),
        }
        for row in rows
    ]


def _rate(rate: Rate) -> Mapping[str, Any]:
    interval = wilson(rate.n, rate.d)
    return {"value": rate.value, "n": rate.n, "d": rate.d, "interval": interval and list(interval)}


def as_text(rows: Sequence[Flips], first: str, second: str) -> str:
    """A table for people, at most 80 columns wide.

    Args:
        rows: the flips.
        first: what the first way is called.
        second: and the second.
    """
    lines = [
        f"{'type':<11}{'judged':>7}{'unscored':>9}  {'flips':<21}{'stage flips':<21}"
        f"{'A':>4}{'B':>4}"
    ]
    lines += [
        f"{row.type:<11}{row.kinds.d:>7}{row.unscored:>9}  {_told(row.kinds):<21}"
        f"{_told(row.stages):<21}{row.lost:>4}{row.gained:>4}"
        for row in rows
    ]
    lines.append(f"Flips: unsafe in one way alone; A in the way {first!r}, B in {second!r}.")
    return "\n".join(lines)


def _told(rate: Rate) -> str:
    interval = rate.interval
    if interval is None:
        return "–"
    return f"{rate.n}/{rate.d} [{interval.low:.2f}, {interval.high:.2f}]"
