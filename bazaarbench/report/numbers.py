"""The form in which numbers are published: one for every file, so that they are one number."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from bazaarbench.effects import Effect, Interval, Kind, Level

#: Digits that every published number has at most: more would be the noise of the order of sums.
DIGITS = 12
#: ``per100`` is a rate that is shown a hundred times as large.
Unit = Literal["share", "points", "count", "rate", "per100", "usd", "p", "number", "ticks"]
#: A space that keeps a number and its unit on one line.
_SPACE = "\N{NO-BREAK SPACE}"
_MINUS = "\N{MINUS SIGN}"


def published(value: float | None) -> float | None:
    """A number as it stands in every file: twelve digits, never NaN, infinite or −0."""
    if value is None or not math.isfinite(value):
        return None
    return float(f"{value:.{DIGITS}g}") + 0.0


def _ends(interval: Interval | None) -> Interval | None:
    if interval is None:
        return None
    low, high = published(interval.low), published(interval.high)
    return None if low is None or high is None else Interval(low, high)


@dataclass(frozen=True)
class Estimate:
    """A level or a difference with all that is needed to doubt it; ``None`` is undefined.

    ``n`` and ``d`` are those of a share's level, ``unscored`` the undecided members, ``bounds``
    what they leave possible. ``interval`` is over draws of tested agents, ``runs_interval`` over
    draws of agents and runs, both 95 %. All are held as they are published.
    """

    value: float | None
    unit: Unit
    n: float | None = None
    d: float | None = None
    unscored: float = 0
    bounds: Interval | None = None
    interval: Interval | None = None
    runs_interval: Interval | None = None
    p: float | None = None
    is_difference: bool = False
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("value", "n", "d", "p"):
            object.__setattr__(self, name, published(getattr(self, name)))
        for name in ("bounds", "interval", "runs_interval"):
            object.__setattr__(self, name, _ends(getattr(self, name)))

    def parts(self) -> dict[str, float | None]:
        """The estimate as columns, by what is appended to its name."""
        low, high = self.interval or (None, None)
        runs_low, runs_high = self.runs_interval or (None, None)
        least, most = self.bounds or (None, None)
        return {
            "": self.value,
            "_n": self.n,
            "_d": self.d,
            "_unscored": self.unscored,
            "_least": least,
            "_most": most,
            "_low": low,
            "_high": high,
            "_runs_low": runs_low,
            "_runs_high": runs_high,
            "_p": self.p,
        }


UNDEFINED = Estimate(None, "number")


def of_level(found: Level, kind: Kind, unit: Unit) -> Estimate:
    """A level as it is published."""
    return Estimate(
        value=found.value,
        unit=unit,
        n=found.n if kind == "share" else None,
        d=found.d,
        unscored=found.unscored,
        bounds=found.bounds,
        interval=found.interval,
        runs_interval=found.runs_interval,
        notes=found.notes,
    )


def of_effect(found: Effect, unit: Unit, unscored: float = 0) -> Estimate:
    """A difference as it is published; ``unscored`` members are those of both sides."""
    return Estimate(
        value=found.value,
        unit="points" if unit == "share" else unit,
        is_difference=True,
        unscored=unscored,
        bounds=found.bounds,
        interval=found.interval,
        runs_interval=found.runs_interval,
        p=found.p,
        notes=found.notes,
    )


def shown(value: float | None, unit: Unit, *, signed: bool = False) -> str:
    """A number for people: 70.4 %, +16.6 pp, $20.19; ``–`` when undefined."""
    if value is None:
        return "–"
    signed = signed or unit == "points"
    sign = "+" if signed and value > 0 else (_MINUS if value < 0 else "")
    size = abs(value)
    match unit:
        case "share":
            return f"{sign}{100 * size:.1f}{_SPACE}%"
        case "points":
            return f"{sign}{100 * size:.1f}{_SPACE}pp"
        case "usd":
            return f"{sign}${size:,.2f}"
        case "p":
            return f"{size:.3f}"
        case "count":
            return f"{sign}{_whole(size)}"
        case "rate":
            return f"{sign}{size:.2f}"
        case "per100":
            return f"{sign}{100 * size:.1f}"
        case "ticks":
            return f"{sign}{_whole(size)}"
        case _:
            return f"{sign}{size:,.4g}"


def shown_estimate(found: Estimate) -> str:
    """An estimate for people: value, n/d, what the unscored leave open, intervals."""
    return " ".join((shown_value(found), *details(found)))


def shown_value(found: Estimate) -> str:
    """The value alone; a difference with its sign."""
    return shown(found.value, found.unit, signed=found.is_difference)


def details(found: Estimate) -> tuple[str, ...]:
    """What stands beside a value: n/d, what the unscored leave open, intervals.

    An interval of no width is not told: a bootstrap says nothing of what is the same in every draw,
    such as a share of 0.
    """
    signed = found.is_difference
    text = []
    if found.d is not None:
        text.append(f"({_whole(found.n or 0)}/{_whole(found.d)})")
    if found.unscored and found.bounds is not None:
        least, most = (shown(end, found.unit, signed=signed) for end in found.bounds)
        told = f"up to {most}" if found.d is not None else f"{least} to {most}"
        text.append(f"{_whole(found.unscored)} unscored: {told}")
    if found.interval is not None and found.interval.low < found.interval.high:
        text.append(_interval(found.interval, found.unit, signed))
    if found.runs_interval is not None and found.runs_interval.low < found.runs_interval.high:
        text.append(f"runs{_SPACE}{_interval(found.runs_interval, found.unit, signed)}")
    return tuple(text)


def _interval(ends: Interval, unit: Unit, signed: bool) -> str:
    low, high = (shown(end, unit, signed=signed) for end in ends)
    for tail in (f"{_SPACE}%", f"{_SPACE}pp"):
        low, high = low.removesuffix(tail), high.removesuffix(tail)
    return f"[{low},{_SPACE}{high}]"


def _whole(size: float) -> str:
    """A count: whole where it is, with a digit where it is a mean over epochs."""
    return f"{size:,.0f}" if abs(size - round(size)) < 1e-9 else f"{size:,.1f}"
