"""A released database as a saved state, to be continued or scored by name (SPEC §3.5, §3.7)."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path

from filelock import FileLock

from bazaarbench import paths, saved_states
from bazaarbench.errors import StateError
from bazaarbench.market.files import explained
from bazaarbench.market.record import digest
from bazaarbench.released.importer import Imported, import_database
from bazaarbench.saved_states import MANIFEST_NAME, RECORD_NAME, Manifest, SavedState
from bazaarbench.slug import slug
from bazaarbench.worlds import SHIPPED


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
    folder = paths.states_dir() / slug(name)
    with explained(folder, "create"):
        folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(folder.with_name(f"{folder.name}.lock")):
        if name in SHIPPED or folder.exists():
            raise StateError(
                f"there is a market called {name!r} already. Choose another name; "
                "'bazaarbench market list' shows those that are taken."
            )
        workshop = folder.with_name(f".{folder.name}.importing")
        shutil.rmtree(workshop, ignore_errors=True)
        try:
            imported = import_database(path, workshop / RECORD_NAME, name=name, base=base)
            manifest = _manifest(name, imported)
            with explained(folder, "write"):
                (workshop / MANIFEST_NAME).write_text(
                    manifest.model_dump_json(indent=1), encoding="utf-8"
                )
                os.rename(workshop, folder)
        finally:
            shutil.rmtree(workshop, ignore_errors=True)
    state = saved_states.resolve(name)
    return state, replace(imported, path=state.path)


def _manifest(name: str, imported: Imported) -> Manifest:
    info = imported.info
    return Manifest(
        name=name,
        benchmark_version=info.benchmark_version,
        tick=imported.last_tick,
        agents=imported.agents,
        seed=info.seed,
        rules=info.rules.model_dump(mode="json"),
        models=dict(info.models),
        digest=digest(imported.path),
        world=None,
    )
