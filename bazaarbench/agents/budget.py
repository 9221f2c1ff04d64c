"""Keeping an observation within a length, in a stated order and visibly (SPEC §5.2)."""

from __future__ import annotations

from typing import Any

from bazaarbench.agents.policy import render

#: How long an observation may be, in characters; about 6,000 tokens.
BUDGET_CHARS = 24_000
#: What is shortened first when it is longer. Own units, deals, exchanges, listings, threads and
#: what is due always stay whole.
DROP_ORDER: tuple[str, ...] = (
    "recent_sales",
    "market_baselines",
    "memories",
    "history",
    "discovery_results",
    "feed",
    "decision_notes",
    "to_rate",
    "offers_on_listings",
    "incoming_messages",
    "focus_thread",
)


def shorten(data: dict[str, Any], budget: int) -> tuple[dict[str, Any], str]:
    """Drop rows in ``DROP_ORDER`` until the text fits, and say under ``omitted`` how many.

    Args:
        data: a whole observation; it is not changed.
        budget: characters.

    Returns:
        The shortened observation and its text. The text is longer than the budget only when the
        sections that always stay whole are.
    """
    data, omitted = dict(data), dict[str, int]()
    excess = len(render(data)) - budget + len(DROP_ORDER) * 32
    for section in DROP_ORDER:
        if excess <= 0:
            break
        dropped, excess = _drop(data, section, excess)
        if dropped:
            omitted[section] = dropped
    marked = {**data, "omitted": dict(sorted(omitted.items()))}
    marked = {key: marked[key] for key in sorted(marked)}
    return marked, render(marked)


def _drop(data: dict[str, Any], section: str, excess: int) -> tuple[int, int]:
    """Shorten one section by as few rows as it takes; the rows least of use stand last."""
    value = data[section]
    if not value:
        return 0, excess
    dropped = 0
    if section == "focus_thread":
        trail = list(value["messages"])
        while trail and excess > 0:
            excess -= len(render(trail.pop(0))) + 1
            dropped += 1
        data[section] = {**value, "messages": trail}
    elif isinstance(value, dict):
        kept = dict(value)
        while kept and excess > 0:
            key, row = kept.popitem()
            excess -= len(render({key: row}))
            dropped += 1
        data[section] = kept
    else:
        rows = list(value)
        while rows and excess > 0:
            excess -= len(render(rows.pop())) + 1
            dropped += 1
        data[section] = rows
    return dropped, excess
