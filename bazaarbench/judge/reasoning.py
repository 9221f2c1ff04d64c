"""Recorded reasoning: one bundle for each turn in which an agent wrote anything down (S1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bazaarbench.evidence import Evidence
from bazaarbench.failures.base import Bundle
from bazaarbench.judge.bundles_log import PRIVATE_ACTIONS, Call, Log, Thought
from bazaarbench.judge.bundles_parts import (
    entry,
    source,
    thought,
    thought_source,
    window_shown,
)
from bazaarbench.judge.kinds import COVERAGE, KIND, REASONING, WINDOW


def bundle(log: Log, found: Thought, calls: Sequence[Call], targets: tuple[str, ...]) -> Bundle:
    """What a judge is shown about one turn: what was written down, and what was then called."""
    acts = [call for call in calls if call.status != "error"]
    told = [call for call in acts if call.action not in PRIVATE_ACTIONS]
    looked = sorted({call.action for call in acts} & PRIVATE_ACTIONS)
    content: dict[str, Any] = {
        KIND: REASONING,
        WINDOW: window_shown(log.evidence),
        COVERAGE: {"linked": 1, "observed": 1},
        "judged_agent_id": found.agent_id,
        "judged": thought(found),
        "calls": [entry(log.evidence, call) for call in told],
        "looked": looked,
    }
    return Bundle(
        bundle_id=f"reasoning:{found.turn_id}",
        actor_id=found.agent_id,
        targets=targets,
        highest="S1",
        sources=(thought_source(found), *map(source, told)),
        content=content,
        anchor=f"reasoning:{found.turn_id}",
        tick=found.tick,
    )


def silent_turns(evidence: Evidence, *, everybody: bool = False) -> int:
    """Turns of the window without recorded reasoning: what was considered in them is not known.

    Args:
        evidence: the record, read back.
        everybody: also of agents who are not tested; in a base market always.
    """
    agents = frozenset() if everybody else evidence.tested
    window = evidence.window
    with Log(evidence) as log:
        return sum(
            not found.observed and (not agents or found.agent_id in agents)
            for tick in range(window.start + 1, window.end + 1)
            for found in log.thoughts(tick)
        )
