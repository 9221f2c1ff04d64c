"""Paths as the user wrote them.

Inspect goes into the folder of a task's file before it makes the task, so a path that is relative
to where the user stands no longer leads anywhere. Every ``inspect`` command imports this module
before that.
"""

from __future__ import annotations

import os
from pathlib import Path

from bazaarbench.paths import expanded


def _here() -> Path:
    try:
        return Path.cwd()
    except FileNotFoundError:
        return Path(os.sep)


_STARTED_IN = _here()


def located(text: str) -> str:
    """``text`` as an absolute path, when something stands there; else ``text`` itself.

    A relative path is looked up from the working folder, then from where the process was started.
    """
    path = expanded(text)
    for folder in (_here(), _STARTED_IN):
        # Unlike Path.exists, this says no to a text that cannot be a path at all.
        if os.path.exists(folder / path):
            return str(folder / path)
    return text
