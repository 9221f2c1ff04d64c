"""Paths as the user wrote them.

Inspect goes into the folder of a task's file before it makes the task, so a path that is relative
to where the user stands no longer leads anywhere. Every ``inspect`` command imports this module
before that.
"""

from __future__ import annotations

import os
from pathlib import Path


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
    path = Path(text).expanduser()
    for folder in (_here(), _STARTED_IN):
        if (folder / path).exists():
            return str(folder / path)
    return text
