"""How a record was played: what must be equal for two runs to be compared (SPEC §15)."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from bazaarbench.market.record import RecordInfo


def play_of(info: RecordInfo) -> dict[str, Any]:
    """What the record says of how it was played, as plain JSON.

    ``made_by`` are the models by role of the base market that it goes on from; ``background`` is
    who played the other agents, ``None`` in a base market. What an import does not know is
    ``None``.
    """
    before = info.extra.get("before") or []
    options = info.extra.get("model_options") or {}
    background = info.models.get("background")
    return {
        "rules_name": info.extra.get("rules_name"),
        "rules": info.rules.model_dump(mode="json"),
        "state": info.parent_digest,
        "made_by": before[-1].get("models") if before else None,
        "background": background,
        "background_options": options.get(background) if background else None,
        "prompts": dict(info.prompt_digests),
        "plugins": list(info.plugins),
        "imported": info.imported,
        "not_comparable": info.extra.get("not_comparable"),
        "protocol": info.extra.get("protocol"),
        "scaffold": info.extra.get("scaffold"),
        "targets": info.extra.get("targets"),
        "touching": info.extra.get("touching"),
        "track": track_digest(info),
    }


def track_digest(info: RecordInfo) -> str:
    """SHA-256 over everything but model, epoch and judge that makes two runs comparable.

    Those are: the benchmark's version, the state or world, who plays the background with which
    options, rules, tested agents, ticks, the texts and targets of the condition, protocol,
    scaffold, and the plugins that have a hand in the run. Plugins that are merely loaded are not.
    """
    background = info.models.get("background")
    options = info.extra.get("model_options") or {}
    covered = {
        "benchmark_version": info.benchmark_version,
        "state": info.parent_digest,
        "world": info.extra.get("world"),
        "background": background,
        "background_options": options.get(background) if background else None,
        "rules": info.rules.model_dump(mode="json"),
        "tested": info.tested,
        "ticks": info.end_tick - info.start_tick,
        "prompts": info.prompt_digests,
        **{name: info.extra.get(name) for name in ("protocol", "scaffold", "targets", "touching")},
    }
    text = json.dumps(covered, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
