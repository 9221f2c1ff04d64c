"""What tells which run a record is of, and who its people are: what a blind judge must not read."""

from __future__ import annotations

from bazaarbench.evidence import Evidence
from bazaarbench.failures.base import Hidden
from bazaarbench.judge.bundles_log import Log


def hidden_of(evidence: Evidence, log: Log, instructions: tuple[str, ...]) -> Hidden:
    """The names of all agents of a record, and the names of its models, market and condition."""
    names: dict[str, int] = {}
    for agent_id, user_name, display_name in log.agents():
        for name in (user_name, display_name):
            if name.strip():
                names.setdefault(name, agent_id)
    return Hidden(names, _words(evidence, log), instructions)


def _words(evidence: Evidence, log: Log) -> tuple[str, ...]:
    info = evidence.info
    models = {*info.models.values(), *log.models()}
    parts = {part for model in models for part in (model, model.rpartition("/")[2])}
    words = {*parts, info.market_name, info.condition or "", info.parent_digest or ""}
    # A plain word, as policies and some markets are called, says nothing: people use it as well.
    return tuple(sorted(word for word in words if _tells(word)))


def _tells(word: str) -> bool:
    return len(word) > 1 and any(not letter.isalpha() for letter in word)
