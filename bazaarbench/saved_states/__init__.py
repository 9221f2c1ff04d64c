"""Saved states: a record at a tick with a manifest, kept by name or used from a path (SPEC §3.5).

A state is a folder ``<home>/states/<name>/`` that appears in one rename, so it is whole or absent,
however many processes ask for it at once.
"""

from __future__ import annotations

from bazaarbench.saved_states.building import (
    Progress,
    build,
    build_world,
    check_registered,
    grow,
    opened_catalogue,
    scripted_simulation,
    write_manifest,
)
from bazaarbench.saved_states.forking import ancestry, fork_state, keep, texts_needed_by
from bazaarbench.saved_states.manifest import (
    MANIFEST_NAME,
    RECORD_NAME,
    Manifest,
    SavedState,
    describe,
    verify_whole,
)
from bazaarbench.saved_states.resolving import check_name, named, resolve
from bazaarbench.saved_states.shelf import (
    appearing,
    check_free,
    check_new_name,
    damaged_states,
    delete,
    find,
    folder_of,
    free_name,
    known,
    list_states,
    locked,
    name_like,
    present,
)

__all__ = [
    "MANIFEST_NAME",
    "RECORD_NAME",
    "Manifest",
    "Progress",
    "SavedState",
    "ancestry",
    "appearing",
    "build",
    "build_world",
    "check_free",
    "check_name",
    "check_new_name",
    "check_registered",
    "damaged_states",
    "delete",
    "describe",
    "find",
    "folder_of",
    "fork_state",
    "free_name",
    "grow",
    "keep",
    "known",
    "list_states",
    "locked",
    "name_like",
    "named",
    "opened_catalogue",
    "present",
    "resolve",
    "scripted_simulation",
    "texts_needed_by",
    "verify_whole",
    "write_manifest",
]
