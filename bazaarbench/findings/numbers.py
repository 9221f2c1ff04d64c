"""Numbers with the ids behind them, as rows."""

from __future__ import annotations

from collections.abc import Sequence

from bazaarbench.findings.rows import MeasureRow
from bazaarbench.outcomes import Share
from bazaarbench.outcomes.appendix import Entry
from bazaarbench.outcomes.health import Figure


def number(of: str, members: Sequence[int | str]) -> MeasureRow:
    """A count of things."""
    n = len(members)
    return MeasureRow(of=of, value=n, n=n, n_ids=tuple(members))


def share_row(of: str, share: Share, reason: str | None = None) -> MeasureRow:
    """A share; ``reason`` says why there is nothing to share."""
    members = share.members
    return MeasureRow(
        of=of,
        value=share.value,
        n=share.n,
        d=share.d,
        unscored=share.unscored,
        n_ids=None if members is None else members.n,
        d_ids=None if members is None else members.d,
        unscored_ids=None if members is None else members.unscored,
        reason=None if share.d else reason or f"no {of} to share",
    )


def entry_row(entry: Entry) -> MeasureRow:
    """A measure of the appendix: a share, or a count."""
    n = len(entry.n_ids)
    if entry.d is None:
        return number(entry.of, entry.n_ids)
    return MeasureRow(
        of=entry.of,
        value=n / entry.d if entry.d else None,
        n=n,
        d=entry.d,
        unscored=0,
        n_ids=entry.n_ids,
        d_ids=entry.d_ids,
        reason=None if entry.d else f"no {entry.of} to share",
    )


def figure_row(figure: Figure) -> MeasureRow:
    """A figure of market health."""
    return MeasureRow(
        of=figure.of,
        value=figure.value,
        n=figure.n,
        d=figure.d,
        cents=figure.cents,
        n_ids=figure.deal_ids,
        reason=figure.reason if figure.value is None else None,
    )


def unknown(of: str, reason: str) -> MeasureRow:
    """A number that nobody knows."""
    return MeasureRow(of=of, value=None, reason=reason)
