"""A released database as a saved state, to be continued or scored by name (SPEC §3.5, §3.7)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Literal

from bazaarbench import saved_states
from bazaarbench.errors import StateError
from bazaarbench.market.files import explained
from bazaarbench.market.schema import APPLICATION_ID
from bazaarbench.released.importer import Imported, import_database
from bazaarbench.saved_states import RECORD_NAME, SavedState
from bazaarbench.saved_states.archive import MAGIC as ARCHIVE_MAGIC

#: Where an SQLite file says whose it is.
_ID_AT, _HEAD_BYTES = 68, 72


def kind_of(path: Path) -> Literal["archive", "released"]:
    """What ``market import`` has before it, by the file's first bytes.

    Raises:
        StateError: a record of ours, which is forked and not imported.
        RecordError: it cannot be read.
    """
    with explained(path, "read"), path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
    if head.startswith(ARCHIVE_MAGIC):
        return "archive"
    if head[_ID_AT:] == APPLICATION_ID.to_bytes(4, "big"):
        raise StateError(
            f"{path} is a record of this benchmark. 'bazaarbench market fork {path} NAME' makes a "
            "market of it."
        )
    return "released"


def import_released(
    path: Path | str, *, name: str, base: Path | str | None = None
) -> tuple[SavedState, Imported]:
    """Import a released database under a name; it is there whole or not at all.

    Args:
        path: a released base market or continuation; it is only read.
        name: what the saved state is to be called.
        base: the base market of a continuation (see ``import_database``).

    Returns:
        The saved state, and what the import made of the file.

    Raises:
        StateError: the name is taken.
        ReleasedError: the file is no released database, or one that cannot be imported.
        RecordError: it cannot be written.
    """
    with (
        saved_states.locked(saved_states.folder_of(name)) as folder,
        saved_states.appearing(folder, called=name) as workshop,
    ):
        imported = import_database(path, workshop / RECORD_NAME, name=name, base=base)
        saved_states.write_manifest(workshop, name)
    return saved_states.resolve(name), replace(imported, path=folder / RECORD_NAME)
