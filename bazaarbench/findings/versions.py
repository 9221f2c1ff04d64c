"""Whether findings may be compared: only what was played and measured alike (SPEC §15)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from bazaarbench.errors import RecordError
from bazaarbench.versions import CHECKS_VERSION

_NAMED = 3


class Versioned(Protocol):
    """Findings, or what was read of them."""

    @property
    def checks_version(self) -> str:
        """Version of the measurement."""

    @property
    def benchmark_version(self) -> str:
        """Version of the market that was played."""


def same_versions(
    found: Iterable[tuple[str, Versioned]], *, allow: bool = False
) -> tuple[str, ...]:
    """Refuse to compare findings of different versions.

    Call it wherever numbers of several records stand in one table, ranking or effect. Of the checks
    the whole version counts, because measuring again costs little; of the benchmark the number
    before the dash: what follows it changes no result, and nobody plays a market twice for that.

    Args:
        found: findings, each with the name by which a person knows it.
        allow: compare them all the same, because the user asked for it.

    Returns:
        What has to be said beside the comparison, a sentence for each version that differs; nothing
        when all are alike.

    Raises:
        RecordError: they differ, and nobody asked for that.
    """
    checks: dict[str, list[str]] = {}
    markets: dict[str, list[str]] = {}
    for name, one in found:
        checks.setdefault(one.checks_version, []).append(name)
        markets.setdefault(one.benchmark_version.split("-", 1)[0], []).append(name)
    notes = []
    if len(checks) > 1:
        notes.append(f"measured under different versions of the checks: {_told(checks)}")
    if len(markets) > 1:
        notes.append(f"played under different versions of the benchmark: {_told(markets)}")
    if notes and not allow:
        cure = (
            f"'bazaarbench regrade LOG…' measures them all under {CHECKS_VERSION}"
            if len(checks) > 1
            else "Markets of different versions are different markets; compare those of one version"
        )
        raise RecordError(
            f"these findings are not comparable: they were {' and '.join(notes)}. {cure}. To "
            "compare them as they are, ask for it with --allow-versions."
        )
    return tuple(f"Not comparable: {note}." for note in notes)


def _told(groups: dict[str, list[str]]) -> str:
    parts = []
    for version, names in sorted(groups.items()):
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        parts.append(f"{version} ({', '.join(names[:_NAMED])}{more})")
    return "; ".join(parts)
