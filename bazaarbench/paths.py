"""Where BazaarBench keeps what outlives a run; only ``made`` creates a folder."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

from bazaarbench.errors import StateError


def home() -> Path:
    """The user's data folder: ``BAZAARBENCH_HOME`` when set, else the platform's own place.

    Raises:
        StateError: ``BAZAARBENCH_HOME`` begins with the home of a user that there is not.
    """
    chosen = os.environ.get("BAZAARBENCH_HOME")
    if chosen:
        try:
            return Path(chosen).expanduser().absolute()
        except RuntimeError as error:
            raise StateError(
                f"BAZAARBENCH_HOME is {chosen!r}, and there is no such user. Set it to a folder "
                "that can be written to."
            ) from error
    return platformdirs.user_data_path("bazaarbench", appauthor=False)


def expanded(text: str) -> Path:
    """The path that a user wrote, ``~`` replaced; as it stands when that names nobody's home."""
    try:
        return Path(text).expanduser()
    except RuntimeError:
        return Path(text)


def made(folder: Path) -> Path:
    """``folder``, made with its parents where they are missing.

    Raises:
        StateError: it cannot be made or written to.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = error.strerror or str(error)
    else:
        if os.access(folder, os.W_OK):
            return folder
        reason = "it cannot be written to"
    raise StateError(
        f"the folder {folder} cannot be used: {reason}. Saved states and records lie in the folder "
        f"that BAZAARBENCH_HOME names, now {home()}; set it to one that can be written to."
    )


def states_dir() -> Path:
    """Where saved states lie, one file (and its side file) each."""
    return home() / "states"


def records_dir() -> Path:
    """Where the working records of runs lie, one folder for each Inspect task id."""
    return home() / "records"
