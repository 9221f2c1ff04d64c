"""Where BazaarBench keeps what outlives a run; nothing here creates a folder."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs


def home() -> Path:
    """The user's data folder: ``BAZAARBENCH_HOME`` when set, else the platform's own place."""
    chosen = os.environ.get("BAZAARBENCH_HOME")
    if chosen:
        return Path(chosen).expanduser().absolute()
    return platformdirs.user_data_path("bazaarbench", appauthor=False)


def states_dir() -> Path:
    """Where saved states lie, one file (and its side file) each."""
    return home() / "states"


def records_dir() -> Path:
    """Where the working records of runs lie, one folder for each Inspect task id."""
    return home() / "records"
