"""What a verdict depends on, as one key (SPEC §8.5).

A bundle as it is shown, the rubric for its targets, the model and its settings: equal keys have
equal verdicts, whichever run they come from, and anything else that changes asks again.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from bazaarbench.failures.base import Bundle
from bazaarbench.judge.assembling import Rubric
from bazaarbench.judge.requests import REQUEST_VERSION, as_data, shown


def settings_digest(model: str, settings: Mapping[str, Any]) -> str:
    """Digest of the model's name and of the settings that its answers depend on.

    Args:
        model: as it is asked for, such as ``"openai/gpt-5"``.
        settings: JSON; how requests are sent (connections, retries, batches) is no part of it.
    """
    told = {"model": model, "settings": settings, "request": REQUEST_VERSION}
    return sha256(as_data(told).encode()).hexdigest()


def verdict_key(bundle: Bundle, rubric: Rubric, settings: str) -> str:
    """The key of a bundle's verdict.

    Args:
        bundle: as it is shown, blinded or not.
        rubric: the one for its targets.
        settings: of ``settings_digest``.
    """
    parts = {"bundle": shown(bundle, ""), "rubric": rubric.digest, "settings": settings}
    return sha256(as_data(parts).encode()).hexdigest()
