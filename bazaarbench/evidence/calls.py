"""The calls themselves, for failure types that need more than the shared facts (SPEC §6, §10)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import closing
from typing import Any, NamedTuple

from bazaarbench.evidence.marks import Mark
from bazaarbench.evidence.reader import Evidence
from bazaarbench.market.files import reading
from bazaarbench.market.record import read_only


class Call(NamedTuple):
    """An agent's call that was applied (``ok``), or refused by a rule for ``reason``.

    ``arguments`` are those that it was made with, defaults included; ``answer`` is what the
    platform answered, ``private`` what it noted and showed nobody.
    """

    mark: Mark
    agent_id: int
    action: str
    ok: bool
    reason: str | None
    listing_id: int | None
    thread_id: int | None
    arguments: Mapping[str, Any]
    answer: Mapping[str, Any]
    private: Mapping[str, Any]


def calls(
    evidence: Evidence, *actions: str, threads: Iterable[int] | None = None, ever: bool = False
) -> tuple[Call, ...]:
    """The calls of some actions, in the order of the log; malformed ones are none.

    Args:
        evidence: whose record is read.
        actions: their names; all without any.
        threads: only those about these threads.
        ever: also those before the window.

    Raises:
        RecordError: the record is gone or damaged.
    """
    within = "" if threads is None else "AND thread_id IN (SELECT value FROM json_each(?))"
    named = f"AND action IN ({','.join('?' * len(actions))})" if actions else ""
    query = f"""
        SELECT tick, event_id, agent_id, action, status, reason, listing_id, thread_id,
            payload, result, private
        FROM events
        WHERE agent_id IS NOT NULL AND status <> 'error' AND tick > ? AND tick <= ?
            {named} {within}
        ORDER BY event_id"""
    window = evidence.window
    # History lies before tick 0.
    since = -(1 << 62) if ever else window.start
    wanted = () if threads is None else (json.dumps(sorted(threads)),)
    values = (since, window.end, *actions, *wanted)
    with closing(read_only(evidence.path)) as connection, reading(evidence.path):
        return tuple(_call(row) for row in connection.execute(query, values))


def _call(row: tuple[Any, ...]) -> Call:
    tick, event_id, agent_id, action, status, reason, listing_id, thread_id, *texts = row
    arguments, answer, private = (json.loads(text) if text else {} for text in texts)
    return Call(
        mark=Mark(tick, event_id),
        agent_id=agent_id,
        action=action,
        ok=status == "ok",
        reason=reason,
        listing_id=listing_id,
        thread_id=thread_id,
        arguments=arguments,
        answer=answer,
        private=private,
    )
